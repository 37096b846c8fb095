"""Sums, means, extremes, segments and places, as `tf.keras.ops` takes them.

The one fact to know: small integers are added up as int32, which the ops of `tf` do not do.
"""

from __future__ import annotations

from typing import Any

import minitape as tf
from minitape.keras.operations.arrays import on_axis
from minitape.keras.operations.dtypes import (
    alike,
    floating,
    kind,
    no_truths,
    numbers,
    tensor,
)  # fmt: skip


def argmax(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """The place of the largest value along an axis, or of all values in a row."""
    return _place(tf.argmax, x, axis, keepdims)


def argmin(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """The place of the smallest value along an axis, or of all values in a row."""
    return _place(tf.argmin, x, axis, keepdims)


def _place(function: Any, x: Any, axis: int | None, keepdims: bool) -> Any:
    x = no_truths(x)
    found = function(x if axis is not None else tf.reshape(x, [-1]), axis or 0, "int32")
    if not keepdims:
        return found
    return tf.expand_dims(found, axis) if axis is not None else tf.reshape(found, [1] * x.ndim)


def max(x: Any, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Any:  # noqa: A001
    """The largest element over axes, and `initial` if it is larger."""
    return _extreme(tf.reduce_max, tf.maximum, x, axis, keepdims, initial)


def min(x: Any, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Any:  # noqa: A001
    """The smallest element over axes, and `initial` if it is smaller."""
    return _extreme(tf.reduce_min, tf.minimum, x, axis, keepdims, initial)


def _extreme(reduce: Any, pair: Any, x: Any, axis: Any, keepdims: bool, initial: Any) -> Any:
    x = tensor(x)
    found = reduce(no_truths(x), axis, keepdims)
    found = found if initial is None else pair(*alike(found, initial))
    return tf.cast(found, x.dtype)


def average(x: Any, axis: Any = None, weights: Any = None) -> Any:
    """The mean over axes; weights are like `x`, or a vector along the axis."""
    x = floating(x)
    if weights is None:
        return tf.reduce_mean(x, axis)
    x, w = alike(x, floating(weights))
    if len(w.shape) != len(x.shape):
        w = on_axis(x, w, axis)
    w = tf.broadcast_to(w, tf.shape(x))
    return tf.reduce_sum(x * w, axis) / tf.reduce_sum(w, axis)


def moments(x: Any, axes: Any, keepdims: bool = False, synchronized: bool = False) -> Any:
    """Mean and variance over axes; there is one device, so nothing is synchronised."""
    return tf.nn.moments(x, axes, keepdims=keepdims)


def count_nonzero(x: Any, axis: Any = None) -> Any:
    """How many elements are not 0, as int32."""
    return tf.math.count_nonzero(x, axis, dtype="int32")


def prod(x: Any, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Any:
    """The product over axes."""
    x = numbers(x) if dtype is None else tf.cast(tensor(x), dtype)
    return tf.reduce_prod(x, axis, keepdims)


def cumsum(x: Any, axis: int | None = None, dtype: Any = None) -> Any:
    """Sums of all values up to each, along an axis or of all values in a row."""
    return _running(tf.cumsum, x, axis, dtype)


def cumprod(x: Any, axis: int | None = None, dtype: Any = None) -> Any:
    """Products of all values up to each, along an axis or of all values in a row."""
    return _running(tf.math.cumprod, x, axis, dtype)


def _running(function: Any, x: Any, axis: int | None, dtype: Any) -> Any:
    x = tensor(x)
    if dtype is not None or kind(x) == "b":
        x = tf.cast(x, dtype or "int32")
    return function(x, axis) if axis is not None else function(tf.reshape(x, [-1]))


def bincount(x: Any, weights: Any = None, minlength: int = 0, sparse: bool = False) -> Any:
    """How often each integer occurs; of a matrix, in each row."""
    if sparse:
        raise ValueError("bincount: there are no sparse tensors here; leave `sparse` out.")
    x = tensor(x)
    axis = -1 if len(x.shape) == 2 else None
    return tf.math.bincount(x, weights, minlength=minlength or None, axis=axis)


def softmax(x: Any, axis: Any = -1) -> Any:
    """Exponentials that sum to 1 along an axis, or over several."""
    x = floating(x)
    if not isinstance(axis, tuple | list):
        return tf.nn.softmax(x, axis)
    powers = tf.exp(x - tf.stop_gradient(tf.reduce_max(x, axis, keepdims=True)))
    return powers / tf.reduce_sum(powers, axis, keepdims=True)


def segment_sum(data: Any, segment_ids: Any, num_segments: Any = None, sorted: bool = False) -> Any:  # noqa: A002
    """The sum of each segment; ids need not be in order."""
    return _segments(tf.math.unsorted_segment_sum, data, segment_ids, num_segments)


def segment_max(data: Any, segment_ids: Any, num_segments: Any = None, sorted: bool = False) -> Any:  # noqa: A002
    """The largest element of each segment; ids need not be in order."""
    return _segments(tf.math.unsorted_segment_max, data, segment_ids, num_segments)


def segment_min(data: Any, segment_ids: Any, num_segments: Any = None, sorted: bool = False) -> Any:  # noqa: A002
    """The smallest element of each segment; ids need not be in order."""
    return _segments(tf.math.unsorted_segment_min, data, segment_ids, num_segments)


def segment_prod(
    data: Any, segment_ids: Any, num_segments: Any = None, sorted: bool = False  # noqa: A002
) -> Any:  # fmt: skip
    """The product of each segment; ids need not be in order."""
    return _segments(tf.math.unsorted_segment_prod, data, segment_ids, num_segments)


def _segments(function: Any, data: Any, ids: Any, count: Any) -> Any:
    ids = tensor(ids)
    return function(data, ids, tf.reduce_max(ids) + 1 if count is None else count)
