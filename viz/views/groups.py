"""Which nodes of a large tape to draw as one box: by scope, by loop, by call, by line, by number.

A group is a run of consecutive ops (plus the leaves that only it uses). Edges go from earlier ops
to later ones, so collapsing such groups can never make a cycle, whatever the names say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from ..trace.trace import Node, Trace
from .folding import Users, boxes, folded, unfolded
from .named import MOST, Path, common, paths
from .parts import GroupKind, Items, Part, first, nodes_in
from .rounds import by_loop

FEW = 30  # boxes that are read at a glance: the first view of any tape has no more
LIMIT = 40  # boxes inside of a group
A_FEW_MORE = 4


@dataclass(frozen=True, slots=True)
class Group:
    """Some ops that are drawn as one box until it is opened.

    Attributes:
        id: Position in the list that `groups` returns.
        kind: Why they belong together; a "part" is a piece of something too long.
        label: What to write on the box.
        parent: The group around it, None at the top.
        nodes: All nodes inside, in groups inside too.
    """

    id: int
    kind: GroupKind
    label: str
    parent: int | None
    nodes: tuple[int, ...]


def groups(trace: Trace, limit: int = LIMIT) -> tuple[Group, ...]:
    """Propose groups so that no more than 30 boxes are to be drawn at first.

    Args:
        trace: The trace; one of at most 30 nodes has no groups.
        limit: How many boxes the inside of a group may have, about; at least 10.

    Returns:
        The groups, outer ones before those inside them; empty for a small tape.

    Example:
        >>> nodes = [Node(0, "source", (), "float64", ())]
        >>> nodes += [Node(i, "op", (i - 1,), "float64", (), op="sin") for i in range(1, 1000)]
        >>> [(g.label, len(g.nodes)) for g in groups(Trace(tuple(nodes)))][:2]
        [('sin 1–40', 41), ('sin 41–80', 40)]
    """
    if limit < 10:
        raise ValueError(f"limit={limit} is too small to draw anything; use at least 10")
    if len(trace.nodes) <= FEW:
        return ()
    users = leaves_of(trace)
    items = seen_first(nested(trace), trace, users)
    _fold_inside(items, trace.nodes, users, limit)
    return numbered(items, users)


def nested(trace: Trace) -> Items:
    """All ops in their loops, scopes and functions."""
    ops: Items = [node.id for node in trace.nodes if node.kind == "op"]
    named = paths(trace.nodes)
    return _by_scope(_within_rounds(by_loop(ops, trace.nodes), named), named)


def seen_first(items: Items, trace: Trace, users: Users, few: int = FEW) -> Items:
    """Fold or open items until about so many boxes are to be drawn, with those of leaves."""
    fits = boxes(items, users) <= few
    items = unfolded(items, users, few) if fits else folded(items, trace.nodes, users, few)
    items = _most_opened(items, trace.nodes, users, few)
    return [*_crowd(items, trace.nodes, users, few), *items]


def _most_opened(items: Items, nodes: Sequence[Node], users: Users, few: int) -> Items:
    """Open the scope that is most of it, its inside folded: one box for a model shows nothing."""
    while (scope := _most(items)) is not None:
        place = items.index(scope)
        room = few - len(items) + 1
        inner = folded(scope.items, nodes, users_in(scope, nodes, users), room)
        opened = [*items[:place], *inner, *items[place + 1 :]]
        if boxes(opened, users) > few:
            break
        items = opened
    return items


def _most(items: Items) -> Part | None:
    """The scope that is the only group, or holds most ops."""
    parts = [item for item in items if isinstance(item, Part)]
    largest = max(parts, key=size, default=None)
    if largest is None or largest.kind not in ("layer", "scope"):
        return None
    is_most = size(largest) >= MOST * sum(map(size, items))
    return largest if is_most or len(parts) == 1 else None


def size(item: int | Part) -> int:
    """How many ops an item holds."""
    return sum(1 for _ in nodes_in(item))


def _fold_inside(items: Items, nodes: Sequence[Node], users: Users, limit: int) -> None:
    """Fold what is in each group as well, however deep; a few boxes too many may stay."""
    waiting = [item for item in items if isinstance(item, Part)]
    while waiting:
        part = waiting.pop()
        used = users_in(part, nodes, users)
        if boxes(part.items, used) > limit + A_FEW_MORE:
            part.items = folded(part.items, nodes, used, limit)
        waiting += [item for item in part.items if isinstance(item, Part)]


def users_in(part: Part, nodes: Sequence[Node], users: Users) -> Users:
    """Of each leaf that the ops of a part use, these ops."""
    used: Users = {}
    for op in nodes_in(part):
        for leaf in nodes[op].inputs:
            if leaf in users:
                used.setdefault(leaf, []).append(op)
    return dict(sorted(used.items()))


def _crowd(items: Items, nodes: Sequence[Node], users: Users, few: int) -> Items:
    """Groups of leaves, where those that no group hides would be too many to be seen."""
    unused = [node.id for node in nodes if node.kind != "op" and node.id not in users]
    if boxes(items, users) + len(unused) <= few:
        return []
    place = {node: i for i, item in enumerate(items) for node in nodes_in(item)}
    ends = {leaf: {place[op] for op in used_by} for leaf, used_by in users.items()}
    shown = [
        leaf for leaf, at in ends.items() if len(at) > 1 or not isinstance(items[min(at)], Part)
    ]
    kinds: dict[str, Items] = {}
    for leaf in [*shown, *unused]:
        kinds.setdefault(nodes[leaf].kind, []).append(leaf)
    return [
        Part("part", f"{len(leaves)} {kind}s", leaves)
        for kind, leaves in kinds.items()
        if len(leaves) > 1
    ]


def _within_rounds(items: Items, named: Sequence[Path]) -> Items:
    """Join the ops of each round by the names that they have within it."""
    for loop in items:
        for each in loop.items if isinstance(loop, Part) else ():
            if isinstance(each, Part):
                depth = len(common_of(each, named))
                each.items = _by_scope(each.items, named, max(depth, 1))
    return items


def _by_scope(items: Items, named: Sequence[Path], depth: int = 0) -> Items:
    """Join consecutive items of one tape, scope or function, and again inside by the next name."""

    def key(item: int | Part) -> str:
        path = named[first(item)] if isinstance(item, int) else common_of(item, named)
        return path[depth] if len(path) > depth else ""

    joined: Items = []
    for name, run in groupby(items, key):
        inside = list(run)
        if not name or len(inside) == 1:
            joined += inside
            continue
        kind: GroupKind = "layer" if depth == 0 else "scope"
        inner = _by_scope(inside, named, depth + 1)
        lone = inner[0] if len(inner) == 1 else None
        joined.append(Part(kind, name, lone.items if isinstance(lone, Part) else inner))
    # One part alone around everything says nothing.
    whole = joined[0] if len(joined) == 1 else None
    return whole.items if depth == 0 and isinstance(whole, Part) else joined


def common_of(part: Part, named: Sequence[Path]) -> Path:
    """The names around all of a part."""
    return common([named[node] for node in nodes_in(part)])


def leaves_of(trace: Trace) -> Users:
    """The ops that use each leaf."""
    users: Users = {}
    for node in trace.nodes:
        for parent in node.inputs:
            if trace.nodes[parent].kind != "op":
                users.setdefault(parent, []).append(node.id)
    return users


def numbered(top: Items, users: Users) -> tuple[Group, ...]:
    """Flatten the tree, outer groups first, and hide each leaf where all of its users are."""
    flat: list[tuple[Part, int | None]] = []
    waiting: list[tuple[Part, int | None]] = [
        (item, None) for item in reversed(top) if isinstance(item, Part)
    ]
    innermost: dict[int, int] = {}
    while waiting:
        part, parent = waiting.pop()
        number = len(flat)
        flat.append((part, parent))
        innermost.update((item, number) for item in part.items if isinstance(item, int))
        inner = [item for item in reversed(part.items) if isinstance(item, Part)]
        waiting += [(item, number) for item in inner]
    inside = [set(nodes_in(part)) for part, _ in flat]
    for leaf, used_by in users.items():
        around = innermost.get(used_by[0])
        while around is not None:
            if inside[around].issuperset(used_by):
                inside[around].add(leaf)
            around = flat[around][1]
    return tuple(
        Group(i, part.kind, part.label, parent, tuple(sorted(inside[i])))
        for i, (part, parent) in enumerate(flat)
    )


__all__ = ["Group", "GroupKind", "groups"]
