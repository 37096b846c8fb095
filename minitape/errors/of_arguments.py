"""Checks of what functions are given: each names the function, the argument, and what to write."""

from __future__ import annotations

import functools
import math
import operator
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from reprlib import repr as short
from typing import Any, TypeVar

from minitape.errors import InvalidArgumentError, ResourceExhaustedError, teach

Made = TypeVar("Made")

# Tensors that one call may make. A million take seconds; more would take minutes and all memory.
_MOST = 1_000_000
_LARGEST = 2**63 - 1


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


def checked_range(
    function: str, argument: str, value: Any, low: float, high: float = math.inf
) -> Any:
    """`value` itself, a number from `low` to `high`.

    Raises:
        TypeError: if it is no number.
        ValueError: if it lies outside, is infinite or not a number.
    """
    example = f"{argument}={low if low else min(high, 1.0) / 2:g}"
    number = checked_number(function, argument, value, example)
    if not (low <= number <= high and math.isfinite(number)):
        end = "" if high == math.inf else f" and at most {high:g}"
        raise ValueError(
            f"{function}: {argument} must be a finite number of at least {low:g}{end}; got "
            f"{value!r}. Write for instance `{argument}={low if low else min(high, 1.0) / 2:g}`."
        )
    return value


def checked_text(function: str, argument: str, value: Any, example: str) -> str:
    """A text."""
    if not isinstance(value, str):
        raise not_fitting(function, argument, value, "a string", example)
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


def checked_count(function: str, argument: str, count: int) -> int:
    """How many tensors a call makes.

    Raises:
        ResourceExhaustedError: if that is more than memory should hold.
    """
    if count > _MOST:
        raise ResourceExhaustedError(
            teach(
                f"{function}: {argument}={count} asks for a list of that many tensors.",
                f"At most {_MOST:,} are made at once.",
                "Did you pass a value where a count belongs?",
            )
        )
    return count


def check_elements(function: str, shape: Sequence[int]) -> None:
    """Raises unless the elements of a shape can be counted, as far as the shape is known."""
    known = [n for n in shape if type(n) is int]  # not the open sizes of a graph
    if max(math.prod(known), *known, 0) > _LARGEST:
        raise InvalidArgumentError(
            teach(
                f"{function}: Shape {list(shape)} would have more than 2**63 - 1 elements.",
                "No memory holds them, and no integer counts them.",
                "Check the sizes, and which of the axes should not be that long.",
            )
        )


def check_memory(function: str, shape: Sequence[int], itemsize: int) -> None:
    """Raises unless this machine could hold an array, before the system ends the whole process."""
    check_elements(function, shape)
    size = math.prod(n for n in shape if type(n) is int) * itemsize
    if size > _memory():
        raise out_of_memory(function, f"shape {list(shape)} needs {size / 2**30:,.0f} GiB")


@functools.cache
def _memory() -> int:
    """The bytes of this machine's memory; where that is not told, any number."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return sys.maxsize


def allocated(function: str, make: Callable[[], Made]) -> Made:
    """What `make` gives: an array that may be larger than memory.

    Raises:
        ResourceExhaustedError: if there is no memory for it.
    """
    try:
        return make()
    except MemoryError as error:
        raise out_of_memory(function, error) from None


def out_of_memory(function: str, reason: object) -> ResourceExhaustedError:
    """There is no memory for what a function or op makes."""
    if isinstance(reason, ResourceExhaustedError):
        return reason
    return ResourceExhaustedError(
        teach(
            f"{function}: OOM when allocating tensor: {reason}.",
            "This machine has less memory than that.",
            "Check the sizes, and which of the axes should not be that long.",
        )
    )


def checked_pair(function: str, argument: str, value: Any, example: str) -> tuple[Any, Any]:
    """The two items of a pair."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise not_fitting(function, argument, value, "a pair", example)
    first, second = value
    return first, second


def another_dtype(tensor: Any, wanted: str) -> TypeError:
    """A constant is made of a tensor, in another dtype."""
    return TypeError(
        teach(
            f"Expected tensor {tensor!r} with dtype {wanted}, but got dtype {tensor.dtype.name}.",
            "A tensor keeps its dtype until it is cast.",
            f"Write `tf.cast(x, tf.{wanted})`.",
        )
    )


def constant_of_tensors(value: Any) -> ValueError:
    """A constant is made of a list with tensors in it."""
    return ValueError(
        teach(
            f"Attempt to convert a value ({value!r:.100}) with tensors in it to a constant.",
            "A constant is made of plain numbers, so the gradient would end here unnoticed.",
            "Write `tf.stack(...)` or `tf.convert_to_tensor(...)`, which keep the gradient.",
        )
    )
