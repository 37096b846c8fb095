"""Corrections of what `viz.check` lists: each finding's cell is run again with changed lines.

The one fact to know: a finding belongs to the cell that its line is in, which need not be the one
that asks. What is in no cell is not tried, and says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..findings.finding import Finding
from ..mending.attempts import NO_LINE, NotMended, in_no_cell
from ..mending.cells import asking_code, try_mend
from ..mending.page import Shown
from ..record.lines import path_of
from ..trace.trace import Line

MAX_TRIED = 4  # findings


class Mends(tuple["Shown | NotMended", ...]):
    """What trying has given, one after the other; true if there is a correction among them."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return any(self)

    def __repr__(self) -> str:
        return "\n\n".join(map(repr, self)) or "Nothing is suspicious, so nothing is to be mended."

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        parts = [each._repr_mimebundle_()["text/html"] for each in self]
        return {"text/plain": repr(self), "text/html": "<hr>".join(parts)}


def mends(
    findings: Sequence[Finding], namespace: Mapping[str, Any], asked_in: Line | None, seconds: float
) -> Mends:
    """Tries a correction of each finding.

    Args:
        findings: first things first.
        namespace: the notebook's names; they are not changed.
        asked_in: the line that asks.
        seconds: the limit of one run.
    """
    once = {(f.kind, f.line, f.file): f for f in findings}  # several weights of one layer
    found: dict[tuple[str, str], list[Shown | NotMended]] = {}
    for each in list(once.values())[:MAX_TRIED]:
        so_far = found.setdefault((each.kind, each.source), [])
        if not any(so_far):  # else it was another possible cause of the same
            tried = _mend(each, namespace, asked_in, seconds)
            so_far[:] = [tried] if tried else [*so_far, tried]
    return Mends(each for tried in found.values() for each in tried)


def _mend(
    finding: Finding, namespace: Mapping[str, Any], asked_in: Line | None, seconds: float
) -> Shown | NotMended:
    line = _line(finding, asked_in)
    path = path_of(line) if line is not None else ""
    start = f"{finding.kind}: no correction is shown, for"
    if line is None or not finding.line or not path:
        return NotMended(f"{start} {NO_LINE}")
    if line.cell is None:
        return NotMended(f"{start} {in_no_cell(path, finding.line)}")
    asks = path_of(asked_in) if asked_in is not None else ""
    code = asking_code(asks if asks != path else "")
    wanted = (finding.kind, finding.line)
    return try_mend(path, namespace, lambda f: (f.kind, f.line) == wanted, seconds, code)


def _line(finding: Finding, asked_in: Line | None) -> Line | None:
    """The line of a finding with the cell or file that it is in."""
    if not finding.file:
        return asked_in
    cell = finding.file.removeprefix("cell ")
    return Line(finding.file, finding.line, "", int(cell) if cell.isdecimal() else None)
