"""Sorting: sort, argsort, top_k.

Sorting moves elements, so the cotangent goes back along the same permutation; equal elements keep
their order, which decides who gets which cotangent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from minitape.errors import InvalidArgumentError
from minitape.errors.of_arguments import checked_one
from minitape.op import export, primitive
from minitape.ops.casting import cast_to_discrete
from minitape.ops.families import batched_along_axis, canonical_axis
from minitape.ops.moving.selecting import add_along
from minitape.ops.statics import as_tensor, static_int, static_ints
from minitape.values import dtypes

if TYPE_CHECKING:
    from minitape.tensor import Array, Spec, Tensor
    from minitape.values.public_types import Axis, DTypeLike, TensorLike

_INT32 = np.dtype(np.int32)


def _order(x: Any, axis: int, descending: bool) -> Any:
    """The indices that sort `x` along `axis`; equal elements stay in their order."""
    if not descending:
        return np.argsort(x, axis, kind="stable")
    backwards = np.flip(np.argsort(np.flip(x, axis), axis, kind="stable"), axis)
    return x.shape[axis] - 1 - backwards


@primitive(differentiable=False, latex=r"\mathrm{{argsort}}\left({x}\right)", refuses="bcO")
def argsort(x: Array, axis: int, descending: bool = False) -> Array:
    """The indices that sort `x` along `axis`; see `tf.argsort`."""
    return _order(x, axis, descending).astype(_INT32)


argsort.says(jumps="position")


argsort.batch(batched_along_axis(argsort))


@primitive(latex=r"\mathrm{{sort}}\left({x}\right)", refuses="bcO")
def sort(x: Array, axis: int, descending: bool = False) -> Array:
    """`x` in order along `axis`; see `tf.sort`."""
    ordered = np.sort(x, axis, kind="stable")
    return np.flip(ordered, axis) if descending else ordered


sort.says(rule="each goes back to its place before sorting")


@sort.vjp("x")
def _(g: Tensor, x: Tensor, axis: int, descending: bool) -> Tensor:
    return add_along(g, argsort(x, axis, descending), tuple(x.shape), axis)


sort.batch(batched_along_axis(sort))


@primitive(type_name="TopKV2", latex=r"\mathrm{{top}}_{{{k}}}\left({x}\right)", refuses="bcO")
def top_k(x: Array, k: int) -> tuple[Array, Array]:
    """The `k` largest elements along the last axis, largest first, and their indices."""
    order = _order(x, x.ndim - 1, True)[..., :k]
    return np.take_along_axis(x, order, -1), order.astype(_INT32)


@top_k.vjp("x")
def _(g: Any, x: Spec, out: Tensor) -> Tensor:
    return add_along(g[0], out[1], x.shape, len(x.shape) - 1)


@top_k.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    return top_k(values[0], *attributes)


@export("sort")
def sort_values(
    values: TensorLike, axis: Axis = -1, direction: str = "ASCENDING", name: str | None = None
) -> Tensor:
    """The elements in order along an axis.

    Args:
        values: a tensor of rank at least 1.
        axis: the axis of the lines that are sorted.
        direction: "ASCENDING" or "DESCENDING".
        name: accepted and not used.

    Raises:
        ValueError: if the direction is another.
        InvalidArgumentError: if there is no such axis.

    Example:
        >>> import minitape as tf
        >>> tf.sort([3, 1, 2], direction="DESCENDING").numpy().tolist()
        [3, 2, 1]
    """
    x = as_tensor(values)
    return sort(x, _axis(axis, x, "sort"), _descending(direction, "sort"))


@export("argsort")
def argsort_values(
    values: TensorLike,
    axis: Axis = -1,
    direction: str = "ASCENDING",
    stable: bool = False,
    name: str | None = None,
) -> Tensor:
    """The int32 indices that put a tensor in order along an axis; equal elements keep theirs.

    Args:
        values: a tensor of rank at least 1.
        axis: the axis of the lines that are sorted.
        direction: "ASCENDING" or "DESCENDING".
        stable: accepted; the order is always stable.
        name: accepted and not used.

    Raises:
        ValueError: if the direction is another.
        InvalidArgumentError: if there is no such axis.

    Example:
        >>> import minitape as tf
        >>> tf.argsort([3, 1, 2]).numpy().tolist()
        [1, 2, 0]
    """
    x = as_tensor(values)
    return argsort(x, _axis(axis, x, "argsort"), _descending(direction, "argsort"))


def _axis(axis: Any, x: Any, op: str) -> int:
    number = checked_one(op, "axis", static_ints(axis, op, "axis"))
    return canonical_axis(number, len(x.shape), op)


def _descending(direction: str, op: str) -> bool:
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(
            f"{op}: Argument `direction` should be one of 'ASCENDING' or 'DESCENDING'. "
            f"Received: {direction!r}."
        )
    return direction == "DESCENDING"


class TopKV2(NamedTuple):
    """What `top_k` returns."""

    values: Any
    indices: Any


@export("math.top_k", "nn.top_k")
def top_k_values(
    input: TensorLike,  # noqa: A002  # TensorFlow's name
    k: Any = 1,
    sorted: bool = True,  # noqa: A002  # TensorFlow's name
    index_type: DTypeLike = "int32",
    name: str | None = None,
) -> TopKV2:
    """The `k` largest elements along the last axis, and their indices; of equal ones the first.

    Args:
        input: a tensor of rank at least 1.
        k: how many.
        sorted: accepted; the result is always sorted, largest first.
        index_type: the dtype of the indices.
        name: accepted and not used.

    Returns:
        A named tuple `(values, indices)`.

    Raises:
        InvalidArgumentError: if there are fewer than `k` elements.

    Example:
        >>> import minitape as tf
        >>> values, indices = tf.math.top_k([3, 1, 2], k=2)
        >>> values.numpy().tolist(), indices.numpy().tolist()
        ([3, 2], [0, 2])
    """
    x = as_tensor(input)
    k = static_int(k, "top_k", "k")
    shape = tuple(x.shape)
    if not shape or not 0 <= k <= shape[-1]:
        raise InvalidArgumentError(
            f"top_k: input must have at least k columns. Had {shape[-1] if shape else 0}, needed "
            f"{k}: the tensor has shape {shape}. Use a smaller k."
        )
    values, indices = top_k(x, k)
    wanted = dtypes.as_dtype(index_type)
    return TopKV2(values, indices if wanted.np == _INT32 else cast_to_discrete(indices, wanted.np))
