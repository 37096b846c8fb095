"""Gives ops one name for all frameworks, minitape's own, so that what its op says of itself holds.

Which name of another framework is which of minitape's is said once, in `trace.facts`. A name that
is not known there is taken as it is, without a framework's decorations (`__add__`, `math.add`,
`add_`); of such an op nothing is said.
"""

from __future__ import annotations

import operator
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from ..trace.facts import primitive_called

if TYPE_CHECKING:
    from minitape.op import Op

# The methods of an array that are functions of NumPy, too, but for those that write in place.
METHODS = {n for n, own in vars(np.ndarray).items() if callable(own) and hasattr(np, n)}
METHODS = {n for n in METHODS if n.isalpha()} - {"sort", "partition", "put", "resize"}
METHODS |= {"astype", "flatten"}


@cache
def neutral(name: str, inputs: int = 1) -> str:
    """The word for an op of so many inputs, whatever a framework calls it.

    Example:
        >>> neutral("__rtruediv__"), neutral("relu_"), neutral("math.log"), neutral("max", 2)
        ('divide', 'relu', 'log', 'maximum')
    """
    short = name.rsplit(".", 1)[-1].strip("_")
    if "__" in name and not primitive_called(short, inputs) and hasattr(operator, short[1:]):
        short = short[1:]  # the other side of an operator, or the one that writes: rsub, isub
    found = primitive_called(short, inputs)
    return found.op.name if found is not None else short


@cache
def known(word: str, inputs: int = 1) -> Op | None:
    """The op of minitape that has a name, None where there is none."""
    found = primitive_called(word, inputs)
    return found.op if found is not None else None
