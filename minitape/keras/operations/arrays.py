"""Taking, splitting, joining and making arrays, as `tf.keras.ops` does it.

The one fact to know: a negative index counts from the end here, and lists of places are cuts.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

import minitape as tf
from minitape.errors import InvalidArgumentError
from minitape.errors.of_arguments import check_elements, checked_integer, checked_items
from minitape.keras.config import floatx
from minitape.keras.operations.dtypes import alike, floating, no_truths, tensor, truths

__all__ = [
    "clip", "concatenate", "diag", "eye", "full", "identity", "linspace", "one_hot", "roll",
    "round", "split", "stack", "take", "where", "while_loop",
]  # fmt: skip


def take(x: Any, indices: Any, axis: int | None = None) -> Any:
    """What stands at `indices` along an axis, or of all values in a row."""
    x, indices = tensor(x), tensor(indices)
    if axis is None:
        x, axis = tf.reshape(x, [-1]), 0
    size = tf.cast(tf.shape(x)[axis], indices.dtype)
    return tf.gather(x, tf.where(indices < 0, indices + size, indices), axis=axis)


def split(x: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Equal parts, so many as a number says; or those between the places that a list names."""
    if isinstance(indices_or_sections, int):
        return tf.split(tensor(x), indices_or_sections, axis)
    cuts = checked_items("split", "indices_or_sections", indices_or_sections, "ops.split(x, [1])")
    cuts = [checked_integer("split", "a place", each, "ops.split(x, [1])") for each in cuts]
    sizes = [stop - start for start, stop in pairwise([0, *cuts])]
    return tf.split(tensor(x), [*sizes, -1], axis)


def concatenate(xs: Any, axis: int = 0) -> Any:
    """Tensors one behind the other, in one dtype."""
    return tf.concat(alike(*xs) if isinstance(xs, list | tuple) else xs, axis)


def stack(x: Any, axis: int = 0) -> Any:
    """Tensors along a new axis, in one dtype."""
    return tf.stack(alike(*x) if isinstance(x, list | tuple) else x, axis)


def where(condition: Any, x1: Any = None, x2: Any = None) -> Any:
    """Elements of x1 where the condition holds, else of x2; without them the places, by axis."""
    condition = truths(condition)
    if x1 is None and x2 is None:
        return tuple(tf.unstack(tf.cast(tf.where(condition), "int32"), axis=1))
    return tf.where(condition, *alike(x1, x2))


def roll(x: Any, shift: Any, axis: Any = None) -> Any:
    """Elements moved along axes, or all in a row; what leaves comes in at the other end."""
    x = tensor(x)
    if axis is not None:
        return tf.roll(x, shift, axis)
    return tf.reshape(tf.roll(tf.reshape(x, [-1]), shift, 0), tf.shape(x))


def diag(x: Any, k: int = 0) -> Any:
    """A matrix with those values along a diagonal, or the diagonal of a matrix."""
    x = tensor(x)
    if len(x.shape) not in (1, 2):
        raise ValueError(f"`x` must be 1d or 2d. Received: x.shape={tuple(x.shape)}")
    return tf.linalg.diag(x, k=k) if len(x.shape) == 1 else tf.linalg.diag_part(x, k=k)


def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Any:  # noqa: N803
    """Ones along a diagonal, k places above that in the middle."""
    rows = checked_integer("eye", "N", N, "ops.eye(2)")
    columns = rows if M is None else checked_integer("eye", "M", M, "ops.eye(2, 3)")
    check_elements("eye", (rows, columns))
    if min(rows, columns) < 0:
        raise InvalidArgumentError(f"eye: N and M must be at least 0; got {rows} and {columns}.")
    ones = np.eye(rows, columns, checked_integer("eye", "k", k, "ops.eye(2, k=1)"))
    return tf.constant(ones, dtype or floatx())


def identity(n: int, dtype: Any = None) -> Any:
    """The identity matrix."""
    return eye(n, dtype=dtype)


def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """An array of one value."""
    return tf.fill([shape] if isinstance(shape, int) else shape,
                   tf.cast(tensor(fill_value), dtype or floatx()))  # fmt: skip


def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """Evenly spaced numbers, the last one among them unless `endpoint` is False."""
    start, stop = alike(floating(start), floating(stop))
    step = (stop - start) / max(num - endpoint, 1)
    last = stop if endpoint else stop - step
    found = tf.cast(tf.linspace(start, last, num, axis=axis), dtype or start.dtype)
    return (found, step) if retstep else found


def one_hot(x: Any, num_classes: int, axis: int = -1, dtype: Any = None) -> Any:
    """`tf.one_hot` under the arguments' names of ops."""
    return tf.one_hot(tf.cast(x, "int32"), num_classes, axis=axis, dtype=dtype or floatx())


def clip(x: Any, x_min: Any, x_max: Any) -> Any:
    """Values brought between two bounds."""
    return tf.clip_by_value(*alike(no_truths(x), x_min, x_max))


def round(x: Any) -> Any:
    """The nearest whole numbers; halves go to the even one."""
    return tf.round(tensor(x))


def while_loop(cond: Any, body: Any, loop_vars: Any, maximum_iterations: Any = None) -> Any:
    """`tf.while_loop` in Keras' order of arguments."""
    return tf.while_loop(cond, body, loop_vars, maximum_iterations=maximum_iterations)
