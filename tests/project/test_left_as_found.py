"""The fixture of all tests that looks for what a test left entered."""

from __future__ import annotations

import minitape as tf
from left_entered import leave_all_but
from minitape.interpreter import active


def test_what_a_test_left_entered_is_named_and_left_for_the_next_one():
    before = active()
    tape, closed = tf.GradientTape(), tf.GradientTape()
    tape.__enter__()
    with closed:
        pass
    assert leave_all_but(before) == [tape.recording]
    assert active() == before
