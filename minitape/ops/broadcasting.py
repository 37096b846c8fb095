"""Shapes as ops: reshape, broadcast_to, reduce_sum, and `sum_to`, which undoes a broadcast.

These are the lowest of the ops, because the traversal needs `sum_to` and the batching interpreter
is built on `reshape`.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError
from minitape.op import primitive
from minitape.ops.families import (
    as_value,
    batched_reduction,
    canonical_axes,
    keep_axes_shape,
    sum_of_rows,
    total,
)

if TYPE_CHECKING:
    from minitape.tensor import Array, Shape, Tensor

# NumPy's reductions take 0.3 µs less with all arguments by position, which its stubs do not know.
add_up: Any = np.add.reduce

_ndarray = np.ndarray
_LARGE = 4096  # elements; filling is quicker than a view below this size


@primitive(latex=r"\mathrm{{reshape}}\left({x}\right)", lengths=True)
def reshape(x: Array, shape: Shape) -> Array:
    """The same elements in another shape, which is fully known here; see `tf.reshape`."""
    return as_value(x.reshape(shape))


reshape.says(moves="shape")


@reshape.vjp("x")
def _(g: Tensor, x: Shape) -> Tensor:
    return reshape(g, x)


@reshape.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    return reshape(values[0], (size, *attributes[0]))


@primitive(latex=r"\mathrm{{broadcast}}\left({x}\right)")
def broadcast_to(x: Array, shape: Shape) -> Array:
    """`x` repeated along new and size-1 axes until it has `shape`; see `tf.broadcast_to`."""
    if shape and prod(shape) < _LARGE:
        out = np.empty(shape, x.dtype)
        if type(x) is _ndarray:
            out[...] = x
        else:
            out.fill(x)
        return out
    return as_value(np.broadcast_to(x, shape))


broadcast_to.says(moves="copies")


@broadcast_to.vjp("x")
def _(g: Tensor, x: Shape) -> Tensor:
    return sum_to(g, x)


@broadcast_to.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    (x,), (shape,) = values, attributes
    ones = (1,) * (len(shape) + 1 - len(x.shape))
    return broadcast_to(reshape(x, (size, *ones, *tuple(x.shape)[1:])), (size, *shape))


@primitive(type_name="Sum", latex=r"\sum {x:2}")
def reduce_sum(x: Array, axis: Any = None, keepdims: bool = False) -> Array:
    """The sum over `axis` (all axes by default); see `tf.reduce_sum`."""
    dtype = x.dtype
    if dtype.kind in "bO":
        raise InvalidArgumentError(
            "reduce_sum got a tensor of dtype bool. Truth values have no sum, but can be counted. "
            "Write `tf.math.count_nonzero(x)`, or `tf.reduce_sum(tf.cast(x, tf.int32))`."
            if dtype.kind == "b"
            else "reduce_sum got a tensor of dtype string. Strings are not numbers, and nothing "
            "adds them up. Join them in Python: `b' '.join(x.numpy().tolist())`."
        )
    return total(x, axis, keepdims)


reduce_sum.says(reduces="sum", grows=True, rule="each is repeated")


@reduce_sum.prepare
def _(x: Any, axis: Any, keepdims: Any) -> tuple[Any, ...]:
    return canonical_axes(axis, len(x.shape), "reduce_sum"), bool(keepdims)


@reduce_sum.vjp("x")
def _(g: Tensor, x: Shape, axis: Any, keepdims: bool) -> Tensor:
    return broadcast_to(restore_axes(g, x, axis, keepdims), x)


reduce_sum.batch(batched_reduction(reduce_sum))


def restore_axes(g: Any, shape: Any, axis: Any, keepdims: bool) -> Any:
    """`g`, a reduction of `shape`, such that it broadcasts to it: lost axes come back as 1."""
    return g if axis is None or keepdims else reshape(g, keep_axes_shape(shape, axis))


@primitive(latex=r"\sum {x:2}")
def sum_to(x: Array, shape: Shape) -> Array:
    """The sum of `x` over the axes that a broadcast from `shape` repeated."""
    of_x = x.shape
    if of_x == shape:
        return x
    if of_x[1:] == shape:  # the commonest: a bias for each row
        return x[0] if of_x[0] == 1 else sum_of_rows(x)
    if x.size == prod(shape):  # only axes of size 1 were added
        return x.reshape(shape) if shape else x.reshape(())[()]
    if shape and of_x[:-1] == shape[:-1]:  # a number for each row
        return total(x, -1, True)
    lead = x.ndim - len(shape)
    if 1 not in shape and x.flags.c_contiguous:
        return sum_of_rows(x.reshape(-1, *shape))
    axes = [lead + i for i, n in enumerate(shape) if n == 1]
    return add_up(x, (*range(lead), *axes), x.dtype).reshape(shape)[()]


@sum_to.vjp("x")
def _(g: Tensor, x: Shape) -> Tensor:
    return broadcast_to(g, x)


@sum_to.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    (x,), (shape,) = values, attributes
    ones = (1,) * (len(x.shape) - 1 - len(shape))
    return reshape(sum_to(x, (size, *ones, *shape)), (size, *shape))
