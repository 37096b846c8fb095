"""JAX: an element of an array is assigned, but JAX arrays cannot change."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..corrections.edits import statement_of
from ..diagnosis import Correction, Diagnosis, refusal
from ..source_text import Source

WAYS = {ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide"}


def sentence(d: Diagnosis) -> str:
    """In words."""
    return (
        f"`{d.place.text}` at line {d.line} would change an array in place, but JAX arrays never"
        " change. `x.at[i].set(value)` returns a new array: assign that to the name."
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


KIND = refusal(
    "array_assigned",
    87,
    "do not support in-place item",
    sentence,
    correct,
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
