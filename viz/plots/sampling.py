"""A learner's function on many points at once, with its derivatives by nested tapes.

All points go through the function in one array where that is the same as one by one. That is
checked at three points; a function with `if x > 0` or a sum over all points is called point by
point.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import minitape as tf

from ..picture.axes import Floats, Range

Function = Callable[..., Any]


def values_and_derivatives(f: Function, points: Floats, orders: int) -> list[Floats | None]:
    """The values of f and its derivatives at points; None from the first without a gradient.

    Raises:
        TypeError: if f does not give one number for one number.

    Example:
        >>> y, slope = values_and_derivatives(lambda x: x * x, np.array([1.0, 3.0]), 1)
        >>> y.tolist(), slope.tolist()
        ([1.0, 9.0], [2.0, 6.0])
    """
    together = _together(f, points, orders)
    if together is not None and _same_one_by_one(f, points, together):
        return together
    each = [_at_one(f, float(x), orders) for x in points]
    columns: list[Floats | None] = []
    for order in range(orders + 1):
        column = [row[order] for row in each]
        columns.append(None if all(v is None for v in column) else _numbers(column))
    return columns


def _numbers(column: Sequence[float | None]) -> Floats:
    return np.array([np.nan if v is None else v for v in column], np.float64)


def _together(f: Function, points: Floats, orders: int) -> list[Floats | None] | None:
    """All points in one array; None where the function cannot take it."""
    try:
        found = _derivatives(f, tf.constant(points), orders)
    except Exception:  # the point by point call will say what is wrong, if anything is
        return None
    arrays = [None if each is None else np.asarray(each.numpy()) for each in found]
    if any(a is not None and a.shape != points.shape for a in arrays):
        return None
    return [None if a is None else a.astype(np.float64) for a in arrays]


def _same_one_by_one(f: Function, points: Floats, found: Sequence[Floats | None]) -> bool:
    for index in {0, len(points) // 2, len(points) - 1}:
        single = _at_one(f, float(points[index]), len(found) - 1)
        for column, value in zip(found, single, strict=True):
            if (column is None) != (value is None):
                return False
            if column is not None and value is not None:
                size = max(abs(value), 1.0) if np.isfinite(value) else 1.0
                same = np.isclose(column[index], value, 1e-6, 1e-9 * size, equal_nan=True)
                if not same:
                    return False
    return True


def _at_one(f: Function, x: float, orders: int) -> list[float | None]:
    """One point; a result that is not one number is refused."""
    found = _derivatives(f, tf.constant(x, tf.float64), orders)
    value = np.asarray(found[0].numpy())
    if value.size != 1 or value.dtype.kind not in "fiu":
        raise TypeError(
            f"f({x:g}) is {found[0]!r}: a curve needs one real number for each x. "
            "Return a scalar, for instance tf.reduce_sum(y)."
        )
    return [None if each is None else float(np.asarray(each.numpy()).item()) for each in found]


def _derivatives(f: Function, x: Any, orders: int) -> list[Any]:
    """The value and its derivatives, each by a tape around the one before."""
    if orders == 0:
        return [_tensor(f(x))]
    with tf.GradientTape() as tape:
        tape.watch(x)
        lower = _derivatives(f, x, orders - 1)
    last = lower[-1]
    return [*lower, None if last is None else tape.gradient(last, x)]


def _tensor(value: Any) -> Any:
    if isinstance(value, tf.Tensor):
        return value
    return tf.convert_to_tensor(value, dtype=None if hasattr(value, "dtype") else tf.float64)


def on_grid(f: Function, xs: Floats, ys: Floats) -> tuple[Floats, Floats, Floats]:
    """The values of f and its partial derivatives on a grid, arrays [len(ys), len(xs)].

    Raises:
        TypeError: if f does not give one number for two.
    """
    across, up = np.meshgrid(xs, ys)
    try:
        value, dx, dy = at_points(f, across.ravel(), up.ravel())
        if value.shape == (across.size,) and _grid_agrees(f, across.ravel(), up.ravel(), value):
            shape = across.shape
            return value.reshape(shape), dx.reshape(shape), dy.reshape(shape)
    except Exception:  # for instance `if x > 0`: the function takes one point at a time
        pass
    each = [at_point(f, float(x), float(y)) for x, y in zip(across.flat, up.flat, strict=True)]
    columns = np.array(each, np.float64).T.reshape(3, *across.shape)
    return columns[0], columns[1], columns[2]


def _grid_agrees(f: Function, xs: Floats, ys: Floats, value: Floats) -> bool:
    for i in (0, xs.size // 3, xs.size - 1):
        if not np.isclose(at_point(f, float(xs[i]), float(ys[i]))[0], value[i], equal_nan=True):
            return False
    return True


def at_points(f: Function, xs: Any, ys: Any) -> tuple[Floats, Floats, Floats]:
    """The value of f and its partial derivatives; one that is None counts as zero."""
    x, y = tf.constant(xs, tf.float64), tf.constant(ys, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        value = _tensor(f(x, y))
    dx, dy = tape.gradient(value, [x, y], unconnected_gradients="zero")
    found = [np.asarray(each.numpy(), np.float64) for each in (value, dx, dy)]
    return found[0], found[1], found[2]


def at_point(f: Function, x: float, y: float) -> tuple[float, float, float]:
    """The same for one point, as plain numbers.

    Example:
        >>> at_point(lambda x, y: x * y, 2.0, 3.0)
        (6.0, 3.0, 2.0)
    """
    value, dx, dy = at_points(f, x, y)
    if value.size != 1:
        raise TypeError(
            f"f({x:g}, {y:g}) has shape {value.shape}: a surface needs one real number for each "
            "pair. Return a scalar, for instance tf.reduce_sum(z)."
        )
    return float(value.item()), float(dx), float(dy)


def checked_range(name: str, given: Any) -> Range:
    """Two numbers (low, high) for an axis.

    Raises:
        TypeError: if these are not two numbers.
        ValueError: if they are not finite, or not in order.
    """
    example = f"write for instance {name}=(-2.0, 2.0)"
    try:
        low, high = (float(each) for each in given)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} is {given!r}, not a pair of numbers: {example}") from error
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise ValueError(f"{name} goes from {low} to {high}, which is no range: {example}")
    return low, high
