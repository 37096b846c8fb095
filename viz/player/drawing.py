"""The still picture of a trace in every format: what `viz.draw`, `viz.explain` and graphs save."""

from __future__ import annotations

import html
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..export.drawn import Drawn, drawing, save_drawn
from ..export.items import Group, Run, Sheet
from ..export.reading import sheet_of
from ..layout import Layout, layout
from ..picture.svg import svg
from ..picture.text_graphs import dot, mermaid
from ..trace.trace import Trace
from .offline import article
from .page import image
from .sheet.blocks import paragraph

ROOM = 560.0  # pixels of a line of words above a picture
SIZE = 13.0
GAP = 20.0
SECONDS = 0.8  # how long a film shows a step; its last one three times as long


def drawn(
    trace: Trace, what: str = "a picture", words: str = "", placed: Layout | None = None,
    step: int | None = None, page: Callable[[], str] | None = None,
) -> Drawn:  # fmt: skip
    """A trace as something that can be saved.

    Args:
        trace: what is drawn.
        what: what it is called.
        words: what stands above the picture.
        placed: its layout; computed when it is needed where it is None.
        step: the state after this step; None for the final numbers.
        page: the page that is saved as .html; the still picture where it is None.
    """

    def sheet(number: int | None = step, seconds: float = 2.0) -> Sheet:
        found = placed if placed is not None else layout(trace)
        return with_words(sheet_of(svg(trace, found, number), seconds=seconds), words)

    def frames() -> list[Sheet]:
        if not trace.steps:
            raise ValueError("there is no step to show: record a gradient first, or export a PNG")
        last = len(trace.steps) - 1
        where = layout(trace) if placed is None else placed
        return drawing(
            range(len(trace.steps)),
            lambda number: with_words(
                sheet_of(svg(trace, where, number), seconds=SECONDS * (3 if number == last else 1)),
                words,
            ),
        )

    def still() -> str:
        title = trace.title or "Computation graph"
        return article(title, f"<h1>{html.escape(title)}</h1>{image(trace)}")

    own: dict[str, Callable[[], str | bytes]] = {}
    if not words:
        own[".svg"] = lambda: svg(trace, placed or layout(trace), step)
    own |= {
        ".html": page or still,
        ".dot": lambda: dot(trace), ".mmd": lambda: mermaid(trace), ".json": trace.to_json,
    }  # fmt: skip
    return Drawn(what, sheet, frames, own)


def save(trace: Trace, path: Any, what: str = "a picture", words: str = "", **options: Any) -> Path:
    """Write the still picture of a trace; see `save_drawn`."""
    return save_drawn(drawn(trace, what, words), path, **options)


def with_words(sheet: Sheet, words: str, least: float = ROOM) -> Sheet:
    """The sheet below some paragraphs, which have at least so much room."""
    if not words:
        return sheet
    room = max(least, sheet.width - 2 * GAP)
    items: list[Group] = []
    top = GAP
    for said in filter(None, words.split("\n")):
        block = paragraph("words", [Run(said.replace("`", ""))], SIZE, room)
        items.append(block.at(GAP, top))
        top += block.height + 0.5 * SIZE
    top += 0.5 * GAP
    items.append(Group("graph", sheet.items, GAP if sheet.width < room else 0.0, top))
    width = max(room + 2 * GAP, sheet.width)
    whole = sheet.height + top
    return Sheet(width, whole, tuple(items), sheet.title, words, sheet.seconds)
