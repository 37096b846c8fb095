"""JAX: a traced value is passed to NumPy or Python, which need its numbers."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ..corrections.edits import statement_of
from ..corrections.jax import jnp_name
from ..diagnosis import Correction, Diagnosis, refusal
from ..source_text import Source, called

SAID = r"TracerArrayConversionError|problem arose with the `(float|int)`|occurred in the item\(\)"


def _facts(error: str) -> dict[str, Any]:
    return {"numpy": "Array" in error.partition(":")[0]}


def sentence(d: Diagnosis) -> str:
    """In words."""
    who = "NumPy wants" if d.facts["numpy"] else "Python wants"
    return (
        f"{who} numbers from `{d.place.code or d.place.text}` at line {d.line}, but while JAX"
        " traces the function there are none yet. What leaves JAX would have no derivative either."
        " Stay in `jax.numpy`, and look at numbers after you have computed the gradient."
    )


def correct(source: Source, d: Diagnosis) -> Iterator[Correction]:
    """The same function of `jax.numpy`, or the value as it is."""
    statement = statement_of(source, d.place)
    numpy = source.aliases("numpy")
    calls = [n for n in ast.walk(statement) if isinstance(n, ast.Call)] if statement else []
    edits = []
    for call in calls:
        function: Any = call.func
        if isinstance(function, ast.Attribute) and source.code(function.value) in numpy:
            edits.append(source.replaced(function.value, jnp_name(source)))
    if edits:
        yield Correction(source.edited(edits))
    for call in calls:
        inner: Any = None
        if called(call.func) == "item" and isinstance(call.func, ast.Attribute):
            inner = call.func.value
        elif called(call.func) in {"float", "int"} and len(call.args) == 1:
            inner = call.args[0]
        if inner is not None:
            yield Correction(source.edited([source.replaced(call, source.code(inner))]))


KIND = refusal(
    "tracer_leaves",
    81,
    SAID,
    sentence,
    correct,
    facts=_facts,
    example="""\
import jax
import jax.numpy as jnp
import numpy as np

def loss(w):
    return jnp.sum(np.tanh(w) ** 2)  # <- here

print(jax.grad(loss)(jnp.array([0.5, -1.0])))
""",
    healthy="""\
import jax
import jax.numpy as jnp
import numpy as np

def loss(w):
    return jnp.sum(jnp.tanh(w) ** 2)

print(np.tanh(jax.grad(loss)(jnp.array([0.5, -1.0]))))
""",
)
