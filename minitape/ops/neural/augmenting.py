"""Images changed at random, and where they change: crops, flips and edges.

In a graph the choice is made at every run, as for all random numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError, teach
from minitape.op import export
from minitape.ops.broadcasting import reshape
from minitape.ops.elementwise.comparison import where
from minitape.ops.moving.gathering import gather
from minitape.ops.moving.padding import pad_value
from minitape.ops.neural.imaging import checked_images, flip_left_right, flip_up_down
from minitape.ops.neural.separable_convolution import depthwise_conv2d
from minitape.ops.random.random_functions import uniform
from minitape.ops.statics import static_ints
from minitape.tensors.convert import operand

if TYPE_CHECKING:
    from collections.abc import Callable

    from minitape.tensor import Tensor
    from minitape.values.public_types import TensorLike

_DOWNWARDS = [[-1.0, -2.0, -1.0], [0.0, 0.0, 0.0], [1.0, 2.0, 1.0]]


@export("image.random_crop")
def random_crop(value: TensorLike, size: Any, seed: Any = None, name: str | None = None) -> Tensor:
    """A part of `size` from a random place.

    Args:
        value: Tensor of any shape.
        size: how long the part is along each axis.
        seed: a number that makes the choice repeatable.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if the part is larger than `value`, or has another rank.

    Example:
        >>> import minitape as tf
        >>> tf.image.random_crop(tf.zeros([8, 8, 3]), [4, 4, 3]).shape
        TensorShape([4, 4, 3])
    """
    x = operand(value, None)
    whole, part = tuple(x.spec.shape), list(static_ints(size, "random_crop", "size"))
    if len(whole) != len(part) or any(n > m for n, m in zip(part, whole, strict=False)):
        raise InvalidArgumentError(
            teach(
                f"random_crop: a part of shape {part} does not fit into {whole}.",
                "It is cut out of the value, axis by axis.",
                f"Give {len(whole)} sizes, each at most that of the value.",
            )
        )
    for axis, (n, m) in enumerate(zip(part, whole, strict=True)):
        if n < m:
            start = uniform((), 0, m - n + 1, "int64", seed)
            x = gather.public(x, start + np.arange(n), axis)
    return x


@export("image.random_flip_left_right")
def random_flip_left_right(image: TensorLike, seed: Any = None) -> Tensor:
    """The image or its mirror image, each as likely; chosen for every image of a batch.

    Example:
        >>> import minitape as tf
        >>> tf.image.random_flip_left_right(tf.ones([2, 2, 1])).shape
        TensorShape([2, 2, 1])
    """
    return _flipped_or_not(flip_left_right, image, seed)


@export("image.random_flip_up_down")
def random_flip_up_down(image: TensorLike, seed: Any = None) -> Tensor:
    """The image as it is or upside down, each as likely; chosen for every image of a batch.

    Example:
        >>> import minitape as tf
        >>> tf.image.random_flip_up_down(tf.ones([2, 2, 1])).shape
        TensorShape([2, 2, 1])
    """
    return _flipped_or_not(flip_up_down, image, seed)


def _flipped_or_not(flip: Callable[[Any], Any], image: Any, seed: Any) -> Any:
    x = operand(image, None)
    batch = tuple(x.spec.shape)[:-3]
    chance = uniform((*batch, 1, 1, 1), 0.0, 1.0, "float32", seed)
    return where(chance < 0.5, flip(x), x)


@export("image.sobel_edges")
def sobel_edges(image: TensorLike) -> Tensor:
    """How steeply pixels change downwards and to the right, smoothed across (Sobel and Feldman).

    Args:
        image: Tensor of shape [batch, height, width, channels].

    Returns:
        Tensor of shape [batch, height, width, channels, 2]; margins mirror the image.

    Raises:
        InvalidArgumentError: if the pixels are no floating numbers, which have no slopes.

    Example:
        >>> import minitape as tf
        >>> ramp = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
        >>> tf.image.sobel_edges(ramp)[0, 1, 1, 0].numpy().tolist()
        [24.0, 8.0]
    """
    x = checked_images(operand(image, None), "sobel_edges")
    if x.spec.dtype.kind != "f":
        raise InvalidArgumentError(
            f"sobel_edges: the image has dtype {x.dtype.name}, in which a slope would overflow or "
            "lose its sign. Write `tf.cast(image, tf.float32)`."
        )
    channels = int(x.spec.shape[-1])
    both = np.stack([_DOWNWARDS, np.transpose(_DOWNWARDS)], -1)[:, :, np.newaxis]
    kernel = operand(np.tile(both, [1, 1, channels, 1]).astype(x.spec.dtype), x.spec.dtype)
    padded = pad_value(x, [(0, 0), (1, 1), (1, 1), (0, 0)], "REFLECT")
    found = depthwise_conv2d(padded, kernel, [1, 1, 1, 1], "VALID")
    return reshape.public(found, (*tuple(x.spec.shape), 2))
