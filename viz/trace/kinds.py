"""What the fields of a trace may hold, looked at when one is made: a saved file would be too late.

The one fact to know: the annotation of a field is its whole specification, as in `plain`.
"""

from __future__ import annotations

import functools
import types
import typing
from reprlib import repr as short
from typing import Any

_WORDS = {int: "integers", str: "texts"}
_MADE = "viz.step(tape, y, x).trace makes one, and viz.Trace.load('trace.json') reads one."


def check_fields(made: Any) -> None:
    """Raises unless each field of a dataclass holds what its annotation says.

    Raises:
        TypeError: one does not; the message names it and says what makes a trace.
    """
    cls: Any = type(made)
    for name, kind in _kinds(cls).items():
        value = getattr(made, name)
        if not _fits(value, kind):
            raise TypeError(
                f"{cls.__name__}: {name} must be {_word(kind)}; got {short(value)} of type "
                f"{type(value).__name__}. {_MADE}"
            )


@functools.cache
def _kinds(cls: Any) -> dict[str, Any]:
    return typing.get_type_hints(cls)


def _fits(value: object, kind: Any) -> bool:
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is types.UnionType:
        return any(_fits(value, each) for each in inner)
    if origin is typing.Literal:
        return isinstance(value, str) and value in inner
    if origin is tuple:
        return isinstance(value, (tuple, list)) and _all_fit(value, inner[0])
    if origin is dict:
        return (
            isinstance(value, dict)
            and all(map(_fits, value, [int] * len(value)))
            and (_all_fit(list(value.values()), inner[1]))
        )
    return isinstance(value, kind)


def _all_fit(values: tuple[object, ...] | list[object], kind: Any) -> bool:
    """Whether all do; a trace has many nodes, and a plain class is asked quickest."""
    if isinstance(kind, type):
        return all(isinstance(each, kind) for each in values)
    return all(_fits(each, kind) for each in values)


def _word(kind: Any) -> str:
    """An annotation in words."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is tuple:
        return f"a tuple of {_plural(inner[0])}"
    if origin is dict:
        return "a dict of arrays (or None) by the ids of nodes"
    if origin is types.UnionType:
        return f"a {inner[0].__name__} or None"
    if origin is typing.Literal:
        return " or ".join(map(repr, inner))
    return {str: "a text", bool: "True or False"}[kind]


def _plural(kind: Any) -> str:
    if typing.get_origin(kind) is tuple:
        return "pairs of integers"
    return _WORDS.get(kind) or f"{kind.__name__} objects"
