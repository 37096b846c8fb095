"""`viz.curve`: a function above its derivatives, with a tangent that can be moved.

The tangent's slope is the height of the derivative's curve below it, at the same x; all panels
share the x axis so that the eye can go straight down.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minitape.safety.silence import Silence

from ..base.numbers import short
from ..picture.axes import Axes, Floats, room_for
from ..picture.canvas import Canvas, Circle, Path, Point, Style, moved_path, short_label
from .exhibit import Exhibit, Frame, Moves, Table
from .sampling import checked_range, values_and_derivatives

MAX_ORDERS = 4
MAX_POINTS = 5_000
POINTS = 361
FRAMES = 121
LEFT, WIDTH, TOP, FIRST, OTHER, GAP = 74.0, 640.0, 62.0, 250.0, 130.0, 34.0
LINES = (
    Style(stroke="source-line", width=2.75),
    Style(stroke="target-line", width=2.75, dash="9 4"),
    Style(stroke="variable-line", width=2.75, dash="2 4"),
    Style(stroke="muted", width=2.5, dash="10 4 2 4"),
    Style(stroke="ink", width=2, dash="5 5"),
)
PRIMES = ("f(x)", "f′(x)", "f″(x)", "f‴(x)", "f⁗(x)")


class Curve(Exhibit):
    """The plot of a function of one number and its derivatives.

    Attributes:
        x: the points.
        y: the values of f and of its derivatives there, None where there is no gradient.
        at: the position in `x` where the tangent is drawn.
    """

    called = "a curve"

    def __init__(self, x: Floats, y: list[Floats | None], at: int, title: str) -> None:
        self.x, self.y, self.at, self.title = x, y, at, title

    @property
    def words(self) -> str:
        """What holds at the tangent, and where there is no gradient."""
        said = self._says(self.at)
        lost = [PRIMES[order] for order, y in enumerate(self.y) if y is None]
        if lost:
            said += (
                f"\n{' and '.join(lost)} cannot be drawn: the gradient is None, as no path of "
                "differentiable operations leads from x to what was to be differentiated. A "
                "constant is such a case: its derivative is zero, and a tape says None."
            )
        gaps = int((~np.isfinite(self.y[0])).sum()) if self.y[0] is not None else 0
        if gaps:
            said += (
                f"\nf is not a finite number at {gaps} of {len(self.x)} points: the line has gaps."
            )
        return said

    def _says(self, i: int) -> str:
        """The numbers at one point."""
        known = [
            f"{PRIMES[order]} = {short(float(y[i]))}"
            for order, y in enumerate(self.y)
            if y is not None
        ]
        said = f"x = {short(float(self.x[i]))}: {', '.join(known)}"
        if len(self.y) > 1 and self.y[1] is not None:
            said += f". {_direction(float(self.y[1][i]))}"
        return said

    def canvas(self) -> Canvas:
        """The panels, with the tangent."""
        height = TOP + FIRST + (OTHER + GAP) * (len(self.y) - 1) + 46
        canvas = Canvas(LEFT + WIDTH + 26, height, self.title)
        canvas.text(14, 24, short_label(self.title, 64), size=15, bold=True)
        panels = self._panels(canvas)
        for order, (axes, y) in enumerate(zip(panels, self.y, strict=True)):
            last = order == len(panels) - 1
            axes.frame("x" if last else "", "", x_ticks=last, y_ticks=y is not None)
            canvas.text(LEFT + 10, axes.box[1] - 7, PRIMES[order], bold=True, size=13)
            if y is None:
                middle = axes.box[1] + axes.box[3] / 2
                canvas.text(LEFT + WIDTH / 4, middle, "no gradient (None)", anchor="middle")
            else:
                axes.line(self.x, y, LINES[order])
        self._add_tangent(canvas, panels)
        return canvas

    def _panels(self, canvas: Canvas) -> list[Axes]:
        x = (float(self.x[0]), float(self.x[-1]))
        panels = []
        for order, y in enumerate(self.y):
            top = TOP if order == 0 else TOP + FIRST + GAP + (OTHER + GAP) * (order - 1)
            box = (LEFT, top, WIDTH, FIRST if order == 0 else OTHER)
            panels.append(Axes(canvas, box, x, _room(y, order > 0)))
        return panels

    def _add_tangent(self, canvas: Canvas, panels: list[Axes]) -> None:
        moved = self._moved(panels, self.at)
        guide = Style(stroke="now-line", width=1, dash="3 3")
        canvas.add(Path(_points(moved["guide"]), guide, name="guide"))
        tangent = Style(stroke="now-line", width=3)
        canvas.add(Path(_points(moved["tangent"]), tangent, name="tangent"))
        for order in range(len(panels)):
            (place,) = _points(moved[f"dot{order}"])
            dot = Style(fill="now", stroke="now-line", width=2.5)
            canvas.add(Circle(place, 6, dot, name=f"dot{order}"))

    def _moved(self, panels: list[Axes], i: int) -> dict[str, list[float]]:
        """Where guide, tangent and dots are for one point."""
        x = float(self.x[i])
        at = panels[0].place(x, 0)[0]
        bottom = panels[-1].box[1] + panels[-1].box[3]
        moved = {"guide": moved_path(((at, TOP), (at, bottom))), "tangent": []}
        slope = None if len(self.y) < 2 or self.y[1] is None else float(self.y[1][i])
        value = float("nan") if self.y[0] is None else float(self.y[0][i])
        if slope is not None and np.isfinite(slope) and np.isfinite(value):
            reach = panels[0].x[1] - panels[0].x[0]
            ends = ((x - reach, value - slope * reach), (x + reach, value + slope * reach))
            moved["tangent"] = moved_path(panels[0].cut(*ends) or ())
        for order, (axes, y) in enumerate(zip(panels, self.y, strict=True)):
            height = float("nan") if y is None else float(y[i])
            inside = axes.y[0] <= height <= axes.y[1]  # a dot outside of its panel would mislead
            place = axes.place(x, height) if inside else (-50.0, -50.0)
            moved[f"dot{order}"] = moved_path((place,))
        return moved

    def moves(self) -> Moves:
        """The tangent at evenly spaced points."""
        panels = self._panels(Canvas(0, 0, ""))
        chosen = np.unique(np.linspace(0, len(self.x) - 1, FRAMES).round().astype(int)).tolist()
        chosen = sorted({*chosen, self.at})
        frames = [
            Frame(
                (panels[0].place(float(self.x[i]), 0)[0], TOP),
                self._moved(panels, i),
                self._says(i),
            )
            for i in chosen
        ]
        return Moves(frames, chosen.index(self.at), "Move the tangent", "x")

    def table(self) -> Table:
        """Some of the numbers."""
        chosen = np.unique(np.linspace(0, len(self.x) - 1, 13).round().astype(int))
        rows = [
            [
                short(float(self.x[i])),
                *("None" if y is None else short(float(y[i])) for y in self.y),
            ]
            for i in chosen
        ]
        return Table("Numbers", ("x", *PRIMES[: len(self.y)]), rows)


def _points(numbers: list[float]) -> tuple[Point, ...]:
    return tuple(zip(numbers[::2], numbers[1::2], strict=True))


def _room(y: Floats | None, with_zero: bool) -> tuple[float, float]:
    """The range of a panel; a derivative's shows zero unless that is far away."""
    low, high = room_for([] if y is None else y)
    if with_zero and 0 < low < high - low:
        return -0.08 * high, high
    if with_zero and 0 > high > low - high:
        return low, -0.08 * low
    return low, high


def _direction(slope: float) -> str:
    if not np.isfinite(slope):
        return "There is no tangent here."
    if slope == 0:
        return "The tangent is level."
    way = "up" if slope > 0 else "down"
    return f"The tangent goes {way} by {short(abs(slope))} for each 1 to the right."


def curve(
    f: Callable[[Any], Any], x: Any, orders: int = 1, at: float | None = None, title: str = ""
) -> Curve:
    """Draws a function of one number and its derivatives, with a movable tangent.

    Args:
        f: takes a tensor and gives a tensor of the same shape, or takes and gives one number.
        x: the range (low, high), or at least three increasing points.
        orders: how many derivatives, 0 to 4.
        at: where the tangent is drawn first; by default at two fifths of the range.
        title: the heading.

    Returns:
        A plot: it shows itself in Jupyter, `.save("x.html")` writes one offline page; `.svg`,
        `.png`, `.pdf`, `.tex` and `.pptx` are the picture, `.gif` and `.mp4` move the tangent.

    Raises:
        TypeError: if x is neither, or f does not give one real number for each x.
        ValueError: if the range is empty, or orders is not 0 to 4.

    Example:
        >>> import minitape as tf
        >>> from minitape import viz
        >>> plot = viz.curve(tf.sin, (-3.0, 3.0), at=0.0)
        >>> print(plot.words)
        x = 0.0: f(x) = 0.0, f′(x) = 1.0. The tangent goes up by 1.0 for each 1 to the right.
    """
    if not callable(f):
        raise TypeError(f"curve: f is {f!r}: give a function of one number, such as tf.sin")
    if not isinstance(orders, int) or not 0 <= orders <= MAX_ORDERS:
        raise ValueError(f"orders is {orders!r}: draw from 0 (f alone) to {MAX_ORDERS} derivatives")
    points = _points_of(x)
    wanted = points[0] + 0.4 * (points[-1] - points[0]) if at is None else _number("at", at)
    position = int(np.abs(points - wanted).argmin())
    if at is not None and points[0] <= at <= points[-1]:
        points[position] = at if 0 < position < len(points) - 1 else points[position]
    with Silence():
        y = values_and_derivatives(f, points, orders)
    name = getattr(f, "__name__", "f").replace("<lambda>", "f")
    return Curve(points, y, position, title or f"{name}(x) and its tangent")


def _number(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} is {value!r}: give a number such as {name}=0.5") from error


def _points_of(x: Any) -> Floats:
    if isinstance(x, tuple | list) and len(x) == 2:
        return np.linspace(*checked_range("x", x), POINTS)
    try:
        points = np.array(x.numpy() if hasattr(x, "numpy") else x, np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"x is {x!r}: give a range such as x=(-2.0, 2.0), or points") from error
    if points.ndim != 1 or not 3 <= points.size <= MAX_POINTS or not (np.diff(points) > 0).all():
        raise TypeError(
            f"x has shape {points.shape}: give a range such as x=(-2.0, 2.0), or 3 to "
            f"{MAX_POINTS:,} increasing points such as tf.linspace(-2.0, 2.0, 101)"
        )
    return points
