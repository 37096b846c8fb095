"""A course as SCORM 1.2 packages: each lesson reports its points to a learning platform.

A lesson's page is the offline page with `scorm.js` in it. It has no Python, so it reports the
points of quizzes, and whether quizzes and predictions are done; checks of exercises are not run
there, and the page says so. The same course gives the same bytes: dates and order are fixed.
"""

from __future__ import annotations

import hashlib
import io
import tempfile
import zipfile
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

from ..base.files import check_place, write_whole
from ..course.course import CourseError, Lesson
from ..course.pages import check_packages, lesson_page
from .folder import OwnCourse, chosen
from .making import check_out, copied, made
from .pages import as_file, look_of, with_files, with_pictures
from .running import is_exercise, run_all

MANIFEST = "imsmanifest.xml"
MADE_BY = "minitape-"  # begins the identifier of each package
DATE = (1980, 1, 1, 0, 0, 0)  # the first that a zip file can have
BAR = '<p class="reported" role="status"{marks}></p><script>{script}</script>'


def write_scorm(course: OwnCourse, out: Path, wanted: Sequence[str] = ()) -> list[Path]:
    """Makes one package of a course, or one of each lesson.

    Args:
        course: what to make it of; its notebooks are run, in a copy of its folder.
        out: `NAME.zip` is one package in which each lesson is an item of its own; any other name is
            a folder with a package for each lesson.
        wanted: the names of its lessons; by default all.

    Returns:
        The packages.

    Raises:
        CourseError: a cell raises, a lesson is unknown, or `out` is something else. Then `out` is
            as it was.
        OSError: it cannot be written.
    """
    check_packages()
    course = chosen(course, wanted)
    whole = out.suffix.lower() == ".zip"
    _check_package(out) if whole else check_out(out, course.folder)
    with tempfile.TemporaryDirectory() as name:
        copy, files = Path(name) / "copy", Path(name) / "files"
        copied(course.folder, copy, out)
        pages = _pages(course, copy, Path(name))
        files.mkdir()
        with_files(course.folder, files, out)
        beside = {
            path.relative_to(files).as_posix(): path.read_bytes()
            for path in sorted(files.rglob("*")) if path.is_file()
        }  # fmt: skip
        beside = {name: data for name, data in beside.items() if name not in (MANIFEST, *pages)}
        titles = {f"{each.name}.html": each.title for each in course.lessons}
        if whole:
            return [write_whole(out, package(course.title, titles, pages, beside))]

        def make(place: Path) -> None:
            for name, title in titles.items():
                held = package(title, {name: title}, {name: pages[name]}, beside)
                write_whole(place / f"{Path(name).stem}.zip", held)

        made(out, course.folder, make)
        return [out / f"{each.name}.zip" for each in course.lessons]


def _check_package(out: Path) -> None:
    """Raises unless a package may be written there, or replaced."""
    check_place(out)
    if not out.exists():
        return
    try:
        with zipfile.ZipFile(out) as old:
            found = old.read(MANIFEST).decode("utf-8", "replace")
    except (zipfile.BadZipFile, KeyError, OSError):
        found = ""
    if f'identifier="{MADE_BY}' not in found:
        raise CourseError(
            f"{str(out)!r} is there already, and was not made by `minitape course scorm`; it would "
            "be lost. Choose another name"
        )


def _pages(course: OwnCourse, run_in: Path, work: Path) -> dict[str, str]:
    """The page of each lesson."""
    books = work / "books"
    books.mkdir()
    script = (resources.files(__package__) / "scorm.js").read_text("utf-8")
    ran = zip(course.lessons, run_all(course, run_in), strict=True)
    lessons: list[Lesson] = [as_file(lesson, book, books, course) for lesson, book in ran]
    found = {}
    for own, lesson in zip(course.lessons, lessons, strict=True):
        marks = " data-exercises" * any(is_exercise(cell) for cell in own.book.cells)
        head = BAR.format(marks=marks, script=script)
        page = lesson_page(lesson, lessons, None, look_of(course), head=head)
        found[f"{own.name}.html"] = with_pictures(page, course.folder)
    return found


def package(
    title: str, titles: dict[str, str], pages: dict[str, str], beside: dict[str, bytes]
) -> bytes:
    """The bytes of a package.

    Args:
        title: what the platform calls it.
        titles: the title of each page.
        pages: the launch pages by their names.
        beside: other files.
    """
    held = {name: page.encode() for name, page in pages.items()} | beside
    held[MANIFEST] = manifest(title, titles, sorted(beside)).encode()
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        for name in (MANIFEST, *sorted(held.keys() - {MANIFEST})):
            info = zipfile.ZipInfo(name, DATE)
            info.compress_type, info.create_system = zipfile.ZIP_DEFLATED, 3
            info.external_attr = 0o644 << 16
            file.writestr(info, held[name])
    return made.getvalue()


def manifest(title: str, titles: dict[str, str], beside: Sequence[str]) -> str:
    """`imsmanifest.xml`: each page an item that reports, other files an asset that they need."""
    key = MADE_BY + hashlib.sha256(repr((title, titles)).encode()).hexdigest()[:16]
    needs = '<dependency identifierref="FILES"/>' if beside else ""
    items = "\n".join(
        f'      <item identifier="ITEM-{number}" identifierref="LESSON-{number}" isvisible="true">'
        f"<title>{escape(words)}</title></item>"
        for number, words in enumerate(titles.values(), 1)
    )
    lessons = "\n".join(
        f'    <resource identifier="LESSON-{number}" type="webcontent" adlcp:scormtype="sco" '
        f"href={quoteattr(quote(name))}><file href={quoteattr(quote(name))}/>{needs}</resource>"
        for number, name in enumerate(titles, 1)
    )
    files = "".join(f"<file href={quoteattr(quote(name))}/>" for name in beside)
    asset = (
        '    <resource identifier="FILES" type="webcontent" adlcp:scormtype="asset">'
        f"{files}</resource>\n"
    ) * bool(beside)
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<manifest identifier="{key}" version="1.0"
  xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2"
  xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2">
  <metadata><schema>ADL SCORM</schema><schemaversion>1.2</schemaversion></metadata>
  <organizations default="COURSE">
    <organization identifier="COURSE">
      <title>{escape(title)}</title>
{items}
    </organization>
  </organizations>
  <resources>
{lessons}
{asset}  </resources>
</manifest>
"""
