"""`tf.linalg`: transposes, traces, and vector products.

Argument names and defaults are TensorFlow's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minitape.errors import InvalidArgumentError, teach
from minitape.op import export, operands
from minitape.ops.linalg import diagonal as linalg_diagonal
from minitape.ops.linalg.matrix import matrix_transpose as swap
from minitape.ops.passing import conj
from minitape.tensors.convert import operand

if TYPE_CHECKING:
    from minitape.tensor import Tensor
    from minitape.values.public_types import TensorLike


def stack_of_matrices(value: Any, op: str) -> Any:
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
    x = stack_of_matrices(a, "matrix_transpose")
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
    return linalg_diagonal.trace(stack_of_matrices(x, "trace"))


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
