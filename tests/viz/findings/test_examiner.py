"""The examiner costs little, and says nothing false of the guide's examples and the lessons."""

from __future__ import annotations

from pathlib import Path

import pytest

import minitape as tf
from viz.course.guide import EXAMPLES
from viz.findings import case
from viz.findings.examiner import Examiner
from viz.mending.process import run

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


def test_a_lesson_without_mistakes_has_no_finding():
    found = run(LESSONS / "03_how_a_tape_works.py", [], 60.0)
    assert (found.ended, found.findings) == ("ok", ())


def test_a_lesson_that_shows_a_trap_has_this_finding_alone():
    found = run(LESSONS / "08_static_graphs.py", [], 60.0)
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


def test_what_the_program_computes_is_as_without_the_examiner():
    x = tf.Variable([1.0, 2.0])
    with Examiner(), tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_sum(x**3)
        first = inner.gradient(y, x)
    assert outer.gradient(first, x).numpy().tolist() == [6.0, 12.0]  # 6 x
