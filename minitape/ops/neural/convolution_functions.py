"""`tf.nn.conv2d` and its family: TensorFlow's arguments in the form of the primitives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError, teach
from minitape.errors.of_arguments import checked_integer, checked_items
from minitape.op import export, operands
from minitape.ops.broadcasting import broadcast_to, reshape
from minitape.ops.elementwise.comparison import gate
from minitape.ops.neural.convolution import check_kernel, convolution, convolution_input_gradient
from minitape.ops.neural.windows import (
    as_images,
    channels_last,
    counts,
    padding_pairs,
    per_axis,
    with_lead,
)

if TYPE_CHECKING:
    from minitape.tensor import Tensor
    from minitape.values.public_types import TensorLike


def convolve(
    op: str, rank: int, x: Any, kernel: Any, strides: Any, padding: Any, dilations: Any
) -> Any:
    """A convolution over `rank` spatial axes, its arguments as users give them."""
    x, kernel = operands(convolution.op, (x, kernel))
    x, lead = as_images(x, rank, op)
    groups = groups_of(x, kernel, op)
    check_kernel(op, x, kernel, rank, groups)
    if groups > 1:
        kernel = apart(kernel, groups)
    steps = per_axis(strides, rank, op, "strides")
    spread = per_axis(1 if dilations is None else dilations, rank, op, "dilations")
    window = tuple(kernel.shape)[:rank]
    pairs = padding_pairs(padding, tuple(x.shape)[1:-1], window, steps, spread, op)
    return with_lead(convolution(x, kernel, steps, pairs, spread), lead)


def groups_of(x: Any, kernel: Any, op: str) -> int:
    """Into how many groups a kernel with fewer input channels than `x` parts them; else 1.

    Raises:
        InvalidArgumentError: if the output channels cannot be dealt out to the groups.
    """
    channels, (*_, inputs, outputs) = tuple(x.shape)[-1], (1, 1, *tuple(kernel.shape))
    known = isinstance(channels, int) and isinstance(inputs, int) and inputs > 0
    if not known or channels <= inputs or channels % inputs:
        return 1
    groups = int(channels // inputs)
    if outputs % groups:
        raise InvalidArgumentError(
            teach(
                f"{op}: the input has shape {tuple(x.shape)}, so {channels} channels, and the "
                f"filters have shape {tuple(kernel.shape)}: output depth must be evenly divisible "
                f"by number of groups: {outputs} vs {groups}.",
                f"Filters for {inputs} of {channels} channels make {groups} groups, each with its "
                "share of the outputs.",
                f"Give {groups}, {2 * groups}, ... output channels, or filters for all channels.",
            )
        )
    return groups


def apart(kernel: Any, groups: int) -> Any:
    """Filters for all channels, of filters for one group each: zero between different groups."""
    *window, inputs, outputs = tuple(kernel.shape)
    each = (inputs, groups, outputs // groups)
    own = np.eye(groups, dtype=bool)[:, np.newaxis, :, np.newaxis]
    wide = broadcast_to(reshape(kernel, (*window, 1, *each)), (*window, groups, *each))
    return reshape(gate(wide, own), (*window, groups * inputs, outputs))


@export("nn.conv2d")
def conv2d(
    input: TensorLike,
    filters: TensorLike,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Convolves images with filters: each output channel is a weighted sum over a sliding window.

    Args:
        input: Tensor of shape [..., height, width, channels], floating.
        filters: Tensor of shape [height, width, channels, out channels], of the same dtype. With
            a g-th of the input's channels, they convolve g groups of channels, each by itself.
        strides: how far the window moves: a number, one per axis, or [1, vertical, horizontal, 1].
        padding: 'VALID' (windows stay inside), 'SAME' (ceil(size / stride) outputs, zeros
            outside) or [[0, 0], [top, bottom], [left, right], [0, 0]].
        data_format: 'NHWC'.
        dilations: the distance of the window's cells, in the forms of `strides`; by default 1.
        name: accepted and not used.

    Returns:
        Tensor of shape [..., out height, out width, out channels].

    Raises:
        InvalidArgumentError: if the shapes do not fit each other.

    Example:
        >>> import minitape as tf
        >>> x = tf.ones([1, 3, 3, 1])
        >>> tf.nn.conv2d(x, tf.ones([2, 2, 1, 1]), strides=1, padding="VALID").shape
        TensorShape([1, 2, 2, 1])
    """
    channels_last(data_format, "conv2d")
    return convolve("conv2d", 2, input, filters, strides, padding, dilations)


@export("nn.conv1d")
def conv1d(
    input: TensorLike,
    filters: TensorLike,
    stride: Any,
    padding: Any,
    data_format: str = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Convolves sequences with filters; see `conv2d`.

    Args:
        input: Tensor of shape [..., width, channels], floating.
        filters: Tensor of shape [width, channels, out channels].
        stride: how far the window moves.
        padding: 'VALID', 'SAME' or pairs as in `conv2d`.
        data_format: 'NWC'.
        dilations: the distance of the window's cells; by default 1.
        name: accepted and not used.

    Returns:
        Tensor of shape [..., out width, out channels].

    Raises:
        InvalidArgumentError: if the shapes do not fit each other.

    Example:
        >>> import minitape as tf
        >>> x = tf.reshape(tf.constant([1.0, 2.0, 4.0]), [1, 3, 1])
        >>> tf.nn.conv1d(x, tf.ones([2, 1, 1]), 1, "VALID").numpy().ravel().tolist()
        [3.0, 6.0]
    """
    channels_last(data_format, "conv1d")
    stride = np.atleast_1d(stride).tolist()
    return convolve("conv1d", 1, input, filters, stride, padding, dilations)


@export("nn.conv3d")
def conv3d(
    input: TensorLike,
    filters: TensorLike,
    strides: Any,
    padding: Any,
    data_format: str = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Convolves volumes [..., depth, height, width, channels] with filters; see `conv2d`.

    Example:
        >>> import minitape as tf
        >>> x = tf.ones([1, 2, 2, 2, 1])
        >>> tf.nn.conv3d(x, tf.ones([2, 2, 2, 1, 1]), 1, "VALID").numpy().item()
        8.0
    """
    channels_last(data_format, "conv3d")
    return convolve("conv3d", 3, input, filters, strides, padding, dilations)


@export("nn.convolution")
def convolution_of_any_rank(
    input: Any,
    filters: Any,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Convolves over as many spatial axes as `filters` has; see `conv2d`.

    Example:
        >>> import minitape as tf
        >>> tf.nn.convolution(tf.ones([1, 4, 1]), tf.ones([2, 1, 1])).shape
        TensorShape([1, 3, 1])
    """
    channels_last(data_format, "convolution")
    _, kernel = operands(convolution_input_gradient.op, (input, filters))
    rank = len(kernel.shape) - 2
    return convolve(
        "convolution", rank, input, filters, 1 if strides is None else strides, padding, dilations
    )


@export("nn.conv2d_transpose")
def conv2d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of `conv2d`: every cell spreads the filters around its place in the output.

    Args:
        input: Tensor of shape [batch, height, width, channels].
        filters: Tensor of shape [height, width, out channels, channels], as in the `conv2d` that
            is transposed.
        output_shape: the shape of the result, [batch, out height, out width, out channels].
        strides: of the `conv2d` that is transposed.
        padding: of that `conv2d`.
        data_format: 'NHWC'.
        dilations: of that `conv2d`.
        name: accepted and not used.

    Returns:
        Tensor of shape `output_shape`.

    Raises:
        InvalidArgumentError: if a `conv2d` of `output_shape` would not give the shape of `input`.

    Example:
        >>> import minitape as tf
        >>> x, k = tf.ones([1, 2, 2, 1]), tf.ones([2, 2, 1, 1])
        >>> y = tf.nn.conv2d_transpose(x, k, [1, 4, 4, 1], strides=2)
        >>> float(tf.reduce_sum(y))
        16.0
    """
    channels_last(data_format, "conv2d_transpose")
    y, kernel = operands(convolution_input_gradient.op, (input, filters))
    sizes = checked_items("conv2d_transpose", "output_shape", output_shape, "[1, 4, 4, 1]")
    shape = tuple(
        checked_integer("conv2d_transpose", "output_shape", n, "[1, 4, 4, 1]") for n in sizes
    )
    steps = per_axis(strides, 2, "conv2d_transpose", "strides")
    spread = per_axis(1 if dilations is None else dilations, 2, "conv2d_transpose", "dilations")
    window = tuple(kernel.shape)[:2]
    pairs = padding_pairs(padding, shape[1:-1], window, steps, spread, "conv2d_transpose")
    expected = (
        shape[0],
        *counts(shape[1:-1], window, steps, pairs, spread),
        tuple(kernel.shape)[-1],
    )
    if tuple(y.shape) != expected or tuple(kernel.shape)[2] != shape[-1]:
        raise InvalidArgumentError(
            teach(
                f"conv2d_transpose: the input has shape {tuple(y.shape)}, the filters "
                f"{tuple(kernel.shape)}, "
                f"output_shape is {shape}.",
                f"A conv2d of that output with these filters gives shape {expected}, which the "
                "input must have.",
                "The filters' axes are [height, width, out channels, in channels]; check "
                "output_shape and strides.",
            )
        )
    return convolution_input_gradient(y, kernel, shape[1:-1], steps, pairs, spread)
