"""A tensor whose gradient is used, but which does not require one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..corrections.edits import statement_of, with_keyword
from ..diagnosis import Correction, Diagnosis, Kind, register
from ..evidence import Ask, Evidence, Place
from ..source_text import Source, called

FACTORIES = {
    "tensor", "randn", "rand", "zeros", "ones", "full", "arange", "linspace", "eye", "empty",
    "randn_like", "zeros_like", "ones_like", "rand_like", "full_like", "normal",
}  # fmt: skip


def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
    """Nothing that the target came from requires a gradient, or a constant's `.grad` is read."""
    if ask is not None:
        return
    known: set[int] = set()
    moved = {evidence.first(k) for e in evidence.events if e.kind == "step" for k in e.keys}
    for event in evidence.events:
        if event.kind != "module requires_grad" or event.place is None:
            continue
        to = event.facts["to"]
        roles = [evidence.values[k].role for k in event.keys if to or evidence.first(k) in moved]
        if ("constant" if to else "variable") in roles:
            facts = {"name": "", "off": False, "stay": "frozen" if to else "trained"}
            yield Diagnosis(KIND, event.place, facts, "none" if to else "update", ask=0)
            return
    for each in evidence.asks:
        if not each.looked or "require grad" not in each.error or each.place is None:
            continue
        wanted = evidence.before(each.targets)
        if any(
            evidence.values[k].role in {"variable", "unknown"} for k in wanted - set(each.targets)
        ):
            continue
        for key in _candidates(evidence, each, wanted):
            value = evidence.values[key]
            off = _switched_off(evidence, key)
            place = off or value.place
            if place is not None and place.line not in known:
                known.add(place.line)
                facts = {"name": value.name, "off": off is not None, "all": True}
                yield Diagnosis(
                    KIND, place, facts, "error", ask=each.number, also={"asked": each.place}
                )
        if not known:
            yield Diagnosis(
                KIND, each.place, {"name": "", "off": False, "all": True}, "error", ask=each.number
            )
            return
    if known:
        return
    for event in evidence.events:
        if event.kind != "reads grad of constant" or not event.facts["none"] or not event.asks:
            continue
        value = evidence.values[event.keys[0]]
        asks = [a for a in evidence.asks if a.number < event.asks and a.looked]
        used = any(value.key in evidence.before(a.targets) for a in asks)
        if (
            used
            and value.role == "constant"
            and value.place
            and event.place
            and value.place.line not in known
        ):
            known.add(value.place.line)
            facts = {"name": value.name or _read(event.place.text), "off": False, "all": False}
            yield Diagnosis(
                KIND, value.place, facts, "none", ask=asks[-1].number, also={"read": event.place}
            )


def _candidates(evidence: Evidence, ask: Ask, wanted: set[int]) -> list[int]:
    """What the program wants a gradient of: optimizers have it, or its `.grad` is read."""
    kinds = {"optimizer", "step", "reads grad of constant", "reads grad", "requires_grad"}
    used = {k for e in evidence.events if e.kind in kinds for k in e.keys} | set(ask.sources)
    found = [k for k in used if k in wanted]
    text = str(evidence.facts.get("source", ""))
    for key in sorted(wanted):
        value = evidence.values[key]
        if value.role == "constant" and _is_read(text, value.name):
            found.append(key)
    read = [k for k in found if _is_read(text, evidence.values[k].name)]
    return list(dict.fromkeys(read or found))


def _is_read(text: str, name: str) -> bool:
    return bool(name and re.search(rf"(?<![\w.]){re.escape(name)}\.grad\b", text))


def _switched_off(evidence: Evidence, key: int) -> Place | None:
    return next(
        (
            e.place
            for e in evidence.events
            if e.kind == "requires_grad" and key in e.keys and not e.facts["to"]
        ),
        None,
    )


def _read(text: str) -> str:
    found = re.search(r"([\w.\[\]]+)\.grad\b", text)
    return found[1] if found else "it"


def sentence(d: Diagnosis) -> str:
    """In words."""
    f = d.facts
    name = f"`{f['name']}`" if f["name"] else "a tensor"
    if "stay" in f:
        return (
            f"Line {d.line} gives a module an attribute `requires_grad`, which PyTorch does not"
            f" read: its parameters stay {f['stay']}. `requires_grad_(...)` sets it for all."
        )
    if f["off"]:
        return (
            f"Line {d.line} switches gradients off for {name}, and nothing else that the loss is"
            f" computed from requires one: PyTorch refuses at line {d.also['asked'].line}."
        )
    if "read" in d.also:
        return (
            f"{name} of line {d.line} does not require a gradient, so PyTorch keeps none: `.grad`"
            f" is None at line {d.also['read'].line}."
        )
    if not f["name"] and "asked" not in d.also:
        return (
            f"Nothing that the target of line {d.line} was computed from requires a gradient, so"
            " PyTorch refuses. Set `requires_grad=True` on each tensor whose gradient you want."
        )
    where = f" at line {d.also['asked'].line}" if "asked" in d.also else ""
    return (
        f"{name[0].upper() + name[1:]} of line {d.line} does not require a gradient, nor does"
        f" anything else that the target was computed from, so PyTorch refuses{where}."
    )


def meant(evidence: Evidence, d: Diagnosis) -> str:
    """Reading a `.grad` that is None is meant where the text says so."""
    read = d.also.get("read")
    text = read.text if read is not None else ""
    return "it asks whether there is one" if "is None" in text or "is not None" in text else ""


def correct(source: Source, d: Diagnosis) -> Iterator[Correction]:
    """The tensor asks for a gradient when it is made."""
    statement = statement_of(source, d.place)
    if "stay" in d.facts and isinstance(statement, ast.Assign):
        text = f"{source.code(statement.targets[0])}_({source.code(statement.value)})"
        yield Correction(source.edited([source.replaced(statement, text)]))
        return
    if d.facts["off"] and isinstance(statement, ast.Assign):
        yield Correction(source.edited([source.replaced(statement.value, "True")]))
        return
    if d.facts["off"]:
        for call in ast.walk(statement):
            if isinstance(call, ast.Call) and called(call.func) == "requires_grad_":
                owner = source.code(call.func.value)  # type: ignore[attr-defined]
                yield Correction(
                    source.edited([source.replaced(call, f"{owner}.requires_grad_(True)")])
                )
        return
    texts = []
    for other in ast.walk(source.tree):  # it asks, but after it was used
        is_late = isinstance(other, ast.Expr) and re.fullmatch(
            rf"{re.escape(d.facts['name'] or '?')}\.requires_grad_\((True)?\)", source.code(other)
        )
        if is_late:
            texts.append(source.without(other))
    if not isinstance(statement, ast.Assign):
        return
    value = statement.value
    if isinstance(value, ast.Call) and called(value.func) in FACTORIES:
        old = [k for k in value.keywords if k.arg == "requires_grad"]
        edit = (
            source.replaced(old[0].value, "True")
            if old
            else with_keyword(source, value, "requires_grad=True")
        )
        yield Correction(source.edited([edit, *texts]))
    is_plain = isinstance(value, ast.Call | ast.Name | ast.Attribute | ast.Subscript)
    code = source.code(value) if is_plain else f"({source.code(value)})"
    yield Correction(source.edited([source.replaced(value, f"{code}.requires_grad_()"), *texts]))


KIND = register(
    Kind(
        "not_requiring",
        21,
        "error",
        find,
        sentence,
        correct=correct,
        meant=meant,
        hides=("unused",),
        example="""\
import torch
w = torch.tensor([1.0, -2.0])  # <- here
x = torch.tensor([3.0, 4.0])
loss = ((w * x).sum() - 1.0) ** 2
loss.backward()
print(w.grad)
""",
        healthy="""\
import torch
w = torch.tensor([1.0, -2.0], requires_grad=True)
x = torch.tensor([3.0, 4.0])
loss = ((w * x).sum() - 1.0) ** 2
loss.backward()
print(w.grad)
""",
    )
)
