"""`viz.check`: everything suspicious on a tape, in a notebook or a script.

It looks at the whole tape as one call of `gradient`, of what was computed last with respect to all
that is watched, unless target and sources are given.
"""

from __future__ import annotations

import html
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from minitape.interpreter import active
from minitape.record import output_ids
from minitape.request import Request
from minitape.tape import GradientTape

from ...base.files import check_ending, write_whole
from ...base.spoken import spoken
from ...export.drawn import save_drawn
from ...player.drawing import drawn
from ...player.notebook import Player
from ...player.offline import article
from ...record.build import build
from ...record.journal import journal_in_use
from ...record.lines import calling_frame, calling_line, path_of
from ...record.names import tensors_in
from ...record.reading import input_ids
from ...record.tapes import refilled
from ...trace.trace import Break, Line, Trace
from ..examiner import Examiner
from ..finding import Finding, in_order
from ..kinds.engine.examine import examine
from ..kinds.engine.lost_part import cut, cuts
from ..sources import written as places
from ..sources.case import Case
from ..trial.attempts import NO_LINE, NotFixed, in_no_cell
from .asked import Asked
from .cells import asking_code, try_fix
from .page import Shown

USED_UP = (
    "This tape is used up: it gave its record away with `gradient`, and no recording was open "
    "while it ran. Write `with viz.recording():` around it, or `%tape explain on` in a cell before."
)
TIRED = (
    "`%tape explain on` has looked for long enough in this cell, and keeps nothing until the next. "
    "Ask in another cell, about one step: `with viz.recording(), tf.GradientTape() as tape:`."
)
WELL = "Nothing is suspicious about the gradients of this tape."


class Findings(Asked):
    """What is suspicious on a tape; shows itself in notebooks: sentences and the step player.

    Attributes:
        findings: first things first.
        player: the tape's player, in which nodes with findings are marked; None without records.
        cuts: the lines at which a part of the way left the tape, which may be meant.
    """

    def __init__(
        self, findings: list[Finding], player: Player | None = None, cuts: Sequence[Line] = ()
    ) -> None:
        self.findings = in_order(findings)
        self.player = player
        said = {(each.file, each.line) for each in findings}
        self.cuts = [line for line in cuts if ("", line.number) not in said]
        super().__init__()
        self.asked_in = calling_line()

    def try_fix(self, seconds: float = 10.0) -> Fixes:
        """Looks for a correction of each finding in a cell, and runs it on copies of the values.

        Args:
            seconds: the limit of one run.

        Returns:
            For each finding what changed and the gradient that it gives (`.fix`, `.tried`,
            `.after`), or what was tried and why nothing is shown, which counts as false.
        """
        return fixes(self.findings, self.namespace, self.asked_in, seconds)

    try_mend = try_fix  # the old name

    def __len__(self) -> int:
        return len(self.findings)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __getitem__(self, index: int) -> Finding:
        return self.findings[index]

    def __str__(self) -> str:
        rows = [f"{_place(f)}{f.kind}. {f.sentence}" for f in self.findings]
        rows = list(dict.fromkeys(rows)) or [WELL]  # several weights of one layer say it once
        return "\n".join([*rows, *(cut(line.number, line.text) for line in self.cuts)])

    __repr__ = __str__

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """The player, which lists the findings; a plain list where there is no player."""
        return {"text/plain": str(self), "text/html": self._html()}

    def save(self, path: str | os.PathLike[str], **options: Any) -> Path:
        """Writes sentences and graph: as one offline page with the player, or as a picture.

        Args:
            path: ends in .html for the page; where there is a graph also in .svg, .png, .pdf, .tex
                or .pptx for a picture, in .gif or .mp4 for all steps. Its folder must exist.
            **options: `width`, `theme`, `dpi`, `fonts` and `seconds`, as for
                `viz.step(...).save`.

        Raises:
            ValueError: The ending is another one.
            MissingExtraError: The format needs a package; the message says how to install it.
        """
        if self.player is None:
            check_ending(path, [".html"], "These findings have no graph, so no picture")
            return write_whole(path, article("What is suspicious", self._html()))
        found = drawn(
            self.player.trace, "a list of findings", str(self),
            page=lambda: article("What is suspicious", self._html()),
        )  # fmt: skip
        return save_drawn(found, path, **options)

    def _html(self) -> str:
        notes = "".join(f"<p>{spoken(cut(line.number, line.text))}</p>" for line in self.cuts)
        if not self.findings:
            return f"<p>{WELL}</p>{notes}"
        listed = {broken.cause for broken in self.player.trace.breaks} if self.player else set()
        rows = [
            f"<li><b>{html.escape(f.kind)}</b> {_place(f)}{spoken(f.sentence)}</li>"
            for f in self.findings
            if f.sentence not in listed
        ]
        player = self.player._repr_mimebundle_().get("text/html", "") if self.player else ""
        return (f"<ol>{''.join(dict.fromkeys(rows))}</ol>" if rows else "") + notes + player


def check(tape: Any, target: Any = None, sources: Any = None) -> Findings:
    """Lists everything suspicious on a tape: None, NaN, zeros, shapes, custom gradients.

    Best asked about a tape that ran inside `with viz.recording():`. The tape is not used up; one
    that is used up already is looked at as it was when it gave its record away.

    Args:
        tape: a GradientTape that has recorded.
        target: what is differentiated; by default what was computed last, of a used tape what it
            was asked for.
        sources: with respect to what; by default all that is watched, of a used tape the same.

    Returns:
        Findings, which show themselves in notebooks; each has `.kind`, `.cause`, `.line` and
        `.sentence`.

    Raises:
        TypeError: if `tape` is not a GradientTape.
        RuntimeError: if the tape is used up and no recording was open while it ran, or if
            `%tape explain on` keeps nothing more of a long cell.

    Example:
        >>> import minitape as tf
        >>> from minitape import viz
        >>> x = tf.Variable([0.0, 2.0])
        >>> with viz.recording(), tf.GradientTape() as tape:
        ...     y = tf.reduce_sum(tf.where(x > 0.0, tf.math.log(x), 0.0))
        >>> [finding.kind for finding in viz.check(tape)]
        ['nan']
    """
    if not isinstance(tape, GradientTape):
        raise TypeError(f"expected a tf.GradientTape, got {tape!r}; pass the tape that recorded.")
    journal = journal_in_use()
    if isinstance(journal, Examiner) and journal.is_done:
        raise RuntimeError(TIRED)
    if not tape.usable and isinstance(journal, Examiner) and _was_asked(tape.past, journal):
        return Findings(_seen(tape.past, journal))
    full = tape if tape.usable else refilled(tape, journal)
    if full is None:
        raise RuntimeError(USED_UP)
    recording = full.recording
    asked = None if tape.usable else _asked(recording, journal)
    if target is None:
        target = asked[0] if asked else _last(recording.records, journal)
        sources = asked[1] if asked and sources is None else sources
    leaves = [leaf for key, leaf in recording.watched.items() if leaf is not None]
    request = Request(target, leaves if sources is None else sources)
    for each in active():
        if isinstance(each, Examiner) and each.hears_checks:
            each.look("gradient", full, request, places.tape_name(tape))
    names = tensors_in(calling_frame(), [*request.targets, *request.sources])
    case = Case(journal, "gradient", full, request, names, places.stack())
    case.tape_name = places.tape_name(tape)
    found = [each for each in examine(case) if not each.is_quiet and not each.is_suspected]
    for each in found:
        act = case.flow.maker.get(each.node)
        if not each.line and act is not None and act.line is not None:
            each.line = act.line.number
        each.file = _elsewhere(each, act)
        each.sentence = each.sentence.replace(" at line 0", "")  # no journal knows where
    return Findings(found, _player(case, recording, found), cuts(case))


def _was_asked(past: Any, journal: Examiner) -> bool:
    """Whether an examiner was open when a tape gave its record away."""
    return past is not None and any(each.tape is past.mark[0] for each in journal.sweeps)


def _seen(past: Any, journal: Examiner) -> list[Finding]:
    """What an examiner has found about a tape that is used up."""
    return [finding for mark, finding in journal.tapes if mark is past.mark[0]]


def _asked(recording: Any, journal: Any) -> tuple[list[Any], list[Any]] | None:
    """The targets and sources of the call that used a tape up; None where they are not known."""
    sweeps = [each for each in journal.sweeps if each.tape is recording.mark[0]]
    if not sweeps:
        return None
    known = {x.id: x for entry in journal.entries for x in (*entry.inputs, *entry.outputs)}
    known |= {key: leaf for key, leaf in recording.watched.items() if leaf is not None}
    ends = sweeps[-1].targets, sweeps[-1].sources
    found = [[known[key] for key in keys if key in known] for keys in ends]
    return (found[0], found[1]) if all(found) else None


def _last(records: list[Any], journal: Any) -> Any:
    """What was computed last and is used by nothing else on the tape."""
    used = {key for record in records for key in input_ids(record)}
    for record in reversed(records):
        for key in output_ids(record):
            entry = journal.by_output.get(key) if journal is not None else None
            if key not in used and entry is not None:
                return next(y for y in entry.outputs if y.id == key)
    raise RuntimeError(
        "There is no result on this tape that is known here: give the target, `viz.check(tape, "
        "loss)`, or record inside `with viz.recording():`."
    )


def _player(case: Case, recording: Any, found: list[Finding]) -> Player | None:
    """The tape's player, with a mark at each node that has a finding."""
    records = recording.records
    trace = build(
        case.request, records, recording, case.names, journal=case.journal, persistent=True,
        shows_error=True,
    ).trace  # fmt: skip
    return Player(marked(case, trace, records, found)) if records else None


def marked(case: Case, trace: Trace, records: list[Any], found: list[Finding]) -> Trace:
    """The trace with a break at the node of each finding: what it made, else its source's."""
    made = {key: number for number, record in enumerate(records) for key in output_ids(record)}
    leaves = dict(zip(case.request.source_ids, trace.sources, strict=False))
    breaks = list(trace.breaks)
    for finding in in_order(found):
        of_op = [n.id for n in trace.nodes if n.record == made.get(finding.node, -1)]
        node = of_op[0] if of_op else leaves.get(finding.node)
        if node is not None:
            line = trace.nodes[node].line
            breaks.append(Break(node, None, finding.kind, finding.sentence, finding.fix, line))
    return replace(trace, breaks=tuple(breaks))


def _elsewhere(finding: Finding, act: Any) -> str:
    """The file or cell of a finding's line; "" if it is the one that asks, or is not known."""
    here, made = calling_line(), act.line if act is not None else None
    there = made.file if made is not None and made.number == finding.line else ""
    file = finding.file or there
    return "" if here is not None and file == here.file else file


def _place(finding: Finding) -> str:
    file = f" of {finding.file}" if finding.file else ""
    return f"line {finding.line}{file}: " if finding.line else ""


MAX_TRIED = 4  # findings


class Fixes(tuple["Shown | NotFixed", ...]):
    """What trying has given, one after the other; true if there is a correction among them."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return any(self)

    def __repr__(self) -> str:
        return "\n\n".join(map(repr, self)) or "Nothing is suspicious: there is nothing to fix."

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        parts = [each._repr_mimebundle_()["text/html"] for each in self]
        return {"text/plain": repr(self), "text/html": "<hr>".join(parts)}


def fixes(
    findings: Sequence[Finding], namespace: Mapping[str, Any], asked_in: Line | None, seconds: float
) -> Fixes:
    """Tries a correction of each finding.

    Args:
        findings: first things first.
        namespace: the notebook's names; they are not changed.
        asked_in: the line that asks.
        seconds: the limit of one run.
    """
    once = {(f.kind, f.line, f.file): f for f in findings}  # several weights of one layer
    found: dict[tuple[str, str], list[Shown | NotFixed]] = {}
    for each in list(once.values())[:MAX_TRIED]:
        so_far = found.setdefault((each.kind, each.source), [])
        if not any(so_far):  # else it was another possible cause of the same
            tried = _tried_fix(each, namespace, asked_in, seconds)
            so_far[:] = [tried] if tried else [*so_far, tried]
    return Fixes(each for tried in found.values() for each in tried)


def _tried_fix(
    finding: Finding, namespace: Mapping[str, Any], asked_in: Line | None, seconds: float
) -> Shown | NotFixed:
    line = _line_of(finding, asked_in)
    path = path_of(line) if line is not None else ""
    start = f"{finding.kind}: no correction is shown, for"
    if line is None or not finding.line or not path:
        return NotFixed(f"{start} {NO_LINE}")
    if line.cell is None:
        return NotFixed(f"{start} {in_no_cell(path, finding.line)}")
    asks = path_of(asked_in) if asked_in is not None else ""
    code = asking_code(asks if asks != path else "")
    wanted = (finding.kind, finding.line)
    return try_fix(path, namespace, lambda f: (f.kind, f.line) == wanted, seconds, code)


def _line_of(finding: Finding, asked_in: Line | None) -> Line | None:
    """The line of a finding with the cell or file that it is in."""
    if not finding.file:
        return asked_in
    cell = finding.file.removeprefix("cell ")
    return Line(finding.file, finding.line, "", int(cell) if cell.isdecimal() else None)
