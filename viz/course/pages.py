"""The course as static pages: one for each lesson and an index, all offline, players working.

The one fact to know: nbconvert makes a lesson's body; shell, looks and formulas are ours, so that
nothing is fetched: formulas become MathML, and the page forbids the network to itself. Needs
nbconvert and latex2mathml (extra notebook), loaded when a page is made.
"""

from __future__ import annotations

import base64
import html
import re
import struct
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..base.files import check_place, make_folder, write_whole
from .beside import lesson_button, site_from
from .course import CourseError, Lesson, lessons, one_by_one
from .deck import SUFFIX, deck
from .formulas import with_formulas, without_formulas
from .running import with_outputs
from .shell import MADE_BY, shell

TITLE = "Automatic differentiation, tape by tape"
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


def write_course(place: Path, wanted: Sequence[Lesson] | None = None) -> list[Path]:
    """Writes the pages of the course.

    Args:
        place: the folder to write to; it is made if need be.
        wanted: which lessons; by default all.

    Returns:
        The pages, the index first; beside each lesson lie its slides.

    Raises:
        CourseError: a package is missing, or a file there is no page of the course.
        OSError: the folder cannot be written to.
    """
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise CourseError(
            f"pages of the course need {' and '.join(missing)}; run "
            f"`python -m pip install {' '.join(missing)}`"
        )
    chosen = lessons() if wanted is None else list(wanted)
    places = [place / "index.html", *(place / f"{each.name}.html" for each in chosen)]
    decks = [place / f"{each.name}{SUFFIX}" for each in chosen]
    make_folder(place)
    for path in [*places, *decks]:
        check_place(path)  # a pipe would be waited for below
        if path.exists() and MADE_BY not in path.read_text("utf-8", errors="ignore"):
            raise CourseError(f"{path} is no page of the course; choose another folder")
    site = site_from(place)
    pages = [index(chosen), *(lesson_page(each, chosen, site) for each in chosen)]
    texts = [*map(deck, chosen), *pages]
    written = one_by_one(
        [
            (path, partial(write_whole, path, text))
            for path, text in zip([*decks, *places], texts, strict=True)
        ]
    )
    return written[len(decks) :]


def index(course: Sequence[Lesson]) -> str:
    """The page that lists the lessons."""
    rows = "".join(
        f'<li><a href="{each.name}.html">{html.escape(each.title)}</a>'
        f"<p>{inline(each.summary)}</p></li>"
        for each in course
    )
    intro = (
        "<p>Lessons of 50 minutes each. Every picture is made of what an engine recorded and "
        "did, and can be stepped through with the arrow keys. These pages work without a "
        "network.</p><p>To change the code and to do the exercises, open a lesson as a notebook: "
        "<code>minitape tutorials 1</code>.</p>"
    )
    body = f'<h1>{TITLE}</h1>{intro}<ol class="lessons">{rows}</ol>'
    return shell(TITLE, "course.css", f"<main>\n{body}\n</main>")


def inline(text: str) -> str:
    r"""A line of Markdown without a renderer: emphasis is dropped, code and formulas stay.

    Example:
        >>> inline("the *slope* of `x`")
        'the slope of <code>x</code>'
    """
    found = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", html.escape(text, quote=False))
    found = re.sub(r"`([^`]*)`", r"<code>\1</code>", found.replace("*", ""))
    return found.replace("$", "")


def lesson_page(lesson: Lesson, course: Sequence[Lesson], site: str | None = None) -> str:
    """The page of one lesson: its cells between the ways to its neighbours, and to a site's."""
    at = list(course).index(lesson)
    before = [(each, "prev", "← ") for each in course[max(at - 1, 0) : at]]
    after = [(each, "next", "") for each in course[at + 1 : at + 2]]
    links = "".join(
        f'<a rel="{rel}" href="{each.name}.html">{arrow}{html.escape(each.title)}'
        f"{' →' * (rel == 'next')}</a>"
        for each, rel, arrow in [*before, *after]
    )
    cells = body(lesson.path)
    sections = re.findall(r'<h2 id="([^"]*)"[^>]*>(.*?)</h2>', cells, re.DOTALL)
    listed = "".join(f'<li><a href="#{key}">{text}</a></li>' for key, text in sections)
    contents = f"<details><summary>In this lesson</summary><ol>{listed}</ol></details>"
    foot = f'<nav class="ways" aria-label="Other lessons">{links}</nav>' if links else ""
    way = (
        '<nav aria-label="Course"><a href="index.html">All lessons</a> '
        f'<a href="{lesson.name}{SUFFIX}">As slides</a> '
        f"{lesson_button(site, lesson.path.name)}</nav>"
    )
    head = f"<header>{way}{contents}</header>"
    return shell(lesson.title, "course.css", f"{head}\n<main>\n{cells}\n</main>\n{foot}")


def body(notebook: Path) -> str:
    """A notebook's cells and outputs as HTML."""
    from jinja2 import pass_context
    from nbconvert import HTMLExporter

    exporter: Any = HTMLExporter(  # type: ignore[no-untyped-call]
        template_name="basic",
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
    made = re.sub(r'href="([0-9]\w*)\.ipynb', r'href="\1.html', made)
    made = re.sub(r"<pre>", '<pre tabindex="0">', made)  # a wide one is scrolled with the keys
    made = _FOLDED.sub(_folded, made)
    return _PLOT.sub(_readable, made)


def _tagged(notebook: Path) -> Any:
    """The notebook with tags on what tells an answer: the checks and the code of predictions."""
    import nbformat

    book = nbformat.reads(with_outputs(notebook), as_version=4)  # type: ignore[no-untyped-call]
    for cell in book.cells:
        check = cell.metadata.get("nbgrader", {}).get("grade", False)
        asks = cell.cell_type == "code" and "viz.predict(" in cell.source
        if check or asks:
            cell.metadata["tags"] = ["check" if check else "predict"]
    return book


def _folded(match: re.Match[str]) -> str:
    """Code that tells an answer, or only draws, or makes ready to draw, is folded."""
    if tells := _TELLS.get(match["tag"]):
        summary = f"<summary>{tells} (it tells the answer)</summary>"
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
