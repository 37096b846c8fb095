"""Makes an `__exit__` one that no interrupt can prevent: a reader may skip this module.

An interrupt may come before the first line of an `__exit__`. No Python code can be careful there.
But a `with` statement holds what it will call at its end, and drops it: after the call, or together
with the exception that kept the call from being made. What it holds here is an object of its own
that leaves the context when it is dropped uncalled. The plain engine does without it.
"""

from __future__ import annotations

from typing import Any, TypeVar, cast

from minitape.plain import PLAIN

Exit = TypeVar("Exit")


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
        try:
            result = self.exit(self.context, kind, error, trace)
        except BaseException:
            # At once, as the traceback keeps this object from being dropped.
            if self.context.entered:
                self.exit(self.context, kind, error, trace)
            raise
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
    return function if PLAIN else cast("Exit", _Leaving(function))
