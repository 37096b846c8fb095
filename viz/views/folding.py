"""Folding by need: as many boxes as can be read at a glance, and no more.

What has a name is folded first (the calls and lines of the program), and what has none is cut by
number at last. Where there is room, scopes and rounds are opened, all of one depth together, so
that a picture shows one level of a model.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Sequence
from itertools import groupby

from ..trace.trace import Node
from .parts import Items, Part, first, last, nodes_in

Users = dict[int, list[int]]  # of leaves
MOST_SLOTS, END_SLOTS = 12, 5  # rounds that are seen side by side, and at each end of more
ASSIGNED = re.compile(r"\s*([^\W\d]\w*) = ")  # the name that a line gives
CHUNKS = (25, 18, 12, 8, 5)  # pieces into which a long run is cut, until its leaves hide, too


def folded(items: Items, nodes: Sequence[Node], users: Users, limit: int) -> Items:
    """Give items that make at most about `limit` boxes, with the leaves that stand among them.

    Args:
        items: Ops and groups, in order.
        nodes: All nodes of the trace.
        users: Of each leaf the ops that use it.
        limit: How many boxes can be read.
    """
    best, count = items, boxes(items, users)
    for fold in (by_call, by_line):
        if count <= limit:
            return best
        best = fold(best, nodes)
        count = boxes(best, users)
    for pieces in CHUNKS:
        if count <= limit:
            break
        chunks = by_number(items, nodes, pieces)
        fewer = boxes(chunks, users)
        if len(chunks) > 1 and fewer < count:
            best, count = chunks, fewer
    return best


def unfolded(items: Items, users: Users, limit: int) -> Items:
    """Open scopes and loops as long as everything still fits; else loops alone, at last in part."""
    openings: list[Callable[[Part], Items]] = [_all, _rounds, slots]
    while any(isinstance(item, Part) for item in items):
        tried = (_opened(items, opening) for opening in openings)
        fits = (each for each in tried if len(each) > len(items) and boxes(each, users) <= limit)
        fitting = next(fits, None)
        if fitting is None:
            break
        items = fitting
    return items


def _opened(items: Items, opening: Callable[[Part], Items]) -> Items:
    return [e for item in items for e in (opening(item) if isinstance(item, Part) else [item])]


def _all(part: Part) -> Items:
    return part.items


def _rounds(part: Part) -> Items:
    return part.items if has_rounds(part) else [part]


def has_rounds(item: int | Part) -> bool:
    """Whether an item is a loop whose rounds are parts."""
    return isinstance(item, Part) and item.kind == "loop" and isinstance(item.items[0], Part)


def slots(loop: Part) -> Items:
    """The rounds of a loop; of many the first, the last, and those between them as one."""
    if not has_rounds(loop) or len(loop.items) <= MOST_SLOTS:
        return _rounds(loop)
    middle = loop.items[END_SLOTS:-END_SLOTS]
    return [*loop.items[:END_SLOTS], joined(middle), *loop.items[-END_SLOTS:]]


def joined(run: Items) -> Part:
    """Several rounds as one part."""
    head, tail = run[0], run[-1]
    labels = [each.label if isinstance(each, Part) else "" for each in (head, tail)]
    word, _, last = labels[1].rpartition(" ")
    return Part("part", f"{labels[0]} … {last}" if word else " … ".join(labels), run)


def boxes(items: Items, users: Users) -> int:
    """How many boxes items make, with the leaves that no group among them can hide."""
    place = {node: i for i, item in enumerate(items) for node in nodes_in(item)}
    shown = 0
    for used_by in users.values():
        at = {place[node] for node in used_by if node in place}
        hides = len(at) == 1 and isinstance(items[min(at)], Part)
        shown += bool(at) and not hides
    return len(items) + shown


def by_call(items: Items, nodes: Sequence[Node]) -> Items:
    """Join the ops that one call of a composite function made, such as `moments`."""

    def key(item: int | Part) -> Hashable:
        calls = nodes[first(item)].calls
        return calls[0] if calls else None

    return _joined(items, key, lambda run: Part("call", str(key(run[0])), run))


def by_line(items: Items, nodes: Sequence[Node]) -> Items:
    """Join the ops of one line of the program; it is called as its result is."""

    def key(item: int | Part) -> Hashable:
        start, end = nodes[first(item)].line, nodes[last(item)].line
        return (start.file, start.number, start.cell) if start and start == end else None

    def part(run: Items) -> Part:
        end = nodes[last(run[-1])]
        number, text = (end.line.number, end.line.text) if end.line is not None else (0, "")
        name = end.name or (found[1] if (found := ASSIGNED.match(text)) else "")
        return Part("line", f"{name} (line {number})" if name else f"line {number}", run)

    return _joined(items, key, part)


def _joined(
    items: Items, key: Callable[[int | Part], Hashable], part: Callable[[Items], Part]
) -> Items:
    """Runs of two and more items with the same key as parts."""
    found: Items = []
    for same, run in groupby(items, key):
        inside = list(run)
        found += [part(inside)] if same is not None and len(inside) > 1 else inside
    return found if len(found) > 1 else items  # one part around everything folds nothing


def by_number(items: Items, nodes: Sequence[Node], count: int) -> Items:
    """Cut a run into about `count` pieces of the same number of items."""
    size = max(2, math.ceil(len(items) / count))
    if size >= len(items):  # one part around everything folds nothing
        return items
    return [_piece(items[i : i + size], i, nodes) for i in range(0, len(items), size)]


def _piece(items: Items, start: int, nodes: Sequence[Node]) -> int | Part:
    """Name a piece after its first and last layer, or its place; one item stays itself."""
    if len(items) == 1:
        return items[0]
    head, tail = (_layer(item, nodes) for item in (items[0], items[-1]))
    if head and tail and head != tail:
        return Part("part", f"{head} … {tail}", items)
    place = f"{start + 1}–{start + len(items)}"
    names = {nodes[first(item)].op for item in items}
    return Part("part", f"{names.pop() if len(names) == 1 else 'ops'} {place}", items)


def _layer(item: int | Part, nodes: Sequence[Node]) -> str:
    """What a group is called, or the layer of an op that is all of it."""
    return item.label if isinstance(item, Part) else "".join(nodes[item].scope[-1:])
