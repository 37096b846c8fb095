"""JAX: `grad` of a function that gives several numbers: of which is the gradient?"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from ..corrections.edits import calls, with_keyword
from ..corrections.jax import jnp_name
from ..diagnosis import Correction, Diagnosis, Kind, refused, register
from ..evidence import Ask, Evidence
from ..source_text import Source

SHAPE = re.compile(r"Output had shape: (\([\d, ]*\))")


def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
    """JAX refuses to differentiate what is no scalar."""
    error, place = evidence.error, evidence.error_place
    if ask is not None or place is None or "only defined for scalar-output" not in error:
        return
    shape = SHAPE.search(error)
    yield Diagnosis(KIND, place, {"shape": shape[1] if shape else ""}, "error")


def sentence(d: Diagnosis) -> str:
    """In words."""
    gives = f"gives an array of shape {d.facts['shape']}" if d.facts["shape"] else "gives a tuple"
    return (
        f"The function that is differentiated at line {d.line} {gives}, and a gradient is that of"
        " one number. Sum or average its elements, or return the rest besides: `has_aux=True`. All"
        " derivatives of an array are `jax.jacrev(f)`."
    )


def correct(source: Source, d: Diagnosis) -> Iterator[Correction]:
    """The sum and the mean of what the function gives: other functions, either way."""
    jnp = jnp_name(source)
    for call in calls(source, "grad", "value_and_grad"):
        function: Any = call.args[0] if call.args else None
        if not isinstance(function, ast.Name | ast.Attribute | ast.Lambda):
            continue
        if not d.facts["shape"]:
            if all(k.arg != "has_aux" for k in call.keywords):
                yield Correction(source.edited([with_keyword(source, call, "has_aux=True")]), False)
            continue
        code = source.code(function)
        code = f"({code})" if isinstance(function, ast.Lambda) else code
        for way in ("sum", "mean"):
            text = f"lambda *values: {jnp}.{way}({code}(*values))"
            yield Correction(source.edited([source.replaced(function, text)]), False)


KIND = register(
    Kind(
        "grad_of_several",
        84,
        "error",
        find,
        sentence,
        correct=correct,
        meant=refused,
        dialects=("jax",),
        example="""\
import jax
import jax.numpy as jnp

def errors(w):
    return (w - 1.0) ** 2

print(jax.grad(errors)(jnp.array([0.5, -1.0])))  # <- here
""",
        healthy="""\
import jax
import jax.numpy as jnp

def errors(w):
    return (w - 1.0) ** 2

print(jax.jacrev(errors)(jnp.array([0.5, -1.0])))
""",
    )
)
