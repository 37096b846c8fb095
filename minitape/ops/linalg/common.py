"""What the modules of linear algebra share: checks of matrices, adjoints, batching of stacks.

NumPy's linear algebra works on stacks of matrices, so most batching rules are the op itself on the
stack.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import DtypeError, InvalidArgumentError, teach
from minitape.op import operands
from minitape.ops.broadcasting import broadcast_to, reshape
from minitape.ops.linalg.matrix import matrix_transpose
from minitape.ops.passing import conjugate
from minitape.ops.shapes.shaping import one_rank, spread
from minitape.tensor import Spec
from minitape.tensors.convert import operand

if TYPE_CHECKING:
    from collections.abc import Callable

    from minitape.op import Primitive
    from minitape.tensor import Array


def matrices(
    value: Any, op: str, square: bool = False, argument: str = "input", takes_half: bool = False
) -> Any:
    """A tensor of floating or complex matrices; of float16 where the op takes that.

    Raises:
        InvalidArgumentError: if the rank is below 2, or the matrices are not square.
        TypeError: if they are not floating or complex.
    """
    x = operand(value, None)
    check_matrices(x, op, square, argument, takes_half)
    return x


def check_matrices(
    x: Any, op: str, square: bool = False, argument: str = "input", takes_half: bool = False
) -> None:
    """Raises unless `x` holds floating or complex matrices; see `matrices`."""
    shape, dtype = tuple(x.spec.shape), x.spec.dtype
    if len(shape) < 2:
        raise InvalidArgumentError(
            teach(
                f"{op}: {argument} must have rank 2 or more, not shape {list(shape)}.",
                "It works on matrices, or stacks of them along leading axes.",
                "Make a matrix of a vector: `v[:, tf.newaxis]`.",
            )
        )
    if square and shape[-2] != shape[-1]:
        raise InvalidArgumentError(
            teach(
                f"{op}: {argument} must be square matrices, not of shape {list(shape)}.",
                f"With {shape[-2]} rows and {shape[-1]} columns it is not defined.",
                "For other shapes see `tf.linalg.lstsq`, `tf.linalg.pinv` and `tf.linalg.svd`.",
            )
        )
    if dtype.kind not in "fc" or (dtype.itemsize < 4 and not takes_half):
        raise DtypeError(
            teach(
                f"{op}: {argument} has dtype {x.dtype.name}.",
                "Linear algebra is there for float32, float64, complex64 and complex128.",
                "Write `tf.cast(x, tf.float32)` first.",
            )
        )


def with_room(x: Array) -> Array:
    """`x` in a dtype that LAPACK knows: float16 becomes float32."""
    return x.astype(np.float32) if x.dtype == np.float16 else x


def paired_matrices(
    op: Primitive, a: Any, b: Any, name: str, broadcasts: bool = True
) -> tuple[Any, Any]:
    """A square matrix and a right-hand side with as many rows, of the same batch axes.

    Args:
        op: is called on them.
        a: the matrix.
        b: the right-hand side.
        name: of the function.
        broadcasts: whether batch axes are broadcast to each other.

    Raises:
        InvalidArgumentError: if the shapes do not fit.
    """
    x, y = operands(op.op, (a, b))
    check_matrices(x, name, True, "matrix")
    check_matrices(y, name, False, "rhs")
    left, right = tuple(x.spec.shape), tuple(y.spec.shape)
    if left[-1] != right[-2]:
        raise InvalidArgumentError(
            teach(
                f"{name}: the matrix has shape {list(left)} and the right-hand side {list(right)}.",
                f"It needs as many rows as the matrix has, {left[-1]}.",
                "A single vector is a matrix with one column: `rhs[:, tf.newaxis]`.",
            )
        )
    if left[:-2] == right[:-2]:
        return x, y
    try:
        if not broadcasts:
            raise ValueError
        batch = np.broadcast_shapes(left[:-2], right[:-2])
    except ValueError:
        raise InvalidArgumentError(
            teach(
                f"{name}: the matrix has shape {list(left)} and the right-hand side {list(right)}.",
                "All dimensions but the last two must be the same: each matrix has its own side.",
                "Use `tf.broadcast_to` where one of them is meant for all.",
            )
        ) from None
    return broadcast_to(x, (*batch, *left[-2:])), broadcast_to(y, (*batch, *right[-2:]))


def adjoint(x: Any) -> Any:
    """The conjugate transpose."""
    return matrix_transpose(conjugate(x))


def as_matrix(x: Any) -> Any:
    """One number per matrix, with two axes of size 1 behind."""
    return reshape(x, (*x.shape, 1, 1))


def leading(call: Callable[..., Any]) -> Any:
    """The batching rule of ops that work on stacks along leading axes."""

    def rule(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
        spreads = [spread(v, own, size) for v, own in zip(values, stacked, strict=True)]
        if not one_rank(spreads):
            return NotImplemented
        return call(*spreads, *attributes)

    return rule


def sides(x: Any) -> tuple[int, int]:
    """The numbers of rows and columns of matrices."""
    rows, columns = tuple(x.shape)[-2:]
    return rows, columns


def of_first(specs: Any, *attributes: Any) -> Spec:
    """The shape and dtype of a result that is like the first input."""
    return Spec(specs[0].shape, specs[0].dtype)


def invertible(solve: Callable[..., Array], *values: Array) -> Array:
    """`solve(*values)`.

    Raises:
        InvalidArgumentError: if LAPACK found the matrix singular.
    """
    try:
        return solve(*values)
    except np.linalg.LinAlgError as error:
        raise InvalidArgumentError(
            teach(
                f"Input matrix is not invertible ({error}).",
                "A singular matrix has no inverse, and its equations no single solution.",
                "Use `tf.linalg.pinv` or `tf.linalg.lstsq`, or add a small multiple of the "
                "identity.",
            )
        ) from error
