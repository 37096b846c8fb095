"""Axes for the plots: a box with a scale, ticks and lines cut at its edges.

`place` turns numbers into pixels; everything that is drawn goes through it and is cut exactly at
the box, so a pole leaves no line across the picture.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..base.numbers import short
from .canvas import Canvas, Path, Point, Style

Floats = npt.NDArray[np.float64]
Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Axes:
    """A box on a canvas: (left, top, width, height) in pixels, and the numbers at its edges.

    Example:
        >>> axes = Axes(Canvas(100, 100, ""), (0, 0, 100, 100), (0.0, 1.0), (0.0, 2.0))
        >>> axes.place(0.5, 2.0)
        (50.0, 0.0)
    """

    canvas: Canvas
    box: tuple[float, float, float, float]
    x: Range
    y: Range

    def place(self, x: float, y: float) -> Point:
        """The pixel of a point; also outside of the box."""
        left, top, width, height = self.box
        across = (x - self.x[0]) / (self.x[1] - self.x[0])
        up = (y - self.y[0]) / (self.y[1] - self.y[0])
        return left + across * width, top + (1 - up) * height

    def frame(
        self, x_name: str = "", y_name: str = "", x_ticks: bool = True, y_ticks: bool = True
    ) -> None:
        """Draws grid lines, ticks, names and the edge."""
        left, top, width, height = self.box
        for value in ticks(*self.x):
            at = self.place(value, self.y[0])[0]
            self._rule((at, top), (at, top + height), value == 0)
            if x_ticks:
                self.canvas.text(
                    at, top + height + 16, short(value), anchor="middle", colour="muted"
                )
        for value in ticks(*self.y, 5 if height > 150 else 3) if y_ticks else ():
            at = self.place(self.x[0], value)[1]
            self._rule((left, at), (left + width, at), value == 0)
            self.canvas.text(left - 7, at + 4, short(value), anchor="end", colour="muted")
        self.canvas.box(left, top, width, height, Style(stroke="edge"))
        self.canvas.text(left + width, top + height + 32, x_name, anchor="end", bold=True)
        self.canvas.text(left, top - 8, y_name, bold=True)

    def _rule(self, start: Point, end: Point, is_zero: bool) -> None:
        colour, width = ("muted", 1.25) if is_zero else ("constant", 1.0)
        self.canvas.add(Path((start, end), Style(stroke=colour, width=width)))

    def line(
        self, xs: Sequence[float] | Floats, ys: Sequence[float] | Floats, style: Style
    ) -> None:
        """Draws a line through points, with gaps where a number is not finite or a pole is."""
        for piece in self.pieces(xs, ys):
            self.canvas.add(Path(tuple(piece), style))

    def pieces(self, xs: Any, ys: Any) -> Iterator[list[Point]]:
        """The parts of a line that are inside the box, in pixels."""
        current: list[Point] = []
        points = list(zip(map(float, xs), map(float, ys), strict=True))
        for a, b in zip(points, points[1:], strict=False):
            part = None if self._jumps(a[1], b[1]) else self.cut(a, b)
            if part is None:
                if current:
                    yield current
                current = []
                continue
            if current and current[-1] != part[0]:
                yield current
                current = []
            current = [*current, part[1]] if current else list(part)
        if current:
            yield current

    def _jumps(self, a: float, b: float) -> bool:
        """Whether two neighbours are on opposite sides of the box: a pole is between them."""
        low, high = self.y
        return not (math.isfinite(a) and math.isfinite(b)) or min(a, b) < low < high < max(a, b)

    def cut(self, a: Point, b: Point) -> tuple[Point, Point] | None:
        """The part of the line from a to b inside the box, in pixels (Liang and Barsky, 1984)."""
        first, last = 0.0, 1.0
        for axis, (low, high) in enumerate((self.x, self.y)):
            step = b[axis] - a[axis]
            for room, towards in ((a[axis] - low, -step), (high - a[axis], step)):
                if towards == 0 and room < 0:
                    return None
                if towards > 0:
                    last = min(last, room / towards)
                elif towards < 0:
                    first = max(first, room / towards)
        if not first <= last:
            return None
        along = [(a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])) for t in (first, last)]
        return self.place(*along[0]), self.place(*along[1])


def ticks(low: float, high: float, wanted: int = 6) -> list[float]:
    """Round numbers between two numbers, about as many as wanted.

    Example:
        >>> ticks(0.0, 1.0), ticks(-3.2, 7.9, 4)
        ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [-2.5, 0.0, 2.5, 5.0, 7.5])
    """
    rough = (high - low) / max(wanted, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(s * power for s in (1, 2, 2.5, 5, 10) if s * power >= rough * 0.85)
    first = math.ceil(low / step - 1e-9)
    count = math.floor((high - first * step) / step + 1e-9) + 1
    return [float(f"{(first + i) * step:.12g}") + 0.0 for i in range(count)]


def room_for(values: Any) -> Range:
    """The range of an axis that shows some numbers: poles are cut, a constant gets room.

    Example:
        >>> room_for([0.0, 10.0]), room_for([2.0, 2.0]), room_for([float("nan")])
        ((-0.8, 10.8), (1.0, 3.0), (-1.0, 1.0))
    """
    finite = np.asarray(values, np.float64).ravel()
    finite = finite[np.isfinite(finite)]
    if finite.size == 0:
        return -1.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    inner_low, inner_high = (float(v) for v in np.percentile(finite, (10, 90)))
    inner = inner_high - inner_low
    if inner > 0 and high - low > 20 * inner:  # a pole; most of the function is elsewhere
        low, high = max(low, inner_low - 3 * inner), min(high, inner_high + 3 * inner)
    spread = high - low
    if spread <= 1e-12 * max(abs(low), abs(high)):
        spread = max(abs(low), 1.0) / 2 if low else 1.0
        return low - spread, high + spread
    return low - 0.08 * spread, high + 0.08 * spread
