"""Taking, splitting, joining and making arrays, as `tf.keras.ops` does it.

The one fact to know: a negative index counts from the end here, and lists of places are cuts.
"""

from __future__ import annotations

from itertools import pairwise
from math import prod
from reprlib import repr as short  # an error must be able to show a nest that is very deep
from typing import Any

import numpy as np

import minitape as tf
from minitape.errors import InvalidArgumentError
from minitape.errors.of_arguments import (
    check_elements,
    checked_integer,
    checked_items,
    checked_text,
)  # fmt: skip
from minitape.keras.config import floatx
from minitape.keras.operations.dtypes import (
    alike,
    floating,
    kind,
    no_truths,
    tensor,
    truths,
)  # fmt: skip


def take(x: Any, indices: Any, axis: int | None = None) -> Any:
    """What stands at `indices` along an axis, or of all values in a row."""
    x, indices = tensor(x), tensor(indices)
    if axis is None:
        x, axis = tf.reshape(x, [-1]), 0
    size = tf.cast(tf.shape(x)[axis], indices.dtype)
    return tf.gather(x, tf.where(indices < 0, indices + size, indices), axis=axis)


def split(x: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Equal parts, so many as a number says; or those between the places that a list names."""
    x = tensor(x)
    if isinstance(indices_or_sections, int):
        return tf.split(x, indices_or_sections, axis)
    size = tuple(x.shape)[axis_of("split", x, axis)]
    cuts = checked_items("split", "indices_or_sections", indices_or_sections, "ops.split(x, [1])")
    cuts = [checked_integer("split", "a place", each, "ops.split(x, [1])") for each in cuts]
    places = np.clip([0, *cuts, size], 0, size).tolist()
    return tf.split(x, [max(stop - start, 0) for start, stop in pairwise(places)], axis)


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


def tile(x: Any, repeats: Any) -> Any:
    """Copies side by side; of fewer numbers than axes those are of the last ones."""
    x, times = tensor(x), np.atleast_1d(np.asarray(repeats)).tolist()
    missing = len(times) - len(x.shape)
    if missing > 0:
        x = tf.reshape(x, [1] * missing + list(x.shape))
    return tf.tile(x, [1] * max(-missing, 0) + times)


def expand_dims(x: Any, axis: Any) -> Any:
    """A tensor with axes of size 1 at the places `axis` of the result."""
    x = tensor(x)
    if isinstance(axis, int):
        return tf.expand_dims(x, axis)
    axes = checked_items("expand_dims", "axis", axis, "axis=(0, 1)")
    rank = len(x.shape) + len(axes)
    axes = [checked_integer("expand_dims", "axis", each, "axis=(0, 1)") for each in axes]
    for place in sorted(n % rank for n in axes):
        x = tf.expand_dims(x, place)
    return x


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


def unique(x: Any, *, return_inverse: bool = False, return_counts: bool = False) -> Any:
    """The different values of all elements in order, where they stand, how often they do."""
    values, places, counts = tf.unique_with_counts(tf.reshape(x, [-1]))
    order = tf.argsort(values)
    found = [tf.gather(values, order)]
    if return_inverse:
        found.append(tf.gather(tf.argsort(order), places))
    if return_counts:
        found.append(tf.gather(counts, order))
    return found[0] if len(found) == 1 else tuple(found)


def unravel_index(indices: Any, shape: Any) -> tuple[Any, ...]:
    """Numbers of elements in a row as indices, one tensor for each axis."""
    return tuple(tf.unstack(tf.unravel_index(tf.cast(indices, "int32"), shape)))


def max_pool(
    inputs: Any,
    pool_size: Any,
    strides: Any = None,
    padding: str = "valid",
    data_format: str | None = None,
) -> Any:
    """The largest of each window; windows stand side by side without `strides`."""
    _check_layout(data_format)
    steps = pool_size if strides is None else strides
    return tf.nn.max_pool(
        floating(inputs),
        pool_size,
        steps,
        checked_text("max_pool", "padding", padding, "padding='same'").upper(),
    )


def depth_to_space(x: Any, block_size: int, data_format: str = "channels_last") -> Any:
    """Channels laid out as blocks of pixels."""
    _check_layout(data_format)
    return tf.nn.depth_to_space(x, block_size)


def space_to_depth(x: Any, block_size: int, data_format: str = "channels_last") -> Any:
    """Blocks of pixels as channels."""
    _check_layout(data_format)
    return tf.nn.space_to_depth(x, block_size)


def _check_layout(data_format: Any) -> None:
    if data_format is not None and (
        not isinstance(data_format, str) or data_format != "channels_last"
    ):
        raise ValueError(
            f"data_format={short(data_format)}: channels are last here. Transpose the images, "
            "`ops.transpose(x, (0, 2, 3, 1))`."
        )


def clip(x: Any, x_min: Any, x_max: Any) -> Any:
    """Values brought between two bounds."""
    return tf.clip_by_value(*alike(no_truths(x), x_min, x_max))


def round(x: Any, decimals: int = 0) -> Any:  # noqa: A001  # the name is NumPy's
    """The nearest numbers with so many digits after the point; halves go to the even one."""
    x = tensor(x)
    decimals = checked_integer("round", "decimals", decimals, "ops.round(x, 1)")
    if not decimals or kind(x) in "biu" and decimals > 0:
        return tf.round(x)
    scale = 10.0**decimals
    return tf.cast(tf.round(floating(x) * scale) / scale, x.dtype)


def while_loop(cond: Any, body: Any, loop_vars: Any, maximum_iterations: Any = None) -> Any:
    """`tf.while_loop` of several variables in a tuple or list, or of one."""
    if isinstance(loop_vars, tuple | list):
        return tf.while_loop(cond, body, loop_vars, maximum_iterations=maximum_iterations)
    found = tf.while_loop(
        cond, lambda x: (body(x),), (loop_vars,), maximum_iterations=maximum_iterations
    )
    return found[0]


def on_axis(x: Any, values: Any, axis: int) -> Any:
    """A vector laid along an axis of `x`."""
    at, size = axis_of("batch_normalization", x, axis), prod(tensor(values).shape)
    return tf.reshape(values, [size if i == at else 1 for i in range(len(x.shape))])


def axis_of(op: str, x: Any, axis: Any) -> int:
    """The number of an axis of `x`, from 0 on.

    Raises:
        ValueError: if there is none such.
    """
    number, rank = checked_integer(op, "axis", axis, "axis=0"), len(x.shape)
    if not -rank <= number < rank:
        raise ValueError(f"{op}: axis {number} is out of bounds for a tensor of rank {rank}.")
    return number % rank


def batch_normalization(
    x: Any,
    mean: Any,
    variance: Any,
    axis: int,
    offset: Any = None,
    scale: Any = None,
    epsilon: float = 1e-3,
) -> Any:
    """`tf.nn.batch_normalization` by the numbers of each entry of an axis."""
    x = tensor(x)
    mean, variance, offset, scale = (
        None if each is None else on_axis(x, each, axis) for each in (mean, variance, offset, scale)
    )
    return tf.nn.batch_normalization(x, mean, variance, offset, scale, epsilon)
