"""Rules that a sweep over arrays calls with forwards in place of ops."""

import numpy as np
import pytest

import minitape as tf
from minitape.op import primitive, registry
from minitape.ops.elementwise.trigonometry import cos
from minitape.tensor import Array, Tensor

factor = 1.0


@pytest.fixture
def sine():
    @primitive()
    def sine_of_a_test(x: Array) -> Array:
        return np.sin(x)

    @sine_of_a_test.vjp("x")
    def _(g: Tensor, x: Tensor) -> Tensor:
        return g * cos(x) * factor

    yield sine_of_a_test.public
    del registry["sine_of_a_test"]


def gradient(function, value):
    x = tf.Variable(value)
    with tf.GradientTape() as tape:
        y = function(x)
    return tape.gradient(y, [x])[0].numpy()


def test_a_rule_of_the_user_sees_what_its_names_stand_for_now(sine, monkeypatch):
    np.testing.assert_allclose(gradient(sine, 0.5), np.cos(0.5), rtol=1e-6)
    monkeypatch.setitem(globals(), "factor", 3.0)
    np.testing.assert_allclose(gradient(sine, 0.5), 3 * np.cos(0.5), rtol=1e-6)


def test_a_sparse_cotangent_goes_through_a_rule_that_calls_ops():
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    found = gradient(lambda x: tf.gather(tf.tanh(x @ [[1.0, 0.0], [0.0, 2.0]]), [2, 2]), table)
    expected = np.zeros((3, 2))
    expected[2] = 2 / np.cosh([5.0, 12.0]) ** 2 * [1, 2]
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-7)


def test_the_mean_of_many_numbers_is_as_exact_as_numpys():
    x = np.random.default_rng(0).normal(1e3, 1.0, (50, 80)).astype(np.float32)
    np.testing.assert_allclose(tf.reduce_mean(x).numpy(), x.mean(dtype=np.float64), rtol=1e-6)
    np.testing.assert_allclose(tf.reduce_sum(x.T).numpy(), x.sum(dtype=np.float64), rtol=1e-6)


def test_a_gradient_by_a_list_with_something_else_than_variables_names_it():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
    with pytest.raises(TypeError, match=r"source must be a tf\.Tensor or tf\.Variable; got 3\.0"):
        tape.gradient(y, [x, 3.0])
    assert float(tape.gradient(y, [x])[0]) == 4.0
