"""A zero deserves a sentence: which row or column it is, and what shut it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minitape as tf
from minitape import viz
from minitape.viz.trace.wording import sentence

X = np.array([[1.0, -2.0, 3.0], [4.0, -5.0, -6.0], [2.0, -1.0, 2.0]], "f")


def said(function: Callable[[Any], Any], op: str, values: np.ndarray = X) -> str:
    """The sentence of the pull through an op."""
    x = tf.Variable(values, name="x")
    with viz.recording(), tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.square(function(x)))
    trace = viz.step(tape, loss, x).trace
    pulls = [step for step in trace.steps if step.kind == "pull"]
    return sentence([s for s in pulls if trace.nodes[s.node].op == op][-1], trace.nodes)


@pytest.mark.parametrize(
    ("function", "op", "why"),
    [
        (tf.nn.relu, "relu", "column 1 was off in all 3 rows"),
        (tf.nn.relu6, "relu6", "column 1 was off or full in all 3 rows"),
        (
            lambda x: tf.clip_by_value(x, -1.0, 2.0),
            "clip_by_value",
            "row 1 was clipped in all 3 columns",
        ),
        (lambda x: tf.where(x > 0, x, 0.0), "select", "column 1 was not chosen in all 3 rows"),
        (lambda x: tf.maximum(x, 0.0), "maximum", "column 1 was the smaller one in all 3 rows"),
        (
            lambda x: x * tf.constant([1.0, 0.0, 1.0]),
            "multiply",
            "column 1 was multiplied by 0.0 in all 3 rows",
        ),
        (lambda x: tf.gather(x, [0, 0]), "gather", "rows 1 and 2 were never picked"),
        (lambda x: tf.boolean_mask(x, [True, False, True]), "gather", "row 1 was never picked"),
        (
            lambda x: tf.reduce_max(x, axis=1),
            "reduce_max",
            "column 1 was nowhere the largest",
        ),
        (
            lambda x: tf.nn.relu(2.0 * x),
            "multiply",
            "nothing came in at column 1",
        ),
        (lambda x: tf.sigmoid(8.0 * x), "sigmoid", "it is saturated, no slope is above 0.01"),
        (
            lambda x: tf.square(x * tf.constant([1.0, 0.0, 1.0])),
            "square",
            "column 1 has slope 0.0 in all 3 rows",
        ),
        (lambda x: tf.sigmoid(x / 10.0), "sigmoid", "to the result of `divide`."),
    ],
)
def test_a_row_or_a_column_of_zeros_says_why(function, op: str, why: str):
    assert why in said(function, op)


def test_what_dropout_dropped_is_counted():
    tf.random.set_seed(0)
    zero = tf.nn.dropout(tf.constant(X), 0.5, seed=3).numpy() == 0
    dropped = np.count_nonzero(zero)
    assert dropped and not zero.all(0).any() and not zero.all(1).any()
    tf.random.set_seed(0)
    text = said(lambda x: tf.nn.dropout(x, 0.5, seed=3), "gate")
    assert f"{dropped} of 9 were dropped" in text


def test_a_unit_that_was_off_leaves_its_weights_without_a_gradient_and_says_so():
    x = tf.constant([[1.0, 2.0], [3.0, 1.0], [2.0, 2.0]])
    W = tf.Variable([[1.0, -1.0, 0.5], [1.0, -1.0, 0.5]], name="W")
    V = tf.Variable([[1.0, 2.0], [1.0, 1.0], [3.0, 1.0]], name="V")
    with viz.recording(), tf.GradientTape() as tape:
        hidden = tf.nn.relu(x @ W)
        loss = tf.reduce_sum(tf.square(hidden @ V))
    player = viz.step(tape, loss, [W, V])
    trace = player.trace
    assert not np.asarray(player.gradients[1])[1].any()  # row 1 of V
    texts = [sentence(s, trace.nodes) for s in trace.steps if s.kind == "pull" and s.to is not None]
    why = "row 1 is 0.0, for that column of `hidden` is 0.0 in all 3 rows"
    assert any(text.endswith(f"to `V`: {why}.") for text in texts), texts


def test_a_sentence_holds_no_range_of_numbers():
    text = said(tf.sigmoid, "sigmoid", np.array([[9.0, 12.0], [-9.0, 10.0]], "f"))
    assert "…" not in text
    assert "saturated" in text
