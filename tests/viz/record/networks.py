"""Small networks as recorded tapes: what lectures draw, every array small enough to be whole."""

from __future__ import annotations

from typing import Any

import numpy as np

import minitape as tf
from minitape import viz


def _random(seed: int) -> Any:
    rng = np.random.default_rng(seed)
    return lambda *shape: rng.normal(size=shape).astype("float32")


def mlp() -> Any:
    """Two dense layers and softmax cross entropy: 4 examples, 3 inputs, 5 hidden, 3 classes."""
    draw = _random(0)
    x, labels = tf.constant(draw(4, 3)), tf.constant([0, 2, 1, 0])
    W1, b1 = tf.Variable(draw(3, 5) * 0.7), tf.Variable(draw(5) * 0.1)
    W2, b2 = tf.Variable(draw(5, 3) * 0.7), tf.Variable(draw(3) * 0.1)
    with viz.recording(), tf.GradientTape() as tape:
        hidden = tf.nn.relu(x @ W1 + b1)
        logits = hidden @ W2 + b2
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
        loss = tf.reduce_mean(losses)
    return viz.step(tape, loss, [W1, b1, W2, b2], title="Two-layer MLP")


def attention() -> Any:
    """One head over 4 tokens of width 4."""
    draw = _random(1)
    tokens = tf.constant(draw(4, 4))
    Wq, Wk, Wv = (tf.Variable(draw(4, 4) * 0.5) for _ in range(3))
    with viz.recording(), tf.GradientTape() as tape:
        query, key, value = tokens @ Wq, tokens @ Wk, tokens @ Wv
        scores = tf.matmul(query, key, transpose_b=True) / 2.0
        weights = tf.nn.softmax(scores)
        mixed = weights @ value
        loss = tf.reduce_sum(tf.square(mixed))
    return viz.step(tape, loss, [Wq, Wk, Wv], title="Attention")


def layer_normalisation() -> Any:
    """The mean and the variance of each row, by hand, with scale and shift."""
    draw = _random(2)
    x = tf.Variable(draw(3, 6))
    gamma, beta = tf.Variable(draw(6) + 1), tf.Variable(draw(6))
    with viz.recording(), tf.GradientTape() as tape:
        mean = tf.reduce_mean(x, axis=-1, keepdims=True)
        centred = x - mean
        variance = tf.reduce_mean(tf.square(centred), axis=-1, keepdims=True)
        normal = centred * tf.math.rsqrt(variance + 1e-3)
        out = normal * gamma + beta
        loss = tf.reduce_sum(tf.square(out))
    return viz.step(tape, loss, [x, gamma, beta], title="Layer normalisation")


def convnet() -> Any:
    """A 6 x 6 image, two 3 x 3 kernels, relu, max pooling and a dense layer."""
    draw = _random(3)
    image = tf.constant(draw(1, 6, 6, 1))
    kernel, w = tf.Variable(draw(3, 3, 1, 2) * 0.5), tf.Variable(draw(8, 2) * 0.5)
    with viz.recording(), tf.GradientTape() as tape:
        maps = tf.nn.relu(tf.nn.conv2d(image, kernel, strides=1, padding="VALID"))
        pooled = tf.nn.max_pool2d(maps, 2, 2, "VALID")
        scores = tf.reshape(pooled, [1, 8]) @ w
        loss = tf.reduce_sum(scores)
    return viz.step(tape, loss, [kernel, w], title="Small convnet")


def rnn() -> Any:
    """A recurrent layer over 10 steps: every round uses the same weights."""
    draw = _random(4)
    steps = [tf.constant(draw(2, 3)) for _ in range(10)]
    Wx, Wh, b = tf.Variable(draw(3, 4)), tf.Variable(draw(4, 4) * 0.4), tf.Variable(draw(4))
    with viz.recording(), tf.GradientTape() as tape:
        state = tf.zeros([2, 4])
        for x in steps:
            state = tf.tanh(x @ Wx + state @ Wh + b)
        loss = tf.reduce_sum(tf.square(state))
    return viz.step(tape, loss, [Wx, Wh, b], title="RNN of 10 steps")


def embedding() -> Any:
    """Rows of a table for words, of which one comes twice, averaged and classified."""
    draw = _random(5)
    table, w = tf.Variable(draw(6, 4)), tf.Variable(draw(4, 2))
    words = tf.constant([3, 1, 3, 5])
    with viz.recording(), tf.GradientTape() as tape:
        rows = tf.gather(table, words)
        sentence = tf.reduce_mean(rows, axis=0, keepdims=True)
        scores = tf.nn.log_softmax(sentence @ w)
        loss = -tf.reduce_sum(scores[:, 1])
    return viz.step(tape, loss, [table, w], title="Embedding")


NETWORKS = {
    "mlp": mlp,
    "attention": attention,
    "layer normalisation": layer_normalisation,
    "convnet": convnet,
    "rnn": rnn,
    "embedding": embedding,
}
