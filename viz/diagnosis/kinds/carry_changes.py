"""JAX: the state of a loop leaves a step with another dtype or shape than it came in."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..diagnosis import Diagnosis, Kind, refused, register
from ..evidence import Ask, Evidence

TYPES = re.compile(r"has type (\w+\[[\d,]*\]).*?output[^.]*?has type (\w+\[[\d,]*\])", re.DOTALL)


def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
    """JAX refuses a carry that changes."""
    place, error = evidence.error_place, evidence.error
    if ask is None and place is not None and "carry" in error and "must have equal types" in error:
        types = TYPES.search(error)
        yield Diagnosis(KIND, place, {"types": list(types.groups()) if types else []}, "error")


def sentence(d: Diagnosis) -> str:
    """In words."""
    types = d.facts["types"]
    how = f": it starts as {types[0]} and a step gives {types[1]}" if types else ""
    return (
        f"The state of the loop at line {d.line} changes its type{how}. All steps are one program,"
        " so what a step returns needs the dtype and the shape that it was given: start with the"
        " type that the step returns."
    )


KIND = register(
    Kind(
        "carry_changes",
        89,
        "error",
        find,
        sentence,
        meant=refused,
        dialects=("jax",),
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
)
