"""`tf.constant`: a tensor of plain values.

Tensors in a list are refused here, as they would lose their gradient.
"""

from __future__ import annotations

from typing import Any

from minitape.errors.of_arguments import another_dtype, constant_of_tensors
from minitape.interpreter import symbolic_interpreter
from minitape.tensor import Tensor, make_constant
from minitape.tensors.convert import convert_to_tensor, holds_tensor
from minitape.values import dtypes
from minitape.values.arrays import filling, to_array
from minitape.values.numbers import plain_number
from minitape.values.shapes import TensorShape


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str | None = None) -> Tensor:
    """Makes a tensor of a Python number, a nested list or a NumPy array (which is copied).

    Args:
        value: a number, bool, string, array, or nested lists of them with rows of equal length; a
            tensor comes back itself, so its gradient flows (in a graph, or in another shape, a
            constant of its values), lists of tensors are for `tf.stack`.
        dtype: the element type; by default float32 for Python floats, int32 for ints, and the
            array's own for NumPy arrays.
        shape: the shape; a single value is repeated to fill it.
        name: accepted and not used.

    Raises:
        ValueError: if rows differ in length, or there are tensors in the list.
        TypeError: if the values do not fit `dtype` or `shape`, or a tensor has another dtype.

    Example:
        >>> import minitape as tf
        >>> print(tf.constant([1.0, 2.0]))
        tf.Tensor([1. 2.], shape=(2,), dtype=float32)
        >>> tf.constant(7, shape=[2, 2]).numpy().tolist()
        [[7, 7], [7, 7]]
    """
    if isinstance(value, Tensor) or hasattr(value, "__tf_tensor__"):
        tensor = convert_to_tensor(value)
        is_itself = tensor is value
        if is_itself and dtype not in (None, tensor.dtype):
            raise another_dtype(tensor, dtypes.as_dtype(dtype).name)
        fits = shape is None or tuple(TensorShape(shape)) == tensor.spec.shape
        if is_itself and fits and symbolic_interpreter() is None:
            return tensor
        value = tensor.numpy()
    elif isinstance(value, list | tuple) and holds_tensor(value):
        raise constant_of_tensors(value)
    array = plain_number(value) if dtype is None else None
    if array is None:
        array = to_array(value, None if dtype is None else dtypes.as_dtype(dtype).np)
    if shape is not None:
        array = filling(array, tuple(TensorShape(shape)))
    return make_constant(array, value)
