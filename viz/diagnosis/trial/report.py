"""`minitape explain`: what is suspicious about a script, with corrections that were tried.

Corrections are tried one after the other, each on the text that the one before gave, so that the
last text has all of them.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ...base.scripts import script_text
from ..corrections.names import without_return
from ..corrections.none_gradients import alone
from ..corrections.rules import line_of
from ..finding import Finding
from ..source_text import Source
from .attempts import changed
from .engine_trial import Trials, Tried
from .guard import MAY_NOT
from .process import Run, run
from .sound import SAYS, SOUND

MAX_FINDINGS = 12
SECONDS = 20.0  # of a script, unless another limit is given
TRIAL_SECONDS = 15.0
MAY = "while it is explained a script may compute and read"


class NotRunError(Exception):
    """A script that cannot be looked at; the message is one line for its author."""


@dataclass(slots=True, repr=False)
class Remedy:
    """One finding, the texts before and after its correction, and what the trial gave."""

    finding: Finding
    text: str
    before: str = ""
    after: str = ""
    gradient: list[float] = field(default_factory=list)
    picture: str = ""
    verdict: str = SOUND
    losses: list[float] = field(default_factory=list)

    def __repr__(self) -> str:
        return f"{self.fix}\n\n{self.tried}"

    @property
    def is_tried(self) -> bool:
        """Whether a correction was run and works."""
        return bool(self.after)

    @property
    def fix(self) -> str:
        """What to write instead: the changed lines, or words where nothing could be tried."""
        if not self.is_tried:
            return self.finding.fix
        return "\n".join(changed(self.before, self.after))

    @property
    def mend(self) -> str:
        """The old name of `fix`."""
        return self.fix

    @property
    def tried(self) -> str:
        """What the trial has shown, in a sentence."""
        if not self.is_tried:
            direction = "; take what is written as a direction only" if self.fix else ""
            return f"Not tried: no correction is known that works here{direction}."
        if self.losses:
            first, last = self.losses
            return f"{SAYS[self.verdict]}the loss goes from {first:.4g} to {last:.4g}."
        if not self.gradient and self.verdict != SOUND:
            return f"{SAYS[self.verdict]}the script runs and the finding is gone."
        if not self.gradient:
            return "Tried: with these lines the script runs and the finding is gone."
        shown = ", ".join(f"{each:.6g}" for each in self.gradient[:6])
        more = ", ..." if len(self.gradient) > 6 else ""
        value = shown if len(self.gradient) == 1 else f"[{shown}{more}]"
        return f"{SAYS[self.verdict]}the gradient is {value}."

    def as_json(self) -> dict[str, Any]:
        """What `--json` writes of it."""
        finding = self.finding
        return {
            "cause": finding.cause, "line": finding.line, "kind": finding.kind,
            "sentence": finding.sentence, "mend": self.fix,
        }  # fmt: skip


@dataclass(slots=True)
class Report:
    """All findings of a script, first things first.

    Attributes:
        name: of the script.
        diagnoses: the findings.
        fixed: the text with all corrections that work, "" if there is none.
        note: what the script was stopped for, "" if it ran to its end.
        calls: the places at which it asks for gradients.
        refused: what it may not do and went on without, "" for nothing.
        cuts: what is said of parts of the way that left a tape, which may be meant.
    """

    name: str
    diagnoses: list[Remedy]
    fixed: str = ""
    note: str = ""
    calls: int = 0
    refused: str = ""
    cuts: tuple[str, ...] = ()


def report(file: Path, arguments: Sequence[str] = (), seconds: float = SECONDS) -> Report:
    """Runs a script, and tries corrections of what is suspicious.

    Args:
        file: the script; nothing of it or beside it is changed.
        arguments: what it finds in `sys.argv[1:]`.
        seconds: the time limit of one run.

    Raises:
        NotRunError: if it cannot be read, or ends before anything was found.
    """
    text = read(file)
    whole = file.absolute()
    first, functions = _first(whole, arguments, seconds, "function" in text)
    note = note_of(file.name, first, seconds)
    if not first.findings:
        if note:
            raise NotRunError(note)
        refused, cuts = refused_of(file.name, first), tuple(first.cuts.values())
        return Report(file.name, [], calls=first.calls, refused=refused, cuts=cuts)
    limit = min(seconds, TRIAL_SECONDS)
    trials = Trials(
        lambda candidate, call: run(whole, arguments, limit, candidate, call, functions),
        confirmed=lambda candidate: (
            "function" not in candidate
            or first.ended != "ok"
            or run(whole, arguments, limit, candidate, functions=False).ended == "ok"
        ),
    )
    diagnoses, fixed = corrected(trials, text, first)
    refused = "" if note else refused_of(file.name, first)
    lines = {str(one.finding.line) for one in diagnoses}
    cuts = tuple(said for line, said in first.cuts.items() if line not in lines)
    return Report(file.name, diagnoses, fixed, note, first.calls, refused, cuts)


def _first(
    file: Path, arguments: Sequence[str], seconds: float, has_functions: bool
) -> tuple[Run, bool]:
    """The run that is looked at; where a `tf.function` has to be a graph, with graphs."""
    first = run(file, arguments, seconds)
    if has_functions and first.ended == "failed":
        graphs = run(file, arguments, seconds, functions=False)
        if graphs.ended == "ok":
            return graphs, False
    return first, True


def read(file: Path) -> str:
    """The text of a script, or of a notebook as one.

    Raises:
        NotRunError: if there is none, or it is no Python.
    """
    if file.is_dir():
        raise NotRunError(f"{str(file)!r} is a folder, and no script")
    if not file.exists():
        raise NotRunError(f"there is no file {str(file)!r}")
    try:
        text = script_text(file)
        compile(text, str(file), "exec", dont_inherit=True)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        where = f", line {line}" if line else ""
        message = getattr(error, "msg", None) or " ".join(str(error).split())
        raise NotRunError(f"{file.name}{where} is no Python: {message}") from error
    return text


def note_of(name: str, first: Any, seconds: float) -> str:
    """Why the script, of whatever framework, did not run to its end."""
    said = first.error
    is_refused = first.refused and (MAY_NOT in said or not said or said.startswith("it ends with"))
    if is_refused and first.ended not in {"ok", "killed"}:  # else it lives with it, as libraries do
        return refused_of(name, first) or f"{name} {first.refused}; {MAY}"
    if first.ended == "killed":
        return f"{name} was stopped after {seconds:g} seconds: does it loop for ever? See --limit"
    if first.ended != "ok":
        return f"{name} fails: {first.error or 'its process ended at once'}"
    return ""


def refused_of(name: str, first: Any) -> str:
    """What the script itself, and no library that it uses, wanted to do."""
    if not first.refused_line:
        return ""
    return f"{name}, line {first.refused_line}, {first.refused}; {MAY}"


def corrected(trials: Trials, text: str, first: Run) -> tuple[list[Remedy], str]:
    """Each finding with its correction, and the text that has all that work ("" if none does)."""
    diagnoses: list[Remedy] = []
    state, current = text, first
    pending = _unique(list(first.findings), text)
    seen = list(pending)
    while pending and len(diagnoses) < MAX_FINDINGS:
        chosen, tried = _first_that_works(trials, state, current, pending)
        pending = [f for f in pending if f is not chosen and not _is_rival(f, chosen)]
        if tried is None or tried.run is None:
            if not chosen.is_suspected:
                diagnoses.append(Remedy(chosen, text))
            continue
        picture = tried.run.picture
        shown = (chosen, text, state, tried.text, tried.gradient, picture, tried.verdict)
        diagnoses.append(Remedy(*shown, tried.losses))
        state, current = tried.text, tried.run
        pending += [each for each in _followers(chosen, current, text, state) if each not in seen]
        seen += pending
        pending = [f for f in pending if _remains(f, current)]
    return diagnoses, state if state != text else ""


def _followers(chosen: Finding, current: Run, text: str, state: str) -> list[Finding]:
    """What a corrected None shows next: that the gradient, now there, is zero for a reason."""
    if chosen.kind != "none":
        return []
    own = [f for f in current.findings if f.kind == "zero" and not f.is_suspected]
    own = [f for f in own if (f.call, f.source) == (chosen.call, chosen.source)]
    return [_as_before(each, text, state) for each in own[:1]]


def _as_before(finding: Finding, text: str, state: str) -> Finding:
    """A finding of a corrected text with the lines of the text as it was."""
    old, new = text.splitlines(), state.splitlines()
    line: dict[int, int] = {}
    for _, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new, False).get_opcodes():
        line.update({j + 1: min(i1 + j - j1 + 1, max(i2, 1)) for j in range(j1, j2)})

    def moved(found: re.Match[str]) -> str:
        return f"line {line.get(int(found[1]), int(found[1]))}"

    sentence = re.sub(r"\bline (\d+)", moved, finding.sentence)
    return replace(finding, line=line.get(finding.line, finding.line), sentence=sentence)


def _first_that_works(
    trials: Trials, text: str, current: Run, pending: list[Finding]
) -> tuple[Finding, Tried | None]:
    """The first finding; of several possible causes of one, that whose correction works."""
    head = pending[0]
    rivals = [head, *(f for f in pending[1:] if _is_rival(f, head))]
    for each in rivals:
        # As it is in the text that has the corrections so far: its lines may have moved.
        now = [
            f
            for f in current.findings
            if (f.kind, f.cause, f.call) == (each.kind, each.cause, each.call)
        ]
        tried = trials.correct(text, current, now[0] if now else each)
        if tried is not None and len(rivals) > 1:
            return _needed(trials, text, current, rivals, tried) or (each, tried)
        if tried is not None:
            return each, tried
    return head, None


def _needed(
    trials: Trials, text: str, current: Run, rivals: list[Finding], tried: Tried
) -> tuple[Finding, Tried] | None:
    """The one of several lines whose correction gives all of the gradient, None if none does."""
    spans = [f.span for f in current.findings]
    for each in rivals:
        if each.cause == "numpy" and each.span in spans:
            one = trials.correct(text, current, alone(each), rounds=1)
            if one is not None and _is_same(one.gradient, tried.gradient):
                return each, one
    return None


def _is_same(one: list[float], other: list[float]) -> bool:
    return len(one) == len(other) and np.allclose(one, other, rtol=1e-4, atol=0.0)


def _is_rival(each: Finding, head: Finding) -> bool:
    """Whether two findings are possible causes of one None."""
    if each.facts.get("beside"):  # a way of its own to the target: it is corrected too
        return False
    same = each.kind == head.kind == "none" and each.call == head.call
    return same and each.source == head.source


def _remains(finding: Finding, current: Run) -> bool:
    """Whether a finding is still to be fixed, after another correction."""
    if finding.kind == "none" and finding.call < len(current.outcomes):
        states, index = current.outcomes[finding.call]["states"], finding.facts.get("index", -1)
        if finding.facts.get("beside") or 0 <= index < len(states) and states[index] == "none":
            return True
    return any(
        (f.kind, f.call, f.source) == (finding.kind, finding.call, finding.source)
        for f in current.findings
    )


def _unique(findings: list[Finding], text: str) -> list[Finding]:
    """One finding per line, kind and cause, at the line where the mistake is."""
    source = Source(text)
    once: dict[Any, Finding] = {}
    for finding in findings:
        if finding.facts.get("function"):
            finding.line = line_of(source, finding)
        if finding.cause == "no_target":
            function = without_return(source, finding)
            finding.line = function.end_lineno if function is not None else finding.line
        once.setdefault((finding.kind, finding.line, finding.cause), finding)
    return list(once.values())
