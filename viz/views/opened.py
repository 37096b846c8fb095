"""A trace with one of its fused ops opened: the elementary nodes stand in the place of its node.

What comes out is an ordinary trace, whose op is the last of the elementary ones; whatever draws,
checks or explains traces needs to know nothing of openings.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..trace.trace import Inside, Node, Step, Trace


@dataclass(frozen=True, slots=True)
class Opened:
    """A trace with a fused op opened.

    Attributes:
        trace: The trace.
        op: The name of the op.
        difference: The largest difference between the gradients of both forms.
        members: For each node here its number in the closed trace; elementary nodes are numbered
            on, from the number of its nodes.
        inner: The numbers here of the nodes that the op was opened into, its own among them.
        at: Which steps of the closed trace gave way: the op's forward step, and the range of its
            steps back.
        forward: How many steps stand in the place of the forward step.
        backward: How many stand in the place of its steps back.
    """

    trace: Trace
    op: str
    difference: float
    members: tuple[int, ...]
    inner: tuple[int, ...]
    at: tuple[int, int, int]
    forward: int
    backward: int


def opened(trace: Trace, inside: Inside) -> Opened:
    """Put the inside of a fused op into its place."""
    own = [node.id for node in inside.nodes if node.id not in inside.outer]
    shift = len(own)
    # Here: the nodes before the op, the elementary ones, the op, those after it.
    outer = [node if node < inside.node else node + shift for node in range(len(trace.nodes))]
    place = {node: inside.node + i for i, node in enumerate(own)}
    place |= {node: outer[there] for node, there in inside.outer.items()}
    nodes = [_moved(node, outer) for node in trace.nodes]
    elementary = [_moved(node, place) for node in inside.nodes if node.id not in inside.outer]
    result = next(i for i, there in inside.outer.items() if there == inside.node)
    nodes[inside.node] = _as_last(nodes[inside.node], _moved(inside.nodes[result], place))
    steps, at, counts = _steps(trace, inside, outer, place)
    count = len(trace.nodes)
    members = [*range(inside.node), *range(count, count + shift), *range(inside.node, count)]
    whole = trace.part(
        nodes=tuple([*nodes[: inside.node], *elementary, *nodes[inside.node :]]), steps=steps,
        targets=_ids(trace.targets, outer), sources=_ids(trace.sources, outer), insides=(),
        paths=(), gradients={outer[node]: array for node, array in trace.gradients.items()},
        breaks=(),
    )  # fmt: skip
    inner = (*range(inside.node, inside.node + shift), outer[inside.node])
    op = trace.nodes[inside.node].op or ""
    return Opened(whole, op, inside.difference, tuple(members), inner, at, *counts)


def _ids(ids: tuple[int, ...], place: list[int]) -> tuple[int, ...]:
    return tuple(place[node] for node in ids)


def _moved(node: Node, place: dict[int, int] | list[int]) -> Node:
    number = place[node.id]
    inputs = tuple(place[i] for i in node.inputs)
    return replace(node, id=number, inputs=inputs, record=None)


def _as_last(node: Node, last: Node) -> Node:
    """The op's node as the elementary op that gives its result."""
    return replace(
        node, op=last.op, inputs=last.inputs, formula=last.formula, numbers=last.numbers,
        attributes=last.attributes, kept=last.kept, keeps=last.keeps,
    )  # fmt: skip


def _steps(
    trace: Trace, inside: Inside, outer: list[int], place: dict[int, int]
) -> tuple[tuple[Step, ...], tuple[int, int, int], tuple[int, int]]:
    """The steps, with those of the inside in the place of the op's."""
    steps = trace.steps
    first = next(
        i for i, each in enumerate(steps) if each.kind == "forward" and each.node == inside.node
    )
    pulls = [i for i, each in enumerate(steps) if each.kind == "pull" and each.node == inside.node]
    start, stop = pulls[0], pulls[-1] + 1
    if stop < len(steps) and steps[stop].kind == "accumulate":
        stop += 1
    inner = [_step(step, place) for step in inside.steps]
    ahead = [step for step in inner if step.kind == "forward"]
    back = [step for step in inner if step.kind != "forward"]
    moved = [_step(step, outer) for step in steps]
    spliced = [*moved[:first], *ahead, *moved[first + 1 : start], *back, *moved[stop:]]
    return tuple(spliced), (first, start, stop), (len(ahead), len(back))


def _step(step: Step, place: dict[int, int] | list[int]) -> Step:
    to = None if step.to is None else place[step.to]
    operands = tuple(replace(each, node=place[each.node]) for each in step.operands)
    return replace(step, node=place[step.node], to=to, operands=operands, pending=None, queue=None)
