"""`tf.image.resize`: images of another size, by a kernel or by areas.

Every method but 'nearest' is a product with a matrix of weights along each of the two axes, so
gradients and batches need nothing more. The weights are those of TensorFlow's kernels, which count
cells by their centres.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError, teach
from minitape.errors.of_arguments import checked_integer
from minitape.op import export, primitive
from minitape.ops.casting import cast
from minitape.ops.linalg.einsum import einsum_function
from minitape.ops.moving.gathering import gather
from minitape.ops.moving.padding import pad
from minitape.ops.neural.imaging import checked_images
from minitape.ops.statics import static_ints
from minitape.tensors.convert import operand
from minitape.values.spec import FLOAT32

if TYPE_CHECKING:
    from collections.abc import Callable

    from minitape.tensor import Array, Tensor
    from minitape.values.public_types import TensorLike


def _triangle(x: Array) -> Array:
    return np.maximum(1.0 - x, 0.0)


def _keys(x: Array) -> Array:
    """Keys, "Cubic convolution interpolation for digital image processing" (1981), a = -1/2."""
    near, far = ((1.5 * x - 2.5) * x) * x + 1.0, ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0
    return np.where(x < 1.0, near, np.where(x < 2.0, far, 0.0))


def _mitchell(x: Array) -> Array:
    """Mitchell and Netravali, "Reconstruction filters in computer graphics" (1988), B = C = 1/3."""
    near = ((7.0 / 6.0 * x - 2.0) * x) * x + 8.0 / 9.0
    far = ((-7.0 / 18.0 * x + 2.0) * x - 10.0 / 3.0) * x + 16.0 / 9.0
    return np.where(x < 1.0, near, np.where(x < 2.0, far, 0.0))


def _lanczos(radius: float) -> Callable[[Array], Array]:
    return lambda x: np.where(x <= radius, np.sinc(x) * np.sinc(x / radius), 0.0)


def _gaussian(x: Array) -> Array:
    return np.where(x < 1.5, np.exp(-2.0 * x * x), 0.0)


_KERNELS: dict[str, Callable[[Array], Array]] = {
    "bilinear": _triangle,
    "bicubic": _keys,
    "lanczos3": _lanczos(3.0),
    "lanczos5": _lanczos(5.0),
    "gaussian": _gaussian,
    "mitchellcubic": _mitchell,
}


def kernel_weights(method: str, old: int, new: int, antialias: bool) -> Array:
    """The share of each of the `old` cells in each of the `new` ones; rows add up to 1."""
    scale = old / new
    centres = (np.arange(new)[:, None] + 0.5) * scale
    if method == "bilinear":  # cells beyond the edge are the last ones before it
        centres = np.clip(centres, 0.5, max(old - 0.5, 0.5)) if not antialias else centres
    width = max(scale, 1.0) if antialias else 1.0
    distance = np.abs(np.arange(old) + 0.5 - centres) / width
    if method == "bicubic" and not antialias:
        distance = np.round(distance * 1024) / 1024  # TensorFlow looks it up in a table
    weights = _KERNELS[method](distance)
    return weights / np.sum(weights, 1, keepdims=True)


def _area_weights(old: int, new: int) -> Array:
    """How much of each new cell each of the `old` ones covers."""
    edges = np.arange(new + 1) * (old / new)
    cells = np.arange(old)
    covered = np.minimum(cells + 1, edges[1:, None]) - np.maximum(cells, edges[:-1, None])
    return np.maximum(covered, 0.0) / (old / new)


@primitive(type_name="ResizeArea", latex=r"\mathrm{{area}}\left({x}\right)")
def resize_area(x: Array, size: tuple[int, int]) -> Array:
    """Every new cell is the mean of what it covers; no gradient is registered, as in TensorFlow."""
    (height, width), (new_height, new_width) = x.shape[-3:-1], size
    down, right = _area_weights(height, new_height), _area_weights(width, new_width)
    return np.einsum("oh,pw,...hwc->...opc", down, right, x).astype(x.dtype)


@export("image.ResizeMethod")
class ResizeMethod:
    """The names of the methods of `tf.image.resize`."""

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


@export("image.resize")
def resize(
    images: TensorLike,
    size: Any,
    method: str = "bilinear",
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Tensor:
    """Images of another size.

    Args:
        images: Tensor of shape [..., height, width, channels].
        size: the new height and width.
        method: 'bilinear', 'nearest', 'bicubic', 'area', 'lanczos3', 'lanczos5', 'gaussian' or
            'mitchellcubic'.
        preserve_aspect_ratio: whether the image keeps its proportions and only fits into `size`.
        antialias: whether kernels get wider where the image gets smaller.
        name: accepted and not used.

    Returns:
        Tensor of shape [..., new height, new width, channels]; float32, but for 'nearest' the dtype
        of `images`. By 'area' it has no gradient registered, as in TensorFlow.

    Raises:
        ValueError: for another method.

    Example:
        >>> import minitape as tf
        >>> x = tf.constant([[[0.0], [2.0]]])
        >>> tf.image.resize(x, [1, 4]).numpy().ravel().tolist()
        [0.0, 0.5, 1.5, 2.0]
    """
    x = checked_images(operand(images, None), "resize")
    method = str(getattr(method, "value", method)).lower()
    if method not in {*_KERNELS, "nearest", "area"}:
        raise ValueError(
            f"resize: method={method!r} is not implemented. Write one of 'nearest', 'area', "
            f"{', '.join(map(repr, _KERNELS))}."
        )
    old = tuple(x.spec.shape)[-3:-1]
    new = new_size(size, "resize")
    if preserve_aspect_ratio:
        factor = min(np.float32(b / a) for a, b in zip(old, new, strict=True))
        new = tuple(max(int(np.round(a * factor)), 1) for a in old)
    if method == "nearest":
        return _nearest(x, old, new)
    if x.spec.dtype != FLOAT32:
        x = cast.public(x, FLOAT32)
    if method == "area":
        return resize_area.public(x, new)
    rows, columns = (
        operand(kernel_weights(method, a, b, antialias).astype(np.float32), None)
        for a, b in zip(old, new, strict=True)
    )
    tall = einsum_function("oh,...hwc->...owc", rows, x)
    return einsum_function("pw,...owc->...opc", columns, tall)


def new_size(size: Any, op: str) -> tuple[int, ...]:
    """The height and width that are asked for.

    Raises:
        InvalidArgumentError: if they are not two positive numbers.
    """
    found = static_ints(size, op, "size")
    if len(found) != 2 or min(found) < 1:
        raise InvalidArgumentError(
            teach(
                f"{op}: size={size!r} must be a 1-D Tensor of 2 elements: new_height, new_width.",
                "Both are counts of pixels, and there is at least one of each.",
                f"Write for instance `tf.image.{op}(images, [28, 28])`.",
            )
        )
    return found


def _nearest(x: Any, old: tuple[int, ...], new: tuple[int, ...]) -> Any:
    """Every new cell is the old one in which its centre lies."""
    for axis, a, b in zip((-3, -2), old, new, strict=True):
        places = np.minimum((np.arange(b) + 0.5) * (a / b), a - 1).astype(np.int64)
        x = gather.public(x, places, axis)
    return x


@export("image.resize_with_pad")
def resize_with_pad(
    image: TensorLike,
    target_height: int,
    target_width: int,
    method: str = "bilinear",
    antialias: bool = False,
) -> Tensor:
    """Images resized without distortion, with margins of zeros where their form is another.

    Args:
        image: Tensor of shape [height, width, channels], or of that with a batch in front.
        target_height: of the result.
        target_width: of the result.
        method: see `tf.image.resize`.
        antialias: see `tf.image.resize`.

    Example:
        >>> import minitape as tf
        >>> tf.image.resize_with_pad(tf.ones([1, 4, 2, 3]), 8, 8).shape
        TensorShape([1, 8, 8, 3])
    """
    x = checked_images(operand(image, None), "resize_with_pad")
    for name, size in (("target_height", target_height), ("target_width", target_width)):
        checked_integer("resize_with_pad", name, size, "resize_with_pad(image, 8, 8)")
    height, width = tuple(x.spec.shape)[-3:-1]
    ratio = max(height / target_height, width / target_width)
    exact = height / ratio, width / ratio
    sizes = [int(n) for n in exact]
    top, left = int((target_height - exact[0]) / 2), int((target_width - exact[1]) / 2)
    margins = [
        (top, target_height - sizes[0] - top),
        (left, target_width - sizes[1] - left),
        (0, 0),
    ]
    batch = [(0, 0)] * (len(x.spec.shape) - 3)
    return pad(resize(x, sizes, method, antialias=antialias), batch + margins)
