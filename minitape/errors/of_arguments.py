"""Checks of what functions are given: each names the function, the argument, and what to write."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from reprlib import repr as short
from typing import Any


def not_fitting(function: str, argument: str, value: Any, kind: str, example: str) -> TypeError:
    """An argument is of the wrong kind."""
    return TypeError(
        f"{function}: {argument} must be {kind}; got {short(value)} of type "
        f"{type(value).__name__}. Write for instance `{example}`."
    )


def checked_items(function: str, argument: str, value: Any, example: str) -> list[Any]:
    """The items of a list or of another iterable."""
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise not_fitting(function, argument, value, "a list", example)
    try:
        return list(value)
    except TypeError as error:  # a class or a scalar tensor only looks like an iterable
        raise not_fitting(function, argument, value, "a list", example) from error


def checked_integer(function: str, argument: str, value: Any, example: str) -> int:
    """An integer; a number with a fraction is none."""
    try:
        return operator.index(value)
    except TypeError as error:
        raise not_fitting(function, argument, value, "an integer", example) from error


def checked_number(function: str, argument: str, value: Any, example: str) -> float:
    """A real number as a Python float."""
    if isinstance(value, str | bytes):
        raise not_fitting(function, argument, value, "a number", example)
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise not_fitting(function, argument, value, "a number", example) from error


def checked_text(function: str, argument: str, value: Any, example: str) -> str:
    """A text."""
    if not isinstance(value, str):
        raise not_fitting(function, argument, value, "a text", example)
    return value


def checked_function(function: str, argument: str, value: Any, example: str) -> Callable[..., Any]:
    """Something that can be called."""
    if not callable(value):
        raise not_fitting(function, argument, value, "a function", example)
    return value  # type: ignore[no-any-return]


def checked_one(function: str, argument: str, values: tuple[int, ...]) -> int:
    """The only one of some integers."""
    if len(values) != 1:
        raise not_fitting(function, argument, list(values), "one integer", f"{argument}=0")
    return values[0]


def checked_pair(function: str, argument: str, value: Any, example: str) -> tuple[Any, Any]:
    """The two items of a pair."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise not_fitting(function, argument, value, "a pair", example)
    first, second = value
    return first, second
