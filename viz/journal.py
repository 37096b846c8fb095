"""The journal: while it is open, every op leaves its values and the line of code that ran it.

The one fact to know: a journal is one more interpreter on the engine's stack, one that follows
every tensor. Tapes stay as lean as ever; the journal keeps what they do not, by the tensors' ids.
When it is closed nothing of it is on the stack, so an engine without a viewer pays nothing.
Imports the engine's interpreter, and `lines`.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple

from minitape.interpreter import Interpreter, active, fresh_id, push, remove
from minitape.tape import Tape

from .lines import calling_line

if TYPE_CHECKING:
    from types import TracebackType

    from minitape.primitive import Op

    from .trace import Line

MAX_ENTRIES = 100_000


class Entry(NamedTuple):
    """One op as it ran: tensors with their values, attributes, the line, the active tapes."""

    op: Op
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    attributes: tuple[Any, ...]
    line: Line | None
    tapes: tuple[int, ...]


class Departure(NamedTuple):
    """A followed tensor's value left the recorded world: for NumPy, or into a variable."""

    kind: str
    tensor: int
    line: Line | None


class Journal(Interpreter):
    """Keeps what ran while it is open, as a context manager or between `open` and `close`."""

    __slots__ = ("by_output", "departures", "entries", "token")

    sees_all = True

    def __init__(self) -> None:
        super().__init__()
        self.entries: list[Entry] = []
        self.by_output: dict[int, Entry] = {}
        self.departures: list[Departure] = []
        self.token: Any = None

    def __enter__(self) -> Journal:
        push(self)
        self.token = _current.set(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        remove(self)
        _current.set(None)

    def follows_variable(self, variable: Any) -> bool:
        """Every variable that is read is followed."""
        return True

    def observe(
        self, op: Op, inputs: tuple[Any, ...], outputs: Any, attributes: tuple[Any, ...]
    ) -> None:
        """Keeps one op; beyond `MAX_ENTRIES` the oldest are forgotten by starting anew."""
        if len(self.entries) >= MAX_ENTRIES:
            self.entries.clear()
            self.by_output.clear()
        for x in inputs:
            x.id = getattr(x, "id", 0) or fresh_id()
        several = outputs if op.several else (outputs,)
        tapes = tuple(id(i) for i in active() if isinstance(i, Tape))
        entry = Entry(op, inputs, several, attributes, calling_line(), tapes)
        self.entries.append(entry)
        self.by_output.update({y.id: entry for y in several})

    def evidence(self, kind: str, tensor: Any) -> None:
        """Keeps where a value left."""
        self.departures.append(Departure(kind, tensor.id, calling_line()))


_current: ContextVar[Journal | None] = ContextVar("minitape_journal", default=None)
_last: list[Journal] = []


def recording() -> Journal:
    """Opens the viewer's recording: inside it, players show every value and its line of code.

    Returns:
        A context manager. Ops inside it are slower, and their values live as long as the journal.

    Example:
        >>> import minitape as tf, viz
        >>> x = tf.Variable(3.0)
        >>> with viz.recording():
        ...     with tf.GradientTape() as tape:
        ...         y = x * x
        >>> viz.step(tape, y, x).gradients
        <tf.Tensor: shape=(), dtype=float32, numpy=6.0>
    """
    journal = Journal()
    _last[:] = [journal]
    return journal


def journal_in_use() -> Journal | None:
    """The open journal, else the one that was opened last."""
    return _current.get() or (_last[0] if _last else None)
