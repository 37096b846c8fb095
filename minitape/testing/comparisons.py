"""What two values differ in, in a sentence: the judgement behind the assertions of `tf.test`.

A function gives None where there is nothing to complain about, else the complaint. Nothing here
knows of tensors: values are NumPy arrays already.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def shapes_differ(a: Array, b: Array) -> str | None:
    """The complaint about two shapes; one number never stands for many."""
    if a.shape == b.shape:
        return None
    return f"Shape mismatch: expected {b.shape}, got {a.shape}."


def unequal(a: Array, b: Array) -> str | None:
    """The complaint about arrays that are not equal; NaN counts as equal to NaN."""
    complaint = shapes_differ(a, b)
    if complaint is not None:
        return complaint
    same = equal_places(a, b)
    return None if np.all(same) else _at_places(a, b, ~same, "not equal")


def equal_places(a: Array, b: Array) -> Array:
    """Where two arrays of one shape are equal, or both NaN."""
    same = np.asarray(_as_text(a) == _as_text(b))
    if a.dtype.kind in "fc" and b.dtype.kind in "fc":
        same = same | (np.isnan(a) & np.isnan(b))
    return np.broadcast_to(same, a.shape)


def _as_text(a: Array) -> Array:
    """Strings as bytes, whether they came as `str` or as a tensor's bytes."""
    return np.char.encode(a) if a.dtype.kind == "U" else a


def not_close(a: Array, b: Array, rtol: float, atol: float) -> str | None:
    """The complaint about arrays further apart than `atol + rtol * |b|` somewhere."""
    complaint = shapes_differ(a, b)
    if complaint is not None:
        return complaint
    for value in (a, b):
        if value.dtype.kind not in "biufc":
            return (
                f"{value.reshape(-1)[:3].tolist()} is not a number, and only numbers are close. "
                "Where a gradient is None, nothing connects target and source."
            )
    near = np.isclose(a, b, rtol, atol, equal_nan=True)
    if np.all(near):
        return None
    return _at_places(a, b, ~near, f"not close (rtol = {rtol}, atol = {atol})")


def _at_places(a: Array, b: Array, where: Array, what: str) -> str:
    """The elements at `where`, with their indices; the first ten of them."""
    places = np.argwhere(where)
    a, b = np.broadcast_to(a, where.shape), np.broadcast_to(b, where.shape)
    lines = [
        f"  at {tuple(map(int, place))}: got {a[tuple(place)]!r}, expected {b[tuple(place)]!r}"
        for place in places[:10]
    ]
    more = [f"  and {len(places) - 10} more"] if len(places) > 10 else []
    head = f"{len(places)} of {where.size} elements are {what}:"
    return "\n".join([head, *lines, *more])


def outside(a: Array, holds: Array, what: str) -> str | None:
    """The complaint about the elements where `holds` is False."""
    if np.all(holds):
        return None
    places = np.argwhere(~holds)[:10]
    shown = ", ".join(f"{a[tuple(place)]!r} at {tuple(map(int, place))}" for place in places)
    return f"Not every element is {what}: {shown}."
