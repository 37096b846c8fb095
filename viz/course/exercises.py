"""Finds the solutions in a cell, which learners do not get: between marks, as in nbgrader."""

from __future__ import annotations

import re

SOLUTION = re.compile(
    r"^( *)#+ ?BEGIN SOLUTION[^\n]*\n.*?#+ ?END SOLUTION[^\n]*\n?", re.DOTALL | re.MULTILINE
)
BEGINS = re.compile(r"^ *#+ ?BEGIN SOLUTION", re.MULTILINE)
ENDS = re.compile(r"^ *#+ ?END SOLUTION", re.MULTILINE)


def without_solutions(cell: str) -> str:
    r"""A cell as learners get it.

    Example:
        >>> without_solutions("slope = 1\n### BEGIN SOLUTION\nslope = 2\n### END SOLUTION\n")
        'slope = 1\n...  # your code here'
    """
    return SOLUTION.sub(r"\1...  # your code here\n", cell).rstrip("\n")
