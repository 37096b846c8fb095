"""Everything suspicious about one call: each kind has its module, and their ranks are the order.

The one fact to know: a None is reported for each source by itself; NaN, infinities and meetings of
shapes belong to the call as a whole, and are reported once.
"""

from __future__ import annotations

from ...diagnosis import KINDS, Kind
from ...finding import Finding
from ...sources.case import Case
from . import (
    bad_number,
    custom_gradient,
    lost_digits,
    lost_part,
    no_gradient,
    shapes_met,
    zero_gradient,
)

OWN = (no_gradient, lost_part, lost_digits, bad_number, shapes_met, custom_gradient, zero_gradient)
ENGINE = sorted((each.KIND for each in OWN), key=lambda kind: kind.rank)


def examine(case: Case) -> list[Finding]:
    """The findings of one call, in the order in which they should be fixed."""
    found: list[Finding] = []
    if not case.request.targets:
        return found
    states = case.outcome().states
    hidden: set[str] = set()
    for kind in ENGINE:
        if kind.name in hidden:
            continue
        for each in kind.find(case, states):
            each.found_by = kind.name
            each.is_quiet = each.is_quiet or bool(kind.meant(case, each))
            found.append(each)
            hidden.update(kind.hides)
    return found


def kind_of(finding: Finding) -> Kind:
    """The kind that found something, and knows how it is corrected."""
    return KINDS[finding.found_by]
