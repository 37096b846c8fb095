"""Steps go uphill: the update has the sign of the gradient, and the loss grows each time."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..corrections.edits import statement_of
from ..diagnosis import LIKELY, Correction, Diagnosis, Kind, register
from ..evidence import Ask, Evidence
from ..source_text import Source

ROUNDS = 3


def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
    """In each round of one line the loss grew, and the variables moved along their gradients."""
    if ask is None:
        yield from uphill(evidence, ROUNDS)


def uphill(evidence: Evidence, rounds: int) -> Iterator[Diagnosis]:
    """The first line of which that is so in at least some rounds."""
    for place in dict.fromkeys(a.place for a in evidence.asks):
        asks = [
            a
            for a in evidence.asks
            if a.place == place and "loss" in a.facts and "values" in a.facts
        ]
        pairs = [(a, b) for a, b in zip(asks, asks[1:], strict=False) if b.number == a.number + 1]
        if len(pairs) < rounds or not all(b.facts["loss"] > a.facts["loss"] for a, b in pairs):
            continue
        if not all(_along(evidence, a, b) for a, b in pairs):
            continue
        first, last = pairs[0][0], pairs[-1][1]
        steps = [
            e
            for e in evidence.events
            if e.kind == "step" and e.asks == first.number + 1 and e.place
        ]
        if not steps or steps[-1].place is None or place is None:
            continue
        facts = {
            "losses": [first.facts["loss"], last.facts["loss"]],
            "by": steps[-1].facts["by"],
            "maximize": bool(steps[-1].facts.get("maximize")),
        }
        yield Diagnosis(KIND, steps[-1].place, facts, ask=0, also={"loss": place}, level=LIKELY)
        return


def _along(evidence: Evidence, a: Ask, b: Ask) -> bool:
    """Whether all that moved went along its gradient: one against it makes a game of two."""
    steps = []
    for key, g in a.gradients.items():
        root = evidence.first(key)
        x, y = a.facts["values"].get(root), b.facts["values"].get(root)
        if g is not None and x is not None and y is not None and x.shape == y.shape == np.shape(g):
            steps.append(float(np.vdot(y - x, g)))
    return max(steps, default=0.0) > 0 and min(steps) >= 0


def sentence(d: Diagnosis) -> str:
    """In words."""
    first, last = d.facts["losses"]
    return (
        f"The update at line {d.line} goes along the gradient, and the target of line"
        f" {d.also['loss'].line} grows each time, from {first:.4g} to {last:.4g}. To make a loss"
        " smaller, go against its gradient."
    )


def meant(evidence: Evidence, d: Diagnosis) -> str:
    """What is maximised has another name than a loss."""
    said = d.also["loss"].text.lower() + d.place.text.lower()
    names = (
        r"reward|score|activation|objective|likelihood|elbo|log_prob|return|gain|utility|image"
        r"|noise|attack|adv"
    )
    text = str(evidence.facts.get("source", "")).lower()
    wanted = (
        d.facts["maximize"]
        or re.search(names, said)
        or re.search(r"ascent|maximi[sz]e|perturb|attack|adversar|uphill", text)
    )
    return "it is maximised" if wanted else ""


def correct(source: Source, d: Diagnosis) -> Iterator[Correction]:
    """The other sign."""
    statement = statement_of(source, d.place)
    edits = [
        source.replaced(each, source.code(each).replace("+=", "-=", 1))
        for each in (source.block(statement) if isinstance(statement, ast.AugAssign) else ())
        if isinstance(each, ast.AugAssign) and isinstance(each.op, ast.Add)
        and "grad" in source.code(each.value)
    ]  # fmt: skip
    if edits:
        yield Correction(source.edited(edits))
    text = source.code(statement) if statement is not None else ""
    for one, other in ((".add_(", ".sub_("), (" + ", " - ")):
        if one in text:
            yield Correction(
                source.edited([source.replaced(statement, text.replace(one, other, 1))])
            )
    backward = statement_of(source, d.also["loss"])
    call = source.node(d.also["loss"].span)
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        owner = call.func.value
        if isinstance(owner, ast.UnaryOp) and isinstance(owner.op, ast.USub):
            yield Correction(
                source.edited([source.replaced(owner, source.code(owner.operand))]), False
            )
        each: Any
        for each in ast.walk(source.scope(backward)):
            is_loss = isinstance(each, ast.Assign) and source.code(each.targets[0]) == source.code(
                owner
            )
            if (
                is_loss
                and isinstance(each.value, ast.UnaryOp)
                and isinstance(each.value.op, ast.USub)
            ):
                yield Correction(
                    source.edited([source.replaced(each.value, source.code(each.value.operand))]),
                    False,
                )


KIND = register(
    Kind(
        "ascent",
        60,
        "update",
        find,
        sentence,
        correct=correct,
        meant=meant,
        example="""\
import torch
w = torch.tensor([1.0, -2.0], requires_grad=True)
for step in range(5):
    loss = (w * w).sum()
    loss.backward()
    with torch.no_grad():
        w += 0.1 * w.grad  # <- here
    w.grad = None
""",
        healthy="""\
import torch
w = torch.tensor([1.0, -2.0], requires_grad=True)
for step in range(5):
    reward = -((w - 3.0) ** 2).sum()
    reward.backward()
    with torch.no_grad():
        w += 0.1 * w.grad
    w.grad = None
""",
    )
)
