"""Corrections that were tried: each is run in a process of its own before it is shown.

A correction counts only if the run ends as well as before, the call in question has its gradient,
and nothing new is suspicious. What the evidence cannot decide, the trial does: of several possible
causes the one whose correction works is reported first.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

import numpy as np

from ..corrections.numbers import widened
from ..finding import Finding
from ..kinds.engine.examine import kind_of
from ..kinds.engine.lost_digits import WRONG
from ..source_text import Source
from .attempts import Attempt, changed, result_of
from .process import Run, patience
from .sound import NOTHING, OTHER, SOUND, hides, refusal, verdict

MAX_TRIALS = 16  # for one finding
NUMBERS = {"nan", "inf", "overflow"}  # one may become the other with a first correction
MAX_GROWTH = 10.0  # of the target of a loop whose steps were made smaller
MAX_ROUNDS = 4  # corrections one after the other


@dataclass(slots=True)
class Tried:
    """What trying has shown.

    Attributes:
        text: the corrected text.
        gradient: the numbers that the call gives with it.
        losses: of a corrected update the target in the first round and in the last.
        left: findings that the text still has.
        run: what became of it.
        verdict: whether it is the function that was written (`sound`).
    """

    text: str
    gradient: list[float] = field(default_factory=list)
    left: tuple[Finding, ...] = ()
    run: Any = None
    verdict: str = SOUND
    losses: list[float] = field(default_factory=list)


class Trials:
    """Tries corrections of one text.

    Args:
        runner: runs a text, with a picture of one call.
        total: the seconds after which no further one is tried, on an idle machine.
        modules: those that the text finds imported, by name.
        confirmed: a last look at a text that works, which may take as long as a run.

    Attributes:
        attempts: what did not work, in order.
    """

    def __init__(
        self,
        runner: Callable[[str, int], Run],
        total: float = 60.0,
        modules: Mapping[str, str] | None = None,
        confirmed: Callable[[str], bool] = lambda text: True,
    ) -> None:
        self.modules = modules
        self.confirmed = confirmed
        self.runner = runner
        self.attempts: list[Attempt] = []
        self.deadline = monotonic() + total * patience()

    def correct(
        self, text: str, first: Run, finding: Finding, rounds: int = MAX_ROUNDS
    ) -> Tried | None:
        """A text in which a finding is corrected, None where no correction works."""
        state, before, about = text, first, finding
        for _ in range(rounds):
            tried = self._round(state, before, about)
            if tried is None:
                return None
            same = [f for f in tried.left if _is_about(f, finding)]
            if not same:
                if refusal(first, tried.run, finding):  # each step was right, and the whole is not
                    tried.verdict = OTHER
                if hides(first, tried.run, finding):
                    return None
                if tried.verdict == SOUND:
                    tried.verdict = verdict(first, tried.run, finding)
                return tried if self.confirmed(tried.text) else None
            state, about = tried.text, same[0]
            before = tried.run or before
        return None

    def _round(self, text: str, before: Run, finding: Finding) -> Tried | None:
        """The first correction that works, else one that moves the mistake further on."""
        further: Tried | None = None
        other: Tried | None = None  # it runs, and is not what is written
        small: Tried | None = None  # it is right, and moves nothing
        second: Tried | None = None  # it works, but gives zeros, or is another function
        made = kind_of(finding).correct(Source(text, self.modules), finding)
        for number, candidate in enumerate(fresh(text, made)):
            if number >= MAX_TRIALS or monotonic() > self.deadline:
                break
            after = self.runner(candidate, finding.call)
            works = self._works(before, after, finding)
            if works and self._is_precise(candidate, after, finding):
                why = refusal(before, after, finding)
                if why:
                    self.attempts.append(Attempt(tuple(changed(text, candidate)), why))
                    if other is None and not hides(before, after, finding):
                        numbers = _gradient(after, finding)
                        other = Tried(candidate, numbers, after.findings, after, OTHER)
                    continue
                tried = Tried(candidate, _gradient(after, finding), after.findings, after)
                if finding.kind == "update":
                    tried.gradient, tried.losses = [], _losses(after, finding)
                if (
                    finding.kind == "underflow"
                    and max(map(abs, tried.gradient), default=1) < NOTHING
                ):
                    small = small or tried
                    continue
                if _is_as_wanted(before, after, finding):
                    return tried
                if not _is_same_target(before, after, finding):
                    tried.verdict = OTHER
                second = second or tried
                continue
            self._note(text, candidate, before, after, finding)
            if further is None and _moved_on(before, after, finding, (text, candidate)):
                further = Tried(candidate, [], after.findings, after)
        return second or other or small or further

    def _note(self, text: str, candidate: str, before: Run, after: Run, finding: Finding) -> None:
        result = result_of(after, finding, _news(before, after))
        self.attempts.append(Attempt(tuple(changed(text, candidate)), result))

    def _works(self, before: Run, after: Run, finding: Finding) -> bool:
        if after.ended != "ok" and (before.ended == "ok" or after.ended != before.ended):
            return False
        if after.ended == "failed" and after.error == before.error and finding.call < 0:
            return False
        if any(_is_about(each, finding) for each in after.findings):
            return False
        if _news(before, after):
            return False
        if finding.call >= len(after.outcomes):
            return False
        if finding.cause == "diverges" and _grows(after, finding):
            return False
        is_game = finding.cause == "other_loss"  # each loss of two may grow
        if finding.kind == "update" and not is_game and not _falls(after, finding):
            return False
        if finding.is_suspected and not _adds_a_part(before, after, finding):
            return False
        return _has_gradient(after, finding)

    def _is_precise(self, text: str, after: Run, finding: Finding) -> bool:
        """Whether float64 gives nearly the same, where digits may cancel on the way back too."""
        if finding.cause != "digits":
            return True
        wide = widened(text)
        exact = after if wide == text else self.runner(wide, finding.call)
        if finding.call >= len(exact.outcomes):
            return False
        mine, true = _gradient(after, finding), _gradient(exact, finding)
        return len(mine) == len(true) and np.allclose(mine, true, rtol=WRONG, atol=0.0)


def _adds_a_part(before: Run, after: Run, finding: Finding) -> bool:
    """Whether the target is the same number, and its gradient another one."""
    old, new = before.outcomes[finding.call], after.outcomes[finding.call]
    was, now = _gradient(before, finding), _gradient(after, finding)
    is_other = len(was) != len(now) or not np.allclose(was, now, rtol=1e-4, atol=1e-7)
    return is_other and any(now) and _same_target(old, new, finding)


def _grows(after: Run, finding: Finding) -> bool:
    """Whether a loop still leads away: finite numbers alone are no training."""
    sizes = [max(map(abs, numbers)) for numbers in _targets(after, finding)]
    return len(sizes) > 1 and not sizes[-1] <= MAX_GROWTH * max(sizes[0], 1.0)


def _targets(after: Run, finding: Finding) -> list[list[float]]:
    """The targets of all rounds of the line that asked."""
    line = after.outcomes[finding.call]["line"]
    return [each["target"] for each in after.outcomes if each["line"] == line and each["target"]]


def _losses(after: Run, finding: Finding) -> list[float]:
    """A training's loss in the first round and in the last."""
    targets = _targets(after, finding)
    return [targets[0][0], targets[-1][0]] if len(targets) > 1 else []


def _falls(after: Run, finding: Finding) -> bool:
    """Whether a training with a corrected update makes its loss smaller."""
    losses = _losses(after, finding)
    return bool(losses) and losses[1] < losses[0]


def fresh(text: str, made: Iterable[Any], text_of: Callable[[Any], str] = str) -> Iterator[Any]:
    """Candidates that are new and Python, as far as they can be made.

    A program that no maker expected has none, or no more of them.
    """
    seen = {text}
    with contextlib.suppress(Exception):
        for each in made:
            candidate = text_of(each)
            if candidate not in seen and _is_python(candidate):
                yield each
            seen.add(candidate)


def _is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True


def _is_about(each: Finding, finding: Finding) -> bool:
    """Whether a finding is about the same gradient of the same call."""
    same = _is_same_kind(each, finding)
    if finding.kind == "wrong" and each.cause != finding.cause:
        return False  # a rule that is used at last may be wrong itself
    is_of_all = finding.kind != "none" or not finding.source  # the target itself was no tensor
    return same and (each.source == finding.source or is_of_all)


def _news(before: Run, after: Run) -> list[Finding]:
    """What is suspicious about gradients that was not before."""
    proved = [each for each in after.findings if each.is_certain and not each.is_suspected]
    found = [each for each in proved if each.kind not in {"zero", "update"}]
    return [f for f in found if not any(_is_same_kind(f, old) for old in before.findings)]


def _is_same_kind(each: Finding, other: Finding) -> bool:
    return each.call == other.call and (
        each.kind == other.kind or {each.kind, other.kind} <= NUMBERS
    )


def _is_as_wanted(before: Run, after: Run, finding: Finding) -> bool:
    """Whether a correction that works has all of it: no zeros, and the same target as before."""
    outcome = after.outcomes[finding.call]
    if finding.cause not in {"division", "whole_power"} and "zero" in outcome["states"]:
        return False
    return _is_same_target(before, after, finding)


def _is_same_target(before: Run, after: Run, finding: Finding) -> bool:
    """Whether a gradient that was None is that of the same number."""
    if finding.kind != "none" or finding.call >= len(before.outcomes):
        return True
    return _same_target(before.outcomes[finding.call], after.outcomes[finding.call], finding)


def _has_gradient(after: Run, finding: Finding) -> bool:
    """Whether the call gives finite numbers, and a None became a gradient of the same target."""
    outcome = after.outcomes[finding.call]
    index = finding.facts.get("index")
    states = outcome["states"]
    if any(state in {"nan", "inf"} for state in states):
        return False
    if states and all(state == "none" for state in states):
        return False
    if finding.kind in {"none", "zero", "underflow"} and index is not None:
        if index >= len(states) or states[index] in {"none", "zero"} and finding.kind != "none":
            return False
        if states[index] == "none":
            return False
    return True


def _same_target(before: dict[str, Any], after: dict[str, Any], finding: Finding) -> bool:
    """Whether the target is the number that it was, where the correction must not change it."""
    if finding.cause not in {"numpy", "part", "not_watched", "outside", "state", "stop_gradient"}:
        return True
    old, new = np.asarray(before["target"]), np.asarray(after["target"])
    if old.shape != new.shape:
        return False
    return bool(np.allclose(old, new, rtol=1e-3, atol=1e-5, equal_nan=True))


def _moved_on(before: Run, after: Run, finding: Finding, texts: tuple[str, str]) -> bool:
    """Whether the same gradient is missing at another place now, and nothing else went wrong."""
    same = [f for f in after.findings if _is_about(f, finding)]
    if not same or finding.kind not in {"none", *NUMBERS}:
        return False
    if finding.kind != "none":
        is_other = _stands(same[0]) != _stands(finding) or _was_there(same[0], finding, texts)
        return after.ended == "ok" and is_other
    worse = after.ended != "ok" and after.ended != before.ended
    places = {(f.line, f.cause) for f in before.findings if _is_about(f, finding)}
    return not worse and not any((f.line, f.cause) in places for f in same[:1])


def _stands(finding: Finding) -> tuple[Any, ...]:
    """What a number was born of, wherever corrections have moved its line to."""
    return finding.cause, finding.facts.get("op")


def _was_there(now: Finding, finding: Finding, texts: tuple[str, str]) -> bool:
    """Whether a number is born of an expression that stands in both texts, and is not the same."""
    old, new = (
        source.code(node) if (node := source.node(each.span)) is not None else ""
        for source, each in ((Source(texts[0]), finding), (Source(texts[1]), now))
    )
    return bool(new) and new != old and new in texts[0] and old not in texts[1]


def _gradient(after: Run, finding: Finding) -> list[float]:
    outcome = after.outcomes[finding.call]
    index = finding.facts.get("index", 0)
    numbers = outcome["numbers"]
    return list(numbers[index]) if index < len(numbers) else []
