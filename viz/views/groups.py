"""Which nodes of a large tape to draw as one box: by layer, by scope, by loop, else by number.

The one fact to know: a group is a run of consecutive ops (plus the leaves that only it uses). Edges
go from earlier ops to later ones, so collapsing such groups can never make a cycle, whatever the
names say.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from ..trace.trace import Node, Trace

LIMIT = 300
FEW = 30  # boxes that are read at a glance; beyond, what repeats or has a name is folded
MAX_SCOPES = 8
MAX_PERIOD_CANDIDATES = 6
LONGEST_PERIOD = 2_000
PIECES = 12

GroupKind = Literal["layer", "scope", "loop", "part"]


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


@dataclass(slots=True)
class _Part:
    """A group under construction: its items are node ids and further parts, in order."""

    kind: GroupKind
    label: str
    items: list[int | _Part]


Items = list["int | _Part"]


def groups(trace: Trace, limit: int = LIMIT) -> tuple[Group, ...]:
    """Propose groups so that no more than about `limit` boxes are to be drawn at once.

    Args:
        trace: The trace.
        limit: Tapes with at most so many nodes get no groups but those of their scopes and of
            repeated rounds; at least 10.

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
    ops: Items = [node.id for node in trace.nodes if node.kind == "op"]
    items = _by_scope(_by_loop(ops, trace.nodes), trace.nodes)
    if len(trace.nodes) > limit:
        items = _by_number(items, trace.nodes, limit)
    top = _Part("part", "", _with_rounds_shown(items))
    return _numbered(top, _leaves_of(trace))


def _by_scope(items: Items, nodes: Sequence[Node], depth: int = 0) -> Items:
    """Join consecutive items of one layer and scope, and again inside by the next name."""

    def key(item: int | _Part) -> str:
        path = _path(nodes[_first(item)])
        return path[depth] if len(path) > depth else ""

    if depth == MAX_SCOPES:
        return items
    joined: Items = []
    for name, run in groupby(items, key):
        inside = list(run)
        if not name or len(inside) == 1:
            joined += inside
            continue
        kind: GroupKind = "layer" if depth == 0 else "scope"
        joined.append(_Part(kind, name, _by_scope(inside, nodes, depth + 1)))
    # One part alone around everything says nothing.
    whole = joined[0] if len(joined) == 1 else None
    return whole.items if depth == 0 and isinstance(whole, _Part) else joined


def _path(node: Node) -> tuple[str, ...]:
    return (f"tape {node.layer}", *node.scope[: MAX_SCOPES - 1])


def _first(item: int | _Part) -> int:
    while isinstance(item, _Part):
        item = item.items[0]
    return item


def _by_loop(items: Items, nodes: Sequence[Node]) -> Items:
    """Find sequences of ops that repeat at least twice, and make each round a part."""
    keys = [_signature(nodes[_first(item)]) for item in items]
    later = _next_occurrence(keys)
    joined: Items = []
    start = 0
    while start < len(items):
        period, rounds = _longest_repeat(keys, later, start)
        if rounds < 2 or period * rounds < 6:
            joined.append(items[start])
            start += 1
            continue
        stop = start + period * rounds
        joined.append(_loop(items[start:stop], period, rounds, nodes))
        start = stop
    return joined


def _with_rounds_shown(items: Items) -> Items:
    """Open a loop whose rounds all fit into the first view: the way through them is seen there."""
    shown: Items = []
    room = FEW - len(items)
    for item in items:
        has_rounds = isinstance(item, _Part) and item.kind == "loop"
        rounds = item.items if has_rounds and isinstance(item, _Part) else []
        are_whole = all(isinstance(each, _Part) and each.kind == "loop" for each in rounds)
        if rounds and are_whole and len(rounds) <= room:
            room -= len(rounds)
            shown += rounds
        else:
            shown.append(item)
    return shown


def _signature(node: Node) -> Hashable:
    """Describe an op so that rounds of a loop look alike: same op on the same line."""
    place = (node.line.file, node.line.number, node.line.cell) if node.line else None
    return node.op, place, node.scope, node.layer


def _next_occurrence(keys: Sequence[Hashable]) -> list[int]:
    later = [len(keys)] * len(keys)
    seen: dict[Hashable, int] = {}
    for index in range(len(keys) - 1, -1, -1):
        later[index] = seen.get(keys[index], len(keys))
        seen[keys[index]] = index
    return later


def _longest_repeat(keys: Sequence[Hashable], later: Sequence[int], start: int) -> tuple[int, int]:
    """Return the period and the number of rounds of the repeat at `start` that covers most."""
    best, covered = (1, 1), 0
    candidate = later[start]
    for _ in range(MAX_PERIOD_CANDIDATES):
        period = candidate - start
        if candidate >= len(keys) or period > LONGEST_PERIOD:
            break
        end = candidate
        while end < len(keys) and keys[end] == keys[end - period]:
            end += 1
        rounds = (end - start) // period
        if period * rounds > covered:
            best, covered = (period, rounds), period * rounds
        candidate = later[candidate]
    return best


def _loop(items: Items, period: int, rounds: int, nodes: Sequence[Node]) -> _Part:
    names = list(dict.fromkeys(nodes[_first(item)].op or "" for item in items[:period]))
    shown = ", ".join(names[:3]) + (" …" if len(names) > 3 else "")
    if period == 1:
        return _Part("loop", f"{rounds} × {shown}", items)
    inside: Items = [
        _Part("loop", f"round {i + 1}", items[i * period : (i + 1) * period]) for i in range(rounds)
    ]
    return _Part("loop", f"{rounds} × ({shown})", inside)


def _by_number(items: Items, nodes: Sequence[Node], limit: int) -> Items:
    """Cut what is still too long into parts of about the same number of items."""
    cut: Items = []
    for item in items:
        if isinstance(item, _Part):
            inner = _by_number(item.items, nodes, limit)
            cut.append(_Part(item.kind, item.label, inner))
        else:
            cut.append(item)
    while len(cut) > limit:
        size = min(limit, max(2, math.ceil(len(cut) / max(limit // PIECES, 2))))
        starts = range(0, len(cut), size)
        cut = [_part_of(cut[i : i + size], i, nodes) for i in starts]
    return cut


def _part_of(items: Items, start: int, nodes: Sequence[Node]) -> _Part:
    """Name a piece after its first item and its place."""
    head, tail = items[0], items[-1]
    place = f"{start + 1}–{start + len(items)}"
    if isinstance(head, _Part) and isinstance(tail, _Part):
        return _Part("part", f"{head.label} … {tail.label}", items)
    names = {nodes[_first(item)].op for item in items}
    return _Part("part", f"{names.pop() if len(names) == 1 else 'ops'} {place}", items)


def _leaves_of(trace: Trace) -> dict[int, list[int]]:
    """Give each leaf to its first user; whether it may hide with that one is seen later."""
    users: dict[int, list[int]] = {}
    for node in trace.nodes:
        for parent in node.inputs:
            if trace.nodes[parent].kind != "op":
                users.setdefault(parent, []).append(node.id)
    return users


def _numbered(top: _Part, leaf_users: dict[int, list[int]]) -> tuple[Group, ...]:
    """Flatten the tree, outer groups first, and hide each leaf where all of its users are."""
    flat: list[tuple[_Part, int | None]] = []
    waiting: list[tuple[_Part, int | None]] = [
        (item, None) for item in reversed(top.items) if isinstance(item, _Part)
    ]
    while waiting:
        part, parent = waiting.pop()
        number = len(flat)
        flat.append((part, parent))
        inner = [item for item in reversed(part.items) if isinstance(item, _Part)]
        waiting += [(item, number) for item in inner]
    inside: list[set[int]] = [set(_all_ops(part)) for part, _ in flat]
    for leaf, users in leaf_users.items():
        for ops in inside:
            if ops.issuperset(users):
                ops.add(leaf)
    return tuple(
        Group(i, part.kind, part.label, parent, tuple(sorted(inside[i])))
        for i, (part, parent) in enumerate(flat)
    )


def _all_ops(part: _Part) -> list[int]:
    ops, waiting = [], list(part.items)
    while waiting:
        item: int | _Part = waiting.pop()
        if isinstance(item, _Part):
            waiting += item.items
        else:
            ops.append(item)
    return ops


__all__ = ["Group", "GroupKind", "groups"]
