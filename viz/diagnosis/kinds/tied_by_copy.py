"""Two weights that should be one: the second is a new parameter with a copy of the numbers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..corrections.edits import statement_of
from ..diagnosis import LIKELY, Correction, Diagnosis, Kind, register
from ..evidence import Ask, Evidence
from ..source_text import Source, called


def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
    """A parameter made of another one, `a.weight = nn.Parameter(b.weight...)`; both train."""
    if ask is not None:
        return
    moved = {evidence.first(k) for e in evidence.events if e.kind == "step" for k in e.keys}
    for op in evidence.ops:
        if op.cut != "parameter" or op.place is None or len(op.outputs) != 1:
            continue
        left = re.match(r"^([\w.\[\]]+)\.weight\s*=[^=]", op.place.text)
        source = next(
            (k for k in _roots(evidence, op.inputs) if evidence.values[k].role == "variable"), 0
        )
        if (
            left
            and source
            and ".weight" in op.place.text.split("=", 1)[1]
            and {evidence.first(op.outputs[0]), evidence.first(source)} <= moved
        ):
            facts = {"left": f"{left[1]}.weight", "right": _right(op.place.text)}
            yield Diagnosis(KIND, op.place, facts, ask=0, level=LIKELY)
            return


def _roots(evidence: Evidence, keys: tuple[int, ...]) -> list[int]:
    return sorted(evidence.before(keys))


def _right(text: str) -> str:
    found = re.search(r"([\w.\[\]]+\.weight)\b", text.split("=", 1)[1])
    return found[1] if found else ""


def sentence(d: Diagnosis) -> str:
    """In words."""
    f = d.facts
    return (
        f"Line {d.line} makes a new parameter for `{f['left']}` from the numbers of `{f['right']}`."
        " From the first step on the two differ: each gets a gradient of its own. Tied weights are"
        " one parameter with two names."
    )


def meant(evidence: Evidence, d: Diagnosis) -> str:
    """A start value is copied on purpose where the text says so."""
    text = (str(evidence.facts.get("source", "")) + d.place.text).lower()
    says = re.search(r"\btie|tied|tying|share", text)
    return "" if says else "nothing says that they are to be one"


def correct(source: Source, d: Diagnosis) -> Iterator[Correction]:
    """The parameter itself."""
    statement = statement_of(source, d.place)
    if (
        isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.Call)
        and called(statement.value.func) == "Parameter"
    ):
        yield Correction(source.edited([source.replaced(statement.value, d.facts["right"])]))


KIND = register(
    Kind(
        "tied_by_copy",
        65,
        "update",
        find,
        sentence,
        correct=correct,
        meant=meant,
        example="""\
import torch
from torch import nn
torch.manual_seed(0)
words, out = nn.Embedding(5, 3), nn.Linear(3, 5, bias=False)
# tie the weights
out.weight = nn.Parameter(words.weight.clone())  # <- here
optimizer = torch.optim.SGD([*words.parameters(), *out.parameters()], lr=0.1)
for step in range(3):
    optimizer.zero_grad()
    out(words(torch.tensor([0, 1]))).pow(2).mean().backward()
    optimizer.step()
""",
        healthy="""\
import torch
from torch import nn
torch.manual_seed(0)
words, out = nn.Embedding(5, 3), nn.Linear(3, 5, bias=False)
# tie the weights
out.weight = words.weight
optimizer = torch.optim.SGD({*words.parameters(), *out.parameters()}, lr=0.1)
for step in range(3):
    optimizer.zero_grad()
    out(words(torch.tensor([0, 1]))).pow(2).mean().backward()
    optimizer.step()
""",
    )
)
