"""Zero gradients for another reason than a flat op on the way: what adds up to 1, or cancels."""

from __future__ import annotations

from typing import Any

import numpy as np

from minitape.ops.elementwise.arithmetic import subtract
from minitape.ops.elementwise.powers import squared_difference
from minitape.ops.neural.softmax import softmax
from minitape.record import opened, output_ids
from minitape.tensors.composite import dense

from ....trace.facts import why_zero_at
from ...finding import Finding
from ...sources.case import Case
from ...sources.dataflow import Act, Dataflow, public_name
from . import flat
from .beside import layer_line

SUM = (
    "its entries add up to 1 whatever its input is, and their sum is what is differentiated; "
    "choose one entry, or use a loss"
)
DIFFERENCES = {each.op for each in (subtract, squared_difference)}
ROUNDING = 1e-5  # of the cotangent: what a gradient of 0 is with rounding errors


def constant_sum(case: Case, key: int, value: Any) -> Finding | None:
    """The sum of a softmax is 1 whatever its input is, and so its gradient is 0."""
    related = case.flow.descendants(key)
    for step in case.swept.steps:
        act = case.flow.maker.get(output_ids(step.record)[0])
        if act is None or act.op is not softmax.op or related.isdisjoint(act.outputs):
            continue
        g = np.asarray(opened(dense(step.cotangent)))
        if g.shape[-1:] in {(), (1,)} or not np.any(g) or not np.allclose(g, g[..., :1]):
            continue
        if np.max(np.abs(value)) <= ROUNDING * np.max(np.abs(g)):
            return flat.finding(case, act, "constant_sum", SUM)
    return None


def one_entry(case: Case, key: int) -> Finding | None:
    """A softmax over an axis of one entry between a source and the targets."""
    wanted = set().union(*(case.flow.ancestors(t.id) for t in case.request.targets))
    related = case.flow.descendants(key)
    for act in case.flow.acts:
        spec = case.flow.spec(act.outputs[0]) if act.op is softmax.op else None
        if spec is None or tuple(spec.shape)[-1:] != (1,) or act.outputs[0] not in wanted & related:
            continue
        found = flat.finding(case, act, "one_entry", flat.ALONE)
        found.line = layer_line(case, found.line, "softmax") or found.line
        return found
    return None


def both_dead(case: Case, key: int) -> Finding | None:
    """Two towers of dead units: their difference is 0, and looks as if it were at its minimum."""
    related = case.flow.descendants(key)
    for act in case.flow.acts:
        if act.op not in DIFFERENCES or related.isdisjoint(act.outputs):
            continue
        result = case.flow.value(act.outputs[0])
        towers = [_dead_unit(case, side, related) for side in act.inputs]
        if result is not None and not np.any(result) and towers[0] and all(towers):
            facts = towers[0].op.facts
            return flat.finding(case, towers[0], facts.fault, why_zero_at(facts))
    return None


def _dead_unit(case: Case, key: int, related: frozenset[int]) -> Act | None:
    """The first op of dead units between a source and a tensor."""
    for made in sorted(case.flow.ancestors(key) & related):
        act = case.flow.maker.get(made)
        is_unit = act is not None and act.op.facts.fault == "dead"
        value = case.flow.value(act.inputs[0]) if act is not None and is_unit else None
        if value is not None and np.all(value < 0):
            return act
    return None


def tie(case: Case, key: int) -> Finding | None:
    """Several elements are the largest (or smallest): each gets a share, and the shares cancel."""
    related = case.flow.descendants(key)
    tied = [
        (act, number)
        for act in case.flow.acts
        if is_extreme(act) and not related.isdisjoint(act.outputs)
        if (number := tied_elements(case.flow, act)) > 1 and _passed(case, act)
    ]
    if not tied:
        return None
    act, number = tied[0]
    which = act.op.facts.extreme
    line = case.line_of(act)
    sentence = (
        f"The gradient is zero because of a tie in `{public_name(act)}` at line {line}: {number} "
        f"elements are the {which}, each gets the same share of the cotangent, and here the shares "
        "cancel. With numbers that differ the gradient is another one."
    )
    found = Finding("zero", "tie", sentence, line, span=case.span(case.stack_of(act)))
    found.node, found.facts = act.outputs[0], {"op": act.op.name}
    return found


def _passed(case: Case, act: Act) -> bool:
    """Whether a cotangent that is not zero came to an op."""
    for step in case.swept.steps:
        if output_ids(step.record)[0] == act.outputs[0]:
            return bool(np.any(np.asarray(opened(dense(step.cotangent)))))
    return False


def is_extreme(act: Act) -> bool:
    """Whether an op gives the largest or smallest of many elements."""
    return act.op.facts.reduces in {"largest", "smallest"}


def tied_elements(flow: Dataflow, act: Act) -> int:
    """How many elements of a whole tensor share the largest (or smallest) place."""
    x, out = flow.value(act.inputs[0]), flow.value(act.outputs[0])
    if x is None or out is None or out.size != 1 or x.dtype.kind not in "fiu":
        return 0
    return int(np.count_nonzero(x == np.reshape(out, -1)[0]))


def tie_sentences(flow: Dataflow, between: set[int]) -> list[str]:
    """What is to be said of ties in ops that made some tensors."""
    acts = [act for act in flow.acts if not between.isdisjoint(act.outputs)]
    found = [_of_extreme(flow, act) or _of_pair(flow, act) for act in acts]
    return list(dict.fromkeys(filter(None, found)))


def _of_extreme(flow: Dataflow, act: Act) -> str:
    which = act.op.facts.extreme
    number = tied_elements(flow, act) if is_extreme(act) else 0
    if number < 2:
        return ""
    return (
        f"A tie in `{public_name(act)}`{_where(act)}: {number} elements are the {which}, and each "
        f"gets 1/{number} of the cotangent."
    )


def _of_pair(flow: Dataflow, act: Act) -> str:
    if not act.op.facts.extreme or not act.op.broadcasts:
        return ""
    x, y = (flow.value(key) for key in act.inputs[:2])
    if x is None or y is None or not x.size or not np.any(x == y):
        return ""
    return (
        f"A tie in `{public_name(act)}`{_where(act)}: both arguments are equal there, and the "
        "first gets all of the cotangent."
    )


def _where(act: Act) -> str:
    line: Any = act.line
    return f" at line {line.number}" if line is not None else ""
