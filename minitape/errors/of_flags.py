"""What is said of a flag, such as `keepdims`, that is neither true nor false.

The one fact to know: a function checks no flag beforehand. Python asks it whether it is true, NumPy
refuses to say that of several numbers, and only then are the arguments looked at for the reason.
"""

from __future__ import annotations

import functools
from reprlib import repr as short
from typing import TYPE_CHECKING, Any, TypeVar

from minitape.errors import raise_instead, teach

if TYPE_CHECKING:
    from collections.abc import Mapping

Function = TypeVar("Function")  # a function, which keeps its type


class FlagError(TypeError, ValueError):
    """A flag is neither true nor false. TensorFlow raises the one here, and the other there."""


def checks_flags(function: Function, name: str = "") -> Function:
    """`function`, whose errors say which flag is neither true nor false, and its public name."""
    flags = _Flags(function)
    if not flags.names:
        return function

    @functools.wraps(flags.function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return flags.function(*args, **kwargs)
        except ValueError as error:
            raise_instead(
                flag_refused(name or call.__name__, flags.given(args, kwargs), error), error
            )

    # Tracebacks and pictures name a frame by its code.
    named: Any = call
    own = flags.function
    named.__code__ = named.__code__.replace(co_name=own.__name__, co_qualname=own.__qualname__)
    return named  # type: ignore[no-any-return]


def checks_flags_first(method: Function) -> Function:
    """An `__init__` that looks at its flags at once: the object uses them later."""
    flags = _Flags(method)
    if not flags.names:
        return method

    @functools.wraps(flags.function)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        for name, value in flags.given((self, *args), kwargs).items():
            checked_flag(type(self).__name__, name, value)
        return flags.function(self, *args, **kwargs)

    return call  # type: ignore[return-value]


def checked_flag(function: str, argument: str, value: Any) -> bool:
    """A flag as True or False; a FlagError if it is neither."""
    try:
        return bool(value)
    except ValueError as error:
        raise_instead(flag_refused(function, {argument: value}, error), error)


def flag_refused(function: str, flags: Mapping[str, Any], error: Exception) -> Exception:
    """What was wrong with one of `flags`; `error` itself if none of them was the reason."""
    if not isinstance(error, FlagError) and "truth value" not in str(error):
        return error
    for name, value in flags.items():
        try:
            bool(value)
        except ValueError:
            return FlagError(
                teach(
                    f"{function}: {name} must be True or False; got {short(value)} of type "
                    f"{type(value).__name__}.",
                    "A flag is one yes or no, and this value is neither.",
                    f"Write `{name}=True` or `{name}=False`.",
                )
            )
    return error


class _Flags:
    """The arguments of a function that are annotated as True or False, or None."""

    def __init__(self, function: Any) -> None:
        self.function = function
        code, notes = function.__code__, function.__annotations__
        self.places = code.co_varnames[: code.co_argcount]
        flags = {name for name, note in notes.items() if note in {"bool", "bool | None"}}
        self.names = flags - {"return"}

    def given(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """What a call gives for them."""
        given = dict(zip(self.places, args, strict=False)) | kwargs
        return {name: value for name, value in given.items() if name in self.names}
