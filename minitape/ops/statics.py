"""Static arguments: shapes, axes and sizes, which users may also give as tensors.

What decides a shape is read by value when the op is called; only data may be boxed (batched,
symbolic).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError, teach
from minitape.errors.of_arguments import check_elements, checked_one
from minitape.tensor import Tensor
from minitape.tensors.boxed import Boxed
from minitape.tensors.convert import convert_to_tensor, operand
from minitape.values.arrays import to_array
from minitape.values.containers import refuse_endless

if TYPE_CHECKING:
    from minitape.tensor import Shape


_INT = {int}


def as_tensor(value: Any) -> Any:
    """The tensor of an op's input; sparse slices become dense, and ragged tensors raise."""
    x = operand(value, None)
    return x if isinstance(x, Tensor) else x.__tf_tensor__()


def as_rows(value: Any) -> Any:
    """As `as_tensor`, but ragged tensors stay what they are."""
    x = operand(value, None)
    return x.__tf_tensor__() if hasattr(x, "dense") else x


def static_value(value: Any, op: str, argument: str) -> Any:
    """The NumPy value of an argument that is no data, such as an axis or a size.

    Raises:
        TypeError: if it is a tensor whose value is not known yet.
        ValueError: if it is a list that contains itself.
    """
    if isinstance(value, list | tuple):
        try:
            return [static_value(each, op, argument) for each in value]
        except RecursionError:
            refuse_endless(value)
            raise
    if not isinstance(value, Boxed):
        return value.numpy() if hasattr(value, "numpy") else value
    try:
        return value.numpy()  # a graph knows what follows from constants
    except TypeError as error:
        raise TypeError(
            teach(
                f"{op}: {argument} is {value!r}, which has no value yet.",
                f"minitape needs the value of {argument} when the op is called: shapes are static.",
                "Give Python integers, or take them from `x.shape`.",
            )
        ) from error


def is_open(value: Any) -> bool:
    """Whether a graph's tensor is a size that is not known before it runs."""
    return bool(getattr(value, "is_length", False))


def open_size(value: Any) -> Any:
    """A size that may not be known yet, as an integer with a recipe."""
    return value.static("a size").item() if isinstance(value, Boxed) else value


def static_array(value: Any, op: str, argument: str, dtype: Any = None) -> Any:
    """The NumPy value of an argument, in the dtype that a tensor of it has; `dtype` if given."""
    if dtype is not None and isinstance(value, Tensor):
        convert_to_tensor(value, dtype)  # raises for a tensor of another dtype
    return to_array(static_value(value, op, argument), dtype)


def static_int(value: Any, op: str, argument: str) -> int:
    """One integer, such as an axis; a list of one will do."""
    return checked_one(op, argument, static_ints(value, op, argument))


def static_ints(values: Any, op: str, argument: str) -> tuple[int, ...]:
    """Integers that users may give as a list, a tensor, a shape, or one alone.

    Raises:
        TypeError: if something is not an integer.
        ValueError: if there is None among them.
    """
    if type(values) is int:
        return (values,)
    if type(values) is tuple and _INT.issuperset(map(type, values)):  # as ops pass them on
        return values
    values = static_value(values, op, argument)
    if isinstance(values, np.ndarray | np.generic):
        values = values.tolist()
    if isinstance(values, int):
        values = (values,)
    try:
        return tuple(
            each.item() if isinstance(each, np.ndarray) and each.size == 1 else each.__index__()
            for each in values
        )
    except (TypeError, AttributeError):
        if isinstance(values, list | tuple) and any(each is None for each in values):
            raise ValueError(
                f"{op}: {argument}={values!r} leaves a size open (None), and a tensor that is made "
                "now has sizes. Write the number; -1 in `tf.reshape` stands for what is left."
            ) from None
        raise TypeError(
            f"{op}: {argument} must be integers; got {values!r}. Write a list of ints."
        ) from None


def static_dims(shape: Any, op: str, argument: str = "shape") -> Shape:
    """The dimensions of a shape that users may give in any form.

    Raises:
        InvalidArgumentError: if one is negative.
    """
    dims = static_ints(shape, op, argument)
    if any(n < 0 for n in dims):
        raise InvalidArgumentError(f"{op}: Dimension in {argument}={list(dims)} must be >= 0.")
    check_elements(op, dims)
    return dims
