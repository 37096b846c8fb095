"""How to get a package that is missing, which depends on where Python runs."""

from __future__ import annotations

import sys

IN_A_BROWSER = sys.platform == "emscripten"  # no shell is there, and no pip


def getting(package: str, extra: str = "viz") -> str:
    """What to do about a package of an extra that is not there.

    Args:
        package: the name that programs import.
        extra: the extra of minitape that has it.

    Example:
        >>> getting("matplotlib")
        "install it with: pip install 'minitape[viz]'"
    """
    if IN_A_BROWSER:
        return (
            f"here in the browser, write `import {package}` in a cell of its own above this one "
            "and run both: the page loads what it has when a cell imports it"
        )
    return f"install it with: pip install 'minitape[{extra}]'"
