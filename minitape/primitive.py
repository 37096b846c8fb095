"""The former place of `op`, which declares ops: an alias until 0.3.0."""

import warnings

from minitape.op import (
    Op,
    apply,
    attach,
    bind,
    export,
    exports,
    operands,
    primitive,
    registry,
    sweeping,
)

warnings.warn(
    "minitape.primitive is minitape.op since 0.2.0, and will be gone in 0.3.0. "
    "Write `from minitape.op import primitive`.",
    DeprecationWarning,
    stacklevel=2,
)

__all__ = [
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
]
