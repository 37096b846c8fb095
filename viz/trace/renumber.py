"""A trace with its nodes in another order: every reference to a node follows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .trace import Node, Paths, Step, Trace


def renumbered(trace: Trace, nodes: Sequence[Node], place: Sequence[int]) -> Trace:
    """Give a trace other nodes, and its references the numbers that they have among them.

    Args:
        trace: The trace; its ids are positions in `place`.
        nodes: The nodes in their new order. Their own ids and inputs are still the old ones;
            nodes that the trace did not have yet are numbered on from its own.
        place: For each old id the new one.
    """
    return replace(
        trace,
        nodes=tuple(_node(node, place) for node in nodes),
        steps=tuple(_step(step, place) for step in trace.steps),
        targets=tuple(place[node] for node in trace.targets),
        sources=tuple(place[node] for node in trace.sources),
        gradients={place[node]: array for node, array in trace.gradients.items()},
        breaks=tuple(replace(each, node=place[each.node]) for each in trace.breaks),
        rounds=tuple(tuple(place[node] for node in pair) for pair in trace.rounds),
        orders=tuple(
            replace(each, nodes=tuple(place[node] for node in each.nodes)) for each in trace.orders
        ),
        insides=tuple(
            replace(each, node=place[each.node], outer={n: place[o] for n, o in each.outer.items()})
            for each in trace.insides
        ),
        paths=tuple(_paths(each, place) for each in trace.paths),
    )


def _node(node: Node, place: Sequence[int]) -> Node:
    alias = None if node.alias_of is None else place[node.alias_of]
    inputs = tuple(place[i] for i in node.inputs)
    return replace(node, id=place[node.id], inputs=inputs, alias_of=alias)


def _paths(found: Paths, place: Sequence[int]) -> Paths:
    ways = tuple(replace(way, nodes=tuple(place[n] for n in way.nodes)) for way in found.ways)
    return replace(found, source=place[found.source], target=place[found.target], ways=ways)


def _step(step: Step, place: Sequence[int]) -> Step:
    pending = step.pending and {place[node]: count for node, count in step.pending.items()}
    queue = step.queue and tuple(place[node] for node in step.queue)
    operands = tuple(replace(each, node=place[each.node]) for each in step.operands)
    to = None if step.to is None else place[step.to]
    return replace(
        step, node=place[step.node], to=to, operands=operands, pending=pending, queue=queue
    )
