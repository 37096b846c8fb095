"""Boxes of programs, pending counts and the queue in a matplotlib picture, as the SVG has them.

The axes' own patches and lines are used, so nothing is loaded here.
"""

from __future__ import annotations

from typing import Any

from ..layout import Layout
from ..layout.labels import CHARACTER, SMALL_SIZE, columns, shorten
from ..trace.progress import Progress
from ..trace.trace import Trace
from .counts import BADGE, LINE, MARGIN, Strip, first_counts
from .figure_marks import FAMILIES, on_curve
from .frames import TAB, corners_apart, kind_of

Colours = dict[str, str]
MAX_LABEL = 40


def draw_frames(axes: Any, placed: Layout, colours: Colours) -> None:
    """Draw the boxes, outer ones first, and the ways to the next round."""
    for frame in placed.frames:
        left, top, width, height = frame.box
        name = kind_of(frame)
        _box(axes, (left, top, left + width, top + height), colours, name, 0.2)
    for edge in placed.rounds:
        xs, ys = zip(*on_curve(edge), strict=True)
        style = {"color": colours["source-line"], "linewidth": 2, "linestyle": (0, (3.5, 2))}
        axes.plot(xs, ys, scalex=False, scaley=False, zorder=1.1, **style)
    for x, y in corners_apart(placed):
        _text(axes, x - 8, y - 5, "next round", colours["muted"], ha="right")


def draw_tabs(axes: Any, placed: Layout, colours: Colours) -> None:
    """Draw the labels of the boxes, over the edges that pass there."""
    for frame in placed.frames:
        left, top, _, _ = frame.box
        text = shorten(frame.scope[-1], MAX_LABEL)
        right = left + SMALL_SIZE * CHARACTER * columns(text) + 16
        _box(axes, (left, top, right, top + TAB), colours, kind_of(frame), 1.2)
        _text(axes, left + 8, top + 14, text, colours["muted"])


def draw_counts(
    axes: Any, trace: Trace, placed: Layout, state: Progress, stepping: bool, colours: Colours
) -> None:
    """Draw the pending count of each op on its corner."""
    for node, count in (state.pending if stepping else first_counts(trace.steps)).items():
        (x, y), (width, height) = placed.positions[node], placed.sizes[node]
        left, top = x - width / 2 + 1, y - height / 2 + 1
        waits = stepping and node in state.queue
        fill, line = ("now", "now-line") if waits else ("paper", "ink")
        size = 2 * BADGE
        style = {"markerfacecolor": colours[fill], "markeredgecolor": colours[line]}
        axes.plot(
            [left], [top], "o", markersize=size, markeredgewidth=3 if waits else 1.5,
            scalex=False, scaley=False, zorder=3, clip_on=False, **style,
        )  # fmt: skip
        _text(axes, left, top + 4, str(count), colours["ink"], ha="center", weight="bold")


def draw_strip(axes: Any, found: Strip, left: float, bottom: float, colours: Colours) -> None:
    """Write the queue and the orders under the picture."""
    for i, line in enumerate(reversed(found.lines)):
        _text(axes, left + MARGIN, bottom - MARGIN - LINE * i, line, colours["muted"])


def _box(axes: Any, box: Any, colours: Colours, name: str, zorder: float) -> None:
    left, top, right, bottom = box
    axes.fill(
        [left, right, right, left], [top, top, bottom, bottom], facecolor=colours[name],
        edgecolor=colours[f"{name}-line"], linewidth=1.5, zorder=zorder,
    )  # fmt: skip


def _text(axes: Any, x: float, y: float, text: str, colour: str, **style: Any) -> None:
    axes.text(
        x, y, text, fontsize=SMALL_SIZE, color=colour, family=FAMILIES, va="baseline", zorder=4,
        parse_math=False, **style,
    )  # fmt: skip
