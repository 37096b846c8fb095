"""Convolutions of groups of channels: filters with fewer input channels than the input has."""

import numpy as np
import pytest

import minitape as tf
from op_samples import neural_images as slow


def numbers(*shape):
    return np.sin(np.arange(np.prod(shape)) * 1.7 + 0.3).reshape(shape)


X, K = numbers(2, 4, 3, 6), numbers(2, 2, 2, 9)  # three groups of two channels, three outputs each


def one_by_one(x, k, groups, strides=(1, 1)):
    """Each group by itself, with the loops over cells of the samples."""
    given, made = x.shape[-1] // groups, k.shape[-1] // groups
    geometry = strides, ((0, 0), (0, 0)), (1, 1)
    parts = [
        slow.convolution(
            x[..., i * given : (i + 1) * given], k[..., i * made : (i + 1) * made], *geometry
        )
        for i in range(groups)
    ]
    return np.concatenate(parts, -1)


@pytest.mark.parametrize("strides", [1, 2])
def test_each_group_is_convolved_by_itself(strides):
    got = tf.nn.conv2d(X, K, strides, "VALID").numpy()
    np.testing.assert_allclose(got, one_by_one(X, K, 3, (strides, strides)), atol=1e-12)


def test_as_many_groups_as_channels_is_a_depthwise_convolution():
    k = numbers(2, 2, 1, 12)
    got = tf.nn.conv2d(X, k, 1, "VALID").numpy()
    np.testing.assert_allclose(got, one_by_one(X, k, 6), atol=1e-12)
    deep = tf.nn.depthwise_conv2d(X, k.reshape(2, 2, 6, 2), [1, 1, 1, 1], "VALID")
    np.testing.assert_allclose(got, deep.numpy(), atol=1e-12)


def test_the_gradients_of_groups_are_finite_differences():
    x, k, weight = tf.Variable(X), tf.Variable(K), numbers(2, 3, 2, 9)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.nn.conv2d(x, k, 1, "VALID") * weight)
    for v, got, change in zip((0, 1), tape.gradient(y, [x, k]), (X, K), strict=True):
        found, step = np.zeros(change.shape), 1e-6
        for place in np.ndindex(*change.shape):
            ends = []
            for sign in (1, -1):
                moved = [X.copy(), K.copy()]
                moved[v][place] += sign * step
                ends.append((one_by_one(*moved, 3) * weight).sum())
            found[place] = (ends[0] - ends[1]) / (2 * step)
        np.testing.assert_allclose(got.numpy(), found, atol=1e-7)


def test_groups_have_second_derivatives_and_tangents():
    x = tf.constant(X)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(tf.nn.conv2d(x, K, 1, "VALID") ** 2)
        first = inner.gradient(y, x)
        along = tf.reduce_sum(first * X)
    second = outer.gradient(along, x)
    np.testing.assert_allclose(second.numpy(), first.numpy(), atol=1e-10)  # y is a square
    with tf.autodiff.ForwardAccumulator(x, x) as accumulator:
        y = tf.nn.conv2d(x, K, 1, "VALID")
    np.testing.assert_allclose(accumulator.jvp(y).numpy(), y.numpy(), atol=1e-12)  # it is linear


def test_groups_in_a_map_are_those_one_after_the_other():
    stack = np.stack([X, 2 * X, X - 1])
    kernels = np.stack([K, K + 1, -K])
    got = tf.vectorized_map(lambda x: tf.nn.conv2d(x, K, 1, "SAME"), stack)
    both = tf.vectorized_map(lambda p: tf.nn.conv2d(p[0], p[1], 1, "VALID"), (stack, kernels))
    for i in range(3):
        np.testing.assert_allclose(got[i], tf.nn.conv2d(stack[i], K, 1, "SAME"), atol=1e-12)
        np.testing.assert_allclose(both[i], one_by_one(stack[i], kernels[i], 3), atol=1e-12)


def test_sequences_have_groups_too():
    x, k = X[:, 0], K[0]
    got = tf.nn.conv1d(x, k, 1, "VALID").numpy()
    np.testing.assert_allclose(got, one_by_one(x[:, None], k[None], 3)[:, 0], atol=1e-12)


def test_a_layer_with_groups_gives_the_numbers_of_tensorflow():
    x = tf.constant(numbers(1, 3, 3, 4), tf.float32)
    layer = tf.keras.layers.Conv2D(4, 2, groups=2)
    layer(x)
    layer.set_weights([numbers(*w.shape) * 0.5 for w in layer.get_weights()])
    assert tuple(layer.kernel.shape) == (2, 2, 2, 4)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = layer(x)
        loss = tf.reduce_sum(y**3)
    by_input, by_kernel, by_bias = tape.gradient(loss, [x, layer.kernel, layer.bias])
    recorded = {
        "y": (y, [1.63386, 0.5142, 1.29699, -0.32435, 1.45029, 1.29329, 1.10962, 0.41649]),
        "input": (by_input, [1.54397, 3.15096, -1.45885, -2.27623, 7.14861, 7.45844, -3.67865]),
        "kernel": (by_kernel, [7.69585, 22.98461, -7.44513, -5.16005, 10.22306, -9.34303]),
        "bias": (by_bias, [15.31698, 28.40231, 11.73676, 7.19012]),
    }
    for found, expected in recorded.values():
        np.testing.assert_allclose(found.numpy().ravel()[: len(expected)], expected, rtol=1e-4)


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (
            lambda: tf.nn.conv2d(X, numbers(2, 2, 2, 8), 1, "VALID"),
            tf.errors.InvalidArgumentError,
            "output depth must be evenly divisible by number of groups: 8 vs 3",
        ),
        (
            lambda: tf.nn.conv2d(X, numbers(2, 2, 4, 8), 1, "VALID"),
            tf.errors.InvalidArgumentError,
            "input depth must be evenly divisible by filter depth",
        ),
        (
            lambda: tf.nn.conv2d(X, np.ones([2, 2, 0, 8]), 1, "VALID"),
            tf.errors.InvalidArgumentError,
            "so 6 channels",
        ),
        (lambda: tf.keras.layers.Conv2D(5, 2, groups=2), ValueError, "number of filters must be"),
        (lambda: tf.keras.layers.Conv2D(4, 2, groups=0), ValueError, "positive integer"),
        (lambda: tf.keras.layers.Conv1D(4, 2, groups="a"), ValueError, "positive integer"),
        (
            lambda: tf.keras.layers.Conv2D(4, 2, groups=4)(tf.ones([1, 3, 3, 6])),
            ValueError,
            "number of input channels must be evenly .* has to divide the 6 channels",
        ),
    ],
)
def test_channels_that_make_no_groups_are_refused_with_words(call, kind, words):
    with pytest.raises(kind, match=words):
        call()
