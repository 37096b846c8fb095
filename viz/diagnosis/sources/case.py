"""One call of `gradient` or `jacobian`, and all that is known around it.

The numbers are those of the engine's own sweep, run on a snapshot of the tape, which stays as it
was.
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from minitape.checks.rule_check import weights
from minitape.record import opened
from minitape.request import Request
from minitape.safety.silence import Silence
from minitape.tensors.composite import dense
from minitape.variable import ResourceVariable

from ...record.lines import line_of
from .dataflow import Act, Dataflow, public_name
from .question import Question, Sweep, sweep
from .written import Place, Span, Stack, called, tape_name

if TYPE_CHECKING:
    from ...record.journal import Event, Journal


class Outcome(NamedTuple):
    """What one call gives: a word per source (ok, none, nan, inf, zero), and some numbers."""

    line: int
    states: list[str]
    numbers: list[list[float]]
    error: str = ""
    target: list[float] = []  # noqa: RUF012 # of a tuple: never changed
    truth: Any = None  # values and slopes without rounding, where something is wrong with them


class Case:
    """A call that is looked at.

    Attributes:
        journal: with or without the frames of an `Examiner`.
        flow: how all values came about; found out when it is needed, since that takes a while.
        here: the learner's frames at the call.
    """

    def __init__(
        self, journal: Journal | None, kind: str, tape: Any, request: Any, names: Any, here: Stack
    ) -> None:
        if kind != "gradient" and request.weights is None and request.targets:
            request = _weighted(request)
        self.journal, self.kind, self.tape, self.request = journal, kind, tape, request
        self.names, self.here = names, here
        self.tape_name = tape_name(tape)  # at once: a cached property asks from within functools
        self.file = getattr(journal, "file", "")
        self.rounds: list[Any] = []  # of a training, this one last
        self.beside: list[list[Any]] = []  # the rounds of the other lines that ask

    @cached_property
    def flow(self) -> Dataflow:
        """How all values came about."""
        return Dataflow(self.tape, self.journal, self.names)

    def question(self, index: int, target: Any = None) -> Question:
        """Why the gradient of one source is what it is."""
        target = self.request.targets[0] if target is None else target
        return Question(self.flow, target, self.request.sources[index], self.tape_name)

    @cached_property
    def swept(self) -> Sweep:
        """The steps of the sweep for all targets and sources."""
        recording = self.tape.recording
        return sweep(self, self.request, recording)  # type: ignore[arg-type] # it needs `flow`

    @property
    def s(self) -> int:
        """The first source."""
        return self.request.source_ids[0] if self.request.source_ids else 0

    @cached_property
    def cotangents(self) -> list[Any]:
        """What each source gets: an array, None if nothing."""
        found: dict[int, Any] = {}
        for target in self.request.targets:  # a target that is a source has its seed
            if target.id in self.request.source_ids:
                found.update({target.id: self.request.seeds(raw=True).get(target.id)})
        for step in self.swept.steps:
            for each in step.contributions:
                found[each.id] = each.total
        values = [found.get(key) for key in self.request.source_ids]
        return [None if value is None else np.asarray(opened(dense(value))) for value in values]

    def outcome(self) -> Outcome:
        """What the call gives, in words and numbers."""
        line = self.line(self.here)
        if self.swept.stuck is not None:
            return Outcome(line, ["none"] * len(self.request.sources), [])
        with Silence():
            states = [state(value) for value in self.cotangents]
        numbers = [few(value) for value in self.cotangents]
        return Outcome(line, states, numbers, "", target_numbers(self.request))

    def in_file(self, stack: Stack) -> list[Place]:
        """The frames of the file that is meant, innermost first."""
        return [each for each in stack if not self.file or each.code.co_filename == self.file]

    def line(self, stack: Stack) -> int:
        """The innermost line of the learner's file."""
        own = self.in_file(stack)
        return own[0].line if own else 0

    def elsewhere(self, stack: Stack) -> str:
        """The cell of a line, such as "cell 2", where it is not the one that asks; else ""."""
        if (
            self.file
            or not stack
            or not self.here
            or stack[0].code.co_filename == (self.here[0].code.co_filename)
        ):
            return ""
        return line_of(stack[0].code.co_filename, stack[0].line).file

    def line_of(self, act: Act) -> int:
        """The learner's line of an op, also where a plain journal saw it."""
        known = act.line.number if act.line is not None else 0
        return self.line(self.stack_of(act)) or known

    def stack_of(self, act: Act | None) -> Stack:
        """The frames in which an op ran."""
        stacks = getattr(self.journal, "stacks", {})
        return () if act is None else stacks.get(act.number, ())

    def stack_of_event(self, event: Event) -> Stack:
        """The frames in which an event happened."""
        stacks = getattr(self.journal, "event_stacks", [])
        events = self.journal.events if self.journal is not None else []
        for number, each in enumerate(events[: len(stacks)]):
            if each is event:
                return stacks[number]  # type: ignore[no-any-return]
        return ()

    def made_at(self, key: int) -> Stack:
        """The frames in which a constant or variable was made, () if that is not known.

        A variable's id is the next one after that of the tensor it was made of.
        """
        made: dict[int, Stack] = getattr(self.journal, "made", {})
        if key in made:
            return made[key]
        variables = self.journal.variables if self.journal is not None else {}
        variable: Any = variables.get(key, self.flow.tensors.get(key))
        is_layers = bool(getattr(variable, "owner", None))
        if is_layers or not isinstance(variable, ResourceVariable):
            return ()  # a layer makes its variables where no journal looks
        return made.get(key - 1) or self.stack_of(self.flow.maker.get(key - 1))

    @cached_property
    def began(self) -> Stack:
        """The frames in which the tape was entered."""
        mark = self.flow.mark
        for event in self.journal.events if self.journal else ():
            if event.kind == "start" and event.tape is mark:
                return self.stack_of_event(event)
        return ()

    def beside_tape(self, stack: Stack) -> Place | None:
        """The frame that entered the tape, as it stood; else the innermost of the file."""
        own = self.in_file(stack)
        home = {each.code for each in self.began[:1]}
        at_home = [each for each in own if each.code in home]
        called_by = [each for each in own if each.code.co_name == "<module>"]
        return next(iter([*at_home, *(called_by if self.began else []), *own]), None)

    def called(self, act: Act) -> str:
        """What the learner calls an op: of one without a public name, the function of its line."""
        name = public_name(act)
        own = self.in_file(self.stack_of(act))
        if act.op.exported or act.name != act.op.name or not own:
            return name
        return called(own[0]) or name

    def span(self, stack: Stack) -> tuple[int, ...] | None:
        """The innermost expression of the file."""
        own = self.in_file(stack)
        return span_of(own[0]) if own else None


def span_of(place: Place | None) -> tuple[int, ...] | None:
    """The expression at a place as plain numbers."""
    found: Span | None = place.span if place is not None else None
    return tuple(found) if found is not None else None


def _weighted(request: Any) -> Any:
    """The same request with weights that differ, so that the rows of a jacobian do not cancel."""
    given = [weights(each) for each in request.targets]
    return Request(request.targets, request.sources, given, request.mode)


def state(value: Any) -> str:
    """A gradient in a word."""
    if value is None:
        return "none"
    if value.dtype.kind not in "fc" or not value.size:
        return "ok"
    flat, smallest = value.reshape(-1), _smallest(value.dtype)
    if smallest < abs(np.vdot(flat, flat)) < np.inf:  # most are seen to be well by one product
        return "ok"
    if np.isnan(value).any():
        return "nan"
    if np.isinf(value).any():
        return "inf"
    return "zero" if np.all(np.abs(value) < smallest) else "ok"


@cache
def _smallest(dtype: Any) -> float:
    return float(np.finfo(dtype).smallest_normal)


def few(value: Any, most: int = 40) -> list[float]:
    """The first numbers of an array."""
    if value is None or value.dtype.kind not in "fciu":
        return []
    flat = value.reshape(-1)[:most]
    return (flat if flat.dtype.kind == "f" else np.real(flat).astype(np.float64)).tolist()  # type: ignore[no-any-return]


def target_numbers(request: Any) -> list[float]:
    """The first numbers of the targets."""
    ends = [getattr(getattr(t, "_plain", t), "value", None) for t in request.targets]
    return [value for end in ends for value in few(end)]
