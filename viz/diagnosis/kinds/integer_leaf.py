"""A tensor of integers that should have a gradient."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from ..corrections.edits import statement_of, with_keyword
from ..corrections.pytorch import torch_name
from ..diagnosis import Correction, Diagnosis, Kind, register
from ..evidence import Ask, Evidence
from ..source_text import Source, called


def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
    """PyTorch refuses to ask for the gradient of integers: where they were made."""
    place = evidence.error_place
    if ask is not None or place is None or "can require gradients" not in evidence.error:
        return
    words = set(re.findall(r"[\w.]+", place.code or place.text))
    words |= {word.rsplit(".", 1)[0] for word in words}
    for value in evidence.values.values():
        is_whole = value.dtype.startswith(("int", "uint", "bool"))
        if is_whole and value.name in words and value.place is not None:
            facts = {"name": value.name, "dtype": value.dtype}
            yield Diagnosis(KIND, value.place, facts, "error", also={"asked": place})
            return
    yield Diagnosis(KIND, place, {"name": "", "dtype": "integers"}, "error")


def sentence(d: Diagnosis) -> str:
    """In words."""
    where = f", at line {d.also['asked'].line}," if "asked" in d.also else ""
    name = f"`{d.facts['name']}`" if d.facts["name"] else "the tensor"
    return (
        f"{name[0].upper() + name[1:] if not d.facts['name'] else name} of line {d.line} holds"
        f" integers{where}, but only floating-point numbers have derivatives: an integer"
        " cannot change a little."
    )


def correct(source: Source, d: Diagnosis) -> Iterator[Correction]:
    """The same numbers with a point."""
    statement = statement_of(source, d.place)
    if statement is None:
        return
    for call in [n for n in ast.walk(statement) if isinstance(n, ast.Call)]:
        name = called(call.func)
        if name in {"tensor", "as_tensor", "Tensor"} and call.args:
            whole: list[Any] = [n for n in ast.walk(call.args[0]) if _is_whole(n)]
            if whole:
                yield Correction(source.edited(source.replaced(n, f"{n.value}.0") for n in whole))
        is_made = name in {
            "tensor",
            "as_tensor",
            "arange",
            "zeros",
            "ones",
            "full",
            "eye",
            "from_numpy",
            "randint",
        }
        if is_made:
            old = [k for k in call.keywords if k.arg == "dtype"]
            dtype = f"{torch_name(source)}.float32"
            if old:
                yield Correction(source.edited([source.replaced(old[0].value, dtype)]))
            elif name != "from_numpy":
                yield Correction(source.edited([with_keyword(source, call, f"dtype={dtype}")]))
            else:
                yield Correction(
                    source.edited([source.replaced(call, source.code(call) + ".float()")])
                )
    if isinstance(statement, ast.Assign):
        text = f"{source.code(statement.value)}.float()"
        yield Correction(source.edited([source.replaced(statement.value, text)]))


def _is_whole(node: Any) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int


def meant(evidence: Evidence, d: Diagnosis) -> str:
    """Never: the script has stopped."""
    return ""


KIND = register(
    Kind(
        "integer_leaf",
        5,
        "error",
        find,
        sentence,
        correct=correct,
        meant=meant,
        example="""\
import torch
c = torch.tensor([2, -3, 1], requires_grad=True)  # <- here
(c * c).sum().backward()
""",
        healthy="""\
import torch
c = torch.tensor([2.0, -3.0, 1.0], requires_grad=True)
rows = torch.tensor([0, 2])
(c[rows] * c[rows]).sum().backward()
""",
    )
)
