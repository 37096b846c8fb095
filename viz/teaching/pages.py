"""A course as offline pages: a page and slides for each notebook, and a page with their titles."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

from ..base.files import write_whole
from ..course.course import Lesson, lesson_of
from ..course.pages import check_packages, write_course
from ..course.shell import Look
from .folder import OwnCourse, OwnLesson
from .making import check_out, copied, made
from .running import run_all

# What pages may link to or show, besides notebooks.
SHOWN = (".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".mp4", ".webm", ".pdf", ".csv", ".txt",
         ".zip", ".json", ".npz", ".html")  # fmt: skip


def look_of(course: OwnCourse) -> Look:
    """What all pages of a course have in common."""
    return Look(course.title, course.language, course.theme)


def as_file(lesson: OwnLesson, book: Any, folder: Path) -> Lesson:
    """A notebook written into a folder, as the makers of pages take it."""
    import nbformat

    place = folder / f"{lesson.name}.ipynb"
    write_whole(place, nbformat.writes(nbformat.from_dict(book), version=4))  # type: ignore[no-untyped-call]
    return lesson_of(place)


def write_pages(course: OwnCourse, out: Path) -> Path:
    """Makes the pages.

    Args:
        course: what to make them of; its notebooks are run, in a copy of its folder.
        out: the folder to make; what is there must have been made by these commands.

    Returns:
        The page with the titles.

    Raises:
        CourseError: a cell raises, a package is missing, or `out` holds something else. Then `out`
            is as it was.
        OSError: it cannot be written.
    """
    check_packages()
    check_out(out, course.folder)
    with tempfile.TemporaryDirectory() as name:
        work, run_in = Path(name) / "books", Path(name) / "copy"
        work.mkdir()
        copied(course.folder, run_in, out)
        books = run_all(course, run_in)
        lessons = [
            as_file(lesson, book, work) for lesson, book in zip(course.lessons, books, strict=True)
        ]
        home = {lesson.name for lesson in course.lessons if lesson.is_homework}

        def make(place: Path) -> None:
            with_files(course.folder, place, out)
            write_course(place, lessons, look_of(course), home)

        made(out, course.folder, make)
    return out / "index.html"


def with_files(course: Path, place: Path, out: Path) -> None:
    """Copies what pages may link to, where it lies beside the notebooks."""
    with tempfile.TemporaryDirectory() as name:
        copied(course, Path(name), out)
        for path in sorted(Path(name).rglob("*")):
            if path.is_file() and path.suffix.lower() in SHOWN:
                target = place / path.relative_to(name)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)
