"""Parts of rows in reverse order: `tf.reverse_sequence`.

It is a gather, by places that are counted down where a row is reversed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError, teach
from minitape.op import export
from minitape.ops.families import canonical_axis
from minitape.ops.moving.gathering import gather
from minitape.ops.shapes.shaping import transpose
from minitape.ops.statics import as_rows, static_ints

if TYPE_CHECKING:
    from minitape.tensor import Tensor
    from minitape.values.public_types import TensorLike


@export("reverse_sequence")
def reverse_sequence(
    input: TensorLike,  # noqa: A002  # TensorFlow's name
    seq_lengths: Any,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
) -> Tensor:
    """The first elements of each row in reverse order, as many as `seq_lengths` says.

    Args:
        input: Tensor of rank 2 or more.
        seq_lengths: integers, one for each entry of the batch axis.
        seq_axis: the axis to reverse along, by default the first.
        batch_axis: the axis of the rows, by default the first.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if the axes are one, or the lengths do not fit.

    Example:
        >>> import minitape as tf
        >>> tf.reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 3], seq_axis=1).numpy().tolist()
        [[2, 1, 3], [6, 5, 4]]
    """
    x = as_rows(input)
    rank = len(x.shape)
    along = canonical_axis(seq_axis or 0, rank, "reverse_sequence")
    batch = canonical_axis(batch_axis or 0, rank, "reverse_sequence")
    if along == batch:
        raise InvalidArgumentError(
            f"reverse_sequence: batch_axis and seq_axis are both {batch}. One counts the rows, the "
            "other their elements. Write for instance `seq_axis=1`."
        )
    rows, longest = int(x.shape[batch]), int(x.shape[along])
    lengths = np.array(static_ints(seq_lengths, "reverse_sequence", "seq_lengths"), np.int64)
    if len(lengths) != rows or ((lengths < 0) | (lengths > longest)).any():
        raise InvalidArgumentError(
            teach(
                f"reverse_sequence: seq_lengths={lengths.tolist()} for shape {tuple(x.shape)}.",
                f"Axis {batch} has {rows} rows, and each is {longest} long.",
                f"Give {rows} numbers from 0 to {longest}.",
            )
        )
    order = np.arange(longest)
    ends = lengths[:, np.newaxis]
    places = np.where(order < ends, ends - 1 - order, order)
    front = (batch, along, *(i for i in range(rank) if i not in (batch, along)))
    turned = gather(transpose(x, front), places, 1, 1)
    return transpose(turned, tuple(int(i) for i in np.argsort(front)))
