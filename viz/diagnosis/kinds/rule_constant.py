"""JAX: the backward rule of a custom gradient gives the same, whatever cotangent comes in."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..diagnosis import Correction, Diagnosis, Kind, register
from ..evidence import Ask, Evidence
from ..source_text import Source


def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
    """A rule that was run again with other cotangents, where the one that came was not 1."""
    for factor in ask.sweep if ask is not None else ():
        rule = factor.op.attributes.get("rule")
        is_one = all(np.all(g == 1) for g in factor.incoming)
        if rule is not None and factor.op.attributes.get("constant") and not is_one:
            facts = {"called": factor.op.called, "argument": rule.code}
            used = {"used": factor.op.place} if factor.op.place is not None else {}
            yield Diagnosis(KIND, rule, facts, ask=ask.number if ask else 0, also=used)


def sentence(d: Diagnosis) -> str:
    """In words."""
    return (
        f"The backward rule of `{d.facts['called']}` (line {d.line}) does not multiply by its"
        f" incoming cotangent `{d.facts['argument']}`: it gives the same for every one. So all that"
        " follows the function is left out of the gradient."
    )


def meant(evidence: Evidence, d: Diagnosis) -> str:
    """A cotangent whose name begins with an underscore is left out on purpose."""
    return "its name begins with an underscore" if d.facts["argument"].startswith("_") else ""


def correct(source: Source, d: Diagnosis) -> Iterator[Correction]:
    """Each number that the rule gives, times the cotangent."""
    for rule in ast.walk(source.tree):
        if not isinstance(rule, ast.FunctionDef | ast.Lambda):
            continue
        body: Any = rule.body
        if isinstance(body, list):
            body = getattr(body[-1], "value", None)
        if rule.lineno == d.line and isinstance(body, ast.Tuple):
            g = d.facts["argument"]
            yield Correction(
                source.edited(
                    source.replaced(each, f"{g} * ({source.code(each)})")
                    for each in body.elts
                    if not (isinstance(each, ast.Constant) and each.value is None)
                )
            )


KIND = register(
    Kind(
        "rule_constant",
        45,
        "wrong",
        find,
        sentence,
        correct=correct,
        meant=meant,
        dialects=("jax",),
        example="""\
import jax
import jax.numpy as jnp

@jax.custom_vjp
def square(x):
    return x * x

def backward(x, g):  # <- here
    return (2.0 * x,)

square.defvjp(lambda x: (x * x, x), backward)
print(jax.grad(lambda w: jnp.mean(square(w)))(jnp.array([1.0, -2.0])))
""",
        healthy="""\
import jax
import jax.numpy as jnp

@jax.custom_vjp
def clipped(x):
    return x

clipped.defvjp(lambda x: (x, None), lambda _, g: (jnp.clip(g, -0.1, 0.1),))
print(jax.grad(lambda w: jnp.sum(clipped(w) ** 2))(jnp.array([1.0, -2.0])))
""",
    )
)
