"""What a browser does with lessons as assignments: it runs their cells and asks Otter for points.

It is imported in Pyodide, by `otter_in_pyodide.mjs`. Of a lesson it runs what exercises need, the
answers, and the checks; nothing is downloaded.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from IPython.core.interactiveshell import InteractiveShell

TOTAL = "sum(each.score for each in grader.check_all().results.values())"


def all_points(folder: str) -> str:
    """The points of each lesson in a folder, by its name, as JSON."""
    found = {}
    for place in sorted(Path(folder).iterdir()):
        os.chdir(place)
        found[place.name] = points(place / f"{place.name}.ipynb")
    return json.dumps(found)


def points(notebook: Path) -> float:
    """What Otter gives for the answers in a notebook."""
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance()
    for text in chosen(json.loads(notebook.read_text("utf-8"))["cells"]):
        ran = shell.run_cell(text)
        if not ran.success and "import otter" in text:
            raise RuntimeError(f"Otter was not imported: {ran.error_in_exec!r}")
        sys.stdout.flush()
    return float(shell.run_cell(TOTAL).result)


def chosen(cells: list[dict[str, object]]) -> Iterator[str]:
    """The code that exercises need: Otter, the imports, the cells tagged `needed`, exercises."""
    first, exercises = True, False
    for cell in cells:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            exercises = (exercises or text.startswith(("## Exercises", "## The project"))) and (
                not text.startswith("## What to remember")
            )
            continue
        needed = "needed" in cell["metadata"].get("tags", [])
        if exercises or needed or "import otter" in text:
            yield text
        elif first:
            first = False
            yield text
