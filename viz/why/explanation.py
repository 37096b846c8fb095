"""`explain`: why a gradient is what it is, in sentences and on the graph.

The one fact to know: nothing here guesses. A connected gradient is taken apart by the engine's own
sweep; a None has a cause that the tape or an open journal proves, or the sentence says what is not
known and how to find out.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from minitape.interpreter import active
from minitape.records import opened, output_ids
from minitape.request import Request
from minitape.tape import GradientTape
from minitape.tensor import eager
from minitape.tensors.composite import dense
from minitape.values import nest

from ..player.page import image, spoken
from ..player.still import Picture
from ..record.build import build
from ..record.journal import Journal, journal_in_use
from ..record.lines import calling_frame, path_of
from ..record.names import tensors_in
from ..trace.trace import Break, Line, Trace
from . import paths as paths_module
from . import zero
from .answer import Sweep, find, sweep
from .broken import broken_trace
from .cause import Cause, Question, at
from .dataflow import Dataflow
from .paths import Path

MENDED = "What to write instead:"


class Explanation:
    """Why a gradient is what it is. Shows itself in notebooks: sentences and the graph.

    Attributes:
        cause: "connected", "zero" (connected, and why it is 0), or why it is None: "not_watched",
            "watched_too_late", "variable_replaced", "variables_not_watched", "not_trainable",
            "numpy", "dtype", "state", "recording_stopped", "reset", "outside", "stop_gradient",
            "not_differentiable", "custom_gradient_none", "no_rule", "no_path", "released"; or
            "unknown", where a recording would tell more.
        causes: all of them: several where each has to be mended, or where the evidence leaves
            more than one open.
        is_certain: whether the evidence proves it.
        text: plain sentences.
        line: the learner's line where it broke, None if unknown.
        mend: the corrected code.
        gradient: the gradient as a tensor, None if there is none.
        paths: where connected, the paths and what each contributes (at most 12).
        trace: the graph with the breaks drawn on it.
    """

    def __init__(
        self,
        question: Question,
        trace: Trace,
        text: str,
        causes: Sequence[Cause] = (),
        *,
        cause: str = "",
        gradient: Any = None,
        paths: tuple[Path, ...] = (),
    ) -> None:
        self.trace = trace
        self.text = text
        self.causes = tuple(dict.fromkeys(each.name for each in causes)) or (cause,)
        self.cause = self.causes[0]
        self.is_certain = all(each.is_certain for each in causes)
        lines = [each.line for each in causes if each.line is not None]
        self.line: Line | None = lines[0] if lines else None
        self.mend = "\n".join(dict.fromkeys(each.mend for each in causes))
        self.gradient = gradient
        self.paths = paths
        self.source = question.x
        frame = calling_frame()
        self.namespace: dict[str, Any] = {} if frame is None else frame.f_globals
        self.place = path_of(self.line) if self.line is not None else ""

    def try_mend(self, seconds: float = 10.0) -> Any:
        """Looks for a correction of the cell with the mistake, and runs it on copies of the values.

        Args:
            seconds: the limit of one run.

        Returns:
            The changed lines and the gradient that they give (`.mend`, `.tried`, `.after`); None
            where no correction works, or the mistake is in no cell.
        """
        from ..mending.cells import try_mend

        if self.line is None or self.line.cell is None or not self.place:
            return None
        return try_mend(self.place, self.namespace, self.source, seconds)

    @property
    def picture(self) -> Picture:
        """The still picture; `.save("why.svg")` keeps it."""
        return Picture(self.trace)

    def __str__(self) -> str:
        return self.text + (f"\n\n{MENDED}\n{_indented(self.mend)}" if self.mend else "")

    def __repr__(self) -> str:
        return f"<Explanation: {self.cause}. {self.text}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """Sentences and picture as plain HTML: an untrusted notebook shows all of it."""
        said = "".join(f"<p>{spoken(part)}</p>" for part in self.text.split("\n"))
        code = f"<p>{MENDED}</p><pre><code>{html.escape(self.mend)}</code></pre>"
        mend = code if self.mend else ""
        return {"text/plain": str(self), "text/html": said + mend + image(self.trace)}


class Explanations(tuple[Explanation, ...]):
    """Explanations of several gradients, shown one after the other."""

    __slots__ = ()

    def __str__(self) -> str:
        return "\n\n".join(map(str, self))

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """All of them as plain HTML."""
        parts = [each._repr_mimebundle_()["text/html"] for each in self]
        return {"text/plain": str(self), "text/html": "<hr>".join(parts)}


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
        notebooks; `.text`, `.cause`, `.line`, `.mend`, `.paths`, `.picture`, `.try_mend()`.

    Raises:
        TypeError: if `tape` is not a GradientTape, or the target is not one tensor.

    Example:
        >>> import minitape as tf, viz
        >>> x = tf.constant(3.0)
        >>> with viz.recording(), tf.GradientTape() as tape:
        ...     y = x * x
        >>> why = viz.explain(tape, y, x)
        >>> why.cause
        'not_watched'
        >>> print(why.mend)
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
        return _connected(question, swept, names)
    causes = find(question, swept)
    return Explanation(question, broken_trace(question, causes), _said(question, causes), causes)


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
        start = f"The gradient of `{q.y}` with respect to `{q.x}` cannot be asked for any more"
    sentences = list(dict.fromkeys(each.sentence for each in causes))  # several ops of one line
    sentences = [each[0].upper() + each[1:] for each in sentences]
    if len(sentences) == 1:
        return f"{start}. {sentences[0]}{_advice(q, causes)}"
    certain = all(cause.is_certain for cause in causes)
    how = "all of these have to be mended" if certain else "it is one of these"
    listed = [f"{i}. {sentence}" for i, sentence in enumerate(sentences, 1)]
    return "\n".join([f"{start}; {how}:", *listed]) + _advice(q, causes)


def _advice(q: Question, causes: Sequence[Cause]) -> str:
    if q.flow.is_complete or all(cause.is_certain for cause in causes):
        return ""
    return (
        "\nThe tape alone cannot prove it. Record the program inside `with viz.recording():` and "
        "ask again: then every op is seen, with its line."
    )


def _connected(q: Question, swept: Sweep, names: dict[int, tuple[str, Any]]) -> Explanation:
    """The gradient taken apart into paths; where it is zero, why."""
    flow, request = q.flow, Request(q.target, q.source)
    records = flow.recording.records
    options = {"journal": flow.journal, "persistent": q.flow.tape.persistent, "title": ""}
    trace = build(request, records, flow.recording, names, **options)[0]
    trace = replace(trace, title=f"gradient of {q.y} with respect to {q.x}")
    seeds = request.seeds(raw=True)
    found = paths_module.paths(records, q.s, q.t, seeds, flow.short)
    number = paths_module.count(records, q.s, q.t)
    raw = opened(dense(swept.cotangent))
    value = eager(np.conj(raw) if np.iscomplexobj(raw) else raw)
    shown = trace.gradients[trace.sources[0]]
    start = f"The gradient of `{q.y}` with respect to `{q.x}` is {shown.text() if shown else ''}"
    text = _of_paths(start.replace(" -", " −"), q, found, number)
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


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.split("\n"))


__all__ = ["Explanation", "Explanations", "at", "explain"]
