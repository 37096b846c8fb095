"""The journal: which one is open, and what it says of values that no tape recorded."""

from __future__ import annotations

import minitape as tf
from minitape import viz
from minitape.viz.picture.svg import tooltip
from minitape.viz.record.journal import journal_in_use


def test_closing_an_inner_journal_leaves_the_outer_one_open():
    with viz.recording() as outer:
        with viz.recording() as inner:
            assert journal_in_use() is inner
        assert journal_in_use() is outer
        x = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = x * x
        steps = viz.step(tape, y, x).trace.steps
    assert {step.line.text.strip() for step in steps if step.line} == {"y = x * x"}


def test_an_error_inside_an_inner_journal_leaves_the_outer_one_open():
    with viz.recording() as outer:
        try:
            with viz.recording():
                raise KeyError
        except KeyError:
            pass
        assert journal_in_use() is outer


def test_a_constant_that_an_op_made_says_which_op_and_where():
    scale = tf.constant([1.0, 2.0])
    x = tf.Variable([3.0, 4.0])
    with viz.recording(), tf.GradientTape() as tape:
        y = tf.reduce_sum(x * tf.exp(scale))
    trace = viz.step(tape, y, x).trace
    (made,) = [node for node in trace.nodes if node.kind == "constant"]
    assert made.numbers.startswith("made by exp in test_journal.py, line ")
    assert made.numbers in tooltip(made)
    assert f"the constant [2.718, 7.389] ({made.numbers})" in trace.steps[0].sentence


def test_a_constant_of_the_learner_has_nothing_to_say_about_its_origin():
    x = tf.Variable(3.0)
    with viz.recording(), tf.GradientTape() as tape:
        y = x * 2.0
    trace = viz.step(tape, y, x).trace
    assert [node.numbers for node in trace.nodes if node.kind == "constant"] == [""]
