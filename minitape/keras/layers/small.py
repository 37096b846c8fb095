"""Layers that are one function: activations with arguments, sums and joins of inputs."""

from __future__ import annotations

from typing import Any

import minitape as tf
from minitape.keras.layers.base import Layer


class LeakyReLU(Layer):
    """The input where it is positive, else `negative_slope` times it.

    Args:
        negative_slope: the slope below 0.
        **options: the arguments of `Layer`.

    Example:
        >>> import minitape as tf
        >>> tf.keras.layers.LeakyReLU(0.5)([[-2.0, 2.0]]).numpy().tolist()
        [[-1.0, 2.0]]
    """

    def __init__(self, negative_slope: float = 0.3, **options: Any) -> None:
        super().__init__(**options)
        self.negative_slope = negative_slope

    def call(self, inputs: Any) -> Any:
        """The layer's function."""
        return tf.nn.leaky_relu(inputs, self.negative_slope)


class Softmax(Layer):
    """A distribution along an axis.

    Args:
        axis: the axis of the classes.
        **options: the arguments of `Layer`.

    Example:
        >>> import minitape as tf
        >>> tf.keras.layers.Softmax()([[0.0, 0.0]]).numpy().tolist()
        [[0.5, 0.5]]
    """

    def __init__(self, axis: int = -1, **options: Any) -> None:
        super().__init__(**options)
        self.axis = axis

    def call(self, inputs: Any) -> Any:
        """The layer's function."""
        return tf.nn.softmax(inputs, axis=self.axis)


class Add(Layer):
    """The sum of a list of inputs, as in a residual connection.

    Example:
        >>> import minitape as tf
        >>> tf.keras.layers.Add()([tf.ones([2]), tf.ones([2])]).numpy().tolist()
        [2.0, 2.0]
    """

    def call(self, inputs: Any) -> Any:
        """The layer's function."""
        total = inputs[0]
        for each in inputs[1:]:
            total = total + each
        return total


class Concatenate(Layer):
    """A list of inputs side by side.

    Args:
        axis: the axis along which they are joined.
        **options: the arguments of `Layer`.

    Example:
        >>> import minitape as tf
        >>> tf.keras.layers.Concatenate()([tf.ones([1, 2]), tf.zeros([1, 1])]).numpy().tolist()
        [[1.0, 1.0, 0.0]]
    """

    def __init__(self, axis: int = -1, **options: Any) -> None:
        super().__init__(**options)
        self.axis = axis

    def call(self, inputs: Any) -> Any:
        """The layer's function."""
        return tf.concat(inputs, axis=self.axis)
