"""How a jacobian is drawn: a cell per entry where there is room, else a cell per block.

The three kinds of zero look different without colour: no path is an empty cell with a dot, a zero
at this point is a white cell with "0", a small number is a pale cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..base.numbers import short
from ..picture.canvas import Canvas, Circle, Path, Raster, Style, short_label, text_width
from ..picture.png import Pixels
from ..picture.theme import LIGHT, rgb
from ..plots.exhibit import Frame
from .structure import Numbers, Structure

MAX_CELLS = 2_500  # more are drawn as blocks
MAX_BLOCKS = 160  # a side
MAX_NAMED = 40
KEY = 62.0
NAME_SIZE = 12.0


class Grid:
    """Where the cells are."""

    def __init__(self, shape: tuple[int, ...], rows: Sequence[str], columns: Sequence[str]) -> None:
        self.height, self.width = shape
        across = max(self.height, self.width, 1)
        self.cell = float(max(4, min(58, 620 // across)))
        self.longest = max((len(name) for name in rows), default=1)
        self.left = 24 + text_width("m" * min(self.longest, 16), NAME_SIZE)
        self.w, self.h = self.width * self.cell, self.height * self.cell
        if self.height * self.width > MAX_CELLS:
            scale = 620 / across
            self.w, self.h = max(self.width * scale, 24.0), max(self.height * scale, 24.0)
        widest = max((text_width(short_label(name, 16)) for name in columns), default=0.0)
        self.turned = widest > self.w / max(self.width, 1) - 4
        self.top = 126.0 if self.turned else 68.0


def draw(
    title: str, found: Structure, rows: Sequence[str], columns: Sequence[str], batches: int
) -> Canvas:
    """The heat map with names, outlines of the blocks, and a key."""
    grid = Grid(found.matrix.shape, rows, columns)
    width = max(grid.left + grid.w + 24, 30 + text_width(short_label(title, 70), 15), 560)
    canvas = Canvas(width, grid.top + grid.h + KEY + 14, title)
    canvas.text(14, 26, short_label(title, 70), size=15, bold=True)
    if found.matrix.size == 0:
        canvas.text(14, 60, "no entries", colour="muted")
        return canvas
    if found.matrix.size <= MAX_CELLS:
        _cells(canvas, grid, found)
    else:
        place = (grid.left, grid.top, grid.w, grid.h)
        canvas.add(Raster(place, colours(_shrunk(found.matrix), _largest(found.matrix))))
    canvas.box(grid.left, grid.top, grid.w, grid.h, Style(stroke="edge"))
    _names(canvas, grid, rows, columns)
    _outlines(canvas, grid, batches)
    if found.matrix.size <= MAX_CELLS:
        canvas.add(Path(_row(grid, 0), Style(stroke="ink", width=3.5), closed=True, name="row"))
        canvas.add(Path((), Style(stroke="ink", width=3.5), name="column"))
    _key(canvas, grid, found)
    return canvas


def _cells(canvas: Canvas, grid: Grid, found: Structure) -> None:
    paint, size = colours(found.matrix, _largest(found.matrix)), grid.cell
    for i, j in np.ndindex(*found.matrix.shape):
        x, y, value = grid.left + j * size, grid.top + i * size, found.matrix[i, j]
        if not found.reached[i, j]:
            dot = min(size / 12, 2.5)
            canvas.add(Circle((x + size / 2, y + size / 2), dot, Style(fill="edge")))
            continue
        fill = "#" + bytes(paint[i, j]).hex()
        lost = not np.isfinite(value)
        edge = Style(fill, "purple" if lost else "line", 1.5 if lost else 0.5, "3 2" * lost)
        canvas.box(x, y, size, size, edge)
        _number(canvas, (x, y), size, value, paint[i, j])


def _number(
    canvas: Canvas, place: tuple[float, float], cell: float, value: Any, paint: Pixels
) -> None:
    """Writes a number into its cell, where it can be read."""
    text = "0" if value == 0 else short(value).removesuffix(".0")  # of a whole number
    size = min(12.0, (cell - 3) / text_width(text, 1.0))
    if size < 8:
        return
    is_dark = int(paint.astype(int) @ (299, 587, 114)) < 140_000
    colour, x, y = (
        LIGHT["paper"] if is_dark else LIGHT["ink"],
        place[0] + cell / 2,
        place[1] + cell / 2,
    )
    canvas.text(x, y + size / 3, text, anchor="middle", colour=colour, size=size)


def _names(canvas: Canvas, grid: Grid, rows: Sequence[str], columns: Sequence[str]) -> None:
    """Names of all rows and columns, or of evenly spaced ones where there are many."""
    for number in _chosen(len(rows), grid.h):
        y = grid.top + (number + 0.5) * grid.h / len(rows) + 4
        canvas.text(grid.left - 8, y, short_label(rows[number], 16), anchor="end", size=NAME_SIZE)
    for number in _chosen(len(columns), grid.w, 18 if grid.turned else 14):
        x = grid.left + (number + 0.5) * grid.w / len(columns)
        text = short_label(columns[number], 10 if grid.turned else 16)
        if grid.turned:
            canvas.text(x + 4, grid.top - 8, text, turned=True, size=NAME_SIZE)
        else:
            canvas.text(x, grid.top - 8, text, anchor="middle", size=NAME_SIZE)


def _chosen(count: int, length: float, room: float = 14.0) -> range:
    most = max(1, min(MAX_NAMED, int(length // room)))
    return range(0, count, -(-count // most))


def _outlines(canvas: Canvas, grid: Grid, batches: int) -> None:
    """The diagonal blocks."""
    for i in range(batches if batches <= 200 else 0):
        w, h = grid.w / batches, grid.h / batches
        canvas.box(
            grid.left + i * w, grid.top + i * h, w, h, Style(stroke="variable-line", width=3)
        )


def _key(canvas: Canvas, grid: Grid, found: Structure) -> None:
    """What the colours mean."""
    y, largest = grid.top + grid.h + 22, _largest(found.matrix)
    scale = np.linspace(-largest, largest, 81)[None]
    canvas.add(Raster((14.0, y, 160.0, 14.0), colours(scale, largest)))
    canvas.box(14, y, 160, 14, Style(stroke="edge"))
    ends = ((14, -largest, "start"), (94, 0.0, "middle"), (174, largest, "end"))
    for x, value, anchor in ends:
        canvas.text(x, y + 29, short(value), anchor=anchor, colour="muted")
    if found.matrix.size > MAX_CELLS:
        canvas.text(196, y + 11, "each dot: the largest entry of a block", colour="muted")
        return
    canvas.add(Circle((203, y + 7), 2.5, Style(fill="edge")))
    canvas.text(214, y + 11, "no path", colour="muted")
    canvas.box(298, y, 14, 14, Style(fill="paper", stroke="line"))
    canvas.text(305, y + 11, "0", anchor="middle", colour="ink", size=11)
    canvas.text(319, y + 11, "zero at this point", colour="muted")


def colours(values: Numbers, largest: float) -> Pixels:
    """Orange above zero, blue (darker, also in grey) below; grey where nothing is known.

    Example:
        >>> colours(np.array([[0.0, 1.0]]), 1.0).tolist()
        [[[255, 255, 255], [176, 74, 0]]]
    """
    real = np.abs(values) if np.iscomplexobj(values) else np.asarray(values, np.float64)
    share = np.clip(np.abs(real) / (largest or 1.0), 0, 1)
    # The square root shows small numbers beside large ones; none but zero is white.
    share = np.where(real == 0, 0.0, 0.06 + 0.94 * np.sqrt(share))[..., None]
    base = np.where((real >= 0)[..., None], rgb("orange"), rgb("blue"))
    painted = 255 + (base - 255) * share
    return np.where(np.isfinite(real)[..., None], painted, 225.0).round().astype(np.uint8)


def _largest(matrix: Any) -> float:
    size = np.abs(matrix)
    finite = size[np.isfinite(size)]
    return float(finite.max()) if finite.size and finite.max() > 0 else 1.0


def _shrunk(matrix: Numbers) -> Numbers:
    """Blocks of the matrix, each with its entry that is largest in size."""
    matrix = np.abs(matrix) if np.iscomplexobj(matrix) else matrix
    for axis in (0, 1):
        count = matrix.shape[axis]
        starts = np.arange(min(count, MAX_BLOCKS)) * count // min(count, MAX_BLOCKS)
        high = np.maximum.reduceat(matrix, starts, axis=axis)
        low = np.minimum.reduceat(matrix, starts, axis=axis)
        matrix = np.where(high >= -low, high, low)
    return matrix


def _row(grid: Grid, i: int) -> tuple[tuple[float, float], ...]:
    top, bottom = grid.top + i * grid.h / grid.height, grid.top + (i + 1) * grid.h / grid.height
    left, right = grid.left, grid.left + grid.w
    return (left, top), (right, top), (right, bottom), (left, bottom)


def frames(found: Structure, rows: Sequence[str], columns: Sequence[str]) -> list[Frame]:
    """A frame per row: its outline, and what it says."""
    grid = Grid(found.matrix.shape, rows, columns)
    made = []
    for i, row in enumerate(rows):
        corners = _row(grid, i)
        middle = (corners[0][0], (corners[0][1] + corners[2][1]) / 2)
        move = {"row": _flat(corners), "column": []}
        made.append(Frame(middle, move, sentence(found, i, row, columns)))
    return made


def column_frames(
    found: Structure, rows: Sequence[str], columns: Sequence[str], said: Sequence[str]
) -> list[Frame]:
    """A frame per column: its outline, and what is said of it."""
    grid = Grid(found.matrix.shape, rows, columns)
    made = []
    for j, each in enumerate(said):
        corners = _column(grid, j)
        middle = ((corners[0][0] + corners[1][0]) / 2, corners[0][1])
        made.append(Frame(middle, {"row": [], "column": _flat(corners)}, each))
    return made


def _column(grid: Grid, j: int) -> tuple[tuple[float, float], ...]:
    left, right = grid.left + j * grid.w / grid.width, grid.left + (j + 1) * grid.w / grid.width
    top, bottom = grid.top, grid.top + grid.h
    return (left, top), (right, top), (right, bottom), (left, bottom)


def _flat(corners: Sequence[tuple[float, float]]) -> list[float]:
    return [round(value, 1) for corner in corners for value in corner]


def sentence(found: Structure, i: int, row: str, columns: Sequence[str]) -> str:
    """What one row says: on which elements it depends."""
    reached = [short_label(columns[j], 24) for j in np.flatnonzero(found.reached[i]).tolist()]
    row = short_label(row, 40)
    if not reached:
        return f"{row} depends on no element: its whole row has no path."
    if len(reached) == len(columns) > 1:
        zeros = int(np.sum(np.asarray(found.matrix)[i] == 0))
        here = f"; at this point {zeros} of the derivatives are 0" if zeros else ""
        return f"{row} has a path from all {len(columns)} elements{here}."
    more = f" and {len(reached) - 6} more" if len(reached) > 6 else ""
    return f"{row} depends on {', '.join(reached[:6])}{more}; on nothing else."
