"""JAX: the function that is differentiated reads an outer variable instead of its own argument."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ..diagnosis import Correction, Diagnosis, Kind, register
from ..evidence import Ask, Evidence
from ..source_text import Source


def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
    """The argument is read nowhere, and what was passed for it is, under its outer name."""
    if ask is None or ask.place is None or not ask.gradients or "function" not in ask.facts:
        return
    if any(g is None or g.any() for g in ask.gradients.values()):
        return
    if not evidence.after(ask.sources, ask.ended).isdisjoint(ask.targets):
        return
    source = Source(str(evidence.facts.get("source", "")))
    call: Any = source.node(ask.place.span) if ask.place.span else None
    function = _function(source, *ask.facts["function"])
    if not isinstance(call, ast.Call) or function is None:
        return
    parameters = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
    for number in ask.facts["argnums"]:
        if not number < min(len(parameters), len(call.args)):
            continue
        mine, given = parameters[number], call.args[number]
        if not isinstance(given, ast.Name) or mine == given.id or _read(function, mine):
            continue
        for node in _read(function, given.id):
            row = source.lines[node.lineno - 1].strip()
            span = (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset)
            place = ask.place._replace(line=node.lineno, text=row, span=span, code=node.id)
            facts = {"argument": mine, "outer": given.id, "function": function_name(function)}
            yield Diagnosis(KIND, place, facts, ask=ask.number)
            return


def function_name(function: Any) -> str:
    """What a sentence calls a function."""
    return f"`{function.name}`" if hasattr(function, "name") else "the lambda"


def _function(source: Source, name: str, line: int) -> Any:
    for each in ast.walk(source.tree):
        if name == "<lambda>" and isinstance(each, ast.Lambda) and each.lineno == line:
            return each
        if isinstance(each, ast.FunctionDef) and each.name == name:
            rows = [each.lineno, *(d.lineno for d in each.decorator_list)]
            if line in rows:
                return each
    return None


def _read(function: Any, name: str) -> list[Any]:
    body = function.body if isinstance(function.body, list) else [function.body]
    return [
        n
        for each in body
        for n in ast.walk(each)
        if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)
    ]


def sentence(d: Diagnosis) -> str:
    """In words."""
    f = d.facts
    return (
        f"All gradients are zero: {f['function']} never reads its argument `{f['argument']}`, which"
        f" it is differentiated with respect to. Line {d.line} reads `{f['outer']}` from outside,"
        " and that is a constant here."
    )


def meant(evidence: Evidence, d: Diagnosis) -> str:
    """An argument named with an underscore is left out on purpose."""
    return "its name begins with an underscore" if d.facts["argument"].startswith("_") else ""


def correct(source: Source, d: Diagnosis) -> Iterator[Correction]:
    """The argument in place of the outer name."""
    line = d.place.line
    for each in ast.walk(source.tree):
        if not isinstance(each, ast.FunctionDef | ast.Lambda):
            continue
        nodes = _read(each, d.facts["outer"])
        arguments = {a.arg for a in (*each.args.posonlyargs, *each.args.args)}
        if d.facts["argument"] in arguments and any(n.lineno == line for n in nodes):
            yield Correction(source.edited(source.replaced(n, d.facts["argument"]) for n in nodes))


KIND = register(
    Kind(
        "argument_unread",
        78,
        "zero",
        find,
        sentence,
        correct=correct,
        meant=meant,
        hides=("vanishing", "cut_path"),
        dialects=("jax",),
        example="""\
import jax
import jax.numpy as jnp

weights = jnp.array([0.5, -1.0])

def loss(w):
    return jnp.sum(weights**2)  # <- here

print(jax.grad(loss)(weights))
""",
        healthy="""\
import jax
import jax.numpy as jnp

weights = jnp.array([0.5, -1.0])

def penalty(w):
    return jnp.sum((w - weights) ** 2)

print(jax.grad(penalty)(weights))
""",
    )
)
