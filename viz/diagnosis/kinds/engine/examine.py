"""Everything suspicious about one call: each kind has its module, and here is their order.

The one fact to know: a None is told of for each source by itself; NaN, infinities and meetings of
shapes belong to the call as a whole, and are told of once.
"""

from __future__ import annotations

import numpy as np

from ...finding import Finding
from ...sources.case import Case
from . import births, customs, digits, meetings, missing, partly, vanishing

MAX_SOURCES = 24  # of one call that are explained one by one


def examine(case: Case) -> list[Finding]:
    """The findings of one call, in the order in which they should be mended."""
    found: list[Finding] = []
    if not case.request.targets:
        return found
    states = case.outcome().states
    if case.request.mode.value != "zero":
        empty = [i for i, state in enumerate(states) if state == "none"]
        for index in empty[:MAX_SOURCES]:
            found += missing.findings(case, index, alone=len(empty) == len(states))
    if "none" not in states:
        found += partly.findings(case)
    if not states:
        found += missing.no_sources(case)
    without_digits = digits.findings(case)
    is_finite = not {"nan", "inf"}.intersection(states) and _finite_targets(case)
    if not is_finite and not without_digits:  # with all digits the target would be finite
        found += births.findings(case)
    found += meetings.findings(case)
    found += customs.findings(case)
    found += without_digits
    for index in [i for i, state in enumerate(states) if state in {"zero", "ok"}][:MAX_SOURCES]:
        found += vanishing.findings(case, index)
    return found


def _finite_targets(case: Case) -> bool:
    values = [case.flow.value(target.id) for target in case.request.targets]
    return all(v is None or v.dtype.kind not in "fc" or np.isfinite(v).all() for v in values)
