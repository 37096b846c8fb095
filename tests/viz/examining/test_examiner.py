"""The examiner costs little, and says nothing false of the guide's examples and the lessons."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

import minitape as tf
from minitape.viz.course.guide import EXAMPLES
from minitape.viz.diagnosis.examiner import Examiner
from minitape.viz.diagnosis.sources import case
from minitape.viz.diagnosis.trial.process import run

LESSONS = Path(__file__).resolve().parents[3] / "tutorials"


@pytest.mark.parametrize("example", EXAMPLES, ids=[each.title for each in EXAMPLES])
def test_an_example_of_the_guide_has_a_finding_only_where_the_guide_says_so(example):
    scope = {"tf": tf}
    with Examiner() as examiner:
        exec(compile("import minitape as tf\n" + example.code, "guide.py", "exec"), scope)
    if examiner.findings:
        assert {each.kind for each in examiner.findings.values()} == {"none"}
        said = repr(list(example.says.values()))
        assert "None" in said or "LookupError" in said


@pytest.mark.slow
def test_a_lesson_without_mistakes_has_no_finding():
    found = run(LESSONS / "03_how_a_tape_works.py", [], 60.0)
    assert (found.ended, found.findings) == ("ok", ())


@pytest.mark.slow
@pytest.mark.takes_turns
def test_a_lesson_that_shows_a_trap_has_this_finding_alone():
    found = run(LESSONS / "08_static_graphs.py", [], 60.0, functions=False)  # it is about graphs
    assert [(each.kind, each.cause) for each in found.findings] == [("nan", "unchosen")]


def test_a_long_training_is_looked_at_from_all_sides_in_its_first_steps_only(monkeypatch):
    built = []
    known = case.Dataflow
    monkeypatch.setattr(case, "Dataflow", lambda *given: built.append(1) or known(*given))
    w = tf.Variable([1.0, 2.0])
    with Examiner() as examiner:
        for _ in range(20):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum((w - 3.0) ** 2)
            w.assign_sub(0.1 * tape.gradient(loss, w))
    assert len(built) == 3
    assert len(examiner.outcomes) == 20


def test_a_nan_that_is_born_in_a_later_step_is_found():
    w = tf.Variable(8.0)
    with Examiner() as examiner:
        for _ in range(10):
            with tf.GradientTape() as tape:
                loss = tf.math.log(w)
            tape.gradient(loss, w)
            w.assign_sub(1.0)
    kinds = [each.kind for each in examiner.findings.values()]
    assert kinds == ["inf"]  # of log 0, in the ninth step; log -1 comes after it


def test_a_nan_that_is_born_in_step_700_is_found_with_its_op_line_and_element():
    code = """
    import minitape as tf
    w = tf.Variable([700.0, 5000.0])
    for step in range(720):
        with tf.GradientTape() as tape:
            roots = tf.sqrt(w)
            loss = tf.reduce_sum(roots)
        g = tape.gradient(loss, w)
        w.assign_sub([1.0, 1.0])
    """
    with Examiner() as examiner:
        exec(compile(dedent(code), "long.py", "exec"), {})
    (found,) = examiner.findings.values()
    assert (found.kind, found.line, found.call) == ("inf", 6, 700)  # 0.5 / sqrt(0)
    assert "`sqrt` at line 6" in found.sentence
    assert "infinite at 0 (element [0])" in found.sentence


def test_a_gradient_that_is_nan_in_step_700_while_its_target_is_finite_is_found_at_its_op():
    w = tf.Variable(2.0)
    with Examiner() as examiner:
        for step in range(705):
            x = tf.constant(0.0 if step >= 700 else 1.0)
            with tf.GradientTape() as tape:
                loss = tf.where(x > 0.0, tf.math.log(w * x), w)
            tape.gradient(loss, w)
    (found,) = examiner.findings.values()
    assert (found.kind, found.cause, found.call) == ("nan", "unchosen", 700)


def test_what_later_steps_give_is_kept_as_the_first_steps_are():
    w = tf.Variable([1.0, -2.0])
    with Examiner() as examiner:
        for _ in range(6):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(w * w)
            tape.gradient(loss, [w])
    assert {each.states == ["ok"] for each in examiner.outcomes} == {True}
    assert [each.numbers for each in examiner.outcomes] == [[[2.0, -4.0]]] * 6  # 2 w
    assert [each.target for each in examiner.outcomes] == [[5.0]] * 6


def test_what_is_computed_of_a_later_gradient_is_still_seen():
    w = tf.Variable([3.0, 4.0])
    with Examiner() as examiner:
        for _ in range(6):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(w * w)
            size = tf.norm(tape.gradient(loss, w))
            examiner_saw = examiner.entries[-1].outputs[0]
    assert examiner_saw is size
    assert size.numpy() == 10.0  # of [6, 8]


def test_a_second_derivative_of_a_later_step_is_right():
    x = tf.Variable(2.0)
    with Examiner():
        for _ in range(6):
            with tf.GradientTape() as outer:
                with tf.GradientTape() as inner:
                    y = x**3
                slope = inner.gradient(y, x)
            curvature = outer.gradient(slope, x)
    assert (slope.numpy(), curvature.numpy()) == (12.0, 12.0)  # 3 x^2, 6 x


def test_what_the_program_computes_is_as_without_the_examiner():
    x = tf.Variable([1.0, 2.0])
    with Examiner(), tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_sum(x**3)
        first = inner.gradient(y, x)
    assert outer.gradient(first, x).numpy().tolist() == [6.0, 12.0]  # 6 x


def test_a_line_inside_of_a_function_is_the_one_that_is_named():
    @tf.function
    def loss_of(w, x, y):
        return tf.reduce_mean((x @ w - y) ** 2)  # the line that is meant

    first = loss_of.python_function.__code__.co_firstlineno
    w, x = tf.Variable([[1.0], [2.0]]), tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with Examiner() as examiner, tf.GradientTape() as tape:
        loss = loss_of(w, x, tf.constant([1.0, 2.0, 3.0]))
        tape.gradient(loss, w)
    (found,) = examiner.findings.values()
    assert (found.kind, found.line) == ("broadcast", first + 2)
    assert "`x @ w` is (3, 1) and `y` is (3,)" in found.sentence


def test_a_tape_inside_of_a_function_is_looked_at_and_functions_are_graphs_again_afterwards():
    w = tf.Variable([0.0, 2.0])

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.where(w > 0.0, tf.math.log(w), 0.0))
        return tape.gradient(loss, w)

    with Examiner() as examiner:
        step()
    assert [each.cause for each in examiner.findings.values()] == ["unchosen"]
    assert not tf.config.functions_run_eagerly()


def test_an_error_in_a_learners_rule_is_not_taken_for_an_op_without_a_gradient():
    @tf.custom_gradient
    def broken(x):
        def grad(upstream):
            return {}["boom"] * upstream

        return 2.0 * x, grad

    x = tf.Variable(1.0)
    with Examiner() as examiner, tf.GradientTape() as tape:
        y = broken(x)
        with pytest.raises(KeyError, match="boom"):
            tape.gradient(y, x)
    assert examiner.findings == {}
    assert [each.error for each in examiner.outcomes] == ["KeyError('boom')"]


def test_what_a_later_call_shows_to_be_meant_is_taken_back():
    x, u = tf.Variable(2.0), tf.Variable(3.0)
    with Examiner() as examiner:
        with tf.GradientTape(persistent=True) as tape:
            y = x * x
        tape.gradient(y, u)
        assert [each.cause for each in examiner.findings.values()] == ["no_path"]
        tape.gradient(y, u, unconnected_gradients="zero")
        assert examiner.findings == {}
        assert [each.cause for each in examiner.quiet] == ["no_path"]


def test_a_second_derivative_is_not_excused_by_the_first():
    x = tf.Variable(2.0)
    with Examiner() as examiner, tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x**3
        first = tf.stop_gradient(inner.gradient(y, x))
        outer.gradient(first, x)
    assert [each.cause for each in examiner.findings.values()] == ["stop_gradient"]
