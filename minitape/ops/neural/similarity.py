"""`tf.image.ssim`: how similar two images look (Wang et al., "Image quality assessment", 2004).

Means, variances and the covariance of both images are taken in a window with Gaussian weights
around each pixel, by convolutions, so gradients need nothing more. The similarity at several scales
is the same of images that are halved again and again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError, teach
from minitape.errors.of_arguments import checked_integer, checked_items, checked_number
from minitape.op import export
from minitape.ops.broadcasting import reshape
from minitape.ops.casting import cast
from minitape.ops.elementwise.activations import relu
from minitape.ops.moving.joining import stack
from minitape.ops.moving.padding import mirror_pad
from minitape.ops.neural.imaging import checked_images, convert_image_dtype
from minitape.ops.neural.pooling_functions import avg_pool2d
from minitape.ops.neural.separable_convolution import depthwise_conv2d
from minitape.ops.reductions.reduction import reduce_mean, reduce_prod
from minitape.tensors.convert import operand
from minitape.values.spec import FLOAT32

if TYPE_CHECKING:
    from collections.abc import Sequence

    from minitape.tensor import Array, Tensor
    from minitape.values.public_types import TensorLike


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
    x, y, windows = _prepared(
        "ssim", img1, img2, max_val, filter_size, filter_sigma=filter_sigma, k1=k1, k2=k2
    )
    luminance, contrast = _compared(x, y, *windows)
    found = luminance * contrast
    mean = reduce_mean.public
    return mean(found if return_index_map else mean(found, (-3, -2), False), (-1,), False)


@export("image.ssim_multiscale")
def ssim_multiscale(
    img1: TensorLike,
    img2: TensorLike,
    max_val: float,
    power_factors: Sequence[float] = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Tensor:
    """The structural similarity of two images at several scales (Wang et al., 2003).

    Args:
        img1: Tensor of shape [..., height, width, channels].
        img2: another one with the same last three sizes and dtype.
        max_val: the range of the values, for instance 255 or 1.0.
        power_factors: the exponent of each scale; the image is halved between them.
        filter_size: the size of the window; no image may be smaller, at no scale.
        filter_sigma: the width of its Gaussian weights.
        k1: keeps a quotient of small means from being wild.
        k2: keeps a quotient of small variances from being wild.

    Returns:
        Tensor of shape [...], float32.

    Raises:
        ValueError: if the images differ in size.
        InvalidArgumentError: if an image is smaller than the window at the last scale.

    Example:
        >>> import minitape as tf
        >>> x = tf.reshape(tf.range(576.0) / 576.0, [24, 24, 1])
        >>> print(f"{float(tf.image.ssim_multiscale(x, x, 1.0, [0.5, 0.5])):.3f}")
        1.000
    """
    name = "ssim_multiscale"
    x, y, windows = _prepared(
        name, img1, img2, max_val, filter_size, filter_sigma=filter_sigma, k1=k1, k2=k2
    )
    example = "ssim_multiscale(a, b, 1.0, power_factors=[0.5, 0.5])"
    factors = checked_items(name, "power_factors", power_factors, example)
    mean, found = reduce_mean.public, []
    for scale, factor in enumerate(factors):
        checked_number(name, "power_factors", factor, example)
        if scale:
            x, y = _halved(x), _halved(y)
            _check(name, x, y, filter_size)
        luminance, contrast = _compared(x, y, *windows)
        # What is bright is compared once, at the last scale.
        term = contrast if scale < len(factors) - 1 else luminance * contrast
        found.append(relu.public(mean(term, (-3, -2), False)) ** factor)
    product = reduce_prod.public(stack.public(found, axis=-1), axis=-1)
    return mean(product, (-1,), False)


def _prepared(
    name: str, img1: TensorLike, img2: TensorLike, max_val: Any, filter_size: Any, **numbers: Any
) -> tuple[Any, Any, tuple[Array, Any, Any]]:
    """Both images in float32, and the weights of a window with the two constants."""
    x = checked_images(operand(img1, None), name)
    y = checked_images(operand(img2, x.spec.dtype), name)
    example = f"{name}(a, b, max_val=1.0, filter_size=11)"
    size = checked_integer(name, "filter_size", filter_size, example)
    for argument, value in {"max_val": max_val, **numbers}.items():
        checked_number(name, argument, value, example)
    _check(name, x, y, size)
    peak = cast.public(operand(max_val, FLOAT32), x.spec.dtype)
    peak = convert_image_dtype(peak, FLOAT32)
    first, second = convert_image_dtype(x, FLOAT32), convert_image_dtype(y, FLOAT32)
    constants = ((numbers["k1"] * peak) ** 2, (numbers["k2"] * peak) ** 2)
    return first, second, (_gaussian(size, numbers["filter_sigma"]), *constants)


def _compared(x: Any, y: Any, weights: Array, c1: Any, c2: Any) -> tuple[Any, Any]:
    """How similar each window's means are, and its contrast and structure."""
    mean_x, mean_y = _blurred(x, weights), _blurred(y, weights)
    product, squares = mean_x * mean_y * 2.0, mean_x * mean_x + mean_y * mean_y
    covariance = _blurred(x * y, weights) * 2.0 - product
    variances = _blurred(x * x + y * y, weights) - squares
    return (product + c1) / (squares + c1), (covariance + c2) / (variances + c2)


def _halved(x: Any) -> Any:
    """The means of 2 x 2 pixels; of an odd size the last row or column counts twice."""
    shape = tuple(x.shape)
    images = reshape.public(x, (-1, *shape[-3:]))
    if shape[-3] % 2 or shape[-2] % 2:
        odd = ((0, 0), (0, shape[-3] % 2), (0, shape[-2] % 2), (0, 0))
        images = mirror_pad(images, odd, "symmetric")
    half = avg_pool2d(images, 2, 2, "VALID")
    return reshape.public(half, (*shape[:-3], *tuple(half.shape)[1:]))


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


def _check(name: str, x: Any, y: Any, size: int) -> None:
    """Raises if the images do not fit each other, or the window."""
    first, second = tuple(x.shape), tuple(y.shape)
    pairs = zip(reversed(first[:-3]), reversed(second[:-3]), strict=False)
    if first[-3:] != second[-3:] or any(a != b and 1 not in (a, b) for a, b in pairs):
        raise ValueError(
            teach(
                f"{name}: Shapes {first} and {second} are incompatible.",
                "The similarity compares the two images window by window.",
                "Give images of one size, or bring one to it with `tf.image.resize`.",
            )
        )
    if size < 1 or min(first[-3:-1]) < size:
        raise InvalidArgumentError(
            teach(
                f"{name}: images of {first[-3]} x {first[-2]} pixels, filter_size={size}.",
                "The window has at least one pixel, and fits into the image.",
                f"Write a smaller window, as in `tf.image.{name}(a, b, 1.0, filter_size=5)`.",
            )
        )
