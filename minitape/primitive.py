"""The former place of `primitive`, which `op` has now: an alias for one release."""

from minitape.op import Op, exports, primitive, registry

__all__ = ["Op", "exports", "primitive", "registry"]
