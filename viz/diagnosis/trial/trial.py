"""Tries corrections: each candidate runs in a process of its own, and what it gives is compared.

A correction is called tried only if the script ends as well as before, the diagnosis is gone,
nothing new is suspicious, every value of the target that was finite is unchanged (where the
correction claims to compute the same function), and the gradient is there, finite and not zero.
What runs and computes another function is a possibility, and is said to be one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any

import numpy as np

from ..diagnosis import SURE, Correction, Diagnosis
from ..source_text import Source
from .engine_trial import Tried, fresh
from .process import patience
from .sound import OTHER, SOUND

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
