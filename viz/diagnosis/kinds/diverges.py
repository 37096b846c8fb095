"""Steps never end: they are too large and the loss grows, or the loss falls and has no minimum."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from typing import Any

from ..corrections.edits import negated, statement_of
from ..diagnosis import LIKELY, Correction, Diagnosis, Kind, register
from ..evidence import Ask, Evidence, Place
from ..source_text import Source
from ..trainings import endless

GROWTH = 1e3
RATES = {"lr", "rate", "learning_rate", "eta", "step_size", "alpha", "LR", "LEARNING_RATE"}


def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
    """The losses of a line grow in nearly each step, by a thousand times or more.

    Steps that make a loss more and more negative do what they should: the loss is not one.
    """
    if ask is not None:
        return
    steps = [e for e in evidence.events if e.kind == "step" and e.place is not None]
    if not steps:
        return
    for place, losses in evidence.facts.get("losses", {}).items():
        size = [abs(loss) for loss in losses]
        finite = [loss for loss in size if math.isfinite(loss)]
        if len(finite) < 4 or not finite[0] or max(finite) < GROWTH * max(finite[0], 1.0):
            continue
        best = finite.index(max(finite))
        run = finite[: best + 1]
        grows = sum(b > a for a, b in zip(run, run[1:], strict=False))
        if place is None or grows < 0.8 * (len(run) - 1) or best < 2:
            continue
        if losses[size.index(max(finite))] < 0:
            facts = {"losses": [losses[0], -max(finite)], "falls": True}
            where, also = _made(evidence, place), {"loss": place}
            yield Diagnosis(KIND, where, facts, "update", ask=0, also=also, level=LIKELY)
            return
        made = next((e.place for e in evidence.events if e.kind == "optimizer" and e.place), None)
        hand = steps[-1].facts["by"] == "hand"
        at = steps[-1].place if hand or made is None else made
        assert at is not None
        facts = {"losses": [finite[0], max(finite)], "ends": len(finite) < len(losses)}
        yield Diagnosis(KIND, at, facts, ask=0, also={"loss": place})
        return


def _made(evidence: Evidence, place: Place) -> Place:
    """The line that computes the loss of a request, else the request's."""
    asked = next((a for a in evidence.asks if a.place == place and a.targets), None)
    op = evidence.maker.get(asked.targets[0]) if asked is not None else None
    return op.place if op is not None and op.place is not None else place


def sentence(d: Diagnosis) -> str:
    """In words."""
    first, last = d.facts["losses"]
    if d.facts.get("falls"):
        return endless(d.line, first, last)
    ends = ", and then is no longer finite" if d.facts["ends"] else ""
    return (
        f"The loss (line {d.also['loss'].line}) grows from {first:.4g} to {last:.4g} in the steps"
        f" of line {d.line}{ends}: each step goes farther than the gradient holds. Take smaller"
        " steps."
    )


def meant(evidence: Evidence, d: Diagnosis) -> str:
    """What is maximised may grow."""
    text = str(evidence.facts.get("source", ""))
    return "it is maximised" if "maximize=True" in text else ""


def correct(source: Source, d: Diagnosis) -> Iterator[Correction]:
    """A smaller rate; a minus before what has no minimum."""
    if d.facts.get("falls"):
        for text in negated(source, d.place):
            yield Correction(text, keeps_value=False)
        return
    statement = statement_of(source, d.place)
    if statement is None:
        return
    numbers: list[Any] = [
        n for n in ast.walk(statement) if isinstance(n, ast.Constant) and isinstance(n.value, float)
    ]
    names = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name)} & RATES
    for each in ast.walk(source.tree):
        if (
            isinstance(each, ast.Assign)
            and isinstance(each.targets[0], ast.Name)
            and each.targets[0].id in names
        ):
            numbers += [n for n in ast.walk(each.value) if isinstance(n, ast.Constant)]
    for factor in (10, 100, 1000):
        for number in numbers:
            yield Correction(
                source.edited([source.replaced(number, f"{number.value / factor:.4g}")])
            )


KIND = register(
    Kind(
        "diverges",
        28,
        "overflow",
        find,
        sentence,
        correct=correct,
        meant=meant,
        hides=("not_finite", "ascent"),
        example="""\
import torch
w = torch.tensor([1.0, -2.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=3.0)  # <- here
for step in range(30):
    optimizer.zero_grad()
    (w * w).sum().backward()
    optimizer.step()
""",
        healthy="""\
import torch
w = torch.tensor([1.0, -2.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.3)
for step in range(30):
    optimizer.zero_grad()
    (w * w).sum().backward()
    optimizer.step()
""",
    )
)
