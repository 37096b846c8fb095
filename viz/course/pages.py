"""The course as static pages: one for each lesson and an index, all offline, players working.

The one fact to know: nbconvert makes a lesson's body; shell, looks and formulas are ours, so that
nothing is fetched: formulas become MathML, and the page forbids the network to itself. Needs
nbconvert and latex2mathml (extra notebook), loaded when a page is made.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Sequence
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..base.files import check_place, make_folder, write_whole
from ..picture.theme import with_palette
from ..player.page import POLICY
from .course import CourseError, Lesson, lessons

TITLE = "Automatic differentiation, tape by tape"
MADE_BY = '<meta name="generator" content="minitape tutorials">'
SLIDE_BAR = (
    '<nav class="slidebar" aria-label="Slides" hidden>'
    '<button type="button" data-go="back" aria-label="Previous slide">←</button>'
    "<output></output>"
    '<button type="button" data-go="on" aria-label="Next slide">→</button>'
    '<button type="button" data-go="toggle">Slides</button></nav>'
)
NEEDED = ("nbconvert", "latex2mathml")
# Code first, so that a dollar in code is none of a formula.
_FORMULA = re.compile(
    r"(?P<ticks>`+).*?(?P=ticks)"
    r"|(?<!\\)\$\$(?P<block>.+?)\$\$"
    r"|(?<![\\\w$])\$(?!\s)(?P<inline>(?:[^$\n]|\n(?!\s*\n))+?)(?<!\s)\$(?!\d)",
    re.DOTALL,
)
_PLACE = re.compile(r"QFORMULA(\d+)Q")  # what no text says and no renderer changes
# A minus behind a bracket, a comma or an operator is a sign, with no space behind it.
_SIGN = re.compile(r"(<mo[^>]*>(?:[(\[,=]|&#x000(?:28|5B|2C|3D);)</mo>)<mo>(&#x02212;|−)</mo>")
_SCRIPT = re.compile(r"<script(?![^>]*application/json)[^>]*>.*?</script>", re.DOTALL)


def write_course(place: Path, wanted: Sequence[Lesson] | None = None) -> list[Path]:
    """Writes the pages of the course.

    Args:
        place: the folder to write to; it is made if need be.
        wanted: which lessons; by default all.

    Returns:
        The pages, the index first.

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
    make_folder(place)
    for path in places:
        check_place(path)  # a pipe would be waited for below
        if path.exists() and MADE_BY not in path.read_text("utf-8", errors="ignore"):
            raise CourseError(f"{path} is no page of the course; choose another folder")
    pages = [index(chosen), *(lesson_page(each, chosen) for each in chosen)]
    return [write_whole(*each) for each in zip(places, pages, strict=True)]


def index(course: Sequence[Lesson]) -> str:
    """The page that lists the lessons."""
    rows = "".join(
        f'<li><a href="{each.name}.html">{html.escape(each.title)}</a>'
        f"<p>{inline(each.summary)}</p></li>"
        for each in course
    )
    intro = (
        "<p>Lessons of 45 to 60 minutes each. Every picture is made of what an engine recorded and "
        "did, and can be stepped through with the arrow keys. These pages work without a "
        "network.</p><p>To change the code and to do the exercises, open a lesson as a notebook: "
        "<code>minitape tutorials 1</code>.</p>"
    )
    body = f'<h1>{TITLE}</h1>{intro}<ol class="lessons">{rows}</ol>'
    return shell(TITLE, "", body)


def inline(text: str) -> str:
    r"""A line of Markdown without a renderer: emphasis is dropped, code and formulas stay.

    Example:
        >>> inline("the *slope* of `x`")
        'the slope of <code>x</code>'
    """
    found = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", html.escape(text, quote=False))
    found = re.sub(r"`([^`]*)`", r"<code>\1</code>", found.replace("*", ""))
    return found.replace("$", "")


def lesson_page(lesson: Lesson, course: Sequence[Lesson]) -> str:
    """The page of one lesson: its cells between the ways to its neighbours."""
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
    foot += SLIDE_BAR + f"<script>{_file('course.js')}</script>"
    way = '<nav aria-label="Course"><a href="index.html">All lessons</a></nav>'
    head = f"<header>{way}{contents}</header>"
    return shell(lesson.title, head, cells, foot, " ".join(slide_types(lesson.path)))


def slide_types(notebook: Path) -> list[str]:
    """What each cell of a notebook is when it is shown as slides; "-" goes on with the last."""
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    return [cell["metadata"].get("slideshow", {}).get("slide_type") or "-" for cell in cells]


def _file(name: str) -> str:
    return (resources.files(__package__) / name).read_text("utf-8")


def shell(title: str, head: str, main: str, foot: str = "", slides: str = "") -> str:
    """A whole page; each script stands once, at the end, where all that wait for it are."""
    scripts = list(dict.fromkeys(_SCRIPT.findall(main)))
    looks, said = with_palette(_file("course.css")), f' data-slides="{slides}"' if slides else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n{MADE_BY}\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title>\n<style>\n{looks}</style>\n</head>\n<body>\n"
        f"{head}\n<main{said}>\n{_SCRIPT.sub('', main)}\n</main>\n{foot}\n"
        + "\n".join(scripts)
        + "\n</body>\n</html>\n"
    )


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
    made, _ = exporter.from_filename(str(notebook))
    made = re.sub(r'<a class="anchor-link"[^>]*></a>', "", made)
    made = re.sub(r'href="([0-9]\w*)\.ipynb', r'href="\1.html', made)
    made = re.sub(r"<pre>", '<pre tabindex="0">', made)  # a wide one is scrolled with the keys
    return re.sub(r'(<img src="data:image/png[^>]*?)\s*>', _with_alternative, made)


def _with_alternative(match: re.Match[str]) -> str:
    known = " alt=" in match[1]
    return f"{match[1]}>" if known else f'{match[1]} alt="The plot that the code above draws.">'


def without_formulas(source: str) -> tuple[str, list[str]]:
    r"""Markdown with a mark in each formula's place, and the formulas as MathML.

    Example:
        >>> without_formulas("costs `$5`")
        ('costs `$5`', [])
    """
    formulas: list[str] = []

    def kept(match: re.Match[str]) -> str:
        latex = match["block"] or match["inline"]
        if latex is None:
            return match[0]
        formulas.append(mathml(latex, block=match["block"] is not None))
        return f"QFORMULA{len(formulas) - 1}Q"

    return _FORMULA.sub(kept, source), formulas


def with_formulas(made: str, formulas: Sequence[str]) -> str:
    """HTML with the formulas back in their places; the names of headings do without."""
    made = re.sub(r'id="[^"]*"', lambda match: _PLACE.sub("", match[0]), made)
    return _PLACE.sub(lambda match: formulas[int(match[1])], made)


def mathml(latex: str, block: bool = False) -> str:
    """A formula in LaTeX as MathML, which browsers show by themselves."""
    from latex2mathml.converter import convert

    made: str = convert(latex.strip(), display="block" if block else "inline")
    made = _SIGN.sub(r'\1<mo form="prefix">\2</mo>', made)
    return f'<span class="formula" tabindex="0">{made}</span>' if block else made
