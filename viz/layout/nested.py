"""Programs in programs: each scope is laid out by itself, and is one box in the scope around it.

The one fact to know: an edge that enters a box has a point at the box's top (an entry), one that
leaves it a point at its bottom (an exit); inside and outside these are nodes of the layered layout
like any other, so no edge crosses a box that it has no business in. What a loop hands to its next
round leaves at the bottom, goes up along the right side, and enters at the top again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .builtin import layered_layout
from .layers import assign_layers
from .levels import POINT, Level, shared
from .types import Frame, Graph, Layout, Point, Scope
from .ways import Key, around, way_of


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
