"""A narrow layout for boxes that are only named: long edges pass behind the boxes.

An edge that says nothing new about the order, because a longer way leads to the same box, takes no
room. Boxes without inputs, of which a row would be too long, stand in several rows.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from .builtin import fitted, layered_layout
from .layers import assign_layers
from .types import Edge, Graph, Layout, Point

GAP = 10.0
ASIDE = 9.0  # how far an edge behind boxes swings out, for each row that it passes
MOST_ASIDE = 40.0
ROW = 3  # boxes without inputs


def compact_layout(graph: Graph) -> Layout:
    """Lay a graph out, sources at the top."""
    layer, raised = _wrapped(assign_layers(graph), graph.inputs)
    kept = [
        [p for p in own if graph.inputs[i][p] not in raised]
        for i, own in enumerate(_needed(graph.inputs))
    ]
    return _with_others(graph, kept, layer, raised)


def column_layout(graph: Graph) -> Layout:
    """Set boxes one below the other, in their order."""
    kept = [
        [p for p, i in enumerate(own) if i == box - 1][:1] for box, own in enumerate(graph.inputs)
    ]
    return _with_others(graph, kept, list(range(len(kept))), ())


def _with_others(
    graph: Graph, kept: Sequence[Sequence[int]], layer: list[int], raised: Collection[int]
) -> Layout:
    """Lay out by the kept arguments alone, and draw the others past the boxes."""
    inputs = tuple(tuple(graph.inputs[i][p] for p in own) for i, own in enumerate(kept))
    placed = layered_layout(Graph(inputs, graph.sizes), layer=layer, gap=GAP)
    edges = [replace(each, position=kept[each.target][each.position]) for each in placed.edges]
    for target, own in enumerate(graph.inputs):
        for position, source in enumerate(own):
            if position not in kept[target]:
                way = (_behind if source in raised else _aside)(placed, source, target)
                edges.append(Edge(source, target, position, way))
    return fitted(graph, list(placed.positions), tuple(edges), "TB", "builtin")


def _needed(inputs: Sequence[Sequence[int]]) -> list[list[int]]:
    """For each box the positions of arguments to which no longer way leads."""
    before: list[set[int]] = []
    kept = []
    for own in inputs:
        further = set().union(*(before[i] for i in own)) if own else set()
        kept.append([p for p, i in enumerate(own) if i not in further and i not in own[:p]])
        before.append(further.union(own))
    return kept


def _wrapped(
    layer: list[int], inputs: Sequence[Sequence[int]]
) -> tuple[list[int], Collection[int]]:
    """The layers, with long rows of boxes without inputs as several, and the boxes in the upper."""
    found, raised = list(layer), set[int]()
    shift = 0
    for row in range(max(layer, default=0) + 1):
        own = [i for i, each in enumerate(layer) if each == row]
        free = [i for i in own if not inputs[i]]
        more = max(0, len(free) - ROW)
        rows = -(-more // ROW)
        for i in own:
            found[i] = row + shift + rows
        for place, i in enumerate(free[:more]):
            found[i] = row + shift + place // ROW
        raised.update(free[:more])
        shift += rows
    return found, raised


def _behind(placed: Layout, source: int, target: int) -> tuple[Point, ...]:
    """From the lower side of a box to the upper side of another one."""
    (x0, y0), (x1, y1) = placed.positions[source], placed.positions[target]
    start, end = (x0, y0 + placed.sizes[source][1] / 2), (x1, y1 - placed.sizes[target][1] / 2)
    middle = (start[1] + end[1]) / 2
    return start, (x0, middle), (x1, middle), end


def _aside(placed: Layout, source: int, target: int) -> tuple[Point, ...]:
    """From the right side of a box to the right side of another one."""
    (x0, y0), (x1, y1) = placed.positions[source], placed.positions[target]
    start, end = (x0 + placed.sizes[source][0] / 2, y0), (x1 + placed.sizes[target][0] / 2, y1)
    out = max(start[0], end[0]) + min(MOST_ASIDE, ASIDE + abs(y1 - y0) / 12)
    return start, (out, y0), (out, y1), end
