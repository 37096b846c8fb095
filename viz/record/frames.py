"""The learner's frames: which instruction each of them runs, and the exact expression.

The one fact to know: a frame is kept as its code object and the offset of the instruction. Which
columns that is, Python says later (`co_positions`), only for the few places that are spoken of.
"""

from __future__ import annotations

import sys
from types import CodeType, FrameType
from typing import NamedTuple

from .lines import is_ours

MAX_FRAMES = 12


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
