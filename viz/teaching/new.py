"""A small course to begin with: a player, a prediction, a folded check, a film, a slide."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from ..base.files import make_folder, write_whole
from ..course.course import CourseError

TEMPLATE = ("course.toml", "01_a_slope.md", "02_a_training.md", "03_at_home.md", "throws.csv")


def write_new(folder: Path) -> list[Path]:
    """Writes the course.

    Args:
        folder: where; it must not exist, or be empty.

    Raises:
        CourseError: there is something in it.
        OSError: it cannot be written to.
    """
    if folder.exists() and not folder.is_dir():
        raise CourseError(f"cannot make the folder {str(folder)!r}: a file is in its place")
    if folder.is_dir() and any(folder.iterdir()):
        raise CourseError(f"{str(folder)!r} is not empty; choose another folder")
    make_folder(folder)
    source = resources.files(__package__) / "template"
    return [write_whole(folder / name, (source / name).read_text("utf-8")) for name in TEMPLATE]
