"""A gradient that is there: taken apart into the paths that it comes from, also of a used tape.

The one fact to know: the engine's own sweep gives the numbers, over all records and over those of
one path.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from minitape.record import opened, output_ids
from minitape.request import Request
from minitape.tensor import eager
from minitape.tensors.composite import dense

from ..record.build import build
from ..trace.trace import Break, Trace
from ..why import paths as paths_module, ties, zero
from ..why.answer import Sweep, sweep
from ..why.cause import Question
from ..why.dataflow import Dataflow
from ..why.paths import Path
from .again import recorded_again
from .explained import Explanation


def of_used_tape(q: Question, explained: Explanation) -> None:
    """Adds what the recording still tells of a tape that gave its record away."""
    again = recorded_again(q)
    if again is None:
        return
    tape, target, source, names = again
    question = Question(Dataflow(tape, None, names), target, source, q.tape_name)
    swept = sweep(question)
    if swept.cotangent is None:
        return
    found = connected(question, swept, names)
    explained.text += f"\nWhat ran is known, and was computed again from it. {found.text}"
    explained.gradient, explained.paths = found.gradient, found.paths


def connected(q: Question, swept: Sweep, names: dict[int, tuple[str, Any]]) -> Explanation:
    """The gradient taken apart into paths; where it is zero, why."""
    flow, request = q.flow, Request(q.target, q.source)
    records = flow.recording.records
    trace = build(
        request, records, flow.recording, names, journal=flow.journal,
        persistent=flow.tape.persistent, title=f"gradient of {q.y} with respect to {q.x}",
    ).trace  # fmt: skip
    seeds = request.seeds(raw=True)
    found = paths_module.paths(records, q.s, q.t, seeds, flow.short)
    number = paths_module.count(records, q.s, q.t)
    raw = opened(dense(swept.cotangent))
    value = eager(np.conj(raw) if np.iscomplexobj(raw) else raw)
    shown = trace.gradients[trace.sources[0]]
    start = f"The gradient of `{q.y}` with respect to `{q.x}` is {shown.text() if shown else ''}"
    text = _of_paths(start.replace(" -", " −"), q, found, number)
    said = ties.sentences(flow, {q.t, *flow.ancestors(q.t)} & flow.descendants(q.s))
    text = "\n".join([text, *said])
    if np.any(raw):
        return Explanation(q, trace, text, cause="connected", gradient=value, paths=found)
    dead = zero.dead_ends(q, swept.steps)
    why = [f"{each.sentence}." for each in dead] or ["The contributions of the paths cancel."]
    drawn = tuple(
        Break(trace_node, each.edge.position, "passes 0")
        for each in dead
        for trace_node in [_node_of(trace, records, each.edge.act.outputs[0])]
        if trace_node is not None
    )
    text = f"{start}: connected, but zero. " + " ".join(dict.fromkeys(why))
    explained = Explanation(
        q, replace(trace, breaks=drawn), text, cause="zero", gradient=value, paths=found
    )
    lines = [each.edge.act.line for each in dead if each.edge.act.line is not None]
    explained.line = lines[0] if lines else None
    return explained


def _node_of(trace: Trace, records: list[Any], key: int) -> int | None:
    """The node of a tensor, by the number of the record that made it."""
    for number, record in enumerate(records):
        outputs = output_ids(record)
        if key in outputs:
            nodes = [n.id for n in trace.nodes if n.record == number]
            return nodes[outputs.index(key)]
    return None


def _of_paths(start: str, q: Question, found: tuple[Path, ...], number: int) -> str:
    if q.s == q.t:
        return f"{start}: they are the same."
    if number == 1:
        return f"{start}. One path leads there: {found[0]}."
    listed = [f"{i}. {path}" for i, path in enumerate(found, 1)]
    if number > len(found):
        listed.append(f"… and {number - len(found):,} more.")
    return "\n".join([f"{start}: the sum over {number:,} paths.", *listed])
