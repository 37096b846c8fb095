"""What was tried and did not work, in words: why no correction of a finding is shown.

An empty hand is an answer too, but only with its reasons. `NotFixed` counts as false, so that `if
tried:` asks whether there is a correction.
"""

from __future__ import annotations

import difflib
import html
from typing import Any, NamedTuple

from ..finding import Finding
from .process import Run

MAX_SHOWN = 6  # attempts that are written out
ENDS = {
    "killed": "it did not end within the time limit",
    "left": "its process ended at once",
    "no Python": "the changed text is no Python",
}
NO_LINE = (
    "which line of the program is meant was not recorded. Write `with viz.recording():` around the "
    "tape, or `%tape explain on` in a cell before."
)


class Attempt(NamedTuple):
    """The changed lines of one correction, and what was wrong with the result."""

    lines: tuple[str, ...]
    result: str

    def __str__(self) -> str:
        changed = "\n".join(f"    {line}" for line in self.lines)
        return f"{changed}\n  But {self.result}."


class NotFixed:
    """No correction is shown, and why.

    Attributes:
        why: in a sentence or two.
        attempts: the corrections that were tried, with what came of each.
    """

    def __init__(self, why: str, attempts: tuple[Attempt, ...] = ()) -> None:
        self.why, self.attempts = why, attempts

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        rows = [self.why, *map(str, self.attempts[:MAX_SHOWN])]
        if len(self.attempts) > MAX_SHOWN:
            rows.append(f"and {len(self.attempts) - MAX_SHOWN} more")
        return "\n".join(rows)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": f"<pre>{html.escape(repr(self))}</pre>"}


def not_fixed(finding: Finding, attempts: list[Attempt]) -> NotFixed:
    """The answer where no attempt at a finding worked."""
    where = f" at line {finding.line}" if finding.line else ""
    if not attempts:
        return NotFixed(
            f"No correction is shown: for this mistake{where} no change of the text is known that "
            "could be tried. What the sentence says is the direction."
        )
    tried = "One correction was" if len(attempts) == 1 else f"{len(attempts)} corrections were"
    return NotFixed(
        f"No correction is shown: {tried} tried for the mistake{where}, on copies, and none works.",
        tuple(attempts),
    )


def result_of(after: Run, finding: Finding, news: list[Finding]) -> str:
    """What is wrong with the run of a corrected text.

    Args:
        after: the run.
        finding: what was to be fixed.
        news: what is suspicious now and was not before.
    """
    if after.refused and after.ended != "ok":
        return f"it {after.refused}, which may not be while it is tried"
    if after.ended == "failed":
        return f"it stops with {after.error or 'an error'}"
    if after.ended != "ok":
        return ENDS[after.ended]
    if finding.call >= len(after.outcomes):
        return "the tape is not asked for the gradient any more"
    states = after.outcomes[finding.call]["states"]
    index = finding.facts.get("index")
    own = [states[index]] if index is not None and index < len(states) else states
    bad = next((state for state in own if state != "ok"), "")
    if bad:
        return f"the gradient is {'None' if bad == 'none' else bad} then"
    if news:
        return f"line {news[0].line} is suspicious then: {news[0].kind}"
    return "what was found is there as before"


def in_no_cell(path: str, line: int) -> str:
    """Why a mistake outside of a notebook's cells is not corrected from within the program."""
    return (
        f"the mistake is at line {line} of {path}, which is no cell of a notebook. In a terminal "
        "`minitape explain` with the name of the script runs it again and tries corrections."
    )


def changed(before: str, after: str) -> list[str]:
    """The lines that a correction takes out and puts in, with - and + before them.

    Example:
        >>> changed("a = 1", "a = 1.0")
        ['- a = 1', '+ a = 1.0']
    """
    rows = difflib.ndiff(before.splitlines(), after.splitlines())
    return [row.rstrip() for row in rows if row[:2] in ("- ", "+ ")]
