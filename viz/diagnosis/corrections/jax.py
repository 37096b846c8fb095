"""Whether a script is written for JAX, and how it names `jax.numpy`."""

from __future__ import annotations

from ..source_text import Source


def is_jax(source: Source) -> bool:
    """Whether a script is written for JAX."""
    return bool(source.aliases("jax", "jax.numpy") or source.imported_from("jax"))


def jnp_name(source: Source) -> str:
    """What the script calls `jax.numpy`."""
    named = source.aliases("jax.numpy") | {
        name for name, what in source.imported_from("jax").items() if what == "numpy"
    }
    return next(iter(sorted(named)), "jax.numpy")
