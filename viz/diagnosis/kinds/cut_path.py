"""JAX: all gradients are zero: no way to the target passes one on."""

from __future__ import annotations

from collections.abc import Iterator

from ..diagnosis import Diagnosis, Kind, register
from ..evidence import Ask, Evidence
from ..words import COMPARES


def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
    """The first cut on the way of what is differentiated, where no other way is left."""
    if ask is None or not ask.targets or not ask.gradients:
        return
    if any(g is None or g.any() for g in ask.gradients.values()):
        return
    if not evidence.after(ask.sources, ask.ended, passes=True).isdisjoint(ask.targets):
        return
    for op in evidence.cuts(ask.targets, ask.sources, ask.ended):
        if op.place is not None:
            name = evidence.name(ask.sources[0])
            yield Diagnosis(KIND, op.place, {"op": op.called, "name": op.name}, "zero", name)
            return


def sentence(d: Diagnosis) -> str:
    """In words."""
    name = d.facts["name"]
    why = "its result is no floating-point number, which could change by a little"
    if name in COMPARES:
        why = "a comparison is true or false, and does not change by a little"
    elif name == "detach":
        why = "it makes a constant of its argument"
    return (
        "All gradients are zero: no way from the variables to the target passes one on. The first"
        f" ends at `{d.place.code or d.place.text}`, line {d.line}: {why}. For a step, take a"
        " smooth function in its place, such as `jax.nn.sigmoid`."
    )


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
