"""`tf.ragged.*`: constants, ops on flat values, masks and ranges.

These only take lists or values apart and put rows together; see `ragged_ops`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError, teach
from minitape.errors.of_arguments import (
    allocated,
    checked_function,
    checked_integer,
    checked_items,
    not_fitting,
)
from minitape.op import export
from minitape.ops.broadcasting import reshape
from minitape.ops.moving.joining import concat, stack
from minitape.ops.statics import static_value
from minitape.ragged_tensors.slicing import choose
from minitape.ragged_tensors.tensor import RaggedTensor, meanings
from minitape.tensor import Tensor, eager
from minitape.tensors.constants import constant
from minitape.tensors.convert import convert_to_tensor, operand

if TYPE_CHECKING:
    from collections.abc import Callable

    from minitape.values.public_types import DTypeLike, TensorLike
    from minitape.values.results import Result


@export("ragged.constant")
def ragged_constant(
    pylist: Any,
    dtype: DTypeLike = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    name: str | None = None,
    row_splits_dtype: DTypeLike = "int64",
) -> Result:
    """A ragged tensor of nested lists whose rows may differ in length.

    Args:
        pylist: nested lists, with all numbers equally deep; a number alone makes a scalar tensor.
        dtype: the element type; by default as for `tf.constant`.
        ragged_rank: the number of ragged axes; by default all but the first.
        inner_shape: the shape of the items, where these are no scalars.
        name: accepted and not used.
        row_splits_dtype: tf.int32 or tf.int64.

    Returns:
        A `RaggedTensor`, or a tensor where no axis is ragged.

    Raises:
        ValueError: if numbers are not equally deep, or the list is not as deep as asked for.

    Example:
        >>> import minitape as tf
        >>> tf.ragged.constant([[1.0, 2.0], [], [3.0]])
        <tf.RaggedTensor [[1.0, 2.0], [], [3.0]]>
    """
    depth, scalar_depth = _depths(pylist)
    inner: tuple[Any, ...] = ()
    if inner_shape is not None:
        example = "inner_shape=(2,)"
        inner = tuple(checked_items("ragged.constant", "inner_shape", inner_shape, example))
    rank = max(0, (depth if scalar_depth is None else scalar_depth) - 1 - len(inner))
    if ragged_rank is not None:
        rank = checked_integer("ragged.constant", "ragged_rank", ragged_rank, "ragged_rank=1")
    if rank >= max(depth, 1) and rank:
        raise ValueError(
            f"ragged.constant: pylist has only {depth} levels of lists, too few for "
            f"ragged_rank={rank}."
        )
    lengths: list[Any] = []
    items = pylist
    for _ in range(rank):
        lengths.append([len(row) for row in items])
        items = [item for row in items for item in row]
    is_empty = isinstance(items, list | tuple) and not items
    flat = constant(items, "float32" if is_empty and dtype is None else dtype)
    if inner_shape is not None:
        flat = reshape(flat, (len(items), *inner))
    if not rank:
        return flat
    return RaggedTensor.from_nested_row_lengths(flat, lengths).with_row_splits_dtype(
        row_splits_dtype
    )


def _depths(pylist: Any) -> tuple[int, int | None]:
    """How deep the lists are, and the numbers in them (None without any).

    Raises:
        ValueError: if the numbers are not equally deep.
    """
    depth, scalar_depth = 0, None
    level = [pylist]
    while level:
        rows = [each for each in level if _is_row(each)]
        if len(rows) < len(level):
            if rows or scalar_depth is not None:
                raise ValueError(
                    teach(
                        "all scalar values must have the same nesting depth:"
                        f" pylist has numbers and lists side by side, {level!r}.",
                        "A ragged tensor has rows of different lengths, but one number of axes.",
                        "Put every number equally deep.",
                    )
                )
            scalar_depth = depth
            break
        depth += 1
        level = [item for row in rows for item in row]
    return depth, scalar_depth


def _is_row(item: Any) -> bool:
    return isinstance(item, list | tuple) or (isinstance(item, np.ndarray) and item.ndim > 0)


@export("ragged.map_flat_values")
def map_flat_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Result:
    """Calls a function on the flat values of ragged tensors, and puts its result into their rows.

    Args:
        op: takes and gives tensors; it must keep the first dimension.
        args: its arguments; ragged ones must have equal rows.
        kwargs: its keyword arguments.

    Raises:
        ValueError: if the ragged arguments have different rows.

    Example:
        >>> import minitape as tf
        >>> tf.ragged.map_flat_values(tf.sin, tf.ragged.constant([[0.0], []]))
        <tf.RaggedTensor [[0.0], []]>
    """
    checked_function("map_flat_values", "op", op, "tf.ragged.map_flat_values(tf.sin, x)")
    ragged = [x for x in (*args, *kwargs.values()) if isinstance(x, RaggedTensor)]
    if not ragged:
        return op(*args, **kwargs)
    if not all(x.same_rows(ragged[0]) for x in ragged):
        raise ValueError(
            "map_flat_values: ragged arguments must have the same row splits: rows of equal "
            "lengths."
        )
    result = op(*map(_flat, args), **{key: _flat(x) for key, x in kwargs.items()})
    old, new = (tuple(x.shape)[:1] for x in (ragged[0].flat_values, result))
    if old != new:
        raise ValueError(
            "map_flat_values: tf.ragged.map_flat_values requires that the output of `op` have "
            "the same outer-dimension "
            f"size as flat_values of any ragged inputs; got {new} for {old}."
        )
    return ragged[0].with_flat_values(result)


def _flat(x: Any) -> Any:
    return x.flat_values if isinstance(x, RaggedTensor) else x


@export("ragged.boolean_mask")
def ragged_boolean_mask(
    data: TensorLike, mask: TensorLike, name: str | None = None
) -> RaggedTensor:
    """The items of each row where the mask is true; rows stay rows.

    Args:
        data: a ragged tensor, or a tensor of rank at least 2.
        mask: bools: a vector for rows, or of the rows' own lengths for items.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if the mask does not fit.

    Example:
        >>> import minitape as tf
        >>> tf.ragged.boolean_mask([[1, 2], [3, 4]], [[True, False], [False, False]])
        <tf.RaggedTensor [[1], []]>
    """
    x = data if isinstance(data, RaggedTensor) else convert_to_tensor(data)
    keep = mask if isinstance(mask, RaggedTensor) else operand(mask, None)
    if len(keep.shape) == 1:
        return choose(x, np.flatnonzero(static_value(keep, "boolean_mask", "mask")))  # type: ignore[no-any-return]
    rows = x if isinstance(x, RaggedTensor) else RaggedTensor.from_tensor(x)
    kept = keep if isinstance(keep, RaggedTensor) else RaggedTensor.from_tensor(keep)
    if kept.ragged_rank > 1 and isinstance(rows.values, RaggedTensor):
        inner = ragged_boolean_mask(rows.values, kept.values)
        return rows.with_values(inner)
    if not np.array_equal(rows.row_splits.value, kept.row_splits.value):
        raise InvalidArgumentError("boolean_mask: mask and data must have rows of equal lengths.")
    flags = static_value(kept.values, "boolean_mask", "mask")
    lengths = np.bincount(rows.rowids()[flags], minlength=len(rows))
    return RaggedTensor.from_row_lengths(choose(rows.values, np.flatnonzero(flags)), lengths)


meanings["boolean_mask"] = ragged_boolean_mask


@export("ragged.stack")
def ragged_stack(values: Any, axis: int = 0, name: str | None = None) -> RaggedTensor:
    """Tensors of different lengths as the rows of one ragged tensor.

    Example:
        >>> import minitape as tf
        >>> tf.ragged.stack([[1, 2], [3]])
        <tf.RaggedTensor [[1, 2], [3]]>
    """
    rows = checked_items("ragged.stack", "values", values, "tf.ragged.stack([[1, 2], [3]])")
    items = [x if isinstance(x, RaggedTensor) else convert_to_tensor(x) for x in rows]
    if not items:
        raise ValueError(
            "ragged.stack: the list of tensors is empty, so there is no dtype for the rows. Give "
            "at least one tensor."
        )
    if axis == 0 and all(isinstance(x, Tensor) for x in items):
        return RaggedTensor.from_row_lengths(concat(items, 0), [len(x) for x in items])
    if not any(isinstance(x, RaggedTensor) for x in items):
        items[0] = RaggedTensor.from_tensor(items[0])
    return stack(items, axis)  # type: ignore[no-any-return]


@export("ragged.range")
def ragged_range(
    starts: Any,
    limits: Any = None,
    deltas: Any = 1,
    dtype: DTypeLike = None,
    name: str | None = None,
    row_splits_dtype: DTypeLike = None,
) -> RaggedTensor:
    """A row of numbers for each start and limit; one argument is the limits.

    Example:
        >>> import minitape as tf
        >>> tf.ragged.range([3, 0, 2])
        <tf.RaggedTensor [[0, 1, 2], [], [0, 1]]>
    """
    if limits is None:
        starts, limits = 0, starts
    ends = [
        convert_to_tensor(static_value(x, "ragged.range", "its ends")).numpy()
        for x in (starts, limits, deltas)
    ]
    first, last, step = np.broadcast_arrays(*(np.atleast_1d(each) for each in ends))
    if any(each.ndim > 1 for each in (first, last, step)):
        shape = np.shape(first)
        raise ValueError(
            f"ragged.range: starts, limits and deltas have shape {shape}; each must be a number or "
            "a vector, which has a row for each element. Write `tf.ragged.range([2, 3])`."
        )
    rows = allocated(
        "ragged.range",
        lambda: [np.arange(a, b, d) for a, b, d in zip(first, last, step, strict=True)],
    )
    flat = constant(np.concatenate(rows).astype(np.result_type(*ends)), dtype)
    return RaggedTensor.from_row_lengths(flat, [len(row) for row in rows])


@export("ragged.row_splits_to_segment_ids")
def row_splits_to_segment_ids(
    splits: Any, name: str | None = None, out_type: DTypeLike = None
) -> Tensor:
    """The row of each value, for rows given by their splits."""
    array = np.asarray(
        static_value(convert_to_tensor(splits, dtype_hint="int64"), "ragged", "splits")
    )
    if array.dtype.kind not in "iu" or array.ndim != 1:
        what, example = "row_splits_to_segment_ids", "[0, 2, 3]"
        raise not_fitting(what, "splits", array.tolist(), "a vector of integers", example)
    return eager(
        np.repeat(np.arange(len(array) - 1, dtype=array.dtype), np.diff(array).astype(np.intp))
    )


@export("ragged.segment_ids_to_row_splits")
def segment_ids_to_row_splits(
    segment_ids: TensorLike,
    num_segments: TensorLike | None = None,
    out_type: DTypeLike = None,
    name: str | None = None,
) -> Tensor:
    """The splits of the rows that values with these row numbers have."""
    ids = convert_to_tensor(segment_ids, dtype_hint="int64")
    return RaggedTensor.from_value_rowids(ids, ids, num_segments).row_splits
