"""The tables where declarations are found: primitives by name, public functions by public name.

The modules that declare something fill these tables, and nobody else does; a primitive that is not
there yet loads the rest of the package.
"""

from __future__ import annotations

from typing import Any

from minitape.names.loading import load_rest


class Registry(dict[str, Any]):
    """The primitives by name; one whose module is not loaded yet is loaded when asked for."""

    def __missing__(self, name: str) -> Any:
        load_rest()
        if name in self:
            return self[name]
        raise KeyError(name)


registry = Registry()
exports: dict[str, Any] = {}  # public name, such as "math.multiply" -> what users call
