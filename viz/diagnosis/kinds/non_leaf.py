"""The gradient of a tensor that is not a leaf: PyTorch keeps `.grad` only for leaves."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..corrections.edits import after, statement_of
from ..diagnosis import Correction, Diagnosis, Kind, register
from ..evidence import Ask, Evidence, Place
from ..source_text import Source


def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
    """`.grad` of a result was read and is None, or an optimizer refuses a result."""
    if ask is not None:
        return
    known_lines: set[int] = set()
    for event in evidence.events:
        if event.kind == "reads no grad" and event.facts["none"] and event.asks and event.place:
            key = _first_result(evidence, event.keys[0])
            made = evidence.maker.get(key)
            if made is not None and made.place is not None and made.place.line not in known_lines:
                known_lines.add(made.place.line)
                yield _diagnosis(evidence, key, made.place, event.place, event.asks - 1)
    if "can't optimize a non-leaf" in evidence.error and evidence.error_place is not None:
        words = set(re.findall(r"[\w.]+", evidence.error_place.code or evidence.error_place.text))
        for key, value in evidence.values.items():
            made = evidence.maker.get(key)
            is_result = value.role == "result" and made is not None and not made.cut
            if is_result and value.name in words and made is not None and made.place is not None:
                yield _diagnosis(evidence, key, made.place, evidence.error_place, 0, refused=True)
                return


def _first_result(evidence: Evidence, key: int) -> int:
    """The result that the name stands for at first: later updates are the mistake's echoes."""
    return evidence.first(key)


def _diagnosis(
    evidence: Evidence, key: int, made: Place, read: Place, ask: int, refused: bool = False
) -> Diagnosis:
    op = evidence.maker[key]
    leaves = [k for k in op.inputs if evidence.values[k].role == "variable"]
    inside = any(
        evidence.values[k].place
        and evidence.values[k].place.line == made.line  # type: ignore[union-attr]
        and not evidence.values[k].name
        for k in leaves
    )
    same = any(evidence.values[k].name == evidence.values[key].name for k in leaves)
    facts = {
        "name": evidence.values[key].name or _read_of(read),
        "op": op.called,
        "inside": inside,
        "rebound": same and not inside,
        "refused": refused,
    }
    shown = "error" if refused else "none"
    return Diagnosis(KIND, made, facts, shown, ask=ask, also={"read": read})


def _read_of(read: Place) -> str:
    found = re.search(r"([\w.\[\]]+)\.grad\b", read.code or read.text)
    return found[1] if found else "it"


def sentence(d: Diagnosis) -> str:
    """In words."""
    f = d.facts
    where = f"At line {d.line} `{f['name']}` is the result of `{f['op']}`, so it is not a leaf"
    if f["refused"]:
        return (
            f"{where}: the optimizer at line {d.also['read'].line} refuses it, because it could not"
            " keep its place in the graph."
        )
    more = (
        " Set `requires_grad` last, after everything else is done to it."
        if f["inside"] or f["rebound"]
        else ""
    )
    return (
        f"{where}. PyTorch keeps `.grad` only for leaves, so it is None at line"
        f" {d.also['read'].line}.{more}"
    )


def meant(evidence: Evidence, d: Diagnosis) -> str:
    """A program that only looks whether there is a gradient goes on where there is none."""
    read = d.also["read"].text
    return "it asks whether there is one" if " is None" in read or " is not None" in read else ""


def correct(source: Source, d: Diagnosis) -> Iterator[Correction]:
    """Gradients are asked for at the end of the line, or kept for a result in between."""
    statement = statement_of(source, d.place)
    if not isinstance(statement, ast.Assign):
        return
    if d.facts["inside"] or d.facts["rebound"] or d.facts["refused"]:
        code = source.code(statement.value)
        bare = re.sub(r",?\s*requires_grad\s*=\s*True", "", code)
        bare = re.sub(r"\.requires_grad_\((True)?\)", "", bare)
        is_call = isinstance(statement.value, ast.Call | ast.Name | ast.Attribute | ast.Subscript)
        text = (bare if is_call else f"({bare})") + ".requires_grad_()"
        edits = [source.replaced(statement.value, text)]
        yield Correction(source.edited(edits))
        detached = (bare if is_call else f"({bare})") + ".detach().requires_grad_()"
        yield Correction(source.edited([source.replaced(statement.value, detached)]))
    name = d.facts["name"]
    target = source.code(statement.targets[0])
    if name == target:
        yield Correction(source.edited([after(source, statement, f"{name}.retain_grad()")]))
    yield from _of_names(source, d, name)


def _of_names(source: Source, d: Diagnosis, name: str) -> Iterator[Correction]:
    """Wherever the name is given to a result: keep its gradient."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Assign) and any(
            source.code(n) == name
            for t in node.targets
            for n in ast.walk(t)
            if isinstance(n, ast.expr)
        ):
            yield Correction(source.edited([after(source, node, f"{name}.retain_grad()")]))


KIND = register(
    Kind(
        "non_leaf",
        10,
        "none",
        find,
        sentence,
        correct=correct,
        meant=meant,
        hides=("broken_path", "leaf_replaced", "not_requiring"),
        example="""\
import torch
torch.manual_seed(0)
w = torch.randn(3, requires_grad=True) * 0.1  # <- here
loss = (w * w).sum()
loss.backward()
print(w.grad)
""",
        healthy="""\
import torch
torch.manual_seed(0)
w = (torch.randn(3) * 0.1).requires_grad_()
h = w * w
h.retain_grad()
h.sum().backward()
print(w.grad, h.grad)
""",
    )
)
