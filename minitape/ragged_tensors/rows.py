"""Where the rows of a ragged tensor are: its splits, and all that follows from them.

The splits are a NumPy array, so everything here is static data, and no tape follows it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors.of_arguments import checked_integer
from minitape.tensor import EagerTensor, Tensor, eager
from minitape.values import dtypes

if TYPE_CHECKING:
    from typing import Self

    from minitape.values.results import Result


class Rows:
    """The methods of `RaggedTensor` that say where its rows begin and end."""

    __slots__ = ()

    if TYPE_CHECKING:
        _values: Any
        _splits: np.ndarray[Any, Any]

        def with_values(self, new_values: Any) -> Self:
            """The same rows of other values."""

    @property
    def row_splits(self) -> EagerTensor:
        """Where in `values` each row starts, and where the last one ends."""
        return eager(self._splits)

    @property
    def nested_row_splits(self) -> tuple[EagerTensor, ...]:
        """The row splits of all ragged axes, the outermost first."""
        inner = self._values.nested_row_splits if isinstance(self._values, Rows) else ()
        return (self.row_splits, *inner)

    def nrows(self, out_type: Any = None, name: str | None = None) -> Tensor:
        """The number of rows."""
        return self._partition(np.int64(len(self._splits) - 1), out_type)

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Result:
        """How many items each row has; for a deeper ragged axis, those of its rows."""
        if checked_integer("row_lengths", "axis", axis, "row_lengths(axis=1)") > 1:
            return self.with_values(self._values.row_lengths(axis - 1))
        return self._partition(np.diff(self._splits))

    def row_starts(self, name: str | None = None) -> Tensor:
        """Where each row starts in `values`."""
        return self._partition(self._splits[:-1])

    def row_limits(self, name: str | None = None) -> Tensor:
        """Where each row ends in `values`."""
        return self._partition(self._splits[1:])

    def value_rowids(self, name: str | None = None) -> Tensor:
        """The row of each item of `values`."""
        return self._partition(self.rowids())

    def nested_row_lengths(self, name: str | None = None) -> tuple[Any, ...]:
        """The row lengths of all ragged axes, the outermost first."""
        return tuple(eager(np.diff(splits.value)) for splits in self.nested_row_splits)

    def nested_value_rowids(self, name: str | None = None) -> tuple[Tensor, ...]:
        """The row ids of all ragged axes, the outermost first."""
        inner = self._values.nested_value_rowids() if isinstance(self._values, Rows) else ()
        return (self.value_rowids(), *inner)

    def bounding_shape(
        self, axis: Any = None, name: str | None = None, out_type: Any = None
    ) -> Tensor:
        """The smallest shape of a tensor that holds all rows, or its size along `axis`."""
        whole = np.array(self.bounds(), np.int64)
        return self._partition(whole if axis is None else whole[axis], out_type)

    def _partition(self, value: Any, out_type: Any = None) -> EagerTensor:
        dtype = self._splits.dtype if out_type is None else dtypes.as_dtype(out_type).np
        return eager(value.astype(dtype))

    def rowids(self) -> np.ndarray[Any, Any]:
        """The row of each item of `values`, as an array."""
        lengths = np.diff(self._splits).astype(np.intp)  # 32 bits in a browser
        return np.repeat(np.arange(len(lengths)), lengths)

    def bounds(self) -> tuple[int, ...]:
        """The smallest shape that holds all rows."""
        inner = (
            self._values.bounds() if isinstance(self._values, Rows) else tuple(self._values.shape)
        )
        return (len(self._splits) - 1, int(np.diff(self._splits).max(initial=0)), *inner[1:])

    def coordinates(self) -> np.ndarray[Any, Any]:
        """For each of the flat values its indices along the outer axes and the ragged ones."""
        rows = self.rowids()
        columns = np.arange(len(rows)) - self._splits[rows] if len(rows) else rows
        own = np.stack([rows, columns], -1).astype(np.int64)
        if not isinstance(self._values, Rows):
            return own
        inner = self._values.coordinates()
        return np.concatenate([own[inner[:, 0]], inner[:, 1:]], -1)
