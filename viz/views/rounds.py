"""Rounds: sequences of ops that repeat, as the body of a loop does or a layer of a network.

Two ops are alike if they are the same op on the same line in the same scope.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

from ..trace.trace import Node
from .parts import Items, Part, first, nodes_in

MAX_PERIOD_CANDIDATES = 6
LONGEST_PERIOD = 2_000


def by_loop(items: Items, nodes: Sequence[Node]) -> Items:
    """Find sequences of ops that repeat at least twice, and make each round a part."""
    kinds: dict[Hashable, int] = {}
    keys = [kinds.setdefault(_signature(nodes[first(item)]), len(kinds)) for item in items]
    later = _next_occurrence(keys)
    joined: Items = []
    start = 0
    while start < len(items):
        period, rounds = _longest_repeat(keys, later, start)
        if rounds < 2 or period * rounds < 6:
            joined.append(items[start])
            start += 1
            continue
        # The first round of a loop may lack ops (of constants); its last one ends as all do.
        stop = _end_of_repeat(keys, start, period)
        first_round = stop - period * rounds
        joined += items[start:first_round]
        lacking = _lacking(
            joined, keys[:first_round], keys[first_round : first_round + period], nodes
        )
        parts = [items[i : i + period] for i in range(first_round, stop, period)]
        parts = [joined[len(joined) - lacking :], *parts] if lacking else parts
        joined[len(joined) - lacking :] = [_loop(parts, nodes)]
        start = stop
    return joined


def _signature(node: Node) -> Hashable:
    """Describe an op so that rounds of a loop look alike: same op on the same line."""
    place = (node.line.file, node.line.number, node.line.cell) if node.line else None
    return node.op, place, node.scope, node.calls, node.layer


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
        rounds = (_end_of_repeat(keys, start, period) - start) // period
        if period * rounds > covered:
            best, covered = (period, rounds), period * rounds
        candidate = later[candidate]
    return best


def _end_of_repeat(keys: Sequence[Hashable], start: int, period: int) -> int:
    end = start + period
    while end < len(keys) and keys[end] == keys[end - period]:
        end += 1
    return end


def _lacking(
    joined: Items, before: Sequence[Hashable], cycle: Sequence[Hashable], nodes: Sequence[Node]
) -> int:
    """How many items before a loop are its first round, in which some of the ops are missing."""
    place, count = len(cycle), 0
    while count < min(len(joined), len(cycle)):
        item, key = joined[-1 - count], before[-1 - count]
        if isinstance(item, Part) or nodes[item].line is None or key not in cycle[:place]:
            break
        place = max(i for i in range(place) if cycle[i] == key)
        count += 1
    return count


def _loop(parts: Sequence[Items], nodes: Sequence[Node]) -> Part:
    names = list(dict.fromkeys(nodes[first(item)].op or "" for item in parts[-1]))
    shown = ", ".join(names[:3]) + (" …" if len(names) > 3 else "")
    if len(parts[-1]) == 1:
        return Part("loop", f"{len(parts)} × {shown}", [item for part in parts for item in part])
    word = _word(parts, nodes)
    inside: Items = [Part("loop", f"{word} {i}", part) for i, part in enumerate(parts, 1)]
    return Part("loop", f"{len(parts)} × ({shown})", inside)


def _word(parts: Sequence[Items], nodes: Sequence[Node]) -> str:
    """What the rounds are: layers, where each has variables that no other round uses."""
    used = [
        {i for item in part for node in nodes_in(item) for i in nodes[node].inputs}
        for part in parts
    ]
    count = Counter(i for own in used for i in own if nodes[i].kind == "variable")
    own = all(any(count[i] == 1 for i in each) for each in used)
    return "layer" if own else "round"
