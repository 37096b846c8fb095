"""A part of a gradient that is lost: NumPy took a value, and gave back a constant.

The one fact to know: the gradient is a number, but not the right one. It is told only where NumPy's
or math's function takes a tensor itself, as in `x / np.linalg.norm(x)`: `.numpy()`, `float` and
means of a batch are often meant.
"""

from __future__ import annotations

import linecache
import re

from ..why.cause import Cause
from ..why.departures import TO_PYTHON, departures
from .case import Case, span_of
from .finding import Finding
from .places import Place

SMOOTH = (
    "exp expm1 log log1p log2 log10 sqrt square power pow sin cos tan tanh sinh cosh arctan "
    "arctan2 arcsin arccos atan atan2 asin acos hypot norm dot matmul solve inv det erf lgamma "
    "reciprocal multiply divide add subtract"
)
FUNCTION = re.compile(rf"((?:np|numpy|math)\.(?:linalg\.)?(?:{SMOOTH.replace(' ', '|')}))\(")
MAX_EVENTS = 50


def findings(case: Case) -> list[Finding]:
    """The first value on the way to the target that went through NumPy."""
    taken = {}
    for event in case.flow.events[-MAX_EVENTS:]:
        place = next(iter(case.in_file(case.stack_of_event(event))), None)
        function = _function(place) if event.kind in TO_PYTHON else ""
        if place is not None and function:
            taken[event.line] = (place, function)
    for index, state in enumerate(case.outcome().states if taken else []):
        if state != "ok":
            continue
        q = case.question(index)
        for cause in departures(q):
            place, function = taken.get(cause.line, (None, ""))
            if cause.name != "numpy" or not cause.is_certain or place is None:
                continue
            if not function.endswith("exp") or _is_used_at(case, cause, place.line):
                return [_finding(case, index, q.x, place, function)]
    return []


def _is_used_at(case: Case, cause: Cause, line: int) -> bool:
    """Whether the constant is used where it came to be; under a name it may be a weight."""
    edges = case.flow.users.get(cause.bridge[1], ()) if cause.bridge else ()
    return any(case.line_of(edge.act) == line for edge in edges)


def _function(place: Place | None) -> str:
    """The function of NumPy or math that runs at a place, "" for anything else."""
    span = place.span if place is not None else None
    if place is None or span is None:
        return ""
    row = linecache.getline(place.code.co_filename, span.line).encode()
    found = FUNCTION.match(row[span.column :].decode(errors="replace"))
    return found[1] if found else ""


def _finding(case: Case, index: int, source: str, place: Place, function: str) -> Finding:
    sentence = (
        f"At line {place.line} `{function}` takes a tensor that depends on `{source}`, and what it "
        "gives comes back as a constant: the gradient is a number, but this part of it is lost."
    )
    finding = Finding("none", "part", sentence, place.line, source, span=span_of(place))
    finding.facts = {"index": index, "lines": [place.line]}
    for name, stack in (("call", case.here), ("tape", case.began)):
        span = case.span(stack)
        if span:
            finding.spans[name] = span
    return finding
