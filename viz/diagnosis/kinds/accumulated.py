"""New gradients are added to those that a step has already used: they were never set to zero."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..corrections.edits import after, optimizers, statement_of
from ..diagnosis import Correction, Diagnosis, Kind, register
from ..evidence import Ask, Evidence
from ..source_text import Source


def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
    """In two rounds: a gradient that a step has used since the last request is still there."""
    if ask is not None:
        return
    rounds: dict[int, list[Ask]] = {}
    for each in evidence.asks:
        given = {k for k, g in each.gradients.items() if g is not None}
        old = {evidence.first(k) for k in each.facts.get("was there", ()) if k in given}
        steps = [e for e in evidence.events if e.kind == "step" and e.asks == each.number]
        used = {evidence.first(k) for e in steps for k in e.keys}
        again = old & used
        if (
            again
            and _used_next(evidence, each, again)
            and each.place is not None
            and each.facts.get("called") == "backward"
        ):
            rounds.setdefault(each.place.line, []).append(each)
    for asks in rounds.values():
        place = asks[0].place
        if len(asks) < 2 or place is None:
            continue
        steps = [
            e for e in evidence.events if e.kind == "step" and e.asks == asks[0].number and e.place
        ]
        also = {"step": steps[-1].place} if steps and steps[-1].place else {}
        names = [evidence.values[k].name for e in steps for k in e.keys]
        facts = {
            "hand": steps[-1].facts["by"] == "hand",
            "names": [n for n in dict.fromkeys(names) if n],
        }
        yield Diagnosis(KIND, place, facts, ask=asks[0].number, also=also)
        return


def _used_next(evidence: Evidence, ask: Ask, keys: set[int]) -> bool:
    """Whether a step uses the sum, before the gradients are set to zero or the program ends."""
    for event in evidence.events:
        if event.asks > ask.number and event.kind in {"step", "zero_grad"}:
            own = {evidence.first(k) for k in event.keys}
            if own & keys or not own:
                return event.kind == "step"
    return False


def sentence(d: Diagnosis) -> str:
    """In words."""
    step = f" (line {d.also['step'].line})" if "step" in d.also else ""
    return (
        f"`backward` at line {d.line} adds to the gradients that the last step{step} has used"
        " already: they are never set to zero, so each step follows the sum of all gradients so"
        " far."
    )


def meant(evidence: Evidence, d: Diagnosis) -> str:
    """Gradients that are scaled or written between steps are a momentum by hand."""
    text = str(evidence.facts.get("source", ""))
    return "the gradients are scaled" if re.search(r"\.grad\.(mul_|div_)|\.grad \*=", text) else ""


def correct(source: Source, d: Diagnosis) -> Iterator[Correction]:
    """`zero_grad` before the backward pass, or zeros after an update by hand."""
    backward = statement_of(source, d.place)
    if backward is None:
        return
    names = optimizers(source)
    if names and not d.facts["hand"]:
        step = d.also.get("step")
        chosen = [n for n in names if step is not None and step.code.startswith(f"{n}.")] or names
        yield Correction(source.edited([source.before(backward, f"{chosen[0]}.zero_grad()")]))
    update = statement_of(source, d.also.get("step"))
    if update is None or not d.facts["hand"]:
        return
    edits = []
    for each in source.block(update):
        target = _target(source, each)
        if target:
            edits.append(after(source, each, f"{target}.grad = None"))
    if edits:
        yield Correction(source.edited(edits))


def _target(source: Source, statement: ast.stmt) -> str:
    """The variable that a statement updates."""
    if isinstance(statement, ast.AugAssign):
        return source.code(statement.target).removesuffix(".data")
    if isinstance(statement, ast.Assign) and source.code(statement.targets[0]).endswith(".data"):
        return source.code(statement.targets[0]).removesuffix(".data")
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        function = statement.value.func
        if isinstance(function, ast.Attribute) and function.attr in {"sub_", "add_", "copy_"}:
            return source.code(function.value).removesuffix(".data")
    return ""


KIND = register(
    Kind(
        "accumulated",
        35,
        "update",
        find,
        sentence,
        correct=correct,
        meant=meant,
        hides=("ascent", "diverges"),
        example="""\
import torch
w = torch.tensor([1.0, -2.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for step in range(4):
    (w * w).sum().backward()  # <- here
    optimizer.step()
""",
        healthy="""\
import torch
w = torch.tensor([1.0, -2.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for step in range(8):
    ((w * w).sum() / 2).backward()
    if step % 2:
        optimizer.step()
        optimizer.zero_grad()
""",
    )
)
