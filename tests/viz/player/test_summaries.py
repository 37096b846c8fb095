"""The summary, behind the last step, in windows of several sizes and with many or few sources."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from page_texts import page_texts
from test_player import Shown

import minitape as tf
from minitape import viz
from minitape.viz.player.page import page as html_page
from minitape.viz.player.scene.steps import MOST_STEPS

if TYPE_CHECKING:
    from playwright.sync_api import Page

WINDOWS = [(1400, 900), (1280, 720), (1024, 768), (768, 1024)]
OVERFLOWS = "e => e.scrollHeight > e.clientHeight"


def layers(count: int) -> Any:
    """A network of dense layers, each with a weight and a bias."""
    rng = np.random.default_rng(count)
    shapes = [(6, 6), (6,)] * count
    weights = [tf.Variable(rng.normal(size=shape).astype("float32") * 0.5) for shape in shapes]
    h = tf.constant(rng.normal(size=(4, 6)).astype("float32"))
    with viz.recording(), tf.GradientTape() as tape:
        for W, b in zip(weights[::2], weights[1::2], strict=True):
            h = tf.tanh(h @ W + b)
        loss = tf.reduce_mean(tf.square(h))
    return viz.step(tape, loss, weights)


def chain_of_numbers(count: int) -> Any:
    """Numbers of which each is used twice, and the first ones far away from the loss."""
    numbers = [tf.Variable(1.0 + i / count) for i in range(count)]
    with viz.recording(), tf.GradientTape() as tape:
        loss = tf.constant(0.5)
        for each in numbers:
            loss = loss * 0.5 + each * each
    return viz.step(tape, loss, numbers)


def summary(page: Page, folder: Path, made: Any, size: tuple[int, int]) -> Shown:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(made.save(folder / "page.html").as_uri())
    shown = Shown(page)
    shown.go(10**6)
    return shown


@pytest.mark.parametrize("size", WINDOWS)
@pytest.mark.parametrize("made", [lambda: layers(12), lambda: chain_of_numbers(24)])
def test_of_many_gradients_only_their_list_scrolls(
    page: Page, tmp_path: Path, made: Any, size: tuple[int, int]
):
    shown = summary(page, tmp_path, made(), size)
    assert not shown.host.locator(".panes").evaluate(OVERFLOWS)
    listed = shown.host.locator(".ends")
    assert listed.locator(".end").count() == 24
    assert listed.evaluate(OVERFLOWS)
    assert listed.evaluate("e => getComputedStyle(e).overflowY") == "auto"
    assert "24 gradients: scroll the list" in shown.text(".cards")


@pytest.mark.parametrize("size", WINDOWS)
def test_the_figures_of_a_summary_are_above_the_fold(
    page: Page, tmp_path: Path, size: tuple[int, int]
):
    shown = summary(page, tmp_path, layers(12), size)
    for figure in (".arrivals", ".cost"):
        box = shown.host.locator(figure).bounding_box()
        assert box
        assert box["y"] + box["height"] <= size[1]


def test_keys_reach_the_last_gradient_of_a_list_that_scrolls(page: Page, tmp_path: Path):
    shown = summary(page, tmp_path, layers(12), (1280, 720))
    listed = shown.host.locator(".ends")
    listed.focus()
    # A focused list that scrolls moves by the page's own keys; the player keeps End for itself.
    shown.press(*["ArrowDown"] * 30)
    page.wait_for_timeout(300)  # it scrolls smoothly
    last = listed.locator(".end").last.bounding_box()
    room = listed.bounding_box()
    assert last and room
    assert last["y"] + last["height"] <= room["y"] + room["height"] + 1


@pytest.mark.parametrize("size", WINDOWS)
def test_the_page_of_one_tape_has_the_whole_window_whatever_it_is_called(
    page: Page, tmp_path: Path, size: tuple[int, int]
):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    file = tmp_path / "page.html"
    file.write_text(html_page(layers(1).trace, "The tapes of one.py"), "utf-8")
    page.goto(file.as_uri())
    Shown(page).go(10**6)
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")


def test_a_summary_says_the_same_in_the_page_and_as_text(page: Page, tmp_path: Path):
    x, w = tf.Variable(1.5), tf.Variable(2.0)
    with viz.recording(), tf.GradientTape() as tape:
        z = tf.square(x) * tf.constant(np.square((w * 2.0).numpy()))
    lost = viz.step(tape, z, [x, w])
    for made in (lost, layers(2), chain_of_numbers(3)):
        said = summary(page, tmp_path, made, (1280, 720)).text(".sentence")
        assert said == made.summary().splitlines()[0]
    assert lost.summary().startswith("No recorded path connects w to z: its gradient is None.")


def test_a_long_tape_says_of_a_none_what_a_short_one_says():
    x, w = tf.Variable(1.5), tf.Variable(2.0)
    with viz.recording(), tf.GradientTape() as tape:
        y = x * 1.0
        for _ in range(400):
            y = tf.sin(y)
        z = y * tf.constant(np.square((w * 2.0).numpy()))
    made = viz.step(tape, z, [x, w])
    (place,) = [i for i, step in enumerate(made.trace.steps) if step.kind == "unconnected"]
    assert place > MOST_STEPS
    (said,) = page_texts(made.trace).values()
    assert said.startswith("No recorded path connects `w` to the target, so its gradient is None")


def test_few_gradients_have_digits_and_no_list(page: Page, tmp_path: Path):
    shown = summary(page, tmp_path, layers(1), (1400, 900))
    assert shown.host.locator(".scrolls").count() == 0
    assert shown.host.locator(".end td").count() == 6 * 6 + 6


def test_a_long_path_shows_the_factors_at_its_ends(page: Page, tmp_path: Path):
    shown = summary(page, tmp_path, chain_of_numbers(24), (1280, 720))
    longest = shown.host.locator(".path").first
    assert longest.locator(".factor").count() == 12
    assert "…" in (longest.text_content() or "")
    shortest = shown.host.locator(".path").last
    assert "…" not in (shortest.text_content() or "")
