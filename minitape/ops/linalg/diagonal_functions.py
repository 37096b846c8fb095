"""`tf.linalg`: diagonals and bands of matrices, taken and put.

A diagonal has a number, 0 for the main one, negative below it; argument names and defaults are
TensorFlow's.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError
from minitape.errors.of_arguments import (
    check_memory,
    checked_integer,
    checked_one,
    checked_text,
    not_fitting,
)
from minitape.op import export, operands
from minitape.ops.broadcasting import reshape
from minitape.ops.linalg import diagonal as ops
from minitape.ops.linalg.shapes import stack_of_matrices
from minitape.ops.shapes.creation import ones
from minitape.ops.statics import static_dims, static_int, static_ints, static_value
from minitape.tensor import make_constant
from minitape.tensors.convert import operand
from minitape.values import dtypes

if TYPE_CHECKING:
    from minitape.tensor import Tensor
    from minitape.values.public_types import DTypeLike, ShapeLike, TensorLike


def _diagonals(k: Any, op: str) -> tuple[int, int]:
    """The lowest and highest diagonal that `k` names."""
    numbers = static_ints(k, op, "k")
    if not numbers:
        raise not_fitting(op, "k", k, "a diagonal, or the lowest and the highest", "k=(-1, 1)")
    return numbers[0], numbers[-1]


@export("linalg.diag")
def diag(
    diagonal: TensorLike,
    name: str = "diag",
    k: Any = 0,
    num_rows: Any = -1,
    num_cols: Any = -1,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Matrices with `diagonal` on a diagonal, or on a band of them.

    Args:
        diagonal: a tensor of shape [..., n], or [..., number of diagonals, n] for a band, the
            highest diagonal first.
        name: accepted and not used.
        k: which diagonal (0 the main one, positive above), or the lowest and the highest of a band.
        num_rows: how many rows; by default what the diagonals need.
        num_cols: how many columns; by default what the diagonals need.
        padding_value: what stands elsewhere.
        align: at which side shorter diagonals of a band stand, above and below the main one.

    Raises:
        InvalidArgumentError: if the matrix would not have these diagonals.

    Example:
        >>> import minitape as tf
        >>> tf.linalg.diag([1, 2]).numpy().tolist()
        [[1, 0], [0, 2]]
    """
    x = operand(diagonal, None)
    if not x.spec.shape:
        raise InvalidArgumentError(
            "diag: diagonal must be at least 1-dim, received shape: []. A diagonal is a vector. "
            "Write `tf.reshape(x, [1])`, or `x * tf.eye(n)` for the same number n times."
        )
    low, high = _diagonals(k, "diag")
    least_rows = x.spec.shape[-1] - min(high, 0)
    least_columns = x.spec.shape[-1] + max(low, 0)
    rows, columns = (
        checked_integer("diag", name, static_value(n, "diag", name), f"{name}=3")
        for name, n in (("num_rows", num_rows), ("num_cols", num_cols))
    )
    if rows == columns == -1:
        rows = columns = max(least_rows, least_columns)
    rows, columns = least_rows if rows == -1 else rows, least_columns if columns == -1 else columns
    padding = static_value(padding_value, "diag", "padding_value")
    return ops.matrix_diag(x, (low, high), rows, columns, padding, align)


@export("linalg.diag_part")
def diag_part(
    input: TensorLike,  # noqa: A002  # TensorFlow's name
    name: str = "diag_part",
    k: Any = 0,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """A diagonal of matrices, or a band of them, the highest first.

    Args:
        input: a tensor of rank 2 or more.
        name: accepted and not used.
        k: which diagonal (0 the main one, positive above), or the lowest and the highest of a band.
        padding_value: what fills up shorter diagonals of a band.
        align: at which side shorter diagonals of a band stand, above and below the main one.

    Raises:
        InvalidArgumentError: if the matrices do not have these diagonals.

    Example:
        >>> import minitape as tf
        >>> tf.linalg.diag_part([[1, 2], [3, 4]]).numpy().tolist()
        [1, 4]
    """
    x = stack_of_matrices(input, "diag_part")
    padding = static_value(padding_value, "diag_part", "padding_value")
    return ops.matrix_diag_part(x, _diagonals(k, "diag_part"), padding, align)


@export("linalg.set_diag")
def set_diag(
    input: TensorLike,  # noqa: A002  # TensorFlow's name
    diagonal: TensorLike,
    name: str = "set_diag",
    k: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Matrices with one diagonal, or a band of them, replaced.

    Args:
        input: a tensor of rank 2 or more.
        diagonal: what `tf.linalg.diag_part` of the result will be.
        name: accepted and not used.
        k: which diagonal (0 the main one, positive above), or the lowest and the highest of a band.
        align: at which side shorter diagonals of a band stand, above and below the main one.

    Raises:
        InvalidArgumentError: if the shapes do not fit.

    Example:
        >>> import minitape as tf
        >>> tf.linalg.set_diag([[1, 2], [3, 4]], [7, 8]).numpy().tolist()
        [[7, 2], [3, 8]]
    """
    x, y = operands(ops.matrix_set_diag.op, (input, diagonal))
    x, bounds = stack_of_matrices(x, "set_diag"), _diagonals(k, "set_diag")
    *batch, rows, columns = x.spec.shape
    checked_text("set_diag", "align", align, "align='RIGHT_LEFT'")
    place = ops.band(rows, columns, bounds, align)
    packed = (place.length,) if bounds[0] == bounds[1] else (place.lines, place.length)
    if tuple(y.spec.shape) != (*batch, *packed):
        raise InvalidArgumentError(
            f"set_diag: the diagonal has shape {list(y.spec.shape)}; diagonals {bounds} of an "
            "input of shape "
            f"{list(x.spec.shape)} have shape {[*batch, *packed]}. Give one number for each place."
        )
    return ops.matrix_set_diag(x, y, bounds, align)


@export("linalg.band_part")
def band_part(input: TensorLike, num_lower: Any, num_upper: Any, name: str | None = None) -> Tensor:  # noqa: A002
    """Matrices with zeros outside a band around the main diagonal.

    Args:
        input: a tensor of rank 2 or more.
        num_lower: how many diagonals below the main one to keep; -1 for all.
        num_upper: how many above; -1 for all.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if the rank is below 2.

    Example:
        >>> import minitape as tf
        >>> tf.linalg.band_part([[1, 2], [3, 4]], -1, 0).numpy().tolist()
        [[1, 0], [3, 4]]
    """
    x = stack_of_matrices(input, "band_part")
    lower = static_int(num_lower, "band_part", "num_lower")
    upper = static_int(num_upper, "band_part", "num_upper")
    for which, count, size in ("num_lower", lower, x.shape[-2]), ("num_upper", upper, x.shape[-1]):
        if size is not None and count > size:
            raise InvalidArgumentError(
                f"band_part: {which} must be negative or less or equal to number of "
                f"{'rows' if which == 'num_lower' else 'columns'} ({size}) got: {count}. "
                f"Write {which}=-1 for all diagonals."
            )
    return ops.band_part(x, lower, upper)


@export("linalg.tensor_diag")
def tensor_diag(diagonal: TensorLike, name: str | None = None) -> Tensor:
    """A tensor of twice the rank, with the elements where both halves of the index agree.

    Example:
        >>> import minitape as tf
        >>> tf.linalg.tensor_diag([1, 2]).numpy().tolist()
        [[1, 0], [0, 2]]
    """
    x = operand(diagonal, None)
    shape = tuple(x.spec.shape)
    n = prod(shape)
    return reshape(ops.matrix_diag(reshape(x, (n,)), (0, 0), n, n), shape + shape)


@export("linalg.tensor_diag_part")
def tensor_diag_part(input: TensorLike, name: str | None = None) -> Tensor:  # noqa: A002
    """The elements where both halves of the index agree: what undoes `tensor_diag`.

    Raises:
        InvalidArgumentError: if the shape is not twice the same.

    Example:
        >>> import minitape as tf
        >>> tf.linalg.tensor_diag_part([[1, 2], [3, 4]]).numpy().tolist()
        [1, 4]
    """
    x = operand(input, None)
    shape = tuple(x.spec.shape)
    half = shape[: len(shape) // 2]
    if half + half != shape or not shape:
        raise InvalidArgumentError(
            f"tensor_diag_part got a tensor of shape {list(shape)}; the first half of the "
            "axes must have the "
            "sizes of the second. For matrices that are not square use `tf.linalg.diag_part`."
        )
    n = prod(half)
    return reshape(ops.matrix_diag_part(reshape(x, (n, n))), half)


@export("eye", "linalg.eye")
def eye(
    num_rows: Any,
    num_columns: Any = None,
    batch_shape: ShapeLike = None,
    dtype: DTypeLike = "float32",
    name: str | None = None,
) -> Tensor:
    """The identity matrix, or a batch of them.

    Example:
        >>> import minitape as tf
        >>> tf.eye(2).numpy().tolist()
        [[1.0, 0.0], [0.0, 1.0]]
    """
    rows = checked_one("eye", "num_rows", static_dims(num_rows, "eye", "num_rows"))
    columns = rows
    if num_columns is not None:
        dims = static_dims(num_columns, "eye", "num_columns")
        columns = checked_one("eye", "num_columns", dims)
    batch = () if batch_shape is None else static_dims(batch_shape, "eye", "batch_shape")
    kind = dtypes.as_dtype(dtype).np
    if type(rows) is not int and num_columns is None:  # known when the graph runs
        return diag(ones((*batch, rows), kind))
    check_memory("eye", (rows, columns), kind.itemsize)
    matrix = np.eye(rows, columns, dtype=kind)
    return make_constant(np.broadcast_to(matrix, (*batch, rows, columns)))
