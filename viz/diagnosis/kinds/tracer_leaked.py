"""JAX: a traced value was stored outside its function, and is used after the trace has ended."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..diagnosis import Diagnosis, Kind, refused, register
from ..evidence import Ask, Evidence, Place


def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
    """JAX says in which line the value was made."""
    error, place = evidence.error, evidence.error_place
    if ask is not None or place is None or "UnexpectedTracerError" not in error:
        return
    yield Diagnosis(KIND, _kept(evidence, place) or place, {}, "error", also={"used": place})


def _kept(evidence: Evidence, used: Place) -> Place | None:
    """The line that keeps what is used: it appends to a name, or assigns an attribute, of there."""
    rows = str(evidence.facts.get("source", "")).splitlines()
    for name in re.findall(r"[A-Za-z_][\w.]*", used.code or used.text):
        last = re.escape(name.rpartition(".")[2])
        keeps = re.compile(rf"\s+([\w.]+\.)?{last}(\.append\(|\s*=[^=]|\[.*\]\s*=[^=])")
        found = [number for number, row in enumerate(rows, 1) if keeps.match(row)]
        if len(found) == 1 and found[0] != used.line:
            return Place(used.file, found[0], rows[found[0] - 1].strip())
    return None


def sentence(d: Diagnosis) -> str:
    """In words."""
    used = d.also["used"].line
    where = f"is used at line {used}" if used == d.line else f"is stored at line {d.line}"
    later = "" if used == d.line else f", and line {used} uses it"
    return (
        f"A value that stands for a number while JAX traces a function {where}{later} after the"
        " trace has ended, when it stands for nothing. Return it instead: `value_and_grad(f,"
        " has_aux=True)` passes on what a function returns in addition to its loss."
    )


KIND = register(
    Kind(
        "tracer_leaked",
        82,
        "error",
        find,
        sentence,
        meant=refused,
        dialects=("jax",),
        example="""\
import jax
import jax.numpy as jnp

seen = []

def loss(w):
    h = jnp.tanh(w)
    seen.append(h)  # <- here
    return jnp.sum(h * h)

print(jax.grad(loss)(jnp.array([0.5, -1.0])))
print(seen[0] + 1.0)
""",
        healthy="""\
import jax
import jax.numpy as jnp

seen = []

def loss(w):
    h = jnp.tanh(w)
    return jnp.sum(h * h), h

(value, h), g = jax.value_and_grad(loss, has_aux=True)(jnp.array([0.5, -1.0]))
seen.append(h)
print(seen[0] + 1.0)
""",
    )
)
