"""The microscope in a real browser: an element of a result, what it is made of, and who is told."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from networks import NETWORKS
from test_player import Shown, show

from browser import expect

if TYPE_CHECKING:
    from playwright.sync_api import Page


def number(text: str) -> float:
    return float(text.replace("−", "-"))


def opened(page: Page, folder: Path, network: str, op: str, to: str) -> tuple[Shown, np.ndarray]:
    """A network's page at the pull from an op to a node, and what goes there."""
    page.set_viewport_size({"width": 1400, "height": 900})
    trace = NETWORKS[network]().trace
    shown = show(page, folder, trace)
    at = next(
        i
        for i, s in enumerate(trace.steps)
        if s.kind == "pull" and trace.nodes[s.node].op == op and trace.nodes[s.to].name == to
    )
    shown.go(at)
    given = trace.steps[at].contribution
    return shown, np.reshape(given.data, given.shape)


def products(shown: Shown) -> list[float]:
    texts = shown.host.locator(".products td:not(.plus):not(.total)").all_text_contents()
    return [number(text) for text in texts if text]


def total(shown: Shown) -> float:
    return number(shown.text(".terms .total"))


def test_pointing_at_an_element_of_a_matmul_writes_its_sum_out(page: Page, tmp_path: Path):
    shown, gradient = opened(page, tmp_path, "mlp", "matmul", "W2")
    shown.host.locator(".card.new td").nth(4).hover()
    assert "row 1 of hiddenᵀ meets column 1 of g" in shown.text(".lens h2")
    assert total(shown) == pytest.approx(gradient[1, 1], rel=1e-3)
    assert sum(products(shown)) == pytest.approx(gradient[1, 1], rel=2e-3)
    assert shown.host.locator(".card td.hit").count() == 8  # a row and a column of four examples
    assert shown.host.locator(".card td.me").count() == 1
    assert shown.host.locator(".graph .mini .ring").count() == 9


@pytest.mark.parametrize(
    ("network", "op", "to"),
    [
        ("mlp", "sparse_softmax_cross_entropy", "logits"),
        ("mlp", "add", "b2"),
        ("attention", "softmax", "scores"),
        ("convnet", "convolution", "kernel"),
        ("convnet", "max_pool", "maps"),
        ("embedding", "gather", "table"),
        ("layer normalisation", "multiply", "gamma"),
    ],
)
def test_the_terms_of_every_element_add_up_to_it(
    page: Page, tmp_path: Path, network: str, op: str, to: str
):
    shown, gradient = opened(page, tmp_path, network, op, to)
    cells = shown.host.locator(".card.new td")
    for i in range(min(cells.count(), 6)):
        cells.nth(i).hover()
        flat = int(cells.nth(i).get_attribute("data-e") or 0)
        wanted = gradient.flat[flat]
        if wanted == 0:
            assert shown.host.locator(".terms .total").count() == 0 or total(shown) == 0
            continue
        assert total(shown) == pytest.approx(wanted, rel=1e-3)
        assert sum(products(shown)) == pytest.approx(wanted, rel=5e-3, abs=1e-4)


def test_arrow_keys_move_to_another_element_and_a_screen_reader_is_told_the_sum(
    page: Page, tmp_path: Path
):
    shown, gradient = opened(page, tmp_path, "mlp", "matmul", "W2")
    step = shown.step
    shown.host.locator(".card.new td[tabindex='0']").focus()
    before = shown.host.locator(".card.new td.me").get_attribute("data-e")
    shown.press("ArrowDown", "ArrowRight")
    here = shown.host.locator(".card.new td.me")
    assert here.get_attribute("data-e") != before
    assert shown.step == step
    flat = int(here.get_attribute("data-e") or 0)
    row, column = divmod(flat, 3)
    label = here.get_attribute("aria-label") or ""
    assert label.startswith(f"row {row}, column {column}: ")
    expect(shown.host.locator(".told")).to_have_text(
        re.compile(rf"^row {row}, column {column}: .* times .* is ")
    )
    shown.press("Escape", "ArrowRight")
    assert shown.step > step


def test_a_tap_fixes_an_element_until_it_is_tapped_again(page: Page, tmp_path: Path):
    shown, _ = opened(page, tmp_path, "mlp", "matmul", "W2")
    cells = shown.host.locator(".card.new td")
    cells.nth(2).click()
    cells.nth(5).hover()
    assert "me" in (cells.nth(2).get_attribute("class") or "")
    cells.nth(2).click()
    cells.nth(5).hover()
    assert "me" in (cells.nth(5).get_attribute("class") or "")


def test_an_address_names_a_step_and_an_element(page: Page, tmp_path: Path):
    page.set_viewport_size({"width": 1400, "height": 900})
    file = NETWORKS["mlp"]().save(tmp_path / "mlp.html")
    page.goto(file.as_uri() + "#step=14&at=3,1")
    shown = Shown(page)
    assert shown.text(".counter") == "14 / 19"
    assert shown.host.locator(".card.new td.me").get_attribute("data-e") == "10"


@pytest.mark.parametrize("name", list(NETWORKS))
def test_nothing_of_a_step_is_below_the_fold(page: Page, tmp_path: Path, name: str):
    page.set_viewport_size({"width": 1400, "height": 900})
    trace = NETWORKS[name]().trace
    shown = show(page, tmp_path, trace)
    below = []
    for at in range(0, len(trace.steps) + 1, 1 if len(trace.steps) < 80 else 7):
        shown.go(at)
        heights = shown.host.locator(".panes").evaluate("e => [e.scrollHeight, e.clientHeight]")
        wide = shown.host.locator(".panes").evaluate("e => e.scrollWidth <= e.clientWidth")
        if heights[0] > heights[1] + 1 or not wide:
            below.append((at, heights))
    assert not below


def test_memory_steps_come_when_they_are_asked_for(page: Page, tmp_path: Path):
    shown = show(page, tmp_path, NETWORKS["mlp"]().trace)
    folded = int(shown.text(".counter").split("/")[1])
    shown.host.get_by_role("button", name="Memory").click()
    assert int(shown.text(".counter").split("/")[1]) == folded + 7  # one for each op
    expect(shown.host.locator(".memory")).to_be_visible()


def test_every_sum_of_a_long_tape_has_its_mark(page: Page, tmp_path: Path):
    import minitape as tf
    import viz

    x = tf.Variable(1.0)
    with viz.recording(), tf.GradientTape() as tape:
        y = x * 0.0
        for _ in range(150):
            y = y + tf.sin(x)
    trace = viz.step(tape, y, x).trace
    sums = sum(step.kind == "accumulate" for step in trace.steps)
    shown = show(page, tmp_path, trace)
    path = shown.host.locator(".sums path").get_attribute("d") or ""
    assert sums == 150
    assert path.count("M") == sums
