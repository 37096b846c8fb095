"""Convolutions of images [batch, height, width, channels] and sequences [batch, time, channels]."""

from __future__ import annotations

from typing import Any

import minitape as tf
from minitape.keras.layers.arguments import checked_padding, per_axis, positive
from minitape.keras.layers.core import WithKernel

__all__ = [
    "Conv1D", "Conv2D", "Conv2DTranspose", "Convolution1D", "Convolution2D",
    "Convolution2DTranspose", "DepthwiseConv2D", "SeparableConv2D",
]  # fmt: skip


class Conv2D(WithKernel):
    """activation(conv2d(x, kernel) + bias).

    Args:
        filters: how many output channels.
        kernel_size: the window: a number or one per axis.
        strides: how far it moves.
        padding: 'valid' or 'same'; of `Conv1D` also 'causal', which looks at the past alone.
        dilation_rate: the distance of the window's cells.
        groups: into how many the channels are parted; each group is convolved by itself.
        **options: as for `Dense`.

    Raises:
        ValueError: if a size is none, or channels do not fit the kernel.

    Example:
        >>> import minitape as tf
        >>> tf.keras.layers.Conv2D(8, 3, activation="relu")(tf.ones([1, 5, 5, 2])).shape
        TensorShape([1, 3, 3, 8])
    """

    rank = 2

    def __init__(
        self,
        filters: int | None,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        *,
        dilation_rate: Any = 1,
        groups: int = 1,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.filters: Any = None  # a depthwise convolution goes by the channels
        if filters is not None:
            self.filters = positive(self, "filters", filters)
        self.groups = positive(self, "groups", groups)
        if filters is not None and filters % self.groups:
            raise ValueError(
                "The number of filters must be evenly divisible by the number of groups. Received: "
                f"groups={groups}, filters={filters}. Each group gives its share of the filters."
            )
        self.kernel_size = per_axis(self, "kernel_size", kernel_size, self.rank)
        self.strides = per_axis(self, "strides", strides, self.rank)
        self.dilation_rate = per_axis(self, "dilation_rate", dilation_rate, self.rank)
        if max(self.strides) > 1 and max(self.dilation_rate) > 1:
            raise ValueError(
                "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: "
                f"strides={self.strides} and dilation_rate={self.dilation_rate}. One leaves places "
                "out, the other spreads the kernel over them. Leave one of the two at 1."
            )
        further = ("causal",) if self.rank == 1 else ()
        self.padding = checked_padding(self, padding, further)

    def build(self, input_shape: Any) -> None:
        channels = tuple(input_shape)[-1]
        if channels % self.groups:
            raise ValueError(
                "The number of input channels must be evenly divisible by the number of groups. "
                f"Layer '{self.name}': groups={self.groups} has to divide the {channels} channels "
                f"of the input, whose shape is {tuple(input_shape)}. Use a divisor of {channels}."
            )
        shape = (*self.kernel_size, channels // self.groups, self.filters)
        self.kernel = self.make_weight("kernel", shape)
        self.make_bias(self.filters)

    def _check_fits(self, shape: tuple[int | None, ...]) -> None:
        """Raises if inputs have another number of axes, or fewer places than the kernel."""
        if len(shape) != self.rank + 2:
            raise ValueError(
                f"Layer '{self.name}': the input has shape {shape}, and {self.rank + 2} axes are "
                "expected, [batch, ..., channels]. Add an axis with `x[..., tf.newaxis]`."
            )
        spread = [
            (k - 1) * d + 1 for k, d in zip(self.kernel_size, self.dilation_rate, strict=True)
        ]
        small = [n is not None and n < k for n, k in zip(shape[1:-1], spread, strict=True)]
        if self.padding == "valid" and any(small):
            raise ValueError(
                "Computed output size would be zero or negative. Layer "
                f"'{self.name}' got inputs of shape {shape}, and its kernel takes {tuple(spread)} "
                "places. Take a smaller `kernel_size`, or padding='same'."
            )

    def call(self, inputs: Any) -> Any:
        padding = self.padding
        self._check_fits(tuple(inputs.shape))
        if padding == "causal":
            left = self.dilation_rate[0] * (self.kernel_size[0] - 1)
            inputs, padding = tf.pad(inputs, [[0, 0], [left, 0], [0, 0]]), "valid"
        y = tf.nn.convolution(
            inputs, self.kernel, self.strides, padding.upper(), dilations=self.dilation_rate
        )
        return self.finished(y)


class Conv1D(Conv2D):
    """`Conv2D` on sequences [batch, steps, channels].

    Example:
        >>> import minitape as tf
        >>> tf.keras.layers.Conv1D(4, 3, padding="same")(tf.ones([1, 5, 2])).shape
        TensorShape([1, 5, 4])
    """

    rank = 1


class Conv2DTranspose(Conv2D):
    """The transpose of `Conv2D`: every cell spreads the kernel around its place in a larger output.

    With 'same' padding the output has `strides` times as many rows and columns.

    Example:
        >>> import minitape as tf
        >>> layer = tf.keras.layers.Conv2DTranspose(4, 3, strides=2, padding="same")
        >>> layer(tf.ones([1, 5, 5, 2])).shape
        TensorShape([1, 10, 10, 4])
    """

    not_in_config = ("groups",)

    def build(self, input_shape: Any) -> None:
        shape = (*self.kernel_size, self.filters, tuple(input_shape)[-1])
        self.kernel = self.make_weight("kernel", shape)
        self.make_bias(self.filters)

    def call(self, inputs: Any) -> Any:
        batch, *sizes, _ = inputs.shape
        shape = [batch, *map(self._size, range(2), sizes), self.filters]
        padding = self.padding.upper()
        y = tf.nn.conv2d_transpose(
            inputs, self.kernel, shape, self.strides, padding, dilations=self.dilation_rate
        )
        return self.finished(y)

    def _size(self, axis: int, n: int) -> int:
        """How many cells `n` become along an axis."""
        span = (self.kernel_size[axis] - 1) * self.dilation_rate[axis] + 1
        stride = self.strides[axis]
        return n * stride if self.padding == "same" else n * stride + max(span - stride, 0)


class DepthwiseConv2D(Conv2D):
    """Convolves each channel with `depth_multiplier` kernels of its own."""

    not_in_config = ("filters", "groups")
    weight_starts = {"depthwise": "glorot_uniform", "bias": "zeros"}

    def __init__(
        self,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        depth_multiplier: int = 1,
        **options: Any,
    ) -> None:
        super().__init__(None, kernel_size, strides, padding, **options)
        self.depth_multiplier = positive(self, "depth_multiplier", depth_multiplier)

    def build(self, input_shape: Any) -> None:
        channels = tuple(input_shape)[-1]
        outputs = channels * self.depth_multiplier
        shape = (*self.kernel_size, channels, self.depth_multiplier)
        self.kernel = self.make_weight("depthwise_kernel", shape)
        self.make_bias(outputs)

    def call(self, inputs: Any) -> Any:
        strides = [1, *self.strides, 1]
        padding = self.padding.upper()
        y = tf.nn.depthwise_conv2d(
            inputs, self.kernel, strides, padding, dilations=self.dilation_rate
        )
        return self.finished(y)


class SeparableConv2D(Conv2D):
    """Convolves each channel by itself, then mixes the channels of each place (Chollet 2017).

    Example:
        >>> import minitape as tf
        >>> layer = tf.keras.layers.SeparableConv2D(8, 3)
        >>> layer(tf.ones([1, 5, 5, 2])).shape
        TensorShape([1, 3, 3, 8])
        >>> [tuple(v.shape) for v in layer.variables]
        [(3, 3, 2, 1), (1, 1, 2, 8), (8,)]
    """

    not_in_config = ("groups",)
    weight_starts = {
        "depthwise": "glorot_uniform",
        "pointwise": "glorot_uniform",
        "bias": "zeros",
    }

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        *args: Any,
        depth_multiplier: int = 1,
        **options: Any,
    ) -> None:
        super().__init__(filters, kernel_size, *args, **options)
        self.depth_multiplier = depth_multiplier

    def build(self, input_shape: Any) -> None:
        channels, m = tuple(input_shape)[-1], self.depth_multiplier
        self.depthwise_kernel = self.make_weight(
            "depthwise_kernel", (*self.kernel_size, channels, m)
        )
        self.pointwise_kernel = self.make_weight(
            "pointwise_kernel", (1, 1, channels * m, self.filters)
        )
        self.make_bias(self.filters)

    def call(self, inputs: Any) -> Any:
        y = tf.nn.separable_conv2d(
            inputs,
            self.depthwise_kernel,
            self.pointwise_kernel,
            [1, *self.strides, 1],
            self.padding.upper(),
            dilations=self.dilation_rate,
        )
        return self.finished(y)


Convolution1D, Convolution2D, Convolution2DTranspose = Conv1D, Conv2D, Conv2DTranspose
