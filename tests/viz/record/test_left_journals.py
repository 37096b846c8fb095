"""A journal that was not left in the usual way is not taken for one that is open."""

from __future__ import annotations

import minitape as tf
from minitape import viz
from minitape.interpreter import remove
from minitape.viz.record.journal import journal_in_use


def test_a_journal_that_an_interrupt_left_does_not_hide_the_next_one():
    lost = viz.recording()
    lost.__enter__()
    remove(lost)  # it is off the stack, but nothing else of its `__exit__` ran
    x = tf.Variable(3.0)
    with viz.recording() as journal, tf.GradientTape() as tape:
        y = tf.sin(x) * x
    assert journal_in_use() is journal
    assert viz.step(tape, y, x).trace.nodes[1].line is not None
