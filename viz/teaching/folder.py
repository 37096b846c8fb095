"""A course as a lecturer has it: a folder with notebooks and, if she likes, a `course.toml`.

Notebooks are `.ipynb`, or `.py` and `.md` as Jupytext writes them. Nothing in the folder is ever
written to.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..course.course import CourseError

SETTINGS = "course.toml"
KNOWN = {
    "title": str, "order": list, "homework": list, "language": str, "theme": str, "minutes": dict,
}  # fmt: skip
THEMES = ("auto", "light", "dark")
ENDINGS = (".ipynb", ".py", ".md")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_CELL = re.compile(r"^# %%", re.MULTILINE)
_FENCE = re.compile(r"^```\s*\{?(code-cell|python|py)\b", re.MULTILINE)
_HEADER = re.compile(r"\A(?:# )?---\n(?:# ?)?.*?jupytext:", re.DOTALL)


@dataclass(frozen=True)
class OwnLesson:
    """One notebook of the course.

    Attributes:
        source: the file.
        name: its name without the ending.
        title: its first heading.
        book: the notebook, as nbformat has it.
        is_homework: whether it is done at home: it has no slides.
        minutes: how long `course.toml` says that it takes; None if it does not.
    """

    source: Path
    name: str
    title: str
    book: Any
    is_homework: bool = False
    minutes: float | None = None


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


def opened(folder: Path) -> OwnCourse:
    """Reads a course.

    Raises:
        CourseError: there is no folder, no notebook in it, or a file in it cannot be read; the
            message names the file.
    """
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
        _lesson(path, name in homework, minutes.get(name)) for name, path in sources.items()
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
        found |= {name: [_stem(each) for each in found[name]]} if name in found else {}
    if not all(type(each) in (int, float) for each in found.get("minutes", {}).values()):
        raise CourseError(f"{place}: 'minutes' must have a number for each name of a notebook")
    if "language" in found and not _LANGUAGE.fullmatch(found["language"]):
        raise CourseError(f'{place}: {found["language"]!r} is no language; write "en" or "pt-BR"')
    if found.get("theme", "auto") not in THEMES:
        raise CourseError(f"{place}: the theme is one of {', '.join(THEMES)}")
    return found


def _kind(kind: type) -> str:
    return "a text" if kind is str else "a list" if kind is list else "a table"


def _stem(name: str) -> str:
    return next((name.removesuffix(end) for end in ENDINGS if name.endswith(end)), name)


def _sources(folder: Path) -> dict[str, Path]:
    """The notebooks of a folder by name; where two have one name, the `.ipynb`."""
    found: dict[str, Path] = {}
    for ending in ENDINGS:
        for path in sorted(folder.glob(f"*{ending}")):
            if path.stem not in found and path.is_file() and _is_notebook(path):
                found[path.stem] = path
    if not found:
        raise CourseError(
            f"{str(folder)!r} has no notebooks: put .ipynb files there, or .py and .md files as "
            "Jupytext writes them (a cell begins with `# %%`, or is fenced by ```python)"
        )
    return found


def _is_notebook(path: Path) -> bool:
    if path.suffix == ".ipynb":
        return True
    if path.stem.lower() in ("readme", "license", "changelog", "contributing", "setup", "conftest"):
        return False
    text = path.read_text("utf-8", errors="replace")
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


def _lesson(path: Path, is_homework: bool, minutes: float | None) -> OwnLesson:
    book = _read(path)
    headings = (
        line.removeprefix("# ").strip()
        for cell in book.cells if cell.cell_type == "markdown"
        for line in cell.source.split("\n") if line.startswith("# ")
    )  # fmt: skip
    title = next(headings, path.stem.replace("_", " "))
    return OwnLesson(path, path.stem, title, book, is_homework, minutes)


def _read(path: Path) -> Any:
    """A notebook file as nbformat has it, in its newest form."""
    import nbformat

    try:
        text = path.read_text("utf-8")
        if path.suffix == ".ipynb":
            return nbformat.reads(text, as_version=4)  # type: ignore[no-untyped-call]
        import jupytext  # type: ignore[import-untyped]
    except ImportError as error:
        raise CourseError(
            f"{path} is read with Jupytext; run `python -m pip install jupytext`"
        ) from error
    except Exception as error:
        raise CourseError(f"{path} is no notebook: {type(error).__name__}: {error}") from error
    try:
        return jupytext.reads(text, fmt=path.suffix.removeprefix("."))
    except Exception as error:
        raise CourseError(f"{path} is no notebook: {type(error).__name__}: {error}") from error
