"""How ragged tensors are made of values and a description of their rows.

Every description becomes row splits, an array with one number more than there are rows: where each
row starts, and where the last one ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError, teach
from minitape.errors.of_arguments import checked_items
from minitape.ops.broadcasting import reshape
from minitape.ops.moving.gathering import gather
from minitape.ops.statics import static_int, static_value
from minitape.tensors.composite import Composite
from minitape.tensors.convert import convert_to_tensor

if TYPE_CHECKING:
    from typing import Self

Integers = np.ndarray[Any, Any]


class Factories:
    """The class methods of `RaggedTensor` that make one; `cls(values, splits)` is the plain way."""

    __slots__ = ()

    if TYPE_CHECKING:

        def __init__(self, values: Any, splits: Integers) -> None: ...

    @classmethod
    def from_row_splits(
        cls, values: Any, row_splits: Any, name: str | None = None, validate: bool = True
    ) -> Self:
        """Rows `values[row_splits[i]:row_splits[i + 1]]`.

        Args:
            values: a tensor or ragged tensor.
            row_splits: integers from 0 to the number of values that do not decrease.
            name: accepted and not used.
            validate: accepted; the splits are always checked.

        Raises:
            InvalidArgumentError: if the splits do not fit the values.

        Example:
            >>> import minitape as tf
            >>> tf.RaggedTensor.from_row_splits([3, 1, 4], [0, 2, 2, 3])
            <tf.RaggedTensor [[3, 1], [], [4]]>
        """
        values, splits = _values(values), _integers(row_splits, "row_splits")
        if not len(splits) or splits[0] != 0 or (np.diff(splits) < 0).any():
            raise InvalidArgumentError(
                f"from_row_splits: row_splits={splits.tolist()} must start with 0 and not decrease."
            )
        _check(values, splits)
        return cls(values, splits)

    @classmethod
    def from_row_lengths(
        cls, values: Any, row_lengths: Any, name: str | None = None, validate: bool = True
    ) -> Self:
        """Rows of the given lengths, one behind the other; see `from_row_splits`.

        Example:
            >>> import minitape as tf
            >>> tf.RaggedTensor.from_row_lengths([3, 1, 4], [2, 0, 1])
            <tf.RaggedTensor [[3, 1], [], [4]]>
        """
        lengths = _integers(row_lengths, "row_lengths")
        if (lengths < 0).any():
            raise InvalidArgumentError(
                f"from_row_lengths: row_lengths={lengths.tolist()} must be at least 0."
            )
        values, splits = _values(values), _splits_of(lengths)
        _check(values, splits)
        return cls(values, splits)

    @classmethod
    def from_row_starts(
        cls, values: Any, row_starts: Any, name: str | None = None, validate: bool = True
    ) -> Self:
        """Rows that begin at `row_starts`; see `from_row_splits`."""
        values, starts = _values(values), _integers(row_starts, "row_starts")
        return cls.from_row_splits(
            values, np.append(starts, np.array(_count(values), starts.dtype))
        )

    @classmethod
    def from_row_limits(
        cls, values: Any, row_limits: Any, name: str | None = None, validate: bool = True
    ) -> Self:
        """Rows that end at `row_limits`; see `from_row_splits`."""
        limits = _integers(row_limits, "row_limits")
        return cls.from_row_splits(values, np.append(np.zeros(1, limits.dtype), limits))

    @classmethod
    def from_value_rowids(
        cls,
        values: Any,
        value_rowids: Any,
        nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Self:
        """Values with the number of the row of each, which must not decrease.

        Args:
            values: a tensor or ragged tensor.
            value_rowids: one integer for each value.
            nrows: the number of rows; by default the last id and one.
            name: accepted and not used.
            validate: accepted; the ids are always checked.

        Raises:
            InvalidArgumentError: if the ids decrease, or do not fit the values or `nrows`.
        """
        values, ids = _values(values), _integers(value_rowids, "value_rowids")
        least = int(ids[-1]) + 1 if len(ids) else 0
        rows = least if nrows is None else int(static_value(nrows, "from_value_rowids", "nrows"))
        if (
            (np.diff(ids) < 0).any()
            or rows < least
            or (ids < 0).any()
            or len(ids) != _count(values)
        ):
            raise InvalidArgumentError(
                f"from_value_rowids: value_rowids={ids.tolist()} must not decrease, be less "
                f"than nrows={rows}, and be as "
                f"many as the {_count(values)} values."
            )
        return cls(values, _splits_of(np.bincount(ids, minlength=rows).astype(ids.dtype)))

    @classmethod
    def from_uniform_row_length(
        cls,
        values: Any,
        uniform_row_length: Any,
        nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Self:
        """Rows that all have one length; see `from_row_splits`."""
        values = _values(values)
        length = static_int(uniform_row_length, "from_uniform_row_length", "uniform_row_length")
        rows = (
            (_count(values) // length if length else 0)
            if nrows is None
            else int(static_value(nrows, "", "nrows"))
        )
        splits = np.arange(rows + 1, dtype=np.int64) * length
        _check(values, splits)
        return cls(values, splits)

    @classmethod
    def from_nested_row_splits(
        cls,
        flat_values: Any,
        nested_row_splits: Any,
        name: str | None = None,
        validate: bool = True,
    ) -> Self:
        """Several ragged axes, whose row splits are listed from the outermost."""
        return _nested(cls.from_row_splits, flat_values, nested_row_splits)  # type: ignore[no-any-return]

    @classmethod
    def from_nested_row_lengths(
        cls,
        flat_values: Any,
        nested_row_lengths: Any,
        name: str | None = None,
        validate: bool = True,
    ) -> Self:
        """Several ragged axes, whose row lengths are listed from the outermost."""
        return _nested(cls.from_row_lengths, flat_values, nested_row_lengths)  # type: ignore[no-any-return]

    @classmethod
    def from_nested_value_rowids(
        cls,
        flat_values: Any,
        nested_value_rowids: Any,
        nested_nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Self:
        """Several ragged axes, whose row ids are listed from the outermost."""
        example = "[[0, 0], [0, 1, 1]]"
        nested = checked_items("from_nested_value_rowids", "row ids", nested_value_rowids, example)
        counts = [None] * len(nested) if nested_nrows is None else list(nested_nrows)
        values = flat_values
        for ids, rows in zip(reversed(nested), reversed(counts), strict=True):
            values = cls.from_value_rowids(values, ids, rows)
        return values  # type: ignore[no-any-return]

    @classmethod
    def from_tensor(
        cls,
        tensor: Any,
        lengths: Any = None,
        padding: Any = None,
        ragged_rank: int = 1,
        name: str | None = None,
        row_splits_dtype: Any = None,
    ) -> Self:
        """The rows of a tensor, cut to `lengths`, or with the `padding` at their ends left out.

        Args:
            tensor: a tensor of rank at least 2.
            lengths: how much of each row to keep.
            padding: a scalar; the ends of the rows that consist of it are cut off.
            ragged_rank: 1: the rows of axis 1 become ragged.
            name: accepted and not used.
            row_splits_dtype: accepted and not used.

        Raises:
            ValueError: if both `lengths` and `padding` are given.

        Example:
            >>> import minitape as tf
            >>> tf.RaggedTensor.from_tensor([[1, 2, 0], [3, 0, 0]], padding=0)
            <tf.RaggedTensor [[1, 2], [3]]>
        """
        x = _values(tensor)
        if lengths is not None and padding is not None:
            raise ValueError("from_tensor: Specify argument `lengths` or `padding`, but not both.")
        if ragged_rank != 1 or len(x.shape) < 2:
            raise ValueError(
                "from_tensor: ragged_rank must be 1 and the rank at least 2; got "
                f"{ragged_rank}, {x.shape}."
            )
        rows, columns, *inner = tuple(x.shape)
        kept = np.full(rows, columns, np.int64)
        if lengths is not None:
            kept = np.minimum(_integers(lengths, "lengths"), columns)
        elif padding is not None:
            real = static_value(x, "from_tensor", "tensor with padding") != static_value(
                padding, "from_tensor", "padding"
            )
            real = real.reshape(rows, columns, -1).any(-1)
            kept = np.where(real.any(1), columns - real[:, ::-1].argmax(1), 0)
        flat = reshape(x, (rows * columns, *inner))
        places = np.flatnonzero(np.arange(columns) < kept[:, None])
        return cls(gather(flat, places, 0, 0), _splits_of(kept))


def _values(values: Any) -> Any:
    return values if isinstance(values, Composite) else convert_to_tensor(values)


def _integers(given: Any, argument: str) -> Integers:
    array = np.asarray(static_value(given, "RaggedTensor", argument))
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise InvalidArgumentError(
            f"RaggedTensor: {argument} must be a vector of integers; got {array.tolist()}."
        )
    kept = isinstance(given, np.ndarray) or hasattr(given, "numpy")
    return array.astype(array.dtype if kept and array.size else np.int64)


def _splits_of(lengths: Integers) -> Integers:
    return np.append(np.zeros(1, lengths.dtype), np.cumsum(lengths, dtype=lengths.dtype))


def _count(values: Any) -> int:
    return int(tuple(values.shape)[0])


def _check(values: Any, splits: Integers) -> None:
    if splits[-1] != _count(values):
        raise InvalidArgumentError(
            teach(
                f"RaggedTensor: the rows hold {int(splits[-1])} items, but there are "
                f"{_count(values)} values.",
                "Every value belongs to one row.",
                "Check the row splits or lengths against the values.",
            )
        )


def _nested(make: Any, flat_values: Any, nested: Any) -> Any:
    values = flat_values
    what, example = "a list with the rows of each axis", "[[0, 1], [0, 3]]"
    for rows in reversed(checked_items("RaggedTensor", what, nested, example)):
        values = make(values, rows)
    return values
