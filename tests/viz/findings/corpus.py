"""The scripts of the folder `scripts`: mistakes in the styles of students, and healthy programs.

`#!` marks the line of the mistake (each, where more than one is right) and is taken out before a
script runs; the last field is what the corrected script must leave in `g`: a closed form, "finite"
(and not 0), or "-" where no program can know the correction.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

FOLDER = Path(__file__).parent / "scripts"
HEAD = "import math\n\nimport numpy as np\n\nimport minitape as tf\n\n"


class Script(NamedTuple):
    """A script, the lines that may be named (none: healthy), its kinds, what must come out."""

    name: str
    text: str
    lines: tuple[int, ...]
    kinds: tuple[str, ...]
    expected: str

    def is_right(self, gradient: object) -> bool:
        """Whether a corrected script's gradient is what it must be."""
        if self.expected == "finite":
            parts = list(_parts(gradient))
            return all(np.isfinite(each).all() for each in parts) and any(map(np.any, parts))
        wanted = eval(self.expected, {"math": math})
        return bool(np.allclose(np.asarray(gradient, np.float64), wanted, rtol=2e-3, atol=1e-9))


def _parts(gradient: object) -> Iterator[np.ndarray]:
    """The gradients of a structure one by one: their shapes may differ."""
    if isinstance(gradient, dict):
        gradient = list(gradient.values())
    for each in gradient if isinstance(gradient, list | tuple) else ():
        yield from _parts(each)
    if not isinstance(gradient, list | tuple):
        yield np.asarray(gradient, np.float64)


def scripts(*names: str) -> list[Script]:
    """The scripts of some files."""
    found = []
    for name in names:
        text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
        for part in re.split(r"^=== ", text, flags=re.M)[1:]:
            head, body = part.split("\n", 1)
            title, *fields = (field.strip() for field in head.split("|"))
            found.append(_script(title, body.strip("\n") + "\n", *fields))
    return found


def _script(name: str, body: str, kinds: str = "", expected: str = "") -> Script:
    whole = HEAD + body
    marked = tuple(n for n, row in enumerate(whole.split("\n"), 1) if row.endswith("#!"))
    text = re.sub(r"  #!$", "", whole, flags=re.M)
    return Script(name, text, marked, tuple(kinds.split()), expected)
