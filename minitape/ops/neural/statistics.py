"""Moments in two stages: sums, which can be added up over parts of the data, then what follows.

The sums are taken of `x - shift`. A shift near the mean keeps the digits that a difference of two
large squares would lose.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from minitape.op import export
from minitape.ops.broadcasting import reduce_sum
from minitape.ops.families import canonical_axes
from minitape.ops.passing import conjugate
from minitape.tensor import Tensor, make_constant
from minitape.tensors.convert import operand

if TYPE_CHECKING:
    from minitape.values.public_types import Axis, TensorLike


@export("nn.sufficient_statistics")
def sufficient_statistics(
    x: TensorLike,
    axes: Axis,
    shift: TensorLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """What the mean and the variance over `axes` can be computed of, by `normalize_moments`.

    Args:
        x: Tensor, floating.
        axes: the axes to take them over.
        shift: a tensor that broadcasts to `x`, near the mean; None for 0.
        keepdims: whether to keep these axes with size 1.
        name: accepted and not used.

    Returns:
        Four: the number of elements (a scalar of `x`'s dtype), the sum of `x - shift`, the sum of
        its squares, and the shift as a tensor, or None.

    Raises:
        InvalidArgumentError: if an axis does not exist.

    Example:
        >>> import minitape as tf
        >>> found = tf.nn.sufficient_statistics(tf.constant([1.0, 3.0]), axes=[0])
        >>> mean, variance = tf.nn.normalize_moments(*found)
        >>> float(mean), float(variance)
        (2.0, 1.0)
    """
    given = operand(x, None)
    shape, dtype = given.spec.shape, given.spec.dtype
    over = canonical_axes(axes, len(shape), "sufficient_statistics")
    sizes = shape if over is None else [shape[axis] for axis in over]
    counts = make_constant(dtype.type(prod(sizes)))
    away = None if shift is None else operand(shift, dtype)
    rest = given if away is None else given - away
    squares = rest * (rest if away is None else conjugate(rest))  # as in TensorFlow, both
    sums = reduce_sum(rest, over, keepdims), reduce_sum(squares, over, keepdims)
    return counts, *sums, away


@export("nn.normalize_moments")
def normalize_moments(
    counts: TensorLike,
    mean_ss: TensorLike,
    variance_ss: TensorLike,
    shift: TensorLike | None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Mean and population variance, from `sufficient_statistics`.

    Args:
        counts: how many elements there were.
        mean_ss: their sum, after the shift was taken away.
        variance_ss: the sum of the squares of that.
        shift: what was taken away; None for 0.
        name: accepted and not used.

    Returns:
        Two tensors, mean and variance.
    """
    total = operand(mean_ss, None)
    count = operand(counts, total.spec.dtype)
    mean: Tensor = total / count
    variance: Tensor = operand(variance_ss, total.spec.dtype) / count - mean * mean
    return (mean if shift is None else mean + shift), variance
