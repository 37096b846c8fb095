"""Layers that make images and sequences smaller or larger: pooling, repeating, margins."""

from __future__ import annotations

from typing import Any

import minitape as tf
from minitape.errors.of_arguments import checked_pair
from minitape.keras.layers.arguments import checked_padding, per_axis
from minitape.keras.layers.base import Layer

__all__ = [
    "AveragePooling1D", "AveragePooling2D", "AvgPool1D", "AvgPool2D", "GlobalAveragePooling1D",
    "GlobalAveragePooling2D", "GlobalAvgPool1D", "GlobalAvgPool2D", "GlobalMaxPool1D",
    "GlobalMaxPool2D", "GlobalMaxPooling1D", "GlobalMaxPooling2D", "MaxPool1D", "MaxPool2D",
    "MaxPooling1D", "MaxPooling2D", "UpSampling2D", "ZeroPadding2D",
]  # fmt: skip


class _Pooling(Layer):
    """What the pooling layers share: their arguments."""

    rank = 2
    pool: Any = None

    def __init__(
        self, pool_size: Any = 2, strides: Any = None, padding: str = "valid", **options: Any
    ) -> None:
        super().__init__(**options)
        self.pool_size = per_axis(self, "pool_size", pool_size, self.rank)
        strides = self.pool_size if strides is None else strides
        self.strides = per_axis(self, "strides", strides, self.rank)
        self.padding = checked_padding(self, padding)

    def call(self, inputs: Any) -> Any:
        return type(self).pool(inputs, self.pool_size, self.strides, self.padding.upper())


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


class _Global(Layer):
    """What the layers share that reduce all places of an image or sequence to one."""

    axes = [1, 2]
    reduced: Any = None

    def __init__(self, *, keepdims: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self.keepdims = keepdims

    def call(self, inputs: Any) -> Any:
        return type(self).reduced(inputs, axis=self.axes, keepdims=self.keepdims)


class GlobalAveragePooling2D(_Global):
    """The mean over height and width."""

    casts_integers = True
    reduced = staticmethod(tf.reduce_mean)


class GlobalMaxPooling2D(_Global):
    """The largest value over height and width."""

    reduced = staticmethod(tf.reduce_max)


class MaxPooling1D(_Pooling):
    """The largest value of each window of [batch, time, channels]."""

    rank = 1
    pool = staticmethod(tf.nn.max_pool1d)


class AveragePooling1D(_Pooling):
    """The mean of each window of [batch, time, channels]."""

    rank = 1
    pool = staticmethod(tf.nn.avg_pool1d)


class GlobalAveragePooling1D(GlobalAveragePooling2D):
    """The mean over time."""

    axes = [1]


class GlobalMaxPooling1D(GlobalMaxPooling2D):
    """The largest value over time."""

    axes = [1]


class UpSampling2D(Layer):
    """Every row and column `size` times.

    Args:
        size: how often: a number, or one per axis.
        interpolation: 'nearest', or 'bilinear' and others of `tf.image.resize`.

    Example:
        >>> import minitape as tf
        >>> tf.keras.layers.UpSampling2D(2)(tf.ones([1, 3, 3, 1])).shape
        TensorShape([1, 6, 6, 1])
    """

    def __init__(self, size: Any = 2, *, interpolation: str = "nearest", **options: Any) -> None:
        super().__init__(**options)
        self.size, self.interpolation = per_axis(self, "size", size, 2), interpolation

    def call(self, inputs: Any) -> Any:
        rows, columns = self.size
        if self.interpolation != "nearest":
            sizes = [inputs.shape[1] * rows, inputs.shape[2] * columns]
            return tf.image.resize(inputs, sizes, self.interpolation)
        return tf.repeat(tf.repeat(inputs, rows, axis=1), columns, axis=2)


class ZeroPadding2D(Layer):
    """Margins of zeros: a number, one per axis, or ((top, bottom), (left, right))."""

    def __init__(self, padding: Any = 1, **options: Any) -> None:
        super().__init__(**options)
        kind, example = type(self).__name__, f"{type(self).__name__}(((1, 1), (2, 2)))"
        both = (padding, padding) if isinstance(padding, int) else padding
        self.padding = tuple(
            (n, n) if isinstance(n, int) else checked_pair(kind, "padding", n, example)
            for n in checked_pair(kind, "padding", both, example)
        )

    def call(self, inputs: Any) -> Any:
        return tf.pad(inputs, [(0, 0), *self.padding, (0, 0)])


MaxPool1D = MaxPooling1D
MaxPool2D = MaxPooling2D
AvgPool1D = AveragePooling1D
AvgPool2D = AveragePooling2D
GlobalMaxPool1D = GlobalMaxPooling1D
GlobalMaxPool2D = GlobalMaxPooling2D
GlobalAvgPool1D = GlobalAveragePooling1D
GlobalAvgPool2D = GlobalAveragePooling2D
