"""`viz.surface`: a function of two numbers from above, its gradients, and a way down.

An arrow is the gradient at its middle, at right angles to the contour line and uphill; descent goes
the other way, by the learning rate times the gradient.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from minitape.safety.silence import Silence

from ..base.numbers import short
from ..picture.axes import Axes, Range
from ..picture.canvas import Canvas, Circle, Path, Point, Raster, Style, moved_path, short_label
from .exhibit import Exhibit, Frame, Moves, Table
from .sampling import at_point, checked_range, on_grid
from .surface_picture import LEFT, SIDE, TOP, Scale, arrow, cross, frame, key, paint

GRID = 61
ARROWS = 13
MAX_STEPS = 500
ROUND_OFF = 1e-2  # of the first gradient: less counts as arrived


@dataclass(frozen=True, slots=True)
class Step:
    """A place on the way down: where, how high, and the gradient there."""

    x: float
    y: float
    value: float
    gradient: tuple[float, float]

    @property
    def steepness(self) -> float:
        """The length of the gradient."""
        return math.hypot(*self.gradient)


def descend(
    f: Callable[[Any, Any], Any], start: Point, learning_rate: float, steps: int
) -> list[Step]:
    """Gradient descent from a start; ends early where a number is not finite.

    Example:
        >>> [step.x for step in descend(lambda x, y: x * x + y * y, (1.0, 0.0), 0.25, 2)]
        [1.0, 0.5, 0.25]
    """
    (x, y), path = start, []
    for _ in range(steps + 1):
        value, dx, dy = at_point(f, x, y)
        path.append(Step(x, y, value, (dx, dy)))
        if not all(map(math.isfinite, (value, dx, dy))) or abs(value) > 1e100:
            break
        x, y = x - learning_rate * dx, y - learning_rate * dy
    return path


class Surface(Exhibit):
    """The plot of a function of two numbers.

    Attributes:
        x, y: the grid.
        values: f on the grid, [len(y), len(x)].
        gradients: df/dx and df/dy on the grid.
        path: the steps of the descent; empty without a start.
        learning_rate: of the descent.
        names: what f calls its arguments, which the axes are named after.
    """

    called = "a surface"

    def __init__(
        self,
        f: Callable[[Any, Any], Any],
        x: Range,
        y: Range,
        path: list[Step],
        learning_rate: float,
    ) -> None:
        self.x, self.y = np.linspace(*x, GRID), np.linspace(*y, GRID)
        with Silence():
            self.values, *found = on_grid(f, self.x, self.y)
        self.gradients = (found[0], found[1])
        self.path, self.learning_rate = path, learning_rate
        name = getattr(f, "__name__", "f").replace("<lambda>", "f")
        self.names = _names(f)
        self.title = f"{name}({', '.join(self.names)}) and its gradient"
        self.title += ", with a descent" * bool(path)

    @property
    def words(self) -> str:
        """What the descent did."""
        finite = self.values[np.isfinite(self.values)]
        if finite.size == 0:
            return "f is not a finite number anywhere in this range."
        low, high = short(float(finite.min())), short(float(finite.max()))
        said = f"f goes from {low} to {high} here. Arrows are gradients: they point uphill."
        lost = self.values.size - finite.size
        said += f" f is not finite at {lost} of {self.values.size} points." * bool(lost)
        return said + (f"\n{self._outcome()}" if self.path else "")

    def _outcome(self) -> str:
        first, last, count = self.path[0], self.path[-1], len(self.path) - 1
        way = f"from {short(first.value)} to {short(last.value)} in {count} steps"
        rate = f"the learning rate {short(self.learning_rate)}"
        if not math.isfinite(last.value) or last.value > first.value + 1e-9 * abs(first.value):
            return (
                f"The descent diverges: f goes {way}. With {rate} each step jumps over the valley "
                "and lands higher; try a smaller one."
            )
        if self._arrives():
            return (
                f"The descent arrives: f goes {way}, and the gradient there, at the cross, is "
                "almost zero."
            )
        if self._swings():
            return (
                f"The descent swings: f goes {way}, but the gradient turns round at most steps. "
                f"With {rate} it jumps across the valley; a smaller one goes straighter."
            )
        return (
            f"The descent is still on its way: f goes {way}, and the gradient's length is "
            f"{short(last.steepness)}. Give it more steps, or more than {rate}."
        )

    def _arrives(self) -> bool:
        first, last = self.path[0], self.path[-1]
        lower = last.value <= first.value + 1e-9 * abs(first.value)
        flat = last.steepness <= ROUND_OFF * max(first.steepness, 1e-12) or last.steepness == 0
        return lower and flat

    def _swings(self) -> bool:
        gradients = np.array([step.gradient for step in self.path])
        turned = (gradients[1:] * gradients[:-1]).sum(1) < 0
        return bool(turned.mean() > 0.5)

    def canvas(self) -> Canvas:
        """The view from above."""
        canvas = Canvas(LEFT + SIDE + 118, TOP + SIDE + 58, self.title)
        canvas.text(14, 24, short_label(self.title, 64), size=15, bold=True)
        axes = self._axes(canvas)
        scale = Scale.of(self.values)
        canvas.add(Raster(axes.box, paint(self.values[::-1], scale), smooth=True))
        contour = Style(stroke="quiet", width=1, opacity=0.75)
        for level in scale.levels():
            for line in joined(pieces(self.x, self.y, self.values, level)):
                points = tuple(axes.place(*point) for point in line)
                canvas.add(Path(points, contour))
        self._arrows(canvas, axes)
        frame(axes, self.names)
        key(canvas, scale)
        if self.path:
            self._way_down(canvas, axes)
        return canvas

    def _axes(self, canvas: Canvas) -> Axes:
        x, y = (float(self.x[0]), float(self.x[-1])), (float(self.y[0]), float(self.y[-1]))
        return Axes(canvas, (LEFT, TOP, SIDE, SIDE), x, y)

    def _arrows(self, canvas: Canvas, axes: Axes) -> None:
        """Gradients on a coarse grid; the longest is as long as the space between two."""
        chosen = ((np.arange(ARROWS) + 0.5) / ARROWS * (GRID - 1)).round().astype(int).tolist()
        dx, dy = self.gradients
        # In pixels: the direction on the page, where both axes may have different scales.
        across, up = dx / (axes.x[1] - axes.x[0]), dy / (axes.y[1] - axes.y[0])
        length = np.where(np.isfinite(self.values), np.hypot(across, up), np.nan)
        finite = length[np.isfinite(length)]
        longest = float(np.percentile(finite, 98)) if finite.size else 0.0
        if longest <= 0:
            return
        for row in chosen:
            for column in chosen:
                if not np.isfinite(length[row, column]) or length[row, column] == 0:
                    continue
                middle = axes.place(float(self.x[column]), float(self.y[row]))
                size = 0.9 * SIDE / ARROWS * min((length[row, column] / longest) ** 0.5, 1.0)
                way = across[row, column], -up[row, column]
                arrow(canvas, middle, (float(way[0]), float(way[1])), float(size))

    def _way_down(self, canvas: Canvas, axes: Axes) -> None:
        style = Style(stroke="paper", width=5), Style(stroke="orange", width=2.5)
        for each in style:
            for a, b in zip(self.path, self.path[1:], strict=False):
                if cut := axes.cut((a.x, a.y), (b.x, b.y)):
                    canvas.add(Path(cut, each))
        for step in self.path:
            if _inside(axes, step):
                dot = Style(fill="orange", stroke="paper", width=1)
                canvas.add(Circle(axes.place(step.x, step.y), 4, dot))
        if self._arrives() and _inside(axes, self.path[-1]):
            cross(canvas, axes.place(self.path[-1].x, self.path[-1].y))
        dot = Style(fill="now", stroke="orange", width=3)
        (place,) = [self._dot(axes, self.path[0])]
        canvas.add(Circle(place, 8, dot, name="here"))

    def _dot(self, axes: Axes, step: Step) -> Point:
        return axes.place(step.x, step.y) if _inside(axes, step) else (-50.0, -50.0)

    def moves(self) -> Moves:
        """A frame per step of the descent."""
        axes = self._axes(Canvas(0, 0, ""))
        frames = []
        for number, step in enumerate(self.path):
            place = self._dot(axes, step)
            frames.append(Frame(place, {"here": moved_path((place,))}, self._says(number, step)))
        return Moves(frames, 0, "Step of the descent", "xy")

    def _says(self, number: int, step: Step) -> str:
        x, y, dx, dy = (short(v) for v in (step.x, step.y, *step.gradient))
        height = short(step.value)
        said = f"Step {number}: at ({x}, {y}) f = {height} and the gradient is ({dx}, {dy})."
        if number + 1 < len(self.path):
            move = [short(-self.learning_rate * v) for v in step.gradient]
            said += f" The step is −{short(self.learning_rate)} times that: ({move[0]}, {move[1]})."
        inside = self.x[0] <= step.x <= self.x[-1] and self.y[0] <= step.y <= self.y[-1]
        return said + ("" if inside else " That is outside of the picture.")

    def table(self) -> Table | None:
        """The steps of the descent."""
        rows = [
            [str(n), *(short(v) for v in (s.x, s.y, s.value, *s.gradient))]
            for n, s in enumerate(self.path)
        ]
        across, up = self.names
        head = ("step", across, up, "f", f"∂f/∂{across}", f"∂f/∂{up}")
        return Table("The descent", head, rows)


def _names(f: Callable[[Any, Any], Any]) -> tuple[str, str]:
    """What the function calls its two arguments, "x" and "y" where it does not say."""
    try:
        across, up, *_ = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):  # made by C, or of any number of arguments
        return "x", "y"
    if {across.kind, up.kind} <= {across.POSITIONAL_ONLY, across.POSITIONAL_OR_KEYWORD}:
        return short_label(across.name, 12), short_label(up.name, 12)
    return "x", "y"


def _inside(axes: Axes, step: Step) -> bool:
    return axes.x[0] <= step.x <= axes.x[1] and axes.y[0] <= step.y <= axes.y[1]


def surface(
    f: Callable[[Any, Any], Any],
    x: Any,
    y: Any,
    start: Any = None,
    learning_rate: float = 0.1,
    steps: int = 30,
) -> Surface:
    """Draws a function of two numbers from above, with its gradients and a descent.

    Args:
        f: takes two tensors of one shape and gives one of that shape, or takes two numbers.
        x: the range (low, high) across.
        y: the range (low, high) upwards.
        start: where a gradient descent starts, such as (1.0, -2.0); none by default.
        learning_rate: the factor of the gradient in a step.
        steps: how many steps, at most 500.

    Returns:
        A plot; with a start, a slider goes through the steps of the descent.

    Raises:
        TypeError: if a range or the start is not a pair of numbers, or f gives no number.
        ValueError: if a range is empty, or the learning rate or the steps are not positive.

    Example:
        >>> from minitape import viz
        >>> plot = viz.surface(lambda x, y: x * x + y * y, (-2, 2), (-2, 2), start=(1.5, 1.0))
        >>> print(plot.words.split(chr(10))[1][:62])
        The descent arrives: f goes from 3.25 to 4.981·10⁻⁶ in 30 step
    """
    if not callable(f):
        raise TypeError(f"surface: f is {f!r}: give a function of two numbers, lambda x, y: x * y")
    across, up = checked_range("x", x), checked_range("y", y)
    try:
        rate = float(learning_rate)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"learning_rate is {learning_rate!r}: give a number above zero, such as 0.1"
        ) from error
    if not rate > 0 or not math.isfinite(rate):
        raise ValueError(
            f"the learning rate is {learning_rate!r}; it must be above zero, such as 0.1"
        )
    if not isinstance(steps, int) or not 1 <= steps <= MAX_STEPS:
        raise ValueError(f"steps is {steps!r}; give a whole number from 1 to {MAX_STEPS}")
    path = []
    if start is not None:
        with Silence():
            path = descend(f, _pair(start), rate, steps)
    return Surface(f, across, up, path, rate)


def _pair(start: Any) -> Point:
    try:
        x, y = (float(each) for each in start)
    except (TypeError, ValueError) as error:
        raise TypeError(f"start is {start!r}, not a pair of numbers such as (1.0, -2.0)") from error
    return x, y


# Contour lines of numbers on a grid, by marching squares.


Floats = npt.NDArray[np.float64]
Piece = tuple[tuple[float, float], tuple[float, float]]

# For each pattern of corners above the level (bit 0: lower left, then anticlockwise), pairs of
# edges: 0 bottom, 1 right, 2 top, 3 left.
_CASES: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((3, 0),), 2: ((0, 1),), 3: ((3, 1),), 4: ((1, 2),), 5: ((3, 0), (1, 2)), 6: ((0, 2),),
    7: ((3, 2),), 8: ((2, 3),), 9: ((0, 2),), 10: ((0, 1), (2, 3)), 11: ((1, 2),),
    12: ((1, 3),), 13: ((0, 1),), 14: ((0, 3),),
}  # fmt: skip


def pieces(xs: Floats, ys: Floats, z: Floats, level: float) -> Iterator[Piece]:
    """The pieces of the line where z, of shape [len(ys), len(xs)], has a level.

    Example:
        >>> x = np.array([0.0, 1.0])
        >>> list(pieces(x, x, np.array([[0.0, 1.0], [0.0, 1.0]]), 0.25))
        [((0.25, 0.0), (0.25, 1.0))]
    """
    above = z > level
    corners = (above[:-1, :-1], above[:-1, 1:], above[1:, 1:], above[1:, :-1])
    cases = sum(corner.astype(int) << bit for bit, corner in enumerate(corners))
    known = np.isfinite(z)
    whole = known[:-1, :-1] & known[:-1, 1:] & known[1:, 1:] & known[1:, :-1]
    for row, column in np.argwhere(whole & (cases > 0) & (cases < 15)).tolist():
        ends = ((column, row), (column + 1, row), (column + 1, row + 1), (column, row + 1))
        for first, second in _CASES[int(np.asarray(cases)[row, column])]:
            found = [
                _crossing(xs, ys, z, level, ends[e], ends[(e + 1) % 4]) for e in (first, second)
            ]
            if found[0] != found[1]:  # a level exactly at a corner has no length there
                yield found[0], found[1]


def _crossing(
    xs: Floats, ys: Floats, z: Floats, level: float, a: tuple[int, int], b: tuple[int, int]
) -> tuple[float, float]:
    a, b = min(a, b), max(a, b)  # neighbours that share an edge must find the same number
    start, end = float(z[a[1], a[0]]), float(z[b[1], b[0]])
    share = (level - start) / (end - start)
    x = float(xs[a[0]]) + share * float(xs[b[0]] - xs[a[0]])
    y = float(ys[a[1]]) + share * float(ys[b[1]] - ys[a[1]])
    return x, y


def joined(found: Iterable[Piece]) -> list[list[tuple[float, float]]]:
    """Joins pieces that share an end into long lines.

    Example:
        >>> joined([((0, 0), (1, 0)), ((2, 0), (1, 0)), ((5, 5), (6, 6))])
        [[(0, 0), (1, 0), (2, 0)], [(5, 5), (6, 6)]]
    """
    left = dict(enumerate(found))
    at: dict[tuple[float, float], list[int]] = {}
    for number, piece in left.items():
        for end in piece:
            at.setdefault(end, []).append(number)
    lines = []
    while left:
        line = list(left.pop(next(iter(left))))
        for _ in range(2):  # on from one end, then from the other
            while True:
                follow = next((n for n in at[line[-1]] if n in left), None)
                if follow is None:
                    break
                a, b = left.pop(follow)
                line.append(b if a == line[-1] else a)
            line.reverse()
        lines.append(line)
    return lines
