"""The journal: while it is open, every op leaves its values and the line of code that ran it.

A journal is one more interpreter on the engine's stack, one that follows every tensor. Tapes stay
as lean as ever; the journal keeps what they do not, by the tensors' ids. When it is closed nothing
of it is on the stack, so an engine without a viewer pays nothing.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from minitape.checks.configuration import functions_run_eagerly, run_functions_eagerly
from minitape.interpreter import Interpreter, active, follow, identity, push, remove
from minitape.names.scopes import current_scope
from minitape.recording import Recording
from minitape.safety.exits import left_when_dropped
from minitape.tensor import EagerTensor, Tensor

from .lines import calling_frame, calling_line, line_of
from .names import every_tensor_in
from .standpoints import Standpoint, Standpoints

if TYPE_CHECKING:
    from types import CodeType, TracebackType

    from minitape.op import Op

    from ..trace.trace import Line

MAX_ENTRIES = 100_000
MAX_NAMED = 1_000  # events after which the names of tensors are no longer looked up


class Entry(NamedTuple):
    """One op as it ran: tensors with their values, attributes, the line.

    Attributes:
        tapes: the tapes that were recording, outermost first, by their weak references.
        sweep: the number of the sweep (a tape's `gradient`) that ran it, 0 for the learner's code.
        number: how many ops ran before it.
        scope: the name scopes around it, as a path.
        calls: the functions around it, outermost first.
    """

    op: Op
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    attributes: tuple[Any, ...]
    line: Line | None
    tapes: tuple[Any, ...]
    sweep: int
    number: int
    scope: str
    calls: tuple[str, ...] = ()


class Event(NamedTuple):
    """Something that no op is: a tape started or stopped, a value left, a constant was made.

    Attributes:
        kind: start, stop, stop_recording, reset, watch (of tapes); constant, array (a constant made
            of a NumPy array); numpy, float, ... (a value left); assign, assign_add, assign_sub,
            new variable; overwritten (a variable, by a number of no history).
        tape: the tape's weak reference, None for events without one.
        tensor: the id of the tensor, 0 for events without one.
        into: the id of the variable that a value went into.
        line: where.
        number: how many ops ran before it.
    """

    kind: str
    tape: Any
    tensor: int
    into: int
    line: Line | None
    number: int


class Sweep(NamedTuple):
    """A backward sweep that ran while the journal was open: whose, of what, inside which tapes."""

    tape: Any
    targets: tuple[int, ...]
    sources: tuple[int, ...]
    line: Line | None
    tapes: tuple[Any, ...]


class Journal(Interpreter):
    """Keeps what ran while it is open, as a context manager or between `open` and `close`."""

    __slots__ = (
        "around", "base", "by_output", "entries", "events", "has_gaps", "here", "names", "number",
        "outer", "replayed", "running", "standpoints", "sweeps", "tapes_around", "variables",
        "were_eager",
    )  # fmt: skip

    sees_all = True
    once = True

    def __init__(self) -> None:
        super().__init__()
        self.entries: list[Entry] = []
        self.by_output: dict[int, Entry] = {}
        self.events: list[Event] = []
        self.sweeps: list[Sweep] = []
        self.running: list[int] = []  # numbers of the sweeps that have begun and not ended
        self.names: dict[int, str] = {}  # what the learner called tensors when tapes started
        self.variables: dict[int, Any] = {}  # that were read
        self.around: tuple[Any, ...] = ()  # the interpreters on the stack when last asked for
        self.tapes_around: tuple[Any, ...] = ()
        self.number = 0
        self.has_gaps = False  # whether ops were left out or forgotten
        self.replayed: Line | None = None  # of the op of a traced function that is running now
        self.base: CodeType | None = None  # in which it was opened
        self.standpoints = Standpoints()
        self.were_eager = False
        self.here: Standpoint | None = None  # where the last op ran or the last event happened
        self.outer: Journal | None = None  # the one that was open when this one was opened

    @property
    def is_done(self) -> bool:
        """Whether it keeps nothing more of what runs."""
        return False

    @property
    def opens_functions(self) -> bool:
        """Whether every `tf.function` runs its Python while it is open: tapes in there are seen."""
        return False

    def __enter__(self) -> Journal:
        self.were_eager = functions_run_eagerly()
        try:
            run_functions_eagerly(self.opens_functions or self.were_eager)
            push(self)
            # Not the context variable's own token: a notebook may close it in another context.
            self.outer = _open()
            frame = calling_frame()
            self.base = None if frame is None else frame.f_code
            self.standpoints = Standpoints(self.base)
            _current.set(self)
            self.learn_names()
        except BaseException:
            self._leave()  # an interrupt: the `with` statement will not come to it
            raise
        return self

    @left_when_dropped
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._leave()

    def _leave(self) -> None:
        run_functions_eagerly(self.were_eager)
        remove(self)
        self.around = self.tapes_around = ()  # it is one of them: a circle would keep all values
        if _current.get() is self:
            _current.set(self.outer)

    def learn_names(self) -> None:
        """Follows the tensors that the learner has a name for, and keeps the names.

        Later a name may mean another tensor: `x = x + 1`. And an op on tensors that nobody follows
        looks at no interpreter, so those that were made before the journal are followed from here.
        """
        frame = calling_frame()
        if frame is None or len(self.events) > MAX_NAMED:
            return
        for name, value in every_tensor_in(frame.f_locals, frame.f_globals):
            if isinstance(value, EagerTensor):
                follow(value, self)
            if getattr(value, "id", 0):
                self.names.setdefault(value.id, name)

    def follows_variable(self, variable: Any) -> bool:
        """Every variable that is read is followed."""
        self.variables[variable.id] = variable
        return True

    def observe(
        self, op: Op, inputs: tuple[Any, ...], outputs: Any, attributes: tuple[Any, ...]
    ) -> None:
        """Keeps one op; beyond `MAX_ENTRIES` all before it are forgotten."""
        if len(self.entries) >= MAX_ENTRIES:
            self.entries.clear()
            self.by_output.clear()
            self.has_gaps = True
        for x in inputs:
            identity(x)
        several = outputs if op.several else (outputs,)
        sweep = self.running[-1] if self.running else 0
        self.here = here = self.standpoints.now()
        entry = Entry(
            op, inputs, several, attributes, self.replayed or here.line, self._tapes(), sweep,
            self.number, current_scope(), here.functions,
        )  # fmt: skip
        self.number += 1
        self.entries.append(entry)
        self.by_output.update({y.id: entry for y in several})

    def evidence(self, kind: str, tensor: Any, into: Any) -> None:
        """Keeps where a value left."""
        into_id = getattr(into, "id", 0)
        self._note(kind, None, tensor.id, into_id)

    def happened(self, kind: str, subject: Any, detail: Any) -> None:
        """Keeps what tapes do, and which constants were made of arrays; follows new tensors.

        An op of a traced function has the line at which it was written into the graph.
        """
        if kind == "replayed":
            file, _, line = detail.rpartition(":")
            self.replayed = line_of(file, int(line)) if file else None
            return
        if kind == "constant":
            follow(subject, self)
            kind = "array" if isinstance(detail, np.ndarray | np.generic) else kind
            self._note(kind, None, subject.id, 0)
            return
        if kind == "overwritten":
            self._note(kind, None, 0, subject.id)
            return
        if kind in {"start", "stop"}:
            self.learn_names()
        if kind == "watch" and isinstance(detail, Tensor):
            follow(detail, self)
        self._note(kind, subject.mark[0], getattr(detail, "id", 0), 0)

    def _note(self, kind: str, tape: Any, tensor: int, into: int) -> None:
        self.here = here = self.standpoints.now()
        self.events.append(Event(kind, tape, tensor, into, here.line, self.number))

    def asked(self, kind: str, tape: Any, request: Any) -> None:
        """A sweep begins: the ops until it is `answered` are its own."""
        self.learn_names()
        targets = tuple(identity(each) for each in request.targets)
        mark = tape.recording.mark[0]
        hash(mark)  # see `_tapes`
        self.sweeps.append(
            Sweep(mark, targets, tuple(request.source_ids), calling_line(), self._tapes())
        )
        self.running.append(len(self.sweeps))

    def explained(self, tape: Any, target: Any, source: Any) -> None:
        """Somebody asks why a gradient is what it is, for those who look at calls."""

    def answered(self, tape: Any, result: Any = None) -> None:
        """A sweep has ended."""
        if self.running:
            self.running.pop()

    def _tapes(self) -> tuple[Any, ...]:
        """The tapes that are recording, as keys of dicts and sets that outlive them."""
        around = active()
        if around is not self.around:
            self.around = around
            self.tapes_around = tuple(i.mark[0] for i in around if isinstance(i, Recording))
            for mark in self.tapes_around:
                hash(mark)  # which a weak reference keeps only if the tape lived when it was asked
        return self.tapes_around


_current: ContextVar[Journal | None] = ContextVar("minitape_journal", default=None)
_last: list[Journal] = []


def recording() -> Journal:
    """Records every value and its line of code inside the block, for the player.

    Returns:
        A context manager. Ops inside it are slower, and their values live as long as the journal,
        which begins anew after 100,000 ops.

    Example:
        >>> import minitape as tf
        >>> from minitape import viz
        >>> x = tf.Variable(3.0)
        >>> with viz.recording():
        ...     with tf.GradientTape() as tape:
        ...         y = x * x
        >>> viz.step(tape, y, x).gradients
        <tf.Tensor: shape=(), dtype=float32, numpy=6.0>
    """
    return remembered(Journal())


def remembered(journal: Journal) -> Journal:
    """The same journal, as the one that was opened last."""
    _last[:] = [journal]
    return journal


def journal_in_use() -> Journal | None:
    """The open journal that still keeps what runs, else the one that was opened last."""
    journal = _open()
    if journal is None or journal.is_done:
        journal = _last[0] if _last else None
    return journal


def _open() -> Journal | None:
    """The innermost journal that is open; one that an interrupt left does not count."""
    journal = _current.get()
    while journal is not None and not journal.entered:
        journal = journal.outer
    return journal
