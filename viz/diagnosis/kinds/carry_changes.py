"""JAX: the state of a loop leaves a step with a different dtype or shape."""

from __future__ import annotations

import re
from typing import Any

from ..diagnosis import Diagnosis, refusal

TYPES = re.compile(r"has type (\w+\[[\d,]*\]).*?output[^.]*?has type (\w+\[[\d,]*\])", re.DOTALL)


def _facts(error: str) -> dict[str, Any]:
    types = TYPES.search(error)
    return {"types": list(types.groups()) if types else []}


def sentence(d: Diagnosis) -> str:
    """In words."""
    types = d.facts["types"]
    how = f": it starts as {types[0]} and a step returns {types[1]}" if types else ""
    return (
        f"The state of the loop at line {d.line} changes its type{how}. All steps are one program,"
        " so a step has to return the dtype and the shape that it was given: start with the"
        " type that the step returns."
    )


KIND = refusal(
    "carry_changes",
    89,
    "carry.*must have equal types",
    sentence,
    facts=_facts,
    example="""\
import jax
import jax.numpy as jnp

def total(w, x):
    step = lambda s, u: (s + w * u, None)
    return jax.lax.scan(step, jnp.zeros((), int), x)[0]  # <- here

print(jax.grad(total)(0.5, jnp.ones(3)))
""",
    healthy="""\
import jax
import jax.numpy as jnp

def total(w, x):
    step = lambda s, u: ((s[0] + 1, s[1] + w * u), None)
    return jax.lax.scan(step, (0, 0.0), x)[0][1]

print(jax.grad(total)(0.5, jnp.ones(3)))
""",
)
