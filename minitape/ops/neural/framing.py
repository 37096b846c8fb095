"""Images cut out, put into a frame, and turned by quarters.

These are slices, margins of zeros and transposes, so gradients go through.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minitape.errors import teach
from minitape.errors.of_arguments import checked_integer, checked_number
from minitape.op import export
from minitape.ops.moving.padding import pad
from minitape.ops.neural.imaging import checked_images, flip_left_right, flip_up_down
from minitape.ops.shapes.shaping import transpose as transpose_axes
from minitape.tensors.convert import operand

if TYPE_CHECKING:
    from minitape.tensor import Tensor
    from minitape.values.public_types import TensorLike


@export("image.crop_to_bounding_box")
def crop_to_bounding_box(
    image: TensorLike,
    offset_height: int,
    offset_width: int,
    target_height: int,
    target_width: int,
) -> Tensor:
    """The part of images that begins at an offset and has a height and width.

    Raises:
        ValueError: if it does not lie inside.

    Example:
        >>> import minitape as tf
        >>> tf.image.crop_to_bounding_box(tf.zeros([4, 4, 3]), 1, 1, 2, 3).shape
        TensorShape([2, 3, 3])
    """
    x = checked_images(operand(image, None), "crop_to_bounding_box")
    sizes = _integers("crop_to_bounding_box", offset_height, offset_width, target_height,
                      target_width)  # fmt: skip
    top, left, height, width = sizes
    rows, columns = tuple(x.spec.shape)[-3:-1]
    if (
        min(top, left) < 0
        or min(height, width) < 1
        or top + height > rows
        or left + width > columns
    ):
        raise _outside("crop_to_bounding_box", sizes, (rows, columns), "lie in the image")
    return x[..., top : top + height, left : left + width, :]


@export("image.pad_to_bounding_box")
def pad_to_bounding_box(
    image: TensorLike,
    offset_height: int,
    offset_width: int,
    target_height: int,
    target_width: int,
) -> Tensor:
    """Images in a larger frame of zeros, at an offset.

    Raises:
        ValueError: if they do not fit into it.

    Example:
        >>> import minitape as tf
        >>> tf.image.pad_to_bounding_box(tf.ones([2, 2, 1]), 1, 1, 4, 4).shape
        TensorShape([4, 4, 1])
    """
    x = checked_images(operand(image, None), "pad_to_bounding_box")
    sizes = _integers("pad_to_bounding_box", offset_height, offset_width, target_height,
                      target_width)  # fmt: skip
    top, left, height, width = sizes
    rows, columns = tuple(x.spec.shape)[-3:-1]
    below, right = height - top - rows, width - left - columns
    if min(top, left, below, right) < 0:
        raise _outside("pad_to_bounding_box", sizes, (rows, columns), "hold the image")
    batch = [(0, 0)] * (len(x.spec.shape) - 3)
    return pad(x, [*batch, (top, below), (left, right), (0, 0)])


@export("image.resize_with_crop_or_pad")
def resize_with_crop_or_pad(image: TensorLike, target_height: int, target_width: int) -> Tensor:
    """Images of another size around the same centre: cut off, or with margins of zeros.

    Example:
        >>> import minitape as tf
        >>> tf.image.resize_with_crop_or_pad(tf.ones([4, 2, 1]), 2, 6).shape
        TensorShape([2, 6, 1])
    """
    x = checked_images(operand(image, None), "resize_with_crop_or_pad")
    targets = _integers("resize_with_crop_or_pad", target_height, target_width)
    old = tuple(x.spec.shape)[-3:-1]
    if min(targets) < 1:
        raise _outside("resize_with_crop_or_pad", targets, old, "have at least one pixel")
    kept = [min(a, b) for a, b in zip(old, targets, strict=True)]
    starts = [max(a - b, 0) // 2 for a, b in zip(old, targets, strict=True)]
    cut = crop_to_bounding_box(x, *starts, *kept)
    margins = [max(b - a, 0) // 2 for a, b in zip(old, targets, strict=True)]
    return pad_to_bounding_box(cut, *margins, *targets)


@export("image.central_crop")
def central_crop(image: TensorLike, central_fraction: float) -> Tensor:
    """The middle of images, a fraction of their height and width.

    Raises:
        ValueError: if the fraction is not in (0, 1].

    Example:
        >>> import minitape as tf
        >>> tf.image.central_crop(tf.zeros([4, 8, 3]), 0.5).shape
        TensorShape([2, 4, 3])
    """
    x = checked_images(operand(image, None), "central_crop")
    share = checked_number("central_crop", "central_fraction", central_fraction, "0.5")
    if not 0.0 < share <= 1.0:
        raise ValueError(
            f"central_crop: central_fraction must be within (0, 1]; got {share}. It is the share "
            "of height and width that stays. Write `tf.image.central_crop(image, 0.5)`."
        )
    old = tuple(x.spec.shape)[-3:-1]
    starts = [int((n - n * share) / 2) for n in old]
    return crop_to_bounding_box(x, *starts, *(n - 2 * a for n, a in zip(old, starts, strict=True)))


@export("image.transpose")
def transpose(image: TensorLike, name: str | None = None) -> Tensor:
    """Images with rows and columns swapped.

    Example:
        >>> import minitape as tf
        >>> tf.image.transpose(tf.zeros([2, 3, 1])).shape
        TensorShape([3, 2, 1])
    """
    x = checked_images(operand(image, None), "transpose")
    batch = tuple(range(len(x.spec.shape) - 3))
    n = len(batch)
    return transpose_axes(x, (*batch, n + 1, n, n + 2))


@export("image.rot90")
def rot90(image: TensorLike, k: int = 1, name: str | None = None) -> Tensor:
    """Images turned by `k` quarters, against the clock.

    Example:
        >>> import minitape as tf
        >>> tf.image.rot90([[[1], [2]]]).numpy().ravel().tolist()
        [2, 1]
    """
    x = checked_images(operand(image, None), "rot90")
    quarters = checked_integer("rot90", "k", k, "rot90(image, k=1)") % 4
    if quarters == 1:
        return flip_up_down(transpose(x))
    if quarters == 3:
        return transpose(flip_up_down(x))
    return flip_left_right(flip_up_down(x)) if quarters else x


def _integers(op: str, *values: Any) -> list[int]:
    return [checked_integer(op, "a size or offset", each, f"{op}(image, 1, 1)") for each in values]


def _outside(op: str, sizes: list[int], old: Any, what: str) -> ValueError:
    return ValueError(
        teach(
            f"{op}: {sizes} for images of height and width {list(old)}.",
            f"The frame must {what}.",
            "Check the offsets, then height and width.",
        )
    )
