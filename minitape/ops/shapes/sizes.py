"""Shape, size and rank of a tensor as tensors; open sizes stay open in a graph."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError
from minitape.errors.of_arguments import checked_items
from minitape.ops.statics import as_tensor, static_dims
from minitape.primitive import export, primitive, registry
from minitape.tensor import make_constant
from minitape.tensors.boxed import Boxed
from minitape.tensors.composite import Composite
from minitape.tensors.convert import operand
from minitape.values import dtypes
from minitape.values.broadcasting import broadcast_shapes

if TYPE_CHECKING:
    from minitape.tensor import Array, Tensor
    from minitape.values.public_types import DTypeLike, TensorLike


@primitive(differentiable=False, type_name="Shape")
def sizes(x: Array, dtype: Any) -> Array:
    """The shape of `x`, where a graph does not know it before it runs; see `tf.shape`."""
    return np.array(x.shape, dtype)


@export("shape")
def shape_of(input: TensorLike, out_type: DTypeLike = None, name: str | None = None) -> Tensor:  # noqa: A002  # TensorFlow's name
    """The shape as an int32 tensor (or `out_type`); `x.shape` is the Python object."""
    x = as_tensor(input)
    if _is_open(x):
        return sizes(x, _count_type(out_type))
    return _count(tuple(x.shape), out_type)


@export("shape_n")
def shape_n(input: Any, out_type: Any = None, name: str | None = None) -> list[Tensor]:  # noqa: A002
    """The shapes of a list of tensors, each as an int32 tensor (or `out_type`)."""
    items = checked_items("shape_n", "input", input, "tf.shape_n([x, y])")
    return [shape_of(each, out_type) for each in items]


@export("size")
def size(input: TensorLike, out_type: DTypeLike = None, name: str | None = None) -> Tensor:  # noqa: A002  # TensorFlow's name
    """The number of elements, as an int32 scalar tensor (or `out_type`)."""
    x = operand(input, None)
    if _is_open(x):
        return registry["reduce_prod"](sizes(x, _count_type(out_type)))
    parts = x.parts() if isinstance(x, Composite) else [x]
    return _count(sum(prod(part.shape) for part in parts), out_type)


@export("rank")
def rank(input: TensorLike, name: str | None = None) -> Tensor:  # noqa: A002  # TensorFlow's name
    """The number of axes, as an int32 scalar tensor."""
    return _count(len(operand(input, None).shape), None)


def _count(value: Any, out_type: Any) -> Tensor:
    return make_constant(np.array(value, _count_type(out_type))[()])


def _count_type(out_type: Any) -> np.dtype[Any]:
    return np.dtype(np.int32) if out_type is None else dtypes.as_dtype(out_type).np


def _is_open(x: Any) -> bool:
    """Whether some size of a tensor is known only when its graph runs."""
    return isinstance(x, Boxed) and any(type(n) is not int for n in x.spec.shape)


@export("broadcast_dynamic_shape")
def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Tensor:
    """The shape that tensors of two shapes broadcast to, as an integer tensor.

    Args:
        shape_x: integer tensor of shape [rank], such as `tf.shape(x)`.
        shape_y: another one.

    Raises:
        InvalidArgumentError: if two sizes differ and neither is 1.

    Example:
        >>> import minitape as tf
        >>> tf.broadcast_dynamic_shape([2, 1], [3]).numpy().tolist()
        [2, 3]
    """
    given = [as_tensor(each) for each in (shape_x, shape_y)]
    x, y = (static_dims(each, "broadcast_dynamic_shape") for each in given)
    try:
        found = broadcast_shapes(x, y)
    except ValueError as error:
        raise InvalidArgumentError(f"broadcast_dynamic_shape: {error}") from None
    return make_constant(np.array(found, given[0].spec.dtype))
