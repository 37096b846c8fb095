"""`tf.linalg`: transposes, diagonals, bands, and vector products.

The one fact to know: argument names and defaults are TensorFlow's.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from minitape.errors import InvalidArgumentError, teach
from minitape.errors.of_arguments import checked_integer, checked_text, not_fitting
from minitape.ops.broadcasting import reshape
from minitape.ops.elementwise.passing import conj
from minitape.ops.linalg import diagonal as linalg_diagonal
from minitape.ops.linalg.matrix import matrix_transpose as swap
from minitape.ops.statics import static_int, static_ints, static_value
from minitape.primitive import export, operands
from minitape.tensors.convert import operand

if TYPE_CHECKING:
    from minitape.tensor import Tensor
    from minitape.values.public_types import TensorLike


def _stack_of_matrices(value: Any, op: str) -> Any:
    """A tensor of rank 2 or more, of any dtype.

    Raises:
        InvalidArgumentError: if the rank is below 2.
    """
    x = operand(value, None)
    if len(x.spec.shape) < 2:
        raise InvalidArgumentError(
            teach(
                f"{op} got a tensor of shape {list(x.spec.shape)}.",
                "It works on matrices, or stacks of them along leading axes.",
                "Make a matrix of a vector: `v[:, tf.newaxis]`.",
            )
        )
    return x


@export("linalg.matrix_transpose")
def matrix_transpose(a: TensorLike, name: str | None = None, conjugate: bool = False) -> Tensor:
    """The last two axes exchanged; `conjugate` conjugates the elements too.

    Raises:
        InvalidArgumentError: if the rank is below 2.

    Example:
        >>> import minitape as tf
        >>> tf.linalg.matrix_transpose([[1, 2], [3, 4]]).numpy().tolist()
        [[1, 3], [2, 4]]
    """
    x = _stack_of_matrices(a, "matrix_transpose")
    return swap(conj(x) if conjugate and x.dtype.is_complex else x)


@export("linalg.adjoint")
def adjoint(matrix: TensorLike, name: str | None = None) -> Tensor:
    """The conjugate transpose of the last two axes.

    Raises:
        InvalidArgumentError: if the rank is below 2.

    Example:
        >>> import minitape as tf
        >>> tf.linalg.adjoint([[1j, 2.0]]).numpy().tolist()
        [[-1j], [(2-0j)]]
    """
    return matrix_transpose(matrix, conjugate=True)


@export("linalg.trace")
def trace(x: TensorLike, name: str | None = None) -> Tensor:
    """The sum of the main diagonal of each matrix.

    Raises:
        InvalidArgumentError: if the rank is below 2.

    Example:
        >>> import minitape as tf
        >>> int(tf.linalg.trace([[1, 2], [3, 4]]))
        5
    """
    return linalg_diagonal.trace(_stack_of_matrices(x, "trace"))


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
    return linalg_diagonal.matrix_diag(x, (low, high), rows, columns, padding, align)


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
    x = _stack_of_matrices(input, "diag_part")
    padding = static_value(padding_value, "diag_part", "padding_value")
    return linalg_diagonal.matrix_diag_part(x, _diagonals(k, "diag_part"), padding, align)


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
    x, y = operands(linalg_diagonal.matrix_set_diag.op, (input, diagonal))
    x, bounds = _stack_of_matrices(x, "set_diag"), _diagonals(k, "set_diag")
    *batch, rows, columns = x.spec.shape
    checked_text("set_diag", "align", align, "align='RIGHT_LEFT'")
    place = linalg_diagonal.band(rows, columns, bounds, align)
    packed = (place.length,) if bounds[0] == bounds[1] else (place.lines, place.length)
    if tuple(y.spec.shape) != (*batch, *packed):
        raise InvalidArgumentError(
            f"set_diag: the diagonal has shape {list(y.spec.shape)}; diagonals {bounds} of an "
            "input of shape "
            f"{list(x.spec.shape)} have shape {[*batch, *packed]}. Give one number for each place."
        )
    return linalg_diagonal.matrix_set_diag(x, y, bounds, align)


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
    x = _stack_of_matrices(input, "band_part")
    lower = static_int(num_lower, "band_part", "num_lower")
    upper = static_int(num_upper, "band_part", "num_upper")
    return linalg_diagonal.band_part(x, lower, upper)


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
    return reshape(linalg_diagonal.matrix_diag(reshape(x, (n,)), (0, 0), n, n), shape + shape)


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
    return reshape(linalg_diagonal.matrix_diag_part(reshape(x, (n, n))), half)


@export("linalg.cross")
def cross(a: TensorLike, b: TensorLike, name: str | None = None) -> Tensor:
    """The vector product of vectors of three elements along the last axis.

    Raises:
        InvalidArgumentError: if the shapes differ, or the last axis has not three elements.

    Example:
        >>> import minitape as tf
        >>> tf.linalg.cross([1, 0, 0], [0, 1, 0]).numpy().tolist()
        [0, 0, 1]
    """
    x, y = operands(linalg_diagonal.cross.op, (a, b))
    left, right = tuple(x.spec.shape), tuple(y.spec.shape)
    if left != right or left[-1:] != (3,):
        raise InvalidArgumentError(
            teach(
                f"cross got shapes {list(left)} and {list(right)}.",
                "Both must be the same, with three elements along the last axis.",
                "Repeat one of them with `tf.broadcast_to` first.",
            )
        )
    return linalg_diagonal.cross(x, y)
