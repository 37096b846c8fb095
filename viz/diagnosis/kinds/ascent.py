"""Steps go uphill: the update has the sign of the gradient, and the loss grows each time."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ..corrections.edits import statement_of
from ..diagnosis import LIKELY, Correction, Diagnosis, Kind, register
from ..evidence import Ask, Event, Evidence, Place
from ..source_text import Source
from ..trainings import LOSS, Climb, climb

ROUNDS = 3


def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
    """In each round of one line the loss grew, and the variables moved along their gradients."""
    is_jax = evidence.facts.get("dialect") == "jax"
    updates = list(_assigned(evidence)) if ask is None and is_jax else []
    found = climb(evidence, ROUNDS, updates) if ask is None else None
    if found is not None:
        by = found.step.facts
        facts = {"losses": found.losses, "by": by["by"], "maximize": bool(by.get("maximize"))}
        yield Diagnosis(KIND, found.update, facts, ask=0, also={"loss": found.asked}, level=LIKELY)


def _assigned(evidence: Evidence) -> Iterator[Event]:
    """The steps of what is called a loss: JAX's are assignments, which only the text shows."""
    source = Source(str(evidence.facts.get("source", "")))
    for ask in evidence.asks:
        function, where = ask.facts.get("function", ["", 0])[0], ask.place
        added = _sum_after(source, where) if where is not None and LOSS.search(function) else None
        if added is not None and where is not None and ask.facts["argnums"] == [0]:
            row = source.lines[added.lineno - 1].strip()
            place = where._replace(line=added.lineno, text=row, span=(), code="")
            yield Event("step", 0, ask.number + 1, place, (), {"by": ""})


def _sum_after(source: Source, place: Place) -> Any:
    """The first statement from a request on that adds something, and uses what it gave."""
    asked = statement_of(source, place)
    given = {n.id for n in ast.walk(asked) if isinstance(n, ast.Name)} if asked else set()
    for each in source.block(asked) if asked is not None else ():
        is_plain = each.lineno >= asked.lineno and isinstance(each, ast.Assign | ast.AugAssign)
        uses = {n.id for n in ast.walk(each) if isinstance(n, ast.Name)} & given
        if is_plain and uses and any(isinstance(n, ast.Add) for n in ast.walk(each)):
            return each
    return None


def sentence(d: Diagnosis) -> str:
    """In words."""
    return _climb(d).sentence


def meant(evidence: Evidence, d: Diagnosis) -> str:
    """What is maximised has another name than a loss."""
    text = str(evidence.facts.get("source", ""))
    return "it is maximised" if d.facts["maximize"] or _climb(d).is_meant(text) else ""


def _climb(d: Diagnosis) -> Climb:
    return Climb(d.place, d.also["loss"], d.facts["losses"], None)


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
        dialects=("pytorch", "jax"),
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
