"""What is said of a flag, such as `keepdims`, that is neither true nor false.

An op checks no flag beforehand. Python asks it whether it is true, NumPy refuses to say that of
several numbers, and only then are the attributes looked at for the reason.
"""

from __future__ import annotations

from reprlib import repr as short
from typing import TYPE_CHECKING, Any

from minitape.errors import raise_instead, teach

if TYPE_CHECKING:
    from collections.abc import Mapping


class FlagError(TypeError, ValueError):
    """A flag is neither true nor false. TensorFlow raises the one here, and the other there."""


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
