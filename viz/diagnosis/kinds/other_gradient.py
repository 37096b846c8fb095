"""A variable is moved along the gradient of another one: two lists stand in different orders."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..corrections.edits import calls, statement_of
from ..diagnosis import Correction, Diagnosis, Kind, refused, register
from ..evidence import STEP, Ask, Evidence, Op
from ..source_text import Source, called


def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
    """An update by hand, whose gradient belongs to another variable of the same request."""
    if ask is not None:
        return
    for op in evidence.ops:
        asked = _asked(evidence, op) if op.cut == STEP and len(op.inputs) == 2 else None
        if asked is None or op.place is None:
            continue
        grad, number = asked
        given = [evidence.first(k) for k in grad.attributes.get("of", ())]
        own = evidence.first(op.inputs[0])
        names = [evidence.name(own), evidence.name(given[number]) if number < len(given) else ""]
        if own in given and own != given[number] and all(names) and grad.place is not None:
            yield Diagnosis(KIND, op.place, {"names": names}, ask=0, also={"grad": grad.place})
            return


def _asked(evidence: Evidence, op: Op) -> tuple[Op, int] | None:
    """The request that an update's gradient is from, and which of its results it is."""
    key = op.inputs[1]
    made = evidence.maker.get(key)
    while made is not None and made.name != "grad" and len(made.inputs) == 1:
        key = made.inputs[0]
        made = evidence.maker.get(key)
    return (made, made.outputs.index(key)) if made is not None and made.name == "grad" else None


def sentence(d: Diagnosis) -> str:
    """In words."""
    own, other = d.facts["names"]
    return (
        f"Line {d.line} moves {own} along the gradient of {other}: line {d.also['grad'].line} gives"
        " the gradients in another order than that in which they are used."
    )


def correct(source: Source, d: Diagnosis) -> Iterator[Correction]:
    """The variables in the order in which their gradients were asked for."""
    statement, asked = statement_of(source, d.place), source.statement(d.also["grad"].line)
    lists = [c.args[1] for c in calls(source, "grad") if len(c.args) > 1]
    wanted = [n for n in lists if asked is not None and source.statement(n) is asked]
    for around in source.above(statement) if statement is not None and wanted else ():
        zipped = getattr(around, "iter", None)
        if isinstance(zipped, ast.Call) and called(zipped.func) == "zip":
            for each in zipped.args:
                if isinstance(each, ast.List | ast.Tuple):
                    text = source.code(wanted[0])
                    yield Correction(source.edited([source.replaced(each, text)]))


EXAMPLE = """\
import torch
a, b = torch.tensor(1.0, requires_grad=True), torch.tensor(3.0, requires_grad=True)
for step in range(3):
    grads = torch.autograd.grad((a * b - 2.0) ** 2, [a, b])
    with torch.no_grad():
        for p, g in zip([b, a], grads):
            p -= 0.01 * g  # <- here
"""
HEALTHY = EXAMPLE.replace("[b, a]", "[a, b]").replace("  # <- here", "")
KIND = register(
    Kind("other_gradient", 24, "update", find, sentence, EXAMPLE, HEALTHY, refused, correct)
)
