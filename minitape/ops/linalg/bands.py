"""`tf.linalg`: matrices of which only a few diagonals are not zero.

Diagonals come in one tensor, the highest first, each as long as the main one; those above begin at
the left, those below end at the right, and what is over is read by nobody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError, teach
from minitape.op import export
from minitape.ops.broadcasting import broadcast_to, reshape
from minitape.ops.elementwise.complexes import real
from minitape.ops.linalg.common import check_matrices, matrices
from minitape.ops.linalg.diagonal import matrix_diag, matrix_diag_part
from minitape.ops.linalg.functions import triangular_solve
from minitape.ops.linalg.matrix import matrix_transpose
from minitape.ops.linalg.spectral import diagonal_matrix, eigh, eigvalsh
from minitape.ops.linalg.tridiagonal import tridiagonal_matmul as matmul, tridiagonal_solve as solve
from minitape.ops.moving.joining import concat, stack
from minitape.ops.passing import conjugate, is_complex
from minitape.ops.statics import static_ints, static_value
from minitape.tensors.convert import operand

if TYPE_CHECKING:
    from minitape.tensor import Tensor
    from minitape.values.public_types import TensorLike
    from minitape.values.results import Result

_ALIGN = "LEFT_RIGHT"


def _compact(diagonals: Any, form: str, op: str) -> Any:
    """The three diagonals as one tensor of shape [..., 3, n].

    Raises:
        ValueError: if `form` is none of the three.
        InvalidArgumentError: if the shapes do not belong together.
    """
    if form == "matrix":
        return matrix_diag_part(matrices(diagonals, op, True, "diagonals"), (-1, 1), 0.0, _ALIGN)
    if form == "compact":
        x = matrices(diagonals, op, argument="diagonals")
        if x.spec.shape[-2] != 3:
            raise InvalidArgumentError(
                f"{op}: Expected diagonals of shape [..., 3, n]: the superdiagonals, diagonals and "
                f"subdiagonals; got {list(x.spec.shape)}. For a matrix write "
                "diagonals_format='matrix'."
            )
        return x
    if form != "sequence":
        raise ValueError(
            f"{op}: Unrecognized diagonals_format: {form!r}. It must be 'compact', 'sequence' or "
            "'matrix'."
        )
    if not isinstance(diagonals, list | tuple) or len(diagonals) != 3:
        raise ValueError(
            f"{op}: Expected diagonals to be a sequence of length 3: the superdiagonal, the "
            "diagonal and the subdiagonal."
        )
    above, main, below = (operand(x, None) for x in diagonals)
    return stack([_padded(above, main, False), main, _padded(below, main, True)], -2)


def _padded(x: Any, main: Any, left: bool) -> Any:
    """An outer diagonal as long as the main one, with a zero where nobody reads."""
    if x.spec.shape[-1] == main.spec.shape[-1]:
        return x
    nothing = main[..., :1] * 0
    return concat([nothing, x] if left else [x, nothing], len(x.spec.shape) - 1)


@export("linalg.tridiagonal_matmul")
def tridiagonal_matmul(
    diagonals: TensorLike,
    rhs: TensorLike,
    diagonals_format: str = "compact",
    name: str | None = None,
) -> Tensor:
    """The product of tridiagonal matrices and matrices.

    Args:
        diagonals: "compact": the superdiagonals, diagonals and subdiagonals as a tensor of shape
            [..., 3, n], whose elements [..., 0, n - 1] and [..., 2, 0] are not read; "sequence": a
            list of the three, the outer ones of n or n - 1 elements; "matrix": whole matrices of
            shape [..., n, n].
        rhs: a tensor of shape [..., n, m]; leading axes broadcast.
        diagonals_format: which of these.
        name: accepted and not used.

    Returns:
        A tensor of shape [..., n, m].

    Raises:
        InvalidArgumentError: if the shapes do not fit.
        ValueError: if the format is unknown.

    Example:
        >>> import minitape as tf
        >>> diagonals = [[1.0, 2.0, 0.0], [3.0, 4.0, 5.0], [0.0, 6.0, 7.0]]
        >>> tf.linalg.tridiagonal_matmul(diagonals, tf.ones([3, 1])).numpy().tolist()
        [[4.0], [12.0], [12.0]]
    """
    op = "tridiagonal_matmul"
    x = _compact(diagonals, diagonals_format, op)
    y = matrices(operand(rhs, x.spec.dtype), op, argument="rhs")
    return matmul(*_together(x, y, op))


def _together(x: Any, y: Any, op: str) -> tuple[Any, Any]:
    """Diagonals and a right-hand side with the same leading axes."""
    if x.spec.shape[-1] != y.spec.shape[-2]:
        raise InvalidArgumentError(
            teach(
                f"{op}: the diagonals have shape {list(x.spec.shape)}, the right-hand side "
                f"{list(y.spec.shape)}.",
                f"It needs as many rows as the matrix has, {x.spec.shape[-1]}.",
                "Look at the last axis of the one and the last but one of the other.",
            )
        )
    batch = np.broadcast_shapes(x.spec.shape[:-2], y.spec.shape[:-2])
    return (
        broadcast_to(x, (*batch, *x.spec.shape[-2:])),
        broadcast_to(y, (*batch, *y.spec.shape[-2:])),
    )


@export("linalg.tridiagonal_solve")
def tridiagonal_solve(
    diagonals: TensorLike,
    rhs: TensorLike,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Tensor:
    """The solution x of `A @ x = rhs` for tridiagonal matrices A, in linear time.

    Args:
        diagonals: the matrices, as for `tf.linalg.tridiagonal_matmul`.
        rhs: a tensor of shape [..., n] or [..., n, m].
        diagonals_format: "compact", "sequence" or "matrix".
        transpose_rhs: whether `rhs` is given with its last two axes exchanged; a vector has one.
        conjugate_rhs: whether to solve for the conjugate of `rhs`.
        name: accepted and not used.
        partial_pivoting: accepted and not used: rows are always exchanged where that helps.
        perturb_singular: must be False.

    Returns:
        A tensor of the shape of `rhs` (with `transpose_rhs`: [..., n, m]).

    Raises:
        InvalidArgumentError: if the shapes do not fit, or a matrix is not invertible.
        NotImplementedError: if `perturb_singular` is True.
        ValueError: if the format is unknown.

    Example:
        >>> import minitape as tf
        >>> diagonals = [[1.0, 1.0, 0.0], [2.0, 2.0, 2.0], [0.0, 1.0, 1.0]]
        >>> tf.linalg.tridiagonal_solve(diagonals, [4.0, 8.0, 8.0]).numpy().round(5).tolist()
        [1.0, 2.0, 3.0]
    """
    op = "tridiagonal_solve"
    if perturb_singular:
        raise NotImplementedError(
            "tridiagonal_solve: perturb_singular=True is not there. Add a small number to the "
            "diagonal instead."
        )
    x = _compact(diagonals, diagonals_format, op)
    y = operand(rhs, x.spec.dtype)
    y = conjugate(y) if conjugate_rhs else y
    if len(y.spec.shape) == len(x.spec.shape) - 1:
        columns = solve(*_together(x, reshape(y, (*y.spec.shape, 1)), op))
        return reshape(columns, columns.spec.shape[:-1])
    y = matrices(matrix_transpose(y) if transpose_rhs else y, op, argument="rhs")
    return solve(*_together(x, y, op))


@export("linalg.banded_triangular_solve")
def banded_triangular_solve(
    bands: Any, rhs: TensorLike, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """The solution x of `A @ x = rhs` for triangular matrices A with few diagonals.

    Args:
        bands: a tensor of shape [..., k, n]: the main diagonal first and those below it, or with
            `lower=False` those above it and the main diagonal last. Diagonals below end at the
            right, those above begin at the left.
        rhs: a tensor of shape [..., n, m]; leading axes broadcast.
        lower: whether A is lower triangular.
        adjoint: whether to solve with the conjugate transpose of A.
        name: accepted and not used.

    Returns:
        A tensor of shape [..., n, m].

    Raises:
        InvalidArgumentError: if the shapes do not fit, or a diagonal element is 0.

    Example:
        >>> import minitape as tf
        >>> bands = [[2.0, 3.0, 4.0], [0.0, 2.0, 3.0]]
        >>> tf.linalg.banded_triangular_solve(bands, tf.ones([3, 1])).numpy().tolist()
        [[0.5], [0.0], [0.25]]
    """
    x = matrices(bands, "banded_triangular_solve", argument="bands")
    count, n = x.spec.shape[-2:]
    k = (1 - count, 0) if lower else (0, count - 1)
    return triangular_solve(matrix_diag(x, k, n, n, 0.0, _ALIGN), rhs, lower, adjoint)


@export("linalg.eigh_tridiagonal")
def eigh_tridiagonal(
    alpha: TensorLike,
    beta: TensorLike,
    eigvals_only: bool = True,
    select: str = "a",
    select_range: Any = None,
    tol: Any = None,
    name: str | None = None,
) -> Result:
    """The eigenvalues of a Hermitian tridiagonal matrix, ascending.

    Args:
        alpha: the diagonal, a tensor of shape [n]; imaginary parts are not read.
        beta: the superdiagonal, a tensor of shape [n - 1]; the subdiagonal is its conjugate.
        eigvals_only: whether to leave the eigenvectors out.
        select: "a" for all eigenvalues, "i" for those with the indices, "v" for those with the
            values in `select_range`.
        select_range: for "i" the first and the last index, for "v" the bounds of the half-open
            interval (min, max].
        tol: accepted and not used: eigenvalues are as precise as the dtype.
        name: accepted and not used.

    Returns:
        A real tensor of eigenvalues; without `eigvals_only` a pair of it and a tensor whose columns
        are the eigenvectors.

    Raises:
        ValueError: if `select` is unknown, or `select_range` does not belong to it.

    Example:
        >>> import minitape as tf
        >>> tf.linalg.eigh_tridiagonal([0.0, 0.0], [1.0]).numpy().tolist()
        [-1.0, 1.0]
    """
    main, above = operand(alpha, None), operand(beta, None)
    if len(main.shape) != 1:
        raise InvalidArgumentError(
            f"eigh_tridiagonal: alpha has shape {tuple(main.shape)}, and is the vector of the "
            "diagonal. Write for instance `tf.linalg.eigh_tridiagonal([1.0, 2.0], [0.5])`."
        )
    matrix = diagonal_matrix(main)
    check_matrices(matrix, "eigh_tridiagonal", argument="alpha")
    if main.spec.shape[-1] > 1:
        n = main.spec.shape[-1]
        matrix = matrix + matrix_diag(conjugate(above), (-1, -1), n, n)
    values, vectors = (eigvalsh(matrix), None) if eigvals_only else eigh(matrix)
    values = real(values) if is_complex(values) else values
    first, last = _selected(values, select, select_range)
    values = values[first:last]
    return values if vectors is None else (values, vectors[:, first:last])


def _selected(values: Any, select: str, bounds: Any) -> tuple[int, int]:
    """Which of the ascending eigenvalues are asked for."""
    if select == "a":
        return 0, int(values.spec.shape[0])
    if select not in ("i", "v"):
        raise ValueError(f"eigh_tridiagonal: select={select!r}. It must be 'a', 'i' or 'v'.")
    if bounds is None or len(bounds) != 2 or bounds[0] > bounds[1]:
        raise ValueError(
            f"eigh_tridiagonal: select={select!r} needs select_range=(min, max) with min <= max; "
            f"got {bounds!r}."
        )
    if select == "i":
        first, last = static_ints(bounds, "eigh_tridiagonal", "select_range")
        return first, last + 1
    known = np.asarray(static_value(values, "eigh_tridiagonal", "the eigenvalues"))
    low, high = (float(static_value(b, "eigh_tridiagonal", "select_range")) for b in bounds)
    return int(np.searchsorted(known, low, "right")), int(np.searchsorted(known, high, "right"))
