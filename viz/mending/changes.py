"""The lines in which two texts differ."""

from __future__ import annotations

import difflib


def changed(before: str, after: str) -> list[str]:
    """The lines that a correction takes out and puts in, with - and + before them.

    Example:
        >>> changed("a = 1", "a = 1.0")
        ['- a = 1', '+ a = 1.0']
    """
    rows = difflib.ndiff(before.splitlines(), after.splitlines())
    return [row.rstrip() for row in rows if row[:2] in ("- ", "+ ")]
