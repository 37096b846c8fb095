"""JAX: `grad` of a function that returns several numbers: the gradient of which?"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from ..corrections.edits import calls, with_keyword
from ..corrections.jax import jnp_name
from ..diagnosis import Correction, Diagnosis, refusal
from ..source_text import Source

SHAPE = re.compile(r"Output had shape: (\([\d, ]*\))")


def _facts(error: str) -> dict[str, Any]:
    shape = SHAPE.search(error)
    return {"shape": shape[1] if shape else ""}


def sentence(d: Diagnosis) -> str:
    """In words."""
    gives = (
        f"returns an array of shape {d.facts['shape']}" if d.facts["shape"] else "returns a tuple"
    )
    return (
        f"The function that is differentiated at line {d.line} {gives}, but a gradient is that of"
        " one number. Sum or average its elements, or return the rest as well, with `has_aux=True`."
        " `jax.jacrev(f)` computes all derivatives of an array."
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


KIND = refusal(
    "grad_of_several",
    84,
    "only defined for scalar-output",
    sentence,
    correct,
    facts=_facts,
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
