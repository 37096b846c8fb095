"""The course: its lessons, copies of them to work in, and JupyterLab opened on one.

A file that a learner has changed is never written over. The lessons lie beside the package in a
checkout; an installed one carries their texts in one file. `course_pages` makes the static pages.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, TypeVar

import minitape

from ..base.files import make_folder, write_whole

T = TypeVar("T")

DATA = "data"  # the folder of what the lessons read
PACKED = "texts.json.bz2"  # what `.ci/building.py` makes of the tutorials for a wheel


class CourseError(Exception):
    """What was asked of the course cannot be done; the message is one line."""


class Lesson(NamedTuple):
    """One notebook of the course.

    Attributes:
        path: the notebook.
        title: its first heading, such as "1. The first gradient".
        summary: its first paragraph.
        exercises: how many it has.
        place: the folder of a site in which it lies; "" at the top.
    """

    path: Path
    title: str
    summary: str
    exercises: int
    place: str = ""

    @property
    def name(self) -> str:
        """The notebook's name without its ending, such as "01_first_gradient"."""
        return self.path.stem


class Copy(NamedTuple):
    """What became of one file: `state` is "new", "same", "kept" (theirs differs) or "beside"."""

    place: Path
    state: str


def folder() -> Path:
    """Where the lessons are: beside the package in a checkout, or unpacked until this program ends.

    Raises:
        CourseError: there are none, or this Python cannot unpack them.
    """
    package = Path(minitape.__file__).parent
    beside, inside = package.parent / "tutorials", package / "tutorials"
    if any(beside.glob("[0-9]*.ipynb")):
        return beside
    if (inside / PACKED).is_file():
        return Path(_unpacked(inside).name)
    raise CourseError(f"the lessons are missing from {package}; install minitape again")


@cache
def _unpacked(tutorials: Path) -> TemporaryDirectory[str]:
    """A folder with the tutorials of an installed package; it is removed when the program ends."""
    try:
        import bz2
    except ImportError:
        raise CourseError(
            "the lessons cannot be unpacked: this Python was built without bz2. Install the "
            "package libbz2-dev (or bzip2-devel) and build Python again, or use another Python"
        ) from None
    folder = TemporaryDirectory(prefix="minitape-", ignore_cleanup_errors=True)
    texts = unpacked(bz2.decompress((tutorials / PACKED).read_bytes()))
    for name, text in texts.items():
        place = Path(folder.name, name)
        place.parent.mkdir(parents=True, exist_ok=True)
        whole = text if isinstance(text, str) else json.dumps(text, ensure_ascii=False, indent=1)
        place.write_bytes(whole.encode())
    shutil.copytree(tutorials / DATA, Path(folder.name, DATA), dirs_exist_ok=True)
    return folder


def unpacked(texts: bytes) -> dict[str, Any]:
    """The tutorials by name, texts and notebooks, from what `.ci/building.py` wrote."""
    found = json.loads(texts)
    code = iter(found["code"])
    for name, book in found["files"].items():
        if name.endswith(".ipynb"):
            for number, cell in enumerate(book["cells"], 1):
                cell["id"] = f"cell-{number:02}"
                if cell["cell_type"] == "code":
                    cell["source"] = next(code)
                    cell["outputs"], cell["execution_count"] = [], None
    return dict(found["files"])


def lessons(place: Path | None = None) -> list[Lesson]:
    """The lessons in the order of the course.

    Args:
        place: the folder of the notebooks; by default that of the course.

    Example:
        >>> lessons()[0].title
        '1. The first gradient'
    """
    return [lesson_of(path) for path in sorted((place or folder()).glob("[0-9]*.ipynb"))]


def lesson_of(path: Path) -> Lesson:
    """What a notebook says of itself: its first heading, its first paragraph."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    lines = _text(cells[0]).split("\n")
    title = next((line.removeprefix("# ") for line in lines if line.startswith("# ")), path.stem)
    paragraphs = "\n".join(lines).split("\n\n")
    said = next((part for part in paragraphs if not part.startswith("#")), "")
    answers = [cell["metadata"].get("nbgrader", {}).get("solution") for cell in cells]
    return Lesson(path, title, said.replace("\n", " "), sum(map(bool, answers)))


def _text(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])  # a text, or a list of lines


def chosen(name: str, among: Sequence[Lesson]) -> Lesson:
    """The lesson that a number, a name or a part of a name means.

    Raises:
        CourseError: none or several are meant.

    Example:
        >>> chosen("1", lessons()).name, chosen("first_gra", lessons()[:1]).name
        ('01_first_gradient', '01_first_gradient')
    """
    asked = name.removesuffix(".ipynb").lower()
    exact = [each for each in among if asked == each.name or _number(each) == asked.lstrip("0")]
    found = exact or [each for each in among if asked in each.name]
    if len(found) == 1:
        return found[0]
    several = f"{name!r} may be {' or '.join(each.name for each in found)}"
    problem = several if found else f"there is no lesson {name!r}"
    raise CourseError(f"{problem}; `minitape tutorials --list` shows their numbers and names")


def _number(lesson: Lesson) -> str:
    return lesson.name.split("_")[0].lstrip("0")


def copied(wanted: Sequence[Lesson], target: Path, beside: bool = False) -> list[Copy]:
    """Copies lessons, and the data they read, into a folder; a file that differs there is kept.

    Args:
        wanted: which lessons.
        target: an existing folder.
        beside: whether to write the course's version beside a file that differs, under a name that
            is free.

    Returns:
        What became of each file.

    Raises:
        OSError: one cannot be written; the message says which are there and which are not.
    """
    return one_by_one(
        [
            (target / inside, partial(_copied, source, target / inside, beside))
            for source, inside in _files(wanted)
        ]
    )


def one_by_one(files: Sequence[tuple[Path, Callable[[], T]]]) -> list[T]:
    """Writes files in turn.

    Args:
        files: the place of each, and the function that writes it.

    Returns:
        What the functions gave.

    Raises:
        OSError: one cannot be written; the message says which are there and which are not.
    """
    done: list[T] = []
    for place, write in files:
        try:
            done.append(write())
        except OSError as error:
            here = ", ".join(str(each) for each, _ in files[: len(done)]) or "none"
            missing = ", ".join(str(each) for each, _ in files[len(done) :])
            raise type(error)(
                f"{str(error) or place}. Written, each whole: {here}. "
                f"Not written: {missing}. Once the cause is fixed, the same command "
                "writes what is missing"
            ) from error
    return done


def _files(wanted: Sequence[Lesson]) -> Iterator[tuple[Path, Path]]:
    """The files of lessons, each with its place in a copy."""
    for lesson in wanted:
        yield lesson.path, Path(lesson.path.name)
    for source in {lesson.path.parent for lesson in wanted}:
        for path in sorted((source / DATA).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path, path.relative_to(source)


def _copied(source: Path, place: Path, beside: bool) -> Copy:
    content = source.read_bytes()
    found = _state(place, content)
    if found == "kept" and beside:
        names = (place.with_stem(f"{place.stem}.new{n}") for n in ["", *range(2, 1000)])
        place = next(name for name in names if _state(name, content) != "kept")
        found = "beside"
    if found == "new" or (found == "beside" and not place.exists()):
        make_folder(place.parent)
        write_whole(place, content)
    return Copy(place, found)


def _state(place: Path, content: bytes) -> str:
    if not place.exists():
        return "new"
    return "same" if place.is_file() and place.read_bytes() == content else "kept"


def open_lab(notebook: Path, arguments: Sequence[str] = ()) -> int:
    """Opens a notebook in JupyterLab and waits until that is ended; gives its exit code.

    Args:
        notebook: what to open.
        arguments: more of JupyterLab's own, such as `--no-browser`.

    Raises:
        CourseError: JupyterLab is not installed for this Python.
    """
    if find_spec("jupyterlab") is None:
        raise CourseError(
            "the notebooks are copied, but JupyterLab is not installed for this Python; run "
            f"`{Path(sys.executable).name} -m pip install jupyterlab` and then this command again "
            "(or open the notebooks in any other program for notebooks)"
        )
    with subprocess.Popen([sys.executable, "-m", "jupyterlab", str(notebook), *arguments]) as lab:
        while True:
            try:
                return lab.wait()
            except KeyboardInterrupt:
                continue  # Control-C is for JupyterLab too, which asks and then ends
