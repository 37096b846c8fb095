"""Products of matrices and vectors.

Batch axes that agree make a `matvec`, whose rules are the textbook ones; where they have to be
broadcast it is a product of matrices with one column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError, teach
from minitape.op import export, operands, primitive
from minitape.ops.broadcasting import broadcast_to, reshape
from minitape.ops.linalg.matrix import matrix_transpose, product, tall, turned
from minitape.tensor import EagerTensor

if TYPE_CHECKING:
    from minitape.tensor import Array, Tensor
    from minitape.values.public_types import TensorLike


@primitive(type_name="MatVec", latex=r"{x:2} \, {y:2}")
def matvec(x: Array, y: Array) -> Array:
    """The product of matrices [..., n, k] and vectors [..., k] with equal batch axes."""
    return x @ y if y.ndim == 1 else (x @ y[..., None])[..., 0]


@matvec.vjp("x")
def _(g: Tensor, y: Tensor) -> Tensor:
    return reshape(g, (*g.shape, 1)) * reshape(y, (*y.shape[:-1], 1, y.shape[-1]))


@matvec.vjp("y")
def _(g: Tensor, x: Tensor) -> Tensor:
    return matvec(matrix_transpose(x), g)


@matvec.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    x, y = values
    if len(x.shape) == 2 and not stacked[0]:
        return y @ matrix_transpose(x)
    if len(y.shape) == 1 and not stacked[1]:
        columns = reshape(y, (y.shape[0], 1))
        return reshape(tall(x) @ columns, tuple(x.shape)[:-1])
    x, y = (
        v if own else broadcast_to(v, (size, *v.shape))
        for v, own in zip(values, stacked, strict=True)
    )
    return matvec(x, y)


@matvec.product
def _(x: Any, y: Any) -> Any:
    return (y, x.mT) if isinstance(x, np.ndarray) else None


@export("linalg.matvec")
def matvec_function(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The product of matrices and vectors.

    Args:
        a: Tensor of shape [..., n, k].
        b: Tensor of shape [..., k] and the dtype of `a`; leading axes broadcast.
        transpose_a: whether to transpose the last two axes of `a` first.
        adjoint_a: whether to transpose and conjugate `a` first.
        a_is_sparse: accepted and not used.
        b_is_sparse: accepted and not used.
        name: accepted and not used.

    Returns:
        A tensor of shape [..., n].

    Raises:
        InvalidArgumentError: if the ranks or sizes do not fit.

    Example:
        >>> import minitape as tf
        >>> tf.linalg.matvec([[1.0, 2.0], [3.0, 4.0]], [1.0, 10.0]).numpy().tolist()
        [21.0, 43.0]
    """
    x, y = (a, b) if type(a) is EagerTensor is type(b) else operands(matvec.op, (a, b))
    if transpose_a or adjoint_a:
        x = turned(x, transpose_a, adjoint_a, "a")
    matrices, vectors = x.spec.shape, y.spec.shape
    if len(matrices) < 2 or not vectors or matrices[-1] != vectors[-1]:
        raise InvalidArgumentError(
            teach(
                f"matvec got a: {list(matrices)} and b: {list(vectors)}.",
                "It multiplies matrices [..., n, k] by vectors [..., k], and both k must agree.",
                "For matrices on both sides use `tf.matmul(a, b)`.",
            )
        )
    if matrices[:-2] == vectors[:-1]:
        return matvec(x, y)
    out = product(x, reshape(y, (*vectors, 1)))
    return reshape(out, tuple(out.spec.shape)[:-1])
