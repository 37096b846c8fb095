"""Draws the README's picture from the README's first example: `python docs/picture.py`."""

from __future__ import annotations

import re
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER.parent))


def picture() -> str:
    """The SVG of the tape that the first block of code records."""
    from minitape.viz.layout import layout
    from minitape.viz.picture.svg import svg

    readme = (FOLDER.parent / "README.md").read_text("utf-8")
    block = re.search(r"^```python\n(.*?)^```", readme, re.DOTALL | re.MULTILINE)[1]
    names: dict[str, object] = {}
    exec(compile(block, "README.md", "exec", dont_inherit=True), names)
    trace = names["player"].trace
    return svg(trace, layout(trace, "builtin", "LR"))


if __name__ == "__main__":
    (FOLDER / "tape.svg").write_text(picture(), "utf-8")
