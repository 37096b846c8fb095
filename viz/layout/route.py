"""The curves of the edges: from port to port, through the dummies, never across a box.

Ports are spread along a box's border towards where each edge comes from, in that order, so that
edges do not cross at the arrowheads and the two edges of x * x stay apart.
"""

from __future__ import annotations

from collections.abc import Sequence

from .layers import Layered
from .types import Edge, Graph, Point

PORT_GAP = 14.0
PORT_MARGIN = 10.0
LEAN = 0.4  # How far a port moves towards the other end; 0 is the middle, 1 straight below it.
STRAIGHT = 50.0
SAME = 0.05

Key = tuple[int, int, int]


def route(
    graph: Graph,
    layered: Layered,
    x: Sequence[float],
    top: Sequence[float],
    bottom: Sequence[float],
) -> tuple[Edge, ...]:
    """Draw all edges.

    Args:
        graph: The graph with its box sizes.
        layered: The same with dummies.
        x: Centre of each node, dummies too.
        top: Upper border of each node's box; for a dummy, of its whole row.
        bottom: Lower border, likewise.
    """
    before, after = {}, {}
    for key, length in layered.lengths.items():
        trunk = layered.trunks[key[0]]
        before[key] = (key[1], trunk[length - 1] if length else key[0])
        after[key] = (key[0], trunk[0] if length else key[1])
    arrive, leave = _ports(graph, x, before, shared=False), _ports(graph, x, after, shared=True)
    runs = [_straight_runs(trunk, x) for trunk in layered.trunks]
    edges = []
    for key, length in layered.lengths.items():
        source, target, position = key
        points: list[Point] = [(leave[key], bottom[source])]
        for first, last in runs[source]:
            if first >= length:
                break
            trunk = layered.trunks[source]
            _curve(points, (x[trunk[first]], top[trunk[first]]))
            _line(points, (x[trunk[first]], bottom[trunk[min(last, length - 1)]]))
        _curve(points, (arrive[key], top[target]))
        edges.append(Edge(source, target, position, tuple(points)))
    return tuple(edges)


def _straight_runs(trunk: list[int], x: Sequence[float]) -> list[tuple[int, int]]:
    """Find the stretches of a trunk with one x; each is drawn as one line, however long."""
    runs: list[tuple[int, int]] = []
    for index, dummy in enumerate(trunk):
        if runs and abs(x[trunk[runs[-1][0]]] - x[dummy]) < SAME:
            runs[-1] = (runs[-1][0], index)
        else:
            runs.append((index, index))
    return runs


def _ports(
    graph: Graph, x: Sequence[float], ends: dict[Key, tuple[int, int]], shared: bool
) -> dict[Key, float]:
    """Choose where edges touch a node, given (node, neighbour on the edge's way) of each edge.

    With `shared`, edges that go on through the same dummy leave from one port.
    """
    by_node: dict[int, dict[tuple[int, ...], list[Key]]] = {}
    for key, (node, neighbour) in ends.items():
        through_dummy = shared and neighbour >= len(graph.sizes)
        slot: tuple[int, ...] = (neighbour,) if through_dummy else (neighbour, *key[1:][::-1])
        by_node.setdefault(node, {}).setdefault(slot, []).append(key)
    ports: dict[Key, float] = {}
    for node, slots in by_node.items():
        order = sorted(slots, key=lambda slot: (x[slot[0]], slot))
        half = max(graph.sizes[node][0] / 2 - PORT_MARGIN, 0.0)
        wanted = [min(max(x[slot[0]] - x[node], -half), half) * LEAN for slot in order]
        gap = min(PORT_GAP, 2 * half / max(len(order) - 1, 1))
        for slot, offset in zip(order, _spread(wanted, gap, half), strict=True):
            ports.update((key, x[node] + offset) for key in slots[slot])
    return ports


def _spread(wanted: list[float], gap: float, half: float) -> list[float]:
    """Move sorted places apart to at least `gap`, as little as possible (pool adjacent violators).

    A place near the middle belongs to a straight edge and weighs more.
    """
    pools: list[tuple[float, float, int]] = []
    for index, place in enumerate(wanted):
        weight = STRAIGHT if abs(place) < 1 else 1.0
        total, count = (place - index * gap) * weight, 1
        while pools and pools[-1][0] / pools[-1][1] >= total / weight:
            before = pools.pop()
            total, weight, count = total + before[0], weight + before[1], count + before[2]
        pools.append((total, weight, count))
    flat = [total / weight for total, weight, count in pools for _ in range(count)]
    places = [place + index * gap for index, place in enumerate(flat)]
    over = max(places[-1] - half, 0.0) - max(-half - places[0], 0.0)
    return [place - over for place in places]


def _curve(points: list[Point], end: Point) -> None:
    """Go on to `end` with vertical tangents at both ends."""
    (x0, y0), (x1, y1) = points[-1], end
    middle = (y0 + y1) / 2
    points += [(x0, middle), (x1, middle), end]


def _line(points: list[Point], end: Point) -> None:
    """Go on straight (a Bézier curve with its control points on the line)."""
    (x0, y0), (x1, y1) = points[-1], end
    points += [(x0, y0 + (y1 - y0) / 3), (x1, y0 + 2 * (y1 - y0) / 3), end]
