"""Makes much that stays, without Python's collector of cycles: it would look at all of it often.

What a trace and its page are made of has no cycles. Of a long tape the collector takes a fifth of
the time, and finds nothing.
"""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def uncollected(make: Callable[P, R]) -> Callable[P, R]:
    """The same function, during which no cycles are collected.

    Example:
        >>> import gc
        >>> uncollected(gc.isenabled)(), gc.isenabled()
        (False, True)
    """

    @functools.wraps(make)
    def making(*args: P.args, **kwargs: P.kwargs) -> R:
        if not gc.isenabled():
            return make(*args, **kwargs)
        gc.disable()
        try:
            return make(*args, **kwargs)
        finally:
            _grow_old()
            gc.enable()

    return making


def _grow_old() -> None:
    """Count all that was made as old, or the collector would look at it three times as young."""
    if not gc.get_freeze_count():  # else a program keeps what it froze
        gc.freeze()
        gc.unfreeze()
