"""Shapes as ops: reshape, broadcast_to, reduce_sum, and `sum_to`, which undoes a broadcast.

The one fact to know: these are the lowest of the ops, because the traversal needs `sum_to` and the
batching families are built on `reshape`.
May import: primitive, plan, tensor, errors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.primitive import primitive

if TYPE_CHECKING:
    from minitape.tensor import Array, Shape, Spec, Tensor

_LARGE = 4096


@primitive(latex=r"\mathrm{{reshape}}\left({x}\right)")
def reshape(x: Array, shape: Shape) -> Array:
    """The same elements in another shape; see `tf.reshape`."""
    return x.reshape(shape)


@reshape.vjp("x")
def _(g: Tensor, x: Spec) -> Tensor:
    return reshape(g, x.shape)


@primitive(latex=r"\mathrm{{broadcast}}\left({x}\right)")
def broadcast_to(x: Array, shape: Shape) -> Array:
    """`x` repeated along new and size-1 axes until it has `shape`; see `tf.broadcast_to`."""
    if x.ndim == 0 and shape and np.prod(shape) < _LARGE:
        out = np.empty(shape, x.dtype)  # filling is quicker than the view for small arrays
        out.fill(x)
        return out
    return np.broadcast_to(x, shape) if shape else x


@broadcast_to.vjp("x")
def _(g: Tensor, x: Spec) -> Tensor:
    return sum_to(g, x.shape)


@primitive("reduce_sum", "math.reduce_sum", type_name="Sum", latex=r"\sum_{{{axis}}} {x}")
def reduce_sum(x: Array, axis: Any = None, keepdims: bool = False) -> Array:
    """The sum over `axis` (all axes by default)."""
    return np.add.reduce(x, axis, keepdims=keepdims)


@reduce_sum.vjp("x")
def _(g: Tensor, x: Spec, axis: Any, keepdims: bool) -> Tensor:
    return broadcast_to(keep_axes(g, x.shape, axis, keepdims), x.shape)


def keep_axes(g: Tensor, shape: Shape, axis: Any, keepdims: bool) -> Tensor:
    """`g`, a reduction of an array of `shape`, with the reduced axes put back as size 1."""
    if keepdims or axis is None:
        return g if axis is not None or not g.shape else reshape(g, ())
    return reshape(g, tuple(1 if i in axis else n for i, n in enumerate(shape)))


def sum_to(g: Any, shape: Shape) -> Any:
    """Sums `g` over the axes that a broadcast from `shape` repeated: the derivative of broadcasting."""
    if g.shape == shape:
        return g
    lead = len(g.shape) - len(shape)
    axes = tuple(range(lead)) + tuple(lead + i for i, n in enumerate(shape) if n == 1 and g.shape[lead + i] != 1)
    return reshape(reduce_sum(g, axes, True), shape)
