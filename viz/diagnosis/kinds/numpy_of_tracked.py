"""A tensor that requires a gradient is passed to NumPy, and PyTorch refuses."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..corrections.edits import calls, statement_of
from ..corrections.pytorch import _groups, in_tensors
from ..diagnosis import Correction, Diagnosis, Kind, refused, register
from ..evidence import Ask, Evidence
from ..source_text import Source, called


def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
    """The error is at the line that leaves."""
    said = "Can't call numpy() on Tensor that requires grad" in evidence.error
    if ask is None and said and evidence.error_place is not None:
        yield Diagnosis(KIND, evidence.error_place, {}, "error", ask=len(evidence.asks))


def sentence(d: Diagnosis) -> str:
    """In words."""
    return (
        f"At line {d.line}, `{d.place.code or d.place.text}` passes a tensor that requires a"
        " gradient to NumPy, which knows nothing of gradients, so PyTorch refuses. What the loss"
        " is computed from has to stay in tensors. To look at the numbers, write"
        " `.detach().numpy()`."
    )


def correct(source: Source, d: Diagnosis) -> Iterator[Correction]:
    """The same function of PyTorch's, else a detached copy."""
    statement = statement_of(source, d.place)
    if statement is None:
        return
    if not _is_shown(source, statement):
        for statements in _groups(source, d, statement):
            edits = in_tensors(source, statements)
            if edits:
                yield Correction(source.edited(edits))
    for call in calls(source, "numpy"):
        if isinstance(call.func, ast.Attribute) and statement.lineno <= call.lineno <= (
            statement.end_lineno or 0
        ):
            owner = source.code(call.func.value)
            yield Correction(source.edited([source.replaced(call.func.value, f"{owner}.detach()")]))


def _is_shown(source: Source, statement: ast.AST) -> bool:
    """Whether a statement only shows or keeps numbers."""
    shows = {"print", "plot", "scatter", "append", "imshow", "hist", "array_equal", "savetxt"}
    return any(called(n.func) in shows for n in ast.walk(statement) if isinstance(n, ast.Call))


KIND = register(
    Kind(
        "numpy_of_tracked",
        4,
        "error",
        find,
        sentence,
        correct=correct,
        meant=refused,
        example="""\
import numpy as np
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (w * torch.from_numpy(np.tanh(w.numpy()))).sum()  # <- here
loss.backward()
""",
        healthy="""\
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (w * torch.tanh(w)).sum()
loss.backward()
print(w.detach().numpy())
""",
    )
)
