"""Paths lit on the graph, their terms in the summary, and the minimap."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from networks import NETWORKS
from test_player import Shown, show

import minitape as tf
import viz

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


def test_a_key_lights_one_path_after_the_other_on_the_graph(page: Page, tmp_path: Path):
    found = summary(page, tmp_path, "layer normalisation")
    trace = NETWORKS["layer normalisation"]().trace
    for way in trace.paths[0].ways:
        found.press("y")
        edges = found.host.locator(".graph .e.onway")
        drawn = {edge.get_attribute("data-edge") for edge in edges.all()}
        ends = {tuple(map(int, key.split(":")[:2])) for key in drawn}
        assert ends == set(zip(way.nodes, way.nodes[1:], strict=False))
    assert found.host.locator(".light[aria-pressed=true]").count() == 1


def test_a_click_on_a_term_lights_its_path_and_a_second_one_puts_it_out(page: Page, tmp_path: Path):
    found = summary(page, tmp_path, "layer normalisation")
    found.host.locator(".light").nth(2).click()
    assert found.host.locator(".graph .e.onway").count() > 2
    found.host.locator(".light").nth(2).click()
    assert found.host.locator(".graph .e.onway").count() == 0


def test_the_minimap_shows_what_is_in_view_and_leads_elsewhere(page: Page, tmp_path: Path):
    found = summary(page, tmp_path, "rnn")
    found.press("Home")
    graph = found.host.locator(".graph > svg")
    before = graph.get_attribute("viewBox")
    box = found.host.locator(".map svg").bounding_box()
    assert box is not None
    assert found.host.locator(".map rect.now").count() == 1
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] - 4)
    assert graph.get_attribute("viewBox") != before


def test_a_graph_that_is_in_view_whole_has_no_minimap(page: Page, tmp_path: Path):
    page.set_viewport_size({"width": 1400, "height": 900})
    found = show(page, tmp_path, NETWORKS["embedding"]().trace)
    found.host.locator("[data-do=fit]").click()
    assert not found.host.locator(".map").is_visible()
