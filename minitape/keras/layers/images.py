"""Convolutions of images [batch, height, width, channels] and sequences [batch, time, channels]."""

from __future__ import annotations

from typing import Any

import minitape as tf
from minitape.errors.of_arguments import checked_items, checked_text
from minitape.keras import activations, initializers
from minitape.keras.layers.base import Layer


class Conv2D(Layer):
    """activation(conv2d(x, kernel) + bias).

    Args:
        filters: how many output channels.
        kernel_size: the window: a number or one per axis.
        strides: how far it moves.
        padding: 'valid' or 'same'; of `Conv1D` also 'causal', which looks at the past alone.
        data_format: 'channels_last'.
        dilation_rate: the distance of the window's cells.
        activation: a name, a function or None.
        use_bias: whether there is a bias.
        kernel_initializer: what the kernel starts from.
        bias_initializer: what the bias starts from.
        **options: the arguments of `Layer`.

    Raises:
        ValueError: if channels do not fit the kernel, or `data_format` is another one.

    Example:
        >>> import minitape as tf
        >>> tf.keras.layers.Conv2D(8, 3, activation="relu")(tf.ones([1, 5, 5, 2])).shape
        TensorShape([1, 3, 3, 8])
    """

    rank = 2
    weight_names: tuple[str, ...] = ("kernel", "bias")

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        **options: Any,
    ) -> None:
        super().__init__(**options)
        check_layout(self, data_format)
        self.filters, self.use_bias = filters, use_bias
        self.kernel_size = per_axis(kernel_size, self.rank)
        self.strides, self.dilation_rate = (
            per_axis(strides, self.rank),
            per_axis(dilation_rate, self.rank),
        )
        self.padding = checked_padding(self, padding)
        self.activation = activations.get(activation)
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel: Any = None
        self.bias: Any = None

    def build(self, input_shape: Any) -> None:
        """Makes kernel and bias for inputs of `input_shape`."""
        shape = (*self.kernel_size, tuple(input_shape)[-1], self.filters)
        self.kernel = self.add_weight(shape, self.kernel_initializer, name="kernel")
        if self.use_bias:
            self.bias = self.add_weight((self.filters,), self.bias_initializer, name="bias")
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The layer's function."""
        padding = self.padding
        if padding == "CAUSAL":
            left = self.dilation_rate[0] * (self.kernel_size[0] - 1)
            inputs, padding = tf.pad(inputs, [[0, 0], [left, 0], [0, 0]]), "VALID"
        y = tf.nn.convolution(
            inputs, self.kernel, self.strides, padding, dilations=self.dilation_rate
        )
        return self.activation(y if self.bias is None else y + self.bias)


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

    def __init__(self, *args: Any, output_padding: Any = None, **options: Any) -> None:
        super().__init__(*args, **options)
        self.output_padding = None if output_padding is None else per_axis(output_padding, 2)

    def build(self, input_shape: Any) -> None:
        """Makes kernel and bias for inputs of `input_shape`."""
        shape = (*self.kernel_size, self.filters, tuple(input_shape)[-1])
        self.kernel = self.add_weight(shape, self.kernel_initializer, name="kernel")
        if self.use_bias:
            self.bias = self.add_weight((self.filters,), self.bias_initializer, name="bias")
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The layer's function."""
        batch, *sizes, _ = inputs.shape
        shape = [batch, *map(self._size, range(2), sizes), self.filters]
        y = tf.nn.conv2d_transpose(
            inputs, self.kernel, shape, self.strides, self.padding, dilations=self.dilation_rate
        )
        return self.activation(y if self.bias is None else y + self.bias)

    def _size(self, axis: int, n: int) -> int:
        """How many cells `n` become along an axis."""
        span = (self.kernel_size[axis] - 1) * self.dilation_rate[axis] + 1
        stride = self.strides[axis]
        if self.output_padding is not None:
            before = 2 * (span // 2) if self.padding == "SAME" else 0
            return (n - 1) * stride + span - before + self.output_padding[axis]
        return n * stride if self.padding == "SAME" else n * stride + max(span - stride, 0)


class DepthwiseConv2D(Conv2D):
    """Convolves each channel with `depth_multiplier` kernels of its own."""

    def __init__(
        self,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        depth_multiplier: int = 1,
        depthwise_initializer: Any = "glorot_uniform",
        **options: Any,
    ) -> None:
        options["kernel_initializer"] = depthwise_initializer
        super().__init__(0, kernel_size, strides, padding, **options)
        self.depth_multiplier = depth_multiplier

    def build(self, input_shape: Any) -> None:
        """Makes kernel and bias for inputs of `input_shape`."""
        channels = tuple(input_shape)[-1]
        shape = (*self.kernel_size, channels, self.depth_multiplier)
        self.kernel = self.add_weight(shape, self.kernel_initializer, name="kernel")
        if self.use_bias:
            size = (channels * self.depth_multiplier,)
            self.bias = self.add_weight(size, self.bias_initializer, name="bias")
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The layer's function."""
        strides = [1, *self.strides, 1]
        y = tf.nn.depthwise_conv2d(
            inputs, self.kernel, strides, self.padding, dilations=self.dilation_rate
        )
        return self.activation(y if self.bias is None else y + self.bias)


def per_axis(value: Any, rank: int) -> tuple[int, ...]:
    """A size for each axis, of one number or of one per axis."""
    if isinstance(value, int):
        return (value,) * rank
    what, example = "a size, strides or rate", f"strides={(1,) * rank}"
    return tuple(checked_items("layer", what, value, example))


def checked_padding(layer: Layer, padding: Any) -> str:
    """The name of a padding, if it is a text."""
    kind = type(layer).__name__
    return checked_text(kind, "padding", padding, f"{kind}(..., padding='same')").upper()


def check_layout(layer: Layer, data_format: str | None) -> None:
    """Raises: channels come first."""
    if data_format not in [None, "channels_last"]:
        raise ValueError(
            f"{type(layer).__name__}: data_format={data_format!r} is not supported on the CPU. "
            "Put the channels "
            "last, `tf.transpose(x, [0, 2, 3, 1])`, and leave data_format out."
        )
