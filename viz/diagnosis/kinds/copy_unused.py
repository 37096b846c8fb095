"""A copy of a tensor gets a gradient asked for, but the loss is computed from the original."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..corrections.edits import statement_of
from ..diagnosis import Correction, Diagnosis, Kind, register
from ..evidence import Ask, Evidence
from ..source_text import Source

COPIES = {"clone", "detach", "to", "float", "double", "copy", "identity", "cast"}


def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
    """`.grad` of a copy is None, since nothing uses the copy, and a target uses the original."""
    if ask is not None:
        return
    reads = [e for e in evidence.events if e.kind == "reads grad" and e.facts["none"] and e.asks]
    for event in reads:
        copy = event.keys[0]
        made = evidence.maker.get(copy)
        asks = [a for a in evidence.asks if a.number < event.asks and a.looked]
        if made is None or made.name not in COPIES or evidence.users.get(copy) or not asks:
            continue
        while made.inputs and (before := evidence.maker.get(made.inputs[0])) is not None:
            if before.name not in COPIES:
                break
            made = before
        original, wanted = made.inputs[0], evidence.before(asks[-1].targets)
        uses = [
            op
            for op in evidence.users.get(original, ())
            if op.number > made.number and op.place and not wanted.isdisjoint(op.outputs)
        ]
        names = [evidence.values[key].name for key in (original, copy)]
        if uses and uses[0].place and all(names) and event.place:
            facts = {"original": names[0], "copy": names[1]}
            yield Diagnosis(
                KIND, uses[0].place, facts, source=names[1], ask=0, also={"read": event.place}
            )
            return


def sentence(d: Diagnosis) -> str:
    """In words."""
    f = d.facts
    return (
        f"Line {d.line} computes from `{f['original']}`, and nothing uses its copy `{f['copy']}`:"
        f" no loss depends on the copy, so `{f['copy']}.grad` is None at line"
        f" {d.also['read'].line}."
    )


def meant(evidence: Evidence, d: Diagnosis) -> str:
    """A program that only looks whether there is a gradient goes on where there is none."""
    read = d.also["read"].text
    return "it asks whether there is one" if " is None" in read or " is not None" in read else ""


def correct(source: Source, d: Diagnosis) -> Iterator[Correction]:
    """The copy in place of the original."""
    statement = statement_of(source, d.place)
    nodes = [
        n for n in ast.walk(statement) if isinstance(n, ast.expr)
        and source.code(n) == d.facts["original"]
    ] if statement is not None else []  # fmt: skip
    if nodes:
        yield Correction(source.edited(source.replaced(n, d.facts["copy"]) for n in nodes))


START = """\
import torch
torch.manual_seed(0)
net = torch.nn.Linear(3, 2)
image = torch.rand(1, 3)
attack = image.clone().requires_grad_()
"""
EXAMPLE = f"""\
{START}loss = net(image).pow(2).sum()  # <- here
loss.backward()
print(attack.grad)
"""
HEALTHY = f"""\
{START}loss = net(attack).pow(2).sum() + net(image).sum()
loss.backward()
print(attack.grad)
"""
KIND = register(Kind("copy_unused", 22, "none", find, sentence, EXAMPLE, HEALTHY, meant, correct))
