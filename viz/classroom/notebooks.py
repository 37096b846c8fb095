"""The lessons as notebooks of a site: without outputs, and with the site's kernel.

A student's browser loads all of a notebook before it shows the first cell, and pictures of cells
that are run anyway are most of its bytes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..course.course import DATA, Lesson

KERNEL = {"name": "python", "display_name": "Python (Pyodide)", "language": "python"}


def written(course: Sequence[Lesson], folder: Path) -> list[Path]:
    """Writes the lessons, and the data they read, into a folder; gives what was written."""
    places = []
    for lesson in course:
        place = folder / lesson.place / lesson.path.name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(clean(lesson.path.read_text("utf-8")), "utf-8")
        places.append(place)
    for source in sorted({lesson.path.parent / DATA for lesson in course}):
        for path in sorted(source.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                place = folder / path.relative_to(source.parent)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(path.read_bytes())
                places.append(place)
    return places


def clean(notebook: str) -> str:
    """A notebook, as JSON, without what its cells gave, for the kernel of the site.

    Example:
        >>> json.loads(clean('{"cells": [], "metadata": {}}'))["metadata"]["kernelspec"]["name"]
        'python'
    """
    whole: dict[str, Any] = json.loads(notebook)
    for cell in whole["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None
    whole["metadata"] = {**whole.get("metadata", {}), "kernelspec": KERNEL}
    whole["metadata"].pop("widgets", None)
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"
