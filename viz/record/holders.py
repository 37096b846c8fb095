"""Which arrays of a tape something else holds, too: a name, an attribute, a list, a variable.

Python's garbage collector knows every container that refers to a value. What is left when those of
the tape and of its journal are taken away holds it for the program.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Any

from minitape.tensor import Tensor
from minitape.variable import ResourceVariable

from .lines import is_ours

CONTAINERS = (list, tuple, dict, set, frozenset)


def held_elsewhere(arrays: Sequence[Any], roots: list[Any], frame: FrameType | None) -> set[int]:
    """Give the ids of those arrays that more than the roots keep alive.

    Args:
        arrays: What the tape keeps.
        roots: The tape, its recording and the journal: what they hold holds nothing else.
        frame: The innermost frame of the program; its names and those of its callers count.
    """
    named = _named(frame)  # first: a frame lets go of names that were deleted when it is asked
    above = {id(array): {id(array)} for array in arrays}
    own = _within([roots, arrays])
    every = gc.get_objects()
    # A tensor refers to its array and a variable to its tensor: what holds them holds that.
    between = [each for each in every if isinstance(each, Tensor | ResourceVariable)]
    for _ in range(2):
        for each in between:
            keys = _met(each, above)
            if keys:
                above.setdefault(id(each), set()).update(keys)
    found: set[int] = set()
    for at in named & above.keys():
        found |= above[at]
    skipped = own | above.keys() | {id(every), id(between), id(above), *map(id, above.values())}
    for each in every:
        if id(each) not in skipped and not _is_ours(each):
            found |= _met(each, above)
    return found


def _met(holder: Any, above: dict[int, set[int]]) -> set[int]:
    """The arrays that an object refers to, by itself or by way of a tensor."""
    ids = set(map(id, gc.get_referents(holder)))
    if above.keys().isdisjoint(ids):
        return set()
    return {key for at in ids & above.keys() for key in above[at]}


def _is_ours(referrer: Any) -> bool:
    """Whether it is a frame of the toolkit: what that refers to is free when it returns."""
    return isinstance(referrer, FrameType) and is_ours(referrer.f_code.co_filename)


def _within(roots: Any) -> set[int]:
    """The ids of roots, and of all containers and objects of the engine in them."""
    seen: set[int] = set()
    stack: list[Any] = [roots]
    while stack:
        each = stack.pop()
        if id(each) in seen or not _is_open(each):
            continue
        seen.add(id(each))
        stack.extend(gc.get_referents(each))
    return seen


def _is_open(value: Any) -> bool:
    """Whether what it refers to is part of the tape: no tensor, no module, no function."""
    if isinstance(value, CONTAINERS):
        return not (isinstance(value, dict) and "__builtins__" in value)  # names of a program
    if isinstance(value, Tensor | ResourceVariable | type) or callable(value):
        return False
    return type(value).__module__.partition(".")[0] == "minitape"


def _named(frame: FrameType | None) -> set[int]:
    """What the names in a frame and in those that called it refer to."""
    return {id(value) for each in _callers(frame) for value in list(each.f_locals.values())}


def _callers(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back
