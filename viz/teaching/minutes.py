"""What a notebook takes in class, counted: words, code that is explained, predictions, pictures.

The speeds are those of a class that follows; what a class really takes depends on its questions.
"""

from __future__ import annotations

import re
from typing import Any

WORDS, LINES = 110.0, 12.0  # spoken, and explained, in a minute
PREDICTION, PICTURE, FORMULA = 2.0, 0.5, 0.5  # minutes for each
IN_CLASS = 1.6  # so many times what is counted
_FORMULA = re.compile(r"\$\$.*?\$\$", re.DOTALL)
_HOME = re.compile(r"^## (Exercises|Further|At home)", re.MULTILINE)
_DRAWS = re.compile(r"\bplt\.|\bviz\.(step|film|graph|curve|surface|jacobian|explore|memory)\b")


def minutes(book: Any) -> float:
    """The minutes that a notebook takes in class, as far as its exercises.

    Example:
        >>> from types import SimpleNamespace as Thing
        >>> words = Thing(cell_type="markdown", source="word " * 110, metadata={})
        >>> minutes(Thing(cells=[words, words]))
        3.2
    """
    total = 0.0
    for cell in book.cells:
        if cell.cell_type == "markdown":
            if _HOME.search(cell.source):
                break
            total += len(_FORMULA.sub("", cell.source).split()) / WORDS
            total += FORMULA * len(_FORMULA.findall(cell.source))
        elif cell.cell_type == "code":
            total += _of_code(cell.source, cell.metadata.get("tags", []))
        total += float(cell.metadata.get("minutes", 0.0))
    return round(IN_CLASS * total, 1)


def _of_code(source: str, tags: list[str]) -> float:
    if {"setup", "check", "folded"} & set(tags):
        return 0.0
    if "viz.predict(" in source:
        return PREDICTION
    if "picture" in tags:
        return PICTURE
    lines = sum(bool(line.strip()) for line in source.split("\n"))
    return lines / LINES + (PICTURE if _DRAWS.search(source) else 0.0)
