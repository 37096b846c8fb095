"""JAX: the gradient is with respect to an argument that holds integers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from ..corrections.edits import statement_of
from ..diagnosis import Correction, Diagnosis, refusal
from ..source_text import Source, called


def _facts(error: str) -> dict[str, Any]:
    dtype = re.search(r"but got (\w+)", error)
    return {"dtype": dtype[1] if dtype else "integers"}


def sentence(d: Diagnosis) -> str:
    """In words."""
    return (
        f"The argument of the gradient at line {d.line} has dtype {d.facts['dtype']}, but only"
        " floating-point numbers have derivatives: an integer cannot change a little."
        " Write `3.0`, for instance."
    )


def correct(source: Source, d: Diagnosis) -> Iterator[Correction]:
    """The same numbers with a point: in the call, or where its arguments are made."""
    call: Any = source.node(d.place.span) if d.place.span else None
    if not isinstance(call, ast.Call):
        return
    if whole := _whole(call.args):
        yield Correction(source.edited(source.replaced(n, f"{n.value}.0") for n in whole))
    names = {n.id for a in call.args for n in ast.walk(a) if isinstance(n, ast.Name)}
    made = [
        n
        for n in ast.walk(source.tree)
        if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)
    ]
    for statement in made:
        if statement.targets[0].id not in names or statement is statement_of(source, d.place):  # type: ignore[attr-defined]
            continue
        values = [statement.value]
        if isinstance(statement.value, ast.Call) and called(statement.value.func) != "arange":
            values = list(statement.value.args)
        if whole := _whole(values):
            yield Correction(source.edited(source.replaced(n, f"{n.value}.0") for n in whole))
        value: Any = statement.value
        if isinstance(value, ast.Call) and called(value.func) == "arange":
            text = f"{source.code(value)}.astype(float)"
            yield Correction(source.edited([source.replaced(value, text)]))


def _whole(nodes: list[Any]) -> list[Any]:
    found = [n for each in nodes for n in ast.walk(each) if isinstance(n, ast.Constant)]
    return [n for n in found if type(n.value) is int]


KIND = refusal(
    "grad_of_integers",
    85,
    "requires real- or complex-valued inputs",
    sentence,
    correct,
    facts=_facts,
    example="""\
import jax

def loss(w):
    return w * w

print(jax.grad(loss)(3))  # <- here
""",
    healthy="""\
import jax

def power(w, n):
    return w**n

print(jax.grad(power)(3.0, 2))
""",
)
