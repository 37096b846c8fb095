"""Convolutions whose windows are copied in blocks, against the sum that defines them."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import minitape as tf

RNG = np.random.default_rng(0)


@pytest.fixture(params=[1, 2000, 2**18])
def block(request, monkeypatch):
    """Bytes of windows at a time: one example, some, or all."""
    module = importlib.import_module("minitape.ops.neural.convolution")
    monkeypatch.setattr(module, "_BLOCK", request.param)


def convolved(x, kernel, stride, dilation):
    """By the definition, without padding: a product for each place and each cell of the kernel."""
    high, wide, _, many = kernel.shape
    rows = (x.shape[1] - (high - 1) * dilation - 1) // stride + 1
    columns = (x.shape[2] - (wide - 1) * dilation - 1) // stride + 1
    out = np.zeros((len(x), rows, columns, many))
    for o, p, i, j in np.ndindex(rows, columns, high, wide):
        cell = x[:, o * stride + i * dilation, p * stride + j * dilation]
        out[:, o, p] += cell @ kernel[i, j]
    return out


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize("channels", [1, 3, 4, 6])
@pytest.mark.parametrize(("stride", "dilation"), [(1, 1), (2, 1), (1, 2)])
def test_values_and_gradients_are_those_of_the_definition(channels, stride, dilation):
    x, kernel = RNG.normal(size=(5, 7, 8, channels)), RNG.normal(size=(3, 2, channels, 2))
    expected = convolved(x, kernel, stride, dilation)
    seed = RNG.normal(size=expected.shape)
    at, by = tf.constant(x), tf.constant(kernel)
    with tf.GradientTape() as tape:
        tape.watch([at, by])
        out = tf.nn.conv2d(at, by, stride, "VALID", dilations=dilation)
    np.testing.assert_allclose(out, expected, rtol=1e-12, atol=1e-12)
    of_x, of_kernel = tape.gradient(out, [at, by], output_gradients=tf.constant(seed))
    # It is linear in each: the gradient is what the sum gives for each unit array.
    for place in [(0, 0, 0, 0), (4, 3, 5, channels - 1), (2, 6, 7, 0)]:
        unit = np.zeros_like(x)
        unit[place] = 1
        share = np.sum(seed * convolved(unit, kernel, stride, dilation))
        np.testing.assert_allclose(of_x[place], share, rtol=1e-10, atol=1e-12)
    for place in np.ndindex(*kernel.shape):
        unit = np.zeros_like(kernel)
        unit[place] = 1
        share = np.sum(seed * convolved(x, unit, stride, dilation))
        np.testing.assert_allclose(of_kernel[place], share, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("pool", [tf.nn.max_pool2d, tf.nn.avg_pool2d])
@pytest.mark.parametrize(("size", "stride"), [(2, 2), (3, 2), (3, 1), (2, 3)])
def test_pooling_axis_by_axis_takes_each_window_whole(pool, size, stride):
    x = RNG.normal(size=(2, 7, 8, 3))
    whole = np.lib.stride_tricks.sliding_window_view(x, (size, size), (1, 2))[:, ::stride, ::stride]
    expected = whole.max((-2, -1)) if pool is tf.nn.max_pool2d else whole.mean((-2, -1))
    np.testing.assert_allclose(pool(tf.constant(x), size, stride, "VALID"), expected)
