"""`minitape explain` for scripts of PyTorch and JAX: runs, tries corrections, gives the report.

The report is that of all scripts (`report`), so its text, JSON and page are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .. import kinds as kinds
from ..diagnosis import LIKELY, SHOWN, Diagnosis
from ..finding import Finding
from .process import NO_ANSWER, answer
from .report import (
    MAX_FINDINGS,
    SECONDS,
    NotRunError,
    Remedy,
    Report,
    note_of,
    read,
    refused_of,
)
from .trial import Run, Trials

CHILDREN = {
    "pytorch": "minitape.viz.diagnosis.trial.child",
    "jax": "minitape.viz.diagnosis.trial.jax_child",
}
TRIAL_SECONDS = 30.0


def report(
    file: Path, arguments: Sequence[str] = (), seconds: float = SECONDS, dialect: str = "pytorch"
) -> Report:
    """Runs a script of a framework, and tries corrections of what is suspicious.

    Raises:
        NotRunError: if it cannot be read, or it ends before anything was found.
    """
    text = read(file)
    whole = file.absolute()

    def run(candidate: str | None, limit: float, wanted: Sequence[int] = ()) -> Run:
        asked = {"file": str(whole), "source": candidate, "arguments": list(arguments)}
        return _run({**asked, "wanted": list(wanted)}, limit, CHILDREN[dialect])

    first = run(None, seconds)
    if first.missed and not any(each.ask >= 0 for each in first.found):
        again = run(None, seconds, first.missed)
        first = again if again.found else first
    note = note_of(file.name, first, seconds)
    if not first.found:
        if note:
            raise NotRunError(note)
        return Report(file.name, [], calls=first.asked, refused=refused_of(file.name, first))
    limit = min(seconds, TRIAL_SECONDS)
    trials = Trials(lambda candidate: run(candidate, limit, first.missed))
    diagnoses, fixed = _corrected(trials, text, first)
    return Report(
        file.name, diagnoses, fixed, note, first.asked, "" if note else refused_of(file.name, first)
    )


def _run(asked: dict[str, Any], seconds: float, child: str) -> Run:
    data, is_late = answer(asked, seconds, child)
    if data is None:
        return Run("killed" if is_late else "failed", NO_ANSWER, [], [], {})
    data["found"] = in_order([Diagnosis.of(each) for each in data["found"]])
    data["missed"] = tuple(data["missed"])
    data["problems"] = tuple(data["problems"])
    run = Run(**data)
    if run.ended == "killed" and not is_late:
        run.ended, run.error = "failed", NO_ANSWER
    return run


def in_order(found: list[Diagnosis]) -> list[Diagnosis]:
    """Causes before symptoms, what is proved before what is likely."""
    return sorted(found, key=lambda d: (d.level == LIKELY, d.kind.rank, max(d.ask, 0)))


def _corrected(trials: Trials, text: str, first: Run) -> tuple[list[Remedy], str]:
    """Each diagnosis with its correction, and the text that has all that work."""
    shown: list[Remedy] = []
    state, current = text, first
    pending = list(first.found)
    while pending and len(shown) < MAX_FINDINGS:
        diagnosis = pending.pop(0)
        now = next((d for d in current.found if d.key == diagnosis.key), None)
        now = now or next((d for d in current.found if d.kind is diagnosis.kind), None)
        if now is None:
            continue  # gone with an earlier correction
        tried = trials.correct(state, current, now)
        finding = _finding(diagnosis)
        if tried is None:
            shown.append(Remedy(finding, text))
            continue
        shown.append(Remedy(finding, text, state, tried.text, tried.gradient, "", tried.verdict))
        state, current = tried.text, tried.run
    return shown, state if state != text else ""


def _finding(d: Diagnosis) -> Finding:
    """The record that text, JSON and page are made of today."""
    kind = d.shown or d.kind.shown
    assert kind in SHOWN
    return Finding(kind, d.kind.name, d.sentence, d.line, d.source, d.ask, d.place.span or None)
