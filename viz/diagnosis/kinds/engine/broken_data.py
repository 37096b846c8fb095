"""Data that is not finite before any tape sees it, and the line of NumPy where it became so.

NumPy tells of a division by 0 or an invalid value when it happens (its error callback), which a
script's process listens to; what comes of it is met by a tape much later.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np

from minitape.record import opened
from minitape.tensors.composite import dense

from ...finding import Finding
from ...sources import written as places
from ...sources.case import Case, span_of
from ...sources.written import Place

MAX_NOTED = 20
SAID = {
    "divide by zero": "divides by 0",
    "invalid value": "computes what has no value (0 / 0, the root of a number below 0)",
    "overflow": "exceeds the largest number of its dtype",
}


class Noted(NamedTuple):
    """What NumPy said, and the learner's frame in which it computed."""

    what: str
    place: Place


class Broken:
    """Listens to NumPy, and keeps the first places of a file at which numbers broke."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.noted: list[Noted] = []

    def listen(self) -> None:
        """Begins to listen, in place of NumPy's warnings."""
        np.seterrcall(self._hear)
        np.seterr(divide="call", invalid="call", over="call")

    def _hear(self, what: str, flag: int) -> None:
        frame = sys._getframe(1)
        while frame is not None and "numpy" in frame.f_globals.get("__name__", "").split(".")[:1]:
            frame = frame.f_back  # type: ignore[assignment] # None ends the loop
        if frame is None or frame.f_code.co_filename != self.file or len(self.noted) >= MAX_NOTED:
            return  # within the engine: an op, of which the journal knows
        self.noted.append(Noted(what, places.stack()[0]))


def of_data(case: Case, symptom: str) -> list[Finding]:
    """The data or a variable is not finite to begin with; at the line of NumPy, if it is known."""
    roots: set[int] = set()
    for target in case.request.targets:
        roots |= {k for k in case.flow.ancestors(target.id) if k not in case.flow.maker}
    bad = [key for key in sorted(roots) if not is_finite(case.flow.value(key))]
    if not bad or case.outcome().line and _is_known(case):
        return []
    noted = getattr(getattr(case.journal, "broken", None), "noted", [])
    if noted:
        said, place = noted[0]
        does = next((text for word, text in SAID.items() if said.startswith(word)), said)
        sentence = (
            f"The numbers are broken before a tape sees them: NumPy {does} at line {place.line}, "
            "and all that is computed from that is not finite."
        )
        return [Finding(symptom, "broken_data", sentence, place.line, span=span_of(place))]
    stack = case.made_at(bad[0]) or case.here
    sentence = f"{case.flow.name(bad[0])} is not finite to begin with, so nothing after it is."
    return [Finding(symptom, "data", sentence, case.line(stack), span=case.span(stack))]


def is_finite(value: Any) -> bool:
    """Whether all numbers of a value are finite; None and integers are."""
    if value is None:
        return True
    if isinstance(value, tuple):
        return all(map(is_finite, value))
    array = np.asarray(opened(dense(value)))
    return array.dtype.kind not in "fc" or bool(np.isfinite(array).all())


def _is_known(case: Case) -> bool:
    """Whether an earlier call was told of: what is NaN since then needs no second finding."""
    known = getattr(case.journal, "findings", {})
    return any(each.kind in {"nan", "inf", "overflow"} for each in known.values())
