"""`minitape explain` for scripts of PyTorch and JAX: runs, tries corrections, gives the report.

The report is that of all scripts (`report`), so its text, JSON and page are the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np

from .. import kinds as kinds
from ..diagnosis import LIKELY, SHOWN, SURE, Correction, Diagnosis
from ..finding import Finding
from ..source_text import Source
from .engine_trial import Tried, fresh
from .process import NO_ANSWER, answer, patience
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
from .sound import OTHER, SOUND

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


MAX_TRIALS = 8  # for one diagnosis
CLOSE = 2e-3


@dataclass(slots=True)
class Run:
    """What became of a run.

    Attributes:
        ended: ok, failed, killed.
        error: in words.
        found: diagnoses, causes first.
        outcomes: of each request that was looked at: its target and its gradients.
        losses: by line, what each request's target was.
        asked: how many requests there were.
        missed: requests where something is wrong that nobody looked at.
        refused: what the script wanted to do and may not; refused_line: where.
    """

    ended: str
    error: str
    found: list[Diagnosis]
    outcomes: list[dict[str, Any]]
    losses: dict[str, list[float]]
    asked: int = 0
    missed: tuple[int, ...] = ()
    refused: str = ""
    refused_line: int = 0
    problems: tuple[str, ...] = ()


class Trials:
    """Tries corrections, as long as there is time.

    Args:
        runner: runs a text.
        total: seconds after which no further one is tried, on an idle machine.
    """

    def __init__(self, runner: Callable[[str], Run], total: float = 90.0) -> None:
        self.runner = runner
        self.deadline = monotonic() + total * patience()

    def correct(self, text: str, before: Run, diagnosis: Diagnosis) -> Tried | None:
        """The first correction that works, else one that is a possibility; None for neither."""
        possible: Tried | None = None
        made = diagnosis.kind.correct(Source(text), diagnosis)
        for number, candidate in enumerate(fresh(text, made, lambda each: each.text)):
            if number >= MAX_TRIALS or monotonic() > self.deadline:
                break
            after = self.runner(candidate.text)
            verdict = judged(before, after, diagnosis, candidate)
            if verdict not in {SOUND, OTHER} or verdict == OTHER and possible is not None:
                continue
            gradient = _gradient(after, diagnosis)
            tried = Tried(candidate.text, gradient, run=after, verdict=verdict)
            if verdict == SOUND:
                return tried
            possible = tried
        return possible


def judged(before: Run, after: Run, diagnosis: Diagnosis, candidate: Correction) -> str:
    """SOUND, OTHER, or why the correction is refused.

    Args:
        before: the run of the text as it was.
        after: that of the corrected one.
        diagnosis: what was to be corrected.
        candidate: the correction.
    """
    if after.ended != "ok" and (before.ended == "ok" or not _is_later(before, after)):
        return f"it ends with {after.error or after.ended}"
    old = {each.kind.name for each in before.found}
    if any(each.kind is diagnosis.kind and _is_about(each, diagnosis) for each in after.found):
        return "what was found is there as before"
    news = [
        e for e in after.found if e.kind.name not in old and e.level == SURE and e.kind.rank < 90
    ]
    if news:
        return f"line {news[0].line} is suspicious then: {news[0].kind.name}"
    now = _outcome(after, diagnosis)
    if now is None:
        return "no gradient is asked for any more" if diagnosis.ask >= 0 else OTHER
    if not all(map(math.isfinite, now["target"])):
        return "the target is not finite"
    gradients = [g for g in now["gradients"].values() if g is not None]
    if diagnosis.kind.shown not in {"update"} and not gradients:
        return "the gradient is None then"
    numbers = [n for g in gradients for n in g]
    if not all(map(math.isfinite, numbers)):
        return "the gradient is not finite"
    flat = diagnosis.facts.get("way") == "back" and diagnosis.facts.get("given") == [0.0]
    is_right = flat and not candidate.keeps_value  # at the bottom of a bowl there is no slope
    if numbers and not any(numbers) and diagnosis.kind.shown != "update" and not is_right:
        return "the gradient is zero then"
    if not candidate.keeps_value:
        return OTHER
    was = _outcome(before, diagnosis)
    if was is not None and not _same(was["target"], now["target"]):
        return "it computes another number"
    if was is not None and diagnosis.facts.get("part") and was["gradients"] == now["gradients"]:
        return "the gradient lacks the same term then"
    return SOUND


def _is_later(before: Run, after: Run) -> bool:
    """Whether an error that remains is another one, of a later line."""
    return bool(after.error) and after.error != before.error and after.asked > before.asked


def _is_about(each: Diagnosis, diagnosis: Diagnosis) -> bool:
    if (
        diagnosis.ask >= 0
        and each.ask >= 0
        and diagnosis.facts.get("part") == each.facts.get("part")
    ):
        return each.ask == diagnosis.ask or each.place.text == diagnosis.place.text
    return each.facts.get("part") == diagnosis.facts.get("part")


def _outcome(run: Run, diagnosis: Diagnosis) -> dict[str, Any] | None:
    number = max(diagnosis.ask, 0)
    return next((each for each in run.outcomes if each["ask"] == number), None)


def _same(was: list[float], now: list[float]) -> bool:
    a, b = np.asarray(was, float), np.asarray(now, float)
    if a.shape != b.shape:
        return False
    finite = np.isfinite(a)
    return bool(np.allclose(a[finite], b[finite], rtol=CLOSE, atol=1e-6))


def _gradient(run: Run, diagnosis: Diagnosis) -> list[float]:
    now = _outcome(run, diagnosis)
    if now is None:
        return []
    names = [name.strip("`") for name in diagnosis.facts.get("sources", ())]
    chosen = [now["gradients"].get(name) for name in names] or list(now["gradients"].values())
    return next((g for g in chosen if g), [])
