"""Normalisation: moments over axes, and what uses them.

The one fact to know: these are short compositions, so their derivatives of every order are those of
their parts.
May import: ops/broadcasting, ops/reduction, convert, primitive.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitape.convert import operand
from minitape.ops.broadcasting import reduce_sum, reshape
from minitape.ops.families import canonical_axes
from minitape.ops.reduction import reduce_mean
from minitape.primitive import export, operands, registry


@export("nn.moments")
def moments(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """Mean and population variance over `axes`.

    Args:
        x: Tensor, floating.
        axes: the axes to take them over.
        shift: accepted and not used, as in TensorFlow.
        keepdims: whether to keep these axes with size 1.
        name: accepted and not used.

    Returns:
        Two tensors, mean and variance. float16 is summed in float32.

    Raises:
        InvalidArgumentError: if an axis does not exist.

    Example:
        >>> import minitape as tf
        >>> mean, variance = tf.nn.moments(tf.constant([1.0, 3.0]), axes=[0])
        >>> float(mean), float(variance)
        (2.0, 1.0)
    """
    x = operand(x, None)
    dtype = x.spec.dtype
    if dtype == np.float16:
        x = registry["cast"](x, np.dtype(np.float32))
    mean = reduce_mean(x, axes, True)
    distance = x - mean
    variance = reduce_mean(distance * distance, axes, keepdims)
    if not keepdims:
        mean = reshape(mean, tuple(variance.shape))
    if dtype == np.float16:
        return registry["cast"](mean, dtype), registry["cast"](variance, dtype)
    return mean, variance


@export("nn.weighted_moments")
def weighted_moments(
    x: Any, axes: Any, frequency_weights: Any, keepdims: bool = False, name: str | None = None
) -> Any:
    """Mean and variance over `axes` where every element counts as often as its weight says.

    Args:
        x: Tensor, floating.
        axes: the axes to take them over.
        frequency_weights: Tensor that broadcasts to `x`.
        keepdims: whether to keep these axes with size 1.
        name: accepted and not used.

    Returns:
        Two tensors, mean and variance.

    Example:
        >>> import minitape as tf
        >>> x, w = tf.constant([1.0, 4.0]), tf.constant([2.0, 1.0])
        >>> mean, variance = tf.nn.weighted_moments(x, [0], w)
        >>> float(mean), float(variance)
        (2.0, 2.0)
    """
    x, weights = operands(registry["multiply"].op, (x, frequency_weights))
    weights = weights + x * 0.0 if tuple(weights.shape) != tuple(x.shape) else weights
    total = reduce_sum(weights, axes, True)
    mean = reduce_sum(x * weights, axes, True) / total
    distance = x - mean
    variance = reduce_sum(weights * (distance * distance), axes, True) / total
    if not keepdims:
        gone = canonical_axes(axes, len(x.shape), "weighted_moments") or ()
        shape = tuple(n for i, n in enumerate(tuple(x.shape)) if gone and i not in gone)
        mean, variance = reshape(mean, shape), reshape(variance, shape)
    return mean, variance


@export("nn.batch_normalization")
def batch_normalization(
    x: Any,
    mean: Any,
    variance: Any,
    offset: Any,
    scale: Any,
    variance_epsilon: Any,
    name: str | None = None,
) -> Any:
    """Normalises: scale (x - mean) / sqrt(variance + epsilon) + offset (Ioffe and Szegedy 2015).

    Args:
        x: Tensor, floating.
        mean: Tensor that broadcasts to `x`.
        variance: Tensor that broadcasts to `x`.
        offset: such a tensor, or None for 0.
        scale: such a tensor, or None for 1.
        variance_epsilon: a small number that keeps the root from 0.
        name: accepted and not used.

    Returns:
        Tensor like `x`.

    Example:
        >>> import minitape as tf
        >>> print(tf.nn.batch_normalization(tf.constant([3.0]), 1.0, 4.0, 0.0, 1.0, 0.0))
        tf.Tensor([1.], shape=(1,), dtype=float32)
    """
    x = operand(x, None)
    dtype = x.spec.dtype
    mean, variance = operand(mean, dtype), operand(variance, dtype)
    factor = registry["rsqrt"](variance + operand(variance_epsilon, dtype))
    if scale is not None:
        factor = factor * operand(scale, dtype)
    shift = -(mean * factor) if offset is None else operand(offset, dtype) - mean * factor
    return x * factor + shift


@export("nn.local_response_normalization", "nn.lrn")
def local_response_normalization(
    input: Any,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
    name: str | None = None,
) -> Any:
    """Gives x / (bias + alpha * sum of x**2 over near channels)**beta (Krizhevsky et al. 2012).

    Args:
        input: Tensor of shape [batch, height, width, channels].
        depth_radius: how many channels on either side are near.
        bias: keeps the divisor from 0.
        alpha: scales the sum.
        beta: the exponent.
        name: accepted and not used.

    Returns:
        Tensor like `input`.

    Example:
        >>> import minitape as tf
        >>> tf.nn.lrn(tf.ones([1, 1, 1, 1]), bias=3.0).numpy().item()
        0.5
    """
    x = operand(input, None)
    channels, dtype = int(tuple(x.shape)[-1]), x.spec.dtype
    place = np.arange(channels)
    near = (abs(place[:, None] - place) <= depth_radius).astype(dtype)
    squares = reshape(x * x, (-1, channels)) @ operand(near, dtype)
    return x * (bias + alpha * reshape(squares, tuple(x.shape))) ** -beta
