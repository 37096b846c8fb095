"""The workloads: their data, and the same programs on a tape; W11 and later are in `blocks`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import by_hand
import numpy as np
from blocks_of_pages import BLOCKS

import minitape as tf

Data = dict[str, Any]


class Workload(NamedTuple):
    """What is measured: the same numbers by hand and by tape."""

    name: str
    hand: Callable[[Data], list[Any]]
    tape: Callable[[Data], Callable[[], list[Any]]]
    data: Callable[[np.random.Generator], Data]


def f32(x: Any) -> Any:
    return np.asarray(x, np.float32)


def layer(rng: np.random.Generator, n: int, m: int) -> list[Any]:
    return [f32(rng.normal(size=(n, m)) / np.sqrt(n)), f32(rng.normal(size=m) * 0.1)]


def scalar_chain(d: Data) -> Callable[[], list[Any]]:
    x, rounds = tf.constant(d["x"]), d["n"] // 3

    def run() -> list[Any]:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in range(rounds):
                y = y * x
                y = y + x
                y = tf.sin(y)
        return [tape.gradient(y, x)]

    return run


def tiny_model(d: Data) -> Callable[[], list[Any]]:
    x, w, b = tf.constant(d["x"]), tf.Variable(d["w"]), tf.Variable(d["b"])

    def run() -> list[Any]:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ w + b) ** 2)
        return [loss, *tape.gradient(loss, [w, b])]

    return run


def trained(d: Data, model: Callable[[Any, list[Any]], Any]) -> Callable[[], list[Any]]:
    """A step of gradient descent of `model` on cross entropy."""
    x, labels = tf.constant(d["x"]), tf.constant(d["labels"])
    params = [tf.Variable(p) for p in d["params"]]

    def run() -> list[Any]:
        with tf.GradientTape() as tape:
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, model(x, params))
            loss = tf.reduce_mean(losses)
        grads = tape.gradient(loss, params)
        for p, g in zip(params, grads, strict=True):
            p.assign_sub(by_hand.RATE * g)
        return [loss, *grads]

    return run


def mlp(d: Data) -> Callable[[], list[Any]]:
    def model(x: Any, params: list[Any]) -> Any:
        w1, b1, w2, b2, w3, b3 = params
        h = tf.nn.relu(x @ w1 + b1)
        return tf.nn.relu(h @ w2 + b2) @ w3 + b3

    return trained(d, model)


def conv_net(d: Data) -> Callable[[], list[Any]]:
    def model(x: Any, params: list[Any]) -> Any:
        k1, c1, k2, c2, w, b = params
        h = tf.nn.relu(tf.nn.conv2d(x, k1, 1, "SAME") + c1)
        h = tf.nn.relu(tf.nn.conv2d(h, k2, 1, "SAME") + c2)
        h = tf.nn.max_pool2d(h, 2, 2, "VALID")
        return tf.reshape(h, [h.shape[0], -1]) @ w + b

    return trained(d, model)


def elementwise(d: Data) -> Callable[[], list[Any]]:
    x = tf.constant(d["x"])

    def run() -> list[Any]:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.sin(x) * tf.exp(-x * x) + tf.tanh(x))
        return [y, tape.gradient(y, x)]

    return run


def jacobian(d: Data) -> Callable[[], list[Any]]:
    x, a, b = (tf.constant(d[k]) for k in "xab")

    def run() -> list[Any]:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.tanh(tf.linalg.matvec(b, tf.tanh(tf.linalg.matvec(a, x))))
        return [tape.jacobian(y, x)]

    return run


def batch_jacobian(d: Data) -> Callable[[], list[Any]]:
    x, a, b = (tf.constant(d[k]) for k in "xab")

    def run() -> list[Any]:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.tanh(tf.tanh(x @ a) @ b)
        return [tape.batch_jacobian(y, x)]

    return run


def hessian(d: Data) -> Callable[[], list[Any]]:
    x, a, b = tf.constant(d["x"]), tf.Variable(d["a"]), tf.constant(d["b"])

    def run() -> list[Any]:
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                loss = tf.reduce_mean((tf.tanh(x @ a) @ b) ** 2)
            g = inner.gradient(loss, a)
        return [outer.jacobian(g, a)]

    return run


def normal(rng: np.random.Generator, *shape: int, scale: float = 1.0) -> Any:
    return f32(rng.normal(size=shape) * scale)


def images(rng: np.random.Generator) -> Data:
    k1, c1 = layer(rng, 9, 8)
    k2, c2 = layer(rng, 72, 16)
    params = [
        k1.reshape(3, 3, 1, 8),
        c1,
        k2.reshape(3, 3, 8, 16),
        c2,
        *layer(rng, 14 * 14 * 16, 10),
    ]
    return {"x": normal(rng, 16, 28, 28, 1), "labels": rng.integers(0, 10, 16), "params": params}


WORKLOADS = {
    "W1": Workload(
        "scalar chain of 999 ops",
        by_hand.scalar_chain,
        scalar_chain,
        lambda rng: {"x": np.float32(0.7), "n": 999},
    ),
    "W2": Workload(
        "the guide's model: mean square of x w + b",
        by_hand.tiny_model,
        tiny_model,
        lambda rng: {"x": f32([[1, 2, 3]]), "w": normal(rng, 3, 2), "b": f32([0.1, -0.2])},
    ),
    "W3": Workload(
        "training step, 784-256-128-10, batch of 64",
        by_hand.mlp,
        mlp,
        lambda rng: {
            "x": normal(rng, 64, 784),
            "labels": rng.integers(0, 10, 64),
            "params": [*layer(rng, 784, 256), *layer(rng, 256, 128), *layer(rng, 128, 10)],
        },
    ),
    "W4": Workload(
        "elementwise on a million elements",
        by_hand.elementwise,
        elementwise,
        lambda rng: {"x": normal(rng, 1_000_000)},
    ),
    "W5": Workload(
        "jacobian 256 -> 256",
        by_hand.jacobian,
        jacobian,
        lambda rng: {
            "x": normal(rng, 256),
            "a": normal(rng, 256, 256, scale=1 / 16),
            "b": normal(rng, 256, 256, scale=1 / 16),
        },
    ),
    "W6": Workload(
        "batch jacobian, 128 times 32 -> 32",
        by_hand.batch_jacobian,
        batch_jacobian,
        lambda rng: {
            "x": normal(rng, 128, 32),
            "a": normal(rng, 32, 32, scale=1 / 5),
            "b": normal(rng, 32, 32, scale=1 / 5),
        },
    ),
    "W7": Workload(
        "Hessian by a 20 x 10 matrix",
        by_hand.hessian,
        hessian,
        lambda rng: {
            "x": normal(rng, 32, 20),
            "a": normal(rng, 20, 10, scale=1 / 4),
            "b": normal(rng, 10, 5, scale=1 / 3),
        },
    ),
    "W8": Workload(
        "scalar chain of 99,999 ops",
        by_hand.scalar_chain,
        scalar_chain,
        lambda rng: {"x": np.float32(0.7), "n": 99_999},
    ),
    "W10": Workload("training step of a convolutional net", by_hand.conv_net, conv_net, images),
    **{key: Workload(*block) for key, block in BLOCKS.items()},
}
