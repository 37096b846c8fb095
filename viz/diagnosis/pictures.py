"""The picture of a None: what led from the source to the target, and the breaks drawn on it.

The nodes are those that ran, whether or not the tape recorded them, so that the place where the
gradient cannot pass is in the picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from minitape.record import Record, output_ids
from minitape.variable import ResourceVariable

from ..record.build import build, code_of
from ..record.names import own_name
from ..trace.arrays import Array
from ..trace.trace import Break, Node, Step, Trace
from .finding import Finding
from .sources.case import Case
from .sources.dataflow import Act
from .sources.question import Cause, Question

MAX_ACTS = 120


class Canvas:
    """The nodes of the picture while they are collected, by tensor id."""

    def __init__(self, q: Question, causes: Sequence[Cause]) -> None:
        self.q = q
        self.nodes: list[Node] = []
        self.place: dict[int, int] = {}
        self.bridges = {c.bridge[1]: c.bridge[0] for c in causes if c.bridge}

    def leaf(self, key: int) -> int:
        """The node of a tensor that no op made; one that came over a bridge hangs on it."""
        if key in self.place:
            return self.place[key]
        start = self.bridges.get(key)
        before = (self.place[start],) if start in self.place else ()
        tensor = self.q.flow.tensors.get(key)
        followed = self.q.flow.follows(key)
        kind: Any = "variable" if isinstance(tensor, ResourceVariable) else "source"
        if not followed and kind != "variable" and key not in (self.q.s, self.q.t):
            kind = "constant"
        made = self.q.flow.maker.get(key)
        if made is not None and not before and key not in (self.q.s, self.q.t):
            kind = "op"  # beside the way: its own inputs are left out
        name = made.name if made is not None and kind == "op" else None
        node = Node(len(self.nodes), kind, before, "", (), op=name, watched=followed)
        return self.add(key, node)

    def act(self, act: Act) -> None:
        """The nodes of an op, after those of its inputs."""
        inputs = tuple(self.leaf(key) if key else self._unknown() for key in act.inputs)
        for output, key in enumerate(act.outputs):
            node = Node(
                len(self.nodes), "op", inputs, "", (), op=act.name.removesuffix("_to_discrete"),
                output=output,
                line=act.line, watched=act.recorded,
            )  # fmt: skip
            self.add(key, node)

    def add(self, key: int, node: Node) -> int:
        """Fills in what is known of the tensor and keeps the node."""
        flow = self.q.flow
        value, spec = flow.value(key), flow.spec(key)
        self.nodes.append(
            Node(
                node.id, node.kind, node.inputs, spec.dtype.name if spec else "",
                tuple(spec.shape) if spec else (), op=node.op, output=node.output,
                name=flow.names.get(key) or self._variable_name(key), line=node.line,
                value=None if value is None else Array.of(value), watched=node.watched,
            )
        )  # fmt: skip
        self.place[key] = node.id
        return node.id

    def _variable_name(self, key: int) -> str:
        tensor = self.q.flow.tensors.get(key)
        return own_name(tensor) if isinstance(tensor, ResourceVariable) else ""

    def _unknown(self) -> int:
        self.nodes.append(Node(len(self.nodes), "constant", (), "", ()))
        return len(self.nodes) - 1


def broken_trace(q: Question, causes: Sequence[Cause]) -> Trace:
    """The trace of what ran between source and target, with the breaks of all causes."""
    return broken_picture(q, causes)[0]


def broken_picture(q: Question, causes: Sequence[Cause]) -> tuple[Trace, dict[int, int]]:
    """That trace, and its nodes by tensor id."""
    canvas = Canvas(q, causes)
    acts = _relevant(q, causes)
    if q.s not in {key for act in acts for key in act.outputs}:
        canvas.leaf(q.s)
    for act in acts:
        canvas.act(act)
    for _, key in sorted((c.bridge[0], c.bridge[1]) for c in causes if c.bridge):
        canvas.leaf(key)
    target = canvas.leaf(q.t)
    source = canvas.place[q.s]
    sentence = f"`{q.x}` has no gradient: {causes[0].sentence}"
    trace = Trace(
        nodes=tuple(canvas.nodes),
        steps=(Step("unconnected", source, sentence=sentence, line=causes[0].line),),
        targets=(target,),
        sources=(source,),
        gradients={source: None},
        title=f"gradient of {q.y} with respect to {q.x}",
        source_text=code_of(canvas.nodes),
        breaks=tuple(each for cause in causes for each in _drawn(canvas, cause)),
    )
    return trace, canvas.place


def _relevant(q: Question, causes: Sequence[Cause]) -> list[Act]:
    """The acts on the way; where no way leads, those around both ends and along the bridges."""
    flow = q.flow
    down, up = flow.descendants(q.s), flow.ancestors(q.t)
    wanted = set(down & up)
    if not wanted:
        wanted = set(up)
        for start, end in (c.bridge for c in causes if c.bridge):
            wanted |= (flow.ancestors(start) & down) | {end}
    chosen = [act for act in flow.acts if not wanted.isdisjoint(act.outputs)]
    return [act for act in chosen if q.s not in act.outputs][-MAX_ACTS:]


def _drawn(canvas: Canvas, cause: Cause) -> list[Break]:
    """Where a cause is in the picture: at an edge where there is one, else at a node.

    An op that takes a tensor twice is cut off twice; the note stands at the first of these edges.
    """
    place = canvas.place
    if cause.edge is not None and cause.edge.act.outputs[0] in place:
        key, act, position = cause.edge
        node = place[act.outputs[0]]
        again = [i for i, other in enumerate(act.inputs) if other == key and i != position]
        return [Break(node, position, cause.note), *(Break(node, i) for i in again)]
    if cause.bridge is not None:
        end = place.get(cause.bridge[1])
        if end is not None and canvas.nodes[end].inputs:
            return [Break(end, 0, cause.note)]
    return [Break(place.get(cause.key, place[canvas.q.s]), None, cause.note)]


MAX_RECORDS = 250  # of a tape that is drawn


def picture(case: Case, finding: Finding | None = None) -> str:
    """The trace as JSON, "" where it is too large to be read or cannot be built."""
    recording = case.flow.recording
    records = getattr(recording, "records", [])
    if not records or len(records) > MAX_RECORDS:
        return ""
    try:
        trace = build(case.request, records, recording, case.names, journal=case.journal).trace
    except (LookupError, TypeError, ValueError):
        return ""
    if finding is not None:
        trace = marked(trace, records, finding)
    return trace.to_json()


def marked(trace: Trace, records: list[Record], finding: Finding) -> Trace:
    """The trace with a break at the tensor that a finding is about."""
    for number, record in enumerate(records):
        if finding.node in output_ids(record):
            nodes = [node.id for node in trace.nodes if node.record == number]
            place = nodes[output_ids(record).index(finding.node)]
            return replace(trace, breaks=(Break(place, None, finding.kind),))
    return trace
