"""`tf.linalg`: products and transposes aside, the functions that users call on matrices.

They check shapes and dtypes, and leave the mathematics to the ops beside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from minitape.op import export
from minitape.ops.broadcasting import reduce_sum
from minitape.ops.elementwise.complexes import real
from minitape.ops.elementwise.powers import log
from minitape.ops.linalg import factors as linalg_factors, solve as linalg_solve
from minitape.ops.linalg.common import adjoint as adjoint_of, matrices, paired_matrices
from minitape.ops.linalg.diagonal import matrix_diag_part

if TYPE_CHECKING:
    from minitape.tensor import Tensor
    from minitape.values.public_types import TensorLike


@export("linalg.inv")
def inv(input: TensorLike, adjoint: bool = False, name: str | None = None) -> Tensor:  # noqa: A002
    """The inverse of square matrices (of their adjoints where `adjoint`).

    Raises:
        InvalidArgumentError: if a matrix is not square, or not invertible.

    Example:
        >>> import minitape as tf
        >>> tf.linalg.inv([[2.0, 0.0], [0.0, 4.0]]).numpy().tolist()
        [[0.5, 0.0], [0.0, 0.25]]
    """
    x = matrices(input, "inv", square=True, takes_half=True)
    return linalg_solve.inverse(adjoint_of(x) if adjoint else x)


@export("linalg.det")
def det(input: TensorLike, name: str | None = None) -> Tensor:  # noqa: A002  # TensorFlow's name
    """The determinant of square matrices; the gradient is the matrix of cofactors.

    Raises:
        InvalidArgumentError: if a matrix is not square.

    Example:
        >>> import minitape as tf
        >>> float(tf.linalg.det([[2.0, 0.0], [0.0, 4.0]]))
        8.0
    """
    return linalg_solve.determinant(matrices(input, "det", square=True))


class LogMatrixDeterminant(NamedTuple):
    """What `slogdet` returns."""

    sign: Any
    log_abs_determinant: Any


@export("linalg.slogdet")
def slogdet(input: TensorLike, name: str | None = None) -> LogMatrixDeterminant:  # noqa: A002
    """The sign of the determinant and the logarithm of its modulus, without overflow.

    Raises:
        InvalidArgumentError: if a matrix is not square.

    Example:
        >>> import minitape as tf
        >>> sign, log = tf.linalg.slogdet([[-1.0, 0.0], [0.0, 1.0]])
        >>> float(sign), float(log)
        (-1.0, 0.0)
    """
    x = matrices(input, "slogdet", square=True)
    return LogMatrixDeterminant(*linalg_solve.sign_and_log_determinant(x))


@export("linalg.logdet")
def logdet(matrix: TensorLike, name: str | None = None) -> Tensor:
    """The logarithm of the determinant of Hermitian positive definite matrices; of others nan.

    Raises:
        InvalidArgumentError: if a matrix is not square.

    Example:
        >>> import minitape as tf
        >>> float(tf.linalg.logdet([[1.0, 0.0], [0.0, 1.0]]))
        0.0
    """
    factor = linalg_solve.cholesky(matrices(matrix, "logdet", True, "matrix"))
    diagonal = matrix_diag_part(factor)
    if diagonal.spec.dtype.kind == "c":
        diagonal = real(diagonal)
    return 2.0 * reduce_sum.public(log(diagonal), -1)


@export("linalg.solve")
def solve(
    matrix: TensorLike, rhs: TensorLike, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """The solution x of `matrix @ x = rhs` (or with the adjoint of `matrix`).

    Args:
        matrix: a tensor of shape [..., n, n].
        rhs: a tensor of shape [..., n, m], with the same leading axes.
        adjoint: whether to solve with the conjugate transpose of `matrix`.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if the shapes do not fit, or a matrix is not invertible.

    Example:
        >>> import minitape as tf
        >>> tf.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [[2.0], [2.0]]).numpy().tolist()
        [[1.0], [0.5]]
    """
    x, y = paired_matrices(linalg_solve.solve, matrix, rhs, "solve", broadcasts=False)
    return linalg_solve.solve(adjoint_of(x) if adjoint else x, y)


@export("linalg.triangular_solve")
def triangular_solve(
    matrix: TensorLike,
    rhs: TensorLike,
    lower: bool = True,
    adjoint: bool = False,
    name: str | None = None,
) -> Tensor:
    """The solution x of `matrix @ x = rhs`, reading only one triangle of `matrix`.

    Args:
        matrix: a tensor of shape [..., n, n].
        rhs: a tensor of shape [..., n, m]; leading axes broadcast.
        lower: whether the lower triangle is read, else the upper.
        adjoint: whether to solve with the conjugate transpose of that triangle.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if the shapes do not fit, or a diagonal element is 0.

    Example:
        >>> import minitape as tf
        >>> tf.linalg.triangular_solve([[1.0, 9.0], [1.0, 1.0]], [[2.0], [5.0]]).numpy().tolist()
        [[2.0], [3.0]]
    """
    x, y = paired_matrices(linalg_solve.triangular_solve, matrix, rhs, "triangular_solve")
    if adjoint:
        x, lower = adjoint_of(x), not lower
    return linalg_solve.triangular_solve(x, y, bool(lower))


@export("linalg.cholesky")
def cholesky(input: TensorLike, name: str | None = None) -> Tensor:  # noqa: A002  # TensorFlow's name
    """The lower triangular factor L with `input = L @ adjoint(L)`.

    Only the lower triangle of `input` is read; its gradient is symmetric, as in TensorFlow.

    Raises:
        InvalidArgumentError: if a matrix is not square, or not positive definite.

    Example:
        >>> import minitape as tf
        >>> tf.linalg.cholesky([[4.0, 2.0], [2.0, 2.0]]).numpy().tolist()
        [[2.0, 0.0], [1.0, 1.0]]
    """
    return linalg_solve.cholesky(matrices(input, "cholesky", square=True))


@export("linalg.cholesky_solve")
def cholesky_solve(chol: TensorLike, rhs: TensorLike, name: str | None = None) -> Tensor:
    """The solution x of `A @ x = rhs`, given the Cholesky factor of A.

    Raises:
        InvalidArgumentError: if the shapes do not fit, or a diagonal element is 0.

    Example:
        >>> import minitape as tf
        >>> tf.linalg.cholesky_solve([[2.0, 0.0], [0.0, 1.0]], [[4.0], [3.0]]).numpy().tolist()
        [[1.0], [3.0]]
    """
    x, y = paired_matrices(linalg_solve.triangular_solve, chol, rhs, "cholesky_solve")
    half = linalg_solve.triangular_solve(x, y, True)
    return linalg_solve.triangular_solve(adjoint_of(x), half, False)


@export("linalg.expm")
def expm(input: TensorLike, name: str | None = None) -> Tensor:  # noqa: A002  # TensorFlow's name
    """The exponential of square matrices, the sum of x^k / k!.

    Raises:
        InvalidArgumentError: if a matrix is not square.

    Example:
        >>> import minitape as tf
        >>> tf.linalg.expm([[0.0, 1.0], [0.0, 0.0]]).numpy().tolist()
        [[1.0, 1.0], [0.0, 1.0]]
    """
    return linalg_factors.matrix_exponential(matrices(input, "expm", square=True))


@export("linalg.sqrtm")
def sqrtm(input: TensorLike, name: str | None = None) -> Tensor:  # noqa: A002  # TensorFlow's name
    """The principal square root of square matrices without eigenvalues on the negative real axis.

    Raises:
        InvalidArgumentError: if a matrix is not square.

    Example:
        >>> import minitape as tf
        >>> tf.linalg.sqrtm([[4.0, 0.0], [0.0, 9.0]]).numpy().round(3).tolist()
        [[2.0, 0.0], [0.0, 3.0]]
    """
    return linalg_factors.matrix_square_root(matrices(input, "sqrtm", square=True))
