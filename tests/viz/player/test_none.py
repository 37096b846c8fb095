"""A None in the player: its cause beside the step, the correction where one was run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from test_player import show

import minitape as tf
import viz

if TYPE_CHECKING:
    from playwright.sync_api import Page


def left_for_numpy():
    x = tf.Variable([1.0, -2.0, 3.0])
    with viz.recording(), tf.GradientTape() as tape:
        scaled = x * 0.5
        squares = tf.constant(np.square(scaled.numpy()))
        loss = tf.reduce_sum(squares)
    return viz.step(tape, loss, x).trace


def test_the_step_of_a_none_has_its_cause_and_the_line(page: Page, tmp_path: Path):
    shown = show(page, tmp_path, left_for_numpy())
    shown.go(2)
    assert shown.text(".sentence") == "No path leads from the target to x: its gradient is None."
    assert "scaled leaves for NumPy" in shown.text(".reason p")
    assert "squares = tf.constant(np.square(scaled.numpy()))" in shown.text(".reason pre")
    assert shown.host.locator(".reason").count() == 1
    assert shown.text(".slot.now") == "x: None"
    shown.focus()
    shown.press("ArrowLeft")
    assert shown.host.locator(".reason").count() == 0


def test_a_correction_that_was_run_stands_beside_the_cause(page: Page, tmp_path: Path):
    trace = left_for_numpy()
    mend = "- squares = np.square(x)\n+ squares = tf.square(x)\nTried: the gradient is 6."
    trace = replace(trace, breaks=(replace(trace.breaks[0], correction=mend),))
    shown = show(page, tmp_path, trace)
    shown.go(2)
    assert shown.text(".reason.mended p") == "Tried: the gradient is 6."
    assert shown.text(".reason.mended pre").strip() == "+ squares = tf.square(x)"
    assert shown.text(".reason:not(.mended) pre").strip() == "- squares = np.square(x)"
