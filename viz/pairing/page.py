"""Both players on one page: a heading for each, one row of controls, and all that was compared.

The two players are those of any page; `beside.js` asks each for its step. Without scripts their
pictures stand side by side, above the table of what was compared.
"""

from __future__ import annotations

import functools
import html
import os
from importlib import resources
from pathlib import Path
from reprlib import repr as shown  # an error must be able to show a nest that is very deep
from typing import Any

import numpy as np

from minitape.errors.of_arguments import checked_text

from ..base.numbers import short
from ..base.spoken import spoken
from ..export.drawn import Drawn, save_drawn
from ..export.items import Group, Sheet
from ..export.reading import sheet_of
from ..layout.labels import printable
from ..picture.svg import svg
from ..picture.theme import with_palette
from ..player.drawing import GAP, with_words
from ..player.notebook import Player
from ..player.offline import document
from ..player.packing import data_script
from ..player.page import NOTE, host, steps_table
from ..player.payload import Plain
from ..player.program import script
from ..player.shown import picture_and_data
from ..trace.trace import Array, Trace
from .moments import Comparison, Moment, compared

QUIET = ("release",)  # as in time.js
MAX_ROWS = 200
MAX_TEXT = 60


class Beside:
    """Two traces of one program on one page, whose players step together.

    Args:
        first: What was recorded: a player, or its trace.
        second: The same of another framework, or of the program after a change.
        title: A heading.

    Attributes:
        comparison: What was compared, and where the two part.

    Raises:
        TypeError: if one of them is neither a player nor a trace.
        ValueError: if one passes on cotangents and the other tangents.
    """

    def __init__(self, first: Player | Trace, second: Player | Trace, title: str = "") -> None:
        self.traces = _trace(first, "first"), _trace(second, "second")
        checked_text("beside", "title", title, "viz.beside(first, second, 'Before and after')")
        names = dict.fromkeys(trace.title for trace in self.traces if trace.title)
        self.title = title or " and ".join(names) or "Two backward passes"
        self.comparison: Comparison = compared(*self.traces)

    @property
    def words(self) -> str:
        """What was compared, and the first difference, in a sentence."""
        count = len(self.comparison.moments)
        if not count:
            return "Nothing could be compared: no tensor of one is a tensor of the other."
        found = self.comparison.difference
        if found is None:
            return f"All {count} values and cotangents that both have are equal."
        return f"First difference, {self._place(found)}: {sentence(found, self._carried())}"

    def _place(self, moment: Moment) -> str:
        if moment.first < 0 or moment.second < 0:
            return "before the first step"
        left, right = map(numbered, self.traces, (moment.first, moment.second))
        return f"step {left} on the left, step {right} on the right"

    def _carried(self) -> str:
        return "cotangent" if self.traces[0].carries == "cotangents" else "tangent"

    @property
    def html(self) -> str:
        """Both players, for a notebook's output or a page."""
        columns = "".join(_column(trace, side) for side, trace in enumerate(self.traces))
        return (
            f'<div class="minitape-beside"><style>{_style()}</style>'
            f'<p class="beside-said">{spoken(self.words)}</p><div class="beside-bar"></div>'
            f'<div class="beside-columns">{columns}</div>{self._table()}'
            f"{data_script(self._data())}</div>{script('player', 'beside')}"
        )

    def _data(self) -> Plain:
        found = self.comparison.difference
        return {
            "moments": [self._moment(each) for each in self.comparison.together],
            "difference": None if found is None else self._moment(found),
        }

    def _moment(self, moment: Moment) -> Plain:
        return {
            "at": [max(moment.first, 0), max(moment.second, 0)],
            "differs": moment.equal is False,
            "said": sentence(moment, self._carried()),
        }

    def _table(self) -> str:
        moments = self.comparison.moments
        rows = "".join(map(_row, moments[:MAX_ROWS]))
        more = len(moments) - MAX_ROWS
        left_out = f"<p>{more:,} more were compared.</p>" if more > 0 else ""
        names = ("what", *self.headings, "equal")
        head = "".join(f"<th>{html.escape(each)}</th>" for each in names)
        return (
            f"<details><summary>All {len(moments):,} that were compared</summary>"
            f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{left_out}</details>"
        )

    @property
    def headings(self) -> tuple[str, str]:
        """What stands above each of the two."""
        left, right = map(heading, self.traces)
        return (left, right) if left != right else (f"{left}, first", f"{right}, second")

    def save(self, path: str | os.PathLike[str], **options: Any) -> Path:
        """Writes one page that works offline, or the pictures of both tapes side by side.

        Args:
            path: ends in .html for the page; in .svg, .png, .pdf, .tex or .pptx for the pictures.
                An existing file is replaced once the new one is whole.
            **options: `width` ("120mm"), `theme` ("light", "dark" or "grey"), `dpi` and `fonts`, as
                for `viz.step(...).save`.

        Returns:
            The path.

        Raises:
            ValueError: if the ending, or an option, is another one.
            MissingExtraError: if the format needs a package; the message says how to install it.
            OSError: if the file cannot be written.
        """
        both = Drawn("a comparison", self._sheet, own={".html": lambda: self.page})
        return save_drawn(both, path, **options)

    def _sheet(self) -> Sheet:
        """Both tapes with their final numbers, below what was compared."""
        parts = [
            with_words(sheet_of(svg(trace)), said, least=300.0)
            for trace, said in zip(self.traces, self.headings, strict=True)
        ]
        items = (
            Group("first", parts[0].items),
            Group("second", parts[1].items, parts[0].width + GAP),
        )
        high = max(part.height for part in parts)
        wide = parts[0].width + GAP + parts[1].width
        return with_words(Sheet(wide, high, items, self.title), self.words)

    @property
    def page(self) -> str:
        """One HTML file that works offline."""
        return document(self.title, f"<h1>{html.escape(printable(self.title))}</h1>{self.html}")

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return f"<Beside: {', '.join(self.headings)}. {self.words}>"


def beside(first: Player | Trace, second: Player | Trace, title: str = "") -> Beside:
    """Two recordings of one program on one page, stepping together, the first difference marked.

    Args:
        first: a player (what `viz.step` and the adapters give) or a trace.
        second: the same of another framework, or of the program after a change.
        title: a heading for the page.

    Returns:
        What shows itself in Jupyter; `.save("x.html")` writes one offline page, `.words` says what
        was compared.

    Raises:
        TypeError: if one of them is neither a player nor a trace.
        ValueError: if one passes on cotangents and the other tangents.

    Example:
        >>> import minitape as tf
        >>> from minitape import viz
        >>> def played(factor):
        ...     x = tf.Variable(3.0)
        ...     with tf.GradientTape() as tape:
        ...         y = tf.sin(x) * factor
        ...     return viz.step(tape, y, x)
        >>> viz.beside(played(2.0), played(2.0)).words
        'All 7 values and cotangents that both have are equal.'
    """
    return Beside(first, second, title)


def _trace(given: Player | Trace, which: str) -> Trace:
    found = getattr(given, "trace", given)
    if not isinstance(found, Trace):
        raise TypeError(
            f"beside needs two players or traces; the {which} is {shown(given)}. "
            "Write for instance viz.beside(viz.step(tape, y, x), viz.step(other_tape, other_y, x))."
        )
    return found


def heading(trace: Trace) -> str:
    """Which program recorded a trace."""
    producer = trace.producer
    made = " ".join(filter(None, (producer.name, producer.version))) if producer else ""
    return f"{trace.title} ({made})" if trace.title and made else trace.title or made or "a trace"


def sentence(moment: Moment, carried: str) -> str:
    """What both know at a moment, and whether it is the same."""
    what = "the value" if moment.way == "forward" else f"the {carried}"
    left, right = (_text(value) for value in moment.values)
    if moment.equal is None:
        return f"{what} of `{moment.name}` is known on one side only."
    if moment.equal:
        return f"{what} of `{moment.name}` is equal on both sides: {left}."
    differs = f"{what} of `{moment.name}` differs: {left} on the left, {right} on the right."
    return f"{differs}{_most(*moment.values)}"


def _most(left: Array | None, right: Array | None) -> str:
    """The element of two arrays that differs most, where both are known whole."""
    if left is None or right is None or not (left.shape and left.is_whole and right.is_whole):
        return ""
    if left.shape != right.shape or "string" in (left.dtype, right.dtype):
        return ""
    apart = np.abs(np.array(left.data) - np.array(right.data))
    at = int(np.argmax(np.where(np.isfinite(apart), apart, np.inf)))
    place = ", ".join(str(i) for i in np.unravel_index(at, left.shape))
    return f" Most at [{place}]: {short(left.data[at])} and {short(right.data[at])}."


def numbered(trace: Trace, at: int) -> int:
    """The number of a step as the player counts, which leaves out what only frees memory."""
    return sum(step.kind not in QUIET for step in trace.steps[: at + 1])


def _text(value: Array | None) -> str:
    return "none" if value is None else value.text(MAX_TEXT)


def _row(moment: Moment) -> str:
    what = f"{'value' if moment.way == 'forward' else 'arrived at'} {moment.name}"
    equal = {None: "not known", True: "yes", False: "no"}[moment.equal]
    cells = [what, *map(_text, moment.values), equal]
    mark = ' class="differs"' if moment.equal is False else ""
    return f"<tr{mark}>{''.join(f'<td>{html.escape(printable(each))}</td>' for each in cells)}</tr>"


def _column(trace: Trace, side: int) -> str:
    shown, data = picture_and_data(trace, None)
    waiting = f'<template shadowrootmode="open">{NOTE}{shown}{steps_table(trace)}</template>'
    name = html.escape(printable(heading(trace)))
    return f'<section data-side="{side}"><h2>{name}</h2>{host(waiting, data)}</section>'


@functools.cache
def _style() -> str:
    return with_palette((resources.files(__package__) / "beside.css").read_text("utf-8"))
