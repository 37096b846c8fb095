"""Why a source has no gradient, said in the step that says so and marked where it is lost.

The reasons are those of `explain`, and so are the ops beside the tape on which it is lost; here
they find their places in the trace.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...trace.parts import Node
from ...trace.trace import Break, Step, Trace, renumbered
from ...trace.wording import generated
from .explanation import Explanation, explain

if TYPE_CHECKING:
    from minitape.request import Request

MAX_REASONS = 8  # sources explained; each asks for a walk through the recording
SECONDS = 3.0  # that a cell may take when it is run again with a correction
MAX_BESIDE = 40  # nodes that are put into a trace for one reason
FIRST = re.compile(r"^.*? is None(\.|; it is one of these:)\s*", re.DOTALL)


def with_reasons(
    trace: Trace, tape: Any, request: Request, places: dict[int, int] | None = None
) -> Trace:
    """The same trace, whose `unconnected` steps say why; unchanged where nothing is known.

    Args:
        trace: of this request.
        tape: a GradientTape, not yet used up.
        request: with one target; several are left as they are, since each may have its own reason.
        places: the trace's nodes by tensor id; where they are known, what ran beside the tape is
            put into the trace.
    """
    missing = [step for step in trace.steps if step.kind == "unconnected"]
    if not missing or len(request.targets) != 1 or len(missing) > MAX_REASONS:
        return trace
    unique = dict(zip(request.source_ids, request.sources, strict=True)).values()
    nodes = dict(zip(trace.sources, unique, strict=True))
    why = {step: _explained(tape, request, nodes[step.node]) for step in missing}
    found = {step: each for step, each in why.items() if each is not None}
    _try_a_correction(list(found.values()))
    steps = tuple(_said(step, found[step]) if step in found else step for step in trace.steps)
    trace = replace(trace, steps=steps)
    for step, each in found.items():
        if places is None or len(each.trace.nodes) > MAX_BESIDE:
            trace = replace(trace, breaks=(*trace.breaks, _at_source(step, each)))
            continue
        beside = replace(each.trace, breaks=each.breaks)
        trace, places = joined(trace, places, beside, each.places)
    return trace


def _explained(tape: Any, request: Request, source: Any) -> Explanation | None:
    try:
        why: Explanation = explain(tape, request.targets[0], source)
    except Exception:  # a picture without a reason is better than none
        return None
    return why


def _try_a_correction(found: list[Explanation]) -> None:
    """Run the first cell with a cause again, corrected, on copies of the notebook's values.

    What works takes its place at the break; else the cause stands there alone.
    """
    for each in found:
        if each.place and each.line is not None and each.line.cell is not None:
            each.try_fix(SECONDS, each.question)
            return


def _said(step: Step, why: Explanation) -> Step:
    """The step with the sentences of an explanation after its own."""
    # The explanation's first sentence is the step's own.
    reason = " ".join(FIRST.sub("", why.text).split())
    several = "It is one of these: " if "it is one of these:" in why.text else ""
    sentence = f"{step.sentence} {several}{reason}".rstrip()
    return replace(step, sentence=sentence, line=why.line or step.line)


def _at_source(step: Step, why: Explanation) -> Break:
    """The break of a reason whose own picture would be too large."""
    note = next((each.note for each in why.trace.breaks if each.note), "")
    doubt = "" if why.is_certain else "?"
    return Break(step.node, None, f"{note}{doubt}")


Places = dict[int, int]  # node by tensor id


def joined(
    trace: Trace, places: Places, beside: Trace, others: Mapping[int, int]
) -> tuple[Trace, Places]:
    """Put the nodes and breaks of a picture of what ran into a trace.

    Args:
        trace: of the tape.
        places: its nodes by tensor id.
        beside: what ran between a source and a target, with its breaks.
        others: its nodes by tensor id.

    Returns:
        The trace with both, and its nodes by tensor id.
    """
    here = {node: places[key] for key, node in others.items() if key in places}
    count = len(trace.nodes)
    for node in beside.nodes:
        here.setdefault(node.id, count + sum(n >= count for n in here.values()))
    nodes = dict(enumerate(trace.nodes))
    for node in beside.nodes:
        moved = replace(node, id=here[node.id], inputs=tuple(here[i] for i in node.inputs))
        known = nodes.get(moved.id)
        nodes[moved.id] = moved if known is None else _completed(known, moved)
    order = _sorted(nodes)
    place = [0] * len(order)
    for position, node_id in enumerate(order):
        place[node_id] = position
    changed = {i for i, node in enumerate(trace.nodes) if nodes[i] is not node}
    again = [_describes(step, trace, changed) for step in trace.steps]
    whole = renumbered(trace, [nodes[i] for i in order], place)
    steps = (
        replace(step, sentence=generated(step, whole.nodes, whole.carries)) if anew else step
        for step, anew in zip(whole.steps, again, strict=True)
    )
    whole = replace(whole, steps=tuple(steps))
    breaks = tuple(replace(each, node=place[here[each.node]]) for each in beside.breaks)
    found = {key: place[node] for key, node in places.items()}
    found |= {key: place[here[node]] for key, node in others.items()}
    return replace(whole, breaks=_once((*whole.breaks, *breaks))), found


def _describes(step: Step, trace: Trace, changed: Container[int]) -> bool:
    """Whether the sentence of a step, which nobody wrote, is about nodes that have changed."""
    about = (*trace.nodes[step.node].inputs, step.node)
    return any(node in changed for node in about) and step.sentence == generated(
        step, trace.nodes, trace.carries
    )


def _completed(known: Node, other: Node) -> Node:
    """A leaf of the tape with what it was computed from."""
    if known.inputs or not other.inputs:
        return known
    kind = other.kind if other.kind in ("op", "constant") else known.kind
    op, line = other.op if kind == "op" else known.op, known.line or other.line
    return replace(known, kind=kind, op=op, inputs=other.inputs, line=line, watched=False)


def _sorted(nodes: Mapping[int, Node]) -> list[int]:
    """Ids with inputs first, else in their order."""
    found: dict[int, None] = {}
    for start in sorted(nodes):
        waiting = [start]
        while waiting:
            missing = [i for i in nodes[waiting[-1]].inputs if i not in found]
            if missing:
                waiting += missing
            else:
                found.setdefault(waiting.pop())
    return list(found)


def _once(breaks: tuple[Break, ...]) -> tuple[Break, ...]:
    """One break for each place; the first that says something."""
    kept: dict[tuple[int, int | None], Break] = {}
    for each in breaks:
        kept.setdefault((each.node, each.position), each)
    return tuple(kept.values())
