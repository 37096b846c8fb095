"""The course as static pages: one for each lesson and an index, all offline, players working.

Nbconvert makes a lesson's body; shell, looks and formulas are ours, so that nothing is fetched:
formulas become MathML, and the page forbids the network to itself. Needs nbconvert and latex2mathml
(extra notebook), loaded when a page is made.
"""

from __future__ import annotations

import base64
import html
import re
import struct
from collections.abc import Collection, Sequence
from functools import partial
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from ..base.files import check_place, make_folder, write_whole
from ..quizzes.prediction import drawn
from .beside import lesson_button, site_from
from .course import CourseError, Lesson, lessons, one_by_one
from .deck import SUFFIX, deck
from .formulas import with_formulas, without_formulas
from .running import run_together, with_outputs
from .shell import MADE_BY, OURS, Look, shell

_PLOT = re.compile(r'(<img (?:alt="[^"]*"\s+)?src="data:image/png;base64,([^"]*)"[^>]*?)/?>')
SMALLEST = 0.85  # of a plot's own size, where a letter of 10 points is 12 pixels high
NEEDED = ("nbconvert", "latex2mathml")
_TELLS = {
    "check": "The check",
    "predict": "The code of this prediction",
    "folded": "The code of this cell",
}
_FOLDED = re.compile(
    r'(?P<cell><div class="cell [^>]*celltag_(?P<tag>check|predict|folded|picture|setup)[^>]*>\s*)'
    r'(?P<code><div class="input">.*?</pre></div>(?:\s*</div>){3})',
    re.DOTALL,
)


def write_course(
    place: Path,
    wanted: Sequence[Lesson] | None = None,
    look: Look = OURS,
    home: Collection[str] = (),
) -> list[Path]:
    """Writes the pages of a course.

    Args:
        place: the folder to write to; it is made if need be.
        wanted: which lessons; by default all of ours.
        look: what all pages have in common.
        home: the names of those that are done at home: they have no slides.

    Returns:
        The pages, the index first; beside each lesson lie its slides.

    Raises:
        CourseError: a package is missing, or a file there is no page of the course.
        OSError: the folder cannot be written to.
    """
    check_packages()
    chosen = lessons() if wanted is None else list(wanted)
    places = [place / "index.html", *(place / f"{each.name}.html" for each in chosen)]
    shown = [each for each in chosen if each.name not in home]
    decks = [place / f"{each.name}{SUFFIX}" for each in shown]
    make_folder(place)
    for path in [*places, *decks]:
        check_place(path)  # a pipe would be waited for below
        if path.exists() and MADE_BY not in path.read_text("utf-8", errors="ignore"):
            raise CourseError(f"{path} is no page of the course; choose another folder")
    site = site_from(place)
    run_together(each.path for each in chosen)
    pages = [
        index(chosen, look, home),
        *(lesson_page(each, chosen, site, look, home) for each in chosen),
    ]
    texts = [*(deck(each, look) for each in shown), *pages]
    written = one_by_one(
        [
            (path, partial(write_whole, path, text))
            for path, text in zip([*decks, *places], texts, strict=True)
        ]
    )
    return written[len(decks) :]


def check_packages() -> None:
    """Raises unless the packages are installed that pages are made with."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise CourseError(
            f"pages of the course need {' and '.join(missing)}; run "
            f"`python -m pip install {' '.join(missing)}`"
        )


def index(course: Sequence[Lesson], look: Look = OURS, home: Collection[str] = ()) -> str:
    """The page that lists the lessons, and below them what is done at home."""
    taught = [each for each in course if each.name not in home]
    at_home = [each for each in course if each.name in home]
    body = f"<h1>{html.escape(look.title)}</h1>{look.intro}{_listed(taught)}"
    if at_home:
        body += f"<h2>At home</h2>{_listed(at_home)}"
    return shell(look.title, "course.css", f"<main>\n{body}\n</main>", look)


def _listed(course: Sequence[Lesson]) -> str:
    rows = "".join(
        f'<li><a href="{_address(each)}.html">{html.escape(each.title)}</a>'
        f"<p>{inline(each.summary)}</p></li>"
        for each in course
    )
    return f'<ol class="lessons">{rows}</ol>'


def _address(lesson: Lesson) -> str:
    """A lesson's name in a link."""
    return quote(lesson.name)


def inline(text: str) -> str:
    r"""A line of Markdown without a renderer: emphasis is dropped, code and formulas stay.

    Example:
        >>> inline("the *slope* of `x`")
        'the slope of <code>x</code>'
    """
    found = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", html.escape(text, quote=False))
    found = re.sub(r"`([^`]*)`", r"<code>\1</code>", found.replace("*", ""))
    return found.replace("$", "")


def lesson_page(
    lesson: Lesson,
    course: Sequence[Lesson],
    site: str | None = None,
    look: Look = OURS,
    home: Collection[str] = (),
    head: str | None = None,
) -> str:
    """The page of one lesson: its cells between the ways to its neighbours, and to a site's.

    A page that is no part of a whole has a `head` instead of those ways.
    """
    at = list(course).index(lesson)
    before = [(each, "prev", "← ") for each in course[max(at - 1, 0) : at]]
    after = [(each, "next", "") for each in course[at + 1 : at + 2]]
    links = "".join(
        f'<a rel="{rel}" href="{_address(each)}.html">{arrow}{html.escape(each.title)}'
        f"{' →' * (rel == 'next')}</a>"
        for each, rel, arrow in [*before, *after]
    )
    cells = body(lesson.path, [each.name for each in course])
    sections = re.findall(r'<h2 id="([^"]*)"[^>]*>(.*?)</h2>', cells, re.DOTALL)
    listed = "".join(f'<li><a href="#{key}">{text}</a></li>' for key, text in sections)
    contents = f"<details><summary>In this lesson</summary><ol>{listed}</ol></details>"
    foot = f'<nav class="ways" aria-label="Other lessons">{links}</nav>' if links else ""
    slides = f'<a href="{_address(lesson)}{SUFFIX}">As slides</a> ' * (lesson.name not in home)
    way = (
        '<nav aria-label="Course"><a href="index.html">All lessons</a> '
        f"{slides}{lesson_button(site, lesson.path.name)}</nav>"
    )
    if head is not None:
        way, foot = head, ""
    top = f"<header>{way}{contents}</header>"
    return shell(lesson.title, "course.css", f"{top}\n<main>\n{cells}\n</main>\n{foot}", look)


def body(notebook: Path, names: Collection[str] = ()) -> str:
    """A notebook's cells and outputs as HTML; links to notebooks of those names lead to pages."""
    from jinja2 import pass_context
    from nbconvert import HTMLExporter

    exporter: Any = HTMLExporter(  # type: ignore[no-untyped-call]
        template_name="basic",
        extra_template_basedirs=templates(),
        extra_template_paths=templates(),
        exclude_input_prompt=True,
        exclude_output_prompt=True,
        anchor_link_text="",
    )
    render = exporter.markdown2html

    @pass_context
    def markdown(context: Any, source: str) -> str:
        text, formulas = without_formulas(source)
        return with_formulas(render(context, text), formulas)

    exporter.register_filter("markdown2html", markdown)
    made, _ = exporter.from_notebook_node(_tagged(notebook))
    made = re.sub(r'<a class="anchor-link"[^>]*></a>', "", made)
    made = re.sub(r'href="([^":/]*)\.ipynb(?=["#])', partial(_to_page, frozenset(names)), made)
    made = re.sub(r"<pre>", '<pre tabindex="0">', made)  # a wide one is scrolled with the keys
    made = _FOLDED.sub(_folded, made)
    return _PLOT.sub(_readable, made)


def templates() -> list[str]:
    """Where nbconvert's templates were installed with it.

    It looks for them below `sys.prefix` alone, and does not find them where a virtual environment
    takes its packages from another one.
    """
    files = distribution("nbconvert").files or []
    marks = (each for each in files if each.parts[-2:] == ("basic", "conf.json"))
    return [str(Path(str(each.locate())).resolve().parents[1]) for each in marks]


def _to_page(names: frozenset[str], match: re.Match[str]) -> str:
    """A link to the page of a lesson, where it led to its notebook."""
    return f'href="{match[1]}.html' if unquote(match[1]) in names else match[0]


def _tagged(notebook: Path) -> Any:
    """The notebook with tags on what tells an answer: the checks and the code of predictions.

    Its drawings become pictures of their own, so that the names in one never meet those in another.
    """
    import nbformat

    book = nbformat.reads(with_outputs(notebook), as_version=4)  # type: ignore[no-untyped-call]
    for cell in book.cells:
        check = cell.metadata.get("nbgrader", {}).get("grade", False)
        asks = cell.cell_type == "code" and "viz.predict(" in cell.source
        if check or asks:
            cell.metadata["tags"] = ["check" if check else "predict"]
        for output in cell.get("outputs", []):
            if drawing := output.get("data", {}).pop("image/svg+xml", None):
                output.data["text/html"] = drawn(drawing, cell.metadata.get("alt", ""))
    return book


def _folded(match: re.Match[str]) -> str:
    """Code that tells an answer, or only draws, or makes ready to draw, is folded."""
    if tells := _TELLS.get(match["tag"]):
        summary = f"<summary>{tells}</summary>"
        return f'{match["cell"]}<details class="drawn">{summary}{match["code"]}</details>'
    rows = match["code"].count("\n")
    if match["tag"] == "setup" and rows < 26:
        return match[0]  # imports
    draws = "plt." in re.sub(r"<[^>]*>", "", match["code"]) or match["tag"] == "picture"
    summary = f"<summary>The code {'that draws' if draws else 'of this cell'}</summary>"
    return f'{match["cell"]}<details class="drawn">{summary}{match["code"]}</details>'


def _readable(match: re.Match[str]) -> str:
    """A plot with its words, and letters that can be read: a telephone scrolls a wide one."""
    (wide,) = struct.unpack(">I", base64.b64decode(match[2][:32])[16:20])
    known = "<img alt=" in match[1]
    words = "" if known else ' alt="The plot that the code above draws."'
    return f'{match[1]}{words} style="min-width: {round(SMALLEST * wide)}px">'
