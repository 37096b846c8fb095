"""Which layer a node is in, and the dummy nodes that carry long edges through the layers between.

Layering is by longest path, then compacted: a node moves towards the side where it has more edges
while that keeps all edges pointing down (what network simplex does, nearly as well and in linear
time). Edges with the same source share their dummies, so a variable used in a thousand layers costs
a thousand dummies and not half a million.
"""

from __future__ import annotations

from dataclasses import dataclass

from .types import Graph

SWEEPS = 4
MAX_DUMMIES = 40_000


@dataclass(slots=True)
class Layered:
    """A graph whose edges join neighbouring layers only.

    Attributes:
        layer: Layer of each node; ids from `real` on are dummies.
        real: Number of real nodes.
        above: Neighbours in the layer above, each once.
        below: Neighbours in the layer below, each once.
        trunks: For each node the dummies of its long edges, one in each layer below it.
        lengths: For each edge (source, target, position) how many of these are on its way.
    """

    layer: list[int]
    real: int
    above: list[list[int]]
    below: list[list[int]]
    trunks: list[list[int]]
    lengths: dict[tuple[int, int, int], int]


def assign_layers(graph: Graph) -> list[int]:
    """Give each node a layer, smaller than those of its users, with short edges."""
    consumers: list[list[int]] = [[] for _ in graph.inputs]
    layer = [0] * len(graph.inputs)
    for node, parents in enumerate(graph.inputs):
        for parent in dict.fromkeys(parents):
            consumers[parent].append(node)
            layer[node] = max(layer[node], layer[parent] + 1)
    hanging = _hanging(graph, consumers)
    for _ in range(SWEEPS):
        if not _compact(graph, consumers, hanging, layer):
            break
    first = min(layer, default=0)
    return [place - first for place in layer]


def _hanging(graph: Graph, consumers: list[list[int]]) -> list[bool]:
    """Find the trees that hang on one user only: moving a whole tree shortens an edge for free."""
    hanging: list[bool] = []
    for node, parents in enumerate(graph.inputs):
        hanging.append(len(consumers[node]) == 1 and all(hanging[parent] for parent in parents))
    return hanging


def _compact(
    graph: Graph, consumers: list[list[int]], hanging: list[bool], layer: list[int]
) -> bool:
    """Move nodes with more users than inputs down to their first user; tell if any moved."""
    moved = False
    for node in range(len(layer) - 1, -1, -1):
        users = consumers[node]
        if users and (hanging[node] or len(users) > len(set(graph.inputs[node]))):
            lowest = min(layer[user] for user in users) - 1
            moved = moved or lowest != layer[node]
            layer[node] = lowest
    return moved


def insert_dummies(graph: Graph, layer: list[int]) -> Layered:
    """Replace each edge over several layers by a chain; edges of one source share the chain."""
    count = len(layer)
    layered = Layered(
        list(layer), count, [[] for _ in layer], [[] for _ in layer], [[] for _ in layer], {}
    )
    longest = _longest_allowed(graph, layer)
    for target, parents in enumerate(graph.inputs):
        for position, source in enumerate(parents):
            span = layer[target] - layer[source]
            trunk = layered.trunks[source]
            length = span - 1 if span <= longest else 0
            while len(trunk) < length:
                _extend(layered, source, trunk)
            if span <= longest:
                _connect(layered, trunk[length - 1] if length else source, target)
            layered.lengths[source, target, position] = length
    return layered


def _longest_allowed(graph: Graph, layer: list[int]) -> int:
    """Find the longest span that still gets dummies, so that their number stays bounded."""
    reach = [0] * len(layer)
    for target, parents in enumerate(graph.inputs):
        for source in parents:
            reach[source] = max(reach[source], layer[target] - layer[source])
    longest = max(reach, default=1)
    while longest > 8 and sum(min(r, longest) for r in reach) > MAX_DUMMIES + len(layer):
        longest //= 2
    return longest


def _extend(layered: Layered, source: int, trunk: list[int]) -> None:
    dummy = len(layered.layer)
    previous = trunk[-1] if trunk else source
    layered.layer.append(layered.layer[previous] + 1)
    layered.above.append([])
    layered.below.append([])
    _connect(layered, previous, dummy)
    trunk.append(dummy)


def _connect(layered: Layered, upper: int, lower: int) -> None:
    if upper not in layered.above[lower]:  # An op's inputs are few.
        layered.above[lower].append(upper)
        layered.below[upper].append(lower)


def rows_of(layered: Layered, sources_last: bool = False) -> list[list[int]]:
    """List the nodes of each layer, in the order of a walk along the edges from the last op.

    The walk keeps what belongs together side by side, so that the sweeps that follow start near a
    good order. Arguments keep their order, or sources come behind what was computed.
    """
    above = layered.above
    if sources_last:
        above = [sorted(around, key=lambda n: not layered.above[n]) for around in above]
    rows: list[list[int]] = [[] for _ in range(max(layered.layer, default=-1) + 1)]
    seen = [False] * len(layered.layer)
    for last in range(layered.real - 1, -1, -1):
        stack = [last]
        while stack:
            node = stack.pop()
            if seen[node]:
                continue
            seen[node] = True
            rows[layered.layer[node]].append(node)
            stack.extend(n for n in reversed(above[node]) if not seen[n])
    return rows
