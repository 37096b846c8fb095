"""How large the gradient of each layer is over the steps of a training, on a logarithmic axis.

The size is the root mean square of all elements of a layer, so a bias and a kernel of one layer are
one line, and wide layers compare with narrow ones.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..picture.axes import Axes
from ..picture.canvas import Canvas, Circle, Path, Style, short_label

if TYPE_CHECKING:
    from .run import Run
    from .shots import Shot

MOST_LINES = 8
APART = 13.0  # pixels between the names of lines
MOST_LETTERS = 13  # of a name
SHADES = ("ink", "cotangent", "source-line", "muted")
DASHES = ("", "7 4", "2 3")

Points = list[tuple[int, float]]


def layer_of(name: str) -> str:
    """`hidden` of `hidden.kernel` or `hidden/kernel`; a name without a layer is its own.

    Example:
        >>> layer_of("model.hidden.kernel"), layer_of("w")
        ('model.hidden', 'w')
    """
    return re.sub(r"[./][^./]*$", "", name)


def sizes(run: Run) -> dict[str, Points]:
    """The size of each layer's gradient at the kept steps: where it is a number, and not zero."""
    layers: dict[str, list[int]] = {}
    for place, name in enumerate(run.names):
        layers.setdefault(layer_of(name), []).append(place)
    names = list(layers)
    spread = np.linspace(0, len(names) - 1, min(len(names), MOST_LINES)).round()
    found = {names[int(i)]: _of(run.shots, layers[names[int(i)]]) for i in spread}
    return {name: points for name, points in found.items() if len(points) > 1}


def room_beside(lines: dict[str, Points]) -> float:
    """How wide the names of the lines are."""
    return 14 + 6.7 * max((min(len(name), MOST_LETTERS) for name in lines), default=-2)


def _of(shots: Sequence[Shot], places: list[int]) -> Points:
    found = []
    for shot in shots:
        parts = [each for i in places if (each := shot.gradients[i]) is not None]
        count = sum(math.prod(each.shape) for each in parts)
        largest = max((each.size for each in parts), default=0.0)
        if not count or not 0 < largest < math.inf:
            continue
        squares = sum(math.prod(each.shape) * (each.size / largest) ** 2 for each in parts)
        found.append((shot.step, largest * math.sqrt(squares / count)))
    return found


def draw_sizes(
    canvas: Canvas, lines: dict[str, Points], box: tuple[float, float, float, float], last: float
) -> Axes:
    """Draws the lines of all layers in a box, and their names right of it, at their ends."""
    logs = [math.log10(size) for points in lines.values() for _, size in points]
    low, high = math.floor(min(logs)), math.ceil(max(logs))
    high = max(high, low + 1)
    axes = Axes(canvas, box, (0.0, last), (float(low), float(high)))
    left, top, width, height = box
    step = max(1, math.ceil(16 * (high - low) / height))
    for power in range(low, high + 1, step):
        y = axes.place(0, power)[1]
        canvas.add(Path(((left, y), (left + width, y)), Style(stroke="constant")))
        said = f"1e{power}" if power else "1"
        canvas.text(left - 7, y + 4, said, anchor="end", colour="muted")
    canvas.box(left, top, width, height, Style(stroke="edge"))
    canvas.text(left, top - 8, "size of the gradient", bold=True)
    ends = []
    for number, (name, points) in enumerate(lines.items()):
        colour = SHADES[number % len(SHADES)]
        style = Style(stroke=colour, width=2, dash=DASHES[number // len(SHADES) % len(DASHES)])
        logged = [math.log10(size) for _, size in points]
        axes.line([at for at, _ in points], logged, style)
        for (at, _), log in zip(points, logged, strict=True):
            canvas.add(Circle(axes.place(at, log), 2, Style(fill=colour)))
        ends.append((axes.place(points[-1][0], logged[-1])[1], name, colour))
    gap = min(APART, (height + APART) / len(ends))
    places = within(apart([y for y, *_ in ends], gap), top, top + height, gap)
    for y, (_, name, colour) in zip(places, sorted(ends), strict=True):
        said = short_label(name, MOST_LETTERS)
        canvas.text(left + width + 8, y + 4, said, size=11, colour=colour, bold=True)
    return axes


def apart(places: Sequence[float], gap: float = APART) -> list[float]:
    """Places in their order, moved as little as it takes to have a gap between each two.

    Example:
        >>> apart([10.0, 12.0, 50.0], gap=6.0)
        [8.0, 14.0, 50.0]
    """
    groups: list[tuple[float, int]] = []  # the middle of names that touch, and how many they are
    for place in sorted(places):
        middle, count = place, 1
        while groups and middle - groups[-1][0] < (count + groups[-1][1]) * gap / 2:
            other, many = groups.pop()
            middle = (middle * count + other * many) / (count + many)
            count += many
        groups.append((middle, count))
    return [middle + (i - (count - 1) / 2) * gap for middle, count in groups for i in range(count)]


def within(places: Sequence[float], first: float, last: float, gap: float) -> list[float]:
    """Places that are apart, moved up and down so that none is beyond the first or the last.

    Example:
        >>> within([8.0, 14.0, 50.0], 10.0, 40.0, 6.0)
        [10.0, 16.0, 40.0]
    """
    count = len(places)
    lowered = [max(y, first + i * gap) for i, y in enumerate(places)]
    return [min(y, last - (count - 1 - i) * gap) for i, y in enumerate(lowered)]
