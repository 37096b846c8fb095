"""Shape and rank of a tensor as tensors; open sizes stay open in a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError
from minitape.errors.of_arguments import checked_items
from minitape.op import export, primitive
from minitape.ops.statics import as_tensor, static_dims
from minitape.tensor import make_constant
from minitape.tensors.boxed import Boxed
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
    if has_open_size(x):
        return sizes(x, count_dtype(out_type))
    return count_of(tuple(x.shape), out_type)


@export("shape_n")
def shape_n(input: Any, out_type: Any = None, name: str | None = None) -> list[Tensor]:  # noqa: A002
    """The shapes of a list of tensors, each as an int32 tensor (or `out_type`)."""
    items = checked_items("shape_n", "input", input, "tf.shape_n([x, y])")
    return [shape_of(each, out_type) for each in items]


@export("rank")
def rank(input: TensorLike, name: str | None = None) -> Tensor:  # noqa: A002  # TensorFlow's name
    """The number of axes, as an int32 scalar tensor."""
    return count_of(len(operand(input, None).shape), None)


def count_of(value: Any, out_type: Any) -> Tensor:
    """A count as a constant, int32 or `out_type`."""
    return make_constant(np.array(value, count_dtype(out_type))[()])


def count_dtype(out_type: Any) -> np.dtype[Any]:
    """The NumPy dtype of counts: `out_type`, by default int32."""
    return np.dtype(np.int32) if out_type is None else dtypes.as_dtype(out_type).np


def has_open_size(x: Any) -> bool:
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
