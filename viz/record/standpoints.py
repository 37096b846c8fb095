"""Where the program stands while an op runs, looked up by the frames that are running.

The one fact to know: a loop comes to the same instructions again and again. To find them takes a
microsecond; what they mean (the line, the functions, the learner's frames) is found out once.
"""

from __future__ import annotations

import sys
from types import CodeType, FrameType
from typing import NamedTuple

from ..trace.trace import Line
from .frames import Stack, stack
from .lines import calling_functions, calling_line

MAX_DEPTH = 60  # frames that tell two places apart
MAX_KNOWN = 20_000


class Standpoint:
    """One place in the program, with the way that led to it.

    Attributes:
        line: the learner's line.
        functions: around it, outermost first.
        stack: the learner's frames, innermost first.
        visits: how often its names were asked for.
    """

    __slots__ = ("functions", "line", "stack", "visits")

    def __init__(self, base: CodeType | None) -> None:
        self.line: Line | None = calling_line()
        self.functions = calling_functions(base)
        self.stack: Stack = stack()
        self.visits = 0


class _Known(NamedTuple):
    """A standpoint, and the code that its key names by address: as long as it lives, no other."""

    standpoint: Standpoint
    codes: tuple[CodeType, ...]


class Standpoints:
    """The standpoints of a program so far; `base` is the code that the journal was opened in."""

    __slots__ = ("_known", "base")

    def __init__(self, base: CodeType | None = None) -> None:
        self.base = base
        self._known: dict[tuple[int, ...], _Known] = {}

    def now(self) -> Standpoint:
        """Where the program stands now."""
        key: list[int] = []
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and len(key) < 2 * MAX_DEPTH:
            key += (id(frame.f_code), frame.f_lasti)
            frame = frame.f_back
        found = self._known.get(tuple(key))
        return self._learnt(tuple(key)) if found is None else found.standpoint

    def _learnt(self, key: tuple[int, ...]) -> Standpoint:
        if len(self._known) >= MAX_KNOWN:
            self._known.clear()
        codes: list[CodeType] = []
        frame: FrameType | None = sys._getframe(2)
        while frame is not None and len(codes) < MAX_DEPTH:
            codes.append(frame.f_code)
            frame = frame.f_back
        found = Standpoint(self.base)
        self._known[key] = _Known(found, tuple(codes))
        return found
