"""A site's start page, its list of files, and the check that runs in each of its pages.

A kernel that lacks a file never starts and says nothing. So a small script stands in every page of
the site, asks for each file that Python needs, and names what is missing.
"""

from __future__ import annotations

import html
import json
import posixpath
import re
from collections.abc import Iterable, Sequence
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from ..base.files import make_folder, write_whole
from ..course.beside import SITE
from ..course.course import Lesson
from ..course.pages import inline
from ..course.shell import OURS
from ..picture.theme import with_palette

FOLDER = "classroom"
FILES = SITE  # a folder that has it is a site of ours
SCRIPTS = ("check.js", "start.js", "trial.js")
NOTEBOOKS, FILE_LIST = "notebooks/index.html?path=", "lab/index.html"


def write_start(
    site: Path, course: Sequence[Lesson], needed: Sequence[tuple[str, str]], pyodide: str,
    packages: Iterable[str], title: str = OURS.title,
) -> None:  # fmt: skip
    """Writes the start page and the check into a site that JupyterLite built.

    Args:
        site: the folder.
        course: its lessons.
        needed: each file that Python needs, from the site's folder, and what it is.
        pyodide: the address of Pyodide's module, from the folder `classroom`.
        packages: what the kernel starts with.
        title: of the course.
    """
    make_folder(site / FOLDER)
    for name in SCRIPTS:
        write_whole(site / FOLDER / name, _file(name))
    listed = [
        {"path": f"../{path}", "size": (site / path).stat().st_size, "what": what}
        for path, what in needed
    ]
    write_whole(site / FILES, json.dumps({"made by": "minitape site", "files": listed}, indent=1))
    worker = f"{FOLDER}/trial.js?{urlencode({'pyodide': pyodide, 'packages': ','.join(packages)})}"
    write_whole(site / "index.html", page(course, len(listed), worker, title))
    for path in sorted(site.glob("*/index.html")):
        write_whole(path, checked(path.read_text("utf-8")))


def checked(page: str) -> str:
    """A page of JupyterLite with the check in it.

    Example:
        >>> checked("<head>")
        '<head><script src="../classroom/check.js" defer></script>'
    """
    return page.replace("<head>", f'<head><script src="../{FOLDER}/check.js" defer></script>', 1)


def page(course: Sequence[Lesson], files: int, worker: str, title: str = OURS.title) -> str:
    """The start page."""
    rows = "".join(
        f'<li><a href="{NOTEBOOKS}{quote(posixpath.join(each.place, each.path.name))}">'
        f"{html.escape(each.title)}</a>"
        f"<p>{inline(each.summary)}</p></li>"
        for each in course
    )
    values: dict[str, Any] = {
        "TITLE": html.escape(title),
        "LOOKS": with_palette(_file("start.css")),
        "LESSONS": rows,
        "FILE_LIST": FILE_LIST,
        "COUNT": files,
        "WORKER": html.escape(worker),
    }
    return re.sub(r"\[\[([A-Z_]+)\]\]", lambda found: str(values[found[1]]), _file("start.html"))


def _file(name: str) -> str:
    return (resources.files(__package__) / "pages" / name).read_text("utf-8")
