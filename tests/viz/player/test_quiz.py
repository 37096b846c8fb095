"""`viz.quiz`: it asks for true numbers, explains wrong ones, and evaluates nothing."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest

import minitape as tf
from minitape import viz
from minitape.viz.quizzes.hints import Clues, hint
from minitape.viz.quizzes.numbers import AnswerError, numbers, same
from programs import PROGRAMS, recorded

HOSTILE = "</script><img src=x onerror=alert(1)>"


def quiz_of(f, *values, **options):
    """The quiz of a function of variables."""
    inputs = [tf.Variable(np.asarray(v, np.float64)) for v in values]
    with tf.GradientTape() as tape:
        y = f(*inputs)
    return viz.quiz(tape, y, inputs, **options)


def product_plus():
    """y = x w + x at x = 3, w = 5: the pulls are 1, 1 (of the sum), then 5 and 3; x gets 6."""
    return quiz_of(lambda x, w: x * w + x, 3.0, 5.0)


def to_the_end(quiz):
    """Gives up until the quiz is finished, and gives what was asked and solved."""
    asked = []
    while not quiz.finished:
        asked.append((quiz.ask(), quiz.give_up().solution))
    return asked


def test_right_answers_in_order_give_the_full_score():
    quiz = product_plus()
    for value in (1.0, 1.0, 5.0, 6.0, 3.0, 6.0, 3.0):
        assert quiz.answer(value).correct, quiz.ask()
    assert quiz.finished and quiz.score == 1.0
    quiz.assert_passed(1.0)


@pytest.mark.parametrize("program", PROGRAMS, ids=[p.name for p in PROGRAMS])
def test_the_gradients_asked_for_are_those_of_central_differences(program):
    from test_step import differences

    quiz = viz.quiz(*recorded(program), limit=50)
    finals = [q for q in quiz.questions if q.text.startswith("What is the gradient")]
    known = [d for d in differences(program) if d.size <= 9]
    assert len(finals) == len(known)
    for question, gradient in zip(finals, known, strict=True):
        np.testing.assert_allclose(question.clues.expected, gradient, rtol=1e-5, atol=1e-7)


def test_a_wrong_answer_may_be_mended_for_fewer_points():
    quiz = quiz_of(lambda x: tf.sin(x), 0.5)
    assert not quiz.answer(0.1).correct
    assert quiz.answer(np.cos(0.5)).correct
    assert quiz.points == [0.5]


def test_after_three_wrong_answers_the_right_one_is_shown():
    quiz = quiz_of(lambda x: 4.0 * x, 0.5)
    said = [quiz.answer(value) for value in (100.0, 200.0, 300.0)]
    assert [bool(each.solution) for each in said] == [False, False, True]
    assert "4.0" in said[-1].solution and quiz.points == [0.0]


def test_an_answer_to_three_digits_is_right():
    assert quiz_of(lambda x: x / 3.0, 1.0).answer("0.333").correct
    assert not quiz_of(lambda x: x / 3.0, 1.0).answer("0.33").correct


def test_nothing_shown_before_an_answer_contains_it():
    quiz = quiz_of(lambda x: tf.reduce_sum(x * x * x), [1.1, 2.3])
    quiz.answer([1.0, 1.0])
    answer = "[3.63, 15.87]"  # 3 x²
    shown = quiz.ask() + quiz.html + quiz.picture
    assert answer not in shown
    assert "3.63" not in shown and "15.87" not in shown


def test_the_picture_shows_the_values_of_the_variables():
    assert ">3.0</text>" in product_plus().picture


# Wrong answers, explained


@pytest.mark.parametrize(
    ("f", "values", "before", "wrong", "said"),
    [
        (lambda x: tf.cos(x), [1.0], [], np.sin(1.0), "the sign is wrong"),
        (lambda x: tf.sin(x) * 2.0, [1.0], [2.0], np.cos(1.0), "local derivative of `sin` alone"),
        (lambda x: tf.sin(x) * 2.0, [1.0], [2.0], 2.0, "cotangent that comes in"),
        (lambda x: tf.sin(x) * 2.0, [1.0], [2.0], 2 + np.cos(1.0), "You added"),
        (lambda x, y: x * y, [3.0, 5.0], [], 3.0, "the other input of `multiply`"),
        (lambda x, y: x * y, [4.0, 6.0], [], 3.0, "`multiply` swaps"),
        (lambda x: x * x + x, [3.0], [1.0, 1.0, 3.0], 3.0, "path is missing"),
        (
            lambda x: tf.sin(x) + x,
            [3.0],
            [1.0, 1.0, np.cos(3.0)],
            1 - np.cos(3.0),
            "not subtracted",
        ),
        (lambda x: x**3.0, [7.0], [], 7.0, "is the value of `"),
        (lambda x: tf.reduce_mean(x), [[1.0, 2.0, 3.0, 4.0]], [], [1.0] * 4, "divides by 4"),
        (lambda x: tf.reduce_sum(x), [[1.0, 2.0]], [], 1.0, "each element has its own"),
        (lambda x: x * x, [[3.0, 5.0, 7.0]], [], [3.0, 5.0, 6.0], "2 of 3 elements are right"),
        (lambda x: tf.exp(x), [0.5], [], 0.0, "It is not zero"),
    ],
)
def test_a_usual_mistake_is_recognised(f, values, before, wrong, said):
    quiz = quiz_of(f, *values)
    for value in before:
        assert quiz.answer(value).correct, quiz.ask()
    feedback = quiz.answer(wrong)
    assert not feedback.correct
    assert said in feedback.hint


def test_a_forgotten_sum_over_a_broadcast_axis_is_recognised():
    quiz = quiz_of(lambda x, b: tf.reduce_sum(x * b), [[1.0, 2.0], [3.0, 4.0]], [5.0, 6.0])
    assert quiz.answer(np.ones((2, 2))).correct
    assert quiz.answer([[5.0, 6.0], [5.0, 6.0]]).correct
    feedback = quiz.answer([[1.0, 2.0], [3.0, 4.0]])
    assert "All but the last step is right" in feedback.hint
    assert "Sum over the axes that were stretched" in feedback.hint
    assert quiz.answer([4.0, 6.0]).correct


def test_a_transposed_answer_is_recognised():
    A = np.array([[1.0, 2.0], [3.0, 4.0]])
    quiz = quiz_of(lambda w: tf.reduce_sum(tf.constant(A) @ w), np.eye(2))
    assert quiz.answer(np.ones((2, 2))).correct
    right = A.T @ np.ones((2, 2))
    assert "transposed" in quiz.answer(right.T).hint
    assert quiz.answer(right).correct


@pytest.mark.parametrize(("wrong", "said"), [(6.0, "twice"), (1.5, "half"), (8.1, "not it")])
def test_factors_are_recognised(wrong, said):
    assert said in hint(np.array(wrong), Clues(np.array(3.0)))


def test_an_odd_answer_where_paths_meet_is_told_to_add():
    clues = Clues(np.array(14.0), paths=[("mul", np.array(6.0)), ("add", np.array(8.0))], to="x")
    assert hint(np.array(11.5), clues) == (
        "That is not it. Here x is used 2 times: add what was there and what arrives."
    )
    assert "Multiply" in hint(np.array(11.5), Clues(np.array(14.0)))


def test_the_order_of_paths_that_are_missing_is_named():
    paths = [("sin", np.array(1.0)), ("exp", np.array(10.0)), ("log", np.array(100.0))]
    said = hint(np.array(101.0), Clues(np.array(111.0), paths=paths, to="`x`"))
    assert "used 3 times" in said and "`exp`" in said and "`sin`" not in said


@pytest.mark.parametrize(
    "wrong", [float("nan"), float("inf"), [], np.zeros((2, 0)), np.ones((9, 9))]
)
def test_odd_answers_get_a_hint_too(wrong):
    assert quiz_of(lambda x: x * x, [1.0, 2.0]).answer(wrong).hint


# What a learner types


@pytest.mark.parametrize(
    ("text", "value"),
    [("3", 3.0), (" -1.5e-3 ", -0.0015), ("−2", -2.0), ("[1, [2]]"[:2] + "2]", [12.0]),
     ("[[1,2],[3,-4]]", [[1, 2], [3, -4]]), ("(1, 2)", [1, 2]), ("[nan, -inf]", [np.nan, -np.inf])],
)  # fmt: skip
def test_numbers_and_lists_are_read(text, value):
    np.testing.assert_array_equal(numbers(text), np.asarray(value, float))


@pytest.mark.parametrize(
    "text",
    ["", "x", "__import__('os')", "2+3", "2**99999999", "[1, 'a']", "True", "[" * 5_000,
     "1" * 9_999, "lambda: 1", "[1][0]", "{1: 2}", "f'{1}'", "(yield)", "-" * 3_000 + "1",
     "1\n2", "\x00", "[1, [2, 3]]"],
)  # fmt: skip
def test_anything_else_is_refused_and_costs_no_try(text):
    quiz = product_plus()
    with pytest.raises(AnswerError, match="number"):
        quiz.answer(text)
    assert quiz.tries == 0 and quiz.number == 0


@pytest.mark.parametrize("value", [None, object(), {"a": 1}, ["a"], [[1], [2, 3]]])
def test_values_that_are_no_numbers_are_refused(value):
    with pytest.raises(AnswerError):
        numbers(value)


def test_tensors_and_arrays_are_taken():
    assert same(numbers(tf.constant([1.0, 2.0])), np.array([1.0, 2.0]))


# The end, and the edges


def test_a_quiz_that_is_not_finished_is_not_passed():
    with pytest.raises(AssertionError, match="7 of 7 questions are not answered"):
        product_plus().assert_passed()


def test_a_low_score_is_not_passed():
    quiz = product_plus()
    to_the_end(quiz)
    with pytest.raises(AssertionError, match=r"score is 0\.00, and 0\.80"):
        quiz.assert_passed(0.8)


def test_after_the_end_there_is_no_answer():
    quiz = product_plus()
    to_the_end(quiz)
    assert "Your score is 0 %" in quiz.ask()
    with pytest.raises(RuntimeError, match="finished"):
        quiz.answer(1.0)


def test_a_long_pass_is_asked_about_in_part():
    def chain(x):
        for _ in range(40):
            x = tf.sin(x)
        return x

    quiz = quiz_of(chain, 0.5, limit=6)
    assert len(quiz.questions) == 6
    assert quiz.questions[-1].text.startswith("What is the gradient")


def test_large_arrays_are_not_asked_for():
    with pytest.raises(ValueError, match="larger than 9 elements"):
        quiz_of(lambda x: tf.reduce_sum(x * x), np.ones(10))


def test_without_a_path_there_is_nothing_to_ask():
    with pytest.raises(ValueError, match=r"viz\.explain"):
        quiz_of(lambda x: tf.constant(1.0), 2.0)


@pytest.mark.parametrize("limit", [0, -1, 2.5])
def test_a_limit_below_one_is_refused(limit):
    with pytest.raises(ValueError, match="at least 1"):
        quiz_of(lambda x: x * x, 2.0, limit=limit)


def test_the_tape_is_not_used_up():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    viz.quiz(tape, y, x)
    assert float(tape.gradient(y, x)) == 6.0


def test_complex_numbers_can_be_answered():
    z = tf.constant(1.0 + 2.0j)
    with tf.GradientTape() as tape:
        tape.watch(z)
        y = z * z
    quiz = viz.quiz(tape, y, z)
    to_the_end(quiz)
    np.testing.assert_allclose(quiz.questions[-1].clues.expected, 2 - 4j)  # TensorFlow conjugates


def test_hostile_names_are_text():
    x = tf.Variable(2.0, name=HOSTILE)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    names = {"y": y}
    quiz = viz.quiz(tape, names["y"], tape.watched_variables())
    assert "<img src=x" not in quiz.html


def test_the_output_shows_picture_and_questions_without_a_kernel():
    html = product_plus()._repr_mimebundle_()["text/html"]
    assert html.startswith('<img src="data:image/svg+xml;base64,')
    assert html.count("<li>") == 7 and "<script" not in html


def test_without_ipywidgets_the_questions_are_a_list():
    program = (
        "import sys\nsys.modules['ipywidgets'] = None\n"
        "import minitape as tf; from minitape import viz\nx = tf.Variable(3.0)\n"
        "with tf.GradientTape() as tape: y = x * x\n"
        "q = viz.quiz(tape, y, x)\nprint(sorted(q._repr_mimebundle_()))\n"
        "try: q.widget()\nexcept viz.errors.MissingExtraError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "['text/html', 'text/plain']" in done.stdout, done.stderr
    assert "q.ask() and q.answer" in done.stdout


def test_the_widget_checks_hints_and_goes_on():
    pytest.importorskip("ipywidgets")
    quiz = quiz_of(lambda x: tf.cos(x), 1.0)
    picture, question, row, said = quiz.widget().children
    field, check, give_up = row.children
    for text, expected in [("<b>", "cannot read"), (str(np.sin(1.0)), "sign is wrong")]:
        field.value = text
        check.click()
        assert expected in said.value and "<b>" not in said.value
    field.value = str(-np.sin(1.0))
    check.click()
    assert "Right." in said.value and "Question 2" in question.value
    give_up.click()
    assert quiz.finished and field.disabled and "Your score is 25 %" in question.value
    assert re.match("<img src=.data:image", picture.value)
