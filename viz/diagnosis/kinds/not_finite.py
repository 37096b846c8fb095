"""The first number that is not finite, in the forward pass or in the backward pass.

Forward: the first op whose result is not finite although its inputs are. If all values are finite,
or what is not was not chosen: the first factor of the backward pass that turns finite numbers into
others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..corrections.identities import identities
from ..diagnosis import Correction, Diagnosis, Kind, register
from ..evidence import STEP, Ask, Evidence, Op
from ..source_text import Source

WRITES = {"masked_fill", "select", "tensor", "full_like", "fill", "triu", "tril"}


def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
    """One birth for one request."""
    if ask is None or ask.error or not ask.targets:
        return
    values = [evidence.values[key].numbers for key in ask.targets]
    bad = [key for key, g in ask.gradients.items() if not _finite(g)]
    if all(map(_finite, values)) and not bad:
        return
    if evidence.facts.setdefault("not finite", ask.number) != ask.number:
        return  # what follows is made of it
    facts: dict[str, Any] = {"masked": all(map(_finite, values)), "sources": _names(evidence, bad)}
    shown = "nan" if any(_has_nan(v) for v in (*values, *ask.gradients.values())) else "overflow"
    forward = _forward(evidence, ask)
    if forward is not None and forward[0].place is not None:
        op, made, numbers, whole = forward
        place = forward[0].place
        facts |= {
            "op": op.called,
            "name": op.name,
            "given": numbers,
            "made": str(made),
            "way": "forward",
        }
        if whole:
            facts |= {"way": "data", "line": _meets(evidence, ask, op)}
        if np.isinf(made) and op.facts.grows:
            shown = "overflow"
        yield Diagnosis(KIND, place, facts, shown, ask=ask.number)
        return
    for factor in ask.sweep:
        if (
            all(map(_finite, factor.incoming))
            and not all(map(_finite, factor.outgoing))
            and factor.op.place
        ):
            inputs = [evidence.values[k].numbers for k in factor.op.inputs]
            if not all(map(_finite, inputs)):
                return
            given = next(
                (n for x in inputs if x is not None and (n := _at(factor.outgoing, x)) is not None),
                None,
            )
            facts |= {
                "op": factor.op.called,
                "name": factor.op.name,
                "given": [] if given is None else [given],
                "made": "",
                "way": "back",
            }
            facts["masked"] = any(i is not None and bool((i == 0).any()) for i in factor.incoming)
            yield Diagnosis(KIND, factor.op.place, facts, shown, ask=ask.number)
            return


def _names(evidence: Evidence, keys: list[int]) -> list[str]:
    return [name for key in keys if (name := evidence.name(key))][:3]


def _forward(evidence: Evidence, ask: Ask) -> tuple[Op, Any, list[float], bool] | None:
    wanted = evidence.before(ask.targets)
    for op in evidence.between(0, ask.ended):
        if wanted.isdisjoint(op.outputs) or op.cut == STEP:
            continue
        made = [evidence.values[k].numbers for k in op.outputs]
        if all(map(_finite, made)) or (op.name == "full" or _writes_infinity(evidence, op)):
            continue
        given = [evidence.values[k].numbers for k in op.inputs]
        whole = not op.inputs
        if all(map(_finite, given)):
            worst = next(v for v in made if not _finite(v))
            where = tuple(np.argwhere(~np.isfinite(worst))[0])
            nan = np.argwhere(np.isnan(worst))
            where = tuple(nan[0]) if len(nan) else where
            numbers = [
                float(np.broadcast_to(v, worst.shape)[where])
                for v in given
                if v is not None and _fits(v, worst)
            ]
            numbers = numbers or [
                float(np.abs(v).max())
                for v in given[:1]
                if v is not None and v.size and op.facts.reduces == "sum"
            ]
            return op, worst[where], numbers + _constants(op, numbers), whole
    return None


def _meets(evidence: Evidence, ask: Ask, op: Op) -> int:
    """The line where data that is not finite first meets what is differentiated, 0 if unknown."""
    from_data, live = evidence.after(op.outputs, ask.ended), evidence.after(ask.sources, ask.ended)
    for each in evidence.between(op.number, ask.ended):
        if (
            each.place
            and not from_data.isdisjoint(each.inputs)
            and not live.isdisjoint(each.outputs)
        ):
            return each.place.line
    return 0


def _writes_infinity(evidence: Evidence, op: Op) -> bool:
    """`masked_fill(mask, -inf)` and `where(mask, x, -inf)` mean it."""
    made = (evidence.values[k].numbers for k in op.outputs)
    return op.name in WRITES and not any(map(_has_nan, made))


def _constants(op: Op, numbers: list[float]) -> list[float]:
    is_power = op.name == "pow" and len(op.inputs) == 1 and len(numbers) == 1
    return list(op.attributes.get("numbers", ()))[:1] if is_power else []


def _fits(v: Any, bad: Any) -> bool:
    try:
        return bool(np.broadcast_shapes(v.shape, bad.shape) == bad.shape)
    except ValueError:
        return False


def _at(outgoing: list[Any], x: Any) -> float | None:
    for g in outgoing:
        if g is not None and not _finite(g) and g.shape == x.shape:
            return float(x[~np.isfinite(g)].reshape(-1)[0])
    return None


def _finite(v: Any) -> bool:
    return v is None or v.dtype.kind not in "fc" or bool(np.isfinite(v).all())


def _has_nan(v: Any) -> bool:
    return v is not None and v.dtype.kind in "fc" and bool(np.isnan(v).any())


def sentence(d: Diagnosis) -> str:
    """In words."""
    f = d.facts
    op = f["op"]
    if f["way"] == "data":
        meets = f", and meet what is differentiated at line {f['line']}" if f["line"] else ""
        return (
            f"`{d.place.text}` at line {d.line} holds numbers that are not finite: they are in the"
            f" data before anything is computed{meets}."
        )
    if f["way"] == "forward":
        given = ", ".join(f"{n:.6g}" for n in f["given"])
        text = (
            f"The first {'NaN' if f['made'] == 'nan' else 'infinite number'} comes from `{op}` at"
            f" line {d.line}: {op}({given}) = {f['made']}."
        )
        return text + (
            " What is computed from it is finite again; but in the backward pass 0 times infinity"
            " is NaN."
            if f["masked"]
            else ""
        )
    at = f" at {f['given'][0]:.6g}" if f["given"] else ""
    text = f"All values are finite, but the derivative of `{op}` at line {d.line} is not{at}."
    return text + (
        " It is not chosen, or multiplied by zero; but 0 times infinity is NaN."
        if f["masked"]
        else ""
    )


def meant(evidence: Evidence, d: Diagnosis) -> str:
    """A loss scaler looks for infinities, and leaves such steps out."""
    text = str(evidence.facts.get("source", ""))
    return "a loss scaler looks for it" if "GradScaler" in text else ""


def correct(source: Source, d: Diagnosis) -> Iterator[Correction]:
    """An equal function that is finite there, in the names of the script's framework."""
    return identities(source, d)


KIND = register(
    Kind(
        "not_finite",
        30,
        "nan",
        find,
        sentence,
        correct=correct,
        meant=meant,
        dialects=("pytorch", "jax"),
        hides=("vanishing", "ascent"),
        example="""\
import torch
x = torch.tensor([0.0, 1.0, 2.0], requires_grad=True)
y = torch.where(x > 0, torch.log(x), 0.0)  # <- here
y.sum().backward()
print(x.grad)
""",
        healthy="""\
import torch
x = torch.tensor([0.0, 1.0, 2.0], requires_grad=True)
y = torch.where(x > 0, torch.log(torch.where(x > 0, x, 1.0)), 0.0)
y.sum().backward()
print(x.grad)
""",
    )
)
