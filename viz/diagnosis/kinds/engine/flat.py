"""Where functions are flat: dead units, saturation, limits, kinks; and where that is meant.

A margin loss, relu(1 - y * score), is flat where its example is right: a positive number is added
under the relu, and the mean comes next, or data weigh it before. Nothing is said of that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.ops.elementwise.activations import relu
from minitape.ops.elementwise.arithmetic import multiply
from minitape.ops.elementwise.comparison import maximum
from minitape.ops.elementwise.division import divide
from minitape.ops.elementwise.powers import pow_, square
from minitape.ops.elementwise.signs import absolute
from minitape.ops.neural.softmax import softmax
from minitape.record import opened
from minitape.tensors.composite import dense

from ....trace.facts import why_zero_at
from ...finding import Finding
from ...sources.case import Case
from ...sources.dataflow import Act, public_name
from .causes import JUMPS

if TYPE_CHECKING:
    from minitape.op import Op

KINK = "its input lies exactly on the kink, where the other side is chosen"
CORNER = "its input is exactly 0, the corner of |x|, where 0 is taken as the slope"
WEIGHTED = {each.op for each in (multiply, divide, square, pow_)}
ALONE = "over an axis of one entry it is 1 whatever its input is; for one unit, take a sigmoid"


def why_flat(case: Case, act: Act, g: Any) -> tuple[str, str] | None:
    """A short name and a reason where an op is flat at its input; None where that is no matter."""
    values = [case.flow.value(key) for key in act.inputs]
    if act.op is absolute.op:
        falls = np.any(np.asarray(opened(dense(g))) < 0)  # or 0 is the minimum
        return ("tie", CORNER) if falls and not np.any(values[0]) else None
    if act.op is softmax.op and values[0] is not None and values[0].shape[-1:] == (1,):
        return "one_entry", ALONE
    why = known(act.op)
    if why is None or _is_margin(case, act, values):
        return None
    return ("tie", KINK) if _is_at_kink(act, values) else why


def known(op: Op) -> tuple[str, str] | None:
    """A short name and a reason for an op that says of itself where it is flat."""
    if op.facts.jumps == "steps":
        return "staircase", JUMPS["steps"]
    return (op.facts.fault, why_zero_at(op.facts)) if op.facts.fault else None


def saturated_before(case: Case, act: Act) -> Act | None:
    """The sigmoid or softmax whose probabilities a loss keeps away from 0 and 1."""
    maker = case.flow.maker.get(act.inputs[0]) if act.op.facts.fault == "clipped" else None
    return maker if maker is not None and maker.op.facts.logarithm else None


def finding(case: Case, act: Act, cause: str, why: str) -> Finding:
    """That a gradient is zero because of an op."""
    line = case.line_of(act)
    sentence = f"The gradient is zero because of `{public_name(act)}` at line {line}: {why}."
    found = Finding("zero", cause, sentence, line, span=case.span(case.stack_of(act)))
    found.node = act.outputs[0]
    found.facts = {"op": act.op.name}
    return found


def _is_at_kink(act: Act, values: list[Any]) -> bool:
    facts = act.op.facts
    if facts.kinks:
        return bool(np.all(np.isin(values[0], facts.kinks)))
    return bool(facts.extreme and len(values) == 2 and np.all(values[0] == values[1]))


def _is_margin(case: Case, act: Act, values: list[Any]) -> bool:
    """Whether it is max(0, 1 - score), averaged: a loss that these examples do not add to."""
    if act.op is maximum.op:
        zeros = [i for i, v in enumerate(values) if v is not None and not np.any(v)]
        inner = next((key for i, key in enumerate(act.inputs) if i not in zeros), None)
    else:
        inner = act.inputs[0] if act.op is relu.op else None
    shift = case.flow.maker.get(inner) if inner is not None else None
    if shift is None or shift.op.facts.sign not in {"+", "−"}:
        return False
    return _is_summed(case, act) and any(
        _is_positive_number(case, shift, i) for i in range(len(shift.inputs))
    )


def _is_summed(case: Case, act: Act, deep: int = 4) -> bool:
    """Whether what an op gives is averaged, squared or weighted with data before, or is the end."""
    for edge in (edge for key in act.outputs for edge in case.flow.users.get(key, ())):
        op, others = edge.act.op, [k for k in edge.act.inputs if k != edge.key]
        weighted = op in WEIGHTED and not any(map(case.flow.follows, others))
        if op.facts.reduces not in {"sum", "mean"} and not (
            weighted and deep and _is_summed(case, edge.act, deep - 1)
        ):
            return False
    return True


def _is_positive_number(case: Case, shift: Act, position: int) -> bool:
    """Whether an operand is a constant above 0 that is added."""
    key = shift.inputs[position]
    value = case.flow.value(key)
    is_data = key in case.flow.maker or key in case.flow.names
    if value is None or value.ndim or is_data or not value > 0:
        return False
    return shift.op.facts.sign == "+" or position == 0
