"""The functions of `tf.keras.ops` that take other arguments than `tf`, or have other defaults.

Without an axis all values stand in a row, a negative index counts from the end, and lists of places
are cuts.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import minitape as tf
from minitape.errors.of_arguments import checked_items
from minitape.keras.config import floatx
from minitape.keras.operations.dtypes import alike, floating, no_truths, tensor, truths
from minitape.keras.symbols import KerasTensor

__all__ = [
    "argmax", "clip", "concatenate", "convert_to_numpy", "cumsum", "eye", "gelu", "linspace",
    "matmul", "moments", "norm", "one_hot", "ravel", "round", "shape", "split", "stack", "take",
    "tensordot", "where",
]  # fmt: skip


def shape(x: Any) -> tuple[int, ...]:
    """The shape as a tuple."""
    return tuple((x if isinstance(x, KerasTensor) else tensor(x)).shape)


def convert_to_numpy(x: Any) -> Any:
    """The values as a NumPy array."""
    return tensor(x).numpy()


def ravel(x: Any) -> Any:
    """All values in a row."""
    return tf.reshape(x, [-1])


def take(x: Any, indices: Any, axis: int | None = None) -> Any:
    """What stands at `indices` along an axis, or of all values in a row."""
    x, indices = tensor(x), tensor(indices)
    if axis is None:
        x, axis = ravel(x), 0
    size = tf.cast(tf.shape(x)[axis], indices.dtype)
    return tf.gather(x, tf.where(indices < 0, indices + size, indices), axis=axis)


def split(x: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Equal parts, so many as a number says; or those between the places that a list names."""
    if isinstance(indices_or_sections, int):
        return tf.split(tensor(x), indices_or_sections, axis)
    cuts = checked_items("split", "indices_or_sections", indices_or_sections, "ops.split(x, [1])")
    sizes = [stop - start for start, stop in pairwise([0, *cuts])]
    return tf.split(tensor(x), [*sizes, -1], axis)


def concatenate(xs: Any, axis: int = 0) -> Any:
    """Tensors one behind the other, in one dtype."""
    return tf.concat(alike(*xs), axis)


def stack(x: Any, axis: int = 0) -> Any:
    """Tensors along a new axis, in one dtype."""
    return tf.stack(alike(*x), axis)


def where(condition: Any, x1: Any, x2: Any) -> Any:
    """Elements of x1 where the condition holds, else of x2."""
    return tf.where(truths(condition), *alike(x1, x2))


def clip(x: Any, x_min: Any, x_max: Any) -> Any:
    """Values brought between two bounds."""
    return tf.clip_by_value(*alike(no_truths(x), x_min, x_max))


def round(x: Any) -> Any:
    """The nearest whole numbers; halves go to the even one."""
    return tf.round(x)


def eye(N: int, M: int | None = None, *, dtype: Any = None) -> Any:  # noqa: N803
    """Ones along the diagonal."""
    return tf.eye(N, M, dtype=dtype or floatx())


def linspace(start: Any, stop: Any, num: int = 50) -> Any:
    """Evenly spaced numbers, the last one among them."""
    start, stop = alike(floating(start), floating(stop))
    return tf.linspace(start, stop, num)


def one_hot(x: Any, num_classes: int, axis: int = -1, dtype: Any = None) -> Any:
    """`tf.one_hot` under the arguments' names of ops."""
    return tf.one_hot(tf.cast(x, "int32"), num_classes, axis=axis, dtype=dtype or floatx())


def gelu(x: Any, approximate: bool = True) -> Any:
    """`tf.nn.gelu`, here with tanh by default."""
    return tf.nn.gelu(x, approximate)


def argmax(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """The place of the largest value along an axis, or of all values in a row."""
    x = no_truths(x)
    found = tf.argmax(ravel(x) if axis is None else x, axis or 0, "int32")
    if not keepdims:
        return found
    return tf.reshape(found, [1] * x.ndim) if axis is None else tf.expand_dims(found, axis)


def cumsum(x: Any, axis: int | None = None) -> Any:
    """Sums of all values up to each, along an axis or of all values in a row."""
    x = no_truths(x)
    return tf.cumsum(ravel(x)) if axis is None else tf.cumsum(x, axis)


def moments(x: Any, axes: Any, keepdims: bool = False) -> Any:
    """Mean and variance over axes."""
    return tf.nn.moments(x, axes, keepdims=keepdims)


def matmul(x1: Any, x2: Any) -> Any:
    """The product of matrices; a vector on the left is a row, one on the right a column."""
    x1, x2 = alike(x1, x2)
    if 1 in (len(x1.shape), len(x2.shape)):
        return tf.tensordot(x1, x2, [[-1], [max(len(x2.shape) - 2, 0)]])
    return tf.matmul(x1, x2)


def tensordot(x1: Any, x2: Any, axes: Any = 2) -> Any:
    """The sums of products over pairs of axes, by default the last two with the first two."""
    x1, x2 = alike(x1, x2)
    return tf.tensordot(x1, x2, axes)


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:  # noqa: A002
    """The norm of all elements, or along axes; without `ord` the root of the sum of squares."""
    if ord is not None and axis is None:
        raise ValueError(
            f"norm: ord={ord!r:.80} is that of vectors along an axis, or of matrices along two. "
            "Say which: `ops.norm(x, 1, axis=-1)`."
        )
    return tf.norm(floating(x), "euclidean" if ord is None else ord, axis, keepdims)
