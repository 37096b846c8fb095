"""Everything that is known of how values came about: what the tape recorded, and what it did not.

A tape sees only what it follows; an open journal sees every op. Here both become one list of `Act`s
by tensor ids, in which "how does the target depend on the source?" has an answer even where the
tape has none.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from minitape.custom.op import Operation
from minitape.plan import SPEC, VALUE
from minitape.record import output_ids, plan_of, revived
from minitape.tensor import EagerTensor, Spec

from ...record.journal import Event
from ...record.lines import line_of
from ...record.names import own_name
from ...record.ops import op_name
from ...record.reading import input_ids, kept_of
from ...trace.trace import Line

if TYPE_CHECKING:
    from minitape.op import Op

    from ...record.journal import Journal


class Act(NamedTuple):
    """One op as far as it is known.

    Attributes:
        op: what ran.
        inputs: tensor ids; 0 where nobody kept them.
        outputs: tensor ids.
        line: the learner's line, None if unknown.
        recorded: whether the tape has a record of it.
        tapes: the tapes that were recording, None if unknown (no journal was open).
        number: its place in the journal, -1 if it is not there.
        name: what it is called: the op's name, or that of a function with its own gradient.
    """

    op: Op
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    line: Line | None
    recorded: bool
    tapes: tuple[Any, ...] | None
    number: int
    name: str


class Edge(NamedTuple):
    """An argument of an act: what could carry a gradient from `act` to tensor `key`."""

    key: int
    act: Act
    position: int


class Dataflow:
    """The acts around one tape, with the values, specs and names of tensors.

    Attributes:
        mark: what tensors that the tape follows carry, None for a tape that never recorded.
        acts: in the order in which they ran.
        maker: the act that made a tensor, by its id.
        users: the edges from a tensor, by its id.
        events: what the journal noted, and from the tape the same kinds with lines.
    """

    def __init__(self, tape: Any, journal: Journal | None, names: dict[int, tuple[str, Any]]):
        recording = tape.recording if tape.usable else tape.past
        self.tape = tape
        self.recording = recording
        self.mark = recording.mark[0] if recording is not None else None
        self.journal = journal if self._is_in(journal) else None
        self.names = dict(self.journal.names) if self.journal is not None else {}
        self.names |= {key: name for key, (name, _) in names.items()}
        self.tensors = {key: tensor for key, (_, tensor) in names.items()}
        self.specs: dict[int, Spec] = {}
        acts = [*self._from_journal(), *self._from_tape()]
        self.acts = sorted(acts, key=lambda act: act.outputs[0])
        self.maker = {key: act for act in self.acts for key in act.outputs}
        self.users: dict[int, list[Edge]] = {}
        for act in self.acts:
            for position, key in enumerate(act.inputs):
                self.users.setdefault(key, []).append(Edge(key, act, position))
        self.events = self._events()
        self._before: dict[int, frozenset[int]] = {}
        self._after: dict[int, frozenset[int]] = {}

    @cached_property
    def position(self) -> dict[int, int]:
        """The place of an event among all, by its identity: equal events may have come twice."""
        return {id(event): number for number, event in enumerate(self.events)}

    @cached_property
    def constants(self) -> dict[int, Event]:
        """The event that made a constant, by its id."""
        made = (e for e in reversed(self.events) if e.kind in {"array", "constant"})
        return {event.tensor: event for event in made}

    @cached_property
    def assigned(self) -> dict[int, list[tuple[int, int]]]:
        """Where a variable got another value: the place among the events, and how many ops ran."""
        found: dict[int, list[tuple[int, int]]] = {}
        for place, event in enumerate(self.events):
            if event.kind in {"assign", "overwritten"}:
                found.setdefault(event.into, []).append((place, event.number))
        return found

    def _is_in(self, journal: Journal | None) -> bool:
        """Whether the journal saw anything of this tape."""
        if journal is None:
            return False
        began = any(e.tape is self.mark for e in journal.events if e.kind == "start")
        return began or any(self.mark in entry.tapes for entry in journal.entries)

    def _from_journal(self) -> list[Act]:
        entries = self.journal.entries if self.journal else ()
        return [self._known(entry) for entry in entries if entry.outputs]

    def _known(self, entry: Any) -> Act:
        for tensor in (*entry.inputs, *entry.outputs):
            self.tensors.setdefault(tensor.id, tensor)
        marks = [y.mark or () for y in entry.outputs]
        recorded = self.mark is not None and any(self.mark in mark for mark in marks)
        inputs = tuple(x.id for x in entry.inputs)
        outputs = tuple(y.id for y in entry.outputs)
        op, name = entry.op, str(entry.op.name)
        if isinstance(op, Operation):  # takes its results as well, for those who follow no argument
            name = entry.attributes[0].name
            own = entry.inputs[: op.count]
            inputs = inputs[: op.count] if any(self.mark in (x.mark or ()) for x in own) else inputs
        return Act(op, inputs, outputs, entry.line, recorded, entry.tapes, entry.number, name)

    def _from_tape(self) -> list[Act]:
        """The acts of records that no open journal saw."""
        seen = self.journal.by_output if self.journal else {}
        log = getattr(self.recording, "records", ())
        return [self._recorded(record) for record in log if output_ids(record)[0] not in seen]

    def _recorded(self, record: Any) -> Act:
        op = plan_of(record).op
        for key, keep, kept in kept_of(record):
            if keep >= VALUE:
                self.tensors.setdefault(key, revived(key, kept, self.recording.mark))
            elif keep == SPEC:
                self.specs.setdefault(key, kept)
        inputs = input_ids(record)
        if isinstance(op, Operation):
            inputs = inputs[: op.count]
        return Act(op, inputs, output_ids(record), None, True, None, -1, op_name(record))

    def _events(self) -> list[Event]:
        """What the journal noted; without one, what the tape did."""
        if self.is_complete and self.journal is not None:
            return list(self.journal.events)
        noted = getattr(self.recording, "events", ())
        return [Event(e.kind, self.mark, e.tensor, e.into, line_of(*e.place), -1) for e in noted]

    @property
    def is_complete(self) -> bool:
        """Whether a journal saw the tape from its start, and what ran before and after it."""
        events = self.journal.events if self.journal is not None else ()
        return any(e.tape is self.mark for e in events if e.kind == "start")

    def follows(self, key: int) -> bool:
        """Whether the tape follows a tensor or variable."""
        recording = self.recording
        if recording is None:
            return False
        if key in recording.watched:
            return True
        act = self.maker.get(key)
        tensor = self.tensors.get(key)
        marked = isinstance(tensor, EagerTensor) and self.mark in (tensor.mark or ())
        return marked or (act is not None and act.recorded)

    def spec(self, key: int) -> Spec | None:
        """Shape and dtype of a tensor, as far as anybody knows."""
        tensor = self.tensors.get(key)
        return self.specs.get(key) if tensor is None else tensor.spec

    def value(self, key: int) -> Any:
        """The array of a tensor, None if unknown."""
        tensor = self.tensors.get(key)
        tensor = getattr(tensor, "_plain", tensor)
        return tensor.value if isinstance(tensor, EagerTensor) else None

    def ancestors(self, key: int) -> frozenset[int]:
        """The tensors that a tensor was computed from, itself among them."""
        if key not in self._before:
            self._before[key] = self._reached(
                key, lambda k: self.maker[k].inputs if k in self.maker else ()
            )
        return self._before[key]

    def descendants(self, key: int) -> frozenset[int]:
        """The tensors that were computed from a tensor, itself among them."""
        if key not in self._after:
            self._after[key] = self._reached(
                key, lambda k: [o for e in self.users.get(k, ()) for o in e.act.outputs]
            )
        return self._after[key]

    @staticmethod
    def _reached(start: int, following: Any) -> frozenset[int]:
        found, todo = {start}, [start]
        while todo:
            for key in following(todo.pop()):
                if key and key not in found:
                    found.add(key)
                    todo.append(key)
        return frozenset(found)

    def reached_through(self, start: int, passes: Any) -> frozenset[int]:
        """The tensors reached from `start` along the edges for which `passes` holds."""
        return self._reached(
            start, lambda k: [o for e in self.users.get(k, ()) if passes(e) for o in e.act.outputs]
        )

    def name(self, key: int) -> str:
        """What a sentence calls a tensor."""
        if key in self.names:
            return f"`{self.names[key]}`"
        if key in self.maker:
            return f"the result of `{self.maker[key].name}`"
        variable = getattr(self.recording, "variables", {}).get(key)
        if variable is not None:
            return f"`{own_name(variable)}`"
        value = self.value(key)
        return "a tensor" if value is None or value.size > 1 else f"the constant {value}"

    def short(self, key: int) -> str:
        """The name of a tensor, or of the op that made it."""
        name = self.name(key)
        return self.maker[key].name if key in self.maker and " " in name else name.strip("`")


def public_name(act: Act) -> str:
    """What the learner calls an op: its public name, the one in the line where there are two."""
    code, name = act.line.text if act.line else "", act.op.exported[0] if act.op.exported else ""
    also = act.op.facts.also
    return also if also and also in code else name or act.op.name.strip("_")
