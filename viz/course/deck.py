"""A lesson as a deck of slides: 16:9, offline, players and all, printable as PDF.

A slide is 1280 by 720 pixels and the whole deck is enlarged to the window, so what fits here fits
everywhere; a narrow window gets the slides at its own width, one at a time.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from typing import Any

from ..quizzes.prediction import drawn
from .course import Lesson
from .formulas import with_formulas, without_formulas
from .shell import OURS, Look, file, shell
from .slides import CODE_LINES, WORDS, Slide, slides

SUFFIX = ".slides.html"
FEW = 24  # so many words are the whole of a slide, in large type
BAR = (
    '<nav class="bar" aria-label="Slides">'
    '<a href="{lesson}.html">The lesson</a>'
    '<button type="button" data-go="back" aria-label="Previous slide">←</button>'
    '<output aria-live="off"></output>'
    '<button type="button" data-go="on" aria-label="Next slide">→</button>'
    '<button type="button" data-go="notes" aria-pressed="false" '
    'title="Below the slide; N opens them in a window of your own">Notes</button></nav>'
)


def deck(lesson: Lesson, look: Look = OURS) -> str:
    """The slides of a lesson as one page."""
    sections = "\n".join(_section(each, at) for at, each in enumerate(slides(lesson.path), 1))
    bar = BAR.format(lesson=lesson.name)
    script = file("presenter.js") + file("deck.js")
    body = f"<main>\n{sections}\n</main>\n{bar}\n<script>{script}</script>"
    return shell(f"{lesson.title}: slides", "deck.css", body, look)


def _section(slide: Slide, number: int) -> str:
    """One slide; its notes stand with it, hidden."""
    level = "h1" if slide.kind == "title" else "h2"
    heading = _inline(re.sub(r"^(\d+)\.", r"\1\\.", slide.heading))  # a number begins no list
    parts = "".join(_part(form, text, slide.notes) for form, text in slide.parts)
    words = sum(len(text.split()) for form, text in slide.parts if form == "markdown")
    listed = re.search(r"\$\$|^\||^- |^\d+\. ", slide.parts[0][1], re.MULTILINE)
    few = slide.kind == "text" and words <= FEW and not listed
    small = " small" if words > WORDS else " few" if few else ""
    notes = f'<aside class="notes" hidden aria-label="Notes">{_markdown(slide.notes)}</aside>'
    return (
        f'<section class="slide is-{slide.kind}{small}" id="{number}" aria-label="Slide {number}">'
        f'<{level}>{heading}</{level}><div class="body">{parts}</div></section>{notes}'
    )


def _part(form: str, text: str, alt: str) -> str:
    """One part of a slide as HTML."""
    if form == "markdown":
        return _markdown(text)
    if form == "code":
        size, made = _large(text), _highlighted(text)
        if len(text.splitlines()) > CODE_LINES:
            size, made = " tight", re.sub(r"\n(?: *\n)+", '\n<span class="low"></span>', made)
        return f'<div class="code{size}" tabindex="0">{made}</div>'
    if form == "text":
        return f'<pre class="output{_large(text)}" tabindex="0">{html.escape(text)}</pre>'
    if form == "svg":
        return f'<div class="figure still">{drawn(text, alt)}</div>'
    if form == "png":
        said = html.escape(alt, quote=True)
        return (
            f'<div class="figure still"><img src="data:image/png;base64,{text}" alt="{said}"></div>'
        )
    if re.match(r"\s*<div class=\"minitape-player", text):
        return f'<div class="figure" data-alone>{text}</div>'
    if re.match(r'<p(?: class="drawing")?><img ', text):
        return f'<div class="figure still">{text}</div>'
    if re.match(r"<p>.*<img [^>]*>$", text.strip(), re.DOTALL):  # words, and a graph beside them
        return f'<div class="figure told">{text}</div>'
    kinds = (
        *("minitape-exhibit", "minitape-film", "minitape-motion", "minitape-quiz"),
        *("<img", "<table"),
    )
    figure = any(kind in text for kind in kinds)
    return f'<div class="figure">{text}</div>' if figure else text


def _large(text: str) -> str:
    """The class of a short text, which has room for large letters."""
    lines = text.splitlines() or [""]
    return " large" if len(lines) <= 7 and max(map(len, lines)) <= 78 else ""


def _inline(text: str) -> str:
    return re.sub(r"^<p>(.*)</p>\s*$", r"\1", _markdown(text).strip(), flags=re.DOTALL)


def _markdown(text: str) -> str:
    """Markdown as HTML, its formulas as MathML."""
    from nbconvert.filters import markdown2html

    kept, formulas = without_formulas(text)
    render: Callable[[str], str] = markdown2html
    made = with_formulas(render(kept), formulas)
    made = re.sub(r"(<math(?:(?!</math>).)*</math>[,.;:])", r"<span class=whole>\1</span>", made)
    made = re.sub(r'<a class="anchor-link"[^>]*>.*?</a>', "", made)
    made = re.sub(r' id="[^"]*"', "", made)  # the same section may stand in notes and on a slide
    return re.sub(r'href="([^":/]+)\.ipynb(?=["#])', r'href="\1.html', made)


def _highlighted(code: str) -> str:
    from nbconvert.filters import Highlight2HTML

    highlight: Any = Highlight2HTML()  # type: ignore[no-untyped-call]
    return str(highlight(code)).replace("\n</pre>", "</pre>").strip()
