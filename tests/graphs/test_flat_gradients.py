"""Gradients of loops and branches that a graph runs on arrays: the numbers of NumPy's own loop."""

from __future__ import annotations

import numpy as np
import pytest

import minitape as tf
from minitape.op import primitive, registry
from minitape.tensor import Array, Tensor

RNG = np.random.default_rng(0)
ROUNDS = 5
X, H = RNG.normal(size=(ROUNDS, 4, 2)), RNG.normal(size=(4, 3))
W, U, B = 0.5 * RNG.normal(size=(2, 3)), 0.5 * RNG.normal(size=(3, 3)), RNG.normal(size=3)


def differences(function, values):
    """The slopes of a function of NumPy arrays, by central differences."""
    found = []
    for i, value in enumerate(values):
        slope = np.zeros_like(value)
        for place in np.ndindex(value.shape):
            moved = [x.copy() for x in values]
            moved[i][place] += 1e-6
            above = function(*moved)
            moved[i][place] -= 2e-6
            slope[place] = (above - function(*moved)) / 2e-6
        found.append(slope)
    return found


def gradients(function, values):
    """The slopes of a function of tensors, with loop and tape in one `tf.function`."""

    @tf.function
    def run(*xs):
        with tf.GradientTape() as tape:
            tape.watch(xs)
            y = function(*xs)
        return tape.gradient(y, xs)

    given = [tf.constant(value) for value in values]
    run(*given)
    return run(*given)


def agree(function, numpys, values):
    for found, expected in zip(
        gradients(function, values), differences(numpys, values), strict=True
    ):
        np.testing.assert_allclose(tf.convert_to_tensor(found), expected, rtol=1e-5, atol=1e-7)


def recurrent(tf_x):
    """A recurrent network over the rows that `tf_x` gives for a round."""

    def loss(x, h, w, u, b):
        def body(t, h):
            return (t + 1, tf.tanh(tf_x(x, t) @ w + h @ u + b))

        _, h = tf.while_loop(lambda t, h: t < ROUNDS, body, [tf.constant(0), h])
        return tf.reduce_sum(h * h)

    return loss


def recurrent_of_numpy(x, h, w, u, b):
    for t in range(ROUNDS):
        h = np.tanh(x[t] @ w + h @ u + b)
    return (h * h).sum()


@pytest.mark.parametrize("row", [lambda x, t: x[t], tf.gather], ids=["x[t]", "gather"])
def test_a_recurrent_network(row):
    agree(recurrent(row), recurrent_of_numpy, [X, H, W, U, B])


def test_a_loop_of_no_rounds_passes_its_cotangent_on():
    def loss(h, w):
        _, h = tf.while_loop(lambda t, h: t < 0, lambda t, h: (t + 1, h * w), [tf.constant(0), h])
        return tf.reduce_sum(h * h)

    of_h, of_w = gradients(loss, [B, np.float64(2)])
    np.testing.assert_allclose(of_h, 2 * B)
    assert of_w.numpy() == 0.0


def test_a_variable_that_nothing_after_the_loop_depends_on_gets_zeros():
    def loss(h, w):
        def body(t, h, k):
            return (t + 1, h * w, k * h)

        return tf.while_loop(lambda t, h, k: t < 3, body, [tf.constant(0), h, h])[1]

    of_h, of_w = gradients(loss, [1.5, 2.0])
    assert of_h.numpy() == pytest.approx(8.0)
    assert of_w.numpy() == pytest.approx(1.5 * 3 * 4)


def test_branches_in_a_loop():
    def loss(h, w, b):
        def body(t, h):
            return t + 1, tf.cond(t % 2 == 0, lambda: tf.sin(h @ w), lambda: h * b)

        _, h = tf.while_loop(lambda t, h: t < ROUNDS, body, [tf.constant(0), h])
        return tf.reduce_sum(h * h)

    def of_numpy(h, w, b):
        for t in range(ROUNDS):
            h = h * b if t % 2 else np.sin(h @ w)
        return (h * h).sum()

    agree(loss, of_numpy, [H, U, B])


@pytest.mark.parametrize("which", [True, False])
def test_a_branch_alone(which):
    agree(
        lambda x, y: tf.cond(
            x[0] < (9.0 if which else -9.0), lambda: tf.reduce_sum(x * y), lambda: tf.sin(x[1])
        ),
        lambda x, y: (x * y).sum() if which else np.sin(x[1]),
        [B, B + 1],
    )


def test_a_loop_in_a_loop():
    def loss(h, w):
        def body(t, h):
            def inner(s, h):
                return (s + 1, tf.sin(h) * w)

            return t + 1, tf.while_loop(lambda s, h: s < 2, inner, [tf.constant(0), h])[1]

        return tf.while_loop(lambda t, h: t < 3, body, [tf.constant(0), h])[1]

    def of_numpy(h, w):
        for _ in range(6):
            h = np.sin(h) * w
        return h

    agree(loss, of_numpy, [np.array(0.7), np.array(1.3)])


def test_the_second_derivative_of_a_loop():
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)

            def body(t, y):
                return (t + 1, y * x)

            y = tf.while_loop(lambda t, y: t < 3, body, [tf.constant(0), tf.ones_like(x)])[1]
        return tape.gradient(y, x)

    (found,) = gradients(slope, [2.0])
    assert found.numpy() == pytest.approx(6 * 2.0)


def test_a_rule_that_needs_values_still_has_them():
    @tf.custom_gradient
    def doubled(x):
        return 2.0 * x, lambda g: tf.constant(2.0 * g.numpy(), tf.float64)

    def loss(x):
        return tf.while_loop(lambda t, y: t < 3, lambda t, y: (t + 1, doubled(y)), [0, x])[1]

    (found,) = gradients(loss, [1.0])
    assert found.numpy() == 8.0


def test_a_loop_of_which_only_the_gradient_is_asked_runs_each_round_once():
    ran = []

    @primitive()
    def counted_square(x: Array) -> Array:
        ran.append(x)
        return x * x

    @counted_square.vjp("x")
    def _(g: Tensor, x: Tensor) -> Tensor:
        return g * (2.0 * x)

    @tf.function
    def run(x):
        with tf.GradientTape() as tape:
            tape.watch(x)

            def body(t, y):
                return (t + 1, counted_square.public(y))

            y = tf.while_loop(lambda t, y: t < 3, body, [tf.constant(0), x])[1]
        return tape.gradient(y, x)

    x = tf.constant(1.1)
    run(x)
    ran.clear()
    assert run(x).numpy() == pytest.approx(8 * 1.1**7, rel=1e-5)
    assert len(ran) == 3
    del registry["counted_square"]


def test_a_recurrent_network_on_batches_of_any_size():
    loss = recurrent(lambda x, t: x[t])

    @tf.function(input_signature=[tf.TensorSpec([ROUNDS, None, 2], tf.float64)])
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = loss(x, tf.zeros((tf.shape(x)[1], 3), tf.float64), W, U, B)
        return tape.gradient(y, x)

    for _ in range(12):  # more than sizes have to come before they have a graph of their own
        for size in (4, 2):
            found = slope(X[:, :size])
    numpys = differences(lambda x: recurrent_of_numpy(x, np.zeros((2, 3)), W, U, B), [X[:, :2]])
    np.testing.assert_allclose(found, numpys[0], rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(slope(X)[:, :2], found, rtol=1e-10)
