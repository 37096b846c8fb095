"""Searching: unique, searchsorted, invert_permutation.

All of these give places, which are integers, so none of them has a derivative.
"""

from __future__ import annotations

from math import prod
from reprlib import repr as short  # an error must be able to show a nest that is very deep
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from minitape.errors import InvalidArgumentError
from minitape.op import export, operands, primitive
from minitape.ops.shapes.shaping import spread
from minitape.ops.statics import as_tensor
from minitape.values import dtypes

if TYPE_CHECKING:
    from minitape.tensor import Array, Tensor
    from minitape.values.public_types import DTypeLike, TensorLike

_INT32 = np.dtype(np.int32)


class Unique(NamedTuple):
    """What `unique` returns."""

    y: Any
    idx: Any


class UniqueWithCounts(NamedTuple):
    """What `unique_with_counts` returns."""

    y: Any
    idx: Any
    count: Any


@primitive(differentiable=False, latex=r"\mathrm{{unique}}\left({x}\right)")
def unique(x: Array, dtype: Any = _INT32) -> tuple[Array, Array, Array]:
    """The different elements by their first place, each element's number, the counts."""
    _, first, inverse, counts = np.unique(
        x, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.argsort(first, kind="stable")
    place = np.argsort(order, kind="stable")
    return x[first[order]], place[inverse.reshape(-1)].astype(dtype), counts[order].astype(dtype)


@export("unique")
def unique_values(x: TensorLike, out_idx: DTypeLike = "int32", name: str | None = None) -> Unique:
    """The different elements of a vector in the order in which they appear, and their places.

    Args:
        x: a vector.
        out_idx: the dtype of the indices.
        name: accepted and not used.

    Returns:
        A named tuple `(y, idx)` with `x[i] == y[idx[i]]`.

    Raises:
        InvalidArgumentError: if `x` is no vector.

    Example:
        >>> import minitape as tf
        >>> y, idx = tf.unique([3, 1, 3])
        >>> y.numpy().tolist(), idx.numpy().tolist()
        ([3, 1], [0, 1, 0])
    """
    return Unique(*_unique(x, out_idx)[:2])


@export("unique_with_counts")
def unique_with_counts(
    x: TensorLike, out_idx: DTypeLike = "int32", name: str | None = None
) -> UniqueWithCounts:
    """`unique` and how often each element appears: a named tuple `(y, idx, count)`."""
    return UniqueWithCounts(*_unique(x, out_idx))


def _unique(x: Any, out_idx: Any) -> tuple[Any, ...]:
    tensor = as_tensor(x)
    if len(tensor.shape) != 1:
        raise InvalidArgumentError(
            f"unique: unique expects a 1D vector; got shape {tuple(tensor.shape)}. Write "
            "`tf.reshape(x, [-1])`."
        )
    return unique(tensor, dtypes.as_dtype(out_idx).np)


@primitive(
    differentiable=False, latex=r"\mathrm{{searchsorted}}\left({x}, {y}\right)", refuses="cO"
)
def searchsorted(x: Array, y: Array, side: str = "left", dtype: Any = _INT32) -> Array:
    """Where in the sorted lines of `x` the elements of `y` belong; see `tf.searchsorted`."""
    count = prod(x.shape[:-1])
    lines = zip(x.reshape(count, x.shape[-1]), y.reshape(count, y.shape[-1]), strict=True)
    find: Any = np.searchsorted
    found = [find(line, wanted, side) for line, wanted in lines]
    return np.reshape(found, y.shape).astype(dtype)


@searchsorted.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    return searchsorted(
        *(spread(v, own, size) for v, own in zip(values, stacked, strict=True)), *attributes
    )


@export("searchsorted")
def searchsorted_values(
    sorted_sequence: TensorLike,
    values: TensorLike,
    side: str = "left",
    out_type: DTypeLike = "int32",
    name: str | None = None,
) -> Tensor:
    """Where elements belong in sorted lines: the number of smaller (side "right": not larger) ones.

    Args:
        sorted_sequence: a tensor whose last axis is sorted.
        values: a tensor with the same leading axes.
        side: "left" or "right" of equal elements.
        out_type: the dtype of the result.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if leading axes differ.
        ValueError: if `side` is another.

    Example:
        >>> import minitape as tf
        >>> tf.searchsorted([1, 3, 5], [0, 3, 4]).numpy().tolist()
        [0, 1, 2]
    """
    if side not in ("left", "right"):
        raise ValueError(
            "searchsorted: Argument `side` must be either 'right' or 'left'. Received: "
            f"side={short(side)}."
        )
    x, y = operands(searchsorted.op, (sorted_sequence, values))
    if not len(x.shape) or tuple(x.shape)[:-1] != tuple(y.shape)[:-1]:
        raise InvalidArgumentError(
            "searchsorted: Leading dim_size of both tensors must match; the shapes are "
            f"{tuple(x.shape)} and "
            f"{tuple(y.shape)}. All axes but the last must be equal."
        )
    return searchsorted(x, y, side, dtypes.as_dtype(out_type).np)


@primitive("math.invert_permutation", differentiable=False, latex=r"{x:4}^{{-1}}", refuses="bc")
def invert_permutation(x: Array) -> Array:
    """The permutation that undoes `x`, a vector of the integers from 0 to n - 1."""
    if x.dtype.kind == "f" or x.ndim != 1 or not np.array_equal(np.sort(x), np.arange(x.size)):
        raise InvalidArgumentError(
            f"invert_permutation: {x.tolist()} is not a permutation: it must hold every integer "
            "from 0 to "
            f"{x.size - 1} once."
        )
    return np.argsort(x).astype(x.dtype)


invert_permutation.op.infer = lambda specs: specs[0]  # ones are no permutation
