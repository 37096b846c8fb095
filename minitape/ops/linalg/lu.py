"""What the LU decomposition is good for: solving, inverting, and the matrix again.

`tf.linalg.lu` packs L, without its diagonal of ones, and U in one matrix, and gives the order of
the rows. These functions are made of ops, so gradients flow to the packed matrix; the decomposition
itself has none registered, as in TensorFlow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError, teach
from minitape.op import export
from minitape.ops.broadcasting import broadcast_to
from minitape.ops.linalg.common import matrices
from minitape.ops.linalg.diagonal import band_part, matrix_set_diag
from minitape.ops.linalg.matrix import product
from minitape.ops.linalg.solve import triangular_solve
from minitape.ops.moving.gathering import gather_slices
from minitape.ops.moving.sorting import argsort
from minitape.tensor import eager
from minitape.tensors.convert import operand

if TYPE_CHECKING:
    from minitape.tensor import Tensor
    from minitape.values.public_types import TensorLike


@export("linalg.lu_reconstruct")
def lu_reconstruct(
    lower_upper: TensorLike, perm: Any, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The matrix that was decomposed: L @ U, with its rows in their old order.

    Args:
        lower_upper: what `tf.linalg.lu` gave, a tensor of shape [..., n, n].
        perm: the order of rows that it gave, integers of shape [..., n].
        validate_args: accepted and not used: shapes are always checked.
        name: accepted and not used.

    Returns:
        A tensor of the shape and dtype of `lower_upper`.

    Raises:
        InvalidArgumentError: if the shapes do not fit.

    Example:
        >>> import minitape as tf
        >>> tf.linalg.lu_reconstruct(*tf.linalg.lu([[1.0, 2.0], [2.0, 2.0]])).numpy().tolist()
        [[1.0, 2.0], [2.0, 2.0]]
    """
    x, order = _packed(lower_upper, perm, "lu_reconstruct")
    return _rows(product(_unit_lower(x), band_part(x, 0, -1)), argsort(order, order.ndim - 1))


@export("linalg.lu_solve")
def lu_solve(
    lower_upper: TensorLike,
    perm: Any,
    rhs: TensorLike,
    validate_args: bool = False,
    name: str | None = None,
) -> Tensor:
    """The solution x of `A @ x = rhs`, given the LU decomposition of A.

    Args:
        lower_upper: what `tf.linalg.lu` gave, a tensor of shape [..., n, n].
        perm: the order of rows that it gave, integers of shape [..., n].
        rhs: a tensor of shape [..., n, m]; leading axes broadcast.
        validate_args: accepted and not used: shapes are always checked.
        name: accepted and not used.

    Returns:
        A tensor of shape [..., n, m].

    Raises:
        InvalidArgumentError: if the shapes do not fit, or A is not invertible.

    Example:
        >>> import minitape as tf
        >>> packed, order = tf.linalg.lu([[1.0, 2.0], [2.0, 2.0]])
        >>> tf.linalg.lu_solve(packed, order, [[5.0], [6.0]]).numpy().tolist()
        [[1.0], [2.0]]
    """
    x, order = _packed(lower_upper, perm, "lu_solve")
    y = matrices(operand(rhs, x.spec.dtype), "lu_solve", argument="rhs")
    n = x.spec.shape[-1]
    if y.spec.shape[-2] != n:
        raise InvalidArgumentError(
            teach(
                f"lu_solve: rhs has shape {list(y.spec.shape)}.",
                f"It needs as many rows as the matrix has, {n}.",
                "A single vector is a matrix with one column: `rhs[..., tf.newaxis]`.",
            )
        )
    batch = np.broadcast_shapes(x.spec.shape[:-2], y.spec.shape[:-2])
    x, y = (broadcast_to(each, (*batch, *each.spec.shape[-2:])) for each in (x, y))
    turned = _rows(y, broadcast_to(order, (*batch, n)))
    return triangular_solve(x, triangular_solve(_unit_lower(x), turned, True), False)


@export("linalg.lu_matrix_inverse")
def lu_matrix_inverse(
    lower_upper: TensorLike, perm: Any, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The inverse of a matrix, given its LU decomposition.

    Args:
        lower_upper: what `tf.linalg.lu` gave, a tensor of shape [..., n, n].
        perm: the order of rows that it gave, integers of shape [..., n].
        validate_args: accepted and not used: shapes are always checked.
        name: accepted and not used.

    Returns:
        A tensor of the shape and dtype of `lower_upper`.

    Raises:
        InvalidArgumentError: if the shapes do not fit, or the matrix is not invertible.

    Example:
        >>> import minitape as tf
        >>> tf.linalg.lu_matrix_inverse(*tf.linalg.lu([[0.0, 2.0], [4.0, 0.0]])).numpy().tolist()
        [[0.0, 0.25], [0.5, 0.0]]
    """
    x, order = _packed(lower_upper, perm, "lu_matrix_inverse")
    eye = eager(np.eye(x.spec.shape[-1], dtype=x.spec.dtype))
    return lu_solve(x, order, eye)


def _packed(lower_upper: Any, perm: Any, op: str) -> tuple[Any, Any]:
    """The packed matrix and the order of its rows.

    Raises:
        InvalidArgumentError: if their shapes do not belong together.
    """
    x, order = matrices(lower_upper, op, True, "lower_upper"), operand(perm, None)
    if tuple(order.spec.shape) != tuple(x.spec.shape[:-1]):
        raise InvalidArgumentError(
            teach(
                f"{op}: perm has shape {list(order.spec.shape)}, lower_upper {list(x.spec.shape)}.",
                f"There must be a place for each row: shape {list(x.spec.shape[:-1])}.",
                "Give both results of `tf.linalg.lu(x)`.",
            )
        )
    return x, order


def _unit_lower(x: Any) -> Any:
    """L: what is below the diagonal, and ones on it."""
    ones = eager(np.ones(x.spec.shape[:-1], x.spec.dtype))
    return matrix_set_diag(band_part(x, -1, 0), ones)


def _rows(x: Any, order: Any) -> Any:
    """The rows of matrices in another order."""
    axis = len(x.spec.shape) - 2
    return gather_slices(x, order, axis=axis, batch_dims=axis)
