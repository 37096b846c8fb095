"""Contour lines of numbers on a grid, by marching squares.

The one fact to know: each cell of four neighbours is crossed by a level in at most two pieces whose
ends lie on the cell's edges, found by linear interpolation (Lorensen and Cline, 1987, in two
dimensions). At a saddle both ways are right; the pieces that cut off high corners are taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

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
