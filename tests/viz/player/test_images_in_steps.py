"""Batches of colour images in windows of five sizes: nothing is wider or, but on a phone, lower."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from swept import KINDS
from test_player import Shown

import minitape as tf
from minitape import viz

if TYPE_CHECKING:
    from playwright.sync_api import Page

CELLS_HOLD_WHAT_IS_IN_THEM = """e => [...e.querySelectorAll("td")].every((cell) => {
  const isSeen = (each) => !getComputedStyle(each).clipPath.includes("inset");
  const { left, right } = cell.getBoundingClientRect();
  return [...cell.children].filter(isSeen).map((each) => each.getBoundingClientRect())
    .every((box) => left <= box.left + 0.5 && box.right <= right + 0.5);
})"""
WINDOWS = [(1400, 900), (1280, 720), (1024, 768), (768, 1024), (390, 844)]


def mixed(side: int) -> Any:
    """Two batches of images that meet element by element."""
    rng = np.random.default_rng(side)
    a, b = (tf.Variable(rng.normal(size=(2, side, side, 3)).astype("float32")) for _ in range(2))
    with viz.recording(), tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.square(a - b) + a * b)
    return viz.step(tape, loss, [a, b])


@pytest.mark.slow
@pytest.mark.parametrize("size", WINDOWS)
@pytest.mark.parametrize("made", [KINDS["convnet"], lambda: mixed(8), lambda: mixed(32)])
def test_pictures_shrink_to_the_room_of_a_window(
    page: Page, tmp_path: Path, made: Any, size: tuple[int, int]
):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(made().save(tmp_path / "page.html").as_uri())
    shown = Shown(page)
    last = int(shown.host.locator("input").get_attribute("max") or 0)
    too_large = []
    for at in range(last + 1):
        shown.go(at)
        is_wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
        pane = shown.host.locator(".panes")
        over = pane.evaluate(
            "e => [e.scrollWidth - e.clientWidth, e.scrollHeight - e.clientHeight]"
        )
        if is_wide or over[0] > 0 or (over[1] > 0 and size[0] > 700):
            too_large.append((at, is_wide, over))
    assert not too_large


def test_no_digit_of_a_kernel_covers_another_or_is_cut(page: Page, tmp_path: Path):
    rng = np.random.default_rng(0)
    images = rng.random((8, 8, 8, 1)).astype("float32")
    kernel = tf.Variable(rng.normal(size=(3, 3, 1, 4)).astype("float32"))
    with viz.recording(), tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.nn.conv2d(images, kernel, strides=1, padding="VALID"))
    page.set_viewport_size({"width": 1366, "height": 900})
    page.goto(viz.step(tape, loss, kernel).save(tmp_path / "page.html").as_uri())
    shown = Shown(page)
    shown.go(0)
    tiles = shown.host.locator(".cards .tiles")
    assert tiles.evaluate("e => e.querySelectorAll('td').length") == 36
    assert tiles.evaluate("e => e.scrollWidth <= e.clientWidth + 1")
    assert tiles.evaluate(CELLS_HOLD_WHAT_IS_IN_THEM)
