"""`backward` of a tensor with several elements: the gradient of which?"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..corrections.edits import optimizers
from ..diagnosis import Correction, Diagnosis, Kind, refused, register
from ..evidence import Ask, Evidence
from ..source_text import Source


def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
    """PyTorch refuses: where the target was made, it was not reduced."""
    if ask is None or "only for scalar outputs" not in ask.error or ask.place is None:
        return
    key = ask.targets[0]
    value = evidence.values[key]
    also = {"made": value.place} if value.place is not None else {}
    facts = {"name": value.name, "shape": list(value.shape)}
    yield Diagnosis(KIND, ask.place, facts, "error", ask=ask.number, also=also)


def sentence(d: Diagnosis) -> str:
    """In words."""
    f = d.facts
    name = f"`{f['name']}`" if f["name"] else "The target"
    made = (
        f" (line {d.also['made'].line})"
        if "made" in d.also and d.also["made"].line != d.line
        else ""
    )
    shape = "(" + ", ".join(map(str, f["shape"])) + ("," if len(f["shape"]) == 1 else "") + ")"
    return (
        f"{name}{made} has the shape {shape}, but a gradient is that of one number, so line"
        f" {d.line} has to say which. For a loss, take the mean of its elements."
    )


def correct(source: Source, d: Diagnosis) -> Iterator[Correction]:
    """The mean in a training, the sum elsewhere: another target either way."""
    call = source.node(d.place.span)
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return
    owner = source.code(call.func.value)
    owner = (
        owner if isinstance(call.func.value, ast.Name | ast.Attribute | ast.Call) else f"({owner})"
    )
    ways = ("mean", "sum") if optimizers(source) else ("sum", "mean")
    for way in ways:
        yield Correction(
            source.edited([source.replaced(call.func.value, f"{owner}.{way}()")]), False
        )


KIND = register(
    Kind(
        "vector_target",
        13,
        "error",
        find,
        sentence,
        correct=correct,
        meant=refused,
        example="""\
import torch
w = torch.tensor([1.0, -2.0], requires_grad=True)
loss = (w - 1.0) ** 2
loss.backward()  # <- here
""",
        healthy="""\
import torch
w = torch.tensor([1.0, -2.0], requires_grad=True)
y = (w - 1.0) ** 2
y.backward(torch.tensor([1.0, 0.0]))
""",
    )
)
