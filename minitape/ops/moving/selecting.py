"""Choosing by masks, ids and lengths: boolean_mask, embedding_lookup, one_hot, sequence_mask.

A mask becomes indices, and then it is a gather.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import DtypeError, InvalidArgumentError, teach
from minitape.op import export, primitive
from minitape.ops.broadcasting import reduce_sum, reshape
from minitape.ops.elementwise.comparison import maximum, nonzero_indices
from minitape.ops.families import canonical_axis
from minitape.ops.moving.gathering import gather, gather_slices, infer_at_zeros
from minitape.ops.moving.unknown_indices import comes_later
from minitape.ops.shapes.shaping import spread
from minitape.ops.statics import as_tensor, static_array, static_int, static_value
from minitape.tensor import eager
from minitape.tensors.composite import Composite
from minitape.tensors.convert import convert_to_tensor, operand
from minitape.values import dtypes

if TYPE_CHECKING:
    from minitape.tensor import Array, Indices, Shape, Spec, Tensor
    from minitape.values.public_types import Axis, DTypeLike, TensorLike
    from minitape.values.results import SameKind


@export("boolean_mask")
def boolean_mask(
    tensor: TensorLike, mask: TensorLike, axis: Axis = None, name: str = "boolean_mask"
) -> SameKind:
    """The elements or slices of a tensor where a mask is true, in order.

    Args:
        tensor: a tensor of shape [..., n1, ..., nk, ...].
        mask: bools (or numbers, of which 0 is false) of shape [n1, ..., nk], for the axes from
            `axis` on.
        axis: the first axis that the mask covers, 0 by default.
        name: accepted and not used.

    Raises:
        ValueError: if the mask is a scalar, or its shape is not that of the axes that it covers.

    Example:
        >>> import minitape as tf
        >>> tf.boolean_mask([10, 20, 30], [True, False, True]).numpy().tolist()
        [10, 30]
    """
    x = operand(tensor, None)
    if isinstance(x, Composite) and None in tuple(x.shape):
        if hasattr(x, "boolean_mask"):  # rows of different lengths
            return x.boolean_mask(mask)
        x = convert_to_tensor(x)
    keep: Any = mask.spec if comes_later(mask) else static_array(mask, "boolean_mask", "mask")
    axis = static_int(0 if axis is None else axis, "boolean_mask", "axis")
    shape = tuple(x.shape)
    axis = canonical_axis(axis, max(len(shape), 1), "boolean_mask")
    end = axis + len(keep.shape)
    if keep.dtype.kind not in "biufc" or not keep.shape or shape[axis:end] != keep.shape:
        raise InvalidArgumentError(
            teach(
                f"boolean_mask: Shapes {shape[axis:end]} and {keep.shape} are incompatible: "
                "the tensor has shape "
                f"{shape}, the mask has dtype {keep.dtype} and covers its axes from {axis} on.",
                "A mask has one bool for each element of the axes it covers, and is not a scalar.",
                "Compare to make bools, `x > 0`, and give as many as the axes have elements.",
            )
        )
    flat = reshape(x, (*shape[:axis], prod(keep.shape), *shape[end:]))
    if comes_later(mask):
        return gather(flat, nonzero_indices(reshape(mask, (-1,)))[:, 0], axis)
    return gather(flat, eager(np.flatnonzero(keep)), axis)


@export("nn.embedding_lookup")
def embedding_lookup(
    params: TensorLike, ids: Any, max_norm: Any = None, name: str | None = None
) -> Tensor:
    """The rows of a table at integer ids; the gradient of the table is an `IndexedSlices`.

    Args:
        params: a table of shape [n, ...], or a list with it as the only item.
        ids: integers from 0 to n - 1, of any shape.
        max_norm: if given, longer rows are scaled to this Euclidean length.
        name: accepted and not used.

    Returns:
        A tensor of shape `ids.shape + params.shape[1:]`.

    Raises:
        ValueError: if there is no table, or more than one.
        InvalidArgumentError: if an id is out of range.

    Example:
        >>> import minitape as tf
        >>> tf.nn.embedding_lookup([[1.0, 2.0], [3.0, 4.0]], [1, 1]).numpy().tolist()
        [[3.0, 4.0], [3.0, 4.0]]
    """
    if isinstance(params, list | tuple) and (not params or hasattr(params[0], "dtype")):
        if len(params) != 1:
            raise ValueError(
                f"embedding_lookup: params is a list of {len(params)} tables; give one. "
                "Write `tf.concat(params, 0)` to make one of several."
            )
        params = params[0]
    rows = gather_slices(params, ids)
    return rows if max_norm is None else _clipped(rows, max_norm, len(operand(ids, None).shape))


def _clipped(rows: Any, max_norm: Any, rank: int) -> Any:
    """Rows scaled down to the length `max_norm` where they are longer."""
    axes = tuple(range(rank, len(rows.shape)))
    longest = maximum(reduce_sum(rows * rows, axes, True), max_norm * max_norm)
    return rows * (max_norm / longest**0.5)


@primitive(
    node_name="one_hot", differentiable=False, latex=r"\mathrm{{one\_hot}}\left({indices}\right)"
)
def one_hot(indices: Indices, depth: int, on: Any, off: Any, axis: int) -> Array:
    """`on` where the new axis counts to the index, else `off`: none for an index out of range."""
    count = np.arange(depth).reshape((depth,) + (1,) * (indices.ndim - axis))
    return np.where(np.expand_dims(indices, axis) == count, on, off)


@one_hot.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    *rest, axis = attributes
    return one_hot(values[0], *rest, axis + 1)


@export("one_hot")
def one_hot_vectors(
    indices: TensorLike,
    depth: Any,
    on_value: TensorLike | None = None,
    off_value: TensorLike | None = None,
    axis: Axis = None,
    dtype: DTypeLike = None,
    name: str | None = None,
) -> Tensor:
    """Unit vectors: a new axis of size `depth` with `on_value` at the index, else `off_value`.

    Args:
        indices: integers; one that is not in [0, depth) gives a vector without `on_value`.
        depth: the size of the new axis.
        on_value: 1 by default.
        off_value: 0 by default.
        axis: where the new axis stands in the result, by default last.
        dtype: of the result; by default that of the values, else float32.
        name: accepted and not used.

    Raises:
        TypeError: if the values have another dtype than `dtype`, or indices are no integers.
        InvalidArgumentError: if `depth` is negative.

    Example:
        >>> import minitape as tf
        >>> tf.one_hot([0, 2], 3).numpy().tolist()
        [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    ids = as_tensor(indices)
    if ids.spec.dtype.kind not in "iu":
        raise DtypeError(
            f"one_hot: indices must be integers; got {ids.dtype.name}. Write `tf.cast(indices, "
            "tf.int32)`."
        )
    wanted = None if dtype is None else dtypes.as_dtype(dtype).np
    on, off = (None if v is None else _scalar(v, wanted) for v in (on_value, off_value))
    found = {v.dtype for v in (on, off) if v is not None} or {wanted or np.dtype(np.float32)}
    if len(found) > 1 or (wanted is not None and found != {wanted}):
        names = sorted(each.name for each in found)
        raise TypeError(
            "dtype of on_value and off_value must match, and be dtype if that is given; got "
            f"{names} "
            f"and dtype={dtype}. Give both values in one dtype."
        )
    (kind,) = found
    on, off = kind.type(1) if on is None else on, kind.type(0) if off is None else off
    depth = static_int(depth, "one_hot", "depth")
    if depth < 0:
        raise InvalidArgumentError(
            f"one_hot: depth must be non-negative, got: {depth}. It counts the classes."
        )
    axis = static_int(-1 if axis is None else axis, "one_hot", "axis")
    return one_hot(ids, depth, on, off, canonical_axis(axis, len(ids.shape) + 1, "one_hot"))


def _scalar(value: Any, dtype: Any) -> Any:
    return static_array(value, "one_hot", "on_value and off_value", dtype)


@primitive(differentiable=False, latex=r"\mathrm{{sequence\_mask}}\left({lengths}\right)")
def sequence_mask(lengths: Indices, maxlen: int, dtype: Any) -> Array:
    """True at the first `lengths[i]` of `maxlen` places of row i; see `tf.sequence_mask`."""
    return (np.arange(maxlen) < np.expand_dims(lengths, -1)).astype(dtype)


@sequence_mask.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    return sequence_mask(values[0], *attributes)


@export("sequence_mask")
def sequence_masks(
    lengths: TensorLike, maxlen: Any = None, dtype: DTypeLike = "bool", name: str | None = None
) -> Tensor:
    """Masks of the first n places: row i is true (or 1) up to `lengths[i]`.

    Args:
        lengths: integers of any shape.
        maxlen: the size of the new last axis; by default the greatest length.
        dtype: of the result.
        name: accepted and not used.

    Example:
        >>> import minitape as tf
        >>> tf.sequence_mask([1, 0], 2).numpy().tolist()
        [[True, False], [False, False]]
    """
    ids = as_tensor(lengths)
    if ids.spec.dtype.kind not in "iuf":
        raise TypeError(
            f"sequence_mask: lengths must be integers; they have dtype {ids.dtype.name}. Row i is "
            "true up to lengths[i]. Write for instance `tf.sequence_mask([1, 3])`."
        )
    if maxlen is None:
        maxlen = np.max(static_value(ids, "sequence_mask", "lengths"), initial=0)
    maxlen = static_int(maxlen, "sequence_mask", "maxlen")
    if maxlen < 0:
        raise InvalidArgumentError(
            f"sequence_mask: maxlen is {maxlen}, and the size of an axis cannot be negative. "
            "Leave it out for the greatest length."
        )
    return sequence_mask(ids, maxlen, dtypes.as_dtype(dtype).np)


@primitive(type_name="GatherV2", latex=r"{x:4}_{{\left[{indices}\right]}}")
def take_along(x: Array, indices: Indices, axis: int) -> Array:
    """The elements of `x` along `axis` at the indices of each line, as sorting needs them."""
    return np.take_along_axis(x, indices, axis)


take_along.says(moves="picks", unpicked="never picked")


@take_along.vjp("x")
def _(g: Tensor, x: Spec, indices: Tensor, axis: int) -> Tensor:
    return add_along(g, indices, x.shape, axis)


@primitive(
    type_name="ScatterNd", latex=r"\mathrm{{zeros}}\left(\left[{indices}\right] \addto {x}\right)"
)
def add_along(x: Array, indices: Indices, shape: Shape, axis: int) -> Array:
    """Zeros of `shape` to which `x` is added along `axis` at the indices of each line."""
    out = np.zeros(shape, x.dtype)
    lines = list(np.ogrid[tuple(slice(n) for n in indices.shape)])
    lines[axis] = indices
    np.add.at(out, tuple(lines), x)
    return out


add_along.says(called="values put back")


@add_along.vjp("x")
def _(g: Tensor, indices: Tensor, axis: int) -> Tensor:
    return take_along(g, indices, axis)


@take_along.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    x, indices = (spread(v, own, size) for v, own in zip(values, stacked, strict=True))
    return take_along(x, indices, attributes[0] + 1)


@add_along.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    x, indices = (spread(v, own, size) for v, own in zip(values, stacked, strict=True))
    shape, axis = attributes
    return add_along(x, indices, (size, *shape), axis + 1)


for _op in (take_along, add_along):
    _op.op.infer = infer_at_zeros(_op.op)
