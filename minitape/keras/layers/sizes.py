"""Checks of sizes that layers are made with, in Keras' words: counts, and sizes for each axis."""

from __future__ import annotations

import operator
from reprlib import repr as short  # an error must be able to show a nest that is very deep
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from minitape.keras.layers.base import Layer


def positive(layer: Layer, argument: str, value: Any) -> int:
    """A positive integer.

    Raises:
        ValueError: if it is none.
    """
    if not isinstance(value, int) or value <= 0:
        kind = type(layer).__name__
        raise ValueError(
            f"{kind}: Received an invalid value for argument `{argument}`, expected a positive "
            f"integer. Received: {argument}={short(value)}. It counts something that is there. "
            f"Write for instance `{argument}=2`."
        )
    return value


def per_axis(layer: Layer, argument: str, value: Any, rank: int, least: int = 1) -> tuple[int, ...]:
    """A size for each axis, of one number or of one per axis.

    Args:
        layer: whose argument it is.
        argument: its name.
        value: an integer, or one for each axis.
        rank: how many axes there are.
        least: what a size may be.

    Raises:
        ValueError: if it is something else.
    """
    try:
        sizes = tuple(operator.index(n) for n in ([value] * rank if _is_one(value) else value))
    except TypeError:
        sizes = ()
    if len(sizes) != rank or min(sizes) < least:
        raise ValueError(
            f"{type(layer).__name__}: The `{argument}` argument must be a tuple of {rank} "
            f"integers, each at least {least}. Received {argument}={short(value)}. One number "
            f"stands for all axes. Write for instance `{argument}={(2,) * rank}`."
        )
    return sizes


def _is_one(value: Any) -> bool:
    return isinstance(value, int) or not hasattr(value, "__iter__")
