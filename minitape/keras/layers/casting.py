"""What a layer is called with, as tensors of its dtype."""

from __future__ import annotations

import inspect
from reprlib import repr as short
from typing import Any

import numpy as np

import minitape as tf
from minitape.tensor import Operators


def converted(x: Any, dtype: tf.DType, casts_integers: bool) -> Any:
    """An input as a tensor; floating ones, lists and numbers in the layer's dtype.

    Args:
        x: a tensor, variable, array, or what a tensor can be made of.
        dtype: the layer's.
        casts_integers: whether whole numbers and truth values are cast to it, too.
    """
    if not isinstance(x, Operators):
        exact = isinstance(x, np.ndarray | np.generic) and x.dtype.kind not in "f"
        x = tf.convert_to_tensor(x, None if exact else getattr(x, "dtype", dtype))
    elif hasattr(x, "assign"):
        x = tf.convert_to_tensor(x)
    casts = x.dtype.is_floating or (casts_integers and (x.dtype.is_integer or x.dtype.is_bool))
    return tf.cast(x, dtype) if casts and x.dtype != dtype else x


def check_positions(layer: Any, given: tuple[Any, ...]) -> None:
    """Only tensors are given by position, after the first input; all else has its name with it.

    Raises:
        ValueError: for a number, text or truth value, with the call as it should be.
    """
    for i, argument in enumerate(given):
        for value in tf.nest.flatten(argument):
            if value is None or isinstance(value, Operators | np.ndarray | np.generic):
                continue
            name = _name_of(layer, i)
            raise ValueError(
                "Only input tensors may be passed as positional arguments. Layer "
                f"'{layer.name}' got {short(value)} of type {type(value).__name__} by position. "
                "A layer is built for the shapes of what stands there. Write "
                f"`layer(x, {name}={short(value)})`."
            )


def check_together(layer: Any, inputs: Any) -> None:
    """Inputs in a list are tensors, all of them; or numbers, which make up one tensor.

    Raises:
        ValueError: for a number beside a tensor.
    """
    values = tf.nest.flatten(inputs)
    if not any(isinstance(x, Operators) for x in values):
        return
    for x in values:
        if x is not None and not isinstance(x, Operators | np.ndarray | np.generic):
            raise ValueError(
                f"Only input tensors may be passed as positional arguments. Layer '{layer.name}' "
                f"got {short(x)} of type {type(x).__name__} in a list with tensors. A layer is "
                "built for the shapes of its inputs, and a number is none. Give the number to "
                "`__init__`, or by its name to `call`."
            )


def _name_of(layer: Any, position: int) -> str:
    """What `call` names an argument after the first input."""
    taken = inspect.signature(layer.call).parameters.values()
    names = [each.name for each in taken if each.kind is each.POSITIONAL_OR_KEYWORD][1:]
    return names[position] if position < len(names) else "training"


def packed(inputs: Any) -> Any:
    """A nested list of numbers as one tensor's worth of values; lists of tensors stay lists."""
    if not isinstance(inputs, list | tuple):
        return inputs
    if any(isinstance(x, Operators | np.ndarray) for x in inputs):
        return inputs
    return tf.convert_to_tensor(inputs, np.float32).numpy()
