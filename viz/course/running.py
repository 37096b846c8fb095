"""Lessons with what their cells give.

A checkout has the lessons with still pictures, an installed minitape has them without outputs, and
a learner who opens one runs it anyway. Pages of the course show players, so each lesson is run for
them, once. That needs nbclient and ipykernel.
"""

from __future__ import annotations

import functools
import json
import os
import subprocess
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..base import processes
from .course import CourseError

TO_RUN = "run_for_pages"  # in the metadata of such a notebook
TIMEOUT = 120  # seconds for one cell
NEEDED = ("nbclient", "ipykernel", "matplotlib")


def with_outputs(notebook: Path) -> str:
    """A notebook as JSON; a lesson of ours is run, but for its exercises.

    Raises:
        CourseError: a package that is needed to run it is missing, or a cell fails.
    """
    text = notebook.read_text("utf-8")
    if TO_RUN not in json.loads(text)["metadata"]:
        return text
    return _run(text, notebook)


def run_together(notebooks: Iterable[Path]) -> None:
    """Runs lessons side by side, for `with_outputs` to have them at once."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(with_outputs, notebooks))  # raises what one of them raised


@functools.cache  # for the page and for the slides
def _run(text: str, notebook: Path) -> str:
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise CourseError(
            f"{notebook.name} is kept without players, so it has to be run, and that needs "
            f"{' and '.join(missing)}; run `python -m pip install {' '.join(missing)}`"
        )
    import nbformat
    from nbclient.exceptions import CellExecutionError

    book = nbformat.reads(text, as_version=4)  # type: ignore[no-untyped-call]
    try:
        run(book, notebook.parent)
    except CellExecutionError as error:
        raise CourseError(f"a cell of {notebook.name} failed: {error}") from error
    return str(nbformat.writes(book))  # type: ignore[no-untyped-call]


def run(book: Any, folder: Path, exercises: bool = False, path: str = "") -> None:
    """Gives the cells of a notebook their outputs.

    Args:
        book: The notebook; its cells are changed in place.
        folder: Where it runs.
        exercises: Whether these are run, too; else they are left alone.
        path: What goes in front of `PYTHONPATH`.
    """
    import nbformat

    runs = [cell for cell in book.cells if exercises or "nbgrader" not in cell.metadata]
    shortened = nbformat.v4.new_notebook(cells=runs, metadata=book.metadata)  # type: ignore[no-untyped-call]
    execute(shortened, folder, environment(path), TIMEOUT)


def execute(
    book: Any, folder: Path, settings: dict[str, str], seconds: float, to_the_end: bool = False
) -> None:
    """Runs all cells of a notebook in a kernel of its own.

    Args:
        book: The notebook; its cells are changed in place.
        folder: Where it runs.
        settings: The environment.
        seconds: How long one cell may take.
        to_the_end: Whether a cell that raises only keeps its error as an output.
    """
    from nbclient import NotebookClient

    client = NotebookClient(
        book,
        timeout=seconds,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,  # however many pieces a print arrives in
        resources={"metadata": {"path": str(folder)}},
        allow_errors=to_the_end,
    )
    client.execute(env=settings, stderr=subprocess.DEVNULL)


def environment(path: str = "") -> dict[str, str]:
    """This process's environment with pictures drawn inline.

    One thread for matrix products, so that a training adds up in the same order on each machine.
    """
    backend = "module://matplotlib_inline.backend_inline"
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    return processes.environment(path, backend) | threads
