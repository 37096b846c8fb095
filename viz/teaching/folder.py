"""A course as a lecturer has it: a folder with notebooks and, if she likes, a `course.toml`.

Notebooks are `.ipynb`, or `.py` and `.md` as Jupytext writes them; they may lie in folders of their
own, such as one for each week. Nothing in the folder is ever written to.
"""

from __future__ import annotations

import posixpath
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..course.beside import SITE
from ..course.course import CourseError

SETTINGS = "course.toml"
KNOWN = {
    "title": str, "order": list, "homework": list, "language": str, "theme": str, "minutes": dict,
}  # fmt: skip
THEMES = ("auto", "light", "dark")
LEFT_OUT = ("node_modules", "site-packages", "build", "dist")  # folders of programs
ENDINGS = (".ipynb", ".py", ".md")
MARK = ".minitape-course"  # in a folder that these commands have made
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_CELL = re.compile(r"^# %%", re.MULTILINE)
_FENCE = re.compile(r"^```\s*\{?(code-cell|python|py)\b", re.MULTILINE)
_FENCED = re.compile(r"(^```.*?^```)", re.DOTALL | re.MULTILINE)
# A line alone between empty ones and its underline: what several lines, or a table, have is other.
_UNDERLINED = re.compile(r"(?:\A|(?<=\n\n))([^\n#>|*+\s-][^\n|]*)\n([=-])\2+ *$", re.MULTILINE)
_HEADER = re.compile(r"\A(?:# )?---\n(?:# ?)?.*?jupytext:", re.DOTALL)


@dataclass(frozen=True)
class OwnLesson:
    """One notebook of the course.

    Attributes:
        source: the file.
        name: its name without the ending; in a folder of its own that folder's goes before it, as
            in "week2-sums".
        title: its first heading.
        book: the notebook, as nbformat has it.
        is_homework: whether it is done at home: it has no slides.
        minutes: how long `course.toml` says that it takes; None if it does not.
        place: the folder in which it lies, from the course's, such as "week2"; "" at the top.
    """

    source: Path
    name: str
    title: str
    book: Any
    is_homework: bool = False
    minutes: float | None = None
    place: str = ""


@dataclass(frozen=True)
class OwnCourse:
    """A course.

    Attributes:
        folder: where it is.
        title: what it is called.
        language: of its words, as HTML names it, such as "en" or "pt-BR".
        theme: "auto", "light" or "dark".
        lessons: in order.
    """

    folder: Path
    title: str
    language: str
    theme: str
    lessons: tuple[OwnLesson, ...]

    def lesson_at(self, path: str) -> OwnLesson | None:
        """The lesson whose file a path from the course's folder names, with any of its endings."""
        stem, ending = posixpath.splitext(posixpath.normpath(path))
        if ending not in (*ENDINGS, ".html"):
            return None
        return next((each for each in self.lessons if _path(each) == stem), None)


def _path(lesson: OwnLesson) -> str:
    return posixpath.join(lesson.place, lesson.source.stem)


def section_key(text: str) -> str:
    """The name of a section in a link, whichever of the usual ways it is written in.

    Example:
        >>> section_key("Least squares, the *old* way"), section_key("Least-squares,-the-old-way")
        ('least-squares-the-old-way', 'least-squares-the-old-way')
    """
    return re.sub(r"[^\w-]", "", re.sub(r"\s+", "-", text.strip()).lower())


def opened(folder: Path) -> OwnCourse:
    """Reads a course.

    Raises:
        CourseError: it is not a folder, it has no notebook, or a file in it cannot be read; the
            message names the file.
    """
    if folder.is_file():
        raise CourseError(
            f"{str(folder)!r} is a file, and a course is a folder of notebooks: put the notebook "
            "into a folder, and name the folder"
        )
    if not folder.is_dir():
        raise CourseError(f"there is no folder {str(folder)!r}")
    settings = _settings(folder / SETTINGS)
    sources = _in_order(_sources(folder), settings.get("order"), folder)
    homework = set(settings.get("homework", []))
    if unknown := sorted(homework - set(sources)):
        raise CourseError(_unknown("homework", unknown[0], sources))
    minutes = settings.get("minutes", {})
    if unknown := sorted(set(minutes) - set(sources)):
        raise CourseError(_unknown("minutes", unknown[0], sources))
    lessons = tuple(
        replace(
            _lesson(path, name in homework, minutes.get(name)),
            name=name,
            place=_place(path, folder),
        )
        for name, path in sources.items()
    )
    title = settings.get("title") or folder.resolve().name.replace("_", " ")
    return OwnCourse(
        folder, title, settings.get("language", "en"), settings.get("theme", "auto"), lessons
    )


def chosen(course: OwnCourse, wanted: Sequence[str]) -> OwnCourse:
    """The course with some of its lessons, or with all where none is named.

    Raises:
        CourseError: there is no lesson of that name.
    """
    names = [lesson.name for lesson in course.lessons]
    if unknown := next((each for each in wanted if each not in names), None):
        raise CourseError(f"there is no lesson {unknown!r}; there are {', '.join(names)}")
    kept = tuple(each for each in course.lessons if not wanted or each.name in wanted)
    return replace(course, lessons=kept)


def _settings(place: Path) -> dict[str, Any]:
    """What `course.toml` says, checked."""
    if not place.exists():
        return {}
    try:
        found = tomllib.loads(place.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CourseError(f"{place}: {error}") from error
    for name, value in found.items():
        if name not in KNOWN:
            raise CourseError(f"{place}: {name!r} is not known; there are {', '.join(KNOWN)}")
        if not isinstance(value, KNOWN[name]):
            raise CourseError(f"{place}: {name!r} must be {_kind(KNOWN[name])}, not {value!r}")
    for name in ("order", "homework"):
        if not all(isinstance(each, str) for each in found.get(name, [])):
            raise CourseError(f"{place}: {name!r} must be a list of names of notebooks")
        found |= {name: [_name(each) for each in found[name]]} if name in found else {}
    if "minutes" in found:
        found["minutes"] = {_name(each): value for each, value in found["minutes"].items()}
    if not all(type(each) in (int, float) for each in found.get("minutes", {}).values()):
        raise CourseError(f"{place}: 'minutes' must have a number for each name of a notebook")
    if "language" in found and not _LANGUAGE.fullmatch(found["language"]):
        raise CourseError(f'{place}: {found["language"]!r} is no language; write "en" or "pt-BR"')
    if found.get("theme", "auto") not in THEMES:
        raise CourseError(f"{place}: the theme is one of {', '.join(THEMES)}")
    return found


def _kind(kind: type) -> str:
    return "a text" if kind is str else "a list" if kind is list else "a table"


def _name(path: str) -> str:
    """What a lesson is called whose file that is, from the course's folder."""
    stem = next((path.removesuffix(end) for end in ENDINGS if path.endswith(end)), path)
    return stem.replace("/", "-")


def _place(path: Path, folder: Path) -> str:
    place = path.parent.relative_to(folder).as_posix()
    return "" if place == "." else place


def _sources(folder: Path) -> dict[str, Path]:
    """The notebooks of a folder by name; where two have one name, the `.ipynb`."""
    found: dict[str, Path] = {}
    files = list(_files(folder))
    for ending in ENDINGS:
        for path in sorted(each for each in files if each.suffix == ending):
            name = _name(path.relative_to(folder).as_posix())
            if name not in found and _is_notebook(path, path.parent == folder):
                found[name] = path
    if not found:
        raise CourseError(
            f"{str(folder)!r} has no notebooks: put .ipynb files there, or .py and .md files as "
            "Jupytext writes them (a cell begins with `# %%`, or is fenced by ```python)"
        )
    return found


def _files(folder: Path) -> Iterator[Path]:
    """The files of a course, without what is hidden, installed, or made by these commands."""
    for path in sorted(folder.iterdir()):
        if path.name.startswith((".", "__")):
            continue
        if path.is_file():
            yield path
        elif path.is_dir() and not path.is_symlink() and path.name not in LEFT_OUT:
            yield from () if _is_made(path) else _files(path)


def _is_made(folder: Path) -> bool:
    """Whether a folder was made by a program: an environment, or what these commands make."""
    return any((folder / name).exists() for name in (MARK, SITE, "pyvenv.cfg"))


def _is_notebook(path: Path, at_the_top: bool) -> bool:
    """Whether a file is meant as one; in folders lie programs and notes that are none, too."""
    if path.suffix == ".ipynb":
        return True
    if path.stem.lower() in ("readme", "license", "changelog", "contributing", "setup", "conftest"):
        return False
    text = path.read_text("utf-8", errors="replace")
    if not at_the_top:
        return bool(_HEADER.match(text))
    if path.suffix == ".py":
        return bool(_CELL.search(text))
    return bool(_HEADER.match(text) or _FENCE.search(text))


def _in_order(found: dict[str, Path], order: list[str] | None, folder: Path) -> dict[str, Path]:
    if order is None:
        return dict(sorted(found.items(), key=lambda each: _natural(each[0])))
    for name in order:
        if name not in found:
            raise CourseError(_unknown("order", name, found))
    if len(set(order)) < len(order):
        raise CourseError(f"{folder / SETTINGS}: 'order' names a notebook twice")
    return {name: found[name] for name in order}


def _natural(name: str) -> list[Any]:
    """Numbers in a name count as numbers: lesson 10 follows lesson 9."""
    parts = re.split(r"(\d+)", name)
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in parts]


def _unknown(setting: str, name: str, found: dict[str, Path]) -> str:
    return f"course.toml: {setting!r} names {name!r}, and the notebooks are {', '.join(found)}"


def _with_marked_headings(text: str) -> str:
    """A text whose headings begin with `#`, where lines of `=` or `-` stood below them."""
    parts = _FENCED.split(text)  # every second one is code, and stays
    parts[::2] = [_UNDERLINED.sub(_marked, each) for each in parts[::2]]
    return "".join(parts)


def _marked(heading: re.Match[str]) -> str:
    return f"{'#' if heading[2] == '=' else '##'} {heading[1]}"


def _lesson(path: Path, is_homework: bool, minutes: float | None) -> OwnLesson:
    book = _read(path)
    for cell in book.cells:
        if cell.cell_type == "markdown":
            cell.source = _with_marked_headings(cell.source)
    headings = (
        line.removeprefix("# ").strip()
        for cell in book.cells if cell.cell_type == "markdown"
        for line in cell.source.split("\n") if line.startswith("# ")
    )  # fmt: skip
    title = next(headings, path.stem.replace("_", " "))
    return OwnLesson(path, path.stem, title, book, is_homework, minutes)


def _read(path: Path) -> Any:
    """A notebook file as nbformat has it, in its newest form."""
    try:
        import nbformat

        text = path.read_text("utf-8")
        if path.suffix == ".ipynb":
            return nbformat.reads(text, as_version=4)  # type: ignore[no-untyped-call]
        import jupytext  # type: ignore[import-untyped]
    except ImportError as error:
        raise CourseError(
            f"{path} is read with {error.name}, which is not installed, and a course needs more "
            "packages of Jupyter; run `python -m pip install 'minitape[notebook]'`"
        ) from error
    except Exception as error:
        raise CourseError(f"{path} is no notebook: {type(error).__name__}: {error}") from error
    try:
        return jupytext.reads(text, fmt=path.suffix.removeprefix("."))
    except Exception as error:
        raise CourseError(f"{path} is no notebook: {type(error).__name__}: {error}") from error
