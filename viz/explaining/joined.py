"""What ran beside a tape, put into the tape's trace: the place where a gradient is lost is there.

The one fact to know: the tensors of both pictures are known by their ids. What the tape recorded
stays as it is; what it did not hangs on it, as ops that it does not watch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..trace.extras import Break
from ..trace.parts import Node
from ..trace.renumber import renumbered
from ..trace.trace import Trace

Places = dict[int, int]  # node by tensor id


def joined(
    trace: Trace, places: Places, beside: Trace, others: Mapping[int, int]
) -> tuple[Trace, Places]:
    """Put the nodes and breaks of a picture of what ran into a trace.

    Args:
        trace: of the tape.
        places: its nodes by tensor id.
        beside: what ran between a source and a target, with its breaks.
        others: its nodes by tensor id.

    Returns:
        The trace with both, and its nodes by tensor id.
    """
    here = {node: places[key] for key, node in others.items() if key in places}
    count = len(trace.nodes)
    for node in beside.nodes:
        here.setdefault(node.id, count + sum(n >= count for n in here.values()))
    nodes = dict(enumerate(trace.nodes))
    for node in beside.nodes:
        moved = replace(node, id=here[node.id], inputs=tuple(here[i] for i in node.inputs))
        known = nodes.get(moved.id)
        nodes[moved.id] = moved if known is None else _completed(known, moved)
    order = _sorted(nodes)
    place = [0] * len(order)
    for position, node_id in enumerate(order):
        place[node_id] = position
    whole = renumbered(trace, [nodes[i] for i in order], place)
    breaks = tuple(replace(each, node=place[here[each.node]]) for each in beside.breaks)
    found = {key: place[node] for key, node in places.items()}
    found |= {key: place[here[node]] for key, node in others.items()}
    return replace(whole, breaks=_once((*whole.breaks, *breaks))), found


def _completed(known: Node, other: Node) -> Node:
    """A leaf of the tape with what it was computed from."""
    if known.inputs or not other.inputs:
        return known
    kind = other.kind if other.kind in ("op", "constant") else known.kind
    op, line = other.op if kind == "op" else known.op, known.line or other.line
    return replace(known, kind=kind, op=op, inputs=other.inputs, line=line, watched=False)


def _sorted(nodes: Mapping[int, Node]) -> list[int]:
    """Ids with inputs first, else in their order."""
    found: dict[int, None] = {}
    for start in sorted(nodes):
        waiting = [start]
        while waiting:
            missing = [i for i in nodes[waiting[-1]].inputs if i not in found]
            if missing:
                waiting += missing
            else:
                found.setdefault(waiting.pop())
    return list(found)


def _once(breaks: tuple[Break, ...]) -> tuple[Break, ...]:
    """One break for each place; the first that says something."""
    kept: dict[tuple[int, int | None], Break] = {}
    for each in breaks:
        kept.setdefault((each.node, each.position), each)
    return tuple(kept.values())
