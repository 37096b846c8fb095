"""What a trace says is suspicious: data for the player's list, and a list that needs no script.

The one fact to know: a finding is a break of the trace that has a cause; the mark in the drawing
carries the number of the break.
"""

from __future__ import annotations

import html
from typing import Any

from ..base.spoken import spoken
from ..picture.svg import svg
from ..trace.trace import Break, Trace
from .scene.nonfinite import beginning, is_suspicious
from .scene.steps import Scenes


def findings_data(trace: Trace) -> list[dict[str, Any]]:
    """Give a row for each break that has a cause, in their order."""
    return [_row(number, each) for number, each in enumerate(found_in(trace)) if each.cause]


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
        "corrected": svg(Trace.from_json(broken.corrected)) if broken.corrected else "",
        "line": broken.line.number if broken.line else 0,
    }
    return row | {name: value for name, value in more.items() if value}


def _item(broken: Break) -> str:
    place = f"line {broken.line.number}: " if broken.line else ""
    correction = f"<pre>{html.escape(broken.correction)}</pre>" if broken.correction else ""
    return f"<li><b>{html.escape(broken.note)}</b> {place}{spoken(broken.cause)}{correction}</li>"
