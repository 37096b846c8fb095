"""`explain`: why a gradient is what it is, in sentences and on the graph.

Nothing here guesses. A connected gradient is taken apart by the engine's own sweep; a None has a
cause that the tape or an open journal proves, or the sentence says what is not known and how to
find out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from minitape.call import call
from minitape.interpreter import active
from minitape.leaving import only
from minitape.ops.elementwise.arithmetic import multiply
from minitape.ops.elementwise.powers import exp
from minitape.record import opened, output_ids
from minitape.request import Request
from minitape.steps import Step
from minitape.tape import GradientTape
from minitape.tensor import eager
from minitape.tensors.composite import dense
from minitape.values import nest

from ...record.build import build
from ...record.journal import Journal, journal_in_use
from ...record.lines import calling_frame
from ...record.names import tensors_in
from ...trace.facts import why_zero_at
from ...trace.trace import Break, Trace
from ..kinds.engine.answer import find
from ..kinds.engine.cancelled import tie_sentences
from ..pictures import broken_picture
from ..sources.dataflow import Act, Dataflow, Edge
from ..sources.question import Cause, Question, Sweep, at, sweep
from . import paths as paths_module
from .explained import Explanation, Explanations
from .paths import Path


def explain(tape: Any, target: Any, source: Any) -> Any:
    """Says why the gradient of `target` with respect to `source` is what it is.

    Best asked about a tape that ran inside `with viz.recording():`, which sees also what the tape
    does not; then it works on a used tape too. The tape is not used up.

    Args:
        tape: a GradientTape that has recorded.
        target: one tensor or variable.
        source: one tensor or variable, or a nested structure of several.

    Returns:
        For several sources a tuple of explanations. For one an explanation that shows itself in
        notebooks; `.text`, `.cause`, `.line`, `.fix`, `.paths`, `.picture`, `.try_fix()`.

    Raises:
        TypeError: if `tape` is not a GradientTape, or the target is not one tensor.

    Example:
        >>> import minitape as tf
        >>> from minitape import viz
        >>> x = tf.constant(3.0)
        >>> with viz.recording(), tf.GradientTape() as tape:
        ...     y = x * x
        >>> why = viz.explain(tape, y, x)
        >>> why.cause
        'not_watched'
        >>> print(why.fix)
        with tf.GradientTape() as tape:
            tape.watch(x)
    """
    if not isinstance(tape, GradientTape):
        raise TypeError(
            f"expected a tf.GradientTape, got {tape!r}. What it recorded is explained: "
            "write `with tf.GradientTape() as tape: ...` and pass that `tape`."
        )
    if len(Request([], source).sources) > 1:
        return Explanations(tuple(explain(tape, target, each) for each in nest.flatten(source)))
    (target,), (source,) = _one("target", target), _one("source", source)
    for each in active():
        if isinstance(each, Journal):
            each.explained(tape, target, source)
    names = tensors_in(calling_frame(), [target, source])
    journal = journal_in_use()
    question = Question(Dataflow(tape, journal, names), target, source, _name_of(tape))
    swept = sweep(question) if tape.usable else None
    if swept is not None and swept.cotangent is not None:
        return connected(question, swept, names)
    causes = find(question, swept)
    trace, places = broken_picture(question, causes)
    explained = Explanation(question, trace, _said(question, causes), causes, places=places)
    if explained.cause == "released":
        of_used_tape(question, explained)
    return explained


def _one(role: str, value: Any) -> list[Any]:
    """The single tensor or variable that a target or source is."""
    checked = Request(value, []).targets if role == "target" else Request([], value).sources
    if len(nest.flatten(value)) != 1 or len(checked) != 1:
        raise TypeError(
            f"explain takes one {role} at a time, got {len(checked)} tensors: ask for each of "
            f"them, for instance `viz.explain(tape, loss, w)`."
        )
    return checked


def _name_of(tape: Any) -> str:
    frame = calling_frame()
    scopes = [] if frame is None else [frame.f_locals, frame.f_globals]
    names = [name for scope in scopes for name, value in scope.items() if value is tape]
    return names[0] if names else "tape"


def _said(q: Question, causes: Sequence[Cause]) -> str:
    """The sentences: one cause plainly, several as a list."""
    start = f"The gradient of `{q.y}` with respect to `{q.x}` is None"
    if q.flow.recording is not None and causes[0].name == "released":
        start = f"The gradient of `{q.y}` with respect to `{q.x}` can no longer be computed"
    sentences = list(dict.fromkeys(each.sentence for each in causes))  # several ops of one line
    sentences = [each[0].upper() + each[1:] for each in sentences]
    if len(sentences) == 1:
        return f"{start}. {sentences[0]}{_advice(q, causes)}"
    certain = all(cause.is_certain for cause in causes)
    how = "all of these have to be fixed" if certain else "it is one of these"
    listed = [f"{i}. {sentence}" for i, sentence in enumerate(sentences, 1)]
    return "\n".join([f"{start}; {how}:", *listed]) + _advice(q, causes)


def _advice(q: Question, causes: Sequence[Cause]) -> str:
    if q.flow.is_complete or all(cause.is_certain for cause in causes):
        return ""
    return (
        "\nThe tape alone cannot prove it. Record the program inside `with viz.recording():` and "
        "ask again: then every op is seen, with its line."
    )


__all__ = ["Explanation", "Explanations", "at", "explain"]


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
    said = tie_sentences(flow, {q.t, *flow.ancestors(q.t)} & flow.descendants(q.s))
    text = "\n".join([text, *said])
    if np.any(raw):
        return Explanation(q, trace, text, cause="connected", gradient=value, paths=found)
    dead = dead_ends(q, swept.steps)
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


class Again(NamedTuple):
    """A new tape with the old names by the new tensors' ids."""

    tape: Any
    target: Any
    source: Any
    names: dict[int, tuple[str, Any]]


def recorded_again(q: Question) -> Again | None:
    """The way from source to target on a new tape; None where not all of it is known."""
    wanted, reached = q.flow.ancestors(q.t), {q.s, *q.flow.descendants(q.s)}
    acts = [
        act
        for act in q.flow.acts
        if not wanted.isdisjoint(act.outputs) and not reached.isdisjoint(act.inputs)
    ]
    journal = q.flow.journal
    if journal is None or q.s == q.t or not acts or not all(act.recorded for act in acts):
        return None
    entries = [journal.by_output.get(act.outputs[0]) for act in acts]
    try:
        return _run(q, entries) if None not in entries else None
    except (TypeError, ValueError, LookupError, ArithmeticError):
        return None


def _run(q: Question, entries: list[Any]) -> Again | None:
    first = next(x for entry in entries for x in entry.inputs if x.id == q.s)
    source = eager(np.array(first.value))
    made: dict[int, Any] = {q.s: source}
    with only(()), GradientTape(persistent=True) as tape:
        tape.watch(source)
        for entry in entries:
            given = tuple(made[x.id] if x.id in made else eager(x.value) for x in entry.inputs)
            out = call(entry.op, given, entry.attributes)
            several = out if entry.op.several else (out,)
            made |= {old.id: new for old, new in zip(entry.outputs, several, strict=True)}
    known = {new.id: (q.flow.names[old], new) for old, new in made.items() if old in q.flow.names}
    names = known | {source.id: (q.x, source), made[q.t].id: (q.y, made[q.t])}
    return Again(tape, made[q.t], source, names)


NO_SLOPE = "its derivative is 0 at this value"


class Dead(NamedTuple):
    """A rule that got something and gave zeros."""

    edge: Edge
    sentence: str


def dead_ends(q: Question, steps: list[Step]) -> list[Dead]:
    """The edges where every path ends, in the order of the sweep; empty where terms cancel."""
    related = q.flow.descendants(q.s)
    found = []
    for step in steps:
        act = q.flow.maker.get(output_ids(step.record)[0])
        for each in step.contributions:
            if act is None or each.id not in related or _is_zero(step.cotangent):
                continue
            if _is_zero(each.value):
                edge = Edge(each.id, act, each.position)
                found.append(Dead(edge, _passes_zero(q, act, edge, step.cotangent)))
    return found


def _passes_zero(q: Question, act: Act, edge: Edge, g: Any) -> str:
    facts, squares = act.op.facts, len(set(act.inputs)) < len(act.inputs)
    reason = NO_SLOPE if squares else why_zero_at(facts) or NO_SLOPE
    place = f" at {at(act.line)}" if act.line else ""
    reason = _too_small(q, act, edge, g) or reason
    return f"`{act.op.name}`{place} passes 0 to {q.flow.name(edge.key)}: {reason}"


def _too_small(q: Question, act: Act, edge: Edge, g: Any) -> str:
    """That a number became 0 because its dtype has none that small, "" where that is not so."""
    out = q.flow.value(act.outputs[0])
    if out is None or out.dtype.kind != "f" or not out.size:
        return ""
    smallest = f"smaller than any {out.dtype} but 0 ({np.finfo(out.dtype).smallest_subnormal:.1e})"
    if act.op is exp.op and not np.any(out):
        return f"its value is {smallest}, so it became 0"
    others = [q.flow.value(key) for i, key in enumerate(act.inputs) if i != edge.position]
    if act.op is not multiply.op or others[0] is None or not np.all(others[0]):
        return ""
    return f"cotangent times the other factor is {smallest}" if np.all(opened(dense(g))) else ""


def _is_zero(value: Any) -> bool:
    if value is None:
        return True
    if isinstance(value, tuple):
        return all(_is_zero(each) for each in value)
    return not np.any(opened(dense(value)))
