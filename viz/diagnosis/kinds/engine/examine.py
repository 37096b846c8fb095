"""Everything suspicious about one call: each kind has its module, and their ranks are the order.

A None is reported for each source by itself; NaN, infinities and meetings of shapes belong to the
call as a whole, and are reported once.
"""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

from ...diagnosis import KINDS, Kind
from ...finding import Finding
from ...sources.case import Case

for _module in pkgutil.iter_modules([str(Path(__file__).parent)]):  # each registers its kind
    importlib.import_module(f"{__package__}.{_module.name}")

ENGINE = sorted((k for k in KINDS.values() if "minitape" in k.dialects), key=lambda kind: kind.rank)


def examine(case: Case, only: tuple[str, ...] = ()) -> list[Finding]:
    """The findings of one call, of all kinds or a few, in the order in which to fix them."""
    found: list[Finding] = []
    if not case.request.targets:
        return found
    states = case.outcome().states
    hidden: set[str] = set()
    for kind in ENGINE:
        if kind.name in hidden or only and kind.name not in only:
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
