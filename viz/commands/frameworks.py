"""Says which framework a script is written for, and what to install where that is missing."""

from __future__ import annotations

import ast
from importlib.util import find_spec
from pathlib import Path

from ..base.scripts import script_text
from ..errors import CommandError

PYTORCH = {"torch", "torchvision", "lightning", "pytorch_lightning"}
OTHERS = {"minitape", "tensorflow", "jax"}


def is_pytorch_script(file: Path) -> bool:
    """Whether a script or notebook imports PyTorch, and no other framework that is looked at."""
    try:
        tree = ast.parse(script_text(file))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.split(".")[0])
    return bool(names & PYTORCH) and not names & OTHERS


def check_installed(file: Path) -> None:
    """Complains where a script needs PyTorch and this Python has none.

    Raises:
        CommandError: with the line to type.
    """
    if find_spec("torch") is None:
        raise CommandError(
            f"{file.name} imports torch, and PyTorch is not installed for this Python: type "
            "`pip install torch`, or run `python -m minitape` with the Python that has it"
        )
