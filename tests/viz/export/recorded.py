"""Programs whose steps are drawn: some by hand, some written by chance."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import minitape as tf
from minitape import viz

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[1] / "player")]

from programs_written import Writer  # noqa: E402


def scalars() -> Any:
    """Four ways lead to x, and two of them meet before."""
    x = tf.Variable(1.5)
    with viz.recording(), tf.GradientTape() as tape:
        a = x * x
        out = a * tf.sin(x) + tf.exp(x) * a
    return viz.step(tape, out, x)


def network() -> Any:
    """Two layers and a cross entropy."""
    random = np.random.default_rng(7)
    x = tf.constant(random.normal(size=(5, 4)).astype("float32"))
    w1 = tf.Variable(random.normal(size=(4, 6)).astype("float32"))
    w2 = tf.Variable(random.normal(size=(6, 3)).astype("float32"))
    b = tf.Variable(np.zeros(3, "float32"))
    labels = tf.constant([0, 2, 1, 2, 0])
    with viz.recording(), tf.GradientTape() as tape:
        hidden = tf.nn.relu(x @ w1)
        logits = hidden @ w2 + b
        each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        loss = tf.reduce_mean(each)
    return viz.step(tape, loss, [w1, w2, b])


def convolution() -> Any:
    """An image, two channels, two kernels."""
    random = np.random.default_rng(8)
    image = tf.constant(random.normal(size=(1, 6, 6, 2)).astype("float32"))
    kernel = tf.Variable(random.normal(size=(3, 3, 2, 2)).astype("float32"))
    with viz.recording(), tf.GradientTape() as tape:
        maps = tf.nn.relu(tf.nn.conv2d(image, kernel, 1, "SAME"))
        loss = tf.reduce_sum(tf.nn.max_pool2d(maps, 2, 2, "VALID") ** 2.0)
    return viz.step(tape, loss, [kernel])


def broken() -> Any:
    """A path that leaves for NumPy, so that one source gets no gradient."""
    x, w = tf.Variable([1.0, 2.0, 3.0]), tf.Variable([0.5, 0.5, 0.1])
    with viz.recording(), tf.GradientTape() as tape:
        scaled = x * 0.5
        squares = tf.constant(np.square(scaled.numpy()))
        loss = tf.reduce_sum(squares * w)
    return viz.step(tape, loss, [x, w])


def recurrent() -> Any:
    """Eight rounds of a recurrent network."""
    random = np.random.default_rng(9)
    w = tf.Variable(random.normal(size=(4, 4)).astype("float32") * 0.5)
    b = tf.Variable(np.zeros(4, "float32"))
    rounds = [tf.constant(random.normal(size=(2, 4)).astype("float32")) for _ in range(8)]
    with viz.recording(), tf.GradientTape() as tape:
        state = tf.zeros([2, 4])
        for x in rounds:
            state = tf.tanh(x + state @ w + b)
        loss = tf.reduce_sum(tf.square(state))
    return viz.step(tape, loss, [w, b])


def by_chance(seed: int) -> Any:
    """A random program."""
    scope: dict[str, Any] = {"tf": tf, "viz": viz, "np": np}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        exec(compile(Writer(seed).source, "<program>", "exec"), scope)
        return viz.step(scope["tape"], scope["target"], scope["sources"])
