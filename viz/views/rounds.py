"""Rounds: sequences of ops that repeat, as the body of a loop does or a layer of a network.

The one fact to know: two ops are alike if they are the same op on the same line in the same scope.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from ..trace.trace import Node
from .parts import Items, Part, first

MAX_PERIOD_CANDIDATES = 6
LONGEST_PERIOD = 2_000


def by_loop(items: Items, nodes: Sequence[Node]) -> Items:
    """Find sequences of ops that repeat at least twice, and make each round a part."""
    keys = [_signature(nodes[first(item)]) for item in items]
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


def _loop(items: Items, period: int, rounds: int, nodes: Sequence[Node]) -> Part:
    names = list(dict.fromkeys(nodes[first(item)].op or "" for item in items[:period]))
    shown = ", ".join(names[:3]) + (" …" if len(names) > 3 else "")
    if period == 1:
        return Part("loop", f"{rounds} × {shown}", items)
    inside: Items = [
        Part("loop", f"round {i + 1}", items[i * period : (i + 1) * period]) for i in range(rounds)
    ]
    return Part("loop", f"{rounds} × ({shown})", inside)
