"""Normalisation: moments over axes, and what uses them.

These are short compositions, so their derivatives of every order are those of their parts.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors.of_arguments import checked_number, checked_text, not_fitting
from minitape.op import export, operands
from minitape.ops.broadcasting import reduce_sum, reshape
from minitape.ops.casting import cast
from minitape.ops.elementwise.arithmetic import multiply
from minitape.ops.elementwise.no_nan import divide_no_nan
from minitape.ops.elementwise.powers import rsqrt, squared_difference
from minitape.ops.families import canonical_axes
from minitape.ops.passing import conjugate, stop_gradient
from minitape.ops.reductions.reduction import reduce_mean
from minitape.tensors.convert import operand

if TYPE_CHECKING:
    from minitape.tensor import Tensor
    from minitape.values.public_types import TensorLike


@export("nn.moments")
def moments(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
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
    half = dtype.char == "e"
    if half:
        x = cast(x, np.dtype(np.float32))
    mean = reduce_mean(x, axes, True)
    distance = x - mean
    variance = reduce_mean(distance * conjugate(distance), axes, keepdims)
    if not keepdims:
        mean = reshape(mean, tuple(variance.spec.shape))
    if half:
        return cast(mean, dtype), cast(variance, dtype)
    return mean, variance


@export("nn.weighted_moments")
def weighted_moments(
    x: Any, axes: Any, frequency_weights: Any, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
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
    x, weights = operands(multiply.op, (x, frequency_weights))
    weights = cast(weights, x.dtype)
    weights = weights + x * 0.0 if tuple(weights.shape) != tuple(x.shape) else weights
    total = reduce_sum(weights, axes, True)
    # No weight at all: 0, as in TensorFlow.
    mean = divide_no_nan(reduce_sum(x * weights, axes, True), total)
    squares = squared_difference(x, mean)
    variance = divide_no_nan(reduce_sum(weights * squares, axes, True), total)
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
) -> Tensor:
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
    factor = rsqrt(variance + operand(variance_epsilon, dtype))
    if scale is not None:
        factor = factor * operand(scale, dtype)
    shift = -(mean * factor) if offset is None else operand(offset, dtype) - mean * factor
    return x * factor + shift


@export("compat.v1.nn.fused_batch_norm")
def fused_batch_norm(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any = None,
    variance: Any = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
    exponential_avg_factor: float = 1.0,
) -> tuple[Tensor, Tensor, Tensor]:
    """Batch normalisation over all axes but that of the channels.

    Args:
        x: Tensor of rank 4 or 5, floating.
        scale: Tensor of shape [channels].
        offset: Tensor of shape [channels].
        mean: Tensor of shape [channels]: what to normalise by outside of training, in training the
            mean so far.
        variance: the same for the variance.
        epsilon: a small number that keeps the root from 0, 1.001e-5 at least.
        data_format: "NHWC" or "NDHWC" where the channels are the last axis, else axis 1.
        is_training: whether to normalise by the mean and the variance of `x` itself.
        name: accepted and not used.
        exponential_avg_factor: how much those count in the mean and variance that are returned.

    Returns:
        Three tensors: `x` normalised, and means and variances (in training without bias) to
        normalise by later. These two are constants for gradients, as in TensorFlow.

    Raises:
        ValueError: if `mean` or `variance` is needed and missing.

    Example:
        >>> import minitape as tf
        >>> x = tf.reshape(tf.constant([1.0, 3.0]), [2, 1, 1, 1])
        >>> y, mean, variance = tf.compat.v1.nn.fused_batch_norm(x, [2.0], [1.0], epsilon=3.0)
        >>> y.numpy().ravel().tolist(), mean.numpy().tolist(), variance.numpy().tolist()
        ([0.0, 2.0], [2.0], [2.0])
    """
    if (mean is None or variance is None) and (not is_training or exponential_avg_factor != 1.0):
        raise ValueError(
            "Both `mean` and `variance` must be a 1D tensor when `is_training` is False or "
            "`exponential_avg_factor` != 1.0. Give what earlier training returned."
        )
    given, dtype = operand(x, None), np.dtype(np.float32)
    half = given.spec.dtype == np.float16
    x, dtype = (cast(given, dtype), dtype) if half else (given, given.spec.dtype)
    before: list[Any] = [
        None if m is None else stop_gradient(operand(m, dtype)) for m in (mean, variance)
    ]
    rank = len(x.spec.shape)
    checked_text("fused_batch_norm", "data_format", data_format, "data_format='NHWC'")
    channels = rank - 1 if data_format.endswith("C") else 1
    axes = [i for i in range(rank) if i != channels]
    shape = tuple(n if i == channels else 1 for i, n in enumerate(x.spec.shape))
    now = moments(x, axes) if is_training else before
    columns = [reshape(operand(each, dtype), shape) for each in (*now, offset, scale)]
    mean, variance, offset, scale = columns
    y = batch_normalization(x, mean, variance, offset, scale, max(epsilon, 1.001e-5))
    if is_training:
        count = prod(x.spec.shape) // max(x.spec.shape[channels], 1)
        seen = [stop_gradient(now[0]), stop_gradient(now[1] * (count / max(count - 1, 1)))]
        f = exponential_avg_factor
        now = seen if f == 1.0 else [b * (1 - f) + m * f for b, m in zip(before, seen, strict=True)]
    return (cast(y, given.spec.dtype) if half else y), *now


@export("nn.local_response_normalization", "nn.lrn")
def local_response_normalization(
    input: TensorLike,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
    name: str | None = None,
) -> Tensor:
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
    if not x.spec.shape or x.spec.dtype.kind != "f":
        raise not_fitting("lrn", "input", input, "a floating tensor of rank 4", "tf.nn.lrn(x)")
    channels, dtype = int(tuple(x.shape)[-1]), x.spec.dtype
    place = np.arange(channels)
    numbers = {"depth_radius": depth_radius, "bias": bias, "alpha": alpha, "beta": beta}
    for argument, value in numbers.items():
        checked_number("lrn", argument, value, f"tf.nn.lrn(x, {argument}=1)")
    near = (abs(place[:, None] - place) <= depth_radius).astype(dtype)
    squares = reshape(x * x, (-1, channels)) @ operand(near, dtype)
    return x * (bias + alpha * reshape(squares, tuple(x.shape))) ** -beta
