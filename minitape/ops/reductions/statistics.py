"""Statistics of tensors: variance, standard deviation, logsumexp, euclidean norm.

Each is one op with its own rule, computed from differences (variance) or from exponentials that
cannot overflow (logsumexp) rather than from large sums that cancel.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import teach
from minitape.op import primitive
from minitape.ops.broadcasting import add_up, reduce_sum, restore_axes
from minitape.ops.elementwise.complexes import imag, real
from minitape.ops.elementwise.powers import exp, sqrt, zero_over
from minitape.ops.families import batched_reduction
from minitape.ops.passing import conj
from minitape.ops.reductions.reduction import prepare_axes, public_reduction, reduce_mean
from minitape.tensors.convert import operand

if TYPE_CHECKING:
    from minitape.tensor import Array, Tensor


def _count(shape: Any, axis: Any) -> int:
    return prod(shape) if axis is None else prod(shape[i] for i in axis)


@primitive(type_name="Variance", latex=r"\mathrm{{var}}\left({x}\right)")
def reduce_variance(x: Array, axis: Any = None, keepdims: bool = False) -> Array:
    """The mean square of the distances from the mean, over `axis` (population variance)."""
    return reduce_mean(np.square(x - reduce_mean(x, axis, True)), axis, keepdims)


reduce_variance.says(reduces="variance")


reduce_variance.prepare(prepare_axes("reduce_variance"))


@reduce_variance.vjp("x")
def _(g: Tensor, x: Tensor, axis: Any, keepdims: bool) -> Tensor:
    scale = restore_axes(g, x.shape, axis, keepdims) * (2 / max(_count(x.shape, axis), 1))
    return (x - reduce_mean(x, axis, True)) * scale


reduce_variance.batch(batched_reduction(reduce_variance))


@primitive(type_name="StandardDeviation", latex=r"\mathrm{{std}}\left({x}\right)")
def reduce_std(x: Array, axis: Any = None, keepdims: bool = False) -> Array:
    """The square root of the variance; where that is 0, the gradient is nan, as in TensorFlow.

    Unless the incoming gradient is 0, as after `tf.maximum(tf.math.reduce_std(x), 1.0)`.
    """
    return np.sqrt(reduce_variance(x, axis, keepdims))


reduce_std.says(reduces="deviation")


reduce_std.prepare(prepare_axes("reduce_std"))


@reduce_std.vjp("x")
def _(g: Tensor, x: Tensor, out: Tensor, axis: Any, keepdims: bool) -> Tensor:
    slope = zero_over(g, out) * (1 / max(_count(x.shape, axis), 1))
    scale = restore_axes(slope, x.shape, axis, keepdims)
    return (x - reduce_mean(x, axis, True)) * scale


reduce_std.batch(batched_reduction(reduce_std))


@primitive(type_name="EuclideanNorm", latex=r"\left\|{x}\right\|")
def reduce_euclidean_norm(x: Array, axis: Any = None, keepdims: bool = False) -> Array:
    """The root of the sum of squared sizes; where that is 0, the gradient is nan, as in TensorFlow.

    Its rule for complex numbers is TensorFlow's, too: that of the real case, with conjugates.
    """
    squares = x * np.conj(x) if x.dtype.kind == "c" else x * x
    return np.sqrt(add_up(squares, axis, x.dtype, None, keepdims)).astype(x.dtype)[()]


reduce_euclidean_norm.prepare(prepare_axes("reduce_euclidean_norm"))


@reduce_euclidean_norm.vjp("x")
def _(g: Tensor, x: Tensor, out: Tensor, axis: Any, keepdims: bool) -> Tensor:
    return conj(x) * restore_axes(g / out, x.shape, axis, keepdims)


reduce_euclidean_norm.batch(batched_reduction(reduce_euclidean_norm))


@primitive(type_name="Norm", latex=r"\left\|{x}\right\|")
def length(x: Array, axis: Any = None, keepdims: bool = False) -> Array:
    """The same as `tf.norm` gives it: where the incoming gradient is 0, so is the gradient."""
    return reduce_euclidean_norm.op.forward(x, axis, keepdims)


length.prepare(prepare_axes("norm"))
length.says(also="norm")


@length.vjp("x")
def _(g: Tensor, x: Tensor, out: Tensor, axis: Any, keepdims: bool) -> Tensor:
    return x * restore_axes(zero_over(g, out), x.shape, axis, keepdims)


length.batch(batched_reduction(length))


@primitive(differentiable=False, latex=r"\max {x:3}")
def finite_max(x: Array, axis: Any) -> Array:
    """The largest over `axis`, or 0 where it is not finite: what exponents are measured from."""
    top = np.maximum.reduce(x, axis, keepdims=True, initial=-np.inf)
    return np.where(np.isfinite(top), top, 0).astype(x.dtype)[()]


finite_max.says(called="largest")


@finite_max.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    axes = range(len(values[0].shape) - 1) if attributes[0] is None else attributes[0]
    return finite_max(values[0], tuple(i + 1 for i in axes))


@primitive(type_name="LogSumExp", latex=r"\log \sum e^{{{x}}}")
def reduce_logsumexp(x: Array, axis: Any = None, keepdims: bool = False) -> Array:
    """log(sum(exp(x))) over `axis`, from differences to the largest element: nothing overflows."""
    top = finite_max(x, axis)
    total = np.log(add_up(np.exp(x - top), axis, x.dtype, None, True)) + top
    return total if keepdims else np.squeeze(total, axis)[()]


reduce_logsumexp.says(shares=True)


reduce_logsumexp.prepare(prepare_axes("reduce_logsumexp"))


@reduce_logsumexp.vjp("x")
def _(g: Tensor, x: Tensor, axis: Any, keepdims: bool) -> Tensor:
    """The softmax, not exp(x - out): `out` of 1000 has been rounded to 6e-5 in float32."""
    weights = exp(x - finite_max(x, axis))
    softmax = weights / reduce_sum(weights, axis, True)
    return restore_axes(g, x.shape, axis, keepdims) * softmax


reduce_logsumexp.batch(batched_reduction(reduce_logsumexp))


class _OfComplexParts:
    """A statistic of complex numbers: the variances of real and imaginary part add up."""

    def __init__(self, primitive: Any, combine: Any) -> None:
        self._call, self._combine, self.__module__ = primitive, combine, __name__

    def public(self, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        x = operand(x, None)
        kind = x.spec.dtype.kind
        if kind not in "fc":
            raise TypeError(
                teach(
                    f"Input must be either real or complex. Received integer type {x.dtype.name}.",
                    "A variance of integers is not an integer.",
                    "Write `tf.cast(x, tf.float32)` first.",
                )
            )
        if kind == "f":
            return self._call(x, axis, keepdims)
        parts = (reduce_variance(part(x), axis, keepdims) for part in (real, imag))
        return self._combine(sum(parts))


public_reduce_variance = public_reduction(
    _OfComplexParts(reduce_variance, lambda variance: variance),
    "math.reduce_variance",
    does="The population variance over axes: the mean square of the distances from the mean.",
    example=">>> float(tf.math.reduce_variance([1.0, 2.0, 3.0, 4.0]))\n        1.25",
)
public_reduce_std = public_reduction(
    _OfComplexParts(reduce_std, sqrt),
    "math.reduce_std",
    does="The population standard deviation over axes: the square root of the variance.",
    example=">>> float(tf.math.reduce_std([1.0, 3.0]))\n        1.0",
)
public_reduce_euclidean_norm = public_reduction(
    reduce_euclidean_norm,
    "math.reduce_euclidean_norm",
    does="The square root of the sum of squares over axes.",
    example=">>> float(tf.math.reduce_euclidean_norm([3.0, 4.0]))\n        5.0",
)
public_reduce_logsumexp = public_reduction(
    reduce_logsumexp,
    "reduce_logsumexp",
    "math.reduce_logsumexp",
    does="log(sum(exp(x))) over axes, without overflow or underflow; -inf of nothing.",
    example=">>> round(float(tf.reduce_logsumexp([1000.0, 1000.0])), 2)\n        1000.69",
)
