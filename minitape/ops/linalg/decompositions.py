"""`tf.linalg`: the decompositions, eigh, eig, svd, qr, lu and what gives their values alone.

Results come in TensorFlow's order (values before vectors, v not transposed).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from minitape.errors.of_flags import checked_flag
from minitape.op import export
from minitape.ops.linalg import factors as linalg_factors, spectral as linalg_spectral
from minitape.ops.linalg.common import matrices
from minitape.values import dtypes

if TYPE_CHECKING:
    from minitape.tensor import Tensor
    from minitape.values.public_types import DTypeLike, TensorLike
    from minitape.values.results import Result


@export("linalg.eigh")
def eigh(tensor: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Ascending eigenvalues, and eigenvectors as columns, of Hermitian matrices.

    Only the lower triangle is read, so the gradient has only that triangle, as in TensorFlow.

    Raises:
        InvalidArgumentError: if a matrix is not square.

    Example:
        >>> import minitape as tf
        >>> values, vectors = tf.linalg.eigh([[2.0, 0.0], [0.0, 1.0]])
        >>> values.numpy().tolist()
        [1.0, 2.0]
    """
    return linalg_spectral.eigh(matrices(tensor, "eigh", True, "tensor"))


@export("linalg.eigvalsh")
def eigvalsh(tensor: TensorLike, name: str | None = None) -> Tensor:
    """The ascending eigenvalues of Hermitian matrices, of which only the lower triangle is read.

    Raises:
        InvalidArgumentError: if a matrix is not square.

    Example:
        >>> import minitape as tf
        >>> tf.linalg.eigvalsh([[2.0, 0.0], [0.0, 1.0]]).numpy().tolist()
        [1.0, 2.0]
    """
    return linalg_spectral.eigvalsh(matrices(tensor, "eigvalsh", True, "tensor"))


@export("linalg.eig", "eig")
def eig(tensor: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Complex eigenvalues, in no order, and eigenvectors as columns, of square matrices.

    Raises:
        InvalidArgumentError: if a matrix is not square.

    Example:
        >>> import minitape as tf
        >>> values, vectors = tf.linalg.eig([[0.0, 1.0], [-1.0, 0.0]])
        >>> sorted(float(v.imag) for v in values.numpy())
        [-1.0, 1.0]
    """
    return linalg_spectral.eig(matrices(tensor, "eig", True, "tensor"))


@export("linalg.eigvals", "eigvals")
def eigvals(tensor: TensorLike, name: str | None = None) -> Tensor:
    """The complex eigenvalues of square matrices, in no order.

    Raises:
        InvalidArgumentError: if a matrix is not square.

    Example:
        >>> import minitape as tf
        >>> tf.linalg.eigvals([[3.0]]).numpy().tolist()
        [(3+0j)]
    """
    return linalg_spectral.eigvals(matrices(tensor, "eigvals", True, "tensor"))


@export("linalg.svd")
def svd(
    tensor: TensorLike,
    full_matrices: bool = False,
    compute_uv: bool = True,
    name: str | None = None,
) -> Result:
    """The singular value decomposition, `tensor = u @ diag(s) @ adjoint(v)`.

    Args:
        tensor: a tensor of shape [..., m, n].
        full_matrices: whether u and v are square; else they have min(m, n) columns.
        compute_uv: whether to compute u and v; else only s is returned.
        name: accepted and not used.

    Returns:
        s, u, v: descending singular values, and the vectors as columns (v is not transposed).

    Raises:
        InvalidArgumentError: if the rank is below 2.

    Example:
        >>> import minitape as tf
        >>> tf.linalg.svd([[3.0, 0.0], [0.0, 4.0]], compute_uv=False).numpy().tolist()
        [4.0, 3.0]
    """
    x = matrices(tensor, "svd", argument="tensor")
    return (
        linalg_spectral.svd(x, checked_flag("svd", "full_matrices", full_matrices))
        if checked_flag("svd", "compute_uv", compute_uv)
        else linalg_spectral.singular_values(x)
    )


class Qr(NamedTuple):
    """What `qr` returns."""

    q: Any
    r: Any


@export("linalg.qr")
def qr(input: TensorLike, full_matrices: bool = False, name: str | None = None) -> Qr:  # noqa: A002
    """Orthonormal columns q and an upper triangular r with `input = q @ r`.

    Args:
        input: a tensor of shape [..., m, n].
        full_matrices: whether q is square; else it has min(m, n) columns.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if the rank is below 2.

    Example:
        >>> import minitape as tf
        >>> q, r = tf.linalg.qr([[0.0, 2.0], [1.0, 1.0]])
        >>> (q @ r).numpy().round(3).tolist()
        [[0.0, 2.0], [1.0, 1.0]]
    """
    x = matrices(input, "qr", takes_half=True)
    return Qr(*linalg_factors.qr(x, checked_flag("qr", "full_matrices", full_matrices)))


class Lu(NamedTuple):
    """What `lu` returns."""

    lu: Any
    p: Any


@export("linalg.lu")
def lu(
    input: TensorLike, output_idx_type: DTypeLike = "int32", name: str | None = None
) -> tuple[Tensor, Tensor]:  # noqa: A002
    """The LU decomposition with row exchanges.

    Args:
        input: a tensor of shape [..., n, n].
        output_idx_type: the integer type of the order of rows.
        name: accepted and not used.

    Returns:
        L (without its diagonal of ones) below and U on and above the diagonal of one matrix, and
        the order p of rows: row i of L @ U is row p[i] of the input.

    Raises:
        InvalidArgumentError: if a matrix is not square.

    Example:
        >>> import minitape as tf
        >>> packed, order = tf.linalg.lu([[1.0, 2.0], [2.0, 2.0]])
        >>> packed.numpy().tolist(), order.numpy().tolist()
        ([[2.0, 2.0], [0.5, 1.0]], [1, 0])
    """
    index = dtypes.as_dtype(output_idx_type).np
    return Lu(*linalg_factors.lu(matrices(input, "lu", square=True), index))
