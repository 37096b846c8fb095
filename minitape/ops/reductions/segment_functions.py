"""The public segment functions: `tf.math.segment_sum` and its like.

One table lists them all; `segment` holds what they compute.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.op import export
from minitape.ops.reductions import segment
from minitape.ops.reductions.segment import ids_of, rows_of, segment_rows
from minitape.tensor import eager
from minitape.tensors.convert import operand

if TYPE_CHECKING:
    from collections.abc import Callable

    from minitape.tensor import Tensor
    from minitape.values.public_types import TensorLike

_ARGUMENTS = {
    "unsorted": """
        data: a tensor whose shape starts with that of `segment_ids`.
        segment_ids: integers, the segment of each row; rows with negative ids are left out.
        num_segments: how many segments there are.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if shapes do not fit, or an id is not below `num_segments`.""",
    "sorted": """
        data: a tensor of rank 1 or more.
        segment_ids: a vector of increasing integers, the segment of each row of `data`.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if shapes do not fit, or the ids are not increasing.""",
    "sparse": """
        data: a tensor of rank 1 or more.
        indices: a vector of integers: which rows of `data` to take.
        segment_ids: a vector of increasing integers, the segment of each row taken.
        num_segments: how many segments there are; by default up to the last id.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if shapes do not fit, or the ids are not increasing.""",
}


def _unsorted(compute: Any, what: str, name: str, example: str) -> Callable[..., Tensor]:
    def function(
        data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
    ) -> Tensor:
        x = rows_of(data, segment_ids, function.__name__)
        return compute(x, *ids_of(segment_ids, num_segments, function.__name__))

    return _named(
        function, f"unsorted_segment_{name}", f"The {what}, ids in any order.", "unsorted", example
    )


def _sorted(compute: Any, what: str, name: str, example: str) -> Callable[..., Tensor]:
    def function(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
        x = rows_of(data, segment_ids, function.__name__)
        ids, count = ids_of(segment_ids, None, function.__name__)
        out = compute(x, ids, count)
        return _zero_if_empty(out, ids, count) if compute in _EXTREMES else out

    return _named(function, f"segment_{name}", f"The {what}.", "sorted", example)


_EXTREMES = (segment.unsorted_segment_max, segment.unsorted_segment_min)


def _zero_if_empty(out: Any, ids: Any, count: int) -> Any:
    """`out` with 0 for segments without rows, as the sorted extremes have it."""
    full = np.bincount(ids.value, minlength=count) > 0
    return out if full.all() else segment_rows(out, eager(np.where(full, np.arange(count), -1)))


def _sparse(compute: Any, what: str, name: str, example: str) -> Callable[..., Tensor]:
    def function(
        data: TensorLike,
        indices: TensorLike,
        segment_ids: TensorLike,
        num_segments: Any = None,
        name: str | None = None,
    ) -> Tensor:
        rows = segment_rows(operand(data, None), operand(indices, None), blanks=False)
        ids, count = ids_of(segment_ids, None, function.__name__)
        if num_segments is not None:
            ids, count = ids_of(segment_ids, num_segments, function.__name__)
        return compute(rows_of(rows, segment_ids, function.__name__), ids, count)

    return _named(
        function,
        f"sparse_segment_{name}",
        f"The {what}, of the rows `indices` of `data`.",
        "sparse",
        example,
    )


def _named(function: Any, name: str, does: str, kind: str, example: str) -> Callable[..., Tensor]:
    public = f"sparse.{name.removeprefix('sparse_')}" if kind == "sparse" else f"math.{name}"
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{does}

    Args:{_ARGUMENTS[kind]}

    Example:
        >>> import minitape as tf
        >>> tf.{public}({example}
    """
    return export(public)(function)


_DATA = "[1.0, 3.0, 5.0]"
for _name, _compute, _what, _values in (
    ("sum", segment.unsorted_segment_sum, "sums of rows with the same segment id", "[4.0, 5.0]"),
    ("mean", segment.segment_mean, "means of rows with the same segment id", "[2.0, 5.0]"),
    ("max", segment.unsorted_segment_max, "largest elements of each segment", "[3.0, 5.0]"),
    ("min", segment.unsorted_segment_min, "smallest elements of each segment", "[1.0, 5.0]"),
    ("prod", segment.segment_prod, "products of rows with the same segment id", "[3.0, 5.0]"),
    ("sqrt_n", segment.segment_sqrt_n, "sums of segments by the root of their sizes", ""),
):
    _shown = f".numpy().tolist()\n        {_values}"
    if _values:
        _own = segment.sorted_segment_mean if _name == "mean" else _compute
        globals()[f"segment_{_name}"] = _sorted(_own, _what, _name, f"{_DATA}, [0, 0, 1]){_shown}")
        _call = f"{_DATA}, [0, 0, 1], 2){_shown}"
    else:
        _call = "[1.0, 3.0], [0, 1], 2).numpy().tolist()\n        [1.0, 3.0]"
    globals()[f"unsorted_segment_{_name}"] = _unsorted(_compute, _what, _name, _call)
    if _name in {"sum", "mean", "sqrt_n"}:
        _call = "[1.0, 3.0], [1, 0], [0, 1]).numpy().tolist()\n        [3.0, 1.0]"
        globals()[f"sparse_segment_{_name}"] = _sparse(_compute, _what, _name, _call)
