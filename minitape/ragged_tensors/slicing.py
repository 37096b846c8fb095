"""Rows and parts of ragged tensors: `x[i]`, `x[:, :2]`, rows by number, new axes.

Whatever is chosen, it is places in the values, and these are static.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitape.errors import teach
from minitape.ops.broadcasting import reshape
from minitape.ops.moving.gathering import gather
from minitape.ops.moving.slicing import SliceError
from minitape.ops.statics import static_int, static_ints
from minitape.ragged_tensors.tensor import RaggedTensor, meanings
from minitape.tensor import Tensor, eager


def choose(values: Any, rows: Any) -> Any:
    """The slices or rows of `values` at static places."""
    if isinstance(values, Tensor):
        return gather(values, eager(np.asarray(rows)), 0, 0)
    splits = values.row_splits.value
    starts, lengths = splits[:-1][rows], np.diff(splits)[rows]
    return RaggedTensor.from_row_lengths(choose(values.values, _places(starts, lengths)), lengths)


def _places(starts: Any, lengths: Any) -> Any:
    """The numbers from each start on, as many as its length, one behind the other."""
    ends = np.cumsum(lengths)
    gaps = np.repeat(starts - ends + lengths, lengths.astype(np.intp))
    return np.arange(ends[-1] if len(ends) else 0) + gaps


def expand(x: Any, axis: int) -> Any:
    """`x` with a new axis of size 1 before its axis `axis`."""
    if isinstance(x, Tensor):
        shape = tuple(x.shape)
        return reshape(x, (*shape[:axis], 1, *shape[axis:]))
    if axis > 1:
        return x.with_values(expand(x.values, axis - 1))
    splits = np.array([0, len(x)]) if axis == 0 else np.arange(len(x) + 1)
    return RaggedTensor(x, splits)


def _item(x: RaggedTensor, key: Any) -> Any:
    """`x[key]`: rows, parts of every row, or a part of one row.

    Raises:
        ValueError: if an integer stands where rows may be too short for it.
    """
    entries = list(key) if isinstance(key, tuple) else [key]
    if any(each is Ellipsis for each in entries):
        at = next(i for i, each in enumerate(entries) if each is Ellipsis)
        used = sum(each is not None for each in entries) - 1
        entries[at : at + 1] = [slice(None)] * (x.ndim - used)
    return _part(x, entries)


def _part(x: Any, entries: list[Any]) -> Any:
    """What the entries choose, the first one along axis 0."""
    if not entries:
        return x
    if isinstance(x, Tensor):
        return x[tuple(entries)]
    first, *rest = entries
    if first is None:
        return expand(_part(x, rest), 0)
    if isinstance(first, slice):
        rows = range(len(x))[_static_slice(first)]
        return _part_of_rows(
            x if len(rows) == len(x) and rows.step == 1 else choose(x, np.array(rows, np.int64)),
            rest,
        )
    i = static_int(first, "RaggedTensor[...]", "an index")
    if not -len(x) <= i < len(x):
        raise SliceError(
            f"slice index {i} of dimension 0 out of bounds: the ragged tensor has {len(x)} rows."
        )
    start, stop = x.row_splits.value[i % len(x) : i % len(x) + 2].tolist()
    return _part(x.values[start:stop], rest)


def _part_of_rows(x: RaggedTensor, entries: list[Any]) -> Any:
    """The same part of every row."""
    if not entries:
        return x
    first, *rest = entries
    if first is None:
        return expand(_part_of_rows(x, rest), 1)
    if not isinstance(first, slice):
        raise ValueError(
            teach(
                f"Cannot index into an inner ragged dimension: index {first!r} along axis 1.",
                "Some rows may be too short to have that item.",
                "Use a slice, `x[:, i:i+1]`, or fill the rows up with `x.to_tensor()[:, i]`.",
            )
        )
    splits = x.row_splits.value
    ranges = [
        range(a, b)[_static_slice(first)] for a, b in zip(splits[:-1], splits[1:], strict=True)
    ]
    places = (
        np.concatenate([np.array(each, np.int64) for each in ranges])
        if ranges
        else np.zeros(0, np.int64)
    )
    values = (
        x.values if len(places) == splits[-1] and first.step is None else choose(x.values, places)
    )
    if rest:
        values = _part(values, [slice(None), *rest])
    return RaggedTensor.from_row_lengths(
        values, np.array([len(each) for each in ranges], splits.dtype)
    )


def _static_slice(entry: slice) -> slice:
    ends = (entry.start, entry.stop, entry.step)
    return slice(
        *(
            None if end is None else static_ints(end, "RaggedTensor[...]", "a bound")[0]
            for end in ends
        )
    )


meanings["getitem"] = _item
