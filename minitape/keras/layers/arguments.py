"""Checks of what layers are made with, in Keras' words: counts, sizes, shapes, paddings."""

from __future__ import annotations

import operator
from reprlib import repr as short  # an error must be able to show a nest that is very deep
from typing import Any

import numpy as np

from minitape.errors import teach
from minitape.errors.of_arguments import checked_text


def positive(layer: object, argument: str, value: Any) -> int:
    """A positive integer.

    Raises:
        ValueError: if it is none.
    """
    if isinstance(value, int | np.integer) and value > 0:
        return int(value)
    raise ValueError(
        f"{type(layer).__name__}: Received an invalid value for argument `{argument}`, expected a "
        f"positive integer. Received: {argument}={short(value)}. It counts something that is "
        f"there. Write for instance `{argument}=2`."
    )


def per_axis(layer: object, argument: str, value: Any, rank: int) -> tuple[int, ...]:
    """A size for each of `rank` axes, of one number or of one per axis.

    Raises:
        ValueError: if it is something else, or not positive.
    """
    is_one = isinstance(value, int) or not hasattr(value, "__iter__")
    try:
        sizes = tuple(operator.index(n) for n in ([value] * rank if is_one else value))
    except TypeError:
        sizes = ()
    if len(sizes) != rank or min(sizes) < 1:
        raise ValueError(
            f"{type(layer).__name__}: The `{argument}` argument must be a tuple of {rank} "
            f"integers, each at least 1. Received {argument}={short(value)}. One number "
            f"stands for all axes. Write for instance `{argument}={(2,) * rank}`."
        )
    return sizes


def checked_padding(layer: object, padding: Any, further: tuple[str, ...] = ()) -> str:
    """The name of a padding: 'valid', 'same', or one of the `further` ones.

    Raises:
        ValueError: if it is another text.
    """
    kind, known = type(layer).__name__, ("valid", "same", *further)
    name = checked_text(kind, "padding", padding, f"{kind}(..., padding='same')").lower()
    if name not in known:
        raise ValueError(
            f"{kind}: The `padding` argument must be one of {', '.join(map(repr, known))}. "
            f"Received: {short(padding)}. Pad by other numbers with `tf.pad` before the layer."
        )
    return name


def checked_shape(shape: Any) -> tuple[int, ...]:
    """A weight's shape as a tuple; None is that of a single number, and an integer one axis.

    Raises:
        ValueError: if it is no shape, or leaves a size open.
    """
    if shape is None:
        return ()
    try:
        sizes = (shape,) if isinstance(shape, int) else tuple(shape)
        found = tuple(-1 if n is None else operator.index(n) for n in sizes)
    except TypeError:
        sizes, found = (), (-1,)
    if None in sizes:
        raise ValueError(
            teach(
                "Shapes used to initialize variables must be fully-defined (no `None` dimensions). "
                f"Received: shape={sizes}.",
                "A variable holds its numbers from the start; None stands for the batch, which no "
                "weight depends on.",
                "Take the sizes of features, such as `add_weight(shape=(input_shape[-1], 2))`.",
            )
        )
    if min(found, default=0) < 0:
        raise ValueError(
            f"Cannot convert {short(shape)} to a shape: add_weight needs a tuple of sizes, which "
            "are integers from 0 on. Write for instance `add_weight(shape=(3, 2))`."
        )
    return found
