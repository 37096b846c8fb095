"""Layers on images [batch, height, width, channels] and sequences: convolutions and pooling."""

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
        padding: 'valid' or 'same'.
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
        _check_layout(self, data_format)
        self.filters, self.use_bias = filters, use_bias
        self.kernel_size = _per_axis(kernel_size, self.rank)
        self.strides, self.dilation_rate = (
            _per_axis(strides, self.rank),
            _per_axis(dilation_rate, self.rank),
        )
        self.padding = _checked_padding(self, padding)
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
        y = tf.nn.convolution(
            inputs, self.kernel, self.strides, self.padding, dilations=self.dilation_rate
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


class _Pooling(Layer):
    """What the pooling layers share: their arguments."""

    pool: Any = None

    def __init__(
        self,
        pool_size: Any = 2,
        strides: Any = None,
        padding: str = "valid",
        data_format: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        _check_layout(self, data_format)
        self.pool_size = _per_axis(pool_size, 2)
        self.strides = self.pool_size if strides is None else _per_axis(strides, 2)
        self.padding = _checked_padding(self, padding)

    def call(self, inputs: Any) -> Any:
        """The layer's function."""
        return type(self).pool(inputs, self.pool_size, self.strides, self.padding)


class MaxPooling2D(_Pooling):
    """The largest value of each window.

    Example:
        >>> import minitape as tf
        >>> tf.keras.layers.MaxPooling2D()(tf.ones([1, 4, 4, 2])).shape
        TensorShape([1, 2, 2, 2])
    """

    pool = staticmethod(tf.nn.max_pool2d)


class AveragePooling2D(_Pooling):
    """The mean of each window."""

    pool = staticmethod(tf.nn.avg_pool2d)


class GlobalAveragePooling2D(Layer):
    """The mean over height and width."""

    def call(self, inputs: Any) -> Any:
        """The layer's function."""
        return tf.reduce_mean(inputs, axis=[1, 2])


class GlobalMaxPooling2D(Layer):
    """The largest value over height and width."""

    def call(self, inputs: Any) -> Any:
        """The layer's function."""
        return tf.reduce_max(inputs, axis=[1, 2])


def _per_axis(value: Any, rank: int) -> tuple[int, ...]:
    if isinstance(value, int):
        return (value,) * rank
    what, example = "a size, strides or rate", f"strides={(1,) * rank}"
    return tuple(checked_items("layer", what, value, example))


def _checked_padding(layer: Layer, padding: Any) -> str:
    kind = type(layer).__name__
    return checked_text(kind, "padding", padding, f"{kind}(..., padding='same')").upper()


def _check_layout(layer: Layer, data_format: str | None) -> None:
    if data_format not in [None, "channels_last"]:
        raise ValueError(
            f"{type(layer).__name__}: data_format={data_format!r} is not supported on the CPU. "
            "Put the channels "
            "last, `tf.transpose(x, [0, 2, 3, 1])`, and leave data_format out."
        )
