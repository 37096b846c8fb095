"""The pending-count algorithm in pictures: the queue and the orders as lines of text.

A line never changes its place; which ops are in the queue changes its words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..layout.labels import CHARACTER, SMALL_SIZE, columns, shorten
from ..trace.progress import Progress
from ..trace.trace import Order, Step, Trace
from .svg_text import escape, number

LINE = 22.0
MARGIN = 14.0
BADGE = 10.0
MAX_NAME = 14
MAX_COLUMNS = 96
HEAD = 13  # columns of the words before a colon


@dataclass(frozen=True, slots=True)
class Strip:
    """The lines under a picture, and the room that they take."""

    lines: tuple[str, ...]
    width: float
    height: float


def strip(trace: Trace, state: Progress, stepping: bool) -> Strip:
    """The queue at a step, and the orders; empty for a trace without orders."""
    if not trace.orders:
        return Strip((), 0.0, 0.0)
    waiting = state.queue if stepping else ()
    lines = [_line("queue", [name_of(trace, n) for n in waiting])] * stepping
    lines += [_line(order.name.split(":")[0], _names(trace, order)) for order in trace.orders]
    # The room does not depend on the step, or the picture would jump.
    widest = max(columns(_line("", _names(trace, order))) for order in trace.orders)
    width = 2 * MARGIN + (widest + 2) * SMALL_SIZE * CHARACTER
    return Strip(tuple(lines), width, LINE * (len(trace.orders) + 1) + MARGIN)


def _line(head: str, names: list[str]) -> str:
    text = f"{head + ':':<{HEAD + 2}} "
    for i, name in enumerate(names):
        if columns(text) > MAX_COLUMNS:
            return f"{text}… ({len(names) - i} more)"
        text += f"{'' if not i else ', '}{name}"
    return text if names else text + "–"


def _names(trace: Trace, order: Order) -> list[str]:
    return [name_of(trace, node) for node in order.nodes]


def name_of(trace: Trace, node: int) -> str:
    """What the lists call a node."""
    return shorten(trace.nodes[node].name or trace.nodes[node].op or "", MAX_NAME)


def drawn(found: Strip, left: float, bottom: float, wider: float) -> Iterator[str]:
    """Write the lines as SVG; the player, which has its own, cuts them off by their size."""
    if not found.lines:
        return
    size = f'data-width="{number(wider)}" data-height="{number(found.height)}"'
    yield f'<g class="strip" {size}>'
    for i, line in enumerate(reversed(found.lines)):
        y = bottom - MARGIN - LINE * i
        place = f'x="{number(left + MARGIN)}" y="{number(y)}"'
        yield f'<text {place} xml:space="preserve">{escape(line)}</text>'
    yield "</g>"


def counted(count: int | None) -> str:
    """Write the count on a node's upper left corner."""
    if count is None:
        return ""
    text = f'<text x="1" y="5" text-anchor="middle">{count}</text>'
    return f'<g class="p"><circle cx="1" cy="1" r="{number(BADGE)}"/>{text}</g>'


def first_counts(steps: Iterable[Step]) -> dict[int, int]:
    """The counts at the start: the uses of each op's result."""
    return next((step.pending for step in steps if step.pending), {})


def in_words(trace: Trace, step: Step) -> str:
    """The queue and the counts that a step changes, for the table."""
    parts = []
    if step.queue is not None:
        parts.append("queue: " + (", ".join(name_of(trace, n) for n in step.queue[:12]) or "empty"))
    if step.pending:
        changed = list(step.pending.items())[:12]
        parts.append("counts: " + ", ".join(f"{name_of(trace, n)} {c}" for n, c in changed))
    return "; ".join(parts)
