"""JAX: a line computes a new array and drops it; JAX arrays never change in place."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ..corrections.edits import statement_of
from ..diagnosis import Correction, Diagnosis, Kind, refused, register
from ..evidence import Ask, Evidence, Place
from ..source_text import Source, called

AT = {"set", "add", "subtract", "multiply", "mul", "divide", "power", "min", "max", "apply"}


def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
    """Statements that are no more than a call without any effect."""
    text = str(evidence.facts.get("source", ""))
    if ask is not None or evidence.error or not text:
        return
    source = Source(text)
    file = next((a.place.file for a in evidence.asks if a.place is not None), "")
    for each in ast.walk(source.tree):
        if isinstance(each, ast.Expr) and (what := _changed(each.value)) is not None:
            span = (each.lineno, each.end_lineno or each.lineno, each.col_offset)
            place = Place(
                file,
                each.lineno,
                source.lines[each.lineno - 1].strip(),
                (*span, each.end_col_offset or 0),
                source.code(each.value),
            )
            facts = {"name": source.code(what), "by": called(each.value.func)}  # type: ignore[attr-defined]
            yield Diagnosis(KIND, place, facts)


def _changed(call: ast.expr) -> Any:
    """What a call gives another value of, None if the call is none of these."""
    if not isinstance(call, ast.Call):
        return None
    function = call.func
    if called(function) == "apply_updates" and call.args:
        return call.args[0]
    if isinstance(function, ast.Attribute) and function.attr in AT:
        at = function.value.value if isinstance(function.value, ast.Subscript) else None
        if isinstance(at, ast.Attribute) and at.attr == "at":
            return at.value
    return None


def sentence(d: Diagnosis) -> str:
    """In words."""
    name, by = d.facts["name"], d.facts["by"]
    return (
        f"Line {d.line} has no effect: `{by}` leaves `{name}` as it is and returns a new value,"
        f" which is not kept. Assign it to a name: `{name} = ...`."
    )


def correct(source: Source, d: Diagnosis) -> Iterator[Correction]:
    """The result gets the name of what it was made of."""
    statement = statement_of(source, d.place)
    name = d.facts["name"]
    if statement is not None and name.replace(".", "").isidentifier():
        text = f"{name} = {source.code(statement)}"
        yield Correction(source.edited([source.replaced(statement, text)]), False)


KIND = register(
    Kind(
        "result_dropped",
        79,
        "update",
        find,
        sentence,
        correct=correct,
        meant=refused,
        hides=("cut_path", "vanishing"),
        dialects=("jax",),
        example="""\
import jax
import jax.numpy as jnp

def loss(w):
    table = jnp.ones(3)
    table.at[1].set(w)  # <- here
    return jnp.sum(table**2)

print(jax.grad(loss)(0.5))
""",
        healthy="""\
import jax
import jax.numpy as jnp

def loss(w):
    table = jnp.ones(3)
    table = table.at[1].set(w)
    return jnp.sum(table**2)

seen = set()
seen.add(float(jax.grad(loss)(0.5)))
print(seen)
""",
    )
)
