"""Products, decompositions and norms of matrices, as `tf.keras.ops` gives them.

The one fact to know: they are NumPy's, so a vector may stand for a row or a column, and `svd` gives
u, s and the adjoint of v.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import minitape as tf
from minitape.errors.of_arguments import checked_integer
from minitape.keras.operations.arrays import axis_of
from minitape.keras.operations.dtypes import alike, floating, kind, numbers


def matmul(x1: Any, x2: Any) -> Any:
    """The product of matrices; a vector on the left is a row, one on the right a column."""
    x1, x2 = alike(x1, x2)
    if kind(x1) == "b":
        return tf.cast(matmul(tf.cast(x1, "int32"), tf.cast(x2, "int32")), "bool")
    x1, x2 = (tf.cast(x, "int32") if x.dtype == tf.int8 else x for x in (x1, x2))
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


def cross(x1: Any, x2: Any) -> Any:
    """The vector that stands on both, along the last axis; of two plane ones its third number."""
    x1, x2 = alike(x1, x2)
    plane = [tuple(x.shape)[axis_of("cross", x, -1)] == 2 for x in (x1, x2)]
    full = [
        tf.pad(x, [[0, 0]] * (len(x.shape) - 1) + [[0, 1]]) if flat else x
        for x, flat in zip((x1, x2), plane, strict=True)
    ]
    found = tf.linalg.cross(full[0], full[1])
    return found[..., 2] if all(plane) else found


def trace(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The sum along a diagonal of two axes, by default the first two."""
    x = numbers(x)
    rank = len(x.shape)
    last = [axis_of("trace", x, each) for each in (axis1, axis2)]
    x = tf.transpose(x, [i for i in range(rank) if i not in last] + last)
    rows, columns = tuple(x.shape)[-2:]
    above = checked_integer("trace", "offset", offset, "ops.trace(x, 1)")
    place = tf.constant(np.eye(rows, columns, above), x.dtype)
    return tf.reduce_sum(x * place, [-2, -1])


def svd(x: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """u, the singular values, and the adjoint of v; or the singular values alone."""
    if not compute_uv:
        return tf.linalg.svd(floating(x), compute_uv=False)
    s, u, v = tf.linalg.svd(floating(x), full_matrices)
    return u, s, tf.linalg.adjoint(v)


def qr(x: Any, mode: str = "reduced") -> Any:
    """Orthonormal columns q, as many as rows if `mode` is 'complete', and an upper triangular r."""
    if mode not in ("reduced", "complete"):
        raise ValueError(
            "`mode` argument value not supported. Expected one of {'reduced', 'complete'}. "
            f"Received: mode={mode!r:.80}"
        )
    return tuple(tf.linalg.qr(floating(x), mode == "complete"))


def cholesky(x: Any, upper: bool = False) -> Any:
    """The triangular root of a positive definite matrix: the lower one, or its adjoint."""
    low = tf.linalg.cholesky(floating(x))
    return tf.linalg.adjoint(low) if upper else low


def solve(a: Any, b: Any) -> Any:
    """The solution x of a x = b, for a vector or for the columns of a matrix."""
    return _with_columns(tf.linalg.solve, a, b)


def lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    """The x for which a x is nearest to b; `rcond` is accepted and not used."""
    return _with_columns(tf.linalg.lstsq, a, b)


def _with_columns(function: Any, a: Any, b: Any) -> Any:
    a, b = alike(floating(a), floating(b))
    if len(b.shape) == len(a.shape):
        return function(a, b)
    return tf.squeeze(function(a, tf.expand_dims(b, -1)), [-1])


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:  # noqa: A002
    """The norm of a vector along one axis, or of a matrix over two; see `numpy.linalg.norm`."""
    x = floating(x)
    rank = len(x.shape)
    if axis is None:
        if ord is None:
            return tf.norm(x, axis=tuple(range(rank)) or None, keepdims=keepdims)
        axis = tuple(range(rank))
    axes = [axis] if isinstance(axis, int) else list(axis)
    if len(axes) == 1:
        return _of_vectors(x, ord, axes[0], keepdims)
    if len(axes) == 2:
        return _of_matrices(x, ord, [n % rank for n in axes], keepdims)
    raise ValueError(f"Invalid axis values. Received: axis={axis!r:.80}: a norm is of one or two.")


def _of_vectors(x: Any, ord: Any, axis: int, keepdims: bool) -> Any:  # noqa: A002
    if ord is None or ord == 2:
        return tf.norm(x, axis=axis, keepdims=keepdims)
    sizes = tf.abs(x)
    if ord in (np.inf, -np.inf):
        return (tf.reduce_max if ord > 0 else tf.reduce_min)(sizes, axis, keepdims)
    if ord == 0:
        return tf.cast(tf.math.count_nonzero(x, axis, keepdims), sizes.dtype)
    if isinstance(ord, str):
        raise ValueError(f"Invalid `ord` argument for vector norm. Received: ord={ord!r:.80}")
    return tf.reduce_sum(sizes**ord, axis, keepdims) ** (1.0 / ord)


def _of_matrices(x: Any, ord: Any, axes: list[int], keepdims: bool) -> Any:  # noqa: A002
    if ord is None or ord == "fro":
        return tf.norm(x, axis=tuple(axes), keepdims=keepdims)
    rows, columns = axes
    reduce = tf.reduce_min if isinstance(ord, int | float) and ord < 0 else tf.reduce_max
    if ord in (1, -1, np.inf, -np.inf):
        summed, other = (rows, columns) if abs(ord) == 1 else (columns, rows)
        found = reduce(tf.reduce_sum(tf.abs(x), summed, True), other, True)
    elif ord in (2, -2, "nuc"):
        order = [i for i in range(len(x.shape)) if i not in axes] + axes
        values = tf.linalg.svd(tf.transpose(x, order), compute_uv=False)
        found = (tf.reduce_sum if ord == "nuc" else reduce)(values, -1)
        for place in sorted(axes):
            found = tf.expand_dims(found, place)
    else:
        raise ValueError(f"Invalid `ord` argument for matrix norm. Received: ord={ord!r:.80}")
    return found if keepdims else tf.squeeze(found, axes)
