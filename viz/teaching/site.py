"""A course that runs in the browser: JupyterLite with its notebooks and its own files."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ..classroom.site import Site, write_site
from .folder import OwnCourse, chosen
from .making import copied
from .pages import as_file
from .running import for_learners


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
    names = [lesson.name for lesson in shown]
    with tempfile.TemporaryDirectory() as name:
        books, files = Path(name) / "books", Path(name) / "files"
        books.mkdir()
        copied(course.folder, files, out)
        sources = {lesson.source.name for lesson in course.lessons}
        for path in files.iterdir():
            if path.name in sources or path.name == "course.toml":
                path.unlink() if path.is_file() else shutil.rmtree(path)
        lessons = [as_file(lesson, for_learners(lesson), books, names) for lesson in shown]
        return write_site(out, pyodide, lessons, files, course.title)
