"""Why a source has no gradient, said in the step that says so and marked in the picture.

The one fact to know: the reasons are those of `explain`; here they only find their steps.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..trace.trace import Break, Step, Trace
from .explanation import explain

if TYPE_CHECKING:
    from minitape.request import Request

MAX_REASONS = 8  # sources explained; each asks for a walk through the recording
FIRST = re.compile(r"^.*? is None(\.|; it is one of these:)\s*", re.DOTALL)


def with_reasons(trace: Trace, tape: Any, request: Request) -> Trace:
    """The same trace, whose `unconnected` steps say why; unchanged where nothing is known.

    Args:
        trace: of this request.
        tape: a GradientTape, not yet used up.
        request: with one target; several are left as they are, since each may have its own reason.
    """
    missing = [step for step in trace.steps if step.kind == "unconnected"]
    if not missing or len(request.targets) != 1 or len(missing) > MAX_REASONS:
        return trace
    unique = dict(zip(request.source_ids, request.sources, strict=True)).values()
    nodes = dict(zip(trace.sources, unique, strict=True))
    said = {step: _explained(step, tape, request, nodes[step.node]) for step in missing}
    steps = tuple(said[step][0] if step in said else step for step in trace.steps)
    breaks = tuple(each for _, each in said.values() if each is not None)
    return replace(trace, steps=steps, breaks=breaks)


def _explained(step: Step, tape: Any, request: Request, source: Any) -> tuple[Step, Break | None]:
    """The step with the sentences of an explanation after its own, and the break at its source."""
    try:
        why = explain(tape, request.targets[0], source)
    except Exception:  # a picture without a reason is better than none
        return step, None
    # The explanation's first sentence is the step's own.
    reason = " ".join(FIRST.sub("", why.text).split())
    several = "It is one of these: " if "it is one of these:" in why.text else ""
    sentence = f"{step.sentence} {several}{reason}".rstrip()
    note = next((each.note for each in why.trace.breaks if each.note), "")
    doubt = "" if why.is_certain else "?"
    broken = Break(step.node, None, f"{note}{doubt}")
    return replace(step, sentence=sentence, line=why.line or step.line), broken
