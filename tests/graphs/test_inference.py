"""Shapes of large results are found without computing them; those written here are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import minitape as tf
from minitape.ops.linalg.matrix import matmul
from minitape.ops.neural.convolution import convolution

layers = tf.keras.layers


def refuse(*arguments):
    raise AssertionError("a forward ran where a shape was asked for")


@pytest.fixture
def _shapes_alone(monkeypatch):
    for op in (convolution.op, matmul.op):
        monkeypatch.setattr(op, "forward", refuse)


@pytest.mark.usefixtures("_shapes_alone")
def test_a_deep_network_of_convolutions_is_built_without_computing_one():
    model = tf.keras.Sequential(
        [
            tf.keras.Input((224, 224, 3)),
            layers.Conv2D(64, 7, strides=2, padding="same", activation="relu"),
            layers.MaxPooling2D(3, 2),
            layers.Conv2D(128, 3, dilation_rate=2),
            layers.AveragePooling2D(2, padding="same"),
            layers.Conv2DTranspose(32, 3, strides=2),
            layers.Flatten(),
            layers.Dense(7),
        ]
    )
    shapes = [layer.output.shape for layer in model.layers]
    sizes = [(112, 64), (55, 64), (51, 128), (26, 128), (53, 32)]
    assert shapes[:5] == [(None, n, n, channels) for n, channels in sizes]
    assert shapes[5:] == [(None, 89888), (None, 7)]


@pytest.mark.usefixtures("_shapes_alone")
def test_gradients_of_a_convolution_have_the_shapes_of_its_inputs_in_a_graph():
    @tf.function
    def gradients(x, kernel):
        with tf.GradientTape() as tape:
            tape.watch([x, kernel])
            y = tf.nn.conv2d(x, kernel, [1, 2, 2, 1], "SAME")
        return tape.gradient(y, [x, kernel])

    specs = tf.TensorSpec([8, 9, 9, 3]), tf.TensorSpec([3, 3, 3, 5])
    found = gradients.get_concrete_function(*specs).structured_outputs
    assert [x.shape.as_list() for x in found] == [[8, 9, 9, 3], [3, 3, 3, 5]]


@pytest.mark.parametrize("dtype", ["float16", "float64", "int32"])
def test_large_elementwise_results_have_the_shape_and_dtype_that_numpy_gives(dtype):
    @tf.function
    def total(x, y):
        return x + y

    a, b = np.ones((300, 1, 70), dtype), np.ones((40, 1), dtype)
    found = total.get_concrete_function(
        tf.TensorSpec(a.shape, dtype), tf.TensorSpec(b.shape, dtype)
    )
    assert found.structured_outputs.shape == (a + b).shape
    assert found.structured_outputs.dtype.name == (a + b).dtype.name


def test_large_shapes_that_do_not_fit_raise_while_tracing():
    @tf.function
    def total(x, y):
        return x + y

    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
        total(tf.zeros([300, 200]), tf.zeros([300, 201]))
