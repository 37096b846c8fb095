"""Fused ops opened: elementary ops at the values at hand, and the engine's own sweep through them.

The sweep through the elementary ops starts from the cotangents that the sweep met at the fused op,
sums of other paths among them. So both forms can be compared, and what differs by more than
rounding is not offered.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import minitape as tf
from minitape.leaving import only
from minitape.record import opened, output_ids, plan_of
from minitape.request import Request
from minitape.safety.silence import Silence
from minitape.tensors.composite import dense

from ..base.collecting import uncollected
from ..base.numbers import all_close
from ..trace.extras import Inside
from ..trace.parts import Node
from .build import Built, build
from .elementary import PROGRAMS
from .journal import Journal
from .reading import attributes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from minitape.steps import Step as EngineStep

    from ..trace.trace import Trace

MOST_OPENED = 40  # fused ops of one tape
MOST_RECORDS = 300  # of a tape whose fused ops are opened
LARGEST = 4096  # elements of an op's inputs
RELATIVE, ABSOLUTE = 2e-3, 1e-5  # rounding of float32, added up


class Fused(NamedTuple):
    """What the sweep met at an op that can be opened.

    Attributes:
        step: the engine's step.
        node: the op's node.
        values: the values of its inputs.
    """

    step: EngineStep
    node: int
    values: tuple[Any, ...]


@uncollected
def build_opened(
    request: Request,
    records: list[Any],
    tape: Any,
    names: dict[int, tuple[str, Any]],
    *,
    journal: Journal | None = None,
    title: str = "",
    persistent: bool = False,
) -> Built:
    """What `build` gives, with the fused ops opened where the tape is short.

    An op without a gradient ends the steps.
    """
    built = build(
        request, records, tape, names, journal=journal, title=title, persistent=persistent,
        shows_error=True, keeps_met=len(records) <= MOST_RECORDS,
    )  # fmt: skip
    insides = [each for fused in _fused(built) if (each := _inside(fused, built.trace)) is not None]
    return built._replace(trace=built.trace.part(insides=tuple(insides)))


def _fused(built: Built) -> Iterator[Fused]:
    """The ops among those that were met that have a program and known, small inputs."""
    count, graph = 0, built.graph
    for step in built.met:
        if plan_of(step.record).op not in PROGRAMS or count == MOST_OPENED:
            continue
        node = graph.place[output_ids(step.record)[0]]
        arrays = [graph.nodes[i].value for i in graph.nodes[node].inputs]
        if any(array is None or array.size > LARGEST for array in arrays):
            continue
        count += 1
        yield Fused(step, node, tuple(graph.held(array) for array in arrays if array is not None))


def _inside(fused: Fused, trace: Trace) -> Inside | None:
    """An op opened; None where the elementary form gives no number, or another one."""
    node = trace.nodes[fused.node]
    pulled = [each.position for each in fused.step.contributions]
    ids = [node.inputs[position] for position in pulled]
    if len(set(ids)) < len(ids) or not pulled:
        return None
    with only(()), Silence():
        inputs = [tf.constant(value) for value in fused.values]
        program = PROGRAMS[plan_of(fused.step.record).op]
        with Journal() as journal, tf.GradientTape(persistent=True) as tape:
            tape.watch([inputs[position] for position in pulled])
            out = program(*inputs, *attributes(fused.step.record))
        g = tf.constant(opened(dense(fused.step.cotangent)))
        request = Request(out, [inputs[position] for position in pulled], g)
        before = {
            inputs[each.position].id: each.old
            for each in fused.step.contributions if each.old is not None
        }  # fmt: skip
        built = build(
            request, tape.recording.records, tape.recording,
            _names(inputs, node, trace) | {out.id: (node.name, out)},
            journal=journal, persistent=True, before=before, keeps_met=True,
        )  # fmt: skip
        pairs = [
            (built.cotangents[inputs[each.position].id], opened(dense(each.total)))
            for each in fused.step.contributions
        ]
        if not built.met or not all(all_close(a, b, RELATIVE, ABSOLUTE) for a, b in pairs):
            return None
        difference = max(float(np.max(np.abs(a - b), initial=0.0)) for a, b in pairs)
    place = built.graph.place
    outer = {place[x.id]: i for x, i in zip(inputs, node.inputs, strict=True) if x.id in place}
    return _placed(built.trace, node, outer | {place[out.id]: node.id}, difference)


def _names(inputs: list[Any], node: Node, trace: Trace) -> dict[int, tuple[str, Any]]:
    """The inputs are called as outside."""
    outer = [trace.nodes[i] for i in node.inputs]
    pairs = zip(inputs, outer, strict=True)
    return {x.id: (each.name or each.op or "", x) for x, each in pairs}


def _placed(part: Trace, node: Node, outer: dict[int, int], difference: float) -> Inside:
    """The elementary nodes and steps as the inside of a node: on its line, in its scope."""
    nodes = tuple(
        replace(each, line=node.line, scope=node.scope, layer=node.layer) for each in part.nodes
    )
    steps = tuple(replace(step, line=node.line) for step in part.steps if step.kind != "seed")
    return Inside(node.id, nodes, steps, outer, difference)
