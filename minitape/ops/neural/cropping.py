"""`tf.image.crop_and_resize`: boxes cut out of images, each brought to one size.

A new pixel lies between four old ones, and its place is computed of the box by ops, so that
gradients flow to the images and to the corners of the boxes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import DtypeError, InvalidArgumentError, OutOfRangeError, teach
from minitape.op import export
from minitape.ops.broadcasting import broadcast_to
from minitape.ops.casting import cast, cast_to_discrete
from minitape.ops.elementwise.comparison import maximum, minimum, select
from minitape.ops.elementwise.rounding import ceil, floor
from minitape.ops.moving.joining import stack
from minitape.ops.moving.scattering import gather_nd
from minitape.ops.neural.resizing import new_size
from minitape.tensors.boxed import Boxed
from minitape.tensors.convert import operand
from minitape.values.spec import FLOAT32

if TYPE_CHECKING:
    from minitape.tensor import Tensor
    from minitape.values.public_types import TensorLike

_INT32 = np.dtype(np.int32)
_EXAMPLE = "tf.image.crop_and_resize(images, [[0.0, 0.0, 0.5, 0.5]], [0], [14, 14])"


@export("image.crop_and_resize")
def crop_and_resize(
    image: TensorLike,
    boxes: TensorLike,
    box_indices: TensorLike,
    crop_size: Any,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
    name: str | None = None,
) -> Tensor:
    """Cuts boxes out of images and brings each to one size.

    Args:
        image: Tensor of shape [batch, height, width, channels].
        boxes: Tensor of shape [n, 4], floating: top, left, bottom and right of each box, from 0 at
            the first row or column to 1 at the last. A box whose ends are swapped is flipped.
        box_indices: n integers: the image that each box is cut out of.
        crop_size: the height and width of the results.
        method: 'bilinear' or 'nearest'. By 'nearest' no gradient flows to the boxes.
        extrapolation_value: what stands outside of the image.
        name: accepted and not used.

    Returns:
        Tensor of shape [n, crop height, crop width, channels], float32.

    Raises:
        InvalidArgumentError: if a shape does not fit, or for another method.
        OutOfRangeError: for the index of an image that there is not.

    Example:
        >>> import minitape as tf
        >>> x = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
        >>> crop = tf.image.crop_and_resize(x, [[0.0, 0.0, 0.5, 1.0]], [0], [2, 2])
        >>> crop.numpy().ravel().tolist()
        [0.0, 2.0, 3.0, 5.0]
    """
    images = cast.public(operand(image, None), FLOAT32)
    corners = cast.public(operand(boxes, FLOAT32), FLOAT32)
    owners = operand(box_indices, _INT32)
    size = new_size(crop_size, "crop_and_resize")
    _check(images, corners, owners, method)
    _, height, width, channels = tuple(images.shape)
    down, right = (
        _places(corners[:, first], corners[:, first + 2], old, new)
        for first, old, new in ((0, height, size[0]), (1, width, size[1]))
    )
    if method == "nearest":
        out = _pixels(images, owners, _nearest(down), _nearest(right))
    else:
        out = _between(images, owners, down, right)
    inside = _inside(down, height)[:, :, None] & _inside(right, width)[:, None, :]
    outside = operand(extrapolation_value, FLOAT32)
    return select.public(inside[..., None], out, outside)


def _places(first: Any, last: Any, old: int, new: int) -> Any:
    """Where along an axis of `old` pixels the `new` ones of each box lie: [n, new]."""
    first, last = first[:, None] * float(old - 1), last[:, None] * float(old - 1)
    if new == 1:
        return 0.5 * (first + last)
    steps = operand(np.arange(new, dtype=np.float32), None)
    return first + steps * ((last - first) / float(new - 1))


def _inside(places: Any, old: int) -> Any:
    return (places >= 0.0) & (places <= float(old - 1))


def _nearest(places: Any) -> Any:
    """The nearest pixel; halves away from 0, as in C."""
    return floor.public(places + 0.5)


def _between(images: Any, owners: Any, down: Any, right: Any) -> Any:
    """The mean of the four pixels around each place, the nearer ones weighing more."""
    top, bottom = floor.public(down), ceil.public(down)
    left, more = floor.public(right), ceil.public(right)
    across, along = (right - left)[:, None, :, None], (down - top)[:, :, None, None]
    rows = []
    for row in (top, bottom):
        start = _pixels(images, owners, row, left)
        rows.append(start + (_pixels(images, owners, row, more) - start) * across)
    upper, lower = rows
    return upper + (lower - upper) * along


def _pixels(images: Any, owners: Any, rows: Any, columns: Any) -> Any:
    """The pixels at `rows` and `columns` of each box's image; beyond the edge those at it."""
    _, height, width, _ = tuple(images.shape)
    whole = cast_to_discrete.public
    shape = (*tuple(rows.shape), tuple(columns.shape)[-1])
    parts = (
        owners[:, None, None],
        whole(minimum.public(maximum.public(rows, 0.0), float(height - 1)), _INT32)[:, :, None],
        whole(minimum.public(maximum.public(columns, 0.0), float(width - 1)), _INT32)[:, None, :],
    )
    places = stack.public([broadcast_to(x, shape) for x in parts], 3)
    return gather_nd(images, places, 0)


def _check(images: Any, boxes: Any, owners: Any, method: Any) -> None:
    """Raises if a shape, an index or the method does not fit."""
    shapes = tuple(images.shape), tuple(boxes.shape), tuple(owners.shape)
    fits = len(shapes[0]) == 4 and len(shapes[1]) == 2 and shapes[1][1] == 4
    if not fits or shapes[2] != shapes[1][:1]:
        raise InvalidArgumentError(
            teach(
                f"crop_and_resize: image has shape {shapes[0]}, boxes {shapes[1]} and box_indices "
                f"{shapes[2]}.",
                "The input image must be 4-D, boxes must have 4 columns, and there is one index of "
                "an image for each box.",
                f"Write for instance `{_EXAMPLE}`.",
            )
        )
    if method not in ["bilinear", "nearest"]:
        raise InvalidArgumentError(
            f"crop_and_resize: method={method!r:.80} is not in the list of allowed values. Write "
            "'bilinear' or 'nearest'."
        )
    _check_values(boxes, owners, shapes[0][0])


def _check_values(boxes: Any, owners: Any, count: int) -> None:
    """Raises if the index of an image, or the end of a box, is none."""
    if owners.spec.dtype != _INT32:
        raise DtypeError(
            f"crop_and_resize: box_indices has dtype {owners.dtype.name}, and must be int32, like "
            "the indices of TensorFlow's op. Write `tf.cast(box_indices, tf.int32)`."
        )
    if isinstance(owners, Boxed) or isinstance(boxes, Boxed):
        return  # no values yet; the op that takes the pixels checks the indices
    if not np.isfinite(boxes.numpy()).all():
        raise InvalidArgumentError(
            "crop_and_resize: Boxes contains at least one element that is not finite: "
            f"{boxes.numpy().tolist()!r:.200}. A box has its ends from 0 to 1, or somewhat beyond. "
            "Look for what made it nan or infinite."
        )
    numbers = owners.numpy()
    if np.any((numbers < 0) | (numbers >= count)):
        raise OutOfRangeError(
            f"crop_and_resize: box_index has values outside [0, batch_size): there are "
            f"{count} images, and box_indices is {numbers.tolist()!r:.200}. Each box names "
            "one of the images, counted from 0."
        )
