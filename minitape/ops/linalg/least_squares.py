"""Least squares, the pseudoinverse and the rank: what a matrix that need not be square can do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors.of_arguments import checked_number, not_fitting
from minitape.op import export, operands
from minitape.ops.linalg import solve as linalg_solve, spectral as linalg_spectral
from minitape.ops.linalg.common import adjoint as adjoint_of, check_matrices, matrices
from minitape.ops.linalg.matrix import product
from minitape.ops.statics import static_value
from minitape.tensor import eager

if TYPE_CHECKING:
    from minitape.tensor import Tensor
    from minitape.values.public_types import TensorLike


@export("linalg.lstsq")
def lstsq(
    matrix: TensorLike,
    rhs: TensorLike,
    l2_regularizer: float = 0.0,
    fast: bool = True,
    name: str | None = None,
) -> Tensor:
    """The x that minimises `norm(matrix @ x - rhs)**2 + l2_regularizer * norm(x)**2`.

    Args:
        matrix: a tensor of shape [..., m, n] of full rank.
        rhs: a tensor of shape [..., m, k].
        l2_regularizer: how much the size of x counts.
        fast: whether to solve the normal equations; else through the pseudo-inverse, which also
            works for matrices without full rank, leaves out the regularizer, and has no gradient.
        name: accepted and not used.

    Returns:
        A tensor of shape [..., n, k]; of all minima, the one of least norm.

    Raises:
        InvalidArgumentError: if the shapes do not fit, or the normal equations have no single
            solution.

    Example:
        >>> import minitape as tf
        >>> tf.linalg.lstsq([[1.0], [1.0]], [[1.0], [3.0]]).numpy().tolist()
        [[2.0]]
    """
    a, b = operands(linalg_solve.solve.op, (matrix, rhs))
    check_matrices(a, "lstsq", argument="matrix")
    check_matrices(b, "lstsq", argument="rhs")
    if not fast:
        return linalg_solve.least_squares(a, b)
    turned = adjoint_of(a)
    rows, columns = a.spec.shape[-2:]
    extra = checked_number("lstsq", "l2_regularizer", l2_regularizer, "l2_regularizer=0.1")
    weight = eager(np.eye(min(rows, columns), dtype=a.spec.dtype) * extra)
    if rows >= columns:
        return linalg_solve.solve(product(turned, a) + weight, product(turned, b))
    return product(turned, linalg_solve.solve(product(a, turned) + weight, b))


@export("linalg.pinv")
def pinv(
    a: TensorLike, rcond: Any = None, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The pseudo-inverse (Moore-Penrose) of matrices of any shape and rank.

    Args:
        a: a tensor of shape [..., m, n].
        rcond: singular values below this times the largest count as 0; by default 10 * max(m, n)
            times the precision of the dtype.
        validate_args: accepted and not used.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if the rank is below 2.

    Example:
        >>> import minitape as tf
        >>> tf.linalg.pinv([[2.0, 0.0], [0.0, 0.0]]).numpy().tolist()
        [[0.5, 0.0], [0.0, 0.0]]
    """
    x = matrices(a, "pinv", argument="a")
    if rcond is None:
        rcond = 10 * max(x.spec.shape[-2:]) * np.finfo(x.spec.dtype).eps
    return linalg_solve.pseudo_inverse(
        x, checked_number("pinv", "rcond", static_value(rcond, "pinv", "rcond"), "rcond=1e-6")
    )


@export("linalg.matrix_rank")
def matrix_rank(
    a: TensorLike, tol: Any = None, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """How many singular values are above `tol`, by default max(m, n) * precision * the largest.

    Raises:
        InvalidArgumentError: if the rank of the tensor is below 2.

    Example:
        >>> import minitape as tf
        >>> int(tf.linalg.matrix_rank([[1.0, 2.0], [2.0, 4.0]]))
        1
    """
    x = matrices(a, "matrix_rank", argument="a")
    s = np.asarray(static_value(linalg_spectral.singular_values(x), "matrix_rank", "a"))
    if tol is None:
        largest = s.max(-1, keepdims=True, initial=0)
        tol = max(x.spec.shape[-2:]) * np.finfo(x.spec.dtype).eps * largest
    if np.asarray(tol).dtype.kind not in "biuf":
        raise not_fitting("matrix_rank", "tol", tol, "a number", "tf.linalg.matrix_rank(x, 1e-6)")
    return eager(
        np.count_nonzero(s > tol, -1).astype(np.int32)[()]
        if s.ndim > 1
        else np.int32((s > tol).sum())
    )
