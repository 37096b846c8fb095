"""Gathering: rows and elements by index, and scattering, which is its transpose.

The one fact to know: the derivative of a gather along axis 0 is an `IndexedSlices`, the rows that
were gathered with their indices; `ungather` adds such rows into zeros.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import DtypeError, InvalidArgumentError, teach
from minitape.errors.of_arguments import checked_one
from minitape.ops.broadcasting import reshape
from minitape.ops.families import add_rows, as_value, canonical_axis, picked
from minitape.ops.moving.indexed_slices import IndexedSlices
from minitape.ops.shapes.shaping import spread, transpose
from minitape.ops.statics import static_int, static_ints
from minitape.primitive import export, primitive
from minitape.tensor import Spec
from minitape.tensors.convert import operand

if TYPE_CHECKING:
    from minitape.op import Op
    from minitape.tensor import Array, Indices, Shape, Tensor
    from minitape.values.public_types import Axis, TensorLike
    from minitape.values.results import SameKind


@primitive(type_name="GatherV2", latex=r"{x:4}_{{\left[{indices}\right]}}")
def gather(
    x: Array, indices: Indices, axis: int = 0, batch_dims: int = 0, from_end: bool = False
) -> Array:
    """The slices of `x` along `axis` at `indices`; see `tf.gather`.

    Negative indices count from the end for `x[i]` (`from_end`), and for it alone.
    """
    if not from_end:
        _refuse_outside(indices, x.shape[axis], "gather")
    if not batch_dims:
        return as_value(x.take(indices, axis))
    return _grouped(
        _front(x, axis, batch_dims)[_grid(indices, batch_dims)],
        indices.ndim - batch_dims,
        axis,
        batch_dims,
    )


def _grid(indices: Any, batch_dims: int) -> tuple[Any, ...]:
    """An index for the leading axes: each example's own number, then `indices`."""
    lead = np.ogrid[tuple(slice(n) for n in indices.shape[:batch_dims])]
    ones = (1,) * (indices.ndim - batch_dims)
    return (*(each.reshape(each.shape + ones) for each in lead), indices)


def _front(x: Any, axis: int, batch_dims: int) -> Any:
    """`x` with the gathered axis moved behind the batch axes."""
    return np.moveaxis(x, axis, batch_dims)


def _grouped(x: Any, count: int, axis: int, batch_dims: int) -> Any:
    """`x` with the `count` axes of the indices moved to where `axis` was."""
    return np.moveaxis(x, range(batch_dims, batch_dims + count), range(axis, axis + count))


@gather.prepare
def _(x: Any, indices: Any, axis: Any, batch_dims: Any, from_end: Any) -> tuple[Any, ...]:
    place = canonical_axis(axis, len(x.shape), "gather")
    # Where the first axis is counted from the end, TensorFlow's gradient is dense.
    return axis if axis < 0 and not place else place, batch_dims, from_end


@gather.vjp("x")
def _(g: Tensor, x: Spec, indices: Tensor, axis: int, batch_dims: int) -> Any:
    if axis or batch_dims:
        return ungather(g, indices, x.shape, max(axis, 0), batch_dims)
    count = _size(indices)
    return IndexedSlices(reshape(g, (count, *x.shape[1:])), reshape(indices, (count,)), x.shape)


def _size(indices: Any) -> int:
    return prod(tuple(indices.shape))


gather.jvp(picked(gather))


@gather.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    (x, indices), (axis, batch_dims, from_end) = values, attributes
    axis = max(axis, 0)
    if not batch_dims and not stacked[1]:
        return gather(x, indices, axis + 1, 0, from_end)
    if not batch_dims and not stacked[0]:
        out = gather(x, indices, axis, 0, from_end)
        return (
            transpose(out, (axis, *range(axis), *range(axis + 1, len(out.shape)))) if axis else out
        )
    x, indices = spread(x, stacked[0], size), spread(indices, stacked[1], size)
    return gather(x, indices, axis + 1, batch_dims + 1, from_end)


@primitive(
    type_name="UnsortedSegmentSum",
    latex=r"\mathrm{{zeros}}\left(\left[{indices}\right] \addto {x}\right)",
)
def ungather(x: Array, indices: Indices, shape: Shape, axis: int = 0, batch_dims: int = 0) -> Array:
    """Zeros of `shape` with the slices `x` added along `axis`: the transpose of gather."""
    out = np.zeros(shape, x.dtype)
    if not axis and not batch_dims:
        add_rows(out, indices, x)
        return out
    count = indices.ndim - batch_dims
    slices = np.moveaxis(x, range(axis, axis + count), range(batch_dims, batch_dims + count))
    np.add.at(_front(out, axis, batch_dims), _grid(indices, batch_dims), slices)
    return out


@ungather.vjp("x")
def _(g: Tensor, indices: Tensor, axis: int, batch_dims: int) -> Tensor:
    return gather(g, indices, axis, batch_dims, True)  # the way there has looked at the indices


@ungather.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    (x, indices), (shape, axis, batch_dims) = values, attributes
    if stacked[0] and not stacked[1] and not batch_dims:
        return ungather(x, indices, (size, *shape), axis + 1)
    x, indices = spread(x, stacked[0], size), spread(indices, stacked[1], size)
    return ungather(x, indices, (size, *shape), axis + 1, batch_dims + 1)


def infer_at_zeros(op: Op) -> Any:
    """How shapes are inferred where ones would be indices out of range: by the forward on zeros."""

    def infer(specs: Any, *attributes: Any) -> Spec:
        zeros = [np.broadcast_to(np.zeros((), s.dtype), s.shape)[()] for s in specs]
        out = op.forward(*zeros, *attributes)
        return Spec(out.shape, out.dtype)

    return infer


gather.op.infer = infer_at_zeros(gather.op)
ungather.op.infer = infer_at_zeros(ungather.op)


@export("gather")
def gather_slices(
    params: TensorLike,
    indices: TensorLike,
    validate_indices: Any = None,
    axis: Axis = None,
    batch_dims: Any = 0,
    name: str | None = None,
) -> SameKind:
    """The slices of `params` along `axis` at `indices`.

    Args:
        params: a tensor of rank at least 1.
        indices: integers from 0 to `params.shape[axis] - 1`, of any shape.
        validate_indices: accepted and not used; indices are always checked.
        axis: the axis that is gathered; by default `batch_dims`.
        batch_dims: how many leading axes `params` and `indices` share, example by example.
        name: accepted and not used.

    Returns:
        A tensor of shape
        `params.shape[:axis] + indices.shape[batch_dims:] + params.shape[axis + 1:]`.
        Its gradient for axis 0 is an `IndexedSlices`.

    Raises:
        InvalidArgumentError: if an index is out of range.

    Example:
        >>> import minitape as tf
        >>> tf.gather([10, 20, 30], [2, 0, 2]).numpy().tolist()
        [30, 10, 30]
    """
    x, ids = operand(params, None), operand(indices, None)
    batch_dims = checked_one(
        "gather", "batch_dims", static_ints(batch_dims, "gather", "batch_dims")
    )
    batch_dims = (
        canonical_axis(batch_dims, len(ids.shape) + 1, "gather", "batch_dims")
        if batch_dims >= 0
        else batch_dims % len(ids.shape)
    )
    axis = static_int(batch_dims if axis is None else axis, "gather", "axis")
    check_integers(ids, "gather")
    return gather(x, ids, axis, batch_dims)


class IndexRangeError(InvalidArgumentError, IndexError):
    """An index that no slice has."""


def check_indices(ids: Any, n: int, op: str) -> None:
    """Raises unless the indices are integers from 0 to n - 1, as far as they are known."""
    check_integers(ids, op)
    values: Any = getattr(ids, "value", None)
    if hasattr(values, "min"):  # else in a graph, or inside other batches
        _refuse_outside(values, n, op)


def check_integers(ids: Any, op: str) -> None:
    """Raises unless the indices are integers."""
    if ids.spec.dtype.kind not in "iu":
        raise DtypeError(
            f"{op}: indices must be integers (tf.int32 or tf.int64); got {ids.dtype.name}. "
            "Write `tf.cast(indices, tf.int32)`."
        )


def _refuse_outside(indices: Any, n: int, op: str) -> None:
    """Raises unless all indices are from 0 to n - 1."""
    if not indices.size or (indices.min() >= 0 and indices.max() < n):
        return
    at = next(i for i in np.ndindex(indices.shape) if not 0 <= indices[i] < n)
    raise IndexRangeError(
        teach(
            f"{op}: indices{list(at) if at else ''} = {indices[at]} is not in [0, {n}).",
            "Negative indices do not count from the end here.",
            f"Use indices from 0 to {n - 1}.",
        )
    )
