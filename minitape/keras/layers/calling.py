"""What surrounds a layer's call: inputs as tensors of its dtype, and what layers inside of it see.

Whether a model is trained and which layers are running is said once, at the outermost call; of the
layers that run around it a variable has its path.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from reprlib import repr as short
from typing import Any

import numpy as np

import minitape as tf
from minitape.errors.of_flags import checked_flag
from minitape.tensor import Operators
from minitape.values.arrays import as_numpy

training: ContextVar[bool | None] = ContextVar("minitape_keras_training", default=None)
running: ContextVar[tuple[Any, ...]] = ContextVar("minitape_keras_running", default=())


def phase_of(value: bool | None) -> bool | None:
    """What a call's `training` says, or without it the call around that one."""
    if value is None:
        return training.get()
    return checked_flag("The call", "training", value)


@contextmanager
def training_set(value: bool | None) -> Iterator[None]:
    """Says it to the layers that are called in the block; None leaves it as it is."""
    token = training.set(phase_of(value))
    try:
        yield
    finally:
        training.reset(token)


@contextmanager
def running_in(layer: Any) -> Iterator[None]:
    """Paths of variables that are made in the block begin with the name of `layer`."""
    token = running.set((*running.get(), layer))
    try:
        yield
    finally:
        running.reset(token)


def build_inside(outer: Any, layer: Any, input_shape: Any) -> None:
    """Makes the variables of a layer that `outer` holds, if it is a layer."""
    if getattr(layer, "built", True):
        return
    with running_in(outer):
        layer.build(input_shape)


def converted(x: Any, dtype: tf.DType, casts_integers: bool) -> Any:
    """An input as a tensor; floating ones, lists and numbers in the layer's dtype.

    Args:
        x: a tensor, variable, array, or what a tensor can be made of.
        dtype: the layer's.
        casts_integers: whether whole numbers and truth values are cast to it, too.
    """
    if not isinstance(x, Operators):
        given = as_numpy(x)
        exact = given is not None and given.dtype.kind not in "f"
        x = x if given is None else given
        x = tf.convert_to_tensor(x, None if exact else getattr(x, "dtype", dtype))
    elif hasattr(x, "assign"):
        x = tf.convert_to_tensor(x)
    casts = x.dtype.is_floating or (casts_integers and (x.dtype.is_integer or x.dtype.is_bool))
    return tf.cast(x, dtype) if casts and x.dtype != dtype else x


def check_inputs(layer: Any, inputs: Any, args: tuple[Any, ...]) -> None:
    """Only tensors are given by position, and in lists with tensors; all else has its name with it.

    Raises:
        ValueError: for a number, text or truth value, with the call as it should be.
    """
    together = tf.nest.flatten(inputs)
    if any(isinstance(x, Operators) for x in together):
        _check_tensors(layer, together, "in a list with tensors", "")
    taken = inspect.signature(layer.call).parameters.values() if args else ()
    names = [each.name for each in taken if each.kind is each.POSITIONAL_OR_KEYWORD][1:]
    for i, argument in enumerate(args):
        name = names[i] if i < len(names) else "training"
        _check_tensors(layer, tf.nest.flatten(argument), "by position", name)


def _check_tensors(layer: Any, values: list[Any], where: str, name: str) -> None:
    for value in values:
        if value is not None and not isinstance(value, Operators | np.ndarray | np.generic):
            call = f"`layer(x, {name or 'name'}={short(value)})`"
            raise ValueError(
                f"Only input tensors may be passed as positional arguments. Layer '{layer.name}' "
                f"got {short(value)} of type {type(value).__name__} {where}. A layer is "
                f"built for the shapes of what stands there. Write {call}."
            )


def packed(inputs: Any) -> Any:
    """A nested list of numbers as one tensor's worth of values; lists of tensors stay lists."""
    if not isinstance(inputs, list | tuple):
        return inputs
    if any(isinstance(x, Operators | np.ndarray) for x in inputs):
        return inputs
    return tf.convert_to_tensor(inputs, np.float32).numpy()
