"""A rule as a sparse matrix: there is one where the rule is linear, and none that is false."""

from __future__ import annotations

from typing import Any

import numpy as np

import minitape as tf
from minitape import viz


def pulls(tape: Any, target: Any, sources: Any) -> dict[str, Any]:
    trace = viz.step(tape, target, sources).trace
    return {trace.nodes[s.node].op: s for s in trace.steps if s.kind == "pull"}


def test_the_matrix_of_a_mean_gives_each_element_its_share():
    x = tf.Variable([[1.0, 2.0, 4.0], [3.0, 5.0, 7.0]])
    with viz.recording(), tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.square(tf.reduce_mean(x, axis=1)))
    slopes = pulls(tape, y, x)["reduce_mean"].slopes
    matrix = np.zeros((6, 2))
    matrix[slopes.rows, slopes.columns] = slopes.values
    np.testing.assert_allclose(matrix, np.repeat(np.eye(2), 3, axis=0) / 3, rtol=1e-6)


def test_a_learner_s_rule_that_clips_has_no_matrix_since_none_would_be_true():
    @tf.custom_gradient
    def clipped(x: Any) -> Any:
        return tf.identity(x), lambda g: tf.clip_by_value(g, -0.1, 0.1)

    x = tf.Variable([1.0, 0.01])
    with viz.recording(), tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.square(clipped(x)))
    step = pulls(tape, y, x)["clipped"]
    assert list(step.contribution.data) == [np.float32(0.1), np.float32(0.02)]
    assert step.slopes is None


def test_a_learner_s_linear_rule_has_its_matrix():
    @tf.custom_gradient
    def doubled(x: Any) -> Any:
        return tf.identity(x), lambda g: 2.0 * g

    x = tf.Variable([1.0, 0.5])
    with viz.recording(), tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.square(doubled(x)))
    slopes = pulls(tape, y, x)["doubled"].slopes
    assert (slopes.rows, slopes.columns, slopes.values) == ((0, 1), (0, 1), (2.0, 2.0))
