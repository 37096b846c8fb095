"""The order of the nodes within each layer, with few crossings.

Barycentre sweeps down and up, then exchanges of neighbours; the best order seen is kept. Imports
`layers` only.
"""

from __future__ import annotations

from bisect import bisect_right, insort

from .layers import Layered

SWEEPS = 24
SWEEPS_OF_LARGE = 8
PATIENCE = 5
LARGE = 3_000
SMALL = 600

Rows = list[list[int]]


def order_rows(layered: Layered, rows: Rows) -> Rows:
    """Reorder the rows for few crossings.

    Small graphs get several starts: sweeps from a single order often stop at a poor one.
    """
    starts = [rows]
    if len(layered.layer) < SMALL:
        starts += [[sorted(row) for row in rows], [row[::-1] for row in rows]]
    best, fewest = rows, count_crossings(layered, rows)
    for start in starts:
        for upwards_first in (False, True) if len(layered.layer) < SMALL else (False,):
            if fewest:
                found, crossings = _improve(layered, [row[:] for row in start], upwards_first)
                best, fewest = (found, crossings) if crossings < fewest else (best, fewest)
    return best


def _improve(layered: Layered, rows: Rows, upwards_first: bool) -> tuple[Rows, int]:
    """Sweep up and down until that does not help any more."""
    is_large = len(layered.layer) >= LARGE
    best, fewest, since_best = [row[:] for row in rows], count_crossings(layered, rows), 0
    for sweep in range(SWEEPS_OF_LARGE if is_large else SWEEPS):
        if fewest == 0 or since_best >= PATIENCE:
            break
        _sweep(layered, rows, downwards=(sweep % 2 == 0) != upwards_first, keep_ties=sweep % 4 < 2)
        if not is_large:
            _transpose(layered, rows)
        crossings = count_crossings(layered, rows)
        since_best += 1
        if crossings < fewest:
            best, fewest, since_best = [row[:] for row in rows], crossings, 0
    return best, fewest


def _sweep(layered: Layered, rows: Rows, downwards: bool, keep_ties: bool) -> None:
    """Sort each row by the mean position of the neighbours in the row done before."""
    neighbours = layered.above if downwards else layered.below
    place = [0] * len(layered.layer)
    for row in rows if downwards else reversed(rows):
        keyed = []
        for index, node in enumerate(row):
            around = neighbours[node]
            # A node without neighbours on that side stays where it is.
            centre = sum(place[n] for n in around) / len(around) if around else None
            keyed.append((centre, index if keep_ties else -index, node))
        row[:] = _sorted_around_fixed(keyed)
        for index, node in enumerate(row):
            place[node] = index


def _sorted_around_fixed(keyed: list[tuple[float | None, int, int]]) -> list[int]:
    movable = sorted((c, tie, node) for c, tie, node in keyed if c is not None)
    order = iter(movable)
    return [node if centre is None else next(order)[2] for centre, _, node in keyed]


def _transpose(layered: Layered, rows: Rows) -> None:
    """Exchange neighbours while that removes crossings."""
    place = [0] * len(layered.layer)
    for row in rows:
        for index, node in enumerate(row):
            place[node] = index
    for _ in range(4):
        improved = False
        for row in rows:
            improved = _transpose_row(layered, row, place) or improved
        if not improved:
            break


def _transpose_row(layered: Layered, row: list[int], place: list[int]) -> bool:
    improved = False
    for i in range(len(row) - 1):
        left, right = row[i], row[i + 1]
        gain = 0
        for neighbours in (layered.above, layered.below):
            a = sorted(place[n] for n in neighbours[left])
            b = sorted(place[n] for n in neighbours[right])
            gain += _pair_crossings(a, b) - _pair_crossings(b, a)
        if gain > 0:
            row[i], row[i + 1] = right, left
            place[left], place[right] = i + 1, i
            improved = True
    return improved


def _pair_crossings(left: list[int], right: list[int]) -> int:
    """Count crossings between the edges of two neighbours, given sorted places of their ends."""
    total = index = 0
    for place in left:
        while index < len(right) and right[index] < place:
            index += 1
        total += index
    return total


def count_crossings(layered: Layered, rows: Rows) -> int:
    """Count the crossings between all pairs of neighbouring rows (by counting inversions)."""
    place = [0] * len(layered.layer)
    total = 0
    for row in rows:
        for index, node in enumerate(row):
            place[node] = index
    for row in rows:
        ends: list[int] = []
        for node in row:
            around = sorted(place[n] for n in layered.above[node])
            total += sum(len(ends) - bisect_right(ends, end) for end in around)
            for end in around:
                insort(ends, end)
    return total
