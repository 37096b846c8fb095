"""JAX: all gradients are zero, because every path to the target blocks them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..diagnosis import Correction, Diagnosis, Kind, register
from ..evidence import Ask, Evidence
from ..source_text import Source, called


def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
    """The first cut on the way of what is differentiated, where no other way is left."""
    if ask is None or not ask.targets or not ask.gradients:
        return
    if any(g is None or g.any() for g in ask.gradients.values()):
        return
    if not evidence.after(ask.sources, ask.ended, passes=True).isdisjoint(ask.targets):
        return
    cuts = [op for op in evidence.cuts(ask.targets, ask.sources, ask.ended) if op.place is not None]
    for op in cuts[:1]:
        name = evidence.name(ask.sources[0])
        truth = evidence.values[op.outputs[0]].dtype == "bool"
        facts = {
            "op": op.called,
            "name": op.name,
            "truth": truth,
            "only": len({c.place for c in cuts}) == 1,
        }
        assert op.place is not None
        yield Diagnosis(KIND, op.place, facts, "zero", name)


def sentence(d: Diagnosis) -> str:
    """In words."""
    why = "its result is not a floating-point number, which could change a little"
    smooth = " Instead of a step, use a smooth function, such as `jax.nn.sigmoid`."
    if d.facts["truth"]:
        why = "a comparison is true or false, and cannot change a little"
    elif d.facts["name"] == "stop_gradient":
        why, smooth = "it makes a constant of its argument", ""
    return (
        "All gradients are zero: no path from the variables to the target passes one on. The first"
        f" ends at `{d.place.code or d.place.text}`, line {d.line}: {why}.{smooth}"
    )


def correct(source: Source, d: Diagnosis) -> Iterator[Correction]:
    """What `stop_gradient` was given, as it is; of several, one may well be meant."""
    if not d.facts["only"]:
        return
    node = source.node(d.place.span) if d.place.span else None
    if isinstance(node, ast.Call) and called(node.func) == "stop_gradient" and len(node.args) == 1:
        yield Correction(source.edited([source.replaced(node, f"({source.code(node.args[0])})")]))


def meant(evidence: Evidence, d: Diagnosis) -> str:
    """A script that only counts asks for no gradient."""
    return ""


KIND = register(
    Kind(
        "cut_path",
        86,
        "zero",
        find,
        sentence,
        correct=correct,
        meant=meant,
        hides=("vanishing",),
        dialects=("jax",),
        example="""\
import jax
import jax.numpy as jnp

def mistakes(w, x, y):
    says = (x @ w > 0).astype(float)  # <- here
    return jnp.mean((says - y) ** 2)

x, y = jnp.array([[1.0, 2.0], [-1.0, 0.5]]), jnp.array([1.0, 0.0])
print(jax.grad(mistakes)(jnp.array([0.3, -0.4]), x, y))
""",
        healthy="""\
import jax
import jax.numpy as jnp

def loss(w, x, y):
    says = jax.nn.sigmoid(x @ w)
    return jnp.mean((says - y) ** 2 * (y >= 0))

x, y = jnp.array([[1.0, 2.0], [-1.0, 0.5]]), jnp.array([1.0, 0.0])
print(jax.grad(loss)(jnp.array([0.3, -0.4]), x, y))
""",
    )
)
