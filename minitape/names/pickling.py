"""How decorated functions are copied and pickled: like functions, by their global name.

`pickle` and `copy` take a string from `__reduce__` as the name of a global: another process, which
imports the module, finds its own function there.
"""

from __future__ import annotations

import sys
from typing import Any


def global_name(function: Any) -> str | None:
    """The qualified name of `function` in its module, None where that names something else."""
    found: Any = sys.modules.get(function.__module__)
    for part in function.__qualname__.split("."):
        found = getattr(found, part, None)
    return str(function.__qualname__) if found is function else None
