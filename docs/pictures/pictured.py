"""The programs that the pictures of docs/PICTURES.md show: small networks as lectures have them."""

from __future__ import annotations

import contextlib
import io
import tempfile
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import minitape as tf
from minitape import viz
from minitape.viz.diagnosis.views.traces import with_corrections
from minitape.viz.player.notebook import Player
from minitape.viz.script import record_script


def presented() -> viz.Player:
    """Two numbers through tanh, a square and a fraction: h is used four times."""
    a, c = tf.Variable(1.5, name="a"), tf.Variable(-0.8, name="c")
    with viz.recording(), tf.GradientTape() as tape:
        h = tf.tanh(a * 2.0 + c)
        k = h * h + tf.exp(-h) * c
        out = k / (1.0 + h)
    return viz.step(tape, out, [a, c])


def _drawn(seed: int) -> Any:
    rng = np.random.default_rng(seed)
    return lambda *shape: rng.normal(size=shape).astype("float32")


def classifier() -> Any:
    """Two dense layers and softmax cross entropy over four examples."""
    draw = _drawn(8)
    x, labels = tf.constant(draw(4, 3)), tf.constant([0, 2, 1, 0])
    W1, b1 = tf.Variable(draw(3, 5) * 0.7), tf.Variable(draw(5) * 0.1 + 0.3)
    W2, b2 = tf.Variable(draw(5, 3) * 0.7), tf.Variable(draw(3) * 0.1)
    with viz.recording(), tf.GradientTape() as tape:
        hidden = tf.nn.relu(x @ W1 + b1)
        logits = hidden @ W2 + b2
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
        loss = tf.reduce_mean(losses)
    return viz.step(tape, loss, [W1, b1, W2, b2], title="A classifier")


def convolution() -> Any:
    """One image, two kernels, relu, max pooling, a dense layer."""
    draw = _drawn(3)
    image = tf.constant(draw(1, 6, 6, 1))
    kernel, w = tf.Variable(draw(3, 3, 1, 2) * 0.5), tf.Variable(draw(8, 2) * 0.5)
    with viz.recording(), tf.GradientTape() as tape:
        maps = tf.nn.relu(tf.nn.conv2d(image, kernel, strides=1, padding="VALID"))
        pooled = tf.nn.max_pool2d(maps, 2, 2, "VALID")
        scores = tf.reshape(pooled, [1, 8]) @ w
        loss = tf.reduce_sum(scores)
    return viz.step(tape, loss, [kernel, w], title="A convolution")


def colours() -> Any:
    """Two images of three channels, four kernels."""
    draw = _drawn(11)
    images = tf.constant(draw(2, 8, 8, 3))
    kernel, w = tf.Variable(draw(3, 3, 3, 4) * 0.3), tf.Variable(draw(36, 2) * 0.3)
    with viz.recording(), tf.GradientTape() as tape:
        maps = tf.nn.relu(tf.nn.conv2d(images, kernel, strides=1, padding="VALID"))
        pooled = tf.nn.max_pool2d(maps, 2, 2, "VALID")
        scores = tf.reshape(pooled, [2, 36]) @ w
        labels = tf.constant([0, 1])
        loss = tf.reduce_sum(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, scores))
    return viz.step(tape, loss, [kernel, w], title="Two colour images")


def words() -> Any:
    """Rows of a table for words, of which one comes twice."""
    draw = _drawn(5)
    table, w = tf.Variable(draw(6, 4)), tf.Variable(draw(4, 2))
    sentence = tf.constant([3, 1, 3, 5])
    with viz.recording(), tf.GradientTape() as tape:
        rows = tf.gather(table, sentence)
        scores = tf.tanh(rows) @ w
        loss = tf.reduce_sum(tf.square(scores))
    return viz.step(tape, loss, [table, w], title="An embedding")


def attention() -> Any:
    """One head over four tokens."""
    draw = _drawn(1)
    tokens = tf.constant(draw(4, 4))
    Wq, Wk, Wv = (tf.Variable(draw(4, 4) * 0.5) for _ in range(3))
    with viz.recording(), tf.GradientTape() as tape:
        query, key, value = tokens @ Wq, tokens @ Wk, tokens @ Wv
        scores = tf.matmul(query, key, transpose_b=True) / 2.0
        weights = tf.nn.softmax(scores)
        mixed = weights @ value
        loss = tf.reduce_sum(tf.square(mixed))
    return viz.step(tape, loss, [Wq, Wk, Wv], title="Attention")


def recurrent() -> Any:
    """Ten rounds that use the same weights."""
    draw = _drawn(4)
    steps = [tf.constant(draw(2, 3)) for _ in range(10)]
    Wx, Wh, b = tf.Variable(draw(3, 4) * 0.5), tf.Variable(draw(4, 4) * 0.5), tf.Variable(draw(4))
    with viz.recording(), tf.GradientTape() as tape:
        state = tf.zeros([2, 4])
        for x in steps:
            state = tf.tanh(x @ Wx + state @ Wh + b)
        loss = tf.reduce_sum(tf.square(state))
    return viz.step(tape, loss, [Wx, Wh, b], title="Ten rounds of a recurrent network")


def layers() -> Any:
    """Twelve blocks of a transformer: attention, and a unit that adds."""
    draw = _drawn(0)
    kinds = ("query", "key", "value", "unit")
    layer = [
        SimpleNamespace(**{k: tf.Variable(draw(4, 4) * 0.3, name=f"{k}{i}") for k in kinds})
        for i in range(12)
    ]
    with viz.recording(), tf.GradientTape() as tape:
        h = tf.constant(draw(4, 4))
        for i in range(12):
            with tf.name_scope(f"layer{i}"):
                scores = (h @ layer[i].query) @ tf.transpose(h @ layer[i].key) / 2.0
                h = h + tf.nn.softmax(scores) @ (h @ layer[i].value)
                h = h + tf.nn.relu(h @ layer[i].unit)
        loss = tf.reduce_mean(h * h)
    weights = (getattr(each, kind) for each in layer for kind in kinds)
    return viz.step(tape, loss, [*weights], title="Twelve layers of a transformer")


def penalty() -> Any:
    """A logistic unit whose weight reaches the loss on two paths."""
    w, b = tf.Variable(-0.6), tf.Variable(0.4)
    with viz.recording(), tf.GradientTape() as tape:
        p = tf.sigmoid(w * 2.0 + b)
        fit = tf.square(p - 1.0)
        pen = 0.1 * tf.square(w)
        loss = fit + pen
    return viz.step(tape, loss, [w, b], title="A logistic unit with a penalty")


LEFT_FOR_NUMPY = """import numpy as np
import minitape as tf

x = tf.Variable([1.0, -2.0, 3.0])
with tf.GradientTape() as tape:
    scaled = x * 0.5
    squares = tf.constant(np.square(scaled.numpy()))
    loss = tf.reduce_sum(squares)
print(tape.gradient(loss, x))
"""


def left_for_numpy() -> Any:
    """A script with a gradient that is None, and its correction, as `minitape step` shows them."""
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        file = Path(folder) / "squares.py"
        file.write_text(LEFT_FOR_NUMPY, "utf-8")
        recorder = record_script(file, [])
        (trace,) = with_corrections(recorder.traces, file, [], took=0.1)
    return Player(replace(trace, title="A step in NumPy"))


def softmax_jacobian() -> Any:
    """Which probability moves with which score."""
    s = tf.Variable([[1.0, 0.2, -0.5], [0.0, 2.0, 0.3]])
    with tf.GradientTape() as tape:
        p = tf.nn.softmax(s)
    return viz.jacobian(tape, p, s)


def kept() -> Any:
    """What the tape of a dense layer keeps for the way back."""
    draw = _drawn(2)
    x, W, b = tf.constant(draw(64, 32)), tf.Variable(draw(32, 32)), tf.Variable(draw(32))
    with viz.recording(), tf.GradientTape() as tape:
        h = x
        for _ in range(4):
            h = tf.nn.relu(h @ W + b)
        tf.reduce_mean(tf.square(h))
    return viz.memory(tape)


def _moons() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, np.pi, 60)
    lower = np.arange(60) % 2
    across = np.where(lower, 1 - np.cos(angle), np.cos(angle))
    up = np.where(lower, 0.4 - np.sin(angle), np.sin(angle))
    points = np.stack([across, up], 1) + rng.normal(scale=0.1, size=(60, 2))
    return points.astype("float32"), lower.astype("float32")


def _run(activation: Any, title: str) -> Any:
    draw = _drawn(6)
    x, y = _moons()
    sizes = [2, 6, 6, 6, 1]
    weights = [
        tf.Variable(draw(n, m) / np.sqrt(n, dtype="float32"), name=f"W{i}")
        for i, (n, m) in enumerate(zip(sizes, sizes[1:], strict=False), 1)
    ]
    biases = [tf.Variable(np.zeros(m, "float32"), name=f"b{i}") for i, m in enumerate(sizes[1:], 1)]

    def logit(points: Any) -> Any:
        h = points
        for W, b in zip(weights[:-1], biases[:-1], strict=True):
            h = activation(h @ W + b)
        return (h @ weights[-1] + biases[-1])[:, 0]

    film = viz.film(weights, lambda points: tf.sigmoid(logit(points)), x, y, title=title)
    everything = [*weights, *biases]
    for _ in range(241):
        with tf.GradientTape() as tape:
            losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logit(x))
            loss = tf.reduce_mean(losses)
        if film.wants():
            with viz.recording(), tf.GradientTape(persistent=True) as tape:
                losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logit(x))
                loss = tf.reduce_mean(losses)
        film.note(tape, loss)
        for v, g in zip(everything, tape.gradient(loss, everything), strict=True):
            v.assign_sub(0.8 * g)
    return film


def two_runs() -> Any:
    """The same classifier with tanh and with sigmoid: the same start, the same data."""
    return _run(tf.tanh, "tanh").beside(_run(tf.sigmoid, "sigmoid"))
