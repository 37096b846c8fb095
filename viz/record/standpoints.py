"""Where the program stands while an op runs: the learner's frames, and the expression in each.

A loop comes to the same instructions again and again. To find them takes a microsecond; what they
mean (the line, the functions, the learner's frames) is found out once. A frame is kept as its code
object and the offset of the instruction; which columns that is, Python says later (`co_positions`),
only for the few places that are spoken of.
"""

from __future__ import annotations

import sys
from types import CodeType, FrameType
from typing import NamedTuple

from ..trace.trace import Line
from .lines import calling_functions, calling_line, is_ours

MAX_FRAMES = 12
MAX_DEPTH = 60  # frames that tell two places apart
MAX_KNOWN = 20_000


class Place(NamedTuple):
    """One frame of the learner's, as it stood: what it runs, where in it, and the line."""

    code: CodeType
    offset: int
    line: int

    @property
    def span(self) -> Span | None:
        """The expression that was running; None where Python does not know its columns."""
        found = _positions(self.code, self.offset)
        return None if found is None or None in found else Span(*found)  # type: ignore[arg-type]


class Span(NamedTuple):
    """A piece of source: lines from 1, columns from 0 in bytes of UTF-8, as in `ast`."""

    line: int
    end_line: int
    column: int
    end_column: int


Stack = tuple[Place, ...]  # innermost first


def stack() -> Stack:
    """The learner's frames that are running, innermost first."""
    found: list[Place] = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and len(found) < MAX_FRAMES:
        code = frame.f_code
        if not is_ours(code.co_filename):
            found.append(Place(code, frame.f_lasti, frame.f_lineno))
        frame = frame.f_back
    return tuple(found)


def _positions(code: CodeType, offset: int) -> tuple[int | None, ...] | None:
    for number, each in enumerate(code.co_positions()):
        if number == offset // 2:
            return each
    return None


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
