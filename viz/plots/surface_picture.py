"""The parts of a surface's picture: colours and their key, arrows, and the frame.

Colours grow lighter with the numbers, so that grey is enough, and are pale, so that black arrows
and lines stand out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from minitape.safety.silence import Silence

from ..base.numbers import short
from ..picture.axes import Axes, Floats, room_for, ticks
from ..picture.canvas import Canvas, Path, Point, Raster, Style
from ..picture.png import Pixels

SIDE, LEFT, TOP = 520.0, 74.0, 60.0


def arrow(canvas: Canvas, middle: Point, way: Point, size: float) -> None:
    """An arrow around its middle; the head is a triangle."""
    norm = math.hypot(*way)
    u, v = way[0] / norm, way[1] / norm
    foot = (middle[0] - u * size / 2, middle[1] - v * size / 2)
    tip = (middle[0] + u * size / 2, middle[1] + v * size / 2)
    head = min(6.0, size * 0.6)
    left = (tip[0] - head * u - head * v / 2, tip[1] - head * v + head * u / 2)
    right = (tip[0] - head * u + head * v / 2, tip[1] - head * v - head * u / 2)
    canvas.add(
        Path((foot, tip), Style(stroke="ink", width=1.3)),
        Path((tip, left, right), Style(fill="ink"), closed=True),
    )


def cross(canvas: Canvas, middle: Point, size: float = 9.0) -> None:
    """A cross over a place, on a light one so that it stands out from arrows."""
    (x, y), half = middle, size / 2**0.5
    for style in (Style(stroke="paper", width=6), Style(stroke="ink", width=3)):
        for way in (1, -1):
            canvas.add(Path(((x - half, y - way * half), (x + half, y + way * half)), style))


def frame(axes: Axes, names: tuple[str, str]) -> None:
    """Ticks and names without a grid, which would hide the contour lines."""
    (left, top, width, height), canvas = axes.box, axes.canvas
    for value in ticks(*axes.x):
        at = axes.place(value, axes.y[0])[0]
        canvas.text(at, top + height + 22, short(value), anchor="middle", colour="muted")
    for value in ticks(*axes.y):
        canvas.text(
            left - 7,
            axes.place(axes.x[0], value)[1] + 4,
            short(value),
            anchor="end",
            colour="muted",
        )
    canvas.box(left, top, width, height, Style(stroke="edge"))
    canvas.text(left + width, top + height + 46, names[0], anchor="end", bold=True)
    canvas.text(left, top - 8, names[1], bold=True)


@dataclass(frozen=True, slots=True)
class Scale:
    """From numbers to colours: straight, or by the square root where most of f is near the bottom.

    Attributes:
        low, high: the ends.
        power: 1, or 0.5 for the square root.
    """

    low: float
    high: float
    power: float

    @classmethod
    def of(cls, values: Floats) -> Scale:
        """The scale for some numbers."""
        low, high = room_for(values)
        finite = values[np.isfinite(values)]
        low = max(low, float(finite.min())) if finite.size else low
        middle = (float(np.median(finite)) - low) / (high - low) if finite.size else 0.5
        return cls(low, high, 0.5 if middle < 0.2 else 1.0)

    def levels(self) -> list[float]:
        """The numbers that get a contour line."""
        if self.power == 1:
            return ticks(self.low, self.high, 12)
        shares = (np.arange(1, 13) / 13) ** 2
        return [float(v) for v in self.low + shares * (self.high - self.low)]

    def share(self, values: Floats) -> Floats:
        """How far up the scale numbers are, from 0 to 1."""
        with Silence():
            share = np.clip((values - self.low) / (self.high - self.low), 0, 1) ** self.power
        return np.where(np.isfinite(values), share, 0.0)


def key(canvas: Canvas, scale: Scale) -> None:
    """The key of the colours, at the right; its ticks are as far apart as the colours."""
    x, y, w, h = LEFT + SIDE + 22, TOP + 20, 18.0, SIDE - 40
    heights = np.linspace(1, 0, 100)[:, None] ** (1 / scale.power)
    canvas.add(Raster((x, y, w, h), paint(scale.low + heights * (scale.high - scale.low), scale)))
    canvas.box(x, y, w, h, Style(stroke="edge"))
    canvas.text(x, TOP + 10, "f", bold=True)
    last = math.inf
    for value in [scale.low, *ticks(scale.low, scale.high, 10 if scale.power < 1 else 6)]:
        at = y + h * (1 - float(scale.share(np.array(value))))
        if last - at >= 18:
            canvas.text(x + 25, at + 4, short(value), colour="muted")
            last = at


# Dark blue over green to pale yellow: brightness grows with f, so that grey is enough.
_COLOURS = np.array(
    [
        (38, 60, 110),
        (33, 104, 142),
        (44, 144, 140),
        (106, 186, 122),
        (183, 217, 130),
        (252, 249, 205),
    ],
    float,
)


def paint(values: Floats, scale: Scale) -> Pixels:
    """The colours of numbers; grey where a number is not finite."""
    share = scale.share(values) * (len(_COLOURS) - 1)
    below = np.minimum(share.astype(int), len(_COLOURS) - 2)
    part = (share - below)[..., None]
    colour = _COLOURS[below] * (1 - part) + _COLOURS[below + 1] * part
    # Lighter than the colours themselves, for black arrows and lines to stand out.
    colour = 0.25 * 255 + 0.75 * colour
    return np.where(np.isfinite(values)[..., None], colour, 225.0).round().astype(np.uint8)
