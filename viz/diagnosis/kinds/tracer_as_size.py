"""JAX: a traced value is used as a size, a Python index or a mask, but shapes have to be known."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ..corrections.edits import statement_of
from ..corrections.jax import jnp_name
from ..diagnosis import Correction, Diagnosis, refusal
from ..source_text import Source, called

SAID = (
    "TracerIntegerConversionError|NonConcreteBooleanIndexError|The size argument of"
    "|Shapes must be 1D sequences of concrete values|It arose in (the jnp.arange|jnp.nonzero)"
)


def _facts(error: str) -> dict[str, Any]:
    return {"mask": "NonConcreteBoolean" in error}


def sentence(d: Diagnosis) -> str:
    """In words."""
    what = d.place.code or d.place.text
    if d.facts["mask"]:
        return (
            f"`{what}` at line {d.line} has as many elements as the mask has true ones, but JAX has"
            " to know every shape before it knows any number. Keep all elements, and set those that"
            " do not count to zero: `jnp.where(mask, x, 0.0)`."
        )
    return (
        f"A size or a Python index in `{what}` at line {d.line} is a traced value, but JAX"
        " has to know every shape before it knows any number. Pass it as a plain int, and mark"
        " that argument as static: `jax.jit(f, static_argnums=...)`."
    )


def correct(source: Source, d: Diagnosis) -> Iterator[Correction]:
    """The sum of what a mask picks, with zeros in place of the rest."""
    statement: Any = statement_of(source, d.place) if d.facts["mask"] else None
    if statement is None or not any(
        isinstance(n, ast.Call) and called(n.func) == "sum" for n in ast.walk(statement)
    ):
        return  # a mean of zeros and the rest is another mean
    for node in ast.walk(statement):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Compare | ast.Name):
            mask, x = source.code(node.slice), source.code(node.value)
            text = f"{jnp_name(source)}.where({mask}, {x}, 0.0)"
            yield Correction(source.edited([source.replaced(node, text)]), False)


KIND = refusal(
    "tracer_as_size",
    83,
    SAID,
    sentence,
    correct,
    facts=_facts,
    example="""\
import jax
import jax.numpy as jnp

@jax.jit
def loss(w):
    return jnp.sum(w[w > 0] ** 2)  # <- here

print(jax.grad(loss)(jnp.array([0.5, -1.0])))
""",
    healthy="""\
import jax
import jax.numpy as jnp

@jax.jit
def loss(w):
    return jnp.sum(jnp.where(w > 0, w, 0.0) ** 2)

print(jax.grad(loss)(jnp.array([0.5, -1.0])))
""",
)
