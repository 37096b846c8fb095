"""`tf.image.ssim`: how similar two images look (Wang et al., "Image quality assessment", 2004).

The one fact to know: means, variances and the covariance of both images are taken in a window with
Gaussian weights around each pixel, by convolutions, so gradients need nothing more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError, teach
from minitape.errors.of_arguments import checked_integer, checked_number
from minitape.ops.neural.imaging import checked_images, convert_image_dtype
from minitape.ops.neural.separable_convolution import depthwise_conv2d
from minitape.primitive import export, registry
from minitape.tensors.convert import operand
from minitape.values.spec import FLOAT32

if TYPE_CHECKING:
    from minitape.tensor import Array, Tensor
    from minitape.values.public_types import TensorLike

_EXAMPLE = "ssim(a, b, max_val=1.0, filter_size=11)"


@export("image.ssim")
def ssim(
    img1: TensorLike,
    img2: TensorLike,
    max_val: float,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
    return_index_map: bool = False,
) -> Tensor:
    """The structural similarity of two images: 1 for equal ones, near 0 for unrelated ones.

    Args:
        img1: Tensor of shape [..., height, width, channels].
        img2: another one with the same last three sizes and dtype.
        max_val: the range of the values, for instance 255 or 1.0.
        filter_size: the size of the window; no image may be smaller.
        filter_sigma: the width of its Gaussian weights.
        k1: keeps a quotient of small means from being wild.
        k2: keeps a quotient of small variances from being wild.
        return_index_map: whether each window's similarity comes back, or their mean.

    Returns:
        Tensor of shape [...], float32; with `return_index_map` one number per window.

    Raises:
        ValueError: if the images differ in size.
        InvalidArgumentError: if an image is smaller than the window.

    Example:
        >>> import minitape as tf
        >>> x = tf.reshape(tf.range(144.0) / 144.0, [12, 12, 1])
        >>> print(f"{float(tf.image.ssim(x, x, max_val=1.0)):.3f}")
        1.000
    """
    x = checked_images(operand(img1, None), "ssim")
    y = checked_images(operand(img2, x.spec.dtype), "ssim")
    size = checked_integer("ssim", "filter_size", filter_size, _EXAMPLE)
    numbers = {"max_val": max_val, "filter_sigma": filter_sigma, "k1": k1, "k2": k2}
    for name, value in numbers.items():
        checked_number("ssim", name, value, _EXAMPLE)
    _check(x, y, size)
    peak = registry["cast"].public(operand(max_val, FLOAT32), x.spec.dtype)
    peak = convert_image_dtype(peak, FLOAT32)
    weights = _gaussian(size, filter_sigma)
    first, second = convert_image_dtype(x, FLOAT32), convert_image_dtype(y, FLOAT32)
    found = _similarity(first, second, weights, (k1 * peak) ** 2, (k2 * peak) ** 2)
    mean = registry["reduce_mean"].public
    return mean(found if return_index_map else mean(found, (-3, -2), False), (-1,), False)


def _similarity(x: Any, y: Any, weights: Array, c1: Any, c2: Any) -> Any:
    """The similarity of each window: that of its means times that of its contrast and structure."""
    mean_x, mean_y = _blurred(x, weights), _blurred(y, weights)
    product, squares = mean_x * mean_y * 2.0, mean_x * mean_x + mean_y * mean_y
    luminance = (product + c1) / (squares + c1)
    covariance = _blurred(x * y, weights) * 2.0 - product
    variances = _blurred(x * x + y * y, weights) - squares
    return luminance * (covariance + c2) / (variances + c2)


def _gaussian(size: int, sigma: float) -> Array:
    """Weights along one axis, which add up to 1; those of a window are their products."""
    at = np.arange(size) - (size - 1) / 2
    weights = np.exp(-0.5 * (at / sigma) ** 2)
    return (weights / weights.sum()).astype(np.float32)


def _blurred(x: Any, weights: Array) -> Any:
    """The weighted means of all windows, along one axis and then the other."""
    channels, size, is_single = tuple(x.shape)[-1], len(weights), len(x.shape) == 3
    x = x[None] if is_single else x
    for shape in ((size, 1), (1, size)):
        kernel = np.broadcast_to(weights.reshape(*shape, 1, 1), (*shape, channels, 1))
        x = depthwise_conv2d(x, kernel, [1, 1, 1, 1], "VALID")
    return x[0] if is_single else x


def _check(x: Any, y: Any, size: int) -> None:
    """Raises if the images do not fit each other, or the window."""
    first, second = tuple(x.shape), tuple(y.shape)
    pairs = zip(reversed(first[:-3]), reversed(second[:-3]), strict=False)
    if first[-3:] != second[-3:] or any(a != b and 1 not in (a, b) for a, b in pairs):
        raise ValueError(
            teach(
                f"ssim: Shapes {first} and {second} are incompatible.",
                "The similarity compares the two images window by window.",
                "Give images of one size, or bring one to it with `tf.image.resize`.",
            )
        )
    if size < 1 or min(first[-3:-1]) < size:
        raise InvalidArgumentError(
            teach(
                f"ssim: images of {first[-3]} x {first[-2]} pixels, filter_size={size}.",
                "The window has at least one pixel, and fits into the image.",
                "Write a smaller window, for instance `tf.image.ssim(a, b, 1.0, filter_size=5)`.",
            )
        )
