"""JAX: reverse mode through a loop whose length depends on a value."""

from __future__ import annotations

from collections.abc import Iterator

from ..diagnosis import Diagnosis, Kind, refused, register
from ..evidence import Ask, Evidence


def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
    """JAX refuses; the loop is named by the first line of the script's that starts one."""
    if ask is not None or "Reverse-mode differentiation does not work" not in evidence.error:
        return
    text = str(evidence.facts.get("source", ""))
    rows = [
        n
        for n, row in enumerate(text.splitlines(), 1)
        if "while_loop(" in row or "fori_loop(" in row
    ]
    place = evidence.error_place
    if len(rows) == 1 and place is not None:
        row = text.splitlines()[rows[0] - 1].strip()
        yield Diagnosis(KIND, place._replace(line=rows[0], text=row, span=(), code=""), {}, "error")
    elif place is not None:
        yield Diagnosis(KIND, place, {}, "error")


def sentence(d: Diagnosis) -> str:
    """In words."""
    return (
        f"How often the loop at line {d.line} runs is known only while it runs. The backward pass"
        " needs all of its steps, so JAX has to know their number when it traces. Make"
        " the bounds of `fori_loop` plain ints (`static_argnums` of `jit`), or use `lax.scan`"
        " with a maximum number of steps; `jax.jvp` needs neither."
    )


KIND = register(
    Kind(
        "loop_forward_only",
        88,
        "error",
        find,
        sentence,
        meant=refused,
        dialects=("jax",),
        example="""\
import jax
from jax import lax

def root(a):
    far = lambda x: abs(x * x - a) > 1e-5
    return lax.while_loop(far, lambda x: 0.5 * (x + a / x), a)  # <- here

print(jax.grad(root)(2.0))
""",
        healthy="""\
import jax
from jax import lax

def root(a):
    return lax.fori_loop(0, 6, lambda i, x: 0.5 * (x + a / x), a)

print(jax.grad(root)(2.0))
""",
    )
)
