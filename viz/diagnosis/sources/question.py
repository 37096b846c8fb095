"""What `explain` is asked, and one answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from minitape.backward import backward
from minitape.interpreter import identity
from minitape.leaving import only
from minitape.record import output_ids
from minitape.request import Request
from minitape.safety.silence import Silence
from minitape.steps import Step

from ...record.names import own_name
from ...trace.trace import Line
from .dataflow import Act, Dataflow, Edge

if TYPE_CHECKING:
    from ...record.journal import Event


@dataclass(frozen=True, slots=True)
class Cause:
    """One reason for a None.

    Attributes:
        name: short and stable, such as "not_watched".
        sentence: what happened and why that matters.
        line: the learner's line.
        fix: what to write instead.
        note: a few words for the picture.
        key: the tensor at which the break is drawn, 0 for an edge.
        edge: the edge at which it is drawn.
        bridge: two tensors (from, to) where the value took a way that is no op.
        is_certain: whether the evidence proves it.
    """

    name: str
    sentence: str
    line: Line | None
    fix: str
    note: str
    key: int = 0
    edge: Edge | None = None
    bridge: tuple[int, int] | None = None
    is_certain: bool = True


class Question:
    """The gradient of `target` with respect to `source`, and what is known around them."""

    def __init__(self, flow: Dataflow, target: Any, source: Any, tape_name: str) -> None:
        self.flow = flow
        self.target = target
        self.source = source
        self.s = identity(source)
        self.t = identity(target)
        flow.tensors.setdefault(self.s, source)
        flow.tensors.setdefault(self.t, target)
        self.x = self._named(self.s, source, "x")
        self.y = self._named(self.t, target, "y")
        self.tape_name = tape_name

    def _named(self, key: int, end: Any, otherwise: str) -> str:
        if key in self.flow.names:
            return self.flow.names[key]
        try:
            return own_name(end)
        except AttributeError:
            return otherwise

    @property
    def watched_at(self) -> int | None:
        """How many ops had run when the source was watched; None if that is not known."""
        events = self.has("watch")
        return next((event.number for event in events if event.tensor == self.s), None)

    @cached_property
    def steps(self) -> frozenset[int]:
        """The variables whose gradients were asked for together with the source's, before this."""
        sweeps = self.flow.journal.sweeps[:-1] if self.flow.journal is not None else []
        together = [sweep.sources for sweep in sweeps if self.s in sweep.sources]
        return frozenset().union(*together) - {self.s}

    def has(self, kind: str) -> list[Event]:
        """The events of this tape's recording of one kind, in order."""
        own = [e for e in self.flow.events if e.kind == kind]
        return [e for e in own if e.tape is None or e.tape is self.flow.mark]

    def state_at(self, number: int) -> str:
        """What the tape did last before an op: start, stop, stop_recording, "" for nothing."""
        state = ""
        for event in self.flow.events:
            if event.number > number:
                break
            if event.tape is self.flow.mark and event.kind in {"start", "stop", "stop_recording"}:
                state = event.kind
        return state

    def first_use(self) -> Line | None:
        """The line that used the source first, if possible while the tape was recording."""
        edges = [e for e in self.flow.users.get(self.s, ()) if e.act.line is not None]
        inside = [e for e in edges if e.act.tapes and self.flow.mark in e.act.tapes]
        return next((edge.act.line for edge in inside or edges), None)

    def made(self, act: Act) -> str:
        """What an act made, as the beginning or middle of a sentence."""
        return self.flow.name(act.outputs[0])


def at(line: Line | None) -> str:
    """Where a line is: `line 5 of lesson.py`, `line 2 of cell 3`.

    Example:
        >>> at(Line("lesson.py", 5, "y = x * x"))
        'line 5 of lesson.py'
    """
    return f"line {line.number} of {line.file}" if line else "an unknown line"


class Sweep(NamedTuple):
    """One explained sweep: its steps, the source's raw cotangent (None: not connected).

    `stuck` is the act that has no gradient registered, where the sweep came to one.
    """

    steps: list[Step]
    cotangent: Any
    stuck: Act | None = None


def sweep(q: Question, request: Request | None = None, recording: Any = None) -> Sweep:
    """Runs the engine's sweep on a snapshot of the tape, which stays as it was.

    Args:
        q: the question.
        request: what is asked, where that is more than one target and one source.
        recording: of the tape, by default that of the question.
    """
    recording = q.flow.recording if recording is None else recording
    records = recording.records
    request = Request(q.target, q.source) if request is None else request
    with only(()), Silence():
        cotangents = request.seeds(raw=True)
        chosen, wanted = request.path(reversed(records), records, recording.watched)
        last: list[Any] = []

        def noted() -> Iterator[Any]:
            for record in chosen:
                last[:] = [record]
                yield record

        try:
            steps = list(backward(noted(), cotangents, wanted, raw=True, explain=True))
        except LookupError as error:
            if type(error) is not LookupError:  # a KeyError of a learner's own rule
                raise
            return Sweep([], None, q.flow.maker[output_ids(last[0])[0]])
    return Sweep(steps, cotangents.get(q.s))
