"""The words of axes: said where an op says what they are, and nowhere else."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from networks import NETWORKS
from test_player import show

import minitape as tf
from minitape import viz
from minitape.viz.player.axes import axis_words

if TYPE_CHECKING:
    from playwright.sync_api import Page


def words(player: Any) -> dict[str, tuple[str, ...]]:
    nodes = player.trace.nodes
    return {nodes[i].name or nodes[i].op or "": said for i, said in axis_words(nodes).items()}


def test_examples_and_classes_are_followed_back_from_a_cross_entropy():
    found = words(NETWORKS["mlp"]())
    assert found["logits"] == ("example", "class")
    assert found["hidden"] == ("example", "")
    assert found["W2"] == ("", "class")
    assert found["b2"] == ("class",)
    assert found["losses"] == ("example",)
    assert "W1" not in found


def test_images_and_kernels_are_named_by_a_convolution():
    found = words(NETWORKS["convnet"]())
    assert found["image"] == found["pooled"] == ("image", "row", "column", "channel")
    assert found["kernel"] == ("row", "column", "channel", "kernel")
    assert "scores" not in found  # a reshape says nothing of its axes


def test_a_transposed_factor_has_its_words_transposed_and_a_plain_network_has_none():
    x, w = tf.constant(np.ones((2, 3), "f")), tf.Variable(np.ones((4, 3), "f"))
    labels = tf.constant([0, 1])
    with viz.recording(), tf.GradientTape() as tape:
        logits = tf.matmul(x, w, transpose_b=True)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
        loss = tf.reduce_mean(losses)
    found = words(viz.step(tape, loss, w))
    assert found["logits"] == ("example", "class")
    assert found["w"] == ("class", "")
    assert found["x"] == ("example", "")
    assert words(NETWORKS["attention"]()) == {}


def test_rows_are_examples_and_columns_classes_beside_a_cross_entropy(page: Page, tmp_path: Path):
    page.set_viewport_size({"width": 1400, "height": 900})
    trace = NETWORKS["mlp"]().trace
    shown = show(page, tmp_path, trace)
    pulls = [i for i, step in enumerate(trace.steps) if step.kind == "pull"]
    shown.go(next(i for i in pulls if trace.nodes[trace.steps[i].to].name == "logits"))
    captions = shown.host.locator("th.word:visible").all_text_contents()
    assert [f"example {i}" for i in range(4)] == [each for each in captions if "example" in each]
    assert captions.count("class 2") == 2  # of the probabilities, and of the result
    label = shown.host.locator(".card.new td.me").get_attribute("aria-label") or ""
    assert label.startswith("example ") and ", class " in label
    shown.go(next(i for i in pulls if trace.nodes[trace.steps[i].to].name == "W2"))
    terms = shown.host.locator(".terms .label").all_text_contents()
    assert terms and all(each.startswith("example ") for each in terms)
