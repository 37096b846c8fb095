"""Numbers as squares: area says how much, filled is positive, hollow negative, a dot is zero."""

from __future__ import annotations

import math

import numpy as np

from ..picture.canvas import Canvas, Squares, Style
from .shots import Numbers


def draw_marks(
    canvas: Canvas, marks: Numbers, room: tuple[float, float, float, float], colour: str
) -> None:
    """Draws numbers as squares: area how much, filled positive, hollow negative, a dot zero."""
    rows, columns = marks.shape
    if not marks.size:
        return
    left, top, width, height = room
    cell = min(width / columns, height / rows, 11.0)
    finite = np.where(np.isfinite(marks), marks, 0.0)
    largest = float(np.abs(finite).max()) or 1.0
    kinds: dict[str, list[tuple[float, float, float]]] = {"filled": [], "hollow": [], "zero": []}
    for (i, j), number in np.ndenumerate(finite):
        place = (left + (j + 0.5) * cell, top + (i + 0.5) * cell)
        side = max((cell - 1) * math.sqrt(abs(number) / largest), 1.6)
        kind = "filled" if number > 0 else "hollow" if number < 0 else "zero"
        kinds[kind].append((*place, 1.2 if kind == "zero" else side - 1.1 * (kind == "hollow")))
    canvas.box(left, top, columns * cell, rows * cell, Style(fill="paper", stroke="part-line"))
    canvas.add(Squares(tuple(kinds["filled"]), Style(fill=colour)))
    canvas.add(Squares(tuple(kinds["hollow"]), Style(stroke=colour, width=1.1)))
    canvas.add(Squares(tuple(kinds["zero"]), Style(fill="muted")))
