"""A variable is changed in place while gradients are recorded."""

from __future__ import annotations

from collections.abc import Iterator

from ..corrections.edits import statement_of, without_gradients
from ..diagnosis import Correction, Diagnosis, Kind, refused, register
from ..evidence import Ask, Evidence
from ..source_text import Source


def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
    """PyTorch refuses the change; the line that fails is the line of the mistake."""
    said = evidence.error
    is_leaf = "leaf Variable that requires grad" in said and "in-place" in said
    if ask is None and is_leaf and evidence.error_place is not None:
        number = evidence.asks[-1].number if evidence.asks else 0
        yield Diagnosis(
            KIND, evidence.error_place, {"view": "view of a leaf" in said}, "error", ask=number
        )


def sentence(d: Diagnosis) -> str:
    """In words."""
    what = "a part of a variable" if d.facts["view"] else "a variable"
    return (
        f"Line {d.line} changes {what} in place while gradients are recorded: `{d.place.text}`. The"
        " graph would then hold a variable that is a source and a result at once. An"
        " update is not part of the function: put it inside `with torch.no_grad():`."
    )


def correct(source: Source, d: Diagnosis) -> Iterator[Correction]:
    """The statement in a block without gradients."""
    statement = statement_of(source, d.place)
    if statement is not None:
        yield Correction(source.edited([without_gradients(source, statement)]))


KIND = register(
    Kind(
        "inplace_leaf",
        7,
        "error",
        find,
        sentence,
        correct=correct,
        meant=refused,
        example="""\
import torch
w = torch.tensor([1.0, -2.0], requires_grad=True)
(w * w).sum().backward()
w -= 0.1 * w.grad  # <- here
""",
        healthy="""\
import torch
w = torch.tensor([1.0, -2.0], requires_grad=True)
(w * w).sum().backward()
with torch.no_grad():
    w -= 0.1 * w.grad
""",
    )
)
