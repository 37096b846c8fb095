"""Enters and leaves the stack of interpreters, whatever interrupts that.

`push` puts an interpreter on the stack and `remove` takes it off. A reader of
the engine may leave it at that, and skip this module. What is long here is for interrupts: contexts
that are left even if one comes before the first line of their `__exit__`. No Python code can be
careful there. But a `with` statement holds what it will call at its end, and drops it: after the
call, or together with the exception that kept the call from being made. What it holds here is an
object of its own that leaves the context when it is dropped uncalled.
"""

from __future__ import annotations

import os
import sys
import weakref
from _thread import RLock
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Protocol

    class Interpreter(Protocol):
        """What is on the stack; see `interpreter`."""

        mark: tuple[Any, ...]
        entered: bool
        once: bool


Exit = TypeVar("Exit")

# Innermost last.
stack: ContextVar[tuple[Any, ...]] = ContextVar("minitape_interpreters", default=())

if TYPE_CHECKING or sys.version_info < (3, 14):
    Lock = RLock
else:

    class Lock(type(RLock())):
        """A reentrant lock that an interrupt of its `with` statement does not leave locked.

        Since Python 3.14 an interrupt can come between the call that locks and the first line of
        the block. The call is made here, where that can be noticed.
        """

        def __enter__(self) -> bool:
            count = self._recursion_count()
            try:
                return super().__enter__()
            except BaseException:
                if self._recursion_count() > count:
                    self.release()
                raise


# Without callbacks, which a WeakSet has: an interrupt that comes in one of them is lost.
_of_objects: list[weakref.ref[Any]] = []
_room = [64]  # how many of them there may be before those of objects that are gone are dropped


def module_lock() -> Lock:
    """A reentrant lock of a module; a process forks only while no other thread holds it.

    A child has one thread. A lock that another one held would stay locked in it for ever, and one
    that is only made anew would leave what it guards half done. Locks are taken before a fork in
    the reverse order of their making: who holds a later one may wait for an earlier one.
    """
    lock = Lock()
    if hasattr(os, "register_at_fork"):

        def release() -> None:
            # Another thread may have made the lock between the two calls, by an import.
            if lock._is_owned():  # type: ignore[attr-defined]
                lock.release()

        os.register_at_fork(before=lock.acquire, after_in_parent=release, after_in_child=release)
    return lock


_counting = module_lock()


def object_lock() -> Lock:
    """A reentrant lock of one object; a child process finds it open."""
    lock = Lock()
    with _counting:
        _of_objects.append(weakref.ref(lock))
        if len(_of_objects) > _room[0]:
            _of_objects[:] = [ref for ref in _of_objects if ref() is not None]
            _room[0] = 2 * len(_of_objects) + 64
    return lock


def _open_all() -> None:
    for ref in _of_objects:
        lock = ref()
        if lock is not None:
            lock._at_fork_reinit()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_open_all)


# Interpreters, by their weak references, that were left where they were not to be found: under
# `only`, or in another thread (both by closing a generator that held a tape open).
_left_elsewhere: set[Any] = set()
_noting = module_lock()


def push(interpreter: Interpreter) -> tuple[Any, ...]:
    """Makes `interpreter` the innermost one; returns those around it."""
    around = stack.get()
    # A generator that was closed elsewhere may have left its tape on this stack.
    if _left_elsewhere:
        _left_elsewhere.discard(interpreter.mark[0])
        around = _present(around)
    # So may a task, which closes an async generator: it has a stack of its own, a copy of this one.
    if around:
        around = tuple(each for each in around if each.entered or not each.once)
    interpreter.entered = True
    stack.set(around + (interpreter,))
    return around


def remove(interpreter: Interpreter) -> tuple[Any, ...]:
    """Takes `interpreter` off the stack, wherever it stands; returns those that are left."""
    before = stack.get()
    if before and before[-1] is interpreter:
        rest = before[:-1]
        stack.set(rest)
        interpreter.entered = False  # at last: until then it can be removed again
        return rest
    rest = tuple(other for other in before if other is not interpreter)
    if len(rest) == len(before):
        with _noting:
            _left_elsewhere.difference_update([ref for ref in _left_elsewhere if ref() is None])
            _left_elsewhere.add(interpreter.mark[0])
    stack.set(rest)
    interpreter.entered = False
    return rest


def _present(around: tuple[Any, ...]) -> tuple[Any, ...]:
    """What of a stack has not been left meanwhile."""
    return tuple(each for each in around if each.mark[0] not in _left_elsewhere)


@contextmanager
def only(interpreters: tuple[Any, ...]) -> Iterator[None]:
    """Runs its body with exactly `interpreters` active."""
    before = stack.get()
    dropped = restored = False
    try:
        try:
            stack.set(interpreters)
            yield
        except GeneratorExit:
            dropped = True
            raise
        finally:
            if not dropped:
                stack.set(_present(before) if _left_elsewhere else before)
                restored = True
            # Dropped with the exception of an interrupt: what is around it may have been left.
            elif stack.get() == interpreters:  # equal, not the same: what was pushed in is gone
                stack.set(tuple(each for each in before if each.entered))
    finally:
        if not (dropped or restored):  # an interrupt came before the stack was set
            stack.set(_present(before))


@contextmanager
def pushed(interpreter: Interpreter) -> Iterator[None]:
    """Runs its body with `interpreter` as the innermost one."""
    try:
        try:
            push(interpreter)
            yield
        finally:
            remove(interpreter)
    finally:
        if interpreter.entered:  # an interrupt came before `remove` was through
            remove(interpreter)


class _Held:
    """What a `with` statement holds to leave its context."""

    __slots__ = ("context", "exit")

    exit: Any
    context: Any


class _Called(_Held):
    """The same after the call. It has no `__del__`, in which an interrupt would be lost."""

    __slots__ = ()


class _Uncalled(_Held):
    __slots__ = ()

    def __call__(self, kind: Any = None, error: Any = None, trace: Any = None) -> Any:
        result = self.exit(self.context, kind, error, trace)
        # Another class, not a flag: an interrupt in a `__del__` that looks at a flag would be lost.
        self.__class__ = _Called  # type: ignore[assignment]  # the same slots
        return result

    def __del__(self) -> None:
        # It may have been interrupted as it was made.
        context = getattr(self, "context", None)
        if context is not None and context.entered:
            self.exit(context, None, None, None)


class _Leaving:
    """The descriptor: each `with` statement that enters a context gets an object of its own."""

    def __init__(self, function: Any) -> None:
        self.function = function
        self.__doc__ = function.__doc__

    def __get__(self, context: Any, owner: Any = None) -> Any:
        if context is None:
            return self.function
        # It will not be entered once more, or not by that statement alone.
        if context.entered:
            return self.function.__get__(context)
        held = _Uncalled()
        held.exit = self.function
        held.context = context
        return held


def left_when_dropped(function: Exit) -> Exit:
    """Makes an `__exit__` one that no interrupt can prevent.

    Its context says by `entered` whether it still is to be left.

    Example:
        >>> class Door:
        ...     entered = False
        ...
        ...     def __enter__(self):
        ...         self.entered = True
        ...
        ...     @left_when_dropped
        ...     def __exit__(self, *details):
        ...         self.entered = False
        >>> door = Door()
        >>> leave = type(door).__dict__["__exit__"].__get__(door)
        >>> door.__enter__()
        >>> del leave
        >>> door.entered
        False
    """
    return cast("Exit", _Leaving(function))
