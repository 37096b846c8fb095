"""A few functions on images, `tf.image`.

`adjust_contrast` has no gradient registered, here as in TensorFlow, where the autodiff guide uses
it to show what happens then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError, teach
from minitape.op import export, primitive
from minitape.ops.broadcasting import reduce_sum
from minitape.ops.casting import cast, cast_to_discrete
from minitape.ops.elementwise.comparison import maximum, minimum
from minitape.ops.elementwise.powers import sqrt
from minitape.ops.linalg.matrix import matmul
from minitape.ops.moving.copying import reverse
from minitape.ops.moving.gathering import gather
from minitape.ops.reductions.reduction import reduce_mean
from minitape.tensors.convert import operand
from minitape.values.dtypes import as_dtype
from minitape.values.spec import FLOAT32

if TYPE_CHECKING:
    from minitape.tensor import Array, Tensor
    from minitape.values.public_types import TensorLike


@primitive(
    type_name="AdjustContrastv2",
    latex=r"\mathrm{{contrast}}\left({images}, {contrast_factor}\right)",
)
def adjust_contrast_op(images: Array, contrast_factor: Array) -> Array:
    """(x - mean) * factor + mean, with the mean of each channel of each image; has no gradient."""
    mean = np.mean(images, axis=(-3, -2), keepdims=True)
    return ((images - mean) * contrast_factor + mean).astype(images.dtype, copy=False)


@export("image.adjust_contrast")
def adjust_contrast(
    images: TensorLike, contrast_factor: TensorLike, name: str | None = None
) -> Tensor:
    """Moves every pixel away from the mean of its channel by a factor.

    Args:
        images: Tensor of shape [..., height, width, channels].
        contrast_factor: a number or scalar tensor, float32.
        name: accepted and not used.

    Returns:
        Tensor like `images`. Asking a tape for its gradient raises LookupError, as in TensorFlow.

    Raises:
        InvalidArgumentError: if `images` has fewer than three axes.

    Example:
        >>> import minitape as tf
        >>> tf.image.adjust_contrast([[[1.0], [3.0]]], 2.0).numpy().ravel().tolist()
        [0.0, 4.0]
    """
    x = checked_images(operand(images, None), "adjust_contrast")
    dtype = x.spec.dtype
    if dtype in (np.float16, np.float32):
        return adjust_contrast_op.public(x, operand(contrast_factor, dtype))
    factor = operand(contrast_factor, FLOAT32)
    if dtype.kind not in "iu":
        return cast.public(adjust_contrast_op.public(_as_float(x), factor), dtype)
    top = float(np.iinfo(dtype).max)  # integers stand for the range from 0 to 1
    scaled = adjust_contrast_op.public(_as_float(x) / top, factor) * (top + 0.5)
    kept = minimum.public(maximum.public(scaled, 0.0), top)
    return cast_to_discrete.public(kept, dtype)


def _as_float(x: Tensor) -> Tensor:
    return cast.public(x, FLOAT32)


def checked_images(x: Tensor, op: str) -> Tensor:
    """`x`, if it has the axes of an image.

    Raises:
        InvalidArgumentError: if it has not.
    """
    if len(x.shape) < 3:
        raise InvalidArgumentError(
            teach(
                f"{op}: the images have shape {tuple(x.shape)}.",
                "An image has at least the axes [height, width, channels].",
                "Add the missing ones, for instance `image[..., tf.newaxis]` for a grey one.",
            )
        )
    return x


@export("image.adjust_brightness")
def adjust_brightness(image: TensorLike, delta: TensorLike) -> Tensor:
    """Adds `delta` to every pixel, in the range from 0 to 1 that integers stand for.

    Example:
        >>> import minitape as tf
        >>> tf.image.adjust_brightness([[[1.0]]], 0.5).numpy().item()
        1.5
    """
    x = operand(image, None)
    if x.spec.dtype in (np.float16, np.float32):
        return x + operand(delta, x.spec.dtype)
    brighter = convert_image_dtype(x, FLOAT32) + operand(delta, FLOAT32)
    return convert_image_dtype(brighter, x.spec.dtype, saturate=True)


@export("image.convert_image_dtype")
def convert_image_dtype(
    image: TensorLike, dtype: Any, saturate: bool = False, name: str | None = None
) -> Tensor:
    """Images of another dtype: integers stand for the range from 0 to 1 of floating ones.

    Args:
        image: Tensor of numbers.
        dtype: floating or integer.
        saturate: whether what is out of the range of `dtype` is cut to it; else it wraps around.
        name: accepted and not used.

    Returns:
        Tensor like `image`, of `dtype`.

    Example:
        >>> import minitape as tf
        >>> x = tf.constant([0, 255], tf.uint8)
        >>> tf.image.convert_image_dtype(x, tf.float32).numpy().tolist()
        [0.0, 1.0]
    """
    x, new = operand(image, None), as_dtype(dtype).np
    old = x.spec.dtype
    if old == new or (old.kind == "f" and new.kind == "f"):
        return cast.public(x, new)
    if old.kind in "iu" and new.kind == "f":
        return cast.public(x, new) * operand(1.0 / np.iinfo(old).max, new)
    if old.kind in "iu":
        return _between_integers(x, old, new, saturate)
    scaled = x * operand(float(np.iinfo(new).max) + 0.5, old)
    return _saturated(scaled, new) if saturate else cast.public(scaled, new)


def _between_integers(x: Any, old: Any, new: Any, saturate: bool) -> Any:
    """`x` with as many bits more or fewer as the dtypes differ by."""
    top, other = np.iinfo(old).max, np.iinfo(new).max
    convert = _saturated if saturate else cast.public
    if top > other:
        return convert(x // operand((top + 1) // (other + 1), old), new)
    return convert(x, new) * operand((other + 1) // (top + 1), new)


def _saturated(x: Any, new: Any) -> Any:
    """`x` cut to the range of the integers `new`, and cast."""
    limits, old = np.iinfo(new), x.spec.dtype
    low, high = limits.min, limits.max
    if old.kind in "iu":
        low, high = max(low, np.iinfo(old).min), min(high, np.iinfo(old).max)
    top = old.type(high)
    if old.kind == "f" and float(top) > high:
        top = np.nextafter(top, old.type(0))  # the largest number that does fit
    kept = minimum.public(maximum.public(x, old.type(low)), top)
    return cast.public(kept, new)


def _flipped(image: Any, axis: int, op: str) -> Any:
    x = checked_images(operand(image, None), op)
    return reverse.public(x, (len(x.spec.shape) + axis,))


@export("image.flip_left_right")
def flip_left_right(image: TensorLike) -> Tensor:
    """The images mirrored: their columns from right to left.

    Example:
        >>> import minitape as tf
        >>> tf.image.flip_left_right([[[1.0], [2.0]]]).numpy().ravel().tolist()
        [2.0, 1.0]
    """
    return _flipped(image, -2, "flip_left_right")


@export("image.flip_up_down")
def flip_up_down(image: TensorLike) -> Tensor:
    """The images upside down: their rows from the last to the first.

    Example:
        >>> import minitape as tf
        >>> tf.image.flip_up_down([[[1.0]], [[2.0]]]).numpy().ravel().tolist()
        [2.0, 1.0]
    """
    return _flipped(image, -3, "flip_up_down")


@export("image.rgb_to_grayscale")
def rgb_to_grayscale(images: TensorLike, name: str | None = None) -> Tensor:
    """The luma 0.2989 r + 0.587 g + 0.114 b of images, with one channel; integers stay integers.

    Example:
        >>> import minitape as tf
        >>> tf.image.rgb_to_grayscale(tf.zeros([2, 2, 3])).shape
        TensorShape([2, 2, 1])
    """
    x = checked_images(operand(images, None), "rgb_to_grayscale")
    if x.shape[-1] not in (
        3,
        None,
    ):  # a graph may not know it yet
        raise InvalidArgumentError(
            teach(
                f"rgb_to_grayscale: the images have shape {tuple(x.shape)}.",
                f"The last axis has red, green and blue, 3 channels; here it has {x.shape[-1]}.",
                "Images with one channel are grey already.",
            )
        )
    dtype = x.spec.dtype
    weights = np.array([[0.2989], [0.587], [0.114]])
    if dtype.kind in "fc":
        return matmul.public(x, operand(weights.astype(dtype), dtype))
    top = int(np.iinfo(dtype).max)  # integers stand for the range from 0 to 1
    luma = matmul.public(_as_float(x) / top, operand(weights, FLOAT32))
    return cast_to_discrete.public(luma * (top + 0.5), dtype)


@export("image.image_gradients")
def image_gradients(image: TensorLike) -> tuple[Tensor, Tensor]:
    """Differences of neighbouring pixels, downwards and to the right, 0 in the last row and column.

    Example:
        >>> import minitape as tf
        >>> dy, dx = tf.image.image_gradients([[[[1.0], [4.0]], [[2.0], [2.0]]]])
        >>> dy.numpy().ravel().tolist(), dx.numpy().ravel().tolist()
        ([1.0, -2.0, 0.0, 0.0], [3.0, 0.0, 0.0, 0.0])
    """
    x = checked_images(operand(image, None), "image_gradients")
    return _difference(x, -3), _difference(x, -2)


def _difference(x: Any, axis: int) -> Any:
    """The next cell less this one along `axis`; the last cell is its own neighbour."""
    n = x.spec.shape[axis]
    following = np.minimum(np.arange(n) + 1, n - 1)
    return gather.public(x, following, axis) - x


@export("image.total_variation")
def total_variation(images: TensorLike, name: str | None = None) -> Tensor:
    """The sum of absolute differences of neighbouring pixels, one number per image.

    Example:
        >>> import minitape as tf
        >>> float(tf.image.total_variation([[[1.0], [4.0]], [[2.0], [2.0]]]))
        6.0
    """
    x = checked_images(operand(images, None), "total_variation")
    down, right = abs(_difference(x, -3)), abs(_difference(x, -2))
    return reduce_sum.public(down + right, (-3, -2, -1))


@export("image.per_image_standardization")
def per_image_standardization(image: TensorLike) -> Tensor:
    """Images brought to mean 0 and variance 1; the deviation counts as at least 1 / sqrt(pixels).

    Example:
        >>> import minitape as tf
        >>> tf.image.per_image_standardization([[[1.0], [3.0]]]).numpy().ravel().tolist()
        [-1.0, 1.0]
    """
    x = checked_images(operand(image, None), "per_image_standardization")
    x = x if x.spec.dtype == FLOAT32 else _as_float(x)
    mean = reduce_mean.public(x, (-3, -2, -1), True)
    variance = reduce_mean.public((x - mean) * (x - mean), (-3, -2, -1), True)
    least = float(np.prod(x.spec.shape[-3:])) ** -0.5
    return (x - mean) / maximum.public(sqrt(variance), least)
