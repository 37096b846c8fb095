"""Normalisation and what surrounds a layer: moments, batch normalisation, dropout, biases, losses.

The one fact to know: these are short compositions, so their derivatives of every order are those of
their parts.
May import: ops/broadcasting, ops/reduction, ops/randomness, convert, primitive, errors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.convert import operand
from minitape.errors import InvalidArgumentError, teach
from minitape.ops.arithmetic import gate
from minitape.ops.broadcasting import reduce_sum, reshape
from minitape.ops.families import canonical_axes
from minitape.ops.reduction import reduce_mean
from minitape.primitive import export, operands, primitive, registry

if TYPE_CHECKING:
    from minitape.tensor import Array, Indices, Tensor


@primitive("nn.l2_loss", type_name="L2Loss", latex=r"\frac{{1}}{{2}} \sum {t:4}^{{2}}")
def l2_loss(t: Array) -> Array:
    """Half the sum of squares, sum(t**2) / 2."""
    return np.add.reduce(t * t, None) / 2


@l2_loss.vjp("t")
def _(g: Tensor, t: Tensor) -> Tensor:
    return g * t


@l2_loss.batch
def _(values: Any, stacked: Any, attributes: Any, size: int) -> Any:
    (t,) = values
    return reduce_sum(t * t, tuple(range(1, len(t.shape)))) * 0.5


@export("nn.bias_add")
def bias_add(value: Any, bias: Any, data_format: str | None = None, name: str | None = None) -> Any:
    """Adds a vector to the last axis (the channels).

    Args:
        value: Tensor of shape [..., channels].
        bias: Tensor of shape [channels], of the same dtype.
        data_format: 'N...C' for channels last, 'NC...' for channels as the second axis.
        name: accepted and not used.

    Returns:
        Tensor like `value`.

    Raises:
        ValueError: if `bias` is no vector of that length, or `data_format` is unknown.

    Example:
        >>> import minitape as tf
        >>> tf.nn.bias_add([[1.0, 2.0]], [10.0, 20.0]).numpy().tolist()
        [[11.0, 22.0]]
    """
    value, bias = operands(registry["add"].op, (value, bias))  # type: ignore[attr-defined]
    if data_format is not None and not str(data_format).startswith("N"):
        raise ValueError(f"bias_add: data_format must be 'N...C' or 'NC...'; got {data_format!r}.")
    first = data_format is not None and str(data_format).startswith("NC")
    shape = tuple(value.shape)
    channels = shape[1 if first else -1] if len(shape) > 1 else None
    if tuple(bias.shape) != (channels,):
        raise InvalidArgumentError(
            teach(
                f"bias_add: value has shape {shape} and bias {tuple(bias.shape)}.",
                "A bias is a vector with one entry per channel, and value has at least two axes.",
                f"Give a bias of shape ({channels},), or add with `value + bias`, which broadcasts.",
            )
        )
    return value + (reshape(bias, (channels, *(1,) * (len(shape) - 2))) if first else bias)


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
        >>> mean, variance = tf.nn.weighted_moments(tf.constant([1.0, 4.0]), [0], tf.constant([2.0, 1.0]))
        >>> float(mean), float(variance)
        (2.0, 2.0)
    """
    x, weights = operands(registry["multiply"].op, (x, frequency_weights))  # type: ignore[attr-defined]
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
    """scale (x - mean) / sqrt(variance + epsilon) + offset (Ioffe and Szegedy 2015).

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


@export("nn.dropout")
def dropout(
    x: Any, rate: Any, noise_shape: Any = None, seed: Any = None, name: str | None = None
) -> Any:
    """Sets elements to 0 with probability `rate` and multiplies the others by 1 / (1 - rate).

    Args:
        x: Tensor, floating.
        rate: the probability, in [0, 1).
        noise_shape: the shape of the choice, which is broadcast to `x`; by default that of `x`.
        seed: a number that makes the choice repeatable.
        name: accepted and not used.

    Returns:
        Tensor like `x`; `x` itself for rate 0.

    Raises:
        ValueError: if `rate` is outside of [0, 1), or `x` is not floating.

    Example:
        >>> import minitape as tf
        >>> x = tf.ones([1000])
        >>> sorted(set(tf.nn.dropout(x, 0.5).numpy().tolist()))
        [0.0, 2.0]
    """
    x = operand(x, None)
    if x.spec.dtype.kind != "f":
        raise ValueError(
            f"`x.dtype` must be a floating point tensor as `x` will be scaled. Received: x.dtype={x.dtype.name}. "
            "Write `tf.cast(x, tf.float32)`."
        )
    if isinstance(rate, int | float | np.number):
        if not 0 <= rate < 1:
            raise ValueError(
                f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}. "
                "It is the share of elements to drop, so 0.2 keeps 80 %."
            )
        if rate == 0:
            return x
    dtype = x.spec.dtype
    rate = operand(rate, dtype)
    shape = tuple(x.shape) if noise_shape is None else _noise_shape(noise_shape, tuple(x.shape))
    noise = registry["random_uniform"].public(shape, dtype, seed)
    return gate(x / (1 - rate), noise >= rate)


def _noise_shape(noise_shape: Any, shape: Any) -> tuple[int, ...]:
    """`noise_shape` with None filled in from the shape of the input."""
    return tuple(shape[i] if n is None else int(n) for i, n in enumerate(noise_shape))


@export("nn.zero_fraction", "math.zero_fraction")
def zero_fraction(value: Any, name: str | None = None) -> Any:
    """The share of elements that are 0, as a float32 scalar.

    Example:
        >>> import minitape as tf
        >>> float(tf.nn.zero_fraction([0.0, 1.0, 0.0, 2.0]))
        0.5
    """
    is_zero = registry["equal"].public(operand(value, None), 0)
    return reduce_mean(registry["cast"].public(is_zero, np.dtype(np.float32)))


@primitive(
    differentiable=False, latex=r"\mathrm{{in\,top}}_{{{k}}}\left({targets}, {predictions}\right)"
)
def in_top_k_rows(targets: Indices, predictions: Array, k: int) -> Array:
    """Whether fewer than k entries of a row are larger than the target's; a non-finite one never is."""
    chosen = predictions[np.arange(len(targets)), targets]
    larger = np.add.reduce(predictions > chosen[:, None], 1)
    return (larger < k) & np.isfinite(chosen)


@export("nn.in_top_k", "math.in_top_k")
def in_top_k(targets: Any, predictions: Any, k: int, name: str | None = None) -> Any:
    """Whether each target class is among the `k` largest predictions; ties count as in.

    Args:
        targets: Tensor of shape [batch], integer.
        predictions: Tensor of shape [batch, classes], float32.
        k: how many to look at.
        name: accepted and not used.

    Returns:
        bool Tensor of shape [batch].

    Example:
        >>> import minitape as tf
        >>> tf.nn.in_top_k([1, 0], [[0.1, 0.9], [0.2, 0.8]], k=1).numpy().tolist()
        [True, False]
    """
    return in_top_k_rows.public(operand(targets, None), operand(predictions, None), int(k))


@export("nn.local_response_normalization", "nn.lrn")
def local_response_normalization(
    input: Any,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
    name: str | None = None,
) -> Any:
    """x / (bias + alpha * sum of x**2 over nearby channels)**beta (Krizhevsky et al. 2012).

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
