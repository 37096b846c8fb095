"""Imports a package that a format needs, or says how to get it."""

from __future__ import annotations

import importlib
from typing import Any

from ..base.advice import getting
from ..errors import MissingExtraError

__all__ = ["needed"]


def needed(module: str, ending: str, package: str, extra: str = "export") -> Any:
    """A module that writes a format.

    Args:
        module: what is imported.
        ending: of the file that is written with it.
        package: the name under which pip knows it.
        extra: the extra of minitape that has it.

    Raises:
        MissingExtraError: It is not installed.

    Example:
        >>> needed("math", ".txt", "mathematics").sqrt(4.0)
        2.0
    """
    try:
        return importlib.import_module(module)
    except ImportError as missing:
        raise MissingExtraError(
            f"{ending} needs the package {package}, which is not installed; "
            f"{getting(module.partition('.')[0], extra)}"
        ) from missing
