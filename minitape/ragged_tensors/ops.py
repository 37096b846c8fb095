"""What ops mean for ragged tensors: elementwise ones, reductions, joining, filling up.

Everything is said in terms of the values and static places in them, so that gradients need nothing
more than those of gather, concat and the reductions themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError, teach
from minitape.op import Op
from minitape.ops.broadcasting import broadcast_to, reduce_sum, reshape
from minitape.ops.families import canonical_axis
from minitape.ops.moving.copying import reverse, tile
from minitape.ops.moving.gathering import gather
from minitape.ops.moving.joining import concat, split, stack
from minitape.ops.moving.scattering import gather_nd, scatter_update
from minitape.ops.neural.softmax import log_softmax, softmax
from minitape.ops.reductions.cumulative import cumprod, cumsum
from minitape.ops.reductions.extremes import reduce_max, reduce_min
from minitape.ops.reductions.reduction import reduce_all, reduce_any, reduce_mean, reduce_prod
from minitape.ops.reductions.statistics import reduce_logsumexp, reduce_std, reduce_variance
from minitape.ops.reductions.sums import add_n
from minitape.ops.statics import static_ints, static_value
from minitape.ops.texts.texts import (
    lower_text,
    matches_pattern,
    part_of_text,
    replace_pattern,
    strip_text,
    text_length,
    upper_text,
)
from minitape.ragged_tensors.slicing import choose, expand
from minitape.ragged_tensors.tensor import RaggedTensor, meanings, no_meaning
from minitape.tensor import Tensor, eager
from minitape.tensors.convert import operand
from minitape.values.shapes import TensorShape

if TYPE_CHECKING:
    from collections.abc import Callable

    from minitape.op import Primitive


def means(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declares the methods `names` of ragged tensors that need ops."""

    def declare(meaning: Callable[..., Any]) -> Callable[..., Any]:
        meanings.update(dict.fromkeys(names, meaning))
        return meaning

    return declare


def _all(*ops: Primitive) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declares what several ops do with ragged tensors."""

    def declare(meaning: Callable[..., Any]) -> Callable[..., Any]:
        for each in ops:
            each.ragged(meaning)
        return meaning

    return declare


@_all(text_length, lower_text, upper_text, strip_text)
@_all(part_of_text, replace_pattern, matches_pattern, add_n)
@means("on_values")
def _on_flat_values(op: Any, inputs: tuple[Any, ...], attributes: tuple[Any, ...]) -> RaggedTensor:
    """The op on the flat values; tensors are spread over the rows first."""
    ragged = [x for x in inputs if isinstance(x, RaggedTensor)]
    like = max(ragged, key=lambda x: (x.ragged_rank, len(x.coordinates())))
    flat = [spread_over(x, like) for x in inputs]
    return like.with_flat_values(op.applied(op.call, flat, attributes))


def spread_over(x: Any, like: RaggedTensor) -> Any:
    """What of `x` belongs to each of the flat values of `like`.

    Raises:
        InvalidArgumentError: if rows or shapes do not fit.
    """
    if isinstance(x, RaggedTensor):
        if x.same_rows(like):
            return x.flat_values
        if any((np.diff(splits.value) != 1).any() for splits in x.nested_row_splits):
            raise _misaligned(x, like)
        x = x.to_tensor()
    shape = (1,) * (like.ndim - len(x.shape)) + tuple(x.shape)
    lead, inner = shape[: like.ragged_rank + 1], shape[like.ragged_rank + 1 :]
    if all(n == 1 for n in lead):
        return x if len(x.shape) <= len(inner) else reshape(x, inner)
    sizes = [np.array([len(like)])] + [np.diff(splits.value) for splits in like.nested_row_splits]
    fits = [n == 1 or (size == n).all() for n, size in zip(lead, sizes, strict=True)]
    if len(shape) > like.ndim or not all(fits):
        raise _misaligned(x, like)
    indices = like.coordinates() * (np.array(lead) != 1)
    return gather_nd(reshape(x, shape), eager(indices), 0)


def _misaligned(x: Any, like: RaggedTensor) -> InvalidArgumentError:
    """Two values do not broadcast to each other."""
    shown = [
        f"rows of {np.diff(each.row_splits.value).tolist()} items"
        if isinstance(each, RaggedTensor)
        else f"shape {tuple(each.shape)}"
        for each in (x, like)
    ]
    return InvalidArgumentError(
        teach(
            f"Unable to broadcast: Inputs must have identical ragged splits; got {shown[0]} "
            f"and {shown[1]}.",
            "Ragged tensors fit if their rows have equal lengths; a tensor fits if it is a "
            "scalar, has "
            "size 1 along the ragged axis, or if all rows have its size.",
            "Write `x[:, tf.newaxis]` to use one number of a vector `x` for each row.",
        )
    )


def _lowest(dtype: np.dtype[Any]) -> Any:
    return (np.finfo if dtype.kind == "f" else np.iinfo)(dtype).min


def _highest(dtype: np.dtype[Any]) -> Any:
    return (np.finfo if dtype.kind == "f" else np.iinfo)(dtype).max


def _minus_infinity(dtype: np.dtype[Any]) -> Any:
    return dtype.type(-np.inf)


def _zero(dtype: np.dtype[Any]) -> Any:
    return dtype.type(0)


def _one(dtype: np.dtype[Any]) -> Any:
    return dtype.type(1)


# What an op may add to a row without changing its result.
_NEUTRAL: dict[Op, Callable[[Any], Any]] = {
    reduce_sum.op: _zero,
    reduce_prod.op: _one,
    reduce_max.op: _lowest,
    reduce_min.op: _highest,
    reduce_all.op: lambda dtype: np.True_,
    reduce_any.op: lambda dtype: np.False_,
    reduce_logsumexp.op: _minus_infinity,
}


@_all(reduce_sum, reduce_prod, reduce_max, reduce_min, reduce_all, reduce_any)
@_all(reduce_logsumexp, reduce_mean)
def _reduced(op: Any, inputs: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
    """A reduction over all axes, or over one or several of them."""
    (x,), (axis, keepdims) = inputs, attributes
    call = op.call
    if axis is None:
        return call(x.flat_values, None, False)
    axes = {canonical_axis(a, x.ndim, op.name) for a in static_ints(axis, op.name, "axis")}
    if op is reduce_mean.op:
        ones = np.ones(tuple(x.flat_values.shape), x.spec.dtype)
        total, count = (
            _over(reduce_sum, each, axes, keepdims) for each in (x, x.with_flat_values(eager(ones)))
        )
        return total / count
    return _over(call, x, axes, keepdims)


def _over(call: Any, x: Any, axes: set[int], keepdims: bool) -> Any:
    """Reduces one axis after the other, the last first; what is left may not be ragged."""
    for axis in sorted(axes, reverse=True):
        x = (
            _over_one(call, x, axis, keepdims)
            if isinstance(x, RaggedTensor)
            else call(x, (axis,), keepdims)
        )
    return x


def _over_one(call: Any, x: RaggedTensor, axis: int, keepdims: bool) -> Any:
    if axis > x.ragged_rank:
        return x.with_flat_values(call(x.flat_values, (axis - x.ragged_rank,), keepdims))
    if axis == x.ragged_rank == 1 or (axis == 0 and x.ragged_rank == 1):
        return call(x.to_tensor(_NEUTRAL[call.op](x.spec.dtype)), (axis,), keepdims)
    if axis == 0:
        raise NotImplementedError(
            f"{call.op.name}: axis=0 of a ragged tensor with {x.ragged_rank} ragged axes. Reduce "
            f"axis {x.ragged_rank} first, or use `x.to_tensor()`."
        )
    return x.with_values(_over_one(call, x.values, axis - 1, keepdims))


@_all(reduce_variance, reduce_std)
def _deviations(op: Any, inputs: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
    """The mean squared distance from the mean, or its root."""
    (x,), (axis, keepdims) = inputs, attributes
    if axis is None:
        return op.call(x.flat_values, None, False)
    mean = reduce_mean
    distance = x - mean(x, axis, True)
    variance = mean(distance * distance, axis, keepdims)
    return variance if op is reduce_variance.op else variance**0.5


# What may stand behind a row without changing what an op along it does.
_BEHIND: dict[Op, Callable[[Any], Any]] = {
    softmax.op: _minus_infinity,
    log_softmax.op: _minus_infinity,
    cumsum.op: _zero,
    cumprod.op: _one,
}


@_all(softmax, log_softmax, cumsum, cumprod)
def _along_rows(op: Any, inputs: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
    """An op along the rows, computed on all of them filled up."""
    (x,), (axis, *rest) = inputs, attributes
    if x.ragged_rank > 1 or canonical_axis(axis, x.ndim, op.name) != 1:
        raise TypeError(no_meaning(f"{op.name} along axis {axis}"))
    full = op.call(x.to_tensor(_BEHIND[op](x.spec.dtype)), 1, *rest)
    return RaggedTensor.from_tensor(full, lengths=np.diff(x.row_splits.value))


@concat.ragged
def _concatenated(op: Any, inputs: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
    """Rows one behind the other (axis 0), or each row continued by the next's (axis 1)."""
    items = [x if isinstance(x, RaggedTensor) else RaggedTensor.from_tensor(x) for x in inputs]
    axis = canonical_axis(attributes[0], items[0].ndim, "concat")
    if axis > 1:
        if not all(x.same_rows(items[0]) for x in items):
            raise _misaligned(items[1], items[0])
        return items[0].with_values(concat([x.values for x in items], axis - 1))
    lengths = [np.diff(x.row_splits.value) for x in items]
    values = concat([x.values for x in items], 0)
    if axis == 0:
        return RaggedTensor.from_row_lengths(values, np.concatenate(lengths))
    if len({len(x) for x in items}) > 1:
        raise InvalidArgumentError(
            f"concat: the numbers of rows differ: {[len(x) for x in items]}. Along axis 1 they "
            "must agree."
        )
    rows = np.concatenate([x.rowids() for x in items])
    order = np.argsort(rows, kind="stable")
    return RaggedTensor.from_row_lengths(choose(values, order), np.sum(lengths, 0))


@stack.ragged
def _stacked(op: Any, inputs: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
    """The tensors as the rows of a new axis 0, or side by side along another."""
    axis = canonical_axis(attributes[0], inputs[0].ndim + 1, "stack")
    if axis == 0:
        return RaggedTensor.from_row_lengths(
            concat(list(inputs), 0), [int(tuple(x.shape)[0]) for x in inputs]
        )
    return concat([expand(x, axis) for x in inputs], axis)


@tile.ragged
def _tiled(op: Any, inputs: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
    """Copies behind each other along each axis, the innermost first."""
    (x,), (multiples,) = inputs, attributes
    for axis in reversed(range(len(multiples))):
        if multiples[axis] != 1:
            x = concat([x] * multiples[axis], axis) if multiples[axis] else x[:0]
    return x


@reverse.ragged
def _reversed(op: Any, inputs: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
    """Rows, or the items within each row, from the last to the first."""
    (x,), (axes,) = inputs, attributes
    return _flipped(x, set(axes))


def _flipped(x: Any, axes: set[int]) -> Any:
    if not isinstance(x, RaggedTensor):
        return reverse(x, tuple(sorted(axes))) if axes else x
    values = _flipped(x.values, {axis - 1 for axis in axes if axis > 1})
    splits = x.row_splits.value
    if 1 in axes:
        backwards = [np.arange(a, b)[::-1] for a, b in zip(splits[:-1], splits[1:], strict=True)]
        values = gather(values, eager(np.concatenate([np.arange(0), *backwards])), 0, 0)
    x = x.with_values(values)
    return x[::-1] if 0 in axes else x


@split.ragged
def _split(op: Any, inputs: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
    """Parts with so many rows each."""
    (x,), (sizes, axis) = inputs, attributes
    if axis:
        raise TypeError(no_meaning("split along an inner axis"))
    ends = np.cumsum([0, *sizes]).tolist()
    return tuple(x[a:b] for a, b in zip(ends[:-1], ends[1:], strict=True))


@gather.ragged
def _gathered(op: Any, inputs: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
    """Rows of a ragged tensor, or slices of a tensor at ragged indices."""
    x, indices = inputs
    if isinstance(indices, RaggedTensor):
        return indices.with_flat_values(gather(x, indices.flat_values, *attributes))
    if any(attributes) or len(indices.shape) > 1:
        raise TypeError(no_meaning("gather along an inner axis"))
    ids = static_value(indices, "gather", "indices")
    return x[int(ids)] if not np.ndim(ids) else choose(x, ids)


@means("to_tensor")
def _filled_up(x: RaggedTensor, default_value: Any, shape: Any) -> Tensor:
    """The rows in one tensor; what they leave empty holds `default_value`."""
    flat, places, dtype = x.flat_values, x.coordinates(), x.spec.dtype
    stated = TensorShape(None) if shape is None else TensorShape(shape)
    dims = stated.with_rank(x.ndim).as_list()
    whole = tuple(n if dim is None else dim for dim, n in zip(dims, x.bounds(), strict=True))
    kept = (places < np.array(whole[: places.shape[1]])).all(-1)
    if not kept.all():
        flat, places = choose(flat, np.flatnonzero(kept)), places[kept]
    if default_value is None:
        nothing = b"" if dtype.kind == "O" else dtype.type(0)
        filled = eager(np.full(whole, nothing, dtype))
    else:
        filled = broadcast_to(operand(default_value, dtype), whole)
    out: Tensor = scatter_update(filled, flat, eager(places), 0)
    return out
