"""Why a connected gradient is zero: where on the way the numbers became zero.

The one fact to know: the steps of the engine's sweep show it. A rule that gets something and gives
nothing is where a path ends; where no rule does that, the contributions cancel.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from minitape.ops.elementwise.arithmetic import multiply
from minitape.ops.elementwise.powers import exp
from minitape.record import opened, output_ids
from minitape.steps import Step
from minitape.tensors.composite import dense

from ..trace.facts import why_zero_at
from .cause import Question, at
from .dataflow import Act, Edge

NO_SLOPE = "its derivative is 0 at this value"


class Dead(NamedTuple):
    """A rule that got something and gave zeros."""

    edge: Edge
    sentence: str


def dead_ends(q: Question, steps: list[Step]) -> list[Dead]:
    """The edges where every path ends, in the order of the sweep; empty where terms cancel."""
    related = q.flow.descendants(q.s)
    found = []
    for step in steps:
        act = q.flow.maker.get(output_ids(step.record)[0])
        for each in step.contributions:
            if act is None or each.id not in related or _is_zero(step.cotangent):
                continue
            if _is_zero(each.value):
                edge = Edge(each.id, act, each.position)
                found.append(Dead(edge, _sentence(q, act, edge, step.cotangent)))
    return found


def _sentence(q: Question, act: Act, edge: Edge, g: Any) -> str:
    facts, squares = act.op.facts, len(set(act.inputs)) < len(act.inputs)
    reason = NO_SLOPE if squares else why_zero_at(facts) or NO_SLOPE
    place = f" at {at(act.line)}" if act.line else ""
    reason = _too_small(q, act, edge, g) or reason
    return f"`{act.op.name}`{place} passes 0 to {q.flow.name(edge.key)}: {reason}"


def _too_small(q: Question, act: Act, edge: Edge, g: Any) -> str:
    """That a number became 0 because its dtype has none that small, "" where that is not so."""
    out = q.flow.value(act.outputs[0])
    if out is None or out.dtype.kind != "f" or not out.size:
        return ""
    smallest = f"smaller than any {out.dtype} but 0 ({np.finfo(out.dtype).smallest_subnormal:.1e})"
    if act.op is exp.op and not np.any(out):
        return f"its value is {smallest}, so it became 0"
    others = [q.flow.value(key) for i, key in enumerate(act.inputs) if i != edge.position]
    if act.op is not multiply.op or others[0] is None or not np.all(others[0]):
        return ""
    return f"cotangent times the other factor is {smallest}" if np.all(opened(dense(g))) else ""


def _is_zero(value: Any) -> bool:
    if value is None:
        return True
    if isinstance(value, tuple):
        return all(_is_zero(each) for each in value)
    return not np.any(opened(dense(value)))
