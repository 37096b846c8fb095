"""Paths lit on the graph, and their terms in the summary."""

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


def summary(page: Page, folder: Path, network: str) -> Shown:
    page.set_viewport_size({"width": 1400, "height": 900})
    found = show(page, folder, NETWORKS[network]().trace)
    found.focus()
    found.press("End")
    return found


def test_the_summary_has_a_small_multiple_for_each_path(page: Page, tmp_path: Path):
    found = summary(page, tmp_path, "layer normalisation")
    assert "4 paths to loss" in found.text(".paths")
    assert found.host.locator(".multiples .card").count() == 4


def test_the_paths_of_a_number_are_the_parts_of_a_bar(page: Page, tmp_path: Path):
    w = tf.Variable(3.0, name="w")
    with viz.recording(), tf.GradientTape() as tape:
        y = w * 4.0 - w * w
    found = show(page, tmp_path, viz.step(tape, y, w).trace)
    found.focus()
    found.press("End")
    shares = found.host.locator(".share")
    assert shares.all_inner_texts() == ["\u22123.0", "\u22123.0", "4.0"]
    kinds = [share.get_attribute("class") for share in shares.all()]
    assert kinds == ["share negative", "share negative", "share"]
    first, second, third = (share.bounding_box() for share in shares.all())
    assert first and second and third
    assert abs(third["width"] / first["width"] - 4 / 3) < 0.1
    assert abs(second["width"] - first["width"]) < 1


def lit(found: Shown) -> set[tuple[int, ...]]:
    drawn = [e.get_attribute("data-edge") for e in found.host.locator(".graph .e.onway").all()]
    return {tuple(map(int, str(key).split(":")[:2])) for key in drawn}


def test_a_key_lights_all_paths_and_then_one_after_the_other(page: Page, tmp_path: Path):
    found = summary(page, tmp_path, "layer normalisation")
    ways = NETWORKS["layer normalisation"]().trace.paths[0].ways
    ends = [set(zip(way.nodes, way.nodes[1:], strict=False)) for way in ways]
    found.press("y")
    assert lit(found) == set().union(*ends)
    for edges in ends:
        found.press("y")
        assert lit(found) == edges
    assert found.host.locator(".light[aria-pressed=true]").count() == 1


def test_a_path_between_numbers_is_said_with_its_factors_and_all_of_them_with_their_sum(
    page: Page, tmp_path: Path
):
    w = tf.Variable(3.0, name="w")
    with viz.recording(), tf.GradientTape() as tape:
        y = w * 4.0 - tf.square(w)
    found = show(page, tmp_path, viz.step(tape, y, w).trace)
    found.focus()
    found.press("y")
    assert found.text(".sentence") == "All 2 paths from w to y: \u22126.0 + 4.0 = \u22122.0."
    found.press("y")
    assert found.text(".sentence") == "Path 1 from w to y: \u22121.0 × 6.0 = \u22126.0."
    found.press("y")
    assert found.text(".sentence") == "Path 2 from w to y: 1.0 × 4.0 = 4.0."


def test_a_path_between_matrices_has_no_number_and_its_sentence_says_so(page: Page, tmp_path: Path):
    found = summary(page, tmp_path, "layer normalisation")
    found.press("y")
    assert "what they bring adds up to the gradient." in found.text(".sentence")
    found.press("y")
    assert "so no one number is its factor" in found.text(".sentence")
    found.press("ArrowLeft")
    assert "no one number" not in found.text(".sentence")


def test_a_click_on_a_term_lights_its_path_and_a_second_one_puts_it_out(page: Page, tmp_path: Path):
    found = summary(page, tmp_path, "layer normalisation")
    found.host.locator(".light").nth(2).click()
    assert found.host.locator(".graph .e.onway").count() > 2
    found.host.locator(".light").nth(2).click()
    assert found.host.locator(".graph .e.onway").count() == 0


def factors(found: Shown) -> dict[tuple[str, str], str]:
    """What stands on the edges of the graph, by the names of their two ends."""
    names = found.host.locator("[data-node]").evaluate_all(
        "all => all.map((g) => [g.dataset.node, g.querySelector('.t').textContent])"
    )
    called = dict(names)
    labels = found.host.locator(".graph .slope").evaluate_all(
        "all => all.map((g) => [g.dataset.of, g.querySelector('text').textContent])"
    )
    return {
        (called[key.split(":")[0]], called[key.split(":")[1]]): text.replace("\u2212", "-")
        for key, text in labels
    }


def test_each_edge_of_a_summary_carries_the_slope_it_multiplies_by(page: Page, tmp_path: Path):
    w = tf.Variable(3.0, name="w")
    with viz.recording(), tf.GradientTape() as tape:
        p = w * 2.0
        q = tf.square(w)
        y = p * q
    found = show(page, tmp_path, viz.step(tape, y, w).trace)
    found.focus()
    assert not factors(found)
    found.press("End")
    found.host.locator(".graph .slope").first.wait_for()
    assert factors(found) == {
        ("w", "p"): "\u00d7 2.0",
        ("w", "q"): "\u00d7 6.0",
        ("p", "y"): "\u00d7 9.0",
        ("q", "y"): "\u00d7 6.0",
    }
    found.press("ArrowLeft")
    assert not factors(found)


def test_edges_of_matrices_compare_the_largest_elements(page: Page, tmp_path: Path):
    x = np.array([[1.0, -3.0], [2.0, 0.5]], "float32")
    w = tf.Variable(np.ones((2, 2), "float32"), name="w")
    with viz.recording(), tf.GradientTape() as tape:
        z = x @ w
        loss = tf.reduce_mean(z)
    found = show(page, tmp_path, viz.step(tape, loss, w).trace)
    found.focus()
    found.press("End")
    found.host.locator(".graph .slope").first.wait_for()
    before = np.full((2, 2), 0.25)
    largest = np.abs(x.T @ before).max() / 0.25
    assert factors(found) == {
        ("z", "loss"): "|\u2202| \u00d7 0.25",
        ("w", "z"): f"|\u2202| \u00d7 {largest}",
    }


def test_factors_cover_no_box_and_lead_to_their_steps(page: Page, tmp_path: Path):
    found = summary(page, tmp_path, "mlp")
    found.host.locator(".graph .slope").first.wait_for()
    boxes, labels = (
        [part.bounding_box() for part in found.host.locator(f".graph {name}").all()]
        for name in ("[data-node] .b", ".slope rect")
    )
    for i, a in enumerate(labels):
        for b in [*boxes, *labels[:i]]:
            assert a and b
            across = min(a["x"] + a["width"], b["x"] + b["width"]) - max(a["x"], b["x"])
            down = min(a["y"] + a["height"], b["y"] + b["height"]) - max(a["y"], b["y"])
            assert min(across, down) <= 2  # half of a border
    label = found.host.locator(".graph .slope").last  # the first is out of view
    step = NETWORKS["mlp"]().trace.steps[int(label.get_attribute("data-step") or -1)]
    key = label.get_attribute("data-of") or ""
    assert (step.kind, [step.to, step.node]) == ("pull", [int(k) for k in key.split(":")[:2]])
    label.click()
    assert not factors(found)
    found.host.locator("[data-kind=pull]").first.wait_for()


def test_a_factor_without_room_in_a_narrow_overview_is_not_written(page: Page, tmp_path: Path):
    mu, rho, pi = (tf.Variable(each) for each in ([-1.0, 1.5], [0.2, -0.1], [0.1, 0.3]))
    x = tf.constant(np.arange(-3.0, 4.0, dtype="float32")[:, None])
    with viz.recording(), tf.GradientTape() as tape:
        sigma = tf.exp(rho)
        z = (x - mu) / sigma
        logp = -0.5 * z**2 - rho - 0.9189385
        logw = tf.nn.log_softmax(pi)
        ll = tf.reduce_logsumexp(logp + logw, axis=1)
        nll = -tf.reduce_mean(ll)
        prior = tf.reduce_sum(tf.square(mu)) * 0.01 + tf.reduce_sum(tf.square(rho)) * 0.02
        entropy = -tf.reduce_sum(tf.exp(logw) * logw)
        loss = nll + prior - 0.1 * entropy
    page.set_viewport_size({"width": 1280, "height": 720})
    found = show(page, tmp_path, viz.step(tape, loss, [mu, rho, pi]).trace)
    found.focus()
    found.press("End")
    pane = found.host.locator(".overview").bounding_box()
    labels = [each.bounding_box() for each in found.host.locator(".overview .slope").all()]
    assert pane
    for label in labels:
        assert label
        assert pane["x"] <= label["x"]
        assert label["x"] + label["width"] <= pane["x"] + pane["width"]


def test_edges_of_a_variable_of_many_rounds_carry_no_factor_and_those_between_rounds_do(
    page: Page, tmp_path: Path
):
    w = tf.Variable(0.5, name="w")
    with viz.recording(), tf.GradientTape() as tape:
        h = tf.constant(1.0)
        for _ in range(6):
            h = w * h
    found = show(page, tmp_path, viz.step(tape, h, w).trace)
    found.focus()
    found.press("End")
    found.host.locator(".graph .slope").first.wait_for()
    texts = found.host.locator(".graph .slope text").all_text_contents()
    assert texts == ["\u00d7 0.5"] * 5
