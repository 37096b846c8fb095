"""The stack of interpreters: which of them observe an op, and which one computes it.

An op on plain tensors is computed first and then *observed* by every active
interpreter that follows one of its inputs (tapes, accumulators, journals); an op on a boxed tensor
(batched, symbolic, formula) is *interpreted* by the interpreter that made the box, and while that
one works only the interpreters outside it are active. TensorFlow's nesting rules follow from this
alone.

The stack is an immutable tuple in a ContextVar: it belongs to the thread or task that runs, a
reader needs no lock, and an interpreter leaves by identity (tapes may overlap without being
nested). That it leaves whatever interrupts it is seen to in `exits`.
"""

from __future__ import annotations

import itertools
import weakref
from contextvars import ContextVar
from typing import Any, Protocol

from minitape.errors.of_tapes import not_copied
from minitape.safety.locks import module_lock

Mark = tuple[Any, ...]


class HasId(Protocol):
    """A tensor or variable, which is known by its id."""

    id: int


class HasMark(HasId, Protocol):
    """A tensor, which carries the marks of those that follow it."""

    mark: Mark | None


# Innermost last.
stack: ContextVar[tuple[Any, ...]] = ContextVar("minitape_interpreters", default=())
active = stack.get

# Tensor ids are unique and increasing, never `id()`: an address is used again after a tensor died.
fresh_ids = itertools.count(1)

# Two threads that watch one tensor at the same moment would otherwise lose one of the marks, or
# give it two ids. Reentrant: a signal's handler or a finalizer may watch while we are in here.
_marking = module_lock()


class Interpreter:
    """What the stack holds: something that observes ops, or interprets those on its boxed tensors.

    `mark` is the one-element tuple that a followed tensor carries; `append` is a tape's way in
    (it takes finished records), or None when the interpreter wants `observe` called instead;
    `watched` has what it follows by itself, not as the result of an op, by id: variables, and None
    for tensors.
    """

    __slots__ = ("__weakref__", "append", "entered", "watched", "mark")

    in_sweep = False  # True: arrays beside its boxes are a tape's own, and need no copy
    sees_sweeps = True  # False: what a sweep gives is enough, and it may run on arrays
    sees_all = False  # True: a journal, which follows every tensor from its making on
    draws = False  # True: random ops give each of its examples numbers of its own
    once = False  # True: a user's `with` enters it, so that it is on a stack at most once
    symbolic = False  # True: constants, variable reads and random ops become records of this graph

    def __init__(self) -> None:
        self.mark: Mark = (weakref.ref(self),)
        self.entered = False
        self.append: Any = None
        self.watched: dict[int, Any] = {}

    def __getstate__(self) -> Any:
        raise not_copied(type(self).__name__)

    def observe(
        self, op: Any, inputs: tuple[Any, ...], outputs: Any, attributes: tuple[Any, ...]
    ) -> None:
        """Takes note of an op on tensors, one of which this interpreter follows."""

    def interpret(self, op: Any, inputs: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
        """Computes an op on boxed tensors of this interpreter."""
        raise NotImplementedError

    def follows_variable(self, variable: Any) -> bool:
        """Whether reading `variable` now gives a tensor that this interpreter follows."""
        return False

    def evidence(self, kind: str, tensor: HasMark | None, into: HasId | None) -> None:
        """Takes note that a followed tensor left for NumPy, or `into` a variable."""

    def asked(self, kind: str, tape: Any, request: Any) -> None:
        """Called before a tape's `gradient` or `jacobian` runs, for viewers."""

    def answered(self, tape: Any, result: Any = None) -> None:
        """Called when the sweep that was `asked` for has ended, with the gradients that it gave."""

    def happened(self, kind: str, subject: Any, detail: Any) -> None:
        """Called on journals for what is no op: tapes start and stop, watch; constants are made."""


def push(interpreter: Interpreter) -> tuple[Any, ...]:
    """Makes `interpreter` the innermost one; returns those around it."""
    around = stack.get()
    if around:
        around = present(around)
    interpreter.entered = True
    stack.set(around + (interpreter,))
    return around


def remove(interpreter: Interpreter) -> tuple[Any, ...]:
    """Takes `interpreter` off the stack, wherever it stands; returns those that are left."""
    rest = stack.get()
    if rest and rest[-1] is interpreter:
        rest = rest[:-1]
    else:
        rest = tuple(each for each in rest if each is not interpreter)
    stack.set(rest)
    interpreter.entered = False  # at last: until then it can be removed again
    return rest


def present(around: tuple[Any, ...]) -> tuple[Any, ...]:
    """What of a stack has not been left where it was not to be found.

    That is in another thread or task, or while other interpreters were active: by closing a
    generator that held a tape open.
    """
    return tuple(each for each in around if each.entered or not each.once)


def identity(tensor: HasId) -> int:
    """The id of a tensor or variable; a tensor that was never followed gets one now."""
    try:
        if tensor.id:
            return tensor.id
    except AttributeError:
        pass
    with _marking:
        if not getattr(tensor, "id", 0):  # no other thread was quicker
            tensor.id = next(fresh_ids)
    return tensor.id


def is_watchable(tensor: HasId) -> bool:
    """Whether somebody may hold the tensor and watch it: not if a call made it for itself."""
    return getattr(tensor, "id", None) != 0


def follow(tensor: HasMark, interpreter: Interpreter) -> None:
    """Marks `tensor` as followed by `interpreter`; marks of interpreters that died are dropped."""
    with _marking:
        identity(tensor)
        interpreter.watched.setdefault(tensor.id)
        if not is_followed(tensor, interpreter):
            alive = tuple(ref for ref in tensor.mark or () if ref() is not None)
            tensor.mark = alive + interpreter.mark if alive else interpreter.mark


def unfollow(tensor: HasMark, interpreter: Interpreter) -> None:
    """Takes the mark of `interpreter` off `tensor`."""
    with _marking:
        own = interpreter.mark[0]
        interpreter.watched.pop(tensor.id, None)
        tensor.mark = tuple(ref for ref in tensor.mark or () if ref is not own) or None


def is_followed(tensor: HasMark, interpreter: Interpreter) -> bool:
    """Whether `tensor` carries the mark of `interpreter`."""
    mark = tensor.mark
    return mark is interpreter.mark or (mark is not None and interpreter.mark[0] in mark)


def symbolic_interpreter() -> Any:
    """The innermost active graph, or None when ops compute at once."""
    # The innermost graph writes an op down: a branch, inside the function that it belongs to.
    for interpreter in reversed(active()):
        if interpreter.symbolic:
            return interpreter
    return None


def tell_journals(kind: str, subject: Any, detail: Any = None) -> None:
    """Calls `happened` of the active journals; without one this is a look at the stack."""
    for interpreter in active():
        if interpreter.sees_all:
            interpreter.happened(kind, subject, detail)


def report_departure(kind: str, tensor: HasMark, into: HasId | None = None) -> None:
    """Gives evidence of how its value left to the active interpreters that follow `tensor`."""
    for interpreter in active():
        if is_followed(tensor, interpreter):
            interpreter.evidence(kind, tensor, into)
