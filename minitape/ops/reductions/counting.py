"""Counting: range, size, and how many integers or numbers are in each bin (bincount, histograms).

None of these is differentiable; gradients stop here.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError, teach
from minitape.errors.of_arguments import (
    allocated,
    check_memory,
    checked_integer,
    checked_items,
    checked_number,
    checked_pair,
    not_fitting,
)
from minitape.op import export, primitive
from minitape.ops.broadcasting import reshape
from minitape.ops.reductions.cumulative import cumsum
from minitape.ops.reductions.reduction import reduce_prod
from minitape.ops.shapes.creation import ones
from minitape.ops.shapes.sizes import count_dtype, count_of, has_open_size, sizes
from minitape.ops.statics import (
    as_tensor,
    is_open,
    open_size,
    static_array,
    static_int,
    static_value,
)
from minitape.tensor import make_constant
from minitape.tensors.composite import Composite
from minitape.tensors.convert import operand
from minitape.values import dtypes

if TYPE_CHECKING:
    from minitape.tensor import Array, Indices, Tensor
    from minitape.values.public_types import Axis, DTypeLike, TensorLike


@primitive(
    differentiable=False, type_name="DenseBincount", latex=r"\mathrm{{bincount}}\left({x}\right)"
)
def bin_counts(x: Indices, size: int, binary: bool, dtype: Any) -> Array:
    """How often each of 0 ... size - 1 appears along the last axis (binary: whether it does)."""
    rows = x.reshape(prod(x.shape[:-1]), x.shape[-1])
    out = np.zeros((len(rows), size), dtype)
    row, column = np.nonzero(rows < size)
    np.add.at(out, (row, rows[row, column]), 1)
    return (np.minimum(out, 1) if binary else out).reshape(*x.shape[:-1], size)


@primitive(type_name="DenseBincount", latex=r"\mathrm{{bincount}}\left({weights}\right)")
def bin_weights(x: Indices, weights: Array, size: int) -> Array:
    """The sum of the weights of each of 0 ... size - 1 along the last axis.

    No gradient is registered, as in TensorFlow.
    """
    rows = x.reshape(prod(x.shape[:-1]), x.shape[-1])
    weights = weights.reshape(rows.shape)
    out = np.zeros((len(rows), size), weights.dtype)
    row, column = np.nonzero(rows < size)
    np.add.at(out, (row, rows[row, column]), weights[row, column])
    return out.reshape(*x.shape[:-1], size)


@export("math.bincount")
def bincount(
    arr: TensorLike,
    weights: TensorLike | None = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: DTypeLike = "int32",
    name: str | None = None,
    axis: Axis = None,
    binary_output: bool = False,
) -> Tensor:
    """How often each integer from 0 up appears.

    Args:
        arr: a tensor of integers that are not negative.
        weights: what each element counts, by default 1; of the shape of `arr`.
        minlength: the result has at least this length.
        maxlength: the result has at most this length; larger integers are not counted.
        dtype: the type of the counts without weights.
        name: accepted and not used.
        axis: None or 0 to count over everything, -1 for each row by itself.
        binary_output: whether to tell only if an integer appears.

    Raises:
        InvalidArgumentError: if there are negative integers, or `weights` has another shape.

    Example:
        >>> import minitape as tf
        >>> tf.math.bincount([1, 1, 3]).numpy().tolist()
        [0, 2, 0, 1]
    """
    x = operand(arr, None)
    values = np.asarray(static_value(x, "bincount", "arr"))
    if not values.size and isinstance(arr, list | tuple):
        values = values.astype(np.int32)  # of nothing no dtype was said
    if values.dtype.kind not in "iu" or (values.size and values.min() < 0):
        raise InvalidArgumentError(
            teach(
                f"bincount got {values.tolist()} of dtype {values.dtype.name}.",
                "It counts the integers 0, 1, 2, ...; there is no bin for anything else.",
                "Give integers that are not negative.",
            )
        )
    size = max(
        int(values.max(initial=-1)) + 1, int(static_value(minlength or 0, "bincount", "minlength"))
    )
    if maxlength is not None:
        size = min(size, int(static_value(maxlength, "bincount", "maxlength")))
    shape = values.shape if axis == -1 else (values.size,)
    x = operand(values.reshape(shape), None)
    if weights is None:
        return bin_counts(x, size, binary_output, dtypes.as_dtype(dtype).np)
    w = as_tensor(weights)
    if tuple(w.shape) != values.shape:
        raise InvalidArgumentError(
            f"bincount: `weights` has shape {list(w.shape)} and `arr` {list(values.shape)}. "
            "Each integer needs one weight. Give weights of the shape of `arr`."
        )
    return bin_weights(x, reshape(w, shape), size)


@primitive(
    differentiable=False, type_name="HistogramFixedWidth", latex=r"\mathrm{{bin}}\left({x}\right)"
)
def bin_numbers(x: Indices, low: float, high: float, bins: int, dtype: Any) -> Array:
    """The number of the bin of each element, of equal width; what is outside goes to the ends."""
    scaled = np.floor((x - x.dtype.type(low)) / (high - low) * bins)
    return np.clip(scaled, 0, bins - 1).astype(dtype)[()]


def _bins(values: Any, value_range: Any, nbins: Any, op: str) -> tuple[Any, float, float, int]:
    x = operand(values, None)
    example = "value_range=[0.0, 1.0]"
    ends = checked_items(op, "value_range", static_value(value_range, op, "value_range"), example)
    low, high = (
        checked_number(op, "value_range", v, example)
        for v in checked_pair(op, "value_range", ends, example)
    )
    bins = checked_integer(op, "nbins", static_value(nbins, op, "nbins"), "nbins=5")
    if not low < high or bins <= 0:
        raise InvalidArgumentError(
            teach(
                f"{op}: value_range={[low, high]}, nbins={bins}.",
                "The range has to go up, and there has to be at least one bin.",
                "Write for instance `value_range=[0.0, 1.0], nbins=10`.",
            )
        )
    return x, low, high, bins


@export("histogram_fixed_width_bins")
def histogram_fixed_width_bins(
    values: TensorLike,
    value_range: Any,
    nbins: Any = 100,
    dtype: DTypeLike = "int32",
    name: str | None = None,
) -> Tensor:
    """The number of the bin that each value falls into, among bins of equal width.

    Args:
        values: a tensor of numbers.
        value_range: two numbers; values below the first go to the first bin, those above the second
            to the last.
        nbins: how many bins.
        dtype: the integer type of the result.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if the range does not go up, or there is no bin.

    Example:
        >>> import minitape as tf
        >>> tf.histogram_fixed_width_bins([-1.0, 2.0, 9.0], [0.0, 5.0], 5).numpy().tolist()
        [0, 2, 4]
    """
    x, low, high, bins = _bins(values, value_range, nbins, "histogram_fixed_width_bins")
    return bin_numbers(x, low, high, bins, dtypes.as_dtype(dtype).np)


@export("histogram_fixed_width")
def histogram_fixed_width(
    values: TensorLike,
    value_range: Any,
    nbins: Any = 100,
    dtype: DTypeLike = "int32",
    name: str | None = None,
) -> Tensor:
    """How many values fall into each of `nbins` bins of equal width.

    Args:
        values: a tensor of numbers.
        value_range: two numbers; values below the first go to the first bin, those above the second
            to the last.
        nbins: how many bins.
        dtype: the integer type of the counts.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if the range does not go up, or there is no bin.

    Example:
        >>> import minitape as tf
        >>> tf.histogram_fixed_width([-1.0, 0.5, 2.0, 9.0], [0.0, 5.0], nbins=5).numpy().tolist()
        [2, 0, 1, 0, 1]
    """
    x, low, high, bins = _bins(values, value_range, nbins, "histogram_fixed_width")
    numbers = bin_numbers(x, low, high, bins, np.dtype(np.int64))
    flat = operand(
        np.asarray(static_value(numbers, "histogram_fixed_width", "values")).reshape(-1), None
    )
    return bin_counts(flat, bins, False, dtypes.as_dtype(dtype).np)


@export("math.confusion_matrix")
def confusion_matrix(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: Any = None,
    weights: TensorLike | None = None,
    dtype: DTypeLike = "int32",
    name: str | None = None,
) -> Tensor:
    """How often each class, a row, was taken for each class, a column.

    Args:
        labels: the true classes, integers of shape [n].
        predictions: the predicted ones.
        num_classes: how many there are; by default one more than the largest that appears.
        weights: what each example counts, by default 1.
        dtype: of the counts.
        name: accepted and not used.

    Returns:
        Tensor of shape [num_classes, num_classes]; no gradient flows through it.

    Raises:
        InvalidArgumentError: if a class is negative, or not below `num_classes`.

    Example:
        >>> import minitape as tf
        >>> tf.math.confusion_matrix([0, 1, 1], [0, 0, 1]).numpy().tolist()
        [[1, 0], [1, 1]]
    """
    rows, columns = (
        _numbers(x, what).astype(np.int64)
        for x, what in ((labels, "labels"), (predictions, "predictions"))
    )
    if rows.ndim == columns.ndim + 1 and rows.shape[-1] == 1:
        rows = rows[..., 0]
    elif columns.ndim == rows.ndim + 1 and columns.shape[-1] == 1:
        columns = columns[..., 0]
    if rows.shape != columns.shape:
        raise InvalidArgumentError(
            f"confusion_matrix: labels have shape {rows.shape}, predictions {columns.shape}. Each "
            "example has one label and one prediction. Give two vectors of one length."
        )
    largest = max(rows.max(initial=-1), columns.max(initial=-1))
    size = int(largest) + 1
    if num_classes is not None:
        size = static_int(num_classes, "confusion_matrix", "num_classes")
    if largest >= size or min(rows.min(initial=0), columns.min(initial=0)) < 0:
        raise InvalidArgumentError(
            teach(
                f"confusion_matrix: `labels` or `predictions` are out of bound: {rows.tolist()} "
                f"and {columns.tolist()} for {size} classes.",
                "Class i is row i and column i of the table.",
                "Give classes from 0 up, and a `num_classes` above them all.",
            )
        )
    kind = dtypes.as_dtype(dtype).np
    check_memory("confusion_matrix", (size, size), np.dtype(kind).itemsize)
    out = allocated("confusion_matrix", lambda: np.zeros((size, size), kind))
    counted = np.asarray(1) if weights is None else _numbers(weights, "weights")
    np.add.at(out, (rows, columns), counted.astype(out.dtype))
    return as_tensor(out)


def _numbers(value: Any, argument: str) -> Any:
    """The array of an argument of `confusion_matrix`, which texts are none of."""
    found = np.asarray(static_value(as_tensor(value), "confusion_matrix", argument))
    if found.dtype.kind not in "biuf":
        raise not_fitting("confusion_matrix", argument, value, "numbers", f"{argument}=[0, 1]")
    return found


@export("size")
def size(input: TensorLike, out_type: DTypeLike = None, name: str | None = None) -> Tensor:  # noqa: A002  # TensorFlow's name
    """The number of elements, as an int32 scalar tensor (or `out_type`)."""
    x = operand(input, None)
    if has_open_size(x):
        return reduce_prod(sizes(x, count_dtype(out_type)))
    parts = x.parts() if isinstance(x, Composite) else [x]
    return count_of(sum(prod(part.shape) for part in parts), out_type)


@export("range")
def range_(
    start: TensorLike,
    limit: TensorLike | None = None,
    delta: TensorLike = 1,
    dtype: DTypeLike = None,
    name: str | None = None,
) -> Tensor:
    """The numbers from `start` to before `limit`, `delta` apart; one argument is the limit.

    Args:
        start: the first number.
        limit: where it ends.
        delta: the step, not zero.
        dtype: by default that of the arguments: int32 for Python ints, float32 for floats.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if `delta` is zero or leads away from `limit`.
        TypeError: if a Python float is given for a range of integers.

    Example:
        >>> import minitape as tf
        >>> tf.range(3).numpy().tolist(), tf.range(2, 9, 3).numpy().tolist()
        ([0, 1, 2], [2, 5, 8])
    """
    if limit is None:
        start, limit = 0, start
    if is_open(limit) or is_open(start):
        return _open_range(open_size(start), open_size(limit), open_size(delta), dtype)
    ends = [_end(each, dtype) for each in (start, limit, delta)]
    if any(each.dtype.kind == "O" for each in ends):
        raise TypeError(
            f"range: start, limit and delta must be numbers; got {start!r}, {limit!r}, {delta!r}. "
            "A string has no next one. Write for instance `tf.range(0, 10, 2)`."
        )
    wanted = (
        np.result_type(*(each.dtype for each in ends))
        if dtype is None
        else dtypes.as_dtype(dtype).np
    )
    if dtype is None:
        wanted = _widest([each.dtype for each in ends])
    first, last, step = (each.astype(wanted) for each in ends)
    if step == 0 or not (last - first) * np.sign(step) >= 0:  # also where one is nan
        raise InvalidArgumentError(
            "range: Requires start <= limit when delta > 0 and start >= limit when delta < 0, "
            "and delta != 0; got "
            f"start={first}, limit={last}, delta={step}. Change the sign of delta."
        )
    check_memory("range", [int(min((last - first) / step, 1e30))], 2 * wanted.itemsize)
    return make_constant(np.arange(first, last, step).astype(wanted))


def _open_range(start: int, limit: int, delta: int, dtype: Any) -> Tensor:
    """A range whose length is known when the graph runs: sums of ones."""
    count = (limit - start + delta - 1) // delta
    steps = cumsum(ones((count,), dtype or "int32"))
    first = operand(start - delta, steps.spec.dtype)
    return steps * operand(delta, steps.spec.dtype) + first


def _end(value: Any, dtype: Any) -> Any:
    """A start, limit or step; a Python float is no end of a range of integers."""
    kind = None if dtype is None or type(value) is not float else dtypes.as_dtype(dtype).np
    end = static_array(value, "range", "its ends", kind)
    if end.shape == (1,):  # of one element, as TensorFlow takes it
        end = end[0]
    if end.shape:
        raise InvalidArgumentError(
            f"range: start, limit and delta must be scalars; got shape {end.shape}. Take one "
            "element of it."
        )
    return end


def _widest(found: list[np.dtype[Any]]) -> np.dtype[Any]:
    """The last of TensorFlow's order int32, int64, float32, float64 among the dtypes of a range."""
    order = [np.dtype(name) for name in ("int32", "int64", "float16", "float32", "float64")]
    return max(found, key=lambda dtype: order.index(dtype) if dtype in order else -1)
