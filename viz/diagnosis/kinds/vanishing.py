"""The gradient is zero, or vanishes in the early layers, because of one factor.

The largest entry of the gradient before and behind each op. One factor of zero is a flat place; a
product of many small ones is depth.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..corrections.modules import layer_of
from ..corrections.pytorch import torch_name
from ..diagnosis import LIKELY, Correction, Diagnosis, Kind, register
from ..evidence import Ask, Evidence, Op
from ..source_text import Source
from ..trainings import vanishing_ends

HARD = {"hardsigmoid", "hardswish"}  # flat far from 0, and no ops of minitape
SUMS = {"sum", "mean"}


def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
    """Zero first, then the ratio of the last layers and the first ones."""
    if ask is None or ask.error or not ask.sweep:
        return
    sizes = {k: _size(g) for k, g in ask.gradients.items() if g is not None}
    if any(not np.isfinite(s) for s in sizes.values()):
        return
    zero = [k for k, s in sizes.items() if s == 0]
    if zero:
        yield from _zero(evidence, ask, zero)
        yield from _straight(evidence, ask, zero)
        return
    yield from _depth(evidence, ask, sizes)


def _zero(evidence: Evidence, ask: Ask, zero: list[int]) -> Iterator[Diagnosis]:
    for factor in ask.sweep:
        if (
            not _most(factor.incoming)
            or _most(factor.outgoing)
            or not factor.outgoing
            or factor.op.place is None
        ):
            continue
        op = factor.op
        before = evidence.before(op.outputs)
        own = [k for k in zero if k in before]
        why = _why(evidence, op)
        alive = [k for k in before if ask.gradients.get(k) is not None and k not in zero]
        if own and why and not alive and op.place is not None:
            facts = {
                "how": "zero",
                "op": op.called,
                "name": op.name,
                "jumps": op.jumps,
                "multiplies": _multiplies(op),
                "why": why,
                "sources": _names(evidence, own),
            }
            yield Diagnosis(KIND, op.place, facts, ask=ask.number)
            return


def _straight(evidence: Evidence, ask: Ask, zero: list[int]) -> Iterator[Diagnosis]:
    """The gradient of a gradient, where what was differentiated first is straight in pieces."""
    first = evidence.maker.get(ask.targets[0]) if ask.targets else None
    while first is not None and (first.facts.moves or first.facts.reduces in SUMS):
        first = evidence.maker.get(first.inputs[0]) if first.inputs else None
    if first is None or first.name != "grad" or first.place is None:
        return
    inner = evidence.before(first.inputs) & evidence.after(zero, first.number)
    path = list({op.number: op for k in inner - {*zero} if (op := evidence.maker.get(k))}.values())
    bends = [op for op in path if op.facts.kinks and op.place is not None]
    if bends and all(_is_straight(op, inner) for op in path):
        place = layer_of(evidence, bends[-1], "ReLU(") or bends[-1].place
        assert place is not None
        facts = {"how": "straight", "op": bends[-1].called, "sources": _names(evidence, zero)}
        yield Diagnosis(KIND, place, facts, ask=ask.number, also={"first": first.place})


def _is_straight(op: Op, inner: set[int]) -> bool:
    """Whether pieces of straight lines stay such: one factor of a product is a constant."""
    facts = op.facts
    one = sum(k in inner for k in op.inputs) == 1
    adds = facts.sign in {"+", "−"} or facts.reduces in SUMS
    return bool(facts.kinks or facts.moves or adds or _multiplies(op) and one)


def _why(evidence: Evidence, op: Op) -> str:
    """Why an op passes no gradient here, "" where that is not known."""
    values = [(evidence.values[k], evidence.values[k].numbers) for k in op.inputs]
    x = values[0][1] if values else None
    if op.jumps:
        return "it moves in jumps, and between them its derivative is zero"
    if _multiplies(op):
        flat = [v for v, n in values if n is not None and n.size and not np.any(n)]
        weights = [v for v in flat if v.role == "variable" and len(v.shape) > 1]
        return (
            "what it is multiplied by is"
            f" zero{f', `{weights[0].name}`' if weights and weights[0].name else ''}"
            if weights
            else ""
        )
    fault = "saturated" if op.name in HARD else op.facts.fault
    if x is None or not x.size or not fault:
        return ""
    if fault == "dead" and x.max() <= 0:
        return "its input is nowhere positive"
    if op.facts.shares:
        dim = op.attributes.get("dim", -1)
        single = (
            isinstance(dim, int)
            and len(x.shape) > 0
            and -len(x.shape) <= dim < len(x.shape)
            and x.shape[dim] == 1
        )
        return (
            "over an axis of one entry it is 1 whatever its input is" if single else _large(x, 20.0)
        )
    if fault == "clipped":
        return "every element is outside its limits"
    return _large(x, 8.0) if fault != "constant_won" else ""


def _multiplies(op: Op) -> bool:
    return op.facts.product or op.facts.sign == "·" or op.name in {"linear", "addmm", "baddbmm"}


def _large(x: Any, limit: float) -> str:
    return (
        f"its input is as large as {np.abs(x).max():.3g}, where the curve is flat"
        if np.abs(x).max() > limit
        else ""
    )


def _depth(evidence: Evidence, ask: Ask, sizes: dict[int, float]) -> Iterator[Diagnosis]:
    reached = {k: number for number, f in enumerate(ask.sweep) for k in f.op.inputs}
    order = sorted((k for k in sizes if k in reached), key=reached.__getitem__)
    ends = vanishing_ends(sizes, order)
    if ends is None:
        return
    counts: dict[str, list[Op]] = {}
    for factor in ask.sweep:
        a, b = _most(factor.incoming), _most(factor.outgoing)
        if a and b < 0.5 * a:
            counts.setdefault(factor.op.called, []).append(factor.op)
    ops = max(counts.values(), key=len, default=[])
    place = next((op.place for op in ops if op.place is not None), ask.place)
    if place is None or not ops:
        return
    facts = {
        "how": "depth",
        "op": ops[0].called,
        "times": len(ops),
        "near": sizes[ends[0]],
        "far": sizes[ends[1]],
        "ends": [evidence.said(each) for each in ends],
    }
    yield Diagnosis(KIND, place, facts, ask=ask.number, level=LIKELY)


def _names(evidence: Evidence, keys: list[int]) -> list[str]:
    return [name for key in keys if (name := evidence.name(key))][:3]


def _size(g: Any) -> float:
    return float(np.abs(g).max()) if g.size and g.dtype.kind == "f" else 1.0


def _most(arrays: list[Any]) -> float:
    return max((float(np.abs(a).max()) for a in arrays if a is not None and a.size), default=0.0)


def sentence(d: Diagnosis) -> str:
    """In words."""
    f = d.facts
    names = " and ".join(f.get("sources", ()))
    of = f" of {names}" if names else ""
    if f["how"] == "straight":
        return (
            f"The second derivative is zero: what line {d.also['first'].line} has differentiated"
            f" consists of straight pieces, since `{f['op']}` (line {d.line}) is straight on both"
            " sides of its kink. A smooth function, such as `tanh`, has a second derivative."
        )
    if f["how"] == "zero":
        return f"The gradient{of} is zero because of `{f['op']}` at line {d.line}: {f['why']}."
    return (
        f"The gradient vanishes along the depth: it is {f['near']:.1e} at {f['ends'][0]} and"
        f" {f['far']:.1e} at {f['ends'][1]}. `{f['op']}` (line {d.line}) makes it less than half"
        f" {f['times']} times."
    )


def meant(evidence: Evidence, d: Diagnosis) -> str:
    """Weights of zeros at the end of a block are a way to begin with the identity."""
    later = any(
        a.number != d.ask and any(g is not None and g.any() for g in a.gradients.values())
        for a in evidence.asks
    )
    return "a start at zero" if d.facts.get("multiplies") and later else ""


def correct(source: Source, d: Diagnosis) -> Iterator[Correction]:
    """What moves in jumps is left out, a softmax of one entry is a sigmoid: other functions."""
    if d.facts["how"] == "straight":
        text = source.text.replace("ReLU(", "Tanh(").replace("relu(", "tanh(")
        yield Correction(text, False)
    node = source.node(d.place.span) if d.place.span else None
    if d.facts["how"] != "zero" or not isinstance(node, ast.Call):
        return
    if not isinstance(node.func, ast.Attribute):
        return
    is_function = source.code(node.func.value) in {torch_name(source), "F", "nn.functional"}
    inner = source.code(node.args[0] if is_function and node.args else node.func.value)
    if d.facts["jumps"]:
        yield Correction(source.edited([source.replaced(node, f"({inner})")]), False)
    if d.facts["name"] == "softmax":
        text = f"{torch_name(source)}.sigmoid({inner})"
        yield Correction(source.edited([source.replaced(node, text)]), False)


KIND = register(
    Kind(
        "vanishing",
        55,
        "zero",
        find,
        sentence,
        correct=correct,
        meant=meant,
        dialects=("pytorch", "jax"),
        example="""\
import torch
x = torch.tensor([-1.0, -2.0], requires_grad=True)
y = torch.relu(x - 3.0)  # <- here
y.sum().backward()
print(x.grad)
""",
        healthy="""\
import torch
x = torch.tensor([-1.0, 2.0], requires_grad=True)
y = torch.relu(x)
y.sum().backward()
print(x.grad)
""",
    )
)
