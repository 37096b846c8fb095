"""Images made brighter, richer in contrast or grey, and how far two of them are apart.

What is drawn at random is one number per call, as in TensorFlow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError, teach
from minitape.errors.of_arguments import checked_number
from minitape.op import export
from minitape.ops.casting import cast
from minitape.ops.elementwise.powers import log
from minitape.ops.moving.joining import concat
from minitape.ops.neural.imaging import (
    adjust_brightness,
    adjust_contrast,
    checked_images,
    convert_image_dtype,
)
from minitape.ops.random.random_functions import uniform
from minitape.ops.reductions.reduction import reduce_mean
from minitape.tensors.convert import operand
from minitape.values.spec import FLOAT32

if TYPE_CHECKING:
    from minitape.tensor import Tensor
    from minitape.values.public_types import TensorLike


@export("image.grayscale_to_rgb")
def grayscale_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """Images of one channel as images of three equal ones.

    Raises:
        ValueError: if there is another number of channels.

    Example:
        >>> import minitape as tf
        >>> tf.image.grayscale_to_rgb([[[0.5]]]).numpy().ravel().tolist()
        [0.5, 0.5, 0.5]
    """
    x = checked_images(operand(images, None), "grayscale_to_rgb")
    if x.spec.shape[-1] != 1:
        raise ValueError(
            teach(
                f"grayscale_to_rgb: the images have shape {tuple(x.spec.shape)}.",
                f"Last dimension of a grayscale image should be size 1, not {x.spec.shape[-1]}.",
                "Write `image[..., tf.newaxis]` where the axis of channels is missing.",
            )
        )
    return concat.public([x, x, x], -1)


@export("image.adjust_gamma")
def adjust_gamma(image: TensorLike, gamma: float = 1, gain: float = 1) -> Tensor:
    """The power law `gain * image ** gamma`, in the range from 0 to 1 that integers stand for.

    Raises:
        ValueError: if gamma is negative.

    Example:
        >>> import minitape as tf
        >>> tf.image.adjust_gamma([[[0.5]]], 2.0).numpy().item()
        0.25
    """
    x = operand(image, None)
    power = checked_number("adjust_gamma", "gamma", gamma, "adjust_gamma(image, 2.0)")
    if power < 0.0:
        raise ValueError(
            f"adjust_gamma: Gamma should be a non-negative real number; got {gamma}. A negative "
            "one would make black infinite. Write `tf.image.adjust_gamma(image, 2.0)`."
        )
    factor = checked_number("adjust_gamma", "gain", gain, "adjust_gamma(image, 2.0, gain=1.0)")
    old = x.spec.dtype
    light = x if old.kind == "f" else convert_image_dtype(x, FLOAT32)
    return convert_image_dtype(light**power * factor, old, saturate=True)


@export("image.random_brightness")
def random_brightness(image: TensorLike, max_delta: float, seed: Any = None) -> Tensor:
    """`adjust_brightness` by a number drawn from [-max_delta, max_delta).

    Raises:
        ValueError: if `max_delta` is negative.

    Example:
        >>> import minitape as tf
        >>> tf.image.random_brightness(tf.zeros([2, 2, 3]), 0.2).shape
        TensorShape([2, 2, 3])
    """
    most = checked_number("random_brightness", "max_delta", max_delta, "max_delta=0.2")
    if most < 0:
        raise ValueError(
            f"random_brightness: max_delta must be non-negative; got {max_delta}. It is how far "
            "the brightness may change either way. Write `max_delta=0.2`."
        )
    return adjust_brightness(image, uniform((), -most, most, "float32", seed))


@export("image.random_contrast")
def random_contrast(image: TensorLike, lower: float, upper: float, seed: Any = None) -> Tensor:
    """`adjust_contrast` by a factor drawn from [lower, upper).

    Raises:
        ValueError: if the bounds are no range of factors.

    Example:
        >>> import minitape as tf
        >>> tf.image.random_contrast(tf.zeros([2, 2, 3]), 0.5, 1.5).shape
        TensorShape([2, 2, 3])
    """
    example = "random_contrast(image, 0.5, 1.5)"
    low = checked_number("random_contrast", "lower", lower, example)
    high = checked_number("random_contrast", "upper", upper, example)
    if high <= low or low < 0:
        what = "upper must be > lower" if high <= low else "lower must be non-negative"
        raise ValueError(
            f"random_contrast: {what}; got lower={lower}, upper={upper}. A factor is drawn from "
            f"between them. Write `tf.image.{example}`."
        )
    return adjust_contrast(image, uniform((), low, high, "float32", seed))


@export("image.psnr")
def psnr(a: TensorLike, b: TensorLike, max_val: float, name: str | None = None) -> Tensor:
    """The peak signal-to-noise ratio of two images in decibels, one number per image.

    The formula is 10 log10(max_val^2 / mean((a - b)^2)), infinite for equal images.

    Args:
        a: Tensor of shape [..., height, width, channels].
        b: another one of that shape and dtype.
        max_val: the range of the values, for instance 255 or 1.0.
        name: accepted and not used.

    Example:
        >>> import minitape as tf
        >>> float(tf.image.psnr(tf.zeros([2, 2, 1]), tf.ones([2, 2, 1]), 10.0))
        20.0
    """
    x = checked_images(operand(a, None), "psnr")
    y = checked_images(operand(b, x.spec.dtype), "psnr")
    if not x.shape[-3:].is_compatible_with(y.shape[-3:]):
        raise InvalidArgumentError(
            f"psnr: the images have shapes {tuple(x.spec.shape)} and {tuple(y.spec.shape)}. Each "
            "pixel is compared with one pixel, so height, width and channels are the same. Resize "
            "or crop one of them."
        )
    example = "psnr(a, b, max_val=1.0)"
    peak = operand(checked_number("psnr", "max_val", max_val, example), FLOAT32)
    peak = convert_image_dtype(cast.public(peak, x.spec.dtype), FLOAT32)
    difference = convert_image_dtype(x, FLOAT32) - convert_image_dtype(y, FLOAT32)
    mean = reduce_mean.public(difference * difference, (-3, -2, -1), False)
    decibel = operand(np.float32(10 / np.log(10)), None)
    return decibel * (2.0 * log.public(peak) - log.public(mean))
