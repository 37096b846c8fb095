"""What users call to gather and scatter by index tuples: argument names, and checks that teach.

Indices are checked against the shape where their values are known; NumPy would count negative ones
from the end, which TensorFlow does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import DtypeError, InvalidArgumentError, teach
from minitape.op import export, operands
from minitape.ops.moving import scattering
from minitape.ops.moving.gathering import IndexRangeError
from minitape.ops.statics import as_tensor, static_dims, static_int

if TYPE_CHECKING:
    from minitape.tensor import Shape, Tensor
    from minitape.values.public_types import ShapeLike, TensorLike


@export("gather_nd")
def gather_nd(
    params: TensorLike, indices: TensorLike, batch_dims: Any = 0, name: str | None = None
) -> Tensor:
    """The elements or slices of a tensor at index tuples.

    Args:
        params: a tensor of rank r.
        indices: integers of shape [..., k] with k <= r: index tuples for the first k axes.
        batch_dims: how many leading axes `params` and `indices` share, example by example.
        name: accepted and not used.

    Returns:
        A tensor of shape `indices.shape[:-1] + params.shape[batch_dims + k:]`.

    Raises:
        InvalidArgumentError: if an index is out of range.

    Example:
        >>> import minitape as tf
        >>> tf.gather_nd([[1, 2], [3, 4]], [[0, 1], [1, 0]]).numpy().tolist()
        [2, 3]
    """
    x, ids = as_tensor(params), as_tensor(indices)
    batch_dims = static_int(batch_dims, "gather_nd", "batch_dims")
    if batch_dims and batch_dims >= len(x.shape):
        raise ValueError(
            f"gather_nd: Argument `batch_dims` = {batch_dims} must be less than rank(`params`) = "
            f"{len(x.shape)}. An axis is left for the indices to choose from. Write "
            f"`batch_dims={max(len(x.shape) - 1, 0)}` or less."
        )
    check_tuples(ids, tuple(x.shape), "gather_nd", batch_dims)
    return scattering.gather_nd(x, ids, batch_dims)


@export("scatter_nd")
def scatter_nd(
    indices: TensorLike, updates: TensorLike, shape: ShapeLike, name: str | None = None
) -> Tensor:
    """A tensor of zeros to which slices are added at index tuples; equal indices add up.

    Args:
        indices: integers of shape [..., k]: index tuples for the first k axes.
        updates: the slices, of shape `indices.shape[:-1] + shape[k:]`.
        shape: the shape of the result.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if an index is out of range, or shapes do not fit.

    Example:
        >>> import minitape as tf
        >>> tf.scatter_nd([[1], [3], [1]], [10, 20, 30], [5]).numpy().tolist()
        [0, 40, 0, 20, 0]
    """
    ids, dims = as_tensor(indices), static_dims(shape, "scatter_nd")
    slices = as_tensor(updates)
    _check_updates(slices, ids, dims, "scatter_nd")
    return scattering.scatter_nd(slices, ids, dims)


def check_tuples(ids: Any, shape: Shape, op: str, batch_dims: int = 0) -> None:
    """Raises unless the index tuples are integers within `shape`."""
    dtype = ids.spec.dtype
    if dtype.kind not in "iu":
        raise DtypeError(
            f"{op}: indices must be integers (tf.int32 or tf.int64); got {ids.dtype.name}. "
            "Write `tf.cast(indices, tf.int32)`."
        )
    depth = tuple(ids.shape)[-1] if len(ids.shape) else None
    if depth is None or depth > len(shape) - batch_dims:
        raise IndexRangeError(
            teach(
                f"{op}: index innermost dimension length must be <= params rank; indices have "
                "shape "
                f"{tuple(ids.shape)}, the tensor has shape {shape}.",
                "The last axis of indices holds one index for each of the first axes of the "
                "tensor.",
                "Write [[0], [2]] for rows, [[0, 1], [2, 0]] for elements of a matrix.",
            )
        )
    values = getattr(ids, "value", None)
    if not isinstance(values, np.ndarray):
        return
    limits = shape[batch_dims : batch_dims + depth]
    wrong = ((values < 0) | (values >= np.array(limits, np.int64))).any(-1)
    if wrong.any():
        at = tuple(map(int, np.argwhere(wrong)[0]))
        raise IndexRangeError(
            f"{op}: indices{list(at)} = {values[at].tolist()} does not index into param shape "
            f"{list(shape)}. Use indices from 0 to the size less 1; they do not count from the end."
        )


def _check_updates(slices: Any, ids: Any, shape: Shape, op: str) -> None:
    check_tuples(ids, shape, op)
    wanted = (*tuple(ids.shape)[:-1], *shape[tuple(ids.shape)[-1] :])
    if tuple(slices.shape) != wanted:
        raise InvalidArgumentError(
            teach(
                f"{op}: updates have shape {tuple(slices.shape)}, but indices of shape "
                f"{tuple(ids.shape)} "
                f"into shape {shape} name slices of shape {wanted}.",
                "Every index tuple has one slice.",
                f"Give updates of shape {wanted}.",
            )
        )


def scattered(call: Any, op: str, tensor: Any, indices: Any, updates: Any) -> Any:
    """`call` on converted and checked arguments."""
    x, slices = operands(call.op, (tensor, updates))
    ids = as_tensor(indices)
    _check_updates(slices, ids, tuple(x.shape), op)
    return call(x, slices, ids)


@export("tensor_scatter_nd_update")
def tensor_scatter_nd_update(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None
) -> Tensor:
    """The tensor with the slices at index tuples replaced by `updates`; see `scatter_nd`.

    Example:
        >>> import minitape as tf
        >>> tf.tensor_scatter_nd_update([5, 5, 5], [[1]], [3]).numpy().tolist()
        [5, 3, 5]
    """
    return scattered(
        scattering.scatter_update, "tensor_scatter_nd_update", tensor, indices, updates
    )


@export("tensor_scatter_nd_add")
def tensor_scatter_nd_add(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None
) -> Tensor:
    """The tensor with `updates` added at index tuples, equal ones too; see `scatter_nd`.

    Example:
        >>> import minitape as tf
        >>> tf.tensor_scatter_nd_add([5, 5, 5], [[1]], [3]).numpy().tolist()
        [5, 8, 5]
    """
    return scattered(scattering.scatter_add, "tensor_scatter_nd_add", tensor, indices, updates)


@export("tensor_scatter_nd_sub")
def tensor_scatter_nd_sub(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None
) -> Tensor:
    """The tensor with `updates` subtracted at index tuples, equal ones too; see `scatter_nd`.

    Example:
        >>> import minitape as tf
        >>> tf.tensor_scatter_nd_sub([5, 5, 5], [[1]], [3]).numpy().tolist()
        [5, 2, 5]
    """
    return scattered(scattering.scatter_sub, "tensor_scatter_nd_sub", tensor, indices, updates)


@export("tensor_scatter_nd_max")
def tensor_scatter_nd_max(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None
) -> Tensor:
    """The larger of a tensor and of `updates` at index tuples; see `scatter_nd`.

    Example:
        >>> import minitape as tf
        >>> tf.tensor_scatter_nd_max([5, 5, 5], [[1]], [3]).numpy().tolist()
        [5, 5, 5]
    """
    return scattered(scattering.scatter_max, "tensor_scatter_nd_max", tensor, indices, updates)


@export("tensor_scatter_nd_min")
def tensor_scatter_nd_min(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None
) -> Tensor:
    """The smaller of a tensor and of `updates` at index tuples; see `scatter_nd`.

    Example:
        >>> import minitape as tf
        >>> tf.tensor_scatter_nd_min([5, 5, 5], [[1]], [3]).numpy().tolist()
        [5, 3, 5]
    """
    return scattered(scattering.scatter_min, "tensor_scatter_nd_min", tensor, indices, updates)
