"""The journal: which one is open, and what it says of values that no tape recorded."""

from __future__ import annotations

import minitape as tf
import viz
from viz.journal import journal_in_use


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
