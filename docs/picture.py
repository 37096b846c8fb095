"""Draws the README's pictures from the README's first example: `python docs/picture.py`."""

from __future__ import annotations

import linecache
import re
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER.parent))


STEP = 12


def player() -> Any:
    """The player that the first block of code makes."""
    readme = (FOLDER.parent / "README.md").read_text("utf-8")
    block = re.search(r"^```python\n(.*?)^```", readme, re.DOTALL | re.MULTILINE)[1]
    names: dict[str, Any] = {}
    # Its lines are those of the block, and not of the page around it.
    linecache.cache["lesson.py"] = len(block), None, block.splitlines(keepends=True), "lesson.py"
    exec(compile(block, "lesson.py", "exec", dont_inherit=True), names)
    return names["player"]


def picture() -> str:
    """The SVG of the tape."""
    from minitape.viz.layout import layout
    from minitape.viz.picture.svg import svg

    trace = player().trace
    return svg(trace, layout(trace, "builtin", "LR"))


def step(to: Path) -> str:
    """The SVG of one step, saved as the README says."""
    player().save(to, step=STEP)
    return to.read_text("utf-8")


if __name__ == "__main__":
    (FOLDER / "tape.svg").write_text(picture(), "utf-8")
    step(FOLDER / "step.svg")
