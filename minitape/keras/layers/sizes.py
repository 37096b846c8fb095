"""Checks of sizes that layers are made with, in Keras' words: counts, sizes per axis, shapes."""

from __future__ import annotations

import operator
from reprlib import repr as short  # an error must be able to show a nest that is very deep
from typing import Any

import numpy as np


def positive(layer: object, argument: str, value: Any, numpys: bool = False) -> int:
    """A positive integer, also one of NumPy's where Keras takes them.

    Raises:
        ValueError: if it is none.
    """
    if isinstance(value, int | np.integer if numpys else int) and value > 0:
        return int(value)
    why, example = "It counts something that is there", "2"
    if isinstance(value, np.integer) and value > 0:
        why, example = "It is NumPy's, and Keras takes Python's here", f"int({value})"
    raise ValueError(
        f"{type(layer).__name__}: Received an invalid value for argument `{argument}`, expected a "
        f"positive integer. Received: {argument}={short(value)}. {why}. Write for instance "
        f"`{argument}={example}`."
    )


def per_axis(
    layer: object, argument: str, value: Any, rank: int, least: int = 1
) -> tuple[int, ...]:
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
