"""Tensors taken apart by group numbers and put together: dynamic_partition, dynamic_stitch.

The group numbers are static, so each part is a gather, and the whole is a gather from all the parts
one behind the other.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError
from minitape.errors.of_arguments import checked_count, checked_integer, checked_items
from minitape.op import export
from minitape.ops.broadcasting import reshape
from minitape.ops.moving.gathering import gather
from minitape.ops.moving.joining import concat_values
from minitape.ops.statics import as_tensor, static_array, static_ints
from minitape.tensor import eager, make_constant

if TYPE_CHECKING:
    from minitape.tensor import Tensor
    from minitape.values.public_types import TensorLike


@export("dynamic_partition")
def dynamic_partition(
    data: TensorLike, partitions: Any, num_partitions: int, name: str | None = None
) -> list[Tensor]:
    """The slices of a tensor in groups: list item i has those whose number is i, in order.

    Args:
        data: a tensor whose shape starts with that of `partitions`.
        partitions: integers from 0 to `num_partitions - 1`.
        num_partitions: how many groups there are.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if the numbers do not fit the tensor or the count.

    Example:
        >>> import minitape as tf
        >>> [t.numpy().tolist() for t in tf.dynamic_partition([10, 20, 30], [1, 0, 1], 2)]
        [[20], [10, 30]]
    """
    x, groups = as_tensor(data), static_array(partitions, "dynamic_partition", "partitions")
    example = "tf.dynamic_partition(x, [0, 1], 2)"
    count = checked_integer("dynamic_partition", "num_partitions", num_partitions, example)
    checked_count("dynamic_partition", "num_partitions", count)
    shape = tuple(x.shape)
    outside = groups.size and (groups.min() < 0 or groups.max() >= count)
    if count < 1 or shape[: groups.ndim] != groups.shape or outside:
        raise InvalidArgumentError(
            f"dynamic_partition: partitions of shape {groups.shape} must hold numbers from 0 to "
            f"{count - 1} for the first axes of data of shape {shape}, and num_partitions must be "
            "1 or more."
        )
    flat = reshape(x, (prod(groups.shape), *shape[groups.ndim :]))
    numbers = groups.reshape(-1)
    order = np.argsort(numbers, kind="stable")
    ends = np.searchsorted(numbers[order], np.arange(count), "right")
    places = np.split(order, ends[:-1])
    return [gather(flat, eager(each), 0) for each in places]


@export("dynamic_stitch")
def dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Tensor:
    """One tensor of many: `out[indices[i][j]] = data[i][j]`; of equal indices the last wins.

    Args:
        indices: a list of integer tensors that together hold every number from 0 on.
        data: a list of tensors whose shapes start with those of `indices`.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if a number is missing or negative, or shapes do not fit.

    Example:
        >>> import minitape as tf
        >>> tf.dynamic_stitch([[1], [0, 2]], [[20], [10, 30]]).numpy().tolist()
        [10, 20, 30]
    """
    example = "tf.dynamic_stitch([[0], [1]], [[5.0], [6.0]])"
    indices = checked_items("dynamic_stitch", "indices", indices, example)
    data = checked_items("dynamic_stitch", "data", data, example)
    ids = [static_array(each, "dynamic_stitch", "indices") for each in indices]
    parts = [as_tensor(each) for each in data]
    if len(ids) != len(parts):
        raise InvalidArgumentError(
            f"dynamic_stitch: {len(ids)} tensors of indices and {len(parts)} of data. Each has its "
            f"own indices. Write for instance `{example}`."
        )
    if any(tuple(x.shape)[: i.ndim] != i.shape for x, i in zip(parts, ids, strict=True)):
        raise InvalidArgumentError(
            "dynamic_stitch: each of data must start with its indices' shape."
        )
    rows = [
        reshape(x, (i.size, *tuple(x.shape)[i.ndim :])) for x, i in zip(parts, ids, strict=True)
    ]
    numbers = np.concatenate([i.reshape(-1) for i in ids])
    if numbers.min(initial=0) < 0:
        raise InvalidArgumentError(
            f"dynamic_stitch: the index {numbers.min()} is out of range: rows count from 0 on. "
            f"Write for instance `{example}`."
        )
    source = np.full(numbers.max(initial=-1) + 1, -1)
    source[numbers] = np.arange(len(numbers))
    if (source < 0).any():
        missing = int(np.flatnonzero(source < 0)[0])
        raise InvalidArgumentError(f"dynamic_stitch: no index is {missing}. Every row needs one.")
    return gather(concat_values(rows, 0), eager(source), 0)


@export("unravel_index")
def unravel_index(indices: TensorLike, dims: Any, name: str | None = None) -> Tensor:
    """The index tuples, one column each, of flat indices into a tensor of shape `dims`.

    Example:
        >>> import minitape as tf
        >>> tf.unravel_index([2, 5], [2, 3]).numpy().tolist()
        [[0, 1], [2, 2]]
    """
    flat = static_array(indices, "unravel_index", "indices")
    shape = static_ints(dims, "unravel_index", "dims")
    count = int(np.prod(shape))
    if np.any((np.asarray(flat) < 0) | (np.asarray(flat) >= count)):
        raise InvalidArgumentError(
            f"unravel_index: an index is out of bound as with dims {list(shape)}, which count "
            f"{count} elements: {np.asarray(flat).tolist()!r:.200}. Indices go from 0 to "
            f"{count - 1}."
        )
    return make_constant(np.stack(np.unravel_index(flat, shape)).astype(flat.dtype))
