"""What is made of a course is made whole, beside its place, and then put there.

A folder that was not made by these commands is never replaced, nor one that holds the course.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from ..base.files import make_folder
from ..course.course import CourseError
from .folder import MARK


def check_out(out: Path, course: Path) -> None:
    """Raises unless a folder may be made there, or replaced."""
    inside = course.resolve()
    if out.exists() and not out.is_dir():
        raise CourseError(f"cannot make the folder {str(out)!r}: a file is in its place")
    if out.resolve() == inside or out.resolve() in inside.parents:
        raise CourseError(f"{str(out)!r} holds the course itself; choose another folder")
    if out.is_dir() and any(out.iterdir()) and not (out / MARK).exists():
        raise CourseError(
            f"{str(out)!r} is not empty, and was not made by `minitape course`; choose another "
            "folder"
        )


def made(out: Path, course: Path, make: Callable[[Path], None]) -> Path:
    """Makes a folder: what was there before stays until all of the new one is there.

    Args:
        out: where.
        course: the folder of the course, which it must not be.
        make: fills an empty folder.
    """
    check_out(out, course)
    parent = out.absolute().parent
    make_folder(parent)
    with tempfile.TemporaryDirectory(dir=parent, prefix=".minitape-course-") as name:
        new = Path(name) / "new"
        new.mkdir()
        make(new)
        (new / MARK).write_text("This folder was made by `minitape course`.\n", "utf-8")
        if out.exists():
            os.replace(out, Path(name) / "old")
        os.replace(new, out)
    return out


def copied(course: Path, place: Path, leave_out: Path) -> None:
    """Copies a course's folder, so that what its cells write stays out of it."""
    skipped = {leave_out.resolve()}

    def skip(folder: str, names: list[str]) -> set[str]:
        hidden = {name for name in names if name.startswith(".") or name == "__pycache__"}
        made_here = {
            name for name in names
            if (Path(folder) / name).resolve() in skipped or (Path(folder) / name / MARK).exists()
        }  # fmt: skip
        return hidden | made_here

    shutil.copytree(course, place, ignore=skip, dirs_exist_ok=True)
