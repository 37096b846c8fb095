"""Sums and products of large arrays, written to an array that nothing else refers to.

References are counted: those that are known are the variables of `backward`'s loop, the arguments
here, and the argument of `getrefcount`. From Python 3.14 on arguments may be borrowed, so that the
least count is the one to ask for; a count that is larger than expected only costs an array.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from sys import getrefcount
from typing import Any

import numpy as np

LARGE = 4096  # elements; below this size a new array costs less than the questions

_ndarray = np.ndarray
_BORROWS = sys.version_info >= (3, 14)
_ALONE = 1 if _BORROWS else 3  # the loop's variable, an argument, `getrefcount`'s
_IN_A_HOLDER = 2 if _BORROWS else 3  # a dict or tuple, a variable, `getrefcount`'s
# A delta that the caller made for this call alone, `v.assign_sub(rate * g)`: the arguments of
# `assign_sub`, `_set` and `combination`, the variable of `_set`, `getrefcount`'s. Where arguments
# may be borrowed the count leaves out what a caller still has, and nothing follows from it.
_MADE_FOR_THIS = -1 if _BORROWS else 5
_OF_A_DELTA = 4  # its array: the tensor, a variable here and in `_set`, `getrefcount`'s


def add(old: Any, value: Any) -> Any:
    """`old + value`, written to `old` if that is a cotangent of this sweep alone."""
    if type(value) is not _ndarray or value.size < LARGE:
        return old + value
    if (
        type(old) is _ndarray
        and getrefcount(old) == _IN_A_HOLDER
        and old.base is None  # no view of memory that others see
    ):
        old += value
        return old
    return old + value


def last_product(place: int) -> Callable[..., Any]:
    """A pull: `g` times what a record keeps, where no other pull of the record needs `g` later.

    It is written to `g` if that is the sweep's own; else to what is kept, if the record is the last
    that refers to it and is used up here.
    """

    def pull(g: Any, record: Any, mark: Any) -> Any:
        if type(g) is not _ndarray or g.size < LARGE:
            return g * record[place]
        kept = record[place]
        if kept.shape != g.shape or kept.dtype != g.dtype:
            return g * kept
        if getrefcount(g) == _ALONE and g.base is None:
            return np.multiply(g, kept, g)
        if (
            getrefcount(record) == _ALONE
            and getrefcount(kept) == _IN_A_HOLDER
            and kept.base is None
            and kept.flags.writeable
        ):
            return np.multiply(g, kept, kept)
        return g * kept

    return pull


def combination(combine: Any, delta: Any) -> Callable[..., Any]:
    """A function like the ufunc `combine`, which writes to the array of a delta that is free."""
    if not isinstance(combine, np.ufunc) or getrefcount(delta) != _MADE_FOR_THIS:
        return combine  # type: ignore[no-any-return]
    array = delta.value
    is_free = (
        array.size >= LARGE
        and getrefcount(array) == _OF_A_DELTA
        and array.base is None
        and delta.mark is None
        and array.flags.c_contiguous
        and array.flags.writeable
    )
    return (lambda old, value: combine(old, value, value)) if is_free else combine
