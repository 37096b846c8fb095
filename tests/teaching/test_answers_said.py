"""An answer that stands in a sentence above its question, and a gradient printed above its quiz."""

from __future__ import annotations

import pytest
from courses import code, course, lesson

from minitape.viz.teaching import edges
from minitape.viz.teaching.checking import check
from minitape.viz.teaching.folder import opened

pytest.importorskip("jupytext")
pytest.importorskip("nbclient")

ASKED = code(
    "from minitape import viz\n"
    'with viz.predict("What is the gradient of x * x * x at x = 2?", "Three times two squared."):\n'
    "    print(12.0)"
)
SAID = [
    "At 2 the derivative of the cube is 3 times 2 squared, which makes 12.",
    "Remember that the gradient of x * x * x gives $3 x^2 = 12$ there.",
    "## A cube\n\nFor x = 2 we get a slope of three times four. It is then 12.0, at x = 2.",
]
NOT_SAID = [
    "At 2 the cube is 8.",  # another number
    "This lesson is for the 12 of you who asked for it.",  # it speaks of something else
    "Is the gradient of x * x * x at 2 equal to 12?",  # a question
    "We take 12 steps, and x is 2 at first.",  # the number is not what comes out
]
TAPE = code(
    "import minitape as tf\nfrom minitape import viz\nx = tf.Variable(3.0)\n"
    "with viz.recording(), tf.GradientTape(persistent=True) as tape:\n    y = x * x"
)
QUIZ = code("viz.quiz(tape, y, x)")
PRINTED = [
    code("print(tape.gradient(y, x))"),
    code("print('slope:', float(tape.gradient(y, [x])[0]))"),
    code("slope = tape.gradient(y, x)\nprint(f'{slope}')"),
    code("tape.gradient(y, x)"),
]
NOT_PRINTED = [
    code("slope = tape.gradient(y, x)"),
    code("print(float(y))"),
    code('with viz.predict("Which slope?", "6"):\n    print(tape.gradient(y, x))'),
    code("print(tape.gradient(y, x))") + "\n" + TAPE.replace("3.0", "4.0"),
]


def found_in(tmp_path, variants: list[list[str]], monkeypatch) -> list[bool]:
    """For each lesson whether an answer above its question is found in it, and nothing else."""
    monkeypatch.setattr(edges, "browser", lambda: None)
    texts = {f"l{n}": lesson(*cells, title=f"L{n}") for n, cells in enumerate(variants)}
    found = check(opened(course(tmp_path, **texts)))
    assert {each.kind for each in found} <= {"answer above"}, list(map(str, found))
    return [any(each.lesson.stem == name for each in found) for name in texts]


@pytest.mark.slow
def test_an_answer_in_a_sentence_above_its_prediction_is_found(tmp_path, monkeypatch):
    assert found_in(tmp_path, [[text, ASKED] for text in SAID], monkeypatch) == [True] * 3


@pytest.mark.slow
def test_numbers_that_are_not_the_answer_of_the_question_are_left(tmp_path, monkeypatch):
    variants = [[text, ASKED] for text in NOT_SAID] + [[SAID[0], code("x = 1"), ASKED]]
    assert found_in(tmp_path, variants, monkeypatch) == [False] * 5


@pytest.mark.slow
def test_a_gradient_printed_above_its_quiz_is_found(tmp_path, monkeypatch):
    assert found_in(tmp_path, [[TAPE, each, QUIZ] for each in PRINTED], monkeypatch) == [True] * 4


@pytest.mark.slow
def test_what_does_not_give_a_quiz_away_is_left(tmp_path, monkeypatch):
    variants = [[TAPE, each, QUIZ] for each in NOT_PRINTED] + [[TAPE, QUIZ, PRINTED[0]]]
    assert found_in(tmp_path, variants, monkeypatch) == [False] * 5
