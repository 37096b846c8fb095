"""The former place of `op`, which declares ops: an alias until 0.3.0 that warns when it is used."""

import warnings
from typing import Any

from minitape import op

NAMES = (
    "Op",
    "apply",
    "attach",
    "bind",
    "export",
    "exports",
    "operands",
    "primitive",
    "registry",
    "sweeping",
)
__all__ = list(NAMES)


def __getattr__(name: str) -> Any:
    if name not in NAMES:
        raise AttributeError(f"module 'minitape.primitive' has no attribute {name!r}")
    warnings.warn(
        "minitape.primitive is minitape.op since 0.2.0, and will be gone in 0.3.0. "
        f"Write `from minitape.op import {name}`.",
        DeprecationWarning,
        stacklevel=2,
    )
    return getattr(op, name)
