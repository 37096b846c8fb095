"""Says which framework a script is written for, and what to install where that is missing."""

from __future__ import annotations

import ast
from importlib.util import find_spec
from pathlib import Path

from ..base.scripts import script_text
from ..errors import CommandError

# By framework: what its scripts import, how it is called, and what is installed for it.
IMPORTS = {
    "pytorch": ("torch", "torchvision", "lightning", "pytorch_lightning"),
    "jax": ("jax", "flax", "equinox", "optax", "haiku", "diffrax"),
}
CALLED = {"pytorch": ("PyTorch", "torch"), "jax": ("JAX", "jax")}
OURS = {"minitape", "tensorflow"}  # a script that imports one of these is looked at as one of ours


def framework_of(file: Path) -> str:
    """The framework, of PyTorch and JAX, that a script or notebook imports; "" for none or both."""
    try:
        tree = ast.parse(script_text(file))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.split(".")[0])
    found = [each for each, imports in IMPORTS.items() if names & set(imports)]
    return found[0] if len(found) == 1 and not names & OURS else ""


def is_pytorch_script(file: Path) -> bool:
    """Whether a script or notebook imports PyTorch, and no other framework that is looked at."""
    return framework_of(file) == "pytorch"


def check_installed(file: Path, framework: str = "pytorch") -> None:
    """Complains where a script needs a framework and this Python has none.

    Raises:
        CommandError: with the line to type.
    """
    called, package = CALLED[framework]
    if find_spec(package) is None:
        raise CommandError(
            f"{file.name} imports {package}, and {called} is not installed for this Python: type "
            f"`pip install {package}`. If another Python has it, install minitape there, and run "
            f"`python -m minitape` with that Python"
        )
