"""Where the elements of ragged tensors are that hold.

A place is a row, then a place in that row, down to the values' own axes.
"""

from __future__ import annotations

from typing import Any

from minitape.ops.elementwise.comparison import nonzero_indices
from minitape.ops.moving.gathering import gather
from minitape.ops.moving.joining import concat
from minitape.tensor import eager


@nonzero_indices.ragged
def _places(op: Any, inputs: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
    """The indices of the elements that are not zero or False, row by row."""
    (x,) = inputs
    found = op.call(x.flat_values)
    rows = gather(eager(x.coordinates()), found[:, 0], 0, 0)
    return concat([rows, found[:, 1:]], 1)
