"""Graphs and pending counts in a real browser: badges, queue, orders, boxes that open and close."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from test_graph_view import nested
from test_pending import shared
from test_player import Shown, open_page

import minitape as tf
from minitape import viz
from minitape.viz.player.page import page as page_of
from viz_traces import HOSTILE

if TYPE_CHECKING:
    from playwright.sync_api import Page


def show(page: Page, folder: Path, trace: Any) -> Shown:
    open_page(page, folder, page_of(trace))
    return Shown(page)


@pytest.fixture
def counting() -> Any:
    return viz.pending(shared, tf.constant(1.5, tf.float64)).trace


@pytest.fixture
def graph() -> Any:
    return viz.graph(nested, tf.constant(1.0), tf.constant(2.0)).trace


def chips(shown: Shown, row: int, kind: str = "") -> list[str]:
    """The ops in one line of the strip: 0 is the queue, then the orders."""
    selector = f".orders div:nth-child({row + 1}) .chip{kind}"
    found: list[str] = shown.host.locator(selector).all_text_contents()
    return found


def names(trace: Any, nodes: Any) -> list[str]:
    return [trace.nodes[n].name or trace.nodes[n].op for n in nodes]


def badges(shown: Shown) -> dict[int, str]:
    texts = shown.host.locator(".graph .n.counted").evaluate_all(
        "all => all.map(g => [g.dataset.node, g.querySelector('.p text').textContent])"
    )
    return {int(node): text for node, text in texts}


def numbers(shown: Shown, selector: str) -> list[int]:
    found: list[int] = shown.host.locator(selector).evaluate_all(
        "all => all.map(g => Number(g.dataset.node))"
    )
    return sorted(found)


def states_of(trace: Any) -> list[tuple[dict[int, int], tuple[int, ...]]]:
    found, counts, queue = [], {}, ()
    for step in trace.steps:
        counts = counts | (step.pending or {})
        queue = queue if step.queue is None else step.queue
        found.append((counts, queue))
    return found


def test_counts_and_queue_are_the_traces_at_every_step_forwards_and_back(
    page: Page, tmp_path: Path, counting: Any
) -> None:
    shown = show(page, tmp_path, counting)
    shown.focus()
    states = states_of(counting)
    before = shown.picture_without_states()
    for key in ["ArrowRight"] * len(states) + ["ArrowLeft"] * len(states):
        counts, queue = states[min(shown.step, len(states) - 1)]  # the summary is behind the last
        assert badges(shown) == {node: str(count) for node, count in counts.items()}
        assert numbers(shown, ".graph .n.queued") == sorted(queue)
        assert chips(shown, 0) == names(counting, queue)
        assert shown.picture_without_states() == before
        shown.press(key)


def test_the_orders_stand_beside_each_other_and_show_where_they_differ(
    page: Page, tmp_path: Path, counting: Any
) -> None:
    shown = show(page, tmp_path, counting)
    at = [i for i, step in enumerate(counting.steps) if step.kind == "ready"][1]
    shown.go(at)
    assert chips(shown, 1) == names(counting, counting.orders[0].nodes)
    assert chips(shown, 2) == names(counting, counting.orders[1].nodes)
    assert (chips(shown, 1, ".now"), chips(shown, 2, ".now")) == (["d"], ["e"])
    assert chips(shown, 2, ".other") == ["e", "d", "c", "b"]
    assert "`" not in shown.text(".sentence") and "is ready" in shown.text(".sentence")
    assert shown.text(".phase") == "ready: taken"


def test_a_click_on_an_op_of_the_strip_goes_to_its_next_step(
    page: Page, tmp_path: Path, counting: Any
) -> None:
    shown = show(page, tmp_path, counting)
    shown.host.locator(".orders .chip", has_text="b").first.click()
    step = counting.steps[shown.step]
    b = next(node.id for node in counting.nodes if node.name == "b")
    assert b in (step.node, step.to) and step.kind != "forward"


def test_a_tapes_player_has_no_strip(page: Page, tmp_path: Path) -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    shown = show(page, tmp_path, viz.step(tape, y, x).trace)
    assert not shown.host.locator(".orders").is_visible()
    assert badges(shown) == {}


def test_a_graph_opens_with_its_programs_open_and_closes_level_by_level(
    page: Page, tmp_path: Path, graph: Any
) -> None:
    shown = show(page, tmp_path, graph)
    outer = shown.host.locator("[data-do=outof]")
    frames = shown.host.locator(".graph .frame")
    assert frames.count() == 6
    counts = []
    for _ in range(4):
        outer.click()
        counts.append(frames.count())
    assert counts == [4, 3, 1, 0]
    assert shown.text(".where") == "0 of 4 levels open"
    shown.host.locator(".graph .n.group").click()
    assert frames.count() == 1
    shown.host.locator("[data-do=into]").click()
    assert frames.count() == 3


def test_a_graphs_player_says_dtypes_and_walks_through_branches_and_bodies(
    page: Page, tmp_path: Path, graph: Any
) -> None:
    shown = show(page, tmp_path, graph)
    shown.focus()
    before = shown.picture_without_states()
    for step in graph.steps:
        assert shown.text(".sentence") == step.sentence.replace("`", "")
        assert shown.text(".phase") == "written"
        assert "not kept" not in shown.text(".cards")
        assert shown.picture_without_states() == before
        shown.press("ArrowRight")


def test_hostile_names_run_nothing(page: Page, tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, (), name=HOSTILE)
        y = tf.sin(x) * tf.cond(x > 0.0, lambda: x, lambda: -x)
    for trace in (viz.pending(graph, y, x, title=HOSTILE).trace, viz.graph(graph).trace):
        shown = show(page, tmp_path, trace)
        shown.press("End")
        assert shown.host.locator("img[onerror]").count() == 0
