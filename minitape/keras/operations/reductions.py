"""Places, means, running sums and products of matrices, as `tf.keras.ops` takes them.

The one fact to know: without an axis all values stand in a row; in a product of matrices a vector
may stand for a row or a column.
"""

from __future__ import annotations

from typing import Any

import minitape as tf
from minitape.keras.operations.dtypes import alike, floating, kind, no_truths, tensor

__all__ = [
    "argmax", "argmin", "average", "cholesky", "count_nonzero", "cumprod", "cumsum", "matmul",
    "moments", "norm", "qr", "svd", "tensordot",
]  # fmt: skip


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


def average(x: Any, axis: Any = None, weights: Any = None) -> Any:
    """The mean over axes; weights are like `x`, or a vector along the axis."""
    x = floating(x)
    if weights is None:
        return tf.reduce_mean(x, axis)
    x, w = alike(x, floating(weights))
    rank = len(x.shape)
    if len(w.shape) < rank and isinstance(axis, int):
        w = tf.reshape(w, [-1 if i == axis % rank else 1 for i in range(rank)])
    w = tf.broadcast_to(w, tf.shape(x))
    return tf.reduce_sum(x * w, axis) / tf.reduce_sum(w, axis)


def moments(x: Any, axes: Any, keepdims: bool = False, synchronized: bool = False) -> Any:
    """Mean and variance over axes; there is one device, so nothing is synchronised."""
    return tf.nn.moments(x, axes, keepdims=keepdims)


def count_nonzero(x: Any, axis: Any = None) -> Any:
    """How many elements are not 0, as int32."""
    return tf.math.count_nonzero(x, axis, dtype="int32")


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


def matmul(x1: Any, x2: Any) -> Any:
    """The product of matrices; a vector on the left is a row, one on the right a column."""
    x1, x2 = alike(x1, x2)
    left, right = len(x1.shape) == 1, len(x2.shape) == 1
    x1 = tf.expand_dims(x1, 0) if left else x1
    x2 = tf.expand_dims(x2, 1) if right else x2
    found = tf.matmul(x1, x2)
    found = tf.squeeze(found, [-1]) if right else found
    return tf.squeeze(found, [-1 if right else -2]) if left else found


def tensordot(x1: Any, x2: Any, axes: Any = 2) -> Any:
    """The sums of products over pairs of axes, by default the last two with the first two."""
    x1, x2 = alike(x1, x2)
    return tf.tensordot(x1, x2, axes)


def svd(x: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """u, the singular values, and the adjoint of v; or the singular values alone."""
    if not compute_uv:
        return tf.linalg.svd(floating(x), compute_uv=False)
    s, u, v = tf.linalg.svd(floating(x), full_matrices)
    return u, s, tf.linalg.adjoint(v)


def qr(x: Any) -> Any:
    """Orthonormal columns q, and an upper triangular r."""
    return tf.linalg.qr(floating(x))


def cholesky(x: Any) -> Any:
    """The lower triangular root of a positive definite matrix."""
    return tf.linalg.cholesky(floating(x))


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:  # noqa: A002
    """The norm of all elements, or along axes; without `ord` the root of the sum of squares."""
    if ord is not None and axis is None:
        raise ValueError(
            f"norm: ord={ord!r:.80} is that of vectors along an axis, or of matrices along two. "
            "Say which: `ops.norm(x, 1, axis=-1)`."
        )
    return tf.norm(floating(x), "euclidean" if ord is None else ord, axis, keepdims)
