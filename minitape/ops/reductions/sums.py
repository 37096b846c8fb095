"""Sums of lists: add_n, accumulate_n, and scalar_mul.

Every summand gets the whole gradient of the sum; nothing is broadcast.
"""

from __future__ import annotations

from reprlib import repr as short  # an error must be able to show a nest that is very deep
from typing import TYPE_CHECKING, Any

from minitape.errors import InvalidArgumentError, teach
from minitape.op import export, operands, primitive
from minitape.ops.broadcasting import reduce_sum
from minitape.ops.elementwise.arithmetic import multiply
from minitape.ops.passing import identity
from minitape.tensor import Tensor
from minitape.tensors.composite import Composite
from minitape.tensors.convert import operand

if TYPE_CHECKING:
    from minitape.tensor import Array, Arrays
    from minitape.values.public_types import TensorLike
    from minitape.values.results import SameKind


@primitive(latex=r"\sum {inputs}", refuses="b")
def add_n(inputs: Arrays) -> Array:
    """The sum of tensors of one shape, elementwise."""
    first, *rest = inputs
    if len(rest) < 2 or not first.ndim:
        return sum(rest, first)
    total = first + rest[0]
    for x in rest[1:]:
        total += x
    return total


add_n.says(sign="+", reduces="sum")


@add_n.vjp("inputs")
def _(g: Tensor) -> Tensor:
    return g


@add_n.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    if all(stacked):
        return add_n(values)
    return sum(values[1:], values[0])


@export("add_n", "math.add_n")
def add_n_function(inputs: Any, name: str | None = None) -> SameKind:
    """Adds all tensors of a list, elementwise.

    Args:
        inputs: list of tensors of one shape and dtype, at least one.
        name: accepted and not used.

    Returns:
        A tensor of that shape and dtype.

    Raises:
        ValueError: if `inputs` is no list, or empty.
        InvalidArgumentError: if shapes or dtypes differ.

    Example:
        >>> import minitape as tf
        >>> tf.add_n([tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])]).numpy().tolist()
        [4.0, 6.0]
    """
    if isinstance(inputs, Tensor) and len(inputs.shape):  # its rows, as in TensorFlow
        return reduce_sum.public(inputs, 0)
    if not isinstance(inputs, list | tuple) or not inputs:
        raise ValueError(
            "Inputs must be an iterable of at least one Tensor/IndexedSlices with the same dtype "
            f"and shape; got {inputs!r}. Write `tf.add_n([x, y])`."
        )
    tensors = [_dense(operand(x, None)) for x in inputs]
    if len(tensors) == 1:
        return identity(tensors[0])
    shapes = [tuple(x.spec.shape) for x in tensors]
    for i, shape in enumerate(shapes):
        if shape != shapes[0]:
            raise InvalidArgumentError(
                teach(
                    "Inputs to operation AddN must have the same size and shape: input 0 has shape "
                    f"{shapes[0]}, input {i} has shape {shape} [Op:AddN].",
                    "add_n broadcasts nothing.",
                    "Write `x + y` where broadcasting is meant.",
                )
            )
    return add_n(tensors)


def _dense(x: Any) -> Any:
    dense = getattr(x, "dense", None) if isinstance(x, Composite) else None
    return x if dense is None else dense()


@export("math.accumulate_n")
def accumulate_n(
    inputs: Any, shape: Any = None, tensor_dtype: Any = None, name: str | None = None
) -> Tensor:
    """Adds all tensors of a list, elementwise: `add_n` that checks what is expected of the result.

    Args:
        inputs: list of tensors of one shape and dtype, at least one.
        shape: the shape that they must have.
        tensor_dtype: the element type that they must have.
        name: accepted and not used.

    Returns:
        A tensor of that shape and dtype.

    Raises:
        ValueError: if shapes differ from `shape`.
        TypeError: if dtypes differ from `tensor_dtype`.

    Example:
        >>> import minitape as tf
        >>> tf.math.accumulate_n([tf.constant([1.0]), tf.constant([2.0])]).numpy().tolist()
        [3.0]
    """
    total = add_n_function(inputs)
    if shape is not None:
        total.shape.assert_is_compatible_with(shape)
    if tensor_dtype is not None and total.dtype != tensor_dtype:
        raise TypeError(
            f"tensor_dtype is {short(tensor_dtype)}, but the tensors are {total.dtype.name}."
        )
    return total


@export("scalar_mul", "math.scalar_mul")
def scalar_mul(scalar: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """Multiplies a tensor by a scalar.

    Args:
        scalar: tensor of rank 0, or a number.
        x: the tensor to scale.
        name: accepted and not used.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        ValueError: if `scalar` is no scalar.

    Example:
        >>> import minitape as tf
        >>> tf.scalar_mul(2.0, tf.constant([1.0, 2.0])).numpy().tolist()
        [2.0, 4.0]
    """
    x = operand(x, None)
    factor, x = operands(multiply.op, (scalar, x))
    if factor.spec.shape:
        raise ValueError(
            f"Only scalar multiply works, got shape {tuple(factor.spec.shape)}. Write `scalar * x`."
        )
    return multiply(factor, x)
