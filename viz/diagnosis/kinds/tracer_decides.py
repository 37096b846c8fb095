"""JAX: a Python `if` or `while` depends on a traced value, which has no number yet."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ..corrections.edits import statement_of
from ..corrections.jax import jnp_name
from ..diagnosis import Correction, Diagnosis, refusal
from ..source_text import Source, called


def sentence(d: Diagnosis) -> str:
    """In words."""
    return (
        f"`{d.place.code or d.place.text}` at line {d.line} has to be true or false for Python to"
        " go on. But while JAX traces the function, it has no number yet: the trace is for"
        " all inputs, so for both branches. Compute both and choose: `jnp.where(condition, a, b)`."
    )


def correct(source: Source, d: Diagnosis) -> Iterator[Correction]:
    """Both branches, and a choice."""
    jnp = jnp_name(source)
    node: Any = source.node(d.place.span) if d.place.span else None
    for each in [node, *source.above(node)] if node is not None else []:
        if isinstance(each, ast.IfExp):
            choice = _choice(source, jnp, each.test, each.body, each.orelse)
            yield Correction(source.edited([source.replaced(each, choice)]))
        if isinstance(each, ast.Call) and called(each.func) in {"max", "min"}:
            arguments = ", ".join(source.code(a) for a in each.args)
            text = f"{jnp}.{called(each.func)}imum({arguments})"
            yield Correction(source.edited([source.replaced(each, text)]))
    statement = statement_of(source, d.place)
    if isinstance(statement, ast.If) and len(statement.body) == 1:
        yield from _of_branches(source, jnp, statement)


def _choice(source: Source, jnp: str, test: Any, one: Any, other: Any) -> str:
    return f"{jnp}.where({source.code(test)}, {source.code(one)}, {source.code(other)})"


def _of_branches(source: Source, jnp: str, branch: ast.If) -> Iterator[Correction]:
    """`if` and `else` that give or name one value each."""
    one: Any = branch.body[0]
    block = source.block(branch)
    later = block[block.index(branch) + 1 :][:1]
    other: Any = next(iter(branch.orelse or later), None)
    if isinstance(one, ast.Return) and isinstance(other, ast.Return):
        choice = f"return {_choice(source, jnp, branch.test, one.value, other.value)}"
        edits = [source.replaced(branch, choice)]
        if not branch.orelse:
            edits.append(source.without(other))
        yield Correction(source.edited(edits))
    if not isinstance(one, ast.Assign):
        return
    name = source.code(one.targets[0])
    if isinstance(other, ast.Assign) and branch.orelse and source.code(other.targets[0]) == name:
        choice = _choice(source, jnp, branch.test, one.value, other.value)
        yield Correction(source.edited([source.replaced(branch, f"{name} = {choice}")]))
    elif not branch.orelse:
        choice = f"{jnp}.where({source.code(branch.test)}, {source.code(one.value)}, {name})"
        yield Correction(source.edited([source.replaced(branch, f"{name} = {choice}")]))


KIND = refusal(
    "tracer_decides",
    80,
    "TracerBoolConversionError",
    sentence,
    correct,
    example="""\
import jax
import jax.numpy as jnp

@jax.jit
def loss(w):
    if w > 0:  # <- here
        return w * w
    return -w

print(jax.grad(loss)(3.0))
""",
    healthy="""\
import jax
import jax.numpy as jnp

def loss(w, squares):
    if squares:
        return w * w
    return -w

print(jax.grad(loss)(3.0, True))
""",
)
