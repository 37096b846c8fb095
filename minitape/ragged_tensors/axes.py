"""Axes of ragged tensors: new ones, those of size 1 left out, several as one.

An axis left out or merged leaves the values alone, and changes splits.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from minitape.errors import InvalidArgumentError
from minitape.errors.of_arguments import checked_integer, checked_items
from minitape.ops.broadcasting import reshape
from minitape.ops.families import canonical_axis
from minitape.ragged_tensors.ops import means
from minitape.ragged_tensors.slicing import expand
from minitape.ragged_tensors.tensor import RaggedTensor
from minitape.tensor import Tensor


@means("expand_dims")
def _expanded(x: RaggedTensor, axis: int) -> Any:
    return expand(x, canonical_axis(axis, x.ndim + 1, "expand_dims"))


@means("squeeze")
def _squeezed(x: Any, axes: tuple[int, ...] | None) -> Any:
    """Without the named axes, the last one first.

    Raises:
        ValueError: if none is named.
        InvalidArgumentError: if one has another size than 1.
    """
    if axes is None:
        raise ValueError(
            "squeeze: Ragged.squeeze must have an axis argument: which rows happen to have length "
            "1 differs from one ragged tensor to the next. Write `tf.squeeze(x, axis=0)`."
        )
    for axis in reversed(checked_items("squeeze", "axis", axes, "tf.squeeze(x, axis=[0])")):
        x = _without(x, axis, axis)
    return x


def _without(x: Any, axis: int, named: int) -> Any:
    """`x` without its axis `axis`, which the caller named `named`."""
    if isinstance(x, Tensor):
        shape = tuple(x.shape)
        if shape[axis] != 1:
            raise _not_one(named)
        return reshape(x, shape[:axis] + shape[axis + 1 :])
    if axis > 1:
        return x.with_values(_without(x.values, axis - 1, named))
    sizes = np.diff(x.row_splits.value) if axis else np.array([len(x)])
    if (sizes != 1).any():
        raise _not_one(named)
    return x.values


def _not_one(axis: int) -> InvalidArgumentError:
    """An axis of another size is to be left out."""
    return InvalidArgumentError(
        f"squeeze: the given axis (axis = {axis}) is not squeezable! Every row has to have size 1 "
        "there. Write `x.to_tensor()` first, or name another axis."
    )


@means("merge_dims")
def _merged(x: RaggedTensor, outer_axis: int, inner_axis: int) -> Any:
    """All axes from one to another as one.

    Raises:
        ValueError: if there is no such axis, or the outer one stands behind the inner one.
    """
    outer, inner = (
        _axis(name, axis, x.ndim)
        for name, axis in (("outer_axis", outer_axis), ("inner_axis", inner_axis))
    )
    if outer > inner:
        raise ValueError(
            f"merge_dims: Expected outer_axis ({outer_axis}) to be less than or equal to "
            f"inner_axis ({inner_axis}). Write `x.merge_dims({inner_axis}, {outer_axis})`."
        )
    return x if outer == inner else _as_one(x, outer, inner)


def _axis(name: str, axis: int, rank: int) -> int:
    if not -rank <= checked_integer("merge_dims", name, axis, "x.merge_dims(0, 1)") < rank:
        raise ValueError(
            f"merge_dims: {name}={axis} out of bounds: expected -{rank}<={name}<{rank}. The tensor "
            f"has {rank} axes."
        )
    return axis % rank


def _as_one(x: Any, outer: int, inner: int) -> Any:
    if outer == inner:
        return x
    if isinstance(x, Tensor):
        shape = tuple(x.shape)
        whole = prod(shape[outer : inner + 1])
        return reshape(x, (*shape[:outer], whole, *shape[inner + 1 :]))
    if outer == 0:
        return _as_one(x.values, 0, inner - 1)
    if outer > 1:
        return x.with_values(_as_one(x.values, outer - 1, inner - 1))
    splits, values = x.row_splits.value, x.values
    for _ in range(1, inner):
        if isinstance(values, Tensor):
            splits, values = splits * values.shape[1], _as_one(values, 0, 1)
        else:
            splits, values = values.row_splits.value[splits], values.values
    return RaggedTensor(values, splits)
