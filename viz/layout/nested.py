"""Programs in programs: each scope is laid out by itself, and is one box in the scope around it.

An edge that enters a box has a point at the box's top (an entry), one that leaves it a point at its
bottom (an exit); inside and outside these are nodes of the layered layout like any other, so no
edge crosses a box that it has no business in. What a loop hands to its next round leaves at the
bottom, goes up along the right side, and enters at the top again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from .builtin import layered_layout
from .layers import assign_layers
from .types import Edge, Frame, Graph, Layout, Point, Scope

MARGIN = 16.0  # around what `layered_layout` gives
TITLE = 22.0  # the height of a box's label
RIM = 6.0  # between a box's border and its entries or exits
POINT = (8.0, 0.0)  # the size of an entry or exit
LANE = 16.0
STEP = 7.0  # between the ways of two rounds
CORNER = 9.0


@dataclass
class Level:
    """A scope: what is directly in it, what goes in and out, and where it stands in the end."""

    scope: Scope
    nodes: list[int] = field(default_factory=list)
    inner: list[Level] = field(default_factory=list)
    entries: list[int] = field(default_factory=list)
    exits: list[int] = field(default_factory=list)
    holders: dict[int, int] = field(default_factory=dict)  # item by node, entries for outer ones
    ports: dict[int, int] = field(default_factory=dict)  # item under a box, by what leaves the box
    places: dict[int, int] = field(default_factory=dict)  # item by exit
    parts: dict[tuple[int, int, int], tuple[Point, ...]] = field(default_factory=dict)
    lanes: int = 0
    placed: Layout | None = None
    left: float = 0.0
    top: float = 0.0

    def start(self, source: int) -> int:
        """The item from which the edges of a node go out."""
        return self.ports.get(source, self.holders[source])

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the box."""
        assert self.placed is not None
        least = 9.0 * max((len(name) for name in self.scope[-1:]), default=0) + 24
        width = max(self.placed.width + LANE * self.lanes, least)
        below = -MARGIN + self.turn if self.exits or self.lanes else 0.0
        return width, self.above + self.placed.height + (below if self.scope else 0.0)

    @property
    def turn(self) -> float:
        """The room that the ways of rounds need above and below."""
        return RIM + (CORNER + STEP * self.lanes if self.lanes else 0.0)

    @property
    def above(self) -> float:
        """How much lower the inside stands: the label is beside the edges that come in."""
        if not self.scope:
            return 0.0
        return self.turn - MARGIN if self.entries or self.lanes else TITLE - RIM


def shared(a: Scope, b: Scope) -> int:
    """How many scopes two paths have in common."""
    depth = 0
    while depth < min(len(a), len(b)) and a[depth] == b[depth]:
        depth += 1
    return depth


def nested_layout(
    graph: Graph, scopes: Sequence[Scope], rounds: Sequence[tuple[int, ...]] = ()
) -> Layout:
    """Lay a graph out whose nodes belong to scopes in scopes.

    Args:
        graph: The graph; sources of edges have smaller ids.
        scopes: The scope path of each node.
        rounds: Pairs (from, to): what is handed back to a loop variable, which is in the loop's
            own scope.
    """
    count = len(graph.inputs)
    whole, paths = _with_rounds(graph, list(scopes), rounds)
    levels = _levels(whole, paths)
    for level in sorted(levels.values(), key=lambda each: -len(each.scope)):
        _lay_out(level, whole, paths, _pinned(count, rounds))
    positions = _place(levels, whole)
    edges = {key: way_of(key, whole, paths, levels) for key in _keys(whole)}
    real = [e for e in edges.values() if e.source < count and e.target < count]
    back = tuple(
        around(i, pair, count, edges, levels[paths[pair[1]]], len(graph.inputs[pair[1]]))
        for i, pair in enumerate(rounds)
    )
    frames = tuple(
        Frame(level.scope, (level.left, level.top, *level.size))
        for level in sorted(levels.values(), key=lambda each: len(each.scope))
        if level.scope
    )
    width, height = levels[()].size
    return Layout(
        tuple(positions[:count]), graph.sizes, tuple(real), width, height, "TB", "nested",
        frames=frames, rounds=back,
    )  # fmt: skip


def _with_rounds(
    graph: Graph, scopes: list[Scope], rounds: Sequence[tuple[int, ...]]
) -> tuple[Graph, list[Scope]]:
    """For each round a point where it leaves the loop and one where it enters it again."""
    inputs, sizes = [list(each) for each in graph.inputs], list(graph.sizes)
    for start, end in rounds:
        inputs += [[start], []]
        sizes += [POINT, POINT]
        scopes += [scopes[end], scopes[end]]
        inputs[end].append(len(inputs) - 1)
    return Graph(tuple(map(tuple, inputs)), tuple(sizes)), scopes


def _pinned(count: int, rounds: Sequence[tuple[int, ...]]) -> dict[int, bool]:
    """The points of rounds: True for those at the bottom of their loop, False for those on top."""
    return {count + 2 * i + k: k == 0 for i in range(len(rounds)) for k in (0, 1)}


def _keys(graph: Graph) -> list[Key]:
    return [(s, t, p) for t, sources in enumerate(graph.inputs) for p, s in enumerate(sources)]


def _levels(graph: Graph, scopes: list[Scope]) -> dict[Scope, Level]:
    """All scopes with what is in them, goes in and comes out."""
    levels: dict[Scope, Level] = {(): Level(())}
    for node, scope in enumerate(scopes):
        for depth in range(1, len(scope) + 1):
            if scope[:depth] not in levels:
                levels[scope[:depth]] = Level(scope[:depth])
                levels[scope[: depth - 1]].inner.append(levels[scope[:depth]])
        levels[scope].nodes.append(node)
    for source, target, _ in _keys(graph):
        common = shared(scopes[source], scopes[target])
        for depth in range(common + 1, len(scopes[source]) + 1):
            _add(levels[scopes[source][:depth]].exits, source)
        for depth in range(common + 1, len(scopes[target]) + 1):
            _add(levels[scopes[target][:depth]].entries, source)
    return levels


def _add(items: list[int], item: int) -> None:
    if item not in items:
        items.append(item)


def _lay_out(level: Level, graph: Graph, scopes: list[Scope], pinned: dict[int, bool]) -> None:
    """Lays out one scope, whose inner ones are laid out already."""
    inputs: list[tuple[int, ...]] = [() for _ in level.entries]
    sizes = [POINT for _ in level.entries]
    level.holders = {source: i for i, source in enumerate(level.entries)}
    ends: dict[int, bool] = dict.fromkeys(range(len(inputs)), False)
    for item in _sorted_items(level, graph, scopes):
        number = len(inputs)
        sources = item.entries if isinstance(item, Level) else graph.inputs[item]
        inputs.append(tuple(level.start(source) for source in sources))
        if isinstance(item, Level):
            sizes.append(item.size)
            _add_box(level, item, number, inputs, sizes)
            continue
        sizes.append(graph.sizes[item])
        level.holders[item] = number
        if item in pinned:
            ends[number] = pinned[item]
            level.lanes += pinned[item]
    for source in level.exits:
        level.places[source] = len(inputs)
        ends[len(inputs)] = True
        inputs.append((level.start(source),))
        sizes.append(POINT)
    flat = Graph(tuple(inputs), tuple(sizes))
    level.placed = layered_layout(flat, layer=_layers(flat, ends))


def _add_box(
    level: Level, box: Level, number: int, inputs: list[tuple[int, ...]], sizes: list[Point]
) -> None:
    """Notes what is in a box; several results leave it by points of their own, or share one way."""
    level.holders.update(dict.fromkeys(_all_members(box), number))
    if len(box.exits) > 1:
        level.ports.update((source, number + 1 + i) for i, source in enumerate(box.exits))
        inputs += [(number,)] * len(box.exits)
        sizes += [POINT] * len(box.exits)


def _layers(graph: Graph, ends: dict[int, bool]) -> list[int]:
    """The usual layers, with some nodes on top of all others and some below."""
    layer = [place + 1 for place in assign_layers(graph)]
    inner = [place for node, place in enumerate(layer) if node not in ends]
    bottom = max(inner, default=0) + 1
    return [
        place if node not in ends else bottom if ends[node] else 0
        for node, place in enumerate(layer)
    ]


def _sorted_items(level: Level, graph: Graph, scopes: list[Scope]) -> list[int | Level]:
    """What is directly in a scope, each after what it needs."""
    depth = len(level.scope)
    waiting: list[int | Level] = [*level.nodes, *level.inner]
    waiting.sort(key=lambda item: item if isinstance(item, int) else min(_members(item)))
    known, found = set(level.entries), list[int | Level]()
    while waiting:
        for item in waiting:
            needs = item.entries if isinstance(item, Level) else graph.inputs[item]
            if all(n in known or _holds(item, n, scopes, depth) for n in needs):
                break
        waiting.remove(item)
        found.append(item)
        known.update(_all_members(item) if isinstance(item, Level) else [item])
    return found


def _holds(item: int | Level, node: int, scopes: list[Scope], depth: int) -> bool:
    return isinstance(item, Level) and scopes[node][: depth + 1] == item.scope


def _members(level: Level) -> list[int]:
    return level.nodes or _members(level.inner[0])


def _all_members(level: Level) -> list[int]:
    return [*level.nodes, *(n for each in level.inner for n in _all_members(each))]


def _place(levels: dict[Scope, Level], graph: Graph) -> list[Point]:
    """Where everything is in the end, from the outermost scope to the innermost."""
    positions: list[Point] = [(0.0, 0.0)] * len(graph.inputs)
    for level in sorted(levels.values(), key=lambda each: len(each.scope)):
        assert level.placed is not None
        down = level.top + level.above
        spots = [(round(x + level.left, 1), round(y + down, 1)) for x, y in level.placed.positions]
        moved = tuple(
            replace(e, points=tuple((x + level.left, y + down) for x, y in e.points))
            for e in level.placed.edges
        )
        level.placed = replace(level.placed, positions=tuple(spots), edges=moved)
        level.parts = {(e.source, e.target, e.position): e.points for e in moved}
        for node in level.nodes:
            positions[node] = spots[level.holders[node]]
        for each in level.inner:
            (x, y), (width, height) = spots[level.holders[_members(each)[0]]], each.size
            each.left, each.top = x - width / 2, y - height / 2
    return positions


# The ways of edges through the boxes of a graph: out of scopes, through a shared one, into others.


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
