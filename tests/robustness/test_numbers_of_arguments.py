"""Numbers that depend on an argument, where only its presence had been tried."""

from __future__ import annotations

import numpy as np
import pytest

import minitape as tf

L = tf.keras.layers


def gradients(function, *sources):
    with tf.GradientTape() as tape:
        for each in sources:
            tape.watch(each)
        out = function(*sources)
    return out.numpy(), [g.numpy() for g in tape.gradient(out, list(sources))]


def test_prelu_passes_what_is_positive_and_multiplies_the_rest_by_alpha():
    for alpha, expected in ((0.0, [1.0, 0.0]), (0.25, [1.0, -0.5])):
        layer = L.PReLU(alpha_initializer=tf.keras.initializers.Constant(alpha))
        layer.build((None, 2))
        x = tf.constant([[1.0, -2.0]])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = layer(x)
        by_x, by_alpha = tape.gradient(y, [x, layer.alpha])
        assert y.numpy().tolist() == [expected]
        assert by_x.numpy().tolist() == [[1.0, alpha]]
        assert by_alpha.numpy().tolist() == [0.0, -2.0]


# What a layer makes of x, and the derivative of the sum of that.
X = np.array([[3.0, -1.0, 0.5, -4.0]], np.float32)
E = np.exp(X - X.max())
TAKEN = {
    "relu with all": (
        lambda: L.ReLU(max_value=2.0, negative_slope=0.5, threshold=1.0),
        np.where(X >= 2, 2, np.where(X >= 1, X, 0.5 * (X - 1))),
        np.where(X >= 2, 0, np.where(X >= 1, 1, 0.5)),
    ),
    "leaky": (
        lambda: L.LeakyReLU(negative_slope=0.2),
        np.where(X > 0, X, 0.2 * X),
        np.where(X > 0, 1, 0.2),
    ),
    "softmax": (lambda: L.Softmax(), E / E.sum(), 0 * X),
    "activation": (lambda: L.Activation("tanh"), np.tanh(X), 1 - np.tanh(X) ** 2),
    "rescaling": (lambda: L.Rescaling(0.5, offset=3.0), 0.5 * X + 3, 0 * X + 0.5),
    "identity": (lambda: L.Identity(), X, 0 * X + 1),
    "flatten": (lambda: L.Flatten(), X, 0 * X + 1),
    "reshape": (lambda: L.Reshape((2, 2)), X.reshape(1, 2, 2), 0 * X + 1),
    "repeat": (lambda: L.RepeatVector(3), np.repeat(X[:, None], 3, 1), 0 * X + 3),
    "dropout at rest": (lambda: L.Dropout(0.5), X, 0 * X + 1),
    "noise at rest": (lambda: L.GaussianNoise(0.5), X, 0 * X + 1),
}


@pytest.mark.parametrize("name", TAKEN)
def test_a_layer_computes_what_its_arguments_say(name):
    make, expected, slope = TAKEN[name]
    out, (by_x,) = gradients(make(), tf.constant(X))
    np.testing.assert_allclose(out, expected, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(by_x, slope, rtol=1e-5, atol=1e-6)


def test_silu_with_beta_and_its_gradients():
    x, beta = np.array([-1.5, 0.3, 2.0]), 2.0
    s = 1 / (1 + np.exp(-beta * x))
    for given in (2.0, 2, tf.constant(2.0, tf.float64), np.float64(2.0)):
        out, (by_x,) = gradients(lambda t, b=given: tf.nn.silu(t, beta=b), tf.constant(x))
        np.testing.assert_allclose(out, x * s, rtol=1e-12)
        np.testing.assert_allclose(by_x, s + beta * x * s * (1 - s), rtol=1e-12)
    _, (by_beta,) = gradients(lambda b: tf.nn.silu(tf.constant(x), b), tf.constant(2.0, tf.float64))
    np.testing.assert_allclose(by_beta, np.sum(x * x * s * (1 - s)), rtol=1e-12)


def test_the_gradient_of_padding_in_a_band_of_diagonals_is_0():
    n = 3
    for align in ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT"):
        for k in ((-1, 0), (0, 1), (-1, 1), (-2, 1)):
            lines = k[1] - k[0] + 1
            start = np.random.default_rng(1).normal(size=(lines, n))
            weights = np.arange(1.0, n * n + 1).reshape(n, n)

            def loss(d, k=k, align=align, weights=weights):
                matrix = tf.linalg.set_diag(tf.zeros([n, n], tf.float64), d, k=k, align=align)
                return tf.reduce_sum(matrix * weights)

            _, (by_diagonals,) = gradients(loss, tf.constant(start))
            slopes = np.zeros_like(start)  # linear, so a difference is the derivative
            for place in np.ndindex(*start.shape):
                moved = start.copy()
                moved[place] += 1.0
                slopes[place] = float(loss(tf.constant(moved))) - float(loss(tf.constant(start)))
            np.testing.assert_allclose(by_diagonals, slopes, atol=1e-9)
            assert (slopes == 0).sum() == sum(abs(d) for d in range(k[0], k[1] + 1))


def test_output_gradients_may_be_arrays_of_another_dtype_and_variables():
    weights = [0.5, -2.0]
    given = [
        np.array(weights), np.array(weights, np.float32), tf.constant(weights),
        tf.Variable(weights), tf.Variable(weights).value(),
    ]  # fmt: skip
    for weight in given:
        x = tf.constant([3.0, 4.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        found = tape.gradient(y, x, output_gradients=weight)
        assert found.dtype == tf.float32
        assert found.numpy().tolist() == [3.0, -16.0]
