"""A None in the player: its cause beside the step, the correction where one was run."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

import numpy as np
from test_player import show

import minitape as tf
from browser import expect
from minitape import viz
from minitape.viz.diagnosis.sources.question import Cause
from minitape.viz.diagnosis.views.explained import suggested
from minitape.viz.trace.trace import Line

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
    said = "No recorded path connects x to the target, so its gradient is None, because "
    ends = r"the path ends at line \d+ \(left: numpy\)\."
    assert re.fullmatch(said + ends, shown.text(".sentence"))
    assert "scaled leaves for NumPy" in shown.text(".reason p")
    assert "squares = tf.constant(np.square(scaled.numpy()))" in shown.text(".reason pre")
    assert shown.host.locator(".reason:not(.known)").count() == 1
    assert shown.text(".slot.now") == "x: None"
    shown.focus()
    shown.press("ArrowLeft")
    assert shown.host.locator(".reason").count() == 0


def test_a_file_shows_the_correction_that_its_line_gives_and_says_that_it_was_not_run(
    page: Page, tmp_path: Path
):
    shown = show(page, tmp_path, left_for_numpy())
    shown.go(2)
    assert shown.text(".known .in").strip() == "+ squares = tf.square(scaled)"
    assert "not run" in shown.text(".known p")
    assert shown.text(".reason .out").strip() == (
        "- squares = tf.constant(np.square(scaled.numpy()))"
    )
    assert shown.host.locator(".graph .break").count() == 1
    assert shown.host.locator(".tried").count() == 0


def test_what_has_to_be_added_stands_without_a_line_to_take_out(page: Page, tmp_path: Path):
    x = tf.constant([1.0, 2.0])
    with viz.recording(), tf.GradientTape() as tape:
        loss = tf.reduce_sum(x * x)
    shown = show(page, tmp_path, viz.step(tape, loss, x).trace)
    shown.go(10)
    shown.focus()
    shown.press("ArrowLeft")
    rows = shown.host.locator(".known .in").all_text_contents()
    assert [row.strip("+ ") for row in rows] == [
        "with tf.GradientTape() as tape:", "tape.watch(x)"
    ]  # fmt: skip
    assert shown.host.locator(".reason .out").count() == 0


def test_advice_in_words_is_no_correction():
    line = Line("a.py", 1, "y = f(x)")
    for mend in ("# use x itself", "y = f(x)  # with tf functions instead", "y = ..."):
        assert suggested(Cause("numpy", "", line, mend, "left")) == ""
    assert suggested(Cause("numpy", "", line, "y = tf.square(x)", "left", is_certain=False)) == ""


def test_a_correction_that_was_run_stands_beside_the_cause(page: Page, tmp_path: Path):
    trace = left_for_numpy()
    mend = "- squares = np.square(x)\n+ squares = tf.square(x)\nTried: the gradient is 6."
    trace = replace(trace, breaks=(replace(trace.breaks[0], correction=mend),))
    shown = show(page, tmp_path, trace)
    shown.go(2)
    assert shown.text(".reason.tried p") == "Tried: the gradient is 6."
    assert shown.text(".reason.tried pre").strip() == "+ squares = tf.square(x)"
    assert shown.text(".reason:not(.tried) pre").strip() == "- squares = np.square(x)"
    assert shown.host.locator(".corrected").count() == 0


def mended() -> str:
    """The trace of the same program with the correction, as JSON."""
    x = tf.Variable([1.0, -2.0, 3.0])
    with viz.recording(), tf.GradientTape() as tape:
        scaled = x * 0.5
        squares = tf.square(scaled)
        loss = tf.reduce_sum(squares)
    return viz.step(tape, loss, x).trace.to_json()


def compared():
    """The trace of the None with a correction that was tried."""
    trace = left_for_numpy()
    own = "        squares = tf.constant(np.square(scaled.numpy()))"
    mend = f"- {own}\n+         squares = tf.square(scaled)\nTried: the gradient is [0.5, -1, 1.5]."
    broken = replace(trace.breaks[0], correction=mend, corrected=mended())
    return replace(trace, breaks=(broken,))


def test_the_corrected_graph_stands_beside_the_recorded_one(page: Page, tmp_path: Path):
    page.set_viewport_size({"width": 1400, "height": 900})
    shown = show(page, tmp_path, compared())
    shown.go(2)
    picture = shown.host.locator(".corrected img")
    expect(picture).to_have_js_property("complete", True)
    assert picture.evaluate("image => image.naturalWidth") > 0
    recorded, corrected = shown.host.locator(".graph").bounding_box(), picture.bounding_box()
    assert corrected["x"] > recorded["x"] + recorded["width"]
    assert corrected["y"] >= recorded["y"]
    assert corrected["y"] + corrected["height"] <= recorded["y"] + recorded["height"]
    drawn = unquote(picture.get_attribute("src").partition(",")[2])
    assert all(f">{name}</text>" in drawn for name in ("x", "scaled", "squares", "loss"))
    assert ">square</text>" in drawn
    assert "[0.5, -1, 1.5]" in picture.get_attribute("alt")


def test_a_changed_line_stands_between_its_neighbours_before_and_after(page: Page, tmp_path: Path):
    shown = show(page, tmp_path, compared())
    shown.go(2)
    rows = [
        shown.host.locator(f"{card} pre span").all_text_contents()
        for card in (".reason:not(.tried)", ".tried")
    ]
    above, below = "  scaled = x * 0.5", "  loss = tf.reduce_sum(squares)"
    assert rows[0] == [above, "- squares = tf.constant(np.square(scaled.numpy()))", below]
    assert rows[1] == [above, "+ squares = tf.square(scaled)", below]


def test_nothing_of_a_none_is_below_the_fold_and_a_phone_shows_the_cause_first(
    page: Page, tmp_path: Path
):
    shown = show(page, tmp_path, compared())
    for width, height in ((1400, 900), (1280, 720)):
        page.set_viewport_size({"width": width, "height": height})
        shown.go(2)
        panes = shown.host.locator(".panes")
        assert panes.evaluate("pane => pane.scrollHeight <= pane.clientHeight + 1")
    page.set_viewport_size({"width": 390, "height": 844})
    shown.go(2)
    tops = [
        shown.host.locator(part).bounding_box()["y"]
        for part in (".reason:not(.tried)", ".tried", ".corrected")
    ]
    assert tops == sorted(tops)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_break_is_in_view_on_a_phone(page: Page, tmp_path: Path):
    page.set_viewport_size({"width": 390, "height": 844})
    shown = show(page, tmp_path, compared())
    shown.go(2)
    graph = shown.host.locator(".graph").bounding_box()
    cross = shown.host.locator(".graph .break circle").bounding_box()
    assert graph["y"] <= cross["y"]
    assert cross["y"] + cross["height"] <= graph["y"] + graph["height"]
