"""JAX: a traced value is a size, an index of Python's or a mask: shapes have to be known."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ..corrections.edits import called, statement_of
from ..corrections.jax import jnp_name
from ..diagnosis import Correction, Diagnosis, Kind, refused, register
from ..evidence import Ask, Evidence
from ..source_text import Source

SAID = (
    "TracerIntegerConversionError",
    "NonConcreteBooleanIndexError",
    "Shapes must be 1D sequences of concrete values",
    "It arose in the jnp.arange argument",
    "It arose in jnp.nonzero",
    "The size argument of",
)


def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
    """JAX refuses a shape that hangs on values."""
    error, place = evidence.error, evidence.error_place
    if ask is None and place is not None and any(each in error for each in SAID):
        facts = {"mask": "NonConcreteBoolean" in error, "index": "Integer" in error}
        yield Diagnosis(KIND, place, facts, "error")


def sentence(d: Diagnosis) -> str:
    """In words."""
    what = d.place.code or d.place.text
    if d.facts["mask"]:
        return (
            f"`{what}` at line {d.line} has as many elements as the mask has true ones, and JAX has"
            " to know every shape before it knows a number. Keep all elements, and let those that"
            " do not count be zero: `jnp.where(mask, x, 0.0)`."
        )
    return (
        f"A size or an index of Python's in `{what}` at line {d.line} is a traced value, and JAX"
        " has to know every shape before it knows a number. Give it as a plain int, and say which"
        " argument that is: `jax.jit(f, static_argnums=...)`."
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


KIND = register(
    Kind(
        "tracer_as_size",
        83,
        "error",
        find,
        sentence,
        correct=correct,
        meant=refused,
        dialects=("jax",),
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
)
