"""Matrix products, and the transposes that their derivatives need.

`matmul` takes operands whose batch axes agree, so its rules are the textbook ones; where batch axes
have to be broadcast, `broadcast_matmul` is recorded instead, whose rules sum over them. Both turn a
stack of products with one matrix into a single product of tall matrices.
"""

from __future__ import annotations

from math import prod
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError, teach
from minitape.op import attach, export, operands, primitive, sweeping
from minitape.ops.broadcasting import reshape, sum_to
from minitape.ops.casting import cast_function
from minitape.ops.passing import conj
from minitape.tensor import EagerTensor, Operators, Spec
from minitape.tensors.convert import operand

if TYPE_CHECKING:
    from minitape.tensor import Array, Tensor
    from minitape.values.public_types import DTypeLike, TensorLike

_SMALL, _MEDIUM = 4096, 8192  # elements


@primitive(
    latex=r"{x:4}^\top", type_name="Transpose", node_name="transpose", kernel=attrgetter("mT")
)
def matrix_transpose(x: Array) -> Array:
    """The last two axes exchanged, as a view."""
    return x.mT


matrix_transpose.says(moves="shape")


@matrix_transpose.vjp("x")
def _(g: Tensor) -> Tensor:
    return matrix_transpose(g)


@matrix_transpose.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    return matrix_transpose(values[0])


@primitive(type_name="MatMul", latex=r"{x:2} \, {y:2}", refuses="b")
def matmul(x: Array, y: Array) -> Array:
    """The matrix product x y of [..., n, k] and [..., k, m] with equal batch axes."""
    if x.ndim != 2:
        return x @ y
    try:
        # `dot` takes a third of the time where matrices are small, and clears a large result first.
        return x.dot(y) if x.size <= _MEDIUM else x @ y
    except ValueError:
        raise _do_not_fit(x.shape, y.shape) from None


matmul.says(
    sign="·",
    product=True,
    grows=True,
    shrinks=True,
    rule="each element adds up a row times a column",
)


@matmul.vjp("x")
def _(g: Tensor, y: Tensor) -> Tensor:
    return matmul(g, matrix_transpose(y))


@matmul.vjp("y")
def _(g: Tensor, x: Tensor) -> Tensor:
    return matmul(matrix_transpose(x), g)


@primitive(type_name="BatchMatMulV2", latex=r"{x:2} \, {y:2}", refuses="b")
def broadcast_matmul(x: Array, y: Array) -> Array:
    """The matrix product of [..., n, k] and [..., k, m]; the batch axes broadcast."""
    if y.ndim == 2:
        return tall(x) @ y if x.ndim == 2 else (tall(x) @ y).reshape(*x.shape[:-1], y.shape[1])
    return x @ y


broadcast_matmul.says(
    called="matmul",
    sign="·",
    product=True,
    grows=True,
    shrinks=True,
    rule="each element adds up a row times a column",
)


@broadcast_matmul.vjp("x")
def _(g: Tensor, x: Spec, y: Tensor) -> Tensor:
    if len(x.shape) == 2:  # the sum over all products g y^T is one product of wide matrices
        return matrix_transpose(tall(matrix_transpose(g))) @ tall(matrix_transpose(y))
    return sum_to(g @ matrix_transpose(y), x.shape)


@broadcast_matmul.vjp("y")
def _(g: Tensor, x: Tensor, y: Spec) -> Tensor:
    if len(y.shape) == 2:
        return matrix_transpose(tall(x)) @ tall(g)
    return sum_to(matrix_transpose(x) @ g, y.shape)


def _product_spec(specs: Any) -> Spec:
    """Shape and dtype of a product that fits, without its sums."""
    x, y = specs
    stack = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    return Spec((*stack, x.shape[-2], y.shape[-1]), x.dtype)


matmul.op.infer = broadcast_matmul.op.infer = _product_spec


def tall(x: Any) -> Any:
    """A stack of matrices as one, its rows below each other."""
    shape = tuple(x.shape)
    return x if len(shape) == 2 else reshape(x, (prod(shape[:-1]), shape[-1]))


def _batched_matmul(
    values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int
) -> Any:
    """Products of stacks by few products of large matrices: BLAS is slow on many small ones."""
    x, y = values
    rank_x, rank_y = len(x.shape) - stacked[0], len(y.shape) - stacked[1]
    if rank_y == 2 and not stacked[1]:
        return reshape(matmul(tall(x), _packed(y)), (*x.shape[:-1], y.shape[1]))
    if rank_x == 2 and not stacked[0] and y.shape[-1] == 1:
        columns = reshape(y, tuple(y.shape)[:-1])
        return reshape(tall(columns) @ matrix_transpose(x), (*y.shape[:-2], x.shape[0], 1))
    rank = max(rank_x, rank_y)
    return _packed(_aligned(x, stacked[0], rank)) @ _packed(_aligned(y, stacked[1], rank))


def _packed(x: Any) -> Any:
    """A small array, with which many products are made, without transposed axes.

    BLAS takes half the time for it, where nobody watches and there are arrays.
    """
    return np.ascontiguousarray(x) if type(x) is np.ndarray and x.size <= _SMALL else x


def _aligned(x: Any, stacked: bool, rank: int) -> Any:
    """A stack whose examples have `rank` axes, so that batch axes line up."""
    shape = tuple(x.shape)
    missing = rank + 1 - len(shape)
    return reshape(x, (shape[0], *(1,) * missing, *shape[1:])) if stacked and missing else x


_matmul = matmul.public
matmul.batch(_batched_matmul)
broadcast_matmul.batch(_batched_matmul)
matmul.product(lambda x, y: (x, y))


def product(x: Any, y: Any) -> Any:
    """The product behind `@`: `matmul`, or `broadcast_matmul` where batch axes differ."""
    if type(x) is EagerTensor:
        if type(y) is not EagerTensor:
            y = y.as_operand() if isinstance(y, Operators) else operand(y, x.value.dtype)
        if type(y) is EagerTensor and x.value.ndim == 2 == y.value.ndim:
            return _matmul(x, y)
    if type(x) is EagerTensor is type(y):
        a, b = x.value.shape, y.value.shape
    else:
        sweep = sweeping((x, y))
        if sweep is not None:  # a rule's product, which fits; both ops have one batching rule
            return sweep.interpret(matmul.op, (x, y), ())
        x, y = operands(matmul.op, (x, y))
        a, b = x.spec.shape, y.spec.shape
    if len(a) < 2 or len(b) < 2 or a[-1] != b[-2]:
        raise _do_not_fit(a, b)
    return matmul(x, y) if len(a) == len(b) == 2 or a[:-2] == b[:-2] else broadcast_matmul(x, y)


attach("matmul", product, reflected=True)


def _do_not_fit(a: Any, b: Any) -> InvalidArgumentError:
    a, b = list(a), list(b)
    if len(a) < 2 or len(b) < 2:
        return InvalidArgumentError(
            teach(
                f"In[0] and In[1] of a matrix product have shapes {a} and {b} [Op:MatMul].",
                "Both must be matrices, or stacks of them: rank 2 or more.",
                "For a vector v write `tf.linalg.matvec(A, v)`, or make it a matrix: `A @ "
                "v[:, tf.newaxis]`.",
            )
        )
    return InvalidArgumentError(
        teach(
            f"Matrix size-incompatible: In[0]: {a}, In[1]: {b} [Op:MatMul].",
            f"Each row of the left matrix has {a[-1]} elements, each column of the right one "
            f"has {b[-2]}; they must agree.",
            "Check which operand has to be transposed: `tf.matmul(a, b, transpose_b=True)`.",
        )
    )


@export("matmul", "linalg.matmul")
def matmul_function(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: DTypeLike = None,
    name: str | None = None,
) -> Tensor:
    """The matrix product of `a` and `b`.

    Args:
        a: Tensor of shape [..., n, k].
        b: Tensor of shape [..., k, m] and the dtype of `a`; leading axes broadcast.
        transpose_a: whether to transpose the last two axes of `a` first.
        transpose_b: the same for `b`.
        adjoint_a: whether to transpose and conjugate `a` first.
        adjoint_b: the same for `b`.
        a_is_sparse: accepted and not used.
        b_is_sparse: accepted and not used.
        output_type: the dtype of the result, by default that of `a`.
        name: accepted and not used.

    Returns:
        A tensor of shape [..., n, m].

    Raises:
        InvalidArgumentError: if a rank is below 2, or the inner sizes differ.
        ValueError: if an operand is to be both transposed and adjoint.

    Example:
        >>> import minitape as tf
        >>> a = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        >>> tf.matmul(a, a, transpose_b=True).numpy().tolist()
        [[5.0, 11.0], [11.0, 25.0]]
    """
    x, y = operands(matmul.op, (a, b))
    x = turned(x, transpose_a, adjoint_a, "a")
    y = turned(y, transpose_b, adjoint_b, "b")
    out = product(x, y)
    return out if output_type is None else _cast(out, output_type)


def turned(x: Any, transpose: bool, adjoint: bool, argument: str) -> Any:
    """`x`, its transpose or its adjoint."""
    if not transpose and not adjoint:
        return x
    if transpose and adjoint:
        raise ValueError(
            f"Only one of `transpose_{argument}` and `adjoint_{argument}` can be True. "
            "The adjoint is already transposed: leave the other one out."
        )
    return matrix_transpose(conj(x) if adjoint and x.spec.dtype.kind == "c" else x)


def _cast(x: Any, dtype: Any) -> Any:
    return cast_function(x, dtype)
