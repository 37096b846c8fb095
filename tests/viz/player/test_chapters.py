"""Chapters of a tape, and how much of the cotangent arrives at each."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from test_player import show

import minitape as tf
from minitape import viz
from minitape.viz.layout.labels import labels
from minitape.viz.player.payload import payload
from minitape.viz.trace.arrays import Array
from minitape.viz.views.chapters import arrivals, chapters, largest

if TYPE_CHECKING:
    from playwright.sync_api import Page

SLOPE = 0.5


def shrinking(rounds):
    """A loop in which each round halves what comes back."""
    with viz.recording(), tf.GradientTape() as tape:
        y = x = tf.Variable([1.0, -2.0])
        for _ in range(rounds):
            y = (y + 1.0) * SLOPE
        total = tf.reduce_sum(y)
    return viz.step(tape, total, x).trace


def test_rounds_are_chapters_where_no_scope_tells_ops_apart():
    trace = shrinking(4)
    named = chapters(trace.nodes)
    assert list(named.values()) == [f"round {i}" for i in (1, 2, 3, 4) for _ in "ab"]
    assert {trace.nodes[node].op for node in named} == {"add", "multiply"}


def test_scopes_are_chapters_and_one_around_all_of_them_is_looked_through():
    with viz.recording(), tf.GradientTape() as tape:
        y = x = tf.Variable(0.5)
        with tf.name_scope("model"):
            for name in ("first", "second"):
                with tf.name_scope(name):
                    y = tf.sin(y * 2.0)
    named = chapters(viz.step(tape, y, x).trace.nodes)
    assert list(named.values()) == ["first", "first", "second", "second"]


def test_the_layers_of_a_model_are_chapters_beside_its_loss():
    layers = [tf.keras.layers.Dense(3, "tanh", name=f"dense_{i}") for i in range(3)]
    model = tf.keras.Sequential([tf.keras.Input([3]), *layers], name="net")
    labels = tf.constant([0, 2])
    loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    with viz.recording(), tf.GradientTape() as tape:
        loss = loss_of(labels, model(tf.ones([2, 3])))
    trace = viz.step(tape, loss, model.trainable_variables).trace
    wanted = ["dense_0", "dense_1", "dense_2", "sparse_categorical_crossentropy"]
    assert list(dict.fromkeys(chapters(trace.nodes).values())) == wanted
    assert [each.chapter for each in arrivals(trace, chapters(trace.nodes))] == wanted


def test_two_models_of_a_tape_are_its_chapters_and_not_the_layers_of_one():
    with viz.recording(), tf.GradientTape() as tape:
        y = x = tf.Variable(0.5)
        for name, depth in (("encoder", 3), ("decoder", 2)):
            with tf.name_scope(name):
                for i in range(depth):
                    with tf.name_scope(f"layer_{i}"):
                        y = tf.sin(y * 2.0)
    named = chapters(viz.step(tape, y, x).trace.nodes)
    assert list(named.values()) == ["encoder"] * 6 + ["decoder"] * 4


def test_terms_of_one_sum_that_look_alike_are_no_rounds():
    with viz.recording(), tf.GradientTape() as tape:
        x = tf.Variable([1.0, 2.0, 3.0, 4.0])
        y = x[0] * x[1] + x[2] * x[3]
    assert chapters(viz.step(tape, y, x).trace.nodes) == {}


def test_more_rounds_than_a_timeline_has_room_for_are_no_chapters():
    assert chapters(shrinking(25).nodes) == {}


def test_what_arrives_at_a_round_is_the_product_of_the_slopes_behind_it():
    trace = shrinking(5)
    found = arrivals(trace, chapters(trace.nodes))
    assert [each.chapter for each in found] == [f"round {i}" for i in range(1, 6)]
    np.testing.assert_allclose([each.size for each in found], [SLOPE**k for k in (4, 3, 2, 1, 0)])


def test_two_rounds_need_no_picture_of_what_arrives():
    trace = shrinking(3)
    named = chapters(trace.nodes)
    assert len(arrivals(trace, named)) == 3
    two = {node: chapter for node, chapter in named.items() if chapter != "round 3"}
    assert arrivals(trace, two) == []


def test_the_player_gets_sizes_as_texts_and_shares_of_the_largest():
    data = payload(shrinking(3))
    bars = data["arrivals"]["bars"]
    assert [each[2:] for each in bars] == [["0.25", 0.25], ["0.5", 0.5], ["1.0", 1.0]]


def test_sizes_that_differ_a_hundredfold_are_on_a_log_axis_which_says_so():
    arrived = payload(shrinking(9))["arrivals"]
    sizes = 0.5 ** np.arange(9)[::-1]
    heights = (np.log10(sizes) + 3) / 3  # the smallest is 1/256
    np.testing.assert_allclose([each[3] for each in arrived["bars"]], heights, atol=1e-4)
    assert arrived["said"].endswith("on a log axis from 0.001")


@pytest.mark.parametrize(
    ("values", "size"),
    [([1.0, -3.0], 3.0), ([3 + 4j], 5.0), (np.linspace(-2, 1, 100), 2.0), ([], 0.0)],
)
def test_the_size_of_an_array_is_that_of_its_largest_element(values, size):
    assert largest(Array.of(values)) == size


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_has_no_size(bad):
    assert np.isnan(largest(Array.of([1.0, bad])))


@pytest.mark.browser
def test_bars_show_what_arrives_and_lead_to_the_step_where_it_does(page: Page, tmp_path: Path):
    page.set_viewport_size({"width": 1400, "height": 900})
    found = show(page, tmp_path, shrinking(4))
    chapters = [text for text in found.host.locator(".chapters span").all_inner_texts() if text]
    assert chapters[:4] == ["round 1", "round 2", "round 3", "round 4"]
    found.focus()
    found.press("End")
    bars = found.host.locator(".arrival")
    sizes = [bar.split()[0] for bar in bars.all_inner_texts()]
    assert sizes == ["0.125", "0.25", "0.5", "1.0"]
    first, last = (bars.nth(i).locator("i").bounding_box() for i in (0, 3))
    assert first and last
    assert abs(last["height"] / first["height"] - 8) < 1
    bars.nth(1).click()
    assert "passes its gradient to ((x + 1)·0.5 + 1)·0.5" in found.text(
        ".sentence"
    )  # round 2's end


def test_parts_of_an_array_say_which_part_they_are():
    with viz.recording(), tf.GradientTape() as tape:
        x = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="x")
        y = tf.reduce_sum(x[0] * x[:, 1] + x[1])
    trace = viz.step(tape, y, x).trace
    called = [node["called"] for node in payload(trace)["nodes"]]
    assert called[1:5] == ["take[0]", "getitem[:, 1]", "multiply", "take[1]"]
    assert [label.note for label in labels(trace)][1:5] == ["[0]", "[:, 1]", "", "[1]"]
