"""A course that runs in the browser: JupyterLite with its notebooks and its own files."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..classroom.site import Site, write_site
from .folder import SETTINGS, OwnCourse, OwnLesson, chosen
from .making import copied
from .pages import as_it_lies
from .running import for_learners

MAGIC = re.compile(r"^%matplotlib\b.*\n?", re.MULTILINE)


def write_own_site(course: OwnCourse, out: Path, pyodide: str, wanted: Sequence[str] = ()) -> Site:
    """Makes the site.

    Args:
        course: what to make it of; its notebooks are not run.
        out: the folder to make.
        pyodide: a folder with Pyodide, or "cdn".
        wanted: the names of its lessons; by default all.

    Raises:
        CourseError: a name is unknown.
        ClassroomError: a package is missing, or `out` holds something else.
        OSError: it cannot be written.
    """
    shown = chosen(course, wanted).lessons
    with tempfile.TemporaryDirectory() as name:
        books, files = Path(name) / "books", Path(name) / "files"
        books.mkdir()
        copied(course.folder, files, out)
        for lesson in course.lessons:
            (files / lesson.place / lesson.source.name).unlink()
        (files / SETTINGS).unlink(missing_ok=True)
        lessons = [as_it_lies(lesson, _for_browsers(lesson), books, course) for lesson in shown]
        return write_site(out, pyodide, lessons, files, course.title)


def _for_browsers(lesson: OwnLesson) -> Any:
    """The notebook without `%matplotlib inline`, which is how figures are shown there anyway.

    The kernel loads the packages that a cell imports, and finds none in a cell with a magic.
    """
    book = for_learners(lesson)
    for cell in book.cells:
        if cell.cell_type == "code":
            cell.source = MAGIC.sub("", cell.source)
    return book
