"""Builds the notebooks from their sources: `python tutorials/build.py [NAME ...]`.

A source is a script in jupytext's percent format (`# %%` begins a cell), which a reviewer can read
and a diff can show. Beside it stands the executed notebook. The same source gives the same bytes:
no time stamps, no versions, no ids drawn by lot. It shows texts and still pictures (`stills.py`);
players and what moves come back when a cell is run, and pages of the course run the lesson.

Exercises are cells in nbgrader's form. In a source, what stands between `### BEGIN SOLUTION` and
`### END SOLUTION` is the answer; a built notebook has `...` there, and its exercises are not run.
`--solutions FOLDER` writes the notebooks with their answers, for lecturers and for nbgrader.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import nbformat

FOLDER = Path(__file__).parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent)]

from stills import stills

from minitape.viz.course.exercises import without_solutions
from minitape.viz.course.running import TO_RUN, run

KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


class Cell(NamedTuple):
    """A cell of a source: "code" or "markdown", its metadata, its text."""

    kind: str
    metadata: dict[str, Any]
    text: str

    @property
    def is_exercise(self) -> bool:
        return "nbgrader" in self.metadata


def sources() -> list[Path]:
    """The tutorials' sources, in the order of the course."""
    return sorted(FOLDER.glob("[0-9]*.py"))


def beside_the_course() -> list[Path]:
    """The sources of notebooks that are no lessons."""
    return [FOLDER / "frameworks" / "the_same_backward_pass.py"]


def cells(text: str) -> Iterator[Cell]:
    """The cells of a source; what stands before the first one is jupytext's header."""
    for part in re.split(r"^# %%", text, flags=re.MULTILINE)[1:]:
        marker, _, body = part.partition("\n")
        body = body.strip("\n")
        if "[markdown]" in marker:
            lines = (line.removeprefix("#").removeprefix(" ") for line in body.split("\n"))
            yield Cell("markdown", metadata(marker), "\n".join(lines))
        else:
            yield Cell("code", metadata(marker), body)


def metadata(marker: str) -> dict[str, Any]:
    """The metadata on a cell's first line: `name=value`, the value in JSON without line breaks."""
    found, rest = {}, marker
    while "=" in rest:
        name, _, rest = rest.partition("=")
        found[name.split()[-1]], end = json.JSONDecoder().raw_decode(rest)
        rest = rest[end:]
    return found


def notebook(source: Path, solutions: bool = False) -> nbformat.NotebookNode:
    """The notebook of a source, not executed."""
    found = []
    for number, cell in enumerate(cells(source.read_text("utf-8")), 1):
        text = cell.text if solutions else without_solutions(cell.text)
        new = nbformat.v4.new_code_cell if cell.kind == "code" else nbformat.v4.new_markdown_cell
        settings = dict(cell.metadata)
        if kind := slide_type(cell):
            settings["slideshow"] = {"slide_type": kind}
        if cell.kind == "code" and tells_answers(cell):
            settings["jupyter"] = {"source_hidden": True}
        found.append(new(text, metadata=settings, id=f"cell-{number:02}"))
    return nbformat.v4.new_notebook(cells=found, metadata={"kernelspec": dict(KERNEL)})


def tells_answers(cell: Cell) -> bool:
    """Whether a cell of code is folded in the notebook, because an answer stands in it."""
    asks, check = "viz.predict(" in cell.text, cell.metadata.get("nbgrader", {}).get("grade")
    return asks or bool(check) or "folded" in cell.metadata.get("tags", [])


def slide_type(cell: Cell) -> str:
    """What a cell is when the lesson is shown as slides: sections go right, what they hold down.

    Where nothing is said, it is on the slide of the cell before.

    A picture starts a new slide with its code, because text and player together are too high.
    """
    if cell.metadata.get("nbgrader", {}).get("grade"):
        return "skip"  # the check of an exercise
    if cell.kind == "code":
        return "subslide" if "viz." in cell.text or "plt." in cell.text else ""
    return "slide" if re.match("##? ", cell.text) else "subslide"


def executed(
    book: nbformat.NotebookNode, exercises: bool = False, folder: Path = FOLDER
) -> nbformat.NotebookNode:
    """The notebook with the outputs of its cells; exercises are left alone, unless asked for."""
    run(book, folder, exercises, str(FOLDER.parent))
    book.metadata["language_info"] = {"name": "python"}  # without the version of this Python
    return book


def slim(book: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """The notebook as it is kept, with still pictures; pages of it are made by running it."""
    for cell in book.cells:
        if cell.cell_type == "code":
            cell.outputs = [kept for output in cell.outputs for kept in stills(output)]
    book.metadata[TO_RUN] = True
    return book


def written(book: nbformat.NotebookNode) -> str:
    """The notebook as JSON with one cell on a line: a quarter less than with one line of text."""
    rest = {key: value for key, value in book.items() if key != "cells"}
    cells = ",\n".join(map(compact, book.cells))
    return f'{{"cells":[\n{cells}\n],{compact(rest)[1:]}\n'


def compact(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def main(arguments: list[str] | None = None) -> int:
    """Builds the named tutorials, or all of them."""
    parser = argparse.ArgumentParser(description="Build the tutorials' notebooks.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="such as 01_first_gradient")
    parser.add_argument("--solutions", type=Path, metavar="FOLDER", help="with answers, there")
    options = parser.parse_args(arguments)
    for source in [*sources(), *beside_the_course()]:
        if options.names and source.stem not in options.names:
            continue
        answered = options.solutions is not None
        book = executed(notebook(source, solutions=answered), answered, source.parent)
        place = (options.solutions or source.parent) / f"{source.stem}.ipynb"
        # A lecturer's copy keeps all outputs: those of the answers are not run again for pages.
        text = written(book if answered else slim(book))
        place.write_text(text, "utf-8", newline="\n")
        print(f"{place}: {len(book.cells)} cells, {place.stat().st_size / 1000:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
