"""What public functions give where that can be one kind of value or another.

Python's annotations cannot say which kind. The stub beside this module tells checkers and editors
what attributes there can be; a reader of the engine does not need it.
"""

from __future__ import annotations

from typing import Any, TypeAlias

# Another kind of value, or None for a gradient.
Result: TypeAlias = Any
# What an op gives that takes ragged tensors too, and gives one then; the stubs have overloads.
SameKind: TypeAlias = Any


def like_sources(method: Any) -> Any:
    """Says of a tape's method that it gives the structure of its `sources`, to checkers alone."""
    return method
