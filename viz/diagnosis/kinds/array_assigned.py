"""JAX: an element of an array is assigned, and arrays of JAX do not change."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..corrections.edits import statement_of
from ..diagnosis import Correction, Diagnosis, Kind, refused, register
from ..evidence import Ask, Evidence
from ..source_text import Source

WAYS = {ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide"}


def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
    """JAX refuses the assignment."""
    place = evidence.error_place
    if ask is None and place is not None and "do not support in-place item" in evidence.error:
        yield Diagnosis(KIND, place, {}, "error")


def sentence(d: Diagnosis) -> str:
    """In words."""
    return (
        f"`{d.place.text}` at line {d.line} would change an array in place, and arrays of JAX never"
        " change: `x.at[i].set(value)` gives another one, which takes the name of the first."
    )


def correct(source: Source, d: Diagnosis) -> Iterator[Correction]:
    """The same assignment with `at`."""
    statement = statement_of(source, d.place)
    way = "set"
    if isinstance(statement, ast.AugAssign):
        way, target = WAYS.get(type(statement.op), ""), statement.target
    elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]  # type: ignore[assignment]
    else:
        return
    if not way or not isinstance(target, ast.Subscript):
        return
    array, index = source.code(target.value), source.code(target.slice)
    text = f"{array} = {array}.at[{index}].{way}({source.code(statement.value)})"
    yield Correction(source.edited([source.replaced(statement, text)]))


KIND = register(
    Kind(
        "array_assigned",
        87,
        "error",
        find,
        sentence,
        correct=correct,
        meant=refused,
        dialects=("jax",),
        example="""\
import jax
import jax.numpy as jnp

def loss(w):
    table = jnp.ones(3)
    table[1] = w  # <- here
    return jnp.sum(table**2)

print(jax.grad(loss)(0.5))
""",
        healthy="""\
import jax
import jax.numpy as jnp
import numpy as np

table = np.ones(3)
table[1] = 4.0

def loss(w):
    return jnp.sum(w * table)

print(jax.grad(loss)(0.5))
""",
    )
)
