"""Blocks of an image as depth or as batch entries, and back.

Each is a reshape that gives the positions inside a block axes of their own, a transpose that moves
these, and a reshape that joins them to another axis; gradients follow from that.
"""

from __future__ import annotations

from math import prod
from reprlib import repr as short  # an error must be able to show a nest that is very deep
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError
from minitape.op import export
from minitape.ops.broadcasting import reshape
from minitape.ops.moving.padding import pad_value
from minitape.ops.moving.slicing import ALL, Key, getitem
from minitape.ops.shapes.shaping import transpose
from minitape.ops.statics import as_tensor, static_dims, static_value

if TYPE_CHECKING:
    from minitape.tensor import Tensor
    from minitape.values.public_types import TensorLike


@export("nn.space_to_depth")
def space_to_depth(
    input: TensorLike,  # noqa: A002  # TensorFlow's name
    block_size: int,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """Square blocks of pixels as one pixel with more channels.

    Args:
        input: images of shape [batch, height, width, channels].
        block_size: the side of a block; height and width must be multiples of it.
        data_format: "NHWC" or "NCHW".
        name: accepted and not used.

    Returns:
        A tensor of shape [batch, height / b, width / b, b * b * channels].

    Raises:
        InvalidArgumentError: if the blocks do not fill the images.

    Example:
        >>> import minitape as tf
        >>> tf.nn.space_to_depth([[[[1], [2]], [[3], [4]]]], 2).numpy().tolist()
        [[[[1, 2, 3, 4]]]]
    """
    x = _channels_last(input, data_format)
    n, h, w, c = tuple(x.shape)
    b = block_size
    if b < 1 or h % b or w % b:
        raise InvalidArgumentError(
            f"space_to_depth: block_size={b} does not divide height {h} and width {w}. Pad the "
            "images."
        )
    parts = transpose(reshape(x, (n, h // b, b, w // b, b, c)), (0, 1, 3, 2, 4, 5))
    return _back(reshape(parts, (n, h // b, w // b, b * b * c)), data_format)


@export("nn.depth_to_space")
def depth_to_space(
    input: TensorLike,  # noqa: A002  # TensorFlow's name
    block_size: int,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The inverse of `space_to_depth`: channels as blocks of pixels.

    Args:
        input: images of shape [batch, height, width, b * b * channels].
        block_size: the side b of a block.
        data_format: "NHWC" or "NCHW".
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if the channels do not fill the blocks.

    Example:
        >>> import minitape as tf
        >>> tf.nn.depth_to_space([[[[1, 2, 3, 4]]]], 2).shape
        TensorShape([1, 2, 2, 1])
    """
    x = _channels_last(input, data_format)
    n, h, w, c = tuple(x.shape)
    b = block_size
    if b < 1 or c % (b * b):
        raise InvalidArgumentError(
            f"depth_to_space: {c} channels do not fill blocks of {b} x {b}. Use a multiple of "
            f"{b * b}."
        )
    parts = transpose(reshape(x, (n, h, w, b, b, c // (b * b))), (0, 1, 3, 2, 4, 5))
    return _back(reshape(parts, (n, h * b, w * b, c // (b * b))), data_format)


def _channels_last(images: Any, data_format: str) -> Any:
    x = as_tensor(images)
    if data_format not in ("NHWC", "NCHW") or len(x.shape) != 4:
        raise InvalidArgumentError(
            f"data_format must be 'NHWC' or 'NCHW' and the rank 4; got {short(data_format)}, shape "
            f"{x.shape}."
        )
    return transpose(x, (0, 2, 3, 1)) if data_format == "NCHW" else x


def _back(x: Any, data_format: str) -> Tensor:
    return transpose(x, (0, 3, 1, 2)) if data_format == "NCHW" else x


def _pairs(value: Any, count: int, op: str, argument: str) -> list[Any]:
    """Two numbers for each axis of a block."""
    found = np.asarray(static_value(value, op, argument))
    if found.size != 2 * count:
        raise InvalidArgumentError(
            f"{op}: block_shape has {count} sizes, and {argument} the shape {found.shape}. Each "
            f"axis of a block has two numbers. Write for instance `{argument}={[[0, 0]] * count}`."
        )
    return found.reshape(count, 2).tolist()


@export("space_to_batch", "space_to_batch_nd", "nn.space_to_batch")
def space_to_batch(
    input: TensorLike,  # noqa: A002  # TensorFlow's name
    block_shape: Any,
    paddings: TensorLike,
    name: str | None = None,
) -> Tensor:
    """Pads axes 1 to m with zeros and moves the positions inside blocks into the batch axis.

    Args:
        input: a tensor of shape [batch, n1, ..., nm, ...].
        block_shape: the m sizes of a block.
        paddings: m pairs of counts, elements before and behind.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if blocks do not fill the padded axes.

    Example:
        >>> import minitape as tf
        >>> tf.space_to_batch([[1, 2, 3, 4]], [2], [[0, 0]]).numpy().tolist()
        [[1, 3], [2, 4]]
    """
    x, blocks = as_tensor(input), static_dims(block_shape, "space_to_batch", "block_shape")
    m, rest = len(blocks), len(x.shape) - len(blocks) - 1
    pairs = _pairs(paddings, m, "space_to_batch", "paddings")
    x = pad_value(x, [[0, 0], *pairs, *([[0, 0]] * rest)])
    batch, *sizes = tuple(x.shape)
    if any(n % b for n, b in zip(sizes[:m], blocks, strict=True)):
        raise InvalidArgumentError(
            f"space_to_batch: blocks of {list(blocks)} do not fill the padded axes "
            f"{sizes[:m]}. Pad more."
        )
    counts = [n // b for n, b in zip(sizes[:m], blocks, strict=True)]
    pairs_of_axes = [n for pair in zip(counts, blocks, strict=True) for n in pair]
    parts = reshape(x, (batch, *pairs_of_axes, *sizes[m:]))
    inside, between = range(2, 2 * m + 1, 2), range(1, 2 * m, 2)
    parts = transpose(parts, (*inside, 0, *between, *range(2 * m + 1, 2 * m + 1 + rest)))
    return reshape(parts, (prod(blocks) * batch, *counts, *sizes[m:]))


@export("batch_to_space", "batch_to_space_nd")
def batch_to_space(
    input: TensorLike, block_shape: Any, crops: Any, name: str | None = None
) -> Tensor:  # noqa: A002
    """The inverse of `space_to_batch`: batch entries as positions inside blocks, then cropped.

    Args:
        input: a tensor of shape [batch * blocks, n1, ..., nm, ...].
        block_shape: the m sizes of a block.
        crops: m pairs of counts, elements to cut off before and behind.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if the batch is no multiple of the block's size.

    Example:
        >>> import minitape as tf
        >>> tf.batch_to_space([[1, 3], [2, 4]], [2], [[0, 0]]).numpy().tolist()
        [[1, 2, 3, 4]]
    """
    x, blocks = as_tensor(input), static_dims(block_shape, "batch_to_space", "block_shape")
    m = len(blocks)
    cuts = _pairs(crops, m, "batch_to_space", "crops")
    if len(x.shape) <= m:
        raise InvalidArgumentError(
            f"batch_to_space: input has the shape {tuple(x.shape)}, and needs a batch and {m} axes "
            "for the blocks. Add axes with `tf.reshape`."
        )
    entries, *sizes = tuple(x.shape)
    if not prod(blocks) or entries % prod(blocks):
        raise InvalidArgumentError(
            f"batch_to_space: a batch of {entries} is not a multiple of the {prod(blocks)} "
            "positions of a block."
        )
    batch = entries // prod(blocks)
    parts = reshape(x, (*blocks, batch, *sizes))
    order = [m, *(axis for i in range(m) for axis in (m + 1 + i, i))]
    parts = transpose(parts, (*order, *range(2 * m + 1, len(sizes) + m + 1)))
    whole = [n * b for n, b in zip(sizes[:m], blocks, strict=True)]
    out = reshape(parts, (batch, *whole, *sizes[m:]))
    kept = (slice(a, n - b, 1) for (a, b), n in zip(cuts, whole, strict=True))
    return getitem(out, Key((ALL, *kept)))
