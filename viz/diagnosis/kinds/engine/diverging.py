"""A loop whose loss grows from step to step until no number is large enough.

The one fact to know: the op that overflows is not the mistake then, but the step: its size stands
in the text, beside the update, under a name, or in the optimizer's call.
"""

from __future__ import annotations

import numpy as np

from ...corrections.steps import UPDATES, step_sizes, uphill
from ...finding import Finding
from ...sources.case import Case, span_of
from ...sources.written import Place, Stack
from .beside import parsed

FEWEST = 2  # calls before
GROWTH = 100.0  # from the first to the last of them


def finding(case: Case, symptom: str) -> Finding | None:
    """That the steps are too large; None where the losses before did not grow."""
    sizes = _sizes(case)
    update = _update(case)
    if update is None or not _grow(sizes):
        return None
    tree = parsed(case)
    numbers = step_sizes(tree, update.line) if tree is not None else []
    line, why = min((each.lineno for each in numbers), default=update.line), "are too large"
    if tree is not None and uphill(tree, update.line) is not None:
        line, why = update.line, "go uphill: a gradient is added, where a loss falls against it"
    shown = ", ".join(f"{each:.3g}" for each in [*sizes[:2], sizes[-1]])
    sentence = (
        f"The loop diverges: its target grows from step to step ({shown}, ...) until no number is "
        f"large enough. The steps at line {line} {why}."
    )
    kind = "overflow" if symptom == "inf" else symptom
    found = Finding(kind, "diverges", sentence, line, span=span_of(update))
    found.facts = {"update": update.line, "target": ""}
    found.fix = "# a smaller learning rate, or inputs that are scaled to about 1"
    return found


def _sizes(case: Case) -> list[float]:
    """The finite targets of the calls at this place so far."""
    outcomes = getattr(case.journal, "outcomes", [])
    here = case.line(case.here)
    ends = [o.target for o in outcomes if o.line == here and o.target]
    return [max(map(abs, each)) for each in ends if np.isfinite(each).all()]


def _grow(sizes: list[float]) -> bool:
    """Whether the last ones are each larger than the one before, and much larger than the first."""
    last = sizes[-3:]
    rising = all(a < b for a, b in zip(last, last[1:], strict=False))
    return len(sizes) >= FEWEST and rising and sizes[-1] > GROWTH * max(sizes[0], 1e-30)


def _update(case: Case) -> Place | None:
    """Where a source got its present value: an assignment, or the op that made it."""
    sources = set(case.request.source_ids)
    events = case.journal.events if case.journal is not None else []
    stack: Stack = ()
    for event in reversed(events):
        if event.kind in UPDATES and event.into in sources:
            stack = case.stack_of_event(event)
            break
    else:
        made = [case.flow.maker[key] for key in sources if key in case.flow.maker]
        stack = case.stack_of(made[0]) if made else ()
    return next(iter(case.in_file(stack)), None)
