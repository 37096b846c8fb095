"""Where functions are flat: dead units, saturation, limits, kinks; and where that is meant.

The one fact to know: a margin loss, relu(1 - y * score), is flat where its example is right: a
positive number is added under the relu, and the mean comes next, or data weigh it before. Nothing
is said of that.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitape.record import opened
from minitape.tensors.composite import dense

from ..why.causes import public_name
from ..why.dataflow import Act
from .case import Case
from .finding import Finding

FLAT = {
    "relu": ("dead", "its input is positive nowhere, and there relu is flat"),
    "relu6": ("dead", "its input is outside of 0 to 6 everywhere, where it is flat"),
    "maximum": (
        "constant_won",
        "the other argument is larger everywhere, so this one does not count",
    ),
    "minimum": (
        "constant_won",
        "the other argument is smaller everywhere, so this one does not count",
    ),
    "clip_by_value": ("clipped", "the values are outside of the limits, where they are held fast"),
    "sigmoid": ("saturated", "it is saturated: so far from 0 the curve is flat for these numbers"),
    "tanh": ("saturated", "it is saturated: so far from 0 the curve is flat for these numbers"),
    "softmax": ("saturated", "it is saturated: one entry has all the weight"),
    "sign": ("staircase", "it is a staircase, flat between its jumps"),
    "hard_sigmoid": ("saturated", "it is flat outside of its middle part"),
}
KINK = "its input lies exactly on the kink, where the other side is chosen"
CORNER = "its input is exactly 0, the corner of |x|, where 0 is taken as the slope"
ALONE = "over an axis of one entry it is 1 whatever its input is; for one unit, take a sigmoid"
AVERAGES = {"reduce_mean", "reduce_sum", "mean", "sum", "add_n"}
SHIFTS = {"add", "subtract"}
WEIGHTED = {"multiply", "divide", "square", "pow", "truediv", "real_divide"}


def why_flat(case: Case, act: Act, g: Any) -> tuple[str, str] | None:
    """A short name and a reason where an op is flat at its input; None where that is no matter."""
    name = act.op.name
    values = [case.flow.value(key) for key in act.inputs]
    if name in {"abs", "absolute"}:
        falls = np.any(np.asarray(opened(dense(g))) < 0)  # or 0 is the minimum
        return ("tie", CORNER) if falls and not np.any(values[0]) else None
    if name == "softmax" and values[0] is not None and values[0].shape[-1:] == (1,):
        return "one_entry", ALONE
    if name not in FLAT or _is_margin(case, act, values):
        return None
    return ("tie", KINK) if _is_at_kink(name, values) else FLAT[name]


def saturated_before(case: Case, act: Act) -> Act | None:
    """The sigmoid or softmax whose probabilities a loss keeps away from 0 and 1."""
    maker = case.flow.maker.get(act.inputs[0]) if act.op.name == "clip_by_value" else None
    return maker if maker is not None and maker.op.name in {"sigmoid", "softmax"} else None


def finding(case: Case, act: Act, cause: str, why: str) -> Finding:
    """That a gradient is zero because of an op."""
    line = case.line_of(act)
    sentence = f"The gradient is zero because of `{public_name(act)}` at line {line}: {why}."
    found = Finding("zero", cause, sentence, line, span=case.span(case.stack_of(act)))
    found.node = act.outputs[0]
    found.facts = {"op": act.op.name}
    return found


def _is_at_kink(name: str, values: list[Any]) -> bool:
    if name == "relu":
        return bool(np.all(values[0] == 0))
    if name in {"maximum", "minimum"} and len(values) == 2:
        return bool(np.all(values[0] == values[1]))
    return False


def _is_margin(case: Case, act: Act, values: list[Any]) -> bool:
    """Whether it is max(0, 1 - score), averaged: a loss that these examples do not add to."""
    if act.op.name == "maximum":
        zeros = [i for i, v in enumerate(values) if v is not None and not np.any(v)]
        inner = next((key for i, key in enumerate(act.inputs) if i not in zeros), None)
    else:
        inner = act.inputs[0] if act.op.name == "relu" else None
    shift = case.flow.maker.get(inner) if inner is not None else None
    if shift is None or shift.op.name not in SHIFTS:
        return False
    return _is_summed(case, act) and any(
        _is_positive_number(case, shift, i) for i in range(len(shift.inputs))
    )


def _is_summed(case: Case, act: Act, deep: int = 4) -> bool:
    """Whether what an op gives is averaged, squared or weighted with data before, or is the end."""
    for edge in (edge for key in act.outputs for edge in case.flow.users.get(key, ())):
        name, others = edge.act.op.name, [k for k in edge.act.inputs if k != edge.key]
        weighted = name in WEIGHTED and not any(map(case.flow.follows, others))
        if name not in AVERAGES and not (
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
    return shift.op.name == "add" or position == 0
