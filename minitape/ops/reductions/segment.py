"""Segment ops: sums, means, extremes and products of rows that carry the same segment id.

The sorted forms are the unsorted ones with the number of segments read off the last id. A negative
id leaves its row out. Everything is built from two ops that are each other's derivative: summing
rows by id, and copying each segment's row back to its members.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError, teach
from minitape.op import primitive
from minitape.ops.broadcasting import reshape
from minitape.ops.elementwise.comparison import masked, maximum
from minitape.ops.elementwise.division import truncatediv
from minitape.ops.families import add_rows
from minitape.ops.moving.gathering import IndexedSlices
from minitape.ops.reductions.reduction import reduce_prod
from minitape.ops.shapes.shaping import transpose
from minitape.ops.statics import static_int, static_value
from minitape.tensor import Spec, eager
from minitape.tensors.convert import operand

if TYPE_CHECKING:
    from minitape.tensor import Array, Indices, Tensor


def _blank(x: Array, count: int, fill: Any) -> Array:
    return np.full((count, *x.shape[1:]), fill, x.dtype)


@primitive(type_name="UnsortedSegmentSum", latex=r"\mathrm{{segment\ sum}}\left({x}\right)")
def unsorted_segment_sum(x: Array, ids: Indices, count: int) -> Array:
    """out[s] = the sum of the rows of `x` whose id is s; rows with negative ids are left out."""
    out = _blank(x, count, 0)
    kept = ids >= 0
    add_rows(out, ids[kept], x[kept])
    return out


@unsorted_segment_sum.vjp("x")
def _(g: Tensor, ids: Tensor) -> Tensor:
    return segment_rows(g, ids)


@unsorted_segment_sum.jvp
def _(tangents: Any, inputs: Any, out: Any, attributes: Any) -> Any:
    """Slices, as in TensorFlow: the rows with their segments, before they add up."""
    (t, _), (_, ids) = tangents, inputs
    counted = reshape(ids >= 0, (ids.shape[0], *(1,) * (len(t.shape) - 1)))
    return IndexedSlices(masked(t, counted), maximum(ids, 0), tuple(out.shape))


@unsorted_segment_sum.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    return _rows_first(unsorted_segment_sum, values, stacked, attributes)


@primitive(type_name="GatherV2", latex=r"{x:4}_{{{ids}}}")
def segment_rows(x: Array, ids: Indices, blanks: bool = True) -> Array:
    """out[i] = x[ids[i]]; where the id is negative zeros, or without `blanks` an error."""
    if not blanks and ids.min(initial=0) < 0:
        raise InvalidArgumentError(
            f"indices hold {ids.min()}, which is out of range [0, {len(x)}). Negative indices do "
            "not count from the end here. Use those of rows, from 0 on."
        )
    out = x[np.maximum(ids, 0)] if len(x) else _blank(x, len(ids), 0)
    out[ids < 0] = 0
    return out


@segment_rows.vjp("x")
def _(g: Tensor, x: Spec, ids: Tensor) -> Tensor:
    return unsorted_segment_sum(g, ids, x.shape[0])


@segment_rows.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    return _rows_first(segment_rows, values, stacked, attributes)


def _rows_first(
    op: Any, values: list[Any], stacked: list[bool], attributes: tuple[Any, ...]
) -> Any:
    """Segments of a stack that shares its ids: the rows become the first axis, and go back."""
    if stacked[1]:
        return NotImplemented
    x, ids = values
    order = (1, 0, *range(2, len(x.shape)))
    return _swapped(op(_swapped(x, order), ids, *attributes), order)


def _swapped(x: Any, order: Any) -> Any:
    return transpose(x, order)


@primitive(differentiable=False, latex=r"\mathrm{{winner}}\left({x}\right)")
def segment_shares(x: Array, ids: Indices, count: int, largest: bool) -> Array:
    """What each row gets of the gradient of its segment's extreme: 1/n for n ties, else 0."""
    extreme = _segment_extreme(x, ids, count, largest)
    ties = (x == segment_rows(extreme, ids)) & (ids >= 0).reshape(-1, *(1,) * (x.ndim - 1))
    counts = segment_rows(unsorted_segment_sum(ties.astype(x.dtype), ids, count), ids)
    return ties / np.maximum(counts, 1)


segment_shares.says(called="shares of winners")


def _segment_extreme(x: Array, ids: Array, count: int, largest: bool) -> Array:
    limits = np.finfo(x.dtype) if x.dtype.kind == "f" else np.iinfo(x.dtype)
    of_none = limits.min if largest else limits.max
    beyond = (-np.inf if largest else np.inf) if x.dtype.kind == "f" else of_none
    out, kept = _blank(x, count, beyond), ids[ids >= 0]
    (np.maximum if largest else np.minimum).at(out, kept, x[ids >= 0])
    out[np.bincount(kept, minlength=count)[:count] == 0] = of_none
    return out


@primitive(
    type_name="UnsortedSegmentMax", latex=r"\mathrm{{segmax}}\left({x}\right)", refuses="bcO"
)
def unsorted_segment_max(x: Array, ids: Indices, count: int) -> Array:
    """The largest of each segment; the lowest finite number of none. Ties share the gradient."""
    return _segment_extreme(x, ids, count, True)


unsorted_segment_max.says(extreme="largest", unpicked="nowhere the largest")


@unsorted_segment_max.vjp("x")
def _(g: Tensor, x: Tensor, ids: Tensor, count: int) -> Tensor:
    return _shared(g, x, ids, count, True)


@primitive(
    type_name="UnsortedSegmentMin", latex=r"\mathrm{{segmin}}\left({x}\right)", refuses="bcO"
)
def unsorted_segment_min(x: Array, ids: Indices, count: int) -> Array:
    """The smallest of each segment; the highest finite number of none. Ties share the gradient."""
    return _segment_extreme(x, ids, count, False)


unsorted_segment_min.says(extreme="smallest", unpicked="nowhere the smallest")


@unsorted_segment_min.vjp("x")
def _(g: Tensor, x: Tensor, ids: Tensor, count: int) -> Tensor:
    return _shared(g, x, ids, count, False)


def _shared(g: Any, x: Any, ids: Any, count: int, largest: bool) -> Any:
    """What each row gets of `g`: a gradient of infinity or nan reaches the extremes alone."""
    shares = segment_shares(x, ids, count, largest)
    return masked(segment_rows(g, ids) * shares, shares > 0)


segment_rows.op.infer = lambda specs, blanks: Spec(
    (*specs[1].shape, *specs[0].shape[1:]), specs[0].dtype
)
segment_shares.op.infer = lambda specs, *attributes: Spec(specs[0].shape, specs[0].dtype)
for _op in (unsorted_segment_sum, unsorted_segment_max, unsorted_segment_min):
    _op.op.infer = lambda specs, count: Spec((count, *specs[0].shape[1:]), specs[0].dtype)


def segment_prod(x: Any, ids: Any, count: int) -> Any:
    """The product of each segment, 1 of none: its rows, padded with ones, multiplied."""
    members = _members(ids.value, count)
    missing = (members < 0).reshape(*members.shape, *(1,) * (len(x.spec.shape) - 1))
    rows = segment_rows(x, eager(members.reshape(-1)))
    table = reshape(rows, (*members.shape, *x.spec.shape[1:]))
    return reduce_prod(table + eager(missing.astype(x.spec.dtype)), 1)


def _members(ids: Array, count: int) -> Array:
    """For each segment the numbers of its rows, filled up with -1."""
    kept = np.flatnonzero(ids >= 0)
    order = kept[np.argsort(ids[kept], kind="stable")]
    sizes = np.bincount(ids[kept], minlength=count)
    table = np.full((count, sizes.max(initial=0)), -1)
    table[np.arange(table.shape[1]) < sizes[:, None]] = order
    return table


def segment_mean(x: Any, ids: Any, count: int) -> Any:
    """The mean of each segment, 0 of none."""
    return unsorted_segment_sum(x, ids, count) / _counts(x, ids, count)


def sorted_segment_mean(x: Any, ids: Any, count: int) -> Any:
    """The mean of each segment, 0 of none; of integers its whole part, as in TensorFlow."""
    if x.spec.dtype.kind not in "iu":
        return segment_mean(x, ids, count)
    return truncatediv(unsorted_segment_sum(x, ids, count), _counts(x, ids, count))


def segment_sqrt_n(x: Any, ids: Any, count: int) -> Any:
    """The sum of each segment by the square root of its size."""
    return unsorted_segment_sum(x, ids, count) / _counts(x, ids, count, 0.5)


def _counts(x: Any, ids: Any, count: int, power: float = 1.0) -> Any:
    """The sizes of the segments (at least 1), in the dtype of `x` and lined up with its rows."""
    sizes = np.maximum(np.bincount(ids.value[ids.value >= 0], minlength=count), 1) ** power
    rank = len(x.spec.shape)
    return eager(sizes.astype(x.spec.dtype).reshape(count, *(1,) * (rank - 1)))


def ids_of(segment_ids: Any, count: Any, op: str) -> tuple[Any, int]:
    """Segment ids as a flat tensor, and the number of segments (None: the ids are sorted).

    Raises:
        InvalidArgumentError: if sorted ids are not increasing, or an id is too large.
    """
    ids = np.asarray(static_value(operand(segment_ids, None), op, "segment_ids"))
    if ids.dtype.kind not in "iu":
        raise TypeError(f"{op}: segment_ids must be integers; they have dtype {ids.dtype.name}.")
    flat = ids.reshape(-1)
    if count is None:
        if ids.ndim != 1 or np.any(np.diff(flat) < 0) or np.any(flat < 0):
            raise _not_sorted(op, ids)
        return eager(flat), int(flat[-1]) + 1 if flat.size else 0
    number = static_int(count, op, "num_segments")
    if flat.size and flat.max() >= number:
        raise InvalidArgumentError(
            teach(
                f"{op}: segment_ids has the id {flat.max()}, which is out of range [0, {number}).",
                f"num_segments={number} says how many segments there are.",
                f"Give num_segments={flat.max() + 1} or more, or negative ids for rows to "
                "leave out.",
            )
        )
    return eager(flat), number


def _not_sorted(op: str, ids: Array) -> InvalidArgumentError:
    return InvalidArgumentError(
        teach(
            f"{op}: segment ids are not increasing: {ids.tolist()}.",
            "The sorted form expects a vector of ids from 0 up, equal ones next to each other.",
            f"Sort the rows by id, or use `tf.math.unsorted_{op}(data, segment_ids, "
            "num_segments)`.",
        )
    )


def rows_of(data: Any, segment_ids: Any, op: str) -> Any:
    """The data with one leading axis, as many rows as there are ids.

    Raises:
        InvalidArgumentError: if the shape of the ids is not how the data's shape starts.
    """
    x, ids = operand(data, None), operand(segment_ids, None)
    shape, lead = tuple(x.spec.shape), tuple(ids.spec.shape)
    if shape[: len(lead)] != lead or not lead:
        raise InvalidArgumentError(
            teach(
                f"{op}: data.shape = {list(shape)} does not start with segment_ids.shape = "
                f"{list(lead)}.",
                "Every row of the data needs one id.",
                "Give as many ids as the data has rows.",
            )
        )
    return x if len(lead) == 1 else reshape(x, (prod(lead), *shape[len(lead) :]))
