"""Folding by need: as many boxes as can be read at a glance, and no more.

What has a name is folded first (the calls and lines of the program), and what has none is cut by
number at last. Where there is room, scopes and rounds are opened, all of one depth together, so
that a picture shows one level of a model.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Sequence
from itertools import groupby

from ..layout.labels import MAX_TITLE
from ..trace.trace import Node
from .parts import Items, Part, first, last, nodes_in

Users = dict[int, list[int]]  # of leaves
MOST_SLOTS, END_SLOTS = 12, 5  # rounds that are seen side by side, and at each end of more
ASSIGNED = re.compile(r"\s*([^\W\d]\w*) = ")  # the name that a line gives
LINE = re.compile(r" \(line \d+\)")
WORD = re.compile(r"\w+(?: |(?=\[))")  # that two names of a run may have in common
# As a formula calls a result without a name: "multiply_3", or "log", unless it is applied.
UNNAMED = re.compile(r"\b([^\W\d]\w*?)(?:_\d+)?\b(?! ?[\w(|√])")
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
    labels = [each.label if isinstance(each, Part) else "" for each in (run[0], run[-1])]
    return Part("part", _span(*labels), run)


def _span(head: str, tail: str) -> str:
    """From the first to the last of a run: "round 6 … 9", "p[4] … [9]", "z … h" of two lines."""
    word = WORD.match(head)
    return f"{head} … {tail.removeprefix(word[0] if word else '')}"


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
    kinds = {node.op or node.kind for node in nodes if not node.name}
    pieces = [items[i : i + size] for i in range(0, len(items), size)]
    names = [_name(piece, nodes, kinds) for piece in pieces]
    alike, found = Counter(names), list[int | Part]()
    for start, piece, name in zip(range(1, len(items) + 1, size), pieces, names, strict=True):
        if alike[name] > 1:
            name = f"{_ops(piece, nodes)} {start}–{start + len(piece) - 1}"
        found.append(Part("part", name, piece) if len(piece) > 1 else piece[0])
    return found


def _name(piece: Items, nodes: Sequence[Node], kinds: Collection[str]) -> str:
    """What a piece makes: its named results, its last expression, its lines, at last its ops."""
    head, tail = (_called(item, nodes) for item in (piece[0], piece[-1]))
    if tail and tail != head:
        return _span(head, tail) if head else tail
    start, end = nodes[first(piece[0])], nodes[last(piece[-1])]
    said = _expression(end, kinds)
    if len(said) <= MAX_TITLE and re.search(r"[^\W\d]", said):
        return said
    if start.line and end.line and start.line.number < end.line.number:
        return f"line {start.line.number} … {end.line.number}"
    return _ops(piece, nodes)


def _ops(piece: Items, nodes: Sequence[Node]) -> str:
    head, tail = (nodes[i].op or "op" for i in (first(piece[0]), last(piece[-1])))
    return head if head == tail else f"{head} … {tail}"


def _called(item: int | Part, nodes: Sequence[Node]) -> str:
    """What a group or a result is called, or the layer of an op that is all of it."""
    if isinstance(item, Part):
        return LINE.sub("", item.label)
    return nodes[item].name or "".join(nodes[item].scope[-1:])


def _expression(op: Node, kinds: Collection[str]) -> str:
    """What an op computes, with "…" for results without a name: "W · …", not "W · multiply_3"."""
    text = op.formula.text if op.formula else ""
    return UNNAMED.sub(lambda found: "…" if found[1] in kinds else found[0], text)
