"""`tf.nn.depthwise_conv2d` and `separable_conv2d`: convolutions that keep channels apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minitape.op import export, operands
from minitape.ops.broadcasting import reshape
from minitape.ops.neural.convolution import check_kernel, convolution
from minitape.ops.neural.convolution_functions import apart, conv2d, convolve
from minitape.ops.neural.windows import channels_last

if TYPE_CHECKING:
    from minitape.tensor import Tensor
    from minitape.values.public_types import TensorLike


@export("nn.depthwise_conv2d")
def depthwise_conv2d(
    input: TensorLike,
    filter: TensorLike,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Convolves each channel with filters of its own.

    Computed as one `conv2d` whose filters are zero between different channels.

    Args:
        input: Tensor of shape [..., height, width, channels].
        filter: Tensor of shape [height, width, channels, multiplier].
        strides: [1, vertical, horizontal, 1].
        padding: as in `conv2d`.
        data_format: 'NHWC'.
        dilations: as in `conv2d`.
        name: accepted and not used.

    Returns:
        Tensor of shape [..., out height, out width, channels * multiplier]; the results of one
        channel stand side by side.

    Raises:
        InvalidArgumentError: if the shapes do not fit each other.

    Example:
        >>> import minitape as tf
        >>> x = tf.constant([1.0, 10.0], shape=[1, 1, 1, 2])
        >>> k = tf.constant([1.0, 2.0, 3.0, 4.0], shape=[1, 1, 2, 2])
        >>> tf.nn.depthwise_conv2d(x, k, [1, 1, 1, 1], "VALID").numpy().ravel().tolist()
        [1.0, 2.0, 30.0, 40.0]
    """
    channels_last(data_format, "depthwise_conv2d")
    x, kernel = operands(convolution.op, (input, filter))
    if len(kernel.shape) == 4:
        check_kernel("depthwise_conv2d", x, kernel, 2)
        *window, channels, multiplier = tuple(kernel.shape)
        kernel = apart(reshape(kernel, (*window, 1, channels * multiplier)), channels)
    return convolve("depthwise_conv2d", 2, x, kernel, strides, padding, dilations)


@export("nn.separable_conv2d")
def separable_conv2d(
    input: TensorLike,
    depthwise_filter: TensorLike,
    pointwise_filter: TensorLike,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """A `depthwise_conv2d`, then a convolution with 1 x 1 filters that mixes the channels.

    Args:
        input: Tensor of shape [..., height, width, channels].
        depthwise_filter: Tensor of shape [height, width, channels, multiplier].
        pointwise_filter: Tensor of shape [1, 1, channels * multiplier, out channels].
        strides: [1, vertical, horizontal, 1], of the first step.
        padding: of the first step.
        data_format: 'NHWC'.
        dilations: of the first step.
        name: accepted and not used.

    Returns:
        Tensor of shape [..., out height, out width, out channels].

    Raises:
        InvalidArgumentError: if the shapes do not fit each other.

    Example:
        >>> import minitape as tf
        >>> x, d, p = tf.ones([1, 3, 3, 2]), tf.ones([2, 2, 2, 1]), tf.ones([1, 1, 2, 5])
        >>> tf.nn.separable_conv2d(x, d, p, [1, 1, 1, 1], "VALID").shape
        TensorShape([1, 2, 2, 5])
    """
    deep = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
    return conv2d(deep, pointwise_filter, 1, "VALID")
