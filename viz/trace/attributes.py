"""What another program's op was called with besides tensors, as attributes of its node.

Only what JSON can say is kept: numbers, texts, and lists of these. Functions, programs and objects
of the framework are left out; numbers that a framework keeps as unsigned have their sign again: -1
and not 2**64 - 1.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from .trace import Attribute

MOST = 200  # characters: what is longer is no setting but data


class NotPlainError(TypeError):
    """A value that JSON cannot say."""


def attributes_of(items: Iterable[tuple[str, Any]]) -> tuple[Attribute, ...]:
    """The attributes of a node; those that are None, or that JSON cannot say, are left out.

    Example:
        >>> attributes_of([("dim", 2**64 - 1), ("size", (2, 3)), ("call", print), ("out", None)])
        (Attribute(name='dim', json='-1'), Attribute(name='size', json='[2, 3]'))
    """
    found = []
    for name, value in items:
        try:
            text = json.dumps(_plain(value), allow_nan=False)
        except (NotPlainError, ValueError):
            continue
        if value is not None and len(text) <= MOST:
            found.append(Attribute(name, text))
    return tuple(found)


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, np.integer)):
        return int(value) - 2**64 if value >= 2**63 else int(value)
    if isinstance(value, (float, np.floating)):
        return float(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, slice):
        return {"slice": [_plain(each) for each in (value.start, value.stop, value.step)]}
    if isinstance(value, (tuple, list)):
        return [_plain(each) for each in value]
    raise NotPlainError(type(value).__name__)
