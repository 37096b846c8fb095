"""Finds the learner's expression that is running, and what the learner calls its result."""

from __future__ import annotations

import ast
import sys
from types import CodeType, FrameType
from typing import Any

from ..evidence import Place

LONG = 60  # characters of an expression that a sentence quotes


class Places:
    """The places in one file.

    Args:
        file: as its code objects name it.
        text: of the file.
    """

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.lines = text.splitlines()
        self.known: dict[tuple[CodeType, int], Place] = {}
        self.positions: dict[CodeType, list[Any]] = {}
        self.assigned: dict[tuple[int, ...], str] = {}
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                self._assigns(node.targets[0], node.value)

    def _assigns(self, target: Any, value: Any) -> None:
        if isinstance(target, ast.Name | ast.Attribute):
            span = (value.lineno, value.end_lineno, value.col_offset, value.end_col_offset)
            self.assigned[span] = ast.unparse(target)
        elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for one, other in zip(target.elts, value.elts, strict=False):
                self._assigns(one, other)

    def frame(self, start: FrameType | None = None) -> FrameType | None:
        """The innermost frame of the file."""
        frame = start if start is not None else sys._getframe(1)
        while frame is not None and frame.f_code.co_filename != self.file:
            frame = frame.f_back  # type: ignore[assignment]
        return frame

    def here(self) -> Place | None:
        """The place that is running."""
        frame = self.frame(sys._getframe(1))
        return self.at(frame.f_code, frame.f_lasti, frame.f_lineno) if frame is not None else None

    def callers(self) -> list[Place]:
        """The places that are running, innermost first."""
        found: list[Place] = []
        frame = self.frame(sys._getframe(1))
        while frame is not None and len(found) < 12:
            found.append(self.at(frame.f_code, frame.f_lasti, frame.f_lineno))
            frame = self.frame(frame.f_back) if frame.f_back is not None else None
        return found

    def at(self, code: CodeType, offset: int, line: int) -> Place:
        """The place of an instruction."""
        place = self.known.get((code, offset))
        if place is None:
            place = self.known[code, offset] = self._place(code, offset, line)
        return place

    def _place(self, code: CodeType, offset: int, line: int) -> Place:
        if code not in self.positions:
            self.positions[code] = list(code.co_positions())
        first, last, column, end = self.positions[code][offset // 2]
        text = self.lines[line - 1].strip() if line <= len(self.lines) else ""
        if first is None or last is None or column is None or end is None:
            return Place(self.file, line, text)
        span = (first, last, column, end)
        return Place(self.file, first, self.lines[first - 1].strip(), span, self._code(span))

    def _code(self, span: tuple[int, int, int, int]) -> str:
        first, last, column, end = span
        rows = [row.encode() for row in self.lines[first - 1 : last]]
        if not rows:
            return ""
        rows[-1] = rows[-1][:end]
        rows[0] = rows[0][column:]
        return b" ".join(row.strip() for row in rows).decode(errors="replace")

    def name_at(self, place: Place | None) -> str:
        """What the learner assigns the result of an expression to, "" for nothing."""
        return self.assigned.get(place.span, "") if place is not None else ""
