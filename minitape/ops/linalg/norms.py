"""Norms and vectors of length one: norm, normalize, l2_normalize.

As in TensorFlow, a list of two axes asks for a matrix norm, anything else for a vector norm; where
a norm is 0, the gradient of the euclidean one is nan (0 if the incoming one is).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import teach
from minitape.op import export, primitive
from minitape.ops.broadcasting import add_up, reduce_sum, reshape
from minitape.ops.casting import cast
from minitape.ops.elementwise.comparison import gate, maximum
from minitape.ops.elementwise.complexes import imag, real
from minitape.ops.elementwise.powers import pow_, sqrt, zero_times
from minitape.ops.elementwise.signs import abs_
from minitape.ops.families import batched_reduction, canonical_axes, keep_axes_shape
from minitape.ops.linalg.spectral import singular_values
from minitape.ops.passing import conj
from minitape.ops.reductions.extremes import reduce_max
from minitape.ops.reductions.statistics import length
from minitape.ops.shapes.shaping import transpose
from minitape.tensors.convert import operand

if TYPE_CHECKING:
    from minitape.tensor import Array, Tensor
    from minitape.values.public_types import Axis, TensorLike

_EUCLIDEAN = ("euclidean", "fro")


@export("norm", "linalg.norm")
def norm(
    tensor: Any,
    ord: Any = "euclidean",  # noqa: A002  # TensorFlow's name
    axis: Any = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """The norm of vectors or matrices.

    Args:
        tensor: a floating or complex tensor.
        ord: "euclidean", 1, 2, infinity, or any positive p for vectors; "fro", "euclidean", 1, 2 or
            infinity for matrices.
        axis: None for the norm of all elements as one vector, an integer for vectors along that
            axis, a list of two integers for matrices.
        keepdims: whether reduced axes stay, with size 1.
        name: accepted and not used.

    Raises:
        ValueError: if `ord` or `axis` is none of these.

    Example:
        >>> import minitape as tf
        >>> float(tf.norm([3.0, 4.0]))
        5.0
    """
    x = operand(tensor, None)
    matrix = isinstance(axis, list | tuple) and len(axis) == 2
    _check(ord, axis, matrix)
    if ord in _EUCLIDEAN or (ord == 2 and not matrix):
        return _euclidean(x, axis, keepdims)
    if matrix:
        return _of_matrices(x, ord, tuple(axis), keepdims)
    size = abs_(x)
    if ord == 1:
        return reduce_sum(size, axis, keepdims)
    if ord == np.inf:
        return reduce_max(size, axis, keepdims)
    power = size.spec.dtype.type(ord)
    return pow_(reduce_sum(pow_(size, power), axis, keepdims), 1 / power)


def _check(order: Any, axis: Any, matrix: bool) -> None:
    if matrix:
        if not all(isinstance(each, int) for each in axis) or axis[0] == axis[1]:
            raise _wrong_axis(axis)
        if order not in (*_EUCLIDEAN, 1, 2, np.inf):
            raise ValueError(
                "'ord' must be a supported matrix norm in ['euclidean', 'fro', 1, 2, inf], "
                f"got {order!r}. "
                "For the norm of vectors give one integer as `axis`."
            )
        return
    if not (axis is None or isinstance(axis, int)):
        raise _wrong_axis(axis)
    number = isinstance(order, int | float | np.number) and order > 0
    if not number and order != "euclidean":
        raise ValueError(
            teach(
                f"'ord' must be a supported vector norm, got {order!r}.",
                "Vectors have the norms 'euclidean', 1, 2, inf, and any positive real number.",
                "Write for instance `tf.norm(x, ord=1, axis=-1)`; 'fro' needs two axes, "
                "`axis=[-2, -1]`.",
            )
        )


def _wrong_axis(axis: Any) -> ValueError:
    return ValueError(
        f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis!r}."
    )


def _euclidean(x: Any, axis: Any, keepdims: bool) -> Any:
    if x.spec.dtype.kind == "f":
        return length(x, axis, keepdims)
    return sqrt(reduce_sum(x * conj(x), axis, keepdims))


def _of_matrices(x: Any, order: Any, axis: Any, keepdims: bool) -> Any:
    """The operator norms: largest column sum (1), row sum (inf), singular value (2)."""
    rank = len(x.spec.shape)
    if order == 2:
        return _spectral(x, tuple(each % rank for each in axis), keepdims)
    rows, columns = axis if order == 1 else reversed(axis)
    out = reduce_max(reduce_sum(abs_(x), rows, True), columns, True)
    kept = [n for i, n in enumerate(out.spec.shape) if i not in {each % rank for each in axis}]
    return out if keepdims else reshape(out, tuple(kept))


def _spectral(x: Any, axis: Any, keepdims: bool) -> Any:
    rank = len(x.spec.shape)
    order = (*(i for i in range(rank) if i not in axis), *axis)
    matrices = x if order == tuple(range(rank)) else transpose(x, order)
    out = reduce_max(singular_values(matrices), -1)
    return reshape(out, keep_axes_shape(x.spec.shape, axis)) if keepdims else out


@export("linalg.normalize")
def normalize(
    tensor: TensorLike,
    ord: Any = "euclidean",  # noqa: A002  # TensorFlow's name
    axis: Axis = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """A tensor divided by its norm, and the norm.

    Args:
        tensor: a floating or complex tensor.
        ord: see `tf.norm`.
        axis: see `tf.norm`.
        name: accepted and not used.

    Returns:
        The normalised tensor, and the norm with reduced axes of size 1.

    Raises:
        ValueError: if `ord` or `axis` is not supported.

    Example:
        >>> import minitape as tf
        >>> unit, length = tf.linalg.normalize([3.0, 4.0])
        >>> length.numpy().tolist(), [round(float(u), 2) for u in unit]
        ([5.0], [0.6, 0.8])
    """
    x = operand(tensor, None)
    size = norm(x, ord, axis, True)
    if size.spec.dtype != x.spec.dtype:
        size = cast(size, x.spec.dtype)
    return x / size, size


@primitive(latex=r"\frac{{1}}{{\max\left(\left\|{x}\right\|, \sqrt{{{epsilon}}}\right)}}")
def inverse_length(x: Array, axis: Any, epsilon: float) -> Array:
    """1 / sqrt(max(sum(x**2), epsilon)) over `axis`, which stays with size 1."""
    squares = add_up(x * x, axis, x.dtype, None, True)
    return (1 / np.sqrt(np.maximum(squares, x.dtype.type(epsilon))))[()]


inverse_length.prepare(
    lambda x, axis, epsilon: (canonical_axes(axis, len(x.shape), "l2_normalize"), epsilon)
)


@inverse_length.vjp("x")
def _(g: Tensor, x: Tensor, out: Tensor, axis: Any, epsilon: float) -> Tensor:
    """-x / length**3; nothing where epsilon took the place of the sum."""
    long_enough = reduce_sum(x * x, axis, True) >= epsilon
    # Factor by factor: the cube of `out` is beyond float16 for vectors shorter than 1/40.
    return gate(-zero_times(zero_times(g, out), out * out), long_enough) * x


inverse_length.batch(batched_reduction(inverse_length))


@export("math.l2_normalize", "nn.l2_normalize", "linalg.l2_normalize")
def l2_normalize(
    x: TensorLike, axis: Axis = None, epsilon: float = 1e-12, name: str | None = None
) -> Tensor:
    """A tensor divided by its euclidean length, `x / sqrt(max(sum(x**2), epsilon))`.

    Args:
        x: a floating or complex tensor.
        axis: the axes that make up one vector, by default all.
        epsilon: the least that the sum of squares counts as.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if an axis does not exist or is named twice.

    Example:
        >>> import minitape as tf
        >>> [round(float(u), 2) for u in tf.math.l2_normalize([3.0, 4.0])]
        [0.6, 0.8]
    """
    vectors = operand(x, None)
    if vectors.spec.dtype.kind != "c":
        return vectors * inverse_length(vectors, axis, epsilon)
    squares = real(vectors) ** 2 + imag(vectors) ** 2
    size = sqrt(maximum(reduce_sum(squares, axis, True), epsilon))
    return vectors / cast(size, vectors.spec.dtype)
