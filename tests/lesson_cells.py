"""The cells of a lesson, and what they give when they run in this process."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import re
import sys
from pathlib import Path
from typing import Any

import pytest

# Who imports this is skipped then, too.
pytest.importorskip("nbclient", reason="the lessons' cells are read by what builds them")

FOLDER = Path(__file__).parents[1] / "tutorials"


def load_build() -> Any:
    """The module `tutorials/build.py`, which is no package's."""
    spec = importlib.util.spec_from_file_location("build_for_cells", FOLDER / "build.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


build = load_build()


def cells(lesson: str) -> list[Any]:
    """The cells of the lesson whose number is given as "09"."""
    (source,) = FOLDER.glob(f"{lesson}_*.py")
    return list(build.cells(source.read_text("utf-8")))


def prose(lesson: str) -> str:
    """The text of a lesson, its line breaks as spaces."""
    texts = [cell.text for cell in cells(lesson) if cell.kind == "markdown"]
    return re.sub(r"\s+", " ", " ".join(texts))


def code(lesson: str) -> str:
    """The code of a lesson without its exercises, texts in several pieces joined."""
    texts = [c.text for c in cells(lesson) if c.kind == "code" and not c.is_exercise]
    return re.sub(r'"\s*\n\s*"', "", "\n".join(texts))


def alternatives(lesson: str) -> str:
    """What is said of the lesson's figures for who cannot see them."""
    said = [cell.metadata.get("alt", "") for cell in cells(lesson)]
    return " ".join([*said, *re.findall(r'alt="([^"]*)"', code(lesson))])


def whole(lesson: str) -> tuple[dict[str, Any], str]:
    """Names and printed text of all cells but the exercises, run from the tutorials' folder."""
    import matplotlib.pyplot as pyplot

    pyplot.switch_backend("Agg")
    names: dict[str, Any] = {"__name__": "lesson"}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.chdir(FOLDER):
        for cell in cells(lesson):
            if cell.kind == "code" and not cell.is_exercise:
                exec(compile(cell.text, f"<lesson {lesson}>", "exec"), names)
    pyplot.close("all")
    return names, printed.getvalue()


def numbers(text: str) -> list[float]:
    """The numbers in a text, in order."""
    return [float(each) for each in re.findall(r"-?\d+\.?\d*(?:e[-+]?\d+)?", text)]
