"""The ways of edges through the boxes of a graph: out of scopes, through a shared one, into others.

The one fact to know: every scope has laid out its part of the way; here the parts are joined.
"""

from __future__ import annotations

from .levels import CORNER, LANE, STEP, Level, shared
from .types import Edge, Graph, Point, Scope

Key = tuple[int, int, int]


def way_of(key: Key, graph: Graph, scopes: list[Scope], levels: dict[Scope, Level]) -> Edge:
    """The whole way of an edge: out of scopes, through the shared one, into scopes."""
    source, target, position = key
    a, b = scopes[source], scopes[target]
    common = shared(a, b)
    way: list[Point] = []
    for depth in range(len(a), common, -1):
        level = levels[a[:depth]]
        part = _part(level, source, level.places[source], 0)
        way = _joined(way, part, keep_first=True)
    for depth in range(common, len(b) + 1):
        level = levels[b[:depth]]
        deeper = levels[b[: depth + 1]] if depth < len(b) else None
        place = position if deeper is None else deeper.entries.index(source)
        part = _part(level, source, level.holders[target], place)
        way = _joined(way, part, keep_first=depth == common)
    return Edge(source, target, position, tuple((round(x, 1), round(y, 1)) for x, y in way))


def _part(level: Level, source: int, target: int, position: int) -> list[Point]:
    """The way in one scope; from a box of several results first to this one's point under it."""
    start = level.start(source)
    if source not in level.ports:
        return _way(level, start, target, position)
    first = _way(level, level.holders[source], start, 0)
    return _joined(first, _way(level, start, target, position), keep_first=True)


def _way(level: Level, source: int, target: int, position: int) -> list[Point]:
    return list(level.parts[source, target, position])


def _joined(first: list[Point], second: list[Point], keep_first: bool) -> list[Point]:
    """Two parts of a way: the outer one bends to the point where the inner one has its border."""
    if not first:
        return second
    if keep_first:
        x = first[-1][0]
        second = [(x, second[0][1]), (x, second[1][1]), *second[2:]]
    else:
        x = second[0][0]
        first = [*first[:-2], (x, first[-2][1]), (x, first[-1][1])]
    (x0, y0), (x1, y1) = first[-1], second[0]
    line = [(x0, y0 + (y1 - y0) / 3), (x1, y0 + 2 * (y1 - y0) / 3)]
    return [*first, *line, *second]


def around(
    number: int, pair: tuple[int, ...], count: int, edges: dict[Key, Edge], level: Level, last: int
) -> Edge:
    """What goes to the next round: down, along the right side, and in again on top."""
    leave, enter = count + 2 * number, count + 2 * number + 1
    down, up = edges[pair[0], leave, 0].points, edges[enter, pair[1], last].points
    place = number % max(level.lanes, 1)
    turn = CORNER + STEP * place
    lane = level.left + level.size[0] - LANE * (level.lanes - place)
    corners = [down[-1], (down[-1][0], down[-1][1] + turn), (lane, down[-1][1] + turn)]
    corners += [(lane, up[0][1] - turn), (up[0][0], up[0][1] - turn), up[0]]
    return Edge(pair[0], pair[1], -1, (*down, *_rounded(corners)[1:], *up[1:]))


def _rounded(corners: list[Point]) -> list[Point]:
    """A way along straight lines, as curves, with round corners."""
    way = [corners[0]]
    for before, corner, after in zip(corners, corners[1:], corners[2:], strict=False):
        start, end = _towards(corner, before), _towards(corner, after)
        way += [way[-1], start, start, corner, corner, end]
    return [*way, way[-1], corners[-1], corners[-1]]


def _towards(corner: Point, other: Point) -> Point:
    """The point at which a round corner begins."""
    dx, dy = other[0] - corner[0], other[1] - corner[1]
    far = max(abs(dx), abs(dy), 1e-9)
    step = min(CORNER, far / 2) / far
    return round(corner[0] + dx * step, 1), round(corner[1] + dy * step, 1)
