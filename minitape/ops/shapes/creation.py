"""Making tensors: constants of one value, and `linspace`, differentiable in its ends.

What is made here depends on shapes only, so nothing of it is recorded; a tensor that gives the
value (`tf.fill(dims, x)`) is broadcast, through which gradients pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError
from minitape.errors.of_arguments import check_memory
from minitape.op import export, operands, primitive
from minitape.ops import broadcasting
from minitape.ops.broadcasting import reduce_sum, reshape
from minitape.ops.casting import cast
from minitape.ops.families import canonical_axis
from minitape.ops.shapes.shaping import one_rank, spread
from minitape.ops.statics import (
    as_tensor,
    static_dims,
    static_int,
)
from minitape.tensor import make_constant
from minitape.tensors.convert import operand
from minitape.values import dtypes

if TYPE_CHECKING:
    from minitape.tensor import Array, Spec, Tensor
    from minitape.values.public_types import Axis, DTypeLike, ShapeLike, TensorLike
    from minitape.values.results import SameKind


@export("zeros")
def zeros(shape: ShapeLike, dtype: DTypeLike = "float32", name: str | None = None) -> Tensor:
    """A tensor of zeros; False for bools, empty for strings.

    Example:
        >>> import minitape as tf
        >>> tf.zeros([2], tf.int32).numpy().tolist()
        [0, 0]
    """
    return _filled(static_dims(shape, "zeros"), dtypes.as_dtype(dtype).np, 0)


@export("ones")
def ones(shape: ShapeLike, dtype: DTypeLike = "float32", name: str | None = None) -> Tensor:
    """A tensor of ones; True for bools.

    Example:
        >>> import minitape as tf
        >>> tf.ones([2]).numpy().tolist()
        [1.0, 1.0]
    """
    return _filled(static_dims(shape, "ones"), dtypes.as_dtype(dtype).np, 1)


@export("zeros_like")
def zeros_like(input: TensorLike, dtype: DTypeLike = None, name: str | None = None) -> SameKind:  # noqa: A002  # TensorFlow's name
    """Zeros in the shape and dtype (or `dtype`) of `input`; no gradient flows through it."""
    return _like(input, dtype, 0)


@export("ones_like")
def ones_like(input: TensorLike, dtype: DTypeLike = None, name: str | None = None) -> SameKind:  # noqa: A002  # TensorFlow's name
    """Ones in the shape and dtype (or `dtype`) of `input`; no gradient flows through it."""
    return _like(input, dtype, 1)


def _like(value: Any, dtype: Any, number: int) -> Tensor:
    x = operand(value, None)
    if None in tuple(x.shape):  # a ragged tensor
        return x.with_parts([_like(part, dtype, number) for part in x.parts()])
    return _filled(
        tuple(x.shape), x.spec.dtype if dtype is None else dtypes.as_dtype(dtype).np, number
    )


def _filled(shape: Any, dtype: np.dtype[Any], number: int) -> Tensor:
    if dtype.kind == "O":
        if number:
            raise TypeError(
                "ones: strings have no number one. Choose a numeric dtype, or use tf.fill."
            )
        return make_constant(np.full(shape, b"", object))
    if any(type(n) is not int for n in shape):  # sizes that are known when a graph runs
        return broadcasting.broadcast_to(make_constant(dtype.type(number)), shape)
    if not shape:
        return make_constant(dtype.type(number))
    check_memory("fill", shape, dtype.itemsize)
    return make_constant(np.full(shape, number, dtype))


@export("fill")
def fill(dims: Any, value: TensorLike, name: str | None = None) -> Tensor:
    """A tensor of shape `dims` whose elements are all `value`, a scalar; gradients reach `value`.

    Raises:
        InvalidArgumentError: if `value` is not a scalar, nor a vector of one element, which
            TensorFlow takes as well.

    Example:
        >>> import minitape as tf
        >>> tf.fill([2, 2], 7).numpy().tolist()
        [[7, 7], [7, 7]]
    """
    x = as_tensor(value)
    if tuple(x.shape) == (1,):
        x = reshape.public(x, ())
    if len(x.shape):
        raise InvalidArgumentError(
            f"fill: value must be a scalar; got shape {tuple(x.shape)}. Use tf.broadcast_to or "
            "tf.tile."
        )
    return broadcasting.broadcast_to(x, static_dims(dims, "fill", "dims"))


@primitive(type_name="LinSpace", latex=r"\mathrm{{linspace}}\left({x}, {y}\right)")
def linspace(x: Array, y: Array, num: int, axis: int) -> Array:
    """`num` values from `x` to `y`, evenly spaced along a new axis; see `tf.linspace`."""
    return np.linspace(x, y, num, axis=axis, dtype=x.dtype)


@linspace.vjp("x")
def _(g: Tensor, x: Spec, num: int, axis: int) -> Tensor:
    return reduce_sum(g * (1 - _steps(x, num, axis)), (axis,))


@linspace.vjp("y")
def _(g: Tensor, x: Spec, num: int, axis: int) -> Tensor:
    return reduce_sum(g * _steps(x, num, axis), (axis,))


def _steps(x: Spec, num: int, axis: int) -> Any:
    """How far along each of the values is, from 0 to 1."""
    return np.linspace(0, 1, num, dtype=x.dtype).reshape((num,) + (1,) * (len(x.shape) - axis))


@linspace.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    num, axis = attributes
    spreads = [spread(v, own, size) for v, own in zip(values, stacked, strict=True)]
    return linspace(*spreads, num, axis + 1) if one_rank(spreads) else NotImplemented


@export("linspace", "lin_space")
def linspace_values(
    start: TensorLike, stop: TensorLike, num: Any, name: str | None = None, axis: Axis = 0
) -> Tensor:
    """`num` values from `start` to `stop`, both included, evenly spaced along a new axis.

    Args:
        start: a floating tensor; integers become float64, those of 8 and 16 bits float32.
        stop: a tensor of the same dtype; the shapes broadcast.
        num: how many; one value is `start`, none an empty axis.
        name: accepted and not used.
        axis: where the new axis stands in the result.

    Raises:
        ValueError: if `num` is negative.

    Example:
        >>> import minitape as tf
        >>> tf.linspace(0.0, 1.0, 3).numpy().tolist()
        [0.0, 0.5, 1.0]
    """
    x, y = operands(linspace.op, (start, stop))
    num = static_int(num, "linspace", "num")
    if num < 0:
        raise InvalidArgumentError(f"linspace: Requires num >= 0: {num}. It counts the values.")
    if x.spec.dtype.kind in "iu":
        kind = np.float32 if x.spec.dtype.itemsize < 4 else np.float64
        x, y = (cast(each, np.dtype(kind)) for each in (x, y))
    shape = np.broadcast_shapes(tuple(x.shape), tuple(y.shape))
    x, y = (v if tuple(v.shape) == shape else broadcasting.broadcast_to(v, shape) for v in (x, y))
    axis = static_int(axis, "linspace", "axis")
    return linspace(x, y, num, canonical_axis(axis, len(shape) + 1, "linspace"))
