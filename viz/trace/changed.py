"""A frozen dataclass with some fields changed: a long tape makes tens of thousands of them.

`dataclasses.replace` calls `__init__` with all fields by name, which takes twice as long; the
classes here have no `__post_init__` and have slots.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


def changed(value: T, **changes: Any) -> T:
    """The same value with other fields.

    Example:
        >>> from minitape.viz.trace.extras import Break
        >>> changed(Break(1, None, "numpy"), node=2).node
        2
    """
    cls: Any = type(value)
    read, writers = _slots(cls)
    made: T = object.__new__(cls)
    for (name, write), old in zip(writers, read(value), strict=True):
        write(made, changes.get(name, old))
    return made


def completed(value: T, **more: Any) -> T:
    """The same object with fields that it was made without; for one that is nowhere else yet.

    Example:
        >>> from minitape.viz.trace.extras import Break
        >>> completed(Break(1, None), note="numpy").note
        'numpy'
    """
    for name, each in more.items():
        object.__setattr__(value, name, each)
    return value


@functools.cache
def _slots(cls: Any) -> tuple[Callable[[Any], Any], list[tuple[str, Callable[[Any, Any], None]]]]:
    """What reads all fields of a class at once, and for each field what writes it."""
    names = [field.name for field in dataclasses.fields(cls)]
    return operator.attrgetter(*names), [(name, cls.__dict__[name].__set__) for name in names]
