"""How a JAX script names `jax.numpy`, and equal functions in JAX's names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from ..diagnosis import Correction, Diagnosis
from ..source_text import Source
from .identities import Makers

# What `identities` writes in PyTorch's names, in JAX's.
NAMES = {
    "log_softmax": "jax.nn.log_softmax",
    "logsigmoid": "jax.nn.log_sigmoid",
    "softplus": "jax.nn.softplus",
    "logsumexp": "jax.nn.logsumexp",
}


def is_jax(source: Source) -> bool:
    """Whether a script is written for JAX."""
    return bool(source.aliases("jax", "jax.numpy") or source.imported_from("jax"))


def jnp_name(source: Source) -> str:
    """What the script calls `jax.numpy`."""
    named = source.aliases("jax.numpy") | {
        name for name, what in source.imported_from("jax").items() if what == "numpy"
    }
    return next(iter(sorted(named)), "jax.numpy")


def identities(source: Source, d: Diagnosis) -> Iterator[Correction]:
    """Corrections of the op at a place whose value or derivative is not finite."""
    node = source.node(d.place.span) if d.place.span else None
    if node is not None:
        maker = _JaxMakers(source, node, d.facts)
        for ways in (maker.equal, maker.selected, maker.other):
            yield from ways()


class _JaxMakers(Makers):
    """The same texts with JAX's names."""

    def __init__(self, source: Source, node: Any, facts: dict[str, Any]) -> None:
        super().__init__(source, node, facts)
        self.torch = jnp_name(source)
        self.functional = "jax.nn"

    def edited(self, node: ast.AST, text: str, keeps: bool = True) -> Correction:
        for theirs, ours in NAMES.items():
            text = re.sub(rf"(?:{re.escape(self.torch)}|jax\.nn)\.{theirs}\(", f"{ours}(", text)
        text = re.sub(r"\bdim=", "axis=", text).replace("keepdim=", "keepdims=")
        return super().edited(node, text, keeps)
