"""The former place of `op`, which declares ops: an alias for one release."""

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
