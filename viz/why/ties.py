"""Ties of a maximum or minimum: several elements are the largest, and each gets a share."""

from __future__ import annotations

from typing import Any

import numpy as np

from .causes import public_name
from .dataflow import Act, Dataflow


def is_extreme(act: Act) -> bool:
    """Whether an op gives the largest or smallest of many elements."""
    return act.op.facts.reduces in {"largest", "smallest"}


def tied_elements(flow: Dataflow, act: Act) -> int:
    """How many elements of a whole tensor share the largest (or smallest) place."""
    x, out = flow.value(act.inputs[0]), flow.value(act.outputs[0])
    if x is None or out is None or out.size != 1 or x.dtype.kind not in "fiu":
        return 0
    return int(np.count_nonzero(x == np.reshape(out, -1)[0]))


def sentences(flow: Dataflow, between: set[int]) -> list[str]:
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
        f"A tie in `{public_name(act)}`{_at(act)}: {number} elements are the {which}, and each "
        f"gets 1/{number} of the cotangent."
    )


def _of_pair(flow: Dataflow, act: Act) -> str:
    if not act.op.facts.extreme or not act.op.broadcasts:
        return ""
    x, y = (flow.value(key) for key in act.inputs[:2])
    if x is None or y is None or not x.size or not np.any(x == y):
        return ""
    return (
        f"A tie in `{public_name(act)}`{_at(act)}: both arguments are equal there, and the first "
        "gets all of the cotangent."
    )


def _at(act: Act) -> str:
    line: Any = act.line
    return f" at line {line.number}" if line is not None else ""
