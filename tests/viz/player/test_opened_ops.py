"""Fused ops opened in the player: by click and by key, in place, and closed again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from networks import NETWORKS
from test_player import Shown, show

import minitape as tf
from minitape import viz

if TYPE_CHECKING:
    from playwright.sync_api import Page

CROSS_ENTROPY, LOGITS = 11, 9


def shown(page: Page, folder: Path, step: int) -> Shown:
    page.set_viewport_size({"width": 1400, "height": 900})
    found = show(page, folder, NETWORKS["mlp"]().trace)
    found.go(step)
    found.focus()
    return found


def titles(found: Shown) -> list[str]:
    return found.host.locator(".graph > svg .t").all_text_contents()


def test_a_key_opens_the_op_of_the_step_and_closes_it_again(page: Page, tmp_path: Path):
    found = shown(page, tmp_path, 10)
    before, sentence = titles(found), found.text(".sentence")
    found.press("o")
    assert found.text(".counter") == "10.1 / 19"
    assert {"exp", "reduce_sum", "log", "gather"} <= set(titles(found))
    assert found.text(".tab text") == "sparse_softmax_cross_entropy"
    assert "both forms gave the same gradient" in found.text(".same")
    found.press("o")
    assert found.text(".counter") == "10 / 19"
    assert (titles(found), found.text(".sentence")) == (before, sentence)
    assert not found.host.locator(".same").is_visible()


def test_an_opened_op_is_seen_in_its_whole_width_and_the_graph_is_narrow_again_when_it_is_closed(
    page: Page, tmp_path: Path
):
    found = shown(page, tmp_path, 10)
    graph = found.host.locator(".graph")
    beyond = """(pane) => {
        const { left, right } = pane.getBoundingClientRect();
        const boxes = [...pane.querySelectorAll("[data-node] .b")];
        const ends = boxes.map((each) => each.getBoundingClientRect());
        return ends.filter((end) => end.left < left || end.right > right).length;
    }"""
    width = graph.evaluate("e => e.clientWidth")
    for open_or_close in "oo":
        assert graph.evaluate(beyond) == 0
        found.press(open_or_close)
    assert graph.evaluate("e => e.clientWidth") == width


def test_the_sign_on_the_box_opens_it_and_the_name_of_the_frame_closes_it(
    page: Page, tmp_path: Path
):
    found = shown(page, tmp_path, 9)
    found.node(CROSS_ENTROPY).locator(".opens").click()
    assert found.text(".counter").startswith("10.1")
    found.host.locator(".graph .tab").click()
    assert found.text(".counter") == "10 / 19"


def test_no_sign_covers_the_name_of_a_small_box(page: Page, tmp_path: Path):
    page.set_viewport_size({"width": 1280, "height": 720})
    W = tf.Variable(np.eye(3))
    with viz.recording(), tf.GradientTape() as tape:
        h = tf.constant(np.ones((2, 3)))
        for _ in range(20):
            h = tf.tanh(h @ W)
        p = tf.nn.softmax(h)
        loss = tf.reduce_sum(tf.math.log(p))
    found = show(page, tmp_path, viz.step(tape, loss, W).trace)
    covered = """(root) => [...root.querySelectorAll(".n:has(.opens)")].flatMap((box) => {
        const [name, sign] = [".t", ".opens"].map((part) => box.querySelector(part));
        const [a, b] = [name, sign].map((each) => each.getBoundingClientRect());
        const apart = a.right <= b.left || b.right <= a.left || a.bottom <= b.top + 2;
        return apart ? [] : [name.textContent];
    })"""
    found.go(1)
    assert "p" in found.host.locator(".overview .t").all_text_contents()
    assert not found.host.locator(".player").evaluate(covered)


def test_probability_less_truth_is_added_up_at_the_logits(page: Page, tmp_path: Path):
    found = shown(page, tmp_path, 10)
    found.press("o", *["ArrowRight"] * 6)
    assert found.text(".counter") == "10.7 / 19"
    assert found.text(".phase") == "accumulate"
    captions = found.host.locator(".card figcaption").all_text_contents()
    assert captions == ["from gather", "from exp", "cotangent of logits"]


def test_steps_after_an_open_op_are_those_of_before(page: Page, tmp_path: Path):
    found = shown(page, tmp_path, 10)
    found.press("ArrowRight")
    after = found.text(".sentence")
    found.press("ArrowLeft", "o", *["ArrowRight"] * 7)
    assert (found.text(".counter"), found.text(".sentence")) == ("11 / 19", after)
    found.press("End")
    assert found.text(".counter") == "19 / 19"
    found.press("o", "Home", "ArrowRight")
    assert found.text(".counter") == "1 / 19"


def test_an_op_opens_in_the_group_that_shows_it(page: Page, tmp_path: Path):
    page.set_viewport_size({"width": 1400, "height": 900})
    found = show(page, tmp_path, NETWORKS["attention"]().trace)
    found.focus()
    found.press("o")
    assert found.text(".tab text") == "softmax"
    assert "divide" in found.text(".graph > svg")
