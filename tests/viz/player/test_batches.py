"""Batches of images: a tile for each image and channel, large enough to be seen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from test_player import Shown, show

import minitape as tf
from minitape import viz

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from minitape.viz.trace.trace import Trace

SEEN = 3.6  # pixels of a mark's cell


def residual() -> Trace:
    """Eight images of four channels through a block with a way around it."""
    draw = np.random.default_rng(12).normal
    images = tf.constant(draw(size=(8, 8, 8, 3)).astype("float32"))
    stem, k1, k2 = (
        tf.Variable(draw(size=(3, 3, size, 4)).astype("float32") * 0.3) for size in (3, 4, 4)
    )
    w, labels = tf.Variable(draw(size=(4, 3)).astype("float32")), tf.constant(np.arange(8) % 3)

    def convolved(x: Any, kernel: Any) -> Any:
        return tf.nn.conv2d(x, kernel, strides=1, padding="SAME")

    with viz.recording(), tf.GradientTape() as tape:
        h = tf.nn.relu(convolved(images, stem))
        h = tf.nn.relu(h + convolved(tf.nn.relu(convolved(h, k1)), k2))
        logits = tf.reduce_mean(h, axis=[1, 2]) @ w
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
        loss = tf.reduce_mean(losses)
    return viz.step(tape, loss, [stem, k1, k2, w]).trace


def pull_to(trace: Trace, name: str) -> int:
    return next(
        at
        for at, step in enumerate(trace.steps)
        if step.kind == "pull" and step.to is not None and trace.nodes[step.to].name == name
    )


def opened(page: Page, folder: Path, width: int, height: int, name: str) -> Shown:
    page.set_viewport_size({"width": width, "height": height})
    trace = residual()
    shown = show(page, folder, trace)
    shown.go(pull_to(trace, name))
    return shown


def test_a_recorded_batch_of_images_has_a_tile_for_each_image_and_channel():
    trace = residual()
    step = trace.steps[pull_to(trace, "k1")]
    tiles = [each.value.thumb.tiles for each in step.operands if each.value and each.value.thumb]
    assert tiles == [(8, 4), (8, 4)]


@pytest.mark.browser
@pytest.mark.parametrize(("width", "height"), [(1400, 900), (1280, 720), (390, 844)])
def test_all_tiles_of_a_batch_are_drawn_and_large_enough(
    page: Page, tmp_path: Path, width: int, height: int
):
    shown = opened(page, tmp_path, width, height, "k1")
    pictures = shown.host.locator(".card:not(.new) svg.marks")
    assert pictures.count() == 2
    for picture in pictures.all():
        assert picture.locator(".sheet").count() == 32
        tile = picture.locator(".sheet").first.bounding_box()
        assert tile and tile["width"] / 8 >= SEEN
    assert pictures.first.locator("title").nth(5).text_content() == "image 1, channel 1"


@pytest.mark.browser
@pytest.mark.parametrize(("width", "height"), [(1400, 900), (1280, 720)])
@pytest.mark.parametrize("name", ["k1", "h"])
def test_nothing_of_a_batch_is_below_the_fold(
    page: Page, tmp_path: Path, width: int, height: int, name: str
):
    shown = opened(page, tmp_path, width, height, name)
    pane = shown.host.locator(".panes")
    assert pane.evaluate("e => e.scrollHeight <= e.clientHeight")


@pytest.mark.browser
def test_a_node_shows_an_image_of_a_batch_that_is_too_large_for_it(page: Page, tmp_path: Path):
    shown = opened(page, tmp_path, 1400, 900, "k1")
    assert shown.host.locator(".graph .n.now .mini").count() == 2
