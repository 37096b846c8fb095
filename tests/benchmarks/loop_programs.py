"""Whole trainings as one `tf.while_loop` in a `tf.function`, for both libraries."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

RATE = 0.1
SIMULATED = 100  # steps
EXAMPLES, FEATURES, UNITS = 64, 8, 16


def f32(x: Any) -> Any:
    return np.asarray(x, np.float32)


def data() -> tuple[Any, Any, list[Any]]:
    """Examples, targets and the weights of a net 8-16-1."""
    rng = np.random.default_rng(0)
    x = f32(rng.normal(size=(EXAMPLES, FEATURES)))
    shapes = ((FEATURES, UNITS), (UNITS,), (UNITS, 1), (1,))
    return x, f32(np.sin(x.sum(1, keepdims=True))), [f32(0.3 * rng.normal(size=s)) for s in shapes]


def by_hand(steps: int) -> float:
    """The loss of the net's last step of gradient descent."""
    x, y, (w1, b1, w2, b2) = data()
    loss = 0.0
    for _ in range(steps):
        h = np.tanh(x @ w1 + b1)
        error = h @ w2 + b2 - y
        loss = float(np.mean(error**2))
        g = 2 / EXAMPLES * error
        inner = g @ w2.T * (1 - h * h)
        w2, b2 = w2 - RATE * h.T @ g, b2 - RATE * g.sum(0)
        w1, b1 = w1 - RATE * x.T @ inner, b1 - RATE * inner.sum(0)
    return loss


def training(tf: Any, step: Callable[..., Any], *given: Any) -> Callable[[int], float]:
    """Runs `step` as often as it is asked to, in one function; gives the last loss.

    The step takes the tensors that are `given`, of which the function knows no number of examples.
    """
    open_sizes = [tf.TensorSpec([None, *x.shape[1:]], x.dtype) for x in given]

    @tf.function(input_signature=[tf.TensorSpec([], tf.int32), *open_sizes])
    def run(n: Any, *tensors: Any) -> Any:
        return tf.while_loop(
            lambda i, loss: i < n,
            lambda i, loss: (i + 1, step(*tensors)),
            [0, tf.constant(0.0)],
        )[1]

    return lambda steps: float(run(tf.constant(steps), *given))


def trained(
    tf: Any, start: Any, loss_of: Any, *given: Any, update: Any = None
) -> Callable[[int], float]:
    """A training of the weights `start`."""
    weights = [tf.Variable(w) for w in start]
    update = descent if update is None else update(weights)

    def step(*tensors: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = loss_of(*tensors, *weights)
        update(zip(tape.gradient(loss, weights), weights, strict=True))
        return loss

    return training(tf, step, *given)


def model(tf: Any, start: Any, predict: Any, update: Any = None) -> Callable[[int], float]:
    """A model with the weights `start`, trained on squared errors."""
    x, y = map(tf.constant, data()[:2])

    def loss_of(*weights: Any) -> Any:
        return tf.reduce_mean((predict(x, *weights) - y) ** 2)

    return trained(tf, start, loss_of, update=update)


def descent(pairs: Any) -> None:
    for g, w in pairs:
        w.assign_sub(RATE * g)


def net(tf: Any, activation: Any, update: Any = None) -> Callable[[int], float]:
    def predict(x: Any, w1: Any, b1: Any, w2: Any, b2: Any) -> Any:
        return activation(x @ w1 + b1) @ w2 + b2

    return model(tf, data()[2], predict, update)


def net_by_adam(tf: Any) -> Callable[[int], float]:
    adam = tf.keras.optimizers.Adam(0.01)

    def update(weights: Any) -> Any:
        adam.build(weights)  # in a loop no variable can be made
        return adam.apply_gradients

    return net(tf, tf.tanh, update)


def linear(tf: Any) -> Callable[[int], float]:
    return model(tf, [f32(np.zeros((FEATURES, 1))), f32([0.0])], lambda x, w, b: x @ w + b)


def net_of_any_size(tf: Any) -> Callable[[int], float]:
    """The net, in a function that is not told how many examples there are."""
    x, y, start = data()

    def loss_of(x: Any, y: Any, w1: Any, b1: Any, w2: Any, b2: Any) -> Any:
        return tf.reduce_mean((tf.tanh(x @ w1 + b1) @ w2 + b2 - y) ** 2)

    return trained(tf, start, loss_of, tf.constant(x), tf.constant(y))


def classifier(tf: Any) -> Callable[[int], float]:
    """A net 64-32-10 on 32 examples, with relu and cross entropies."""
    rng = np.random.default_rng(0)
    x, labels = tf.constant(f32(rng.normal(size=(32, 64)))), tf.constant(rng.integers(0, 10, 32))
    start = [f32(0.2 * rng.normal(size=s)) for s in ((64, 32), (32,), (32, 10), (10,))]

    def loss_of(w1: Any, b1: Any, w2: Any, b2: Any) -> Any:
        logits = tf.nn.relu(x @ w1 + b1) @ w2 + b2
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))

    return trained(tf, start, loss_of)


def net_in_batches(tf: Any) -> Callable[[int], float]:
    """The net on batches of 32 that are cut out of 1000 examples; the last one has 8."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1000, FEATURES))
    x, y = (tf.constant(f32(each)) for each in (x, np.sin(x.sum(1, keepdims=True))))
    weights = w1, b1, w2, b2 = [tf.Variable(w) for w in data()[2]]

    def body(i: Any, loss: Any) -> Any:
        start = 32 * (i % 32)
        with tf.GradientTape() as tape:
            out = tf.tanh(x[start : start + 32] @ w1 + b1) @ w2 + b2
            loss = tf.reduce_mean((out - y[start : start + 32]) ** 2)
        descent(zip(tape.gradient(loss, weights), weights, strict=True))
        return i + 1, loss

    @tf.function
    def run(n: Any) -> Any:
        return tf.while_loop(lambda i, loss: i < n, body, [0, tf.constant(0.0)])[1]

    return lambda steps: float(run(tf.constant(steps)))


def recurrent(tf: Any) -> Callable[[int], float]:
    """A recurrent network of 8 units over 20 steps, which are a `tf.while_loop` too."""
    rng = np.random.default_rng(0)
    x, y = (tf.constant(f32(rng.normal(size=s))) for s in ((20, 16, 4), (16, 1)))
    start = [f32(0.3 * rng.normal(size=s)) for s in ((4, 8), (8, 8), (8,), (8, 1))]

    def loss_of(w: Any, u: Any, b: Any, v: Any) -> Any:
        def body(t: Any, h: Any) -> Any:
            return t + 1, tf.tanh(x[t] @ w + h @ u + b)

        h = tf.while_loop(lambda t, h: t < 20, body, [tf.constant(0), tf.zeros((16, 8))])[1]
        return tf.reduce_mean((h @ v - y) ** 2)

    return trained(tf, start, loss_of)


PROGRAMS: dict[str, Callable[[Any], Callable[[int], float]]] = {
    "net": lambda tf: net(tf, tf.tanh),
    "net-relu": lambda tf: net(tf, tf.nn.relu),
    "net-adam": net_by_adam,
    "net-of-any-size": net_of_any_size,
    "net-in-batches": net_in_batches,
    "linear": linear,
    "classifier": classifier,
    "recurrent": recurrent,
}


def simulation(tf: Any, loop: Callable[..., Any]) -> Callable[[], Any]:
    """The slope of where a swing is after some steps, by where it started."""

    def run() -> Any:
        x = tf.constant(1.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            end = loop(tf, tf.constant(0), x, tf.constant(0.0))
        return tape.gradient(end[1], x)

    return run


def swung(tf: Any, i: Any, x: Any, v: Any) -> Any:
    v = v - 0.01 * tf.sin(x)
    return i + 1, x + 0.01 * v, v


def on_a_tape(tf: Any, i: Any, x: Any, v: Any) -> Any:
    step = partial(swung, tf)
    while i < SIMULATED:
        i, x, v = step(i, x, v)
    return i, x, v


def while_loop(tf: Any, *values: Any) -> Any:
    return tf.while_loop(lambda i, x, v: i < SIMULATED, partial(swung, tf), values)


def simulations(tf: Any) -> dict[str, Callable[[], Any]]:
    """The simulation as a loop of Python's on a tape, and in three ways as a `tf.while_loop`."""
    traced = tf.function(lambda *values: while_loop(tf, *values))
    return {
        "on a tape": simulation(tf, on_a_tape),
        "while_loop": simulation(tf, while_loop),
        "in a function": simulation(tf, lambda tf, *values: traced(*values)),
        "tape in it as well": tf.function(simulation(tf, while_loop)),
    }
