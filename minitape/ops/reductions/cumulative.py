"""Cumulative sums, products and log-sum-exps along an axis.

What has to be right with zeros among the factors, and stable for large and small numbers, is one
op: the linear recurrence out[i] = x[i] + factors[i] * out[i - 1]. The derivatives of cumulative
products and log-sum-exps are such recurrences run backwards, and so are their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.op import export, primitive
from minitape.ops.elementwise.powers import exp
from minitape.ops.families import batched_along_axis, canonical_axis
from minitape.ops.statics import static_value
from minitape.tensors.convert import operand

if TYPE_CHECKING:
    from minitape.tensor import Array, Tensor
    from minitape.values.public_types import TensorLike

_ARGUMENTS = """

    Args:
        x: a tensor of rank 1 or more.
        axis: along which axis.
        exclusive: whether element i leaves out x[i] itself.
        reverse: whether to start from the end of the axis.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if there is no such axis.

    Example:
        >>> import minitape as tf
"""


def _accumulated(
    ufunc: Any, x: Array, axis: int, exclusive: bool, reverse: bool, start: Any
) -> Array:
    """`ufunc.accumulate`, possibly from the end, possibly moved on by one."""
    if reverse:
        x = np.flip(x, axis)
    out = ufunc.accumulate(x, axis, x.dtype)
    if exclusive:
        out = _moved(out, axis, start)
    return np.flip(out, axis) if reverse else out


def _moved(x: Array, axis: int, fill: Any) -> Array:
    """`x` moved on by one along `axis`; `fill` comes first and the last one falls out."""
    out = np.full_like(x, fill)
    ahead = np.moveaxis(out, axis, 0)
    ahead[1:] = np.moveaxis(x, axis, 0)[:-1]
    return out


def _prepare(op: str) -> Any:
    def prepare(x: Any, axis: Any, *flags: Any) -> tuple[Any, ...]:
        number = canonical_axis(static_value(axis, op, "axis"), len(x.shape), op)
        return (number, *map(bool, flags))

    return prepare


@primitive(latex=r"\mathrm{{shift}}\left({x}\right)")
def shift(x: Array, axis: int, reverse: bool = False, fill: float = 0.0) -> Array:
    """`x` moved on by one along `axis` (back where `reverse`), with `fill` in the gap."""
    moved = _moved(np.flip(x, axis) if reverse else x, axis, fill)
    return np.flip(moved, axis) if reverse else moved


@shift.vjp("x")
def _(g: Tensor, axis: int, reverse: bool) -> Tensor:
    return shift(g, axis, not reverse)


shift.batch(batched_along_axis(shift))


@primitive(latex=r"\mathrm{{recur}}\left({factors}, {x}\right)")
def linear_recurrence(factors: Array, x: Array, axis: int, reverse: bool = False) -> Array:
    """Solves out[i] = x[i] + factors[i] * out[i - 1] along `axis`; `factors[0]` is not used.

    Computed by doubling (Hillis and Steele, "Data parallel algorithms", 1986): after step k,
    element i covers the 2^k inputs before it, so that only log2(n) passes over the arrays are made.
    """
    a, out = np.moveaxis(factors, axis, 0), np.moveaxis(x, axis, 0)
    a, out = (a[::-1].copy(), out[::-1].copy()) if reverse else (a.copy(), out.copy())
    step = 1
    while step < len(out):
        out[step:] += a[step:] * out[:-step]
        a[step:] = a[step:] * a[:-step]
        step *= 2
    return np.moveaxis(out[::-1] if reverse else out, 0, axis)


@linear_recurrence.vjp("factors")
def _(g: Tensor, factors: Tensor, out: Tensor, axis: int, reverse: bool) -> Tensor:
    pulled = linear_recurrence(shift(factors, axis, not reverse), g, axis, not reverse)
    return pulled * shift(out, axis, reverse)


@linear_recurrence.vjp("x")
def _(g: Tensor, factors: Tensor, axis: int, reverse: bool) -> Tensor:
    return linear_recurrence(shift(factors, axis, not reverse), g, axis, not reverse)


@linear_recurrence.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    axis, reverse = attributes
    factors, x = values
    if not stacked[0]:
        factors = x * 0 + factors
    if not stacked[1]:
        x = factors * 0 + x
    return linear_recurrence(factors, x, axis + 1, reverse)


@primitive(type_name="Cumsum", latex=r"\mathrm{{cumsum}}\left({x}\right)", refuses="b")
def cumsum(x: Array, axis: int = 0, exclusive: bool = False, reverse: bool = False) -> Array:
    """The sums of the first elements along `axis`."""
    return _accumulated(np.add, x, axis, exclusive, reverse, 0)


cumsum.says(running=True, grows=True)


cumsum.prepare(_prepare("cumsum"))


@cumsum.vjp("x")
def _(g: Tensor, axis: int, exclusive: bool, reverse: bool) -> Tensor:
    return cumsum(g, axis, exclusive, not reverse)


cumsum.batch(batched_along_axis(cumsum))


@primitive(type_name="Cumprod", latex=r"\mathrm{{cumprod}}\left({x}\right)", refuses="b")
def cumprod(x: Array, axis: int = 0, exclusive: bool = False, reverse: bool = False) -> Array:
    """The products of the first elements along `axis`."""
    return _accumulated(np.multiply, x, axis, exclusive, reverse, 1)


cumprod.says(running=True, grows=True, shrinks=True)


cumprod.prepare(_prepare("cumprod"))


@cumprod.vjp("x")
def _(g: Tensor, x: Tensor, axis: int, exclusive: bool, reverse: bool) -> Tensor:
    """The product before x[i], times what later products make of x[i]: nothing is divided."""
    if exclusive:
        g = shift(g, axis, not reverse)
    after = linear_recurrence(shift(x, axis, not reverse), g, axis, not reverse)
    return cumprod(x, axis, True, reverse) * after


cumprod.batch(batched_along_axis(cumprod))


@primitive(latex=r"\mathrm{{cumlogsumexp}}\left({x}\right)")
def cumulative_logsumexp(
    x: Array, axis: int = 0, exclusive: bool = False, reverse: bool = False
) -> Array:
    """The logarithms of the sums of exponentials of the first elements along `axis`.

    Where nothing comes before (exclusive), that is log(0) = -inf.
    """
    return _accumulated(np.logaddexp, x, axis, exclusive, reverse, -np.inf)


cumulative_logsumexp.prepare(_prepare("cumulative_logsumexp"))


@cumulative_logsumexp.vjp("x")
def _(g: Tensor, x: Tensor, axis: int, exclusive: bool, reverse: bool) -> Tensor:
    """From out[i] = logaddexp(out[i - 1], x[i]): all exponentials lie between 0 and 1."""
    if exclusive:
        g = shift(g, axis, not reverse)
    out = cumulative_logsumexp(x, axis, False, reverse)
    weights = exp(out - shift(out, axis, not reverse, float("inf")))
    return exp(x - out) * linear_recurrence(weights, g, axis, not reverse)


cumulative_logsumexp.batch(batched_along_axis(cumulative_logsumexp))


def _public(op: Any, *names: str, does: str, example: str) -> Any:
    def function(
        x: TensorLike,
        axis: TensorLike = 0,
        exclusive: bool = False,
        reverse: bool = False,
        name: str | None = None,
    ) -> Tensor:
        return op(operand(x, None), axis, exclusive, reverse)

    function.__name__ = function.__qualname__ = names[0].rpartition(".")[2]
    function.__module__ = __name__
    function.__doc__ = f"{does}{_ARGUMENTS}        {example}\n    "
    return export(*names)(function)


public_cumsum = _public(
    cumsum,
    "cumsum",
    "math.cumsum",
    does="The running sum along an axis.",
    example=">>> tf.cumsum([1, 2, 3]).numpy().tolist()\n        [1, 3, 6]",
)
public_cumprod = _public(
    cumprod,
    "math.cumprod",
    does="The running product along an axis; its gradient is right with zeros too.",
    example=">>> tf.math.cumprod([1, 2, 3], exclusive=True).numpy().tolist()\n        [1, 1, 2]",
)
public_cumulative_logsumexp = _public(
    cumulative_logsumexp,
    "math.cumulative_logsumexp",
    does="The running log(sum(exp(x))) along an axis, without overflow.",
    example=">>> float(tf.math.cumulative_logsumexp([0.0, 0.0])[0])\n        0.0",
)
