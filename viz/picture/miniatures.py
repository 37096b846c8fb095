"""Miniatures: an array on a node as one square for each number, filled or hollow by its sign.

The player draws the same marks (`marks.js`); a page therefore leaves these out of its drawings and
lets the player make them from its data.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from ..trace.arrays import Array
from ..trace.thumbs import Thumb
from .svg_text import number

SMALLEST = 0.16  # of a mark's full side: what is not zero stays to be seen
LARGEST_CELL = 11.0
GAP = 3.0  # between tiles
MOST_TILES_ACROSS = 12
SEEN = 2.0  # pixels of a cell below which cells are taken together
BLOCK = 4.0  # pixels of such a block, at least


def miniature(
    array: Array, kind: str, place: tuple[float, float], room: tuple[float, float]
) -> str:
    """Draw an array into a room of a width and height; nothing where cells would be too small.

    Where one matrix has too many cells, each mark stands for a block and is its largest element.

    Args:
        array: what to draw: its elements, or the peaks of its blocks.
        kind: "value", "cotangent" or "sum": the hue.
        place: the corner.
        room: width and height.

    Example:
        >>> miniature(Array.of([[1.0, -1.0], [0.0, 2.0]]), "value", (0, 0), (40, 40)).count("<path")
        3
    """
    values, (rows, columns, count) = _numbers(array)
    if count == 1 and _fitted(rows, columns, 1, room[0] - 4, room[1] - 4)[0] < SEEN:
        values, rows, columns = _blocks(values, rows, columns, room[0] - 4, room[1] - 4)
    cell, across = _fitted(rows, columns, count, room[0] - 4, room[1] - 4)
    if cell < 1.4 or not values:
        return ""
    largest = max((abs(v) for v in values if math.isfinite(v)), default=0.0)
    found: dict[str, list[str]] = {"filled": [], "hollow": [], "zero": []}
    for flat, value in enumerate(values):
        tile, inside = divmod(flat, rows * columns)
        x = 2 + (tile % across) * (columns * cell + GAP) + inside % columns * cell
        y = 2 + tile // across * (rows * cell + GAP) + inside // columns * cell
        name, path = _mark(value, largest, x, y, cell)
        found[name].append(path)
    width = across * columns * cell + GAP * (across - 1) + 4
    height = math.ceil(count / across) * (rows * cell + GAP) - GAP + 4
    sheet = f'<rect class="sheet" width="{number(width)}" height="{number(height)}" rx="2"/>'
    marks = "".join(
        f'<path class="k {kind} {name}" d="{"".join(paths)}"/>'
        for name, paths in found.items()
        if paths
    )
    where = f"translate({number(place[0])} {number(place[1])})"
    return f'<g class="mini" transform="{where}">{sheet}{marks}</g>'


def without_miniatures(drawing: str) -> str:
    """Leave the miniatures out of a drawing, for a player that makes them itself."""
    return re.sub(r'<g class="mini".*?</g>', "", drawing)


def _numbers(array: Array) -> tuple[Sequence[float], tuple[int, int, int]]:
    """The numbers to draw, and the rows, columns and count of their tiles."""
    if not array.is_whole:
        rows, columns, peaks, tiles = array.thumb or Thumb(0, 0, ())
        return peaks, (rows, columns, math.prod(tiles))
    shape = array.shape
    rows, columns = shape[-2:] if len(shape) > 1 else (1, shape[0] if shape else 1)
    values = [math.nan if isinstance(v, str | complex) else float(v) for v in array.data]
    return values, (rows, columns, math.prod(shape[:-2]))


def _blocks(
    values: Sequence[float], rows: int, columns: int, width: float, height: float
) -> tuple[Sequence[float], int, int]:
    """The largest element of each block, with so few blocks that they can be seen."""
    down = math.ceil(rows / max(1, height // BLOCK))
    right = math.ceil(columns / max(1, width // BLOCK))
    if not values:
        return values, rows, columns
    tops, lefts = range(0, rows, down), range(0, columns, right)
    found = [
        max(
            (
                values[r * columns + c]
                for r in range(top, min(top + down, rows))
                for c in range(left, min(left + right, columns))
            ),
            key=lambda value: -1.0 if math.isnan(value) else abs(value),
        )
        for top in tops
        for left in lefts
    ]
    return found, len(tops), len(lefts)


def _fitted(rows: int, columns: int, count: int, width: float, height: float) -> tuple[float, int]:
    """The largest cell with which all tiles fit, and how many tiles then stand in a row."""
    if not rows * columns * count:
        return 0.0, 1
    best = (0.0, 1)
    for across in range(1, min(count, MOST_TILES_ACROSS) + 1):
        down = math.ceil(count / across)
        wide = (width - GAP * (across - 1)) / (across * columns)
        high = (height - GAP * (down - 1)) / (down * rows)
        best = max(best, (min(wide, high, LARGEST_CELL), across))
    return best


def _mark(value: float, largest: float, x: float, y: float, cell: float) -> tuple[str, str]:
    """One mark as the name of its path and the path's data."""
    centre_x, centre_y = x + cell / 2, y + cell / 2
    if value == 0 or math.isnan(value) or not largest:
        name, side = "zero", max(1.0, cell * 0.12)
    else:
        share = math.sqrt(abs(value) / largest) if math.isfinite(value) else 1.0
        full = max(SMALLEST, min(1.0, share)) * (cell - max(1.0, cell * 0.16))
        name = "hollow" if value < 0 else "filled"
        side = full - (min(1.6, full / 4) if value < 0 else 0.0)
    start = f"M{number(centre_x - side / 2)} {number(centre_y - side / 2)}"
    return name, f"{start}h{number(side)}v{number(side)}h{number(-side)}z"
