"""The workloads W11 to W14: building blocks of networks, whose ops are many and small."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import by_hand_blocks as by_hand
import numpy as np

import minitape as tf

Data = dict[str, Any]
Step = Callable[[], list[Any]]


def differentiated(loss: Callable[[], Any], variables: list[Any]) -> Step:
    def run() -> list[Any]:
        with tf.GradientTape() as tape:
            value = loss()
        return [value, *tape.gradient(value, variables)]

    return run


def attention(d: Data) -> Step:
    x = tf.constant(d["x"])
    weights = wq, wk, wv, wo = [tf.Variable(d[name]) for name in ("wq", "wk", "wv", "wo")]

    def loss() -> Any:
        q, k, v = x @ wq, x @ wk, x @ wv
        p = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / np.sqrt(np.float32(x.shape[-1])))
        return tf.reduce_mean(tf.nn.relu(p @ v @ wo + x) ** 2)

    return differentiated(loss, weights)


def recurrent(d: Data) -> Step:
    steps = [tf.constant(x) for x in d["x"]]
    variables = wx, wh, b = [tf.Variable(d[name]) for name in ("wx", "wh", "b")]
    zeros = tf.zeros((d["x"].shape[1], d["wh"].shape[0]))

    def loss() -> Any:
        h = c = zeros
        for x in steps:
            i, u, f, o = tf.split(x @ wx + h @ wh + b, 4, axis=1)
            c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(u)
            h = tf.sigmoid(o) * tf.tanh(c)
        return tf.reduce_sum(h * h)

    return differentiated(loss, variables)


def layer_norm(d: Data) -> Step:
    x = tf.constant(d["x"])
    variables = w, gain, shift = [tf.Variable(d[name]) for name in ("w", "gain", "shift")]

    def loss() -> Any:
        y = x @ w
        mean, variance = tf.nn.moments(y, [-1], keepdims=True)
        y = (y - mean) * tf.math.rsqrt(variance + by_hand.EPSILON)
        return tf.reduce_mean((y * gain + shift) ** 2)

    return differentiated(loss, variables)


def gradient_penalty(d: Data) -> Step:
    x, a, b = tf.constant(d["x"]), tf.Variable(d["a"]), tf.Variable(d["b"])

    def loss() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.tanh(x @ a) @ b)
        slope = tape.gradient(y, x)
        norm = tf.sqrt(tf.reduce_sum(slope * slope, 1) + by_hand.TINY)
        return tf.reduce_mean((norm - 1.0) ** 2)

    return differentiated(loss, [a, b])


def made(**shapes: tuple[int, ...]) -> Callable[[np.random.Generator], Data]:
    """Small normal numbers, by name."""
    return lambda rng: {
        name: (rng.normal(size=shape) / 4).astype(np.float32) for name, shape in shapes.items()
    }


BLOCKS: dict[str, tuple[str, Any, Any, Any]] = {
    "W11": (
        "attention block, 4 x 16 x 32",
        by_hand.attention,
        attention,
        made(x=(4, 16, 32), wq=(32, 32), wk=(32, 32), wv=(32, 32), wo=(32, 32)),
    ),
    "W12": (
        "LSTM, 20 steps of a batch of 8, 16 units",
        by_hand.recurrent,
        recurrent,
        made(x=(20, 8, 16), wx=(16, 64), wh=(16, 64), b=(64,)),
    ),
    "W13": (
        "dense layer with layer normalisation, 64 x 128",
        by_hand.layer_norm,
        layer_norm,
        made(x=(64, 128), w=(128, 128), gain=(128,), shift=(128,)),
    ),
    "W14": (
        "gradient penalty, 32 x (20 -> 64 -> 1)",
        by_hand.gradient_penalty,
        gradient_penalty,
        made(x=(32, 20), a=(20, 64), b=(64, 1)),
    ),
}
