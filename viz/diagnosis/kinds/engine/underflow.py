"""Numbers that are too small for their dtype: they become 0, forward or on the way back.

An op is run again in the longest floating type; where that gives a number and the program's dtype
gave 0, the number was lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from minitape.ops.casting import cast
from minitape.ops.elementwise.arithmetic import multiply, negative
from minitape.record import opened
from minitape.safety.silence import Silence
from minitape.tensors.composite import dense

from ...finding import Finding
from ...sources.case import Case
from ...sources.dataflow import Act, public_name

ENTRIES = {"part", "picks", "shape"}  # of what moves elements: one of them, or all


def too_small(case: Case, act: Act, partly: bool = False) -> Finding | None:
    """The first op towards a result that gives 0 where more precise numbers give another one.

    Args:
        case: the call.
        act: what gave the result.
        partly: whether some elements that are lost will do.
    """
    wanted = case.flow.ancestors(act.outputs[0])
    for each in case.flow.acts:
        if wanted.isdisjoint(each.outputs) or not each.op.facts.shrinks:
            continue
        exact, out = exactly(case, each), case.flow.value(each.outputs[0])
        if exact is not None and out is not None and is_lost(out, exact, partly):
            sizes = np.abs(exact)[out == 0]
            return _finding(case, each, out.dtype, np.max(sizes), "the true value")
    return None


def before(case: Case, act: Act) -> Finding | None:
    """The number that was lost before an op, all of it or the entry that the op takes."""
    maker = case.flow.maker.get(act.inputs[0]) if act.inputs else None
    while maker is not None and _gives_entries(maker):
        maker = case.flow.maker.get(maker.inputs[0])
    is_running = maker is not None and maker.op.facts.running  # one lost number after the other
    taken = too_small(case, maker, partly=True) if maker is not None and is_running else None
    return too_small(case, act) or taken


def _gives_entries(act: Act) -> bool:
    return act.op.facts.moves in ENTRIES or act.op is negative.op


def too_small_backward(case: Case, act: Act, g: Any, others: list[Any]) -> Finding | None:
    """A product of a cotangent with a factor that becomes 0 although neither is."""
    if len(others) != 1 or others[0] is None or act.op is not multiply.op:
        return None
    cotangent = np.asarray(opened(dense(g)))
    if cotangent.dtype.kind != "f" or others[0].dtype != cotangent.dtype:
        return None
    exact = np.asarray(cotangent, np.longdouble) * np.asarray(others[0], np.longdouble)
    if not is_lost(cotangent * others[0], exact):
        return None
    return _finding(case, act, cotangent.dtype, np.max(np.abs(exact)), "what it passes back")


def is_lost(value: Any, exact: Any, partly: bool = False) -> bool:
    """Whether all of a value (or some of it) is 0 because its dtype has no number that small."""
    if not value.size or value.dtype.kind not in "fc":
        return False
    tiny = np.finfo(value.dtype).tiny
    lost = (value == 0) & (exact != 0) & (np.abs(exact) < tiny)
    return bool(np.any(lost) if partly else np.all(lost))


def _finding(case: Case, act: Act, dtype: Any, size: Any, what: str) -> Finding:
    stack, line = case.stack_of(act), case.line_of(act)
    sentence = (
        f"`{public_name(act)}` at line {line} underflows: {what} is about {_text(size)}, and the "
        f"smallest number of {dtype} is {np.finfo(dtype).smallest_subnormal:.1e}, so it becomes 0, "
        "and the gradient with it."
    )
    finding = Finding("underflow", "underflow", sentence, line, span=case.span(stack))
    finding.node = act.outputs[0]
    finding.facts = {"op": act.op.name, "dtype": str(dtype)}
    return finding


def _text(number: Any) -> str:
    exponent = int(np.floor(np.log10(number)))
    return f"1e{exponent}" if number > 0 else "0"


def exactly(
    case: Case, act: Act, dtype: Any = np.longdouble, known: Mapping[int, Any] | None = None
) -> Any:
    """The op's forward in a wider floating type; None where that cannot be done.

    Args:
        case: the call.
        act: the op.
        dtype: the type; the longest one has no mean.
        known: inputs that are known in that type already.
    """
    entry = case.journal.by_output.get(act.outputs[0]) if case.journal is not None else None
    known = {} if known is None else known
    values = [known.get(key, case.flow.value(key)) for key in act.inputs]
    if entry is None or any(v is None or v.dtype.kind not in "fiu" for v in values):
        return None
    wide = [np.asarray(v, dtype) for v in values]
    try:
        with Silence():
            if act.op is cast.op:
                return wide[0]
            given = entry.attributes
            op = act.op
            return op.forward(wide, *given) if op.variadic else op.forward(*wide, *given)
    except (TypeError, ValueError, ArithmeticError):
        return None
