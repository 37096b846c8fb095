"""A gradient that is zero everywhere: dead units, saturation, limits, ties; or numbers too small.

The one fact to know: only a zero that an op makes of something is suspicious. Where the cotangent
is zero already (an optimum), a mask is zero, or a square stands at its minimum, nothing is said.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitape.records import opened, output_ids
from minitape.tensors.composite import dense
from minitape.variable import ResourceVariable

from ..why.causes import public_name
from ..why.dataflow import Act
from .case import Case
from .finding import Finding

FLAT = {
    "relu": ("dead", "its input is negative everywhere, where relu is flat"),
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
SMALL = {
    "exp", "multiply", "square", "pow", "power", "reduce_prod", "prod", "divide", "cast", "matmul",
    "reduce_mean", "mean", "cumprod",
}  # fmt: skip
PRODUCTS = {"multiply", "matmul", "matvec", "tensordot", "einsum", "conv2d"}


def findings(case: Case, index: int) -> list[Finding]:
    """Why the gradient of one source is zero; nothing where that is as it should be."""
    if not case.cotangents[index].size or case.kind != "gradient":
        return []
    found = _found(case, case.request.source_ids[index])
    if found is None:
        return []
    q = case.question(index)
    found.source = q.x
    found.facts |= {"index": index, "target": q.y, "tape": q.tape_name}
    return [found]


def _found(case: Case, key: int) -> Finding | None:
    related = case.flow.descendants(key)
    for step in case.swept.steps:
        act = case.flow.maker.get(output_ids(step.record)[0])
        for each in step.contributions:
            if act is None or each.id not in related or _is_zero(step.cotangent):
                continue
            if not _is_zero(each.value):
                continue
            return _of_edge(case, act, each.position, step)
    return _cancelled(case, related)


def _of_edge(case: Case, act: Act, position: int, step: Any) -> Finding | None:
    name = act.op.name
    values = [case.flow.value(k) for k in act.inputs]
    flat = FLAT.get(name)
    if name not in FLAT:
        small = too_small(case, act)
        if small is not None:
            return small
    if flat is not None:
        cause, why = flat
        if _at_kink(name, values, position):
            cause, why = "tie", "its input lies exactly on the kink, where the other side is chosen"
        return _told(case, act, "zero", cause, why)
    if name in PRODUCTS:
        return _zero_factor(case, act, position, values)
    return None


def _told(case: Case, act: Act, kind: str, cause: str, why: str) -> Finding:
    stack = case.stack_of(act)
    line = case.line_of(act)
    sentence = f"The gradient is zero because of `{public_name(act)}` at line {line}: {why}."
    finding = Finding(kind, cause, sentence, line, span=case.span(stack))
    finding.node = act.outputs[0]
    finding.facts = {"op": act.op.name}
    return finding


def _at_kink(name: str, values: list[Any], position: int) -> bool:
    if name == "relu":
        return bool(np.all(values[0] == 0))
    if name in {"maximum", "minimum"} and len(values) == 2:
        return bool(np.all(values[0] == values[1]))
    return False


def _zero_factor(case: Case, act: Act, position: int, values: list[Any]) -> Finding | None:
    """A product with zeros: weights that all start as 0, or units that are all dead."""
    others = [key for i, key in enumerate(act.inputs) if i != position]
    for key in others:
        value = case.flow.value(key)
        if value is None or np.any(value):
            continue
        tensor = case.flow.tensors.get(key)
        maker = case.flow.maker.get(key)
        if isinstance(tensor, ResourceVariable) and tensor.trainable and value.ndim > 0:
            stack = case.made_at(key)
            line = case.line(stack) or case.line_of(act)
            sentence = (
                f"The gradient is zero because {case.flow.name(key)}, by which it is multiplied at "
                f"line {case.line_of(act)}, is 0 in all elements: weights that start "
                "as zeros pass nothing on. Start with small random numbers."
            )
            return Finding("zero", "zero_weights", sentence, line, span=case.span(stack), node=key)
        if maker is not None and maker.op.name in FLAT:
            why = FLAT[maker.op.name][1]
            return _told(case, maker, "zero", FLAT[maker.op.name][0], why)
        if maker is not None:
            return too_small(case, maker)
    return None


def too_small(case: Case, act: Act) -> Finding | None:
    """Underflow: an op gives 0 where more precise numbers give something that is not 0."""
    wanted = case.flow.ancestors(act.outputs[0])
    for each in case.flow.acts:
        if wanted.isdisjoint(each.outputs) or each.op.name not in SMALL:
            continue
        exact = _exactly(case, each)
        out = case.flow.value(each.outputs[0])
        if exact is None or out is None or not out.size or out.dtype.kind not in "fc":
            continue
        lost = (out == 0) & (exact != 0) & (np.abs(exact) < np.finfo(out.dtype).tiny)
        if np.all(lost):
            stack = case.stack_of(each)
            line = case.line_of(each)
            size = np.max(np.abs(exact))
            smallest = np.finfo(out.dtype).smallest_subnormal
            sentence = (
                f"`{public_name(each)}` at line {line} underflows: the true value is about "
                f"{_text(size)}, and the smallest number of {out.dtype} is {smallest:.1e}, so it "
                "becomes 0, and the gradient with it."
            )
            finding = Finding("underflow", "underflow", sentence, line, span=case.span(stack))
            finding.node = each.outputs[0]
            finding.facts = {"op": each.op.name, "dtype": str(out.dtype)}
            return finding
    return None


def _text(number: Any) -> str:
    exponent = int(np.floor(np.log10(number)))
    return f"1e{exponent}" if number > 0 else "0"


def _exactly(case: Case, act: Act) -> Any:
    """The op's forward in the longest floating type; None where that cannot be done."""
    entry = case.journal.by_output.get(act.outputs[0]) if case.journal is not None else None
    values = [case.flow.value(key) for key in act.inputs]
    if entry is None or any(v is None or v.dtype.kind not in "fiu" for v in values):
        return None
    wide = [np.asarray(v, np.longdouble) for v in values]
    try:
        with np.errstate(all="ignore"):
            if act.op.name.startswith("cast"):
                return wide[0]
            given = entry.attributes
            op = act.op
            return op.forward(wide, *given) if op.variadic else op.forward(*wide, *given)
    except (TypeError, ValueError, ArithmeticError):
        return None


def _cancelled(case: Case, related: set[int]) -> Finding | None:
    """The sum of a softmax is 1 whatever its input is, and so its gradient is 0."""
    for step in case.swept.steps:
        act = case.flow.maker.get(output_ids(step.record)[0])
        if act is None or act.op.name != "softmax":
            continue
        g = np.asarray(opened(dense(step.cotangent)))
        if g.ndim and np.allclose(g, g[..., :1]) and np.any(g):
            why = (
                "its entries add up to 1 whatever its input is, and their sum is what is "
                "differentiated; choose one entry, or use a loss"
            )
            return _told(case, act, "zero", "constant_sum", why)
    return None


def _is_zero(value: Any) -> bool:
    if value is None:
        return True
    if isinstance(value, tuple):
        return all(_is_zero(each) for each in value)
    array = np.asarray(opened(dense(value)))
    if array.dtype.kind != "f":
        return not np.any(array)
    return bool(np.all(np.abs(array) < np.finfo(array.dtype).smallest_normal))
