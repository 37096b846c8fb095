"""`tf.split`: what may be said of the sizes of parts.

The one fact to know: sizes are static, so everything wrong with them is found here, before the op.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minitape.errors import InvalidArgumentError, teach
from minitape.errors.of_arguments import checked_count
from minitape.op import export
from minitape.ops.families import canonical_axis
from minitape.ops.moving.joining import split
from minitape.ops.statics import as_rows, static_int, static_ints

if TYPE_CHECKING:
    from minitape.tensor import Shape, Tensor
    from minitape.values.public_types import Axis, TensorLike


@export("split")
def split_value(
    value: TensorLike,
    num_or_size_splits: Any,
    axis: Axis = 0,
    num: Any = None,
    name: str | None = None,
) -> list[Tensor]:
    """Parts of a tensor along an axis, as a list.

    Args:
        value: a tensor of rank at least 1.
        num_or_size_splits: how many equal parts, or their sizes, of which one may be -1: the rest.
        axis: the axis along which it is cut.
        num: accepted and not used.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if the sizes do not add up to the axis.

    Example:
        >>> import minitape as tf
        >>> [t.numpy().tolist() for t in tf.split([1, 2, 3], [1, -1])]
        [[1], [2, 3]]
    """
    axis = static_int(axis, "split", "axis")
    x = as_rows(value)
    n = tuple(x.shape)[canonical_axis(axis, len(x.shape), "split")]
    return list(split(x, _sizes(num_or_size_splits, n, axis, tuple(x.shape)), axis))


def _sizes(wanted: Any, n: int, axis: int, shape: Shape) -> Shape:
    """The sizes of the parts of an axis with `n` elements."""
    sizes = static_ints(wanted, "split", "num_or_size_splits")
    if not isinstance(wanted, list | tuple) and not tuple(getattr(wanted, "shape", ())):
        (count,) = sizes
        if count < 1 or n % count:
            raise InvalidArgumentError(
                teach(
                    f"split: axis {axis} of a tensor of shape {shape} has {n} elements, which "
                    f"is not evenly divisible by {count}.",
                    "All parts get the same size.",
                    f"Give the sizes as a list, for example [{n // max(count, 1) or 1}, -1].",
                )
            )
        return (n // count,) * checked_count("split", "num_or_size_splits", count)
    rest = n - sum(size for size in sizes if size != -1)
    sizes = tuple(rest if size == -1 else size for size in sizes)
    if (
        sum(sizes) != n
        or min(sizes, default=0) < 0
        or list(static_ints(wanted, "split", "")).count(-1) > 1
    ):
        raise InvalidArgumentError(
            f"split: the sizes {list(static_ints(wanted, 'split', ''))} do not add up to the "
            f"{n} elements of axis {axis} of a tensor of shape {shape}. One may be -1: the rest."
        )
    return sizes
