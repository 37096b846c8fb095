"""What a trace says is suspicious: data for the player's list, and a list that needs no script.

A finding is a break of the trace that has a cause; the mark in the drawing carries the number of
the break.
"""

from __future__ import annotations

import html
import textwrap
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from ..base.spoken import Tree, spoken, spoken_tree
from ..picture.svg import svg
from ..trace.trace import Break, Trace
from .scene.nonfinite import beginning, is_suspicious
from .scene.sentences import NOT_RUN
from .scene.steps import Scenes

NEIGHBOURS = 1  # lines above and below those that a correction changes
TRIED = "Tried"  # how a row begins that says what a run with the correction gave


def findings_data(trace: Trace) -> list[dict[str, Any]]:
    """Give a row for each break that has a cause, in their order."""
    is_none = any(step.kind == "unconnected" for step in trace.steps)
    found = [(number, each) for number, each in enumerate(found_in(trace)) if each.cause]
    return [
        _row(number, each) | ({"panes": panes(each, trace)} if is_none else {})
        for number, each in found
    ]


def findings_list(trace: Trace) -> str:
    """Give the same as HTML for where no script runs; empty if nothing is suspicious."""
    rows = [_item(each) for each in found_in(trace) if each.cause]
    return f"<ol>{''.join(rows)}</ol>" if rows else ""


def found_in(trace: Trace) -> list[Break]:
    """The breaks of a trace, and where numbers stop being finite if nothing says that yet."""
    if not is_suspicious(trace) or any(each.cause for each in trace.breaks):
        return list(trace.breaks)
    begins = beginning(Scenes(trace))
    if begins is None:
        return list(trace.breaks)
    found = Break(begins.node, note="not finite", cause=begins.said, line=begins.line)
    return [*trace.breaks, found]


def _row(number: int, broken: Break) -> dict[str, Any]:
    row = {"mark": number, "node": broken.node, "kind": broken.note, "cause": broken.cause}
    more = {
        "correction": broken.correction,
        "line": broken.line.number if broken.line else 0,
    }
    return row | {name: value for name, value in more.items() if value}


def panes(broken: Break, trace: Trace) -> Tree:
    """What a player shows at a None: what breaks the path, what to write instead, and what it gave.

    A correction was run and gave a gradient, and then says so, or it is known from the line alone.
    """
    rows = broken.correction.splitlines()
    said = next((row for row in rows if row.startswith(TRIED)), "")
    changed = [row for row in rows if row.startswith(("- ", "+ "))]
    before, after = _both_sides(trace, broken, changed)
    if not before and broken.line:
        before = [f"  {broken.line.text.strip()}"]
    place = [["small", f" line {broken.line.number}"]] if broken.line else []
    head = ["h2", f"✕ {broken.note}", *place]
    cause = ["section.reason", head, ["p", *spoken_tree(broken.cause)], _lines(before)]
    if not changed:
        return cause
    head = ["h2", f"{'✓ ' if said else ''}What to write instead"]
    look = "tried" if said else "known"
    instead = [f"section.reason {look}", head, ["p", said or NOT_RUN], _lines(after)]
    if not broken.corrected:
        return ["div.reasons", cause, instead]
    drawing = f"data:image/svg+xml,{quote(svg(Trace.from_json(broken.corrected)))}"
    picture = ["img", {"src": drawing, "alt": f"The graph with the correction. {said}"}]
    caption = ["figcaption", "✓ The same, corrected"]
    return ["div.compared", cause, instead, ["figure.corrected", caption, picture]]


def _both_sides(trace: Trace, broken: Break, changed: list[str]) -> tuple[list[str], list[str]]:
    """The lines before and after, between their neighbours where all stand together."""
    out, put = ([row for row in changed if row.startswith(sign)] for sign in "-+")
    number = broken.line.number if broken.line else 0
    for block in trace.source_text:
        if not out or not 0 <= number - block.first < len(block.lines):
            continue
        own = tuple(row[2:] for row in out)
        starts = [at for at in range(len(block.lines)) if block.lines[at : at + len(own)] == own]
        if starts:
            first, stop = starts[0], starts[0] + len(own)
            above = block.lines[max(first - NEIGHBOURS, 0) : first]
            below = block.lines[stop : stop + NEIGHBOURS]
            out, put = ([*_plain(above), *rows, *_plain(below)] for rows in (out, put))
        break
    return _flushed(out), _flushed(put)


def _plain(lines: Sequence[str]) -> list[str]:
    return [f"  {line}" for line in lines]


def _flushed(rows: list[str]) -> list[str]:
    """Rows without the indentation that all of them have."""
    flushed = textwrap.dedent("\n".join(row[2:] for row in rows)).split("\n")
    return [row[:2] + line for row, line in zip(rows, flushed, strict=False)]


def _lines(rows: list[str]) -> Tree:
    looks = {"-": ".out", "+": ".in"}
    return ["pre", *([f"span{looks.get(row[0], '')}", row] for row in rows)]


def _item(broken: Break) -> str:
    place = f"line {broken.line.number}: " if broken.line else ""
    correction = f"<pre>{html.escape(broken.correction)}</pre>" if broken.correction else ""
    return f"<li><b>{html.escape(broken.note)}</b> {place}{spoken(broken.cause)}{correction}</li>"
