"""`tf.nn.max_pool2d`, `tf.nn.avg_pool2d` and their family: TensorFlow's arguments, checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minitape.errors import InvalidArgumentError
from minitape.op import export
from minitape.ops.neural import pooling
from minitape.ops.neural.windows import as_images, channels_last, padding_pairs, per_axis, with_lead

if TYPE_CHECKING:
    from minitape.tensor import Tensor
    from minitape.values.public_types import TensorLike


def _pool(
    call: Any, op: str, rank: int, x: Any, ksize: Any, strides: Any, padding: Any, layout: Any
) -> Any:
    """Pools over `rank` spatial axes, the arguments as users give them."""
    channels_last(layout, op)
    x, lead = as_images(x, rank, op)
    window = per_axis(ksize, rank, op, "ksize")
    steps = per_axis(strides, rank, op, "strides")
    pairs = padding_pairs(padding, tuple(x.shape)[1:-1], window, steps, (1,) * rank, op)
    return with_lead(call(x, window, steps, pairs), lead)


def _spatial_rank(x: Any, op: str) -> int:
    rank = len(as_images(x, 1, op)[0].shape) - 2 if not hasattr(x, "shape") else len(x.shape) - 2
    if not 1 <= rank <= 3:
        raise InvalidArgumentError(
            f"{op}: the input has {rank + 2} axes; it takes [batch, 1 to 3 spatial axes, channels]."
        )
    return rank


@export("nn.max_pool2d")
def max_pool2d(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The largest value of each window of an image; of equal maxima the first takes the gradient.

    Args:
        input: Tensor of shape [..., height, width, channels].
        ksize: the window's size: a number, one per axis, or [1, height, width, 1].
        strides: how far the window moves, in the same forms.
        padding: 'VALID', 'SAME' or pairs as in `conv2d`; padding never is the maximum.
        data_format: 'NHWC'.
        name: accepted and not used.

    Returns:
        Tensor of shape [..., out height, out width, channels].

    Raises:
        InvalidArgumentError: if the window does not fit.

    Example:
        >>> import minitape as tf
        >>> x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
        >>> tf.nn.max_pool2d(x, 2, 2, "VALID").numpy().ravel().tolist()
        [5.0, 7.0, 13.0, 15.0]
    """
    return _pool(pooling.max_pool, "max_pool2d", 2, input, ksize, strides, padding, data_format)


@export("nn.avg_pool2d")
def avg_pool2d(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of an image, over the cells that are inside of it.

    Args:
        input: Tensor of shape [..., height, width, channels].
        ksize: the window's size: a number, one per axis, or [1, height, width, 1].
        strides: how far the window moves, in the same forms.
        padding: 'VALID' or 'SAME'; padded cells do not count.
        data_format: 'NHWC'.
        name: accepted and not used.

    Returns:
        Tensor of shape [..., out height, out width, channels].

    Raises:
        InvalidArgumentError: if the window does not fit.

    Example:
        >>> import minitape as tf
        >>> x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
        >>> tf.nn.avg_pool2d(x, 2, 2, "VALID").numpy().ravel().tolist()
        [2.5, 4.5, 10.5, 12.5]
    """
    return _pool(pooling.avg_pool, "avg_pool2d", 2, input, ksize, strides, padding, data_format)


@export("nn.max_pool1d")
def max_pool1d(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """The largest value of each window of a sequence [batch, width, channels]; see `max_pool2d`."""
    return _pool(pooling.max_pool, "max_pool1d", 1, input, ksize, strides, padding, data_format)


@export("nn.avg_pool1d")
def avg_pool1d(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of a sequence [batch, width, channels]; see `avg_pool2d`."""
    return _pool(pooling.avg_pool, "avg_pool1d", 1, input, ksize, strides, padding, data_format)


@export("nn.max_pool3d")
def max_pool3d(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The largest value of each window of a volume; see `max_pool2d`."""
    return _pool(pooling.max_pool, "max_pool3d", 3, input, ksize, strides, padding, data_format)


@export("nn.avg_pool3d")
def avg_pool3d(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of a volume; see `avg_pool2d`."""
    return _pool(pooling.avg_pool, "avg_pool3d", 3, input, ksize, strides, padding, data_format)


@export("nn.pool")
def pool(
    input: TensorLike,
    window_shape: Any,
    pooling_type: str,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Pooling by name, 'MAX' or 'AVG', over as many spatial axes as `input` has; see `max_pool2d`.

    Example:
        >>> import minitape as tf
        >>> tf.nn.pool(tf.ones([1, 4, 1]), [2], "MAX", strides=[2]).shape
        TensorShape([1, 2, 1])
    """
    calls = {"MAX": pooling.max_pool, "AVG": pooling.avg_pool}
    if pooling_type not in [*calls] or dilations not in [None, 1]:
        raise ValueError(
            f"pool: pooling_type={pooling_type!r}, dilations={dilations!r}. It takes 'MAX' or "
            "'AVG', without dilations."
        )
    rank, steps = _spatial_rank(input, "pool"), 1 if strides is None else strides
    return _pool(
        calls[pooling_type], "pool", rank, input, window_shape, steps, padding, data_format
    )


@export("nn.max_pool")
def max_pool(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Max pooling over as many spatial axes as `input` has; see `max_pool2d`."""
    rank = _spatial_rank(input, "max_pool")
    return _pool(pooling.max_pool, "max_pool", rank, input, ksize, strides, padding, data_format)


@export("nn.avg_pool")
def avg_pool(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Average pooling over as many spatial axes as `input` has; see `avg_pool2d`."""
    rank = _spatial_rank(input, "avg_pool")
    return _pool(pooling.avg_pool, "avg_pool", rank, input, ksize, strides, padding, data_format)
