"""A course as offline pages: a page and slides for each notebook, and a page with their titles."""

from __future__ import annotations

import base64
import posixpath
import re
import shutil
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from ..base.files import make_folder, write_whole
from ..course.course import Lesson, lesson_of
from ..course.deck import SUFFIX
from ..course.pages import check_packages, write_course
from ..course.running import TO_RUN
from ..course.shell import Look
from .folder import OwnCourse, OwnLesson, section_key
from .making import check_out, copied, made
from .running import run_all

# What pages may link to or show, besides notebooks.
SHOWN = (".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".mp4", ".webm", ".pdf", ".csv", ".txt",
         ".zip", ".json", ".npz", ".html")  # fmt: skip
PICTURES = {
    ".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg", ".gif": "gif", ".svg": "svg+xml",
    ".webp": "webp",
}  # fmt: skip
_LINK = re.compile(r'(\]\(\s*<?|\b(?:href|src)="|^\[[^\]]+\]:\s*<?)([^)\s>"#]+)', re.MULTILINE)
_CODE = re.compile(r"(^```.*?^```|`[^`\n]+`)", re.DOTALL | re.MULTILINE)
_ATTACHED = re.compile(r"attachment:([^)\s>\"]+)")
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|/")
_IDS = re.compile(r'<h[1-6] id="([^"]+)"')
_SECTION = re.compile(r'href="([^":#]*)#([^"]+)"')
_PICTURE = re.compile(r'(<img [^>]*?\bsrc=")(?![a-z]+:|//)([^"]+)(")')


def look_of(course: OwnCourse) -> Look:
    """What all pages of a course have in common."""
    return Look(course.title, course.language, course.theme)


def as_file(lesson: OwnLesson, book: Any, folder: Path, course: OwnCourse) -> Lesson:
    """A notebook written into a folder beside the others, as the makers of pages take it.

    Its links to lessons lead to `.ipynb`, whatever their files are. Where it lies in a folder of
    its own, links and pictures are written as they are seen from the course's folder.
    """

    def seen(path: str) -> str:
        target = posixpath.normpath(posixpath.join(lesson.place, unquote(path)))
        other = course.lesson_at(target)
        return quote(f"{other.name}.ipynb") if other else quote(target) if lesson.place else path

    return _written(book, folder / f"{lesson.name}.ipynb", seen)


def _with_attachments(cell: Any) -> str:
    """A text that holds the pictures which were pasted into its cell."""

    def held(match: re.Match[str]) -> str:
        kinds = cell.get("attachments", {}).get(unquote(match[1]), {})
        return next((f"data:{kind};base64,{data}" for kind, data in kinds.items()), match[0])

    text = _ATTACHED.sub(held, cell.source)
    cell.pop("attachments", None)
    return text


def as_it_lies(lesson: OwnLesson, book: Any, folder: Path, course: OwnCourse) -> Lesson:
    """A notebook written into a folder at the place that it has in the course's folder.

    Its links to lessons lead to `.ipynb`.
    """

    def seen(path: str) -> str:
        other = course.lesson_at(posixpath.join(lesson.place, unquote(path)))
        return f"{posixpath.splitext(path)[0]}.ipynb" if other else path

    place = folder / lesson.place / f"{lesson.source.stem}.ipynb"
    make_folder(place.parent)
    return _written(book, place, seen)._replace(place=lesson.place)


def _written(book: Any, place: Path, seen: Callable[[str], str]) -> Lesson:
    """Writes a notebook; `seen` says how the path of a link is to be written."""
    import nbformat

    def to(match: re.Match[str]) -> str:
        return match[1] + (match[2] if _ELSEWHERE.match(match[2]) else seen(match[2]))

    book.metadata.pop(TO_RUN, None)  # one of ours, with what a run here gave
    for number, cell in enumerate(book.cells, 1):
        cell["id"] = f"cell-{number}"  # Jupytext draws one anew each time
        if cell.cell_type == "markdown":
            cell.source = _with_attachments(cell)
            parts = _CODE.split(cell.source)  # every second one is code, and stays
            parts[::2] = [_LINK.sub(to, each) for each in parts[::2]]
            cell.source = "".join(parts)
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
            as_file(lesson, book, work, course)
            for lesson, book in zip(course.lessons, books, strict=True)
        ]
        home = {lesson.name for lesson in course.lessons if lesson.is_homework}

        def make(place: Path) -> None:
            with_files(course.folder, place, out)
            written = write_course(place, lessons, look_of(course), home)
            decks = [page.with_name(f"{page.stem}{SUFFIX}") for page in written]
            texts = {page.name: page.read_text("utf-8") for page in written}
            texts |= {page.name: page.read_text("utf-8") for page in decks if page.exists()}
            for name, text in with_sections(texts).items():
                write_whole(place / name, with_pictures(text, place))

        made(out, course.folder, make)
    return out / "index.html"


def with_pictures(page: str, folder: Path) -> str:
    """A page that holds the pictures which lie beside it: its policy lets it load none."""

    def held(match: re.Match[str]) -> str:
        file = folder / unquote(match[2])
        kind = PICTURES.get(file.suffix.lower())
        if kind is None or not file.is_file():
            return match[0]
        coded = base64.b64encode(file.read_bytes()).decode()
        return f"{match[1]}data:image/{kind};base64,{coded}{match[3]}"

    return _PICTURE.sub(held, page)


def with_sections(pages: dict[str, str]) -> dict[str, str]:
    """Pages whose links to sections lead there in whichever of the usual ways they are written.

    A forge writes `#part-b-sums` for the heading "Part B: sums", Jupyter `#Part-B:-sums`, and a
    browser tells them apart.
    """
    found = {name: _IDS.findall(text) for name, text in pages.items()}
    keys = {name: {section_key(unquote(each)): each for each in ids} for name, ids in found.items()}

    def there(name: str, match: re.Match[str]) -> str:
        page = unquote(match[1]) or name
        key = match[2]
        if key not in found.get(page, ()):
            key = keys.get(page, {}).get(section_key(unquote(key)), key)
        return f'href="{match[1]}#{key}"'

    return {name: _SECTION.sub(partial(there, name), text) for name, text in pages.items()}


def with_files(course: Path, place: Path, out: Path) -> None:
    """Copies what pages may link to, where it lies beside the notebooks."""
    with tempfile.TemporaryDirectory() as name:
        copied(course, Path(name), out)
        for path in sorted(Path(name).rglob("*")):
            if path.is_file() and path.suffix.lower() in SHOWN:
                target = place / path.relative_to(name)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)
