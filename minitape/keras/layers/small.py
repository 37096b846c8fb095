"""Layers that are one function of one input, and have next to no variables."""

from __future__ import annotations

from typing import Any

import minitape as tf
from minitape.errors.of_arguments import checked_items, checked_number
from minitape.keras import activations
from minitape.keras.layers.arguments import positive
from minitape.keras.layers.base import Layer

__all__ = [
    "GaussianNoise", "Identity", "Lambda", "LeakyReLU", "PReLU", "Permute", "RepeatVector",
    "Rescaling", "Softmax",
]  # fmt: skip


class LeakyReLU(Layer):
    """The input where it is positive, else `negative_slope` times it.

    Args:
        negative_slope: the slope below 0, called `alpha` before Keras 3.

    Example:
        >>> import minitape as tf
        >>> tf.keras.layers.LeakyReLU(0.5)([[-2.0, 2.0]]).numpy().tolist()
        [[-1.0, 2.0]]
    """

    def __init__(self, negative_slope: float = 0.3, **options: Any) -> None:
        negative_slope = options.pop("alpha", negative_slope)
        super().__init__(**options)
        if checked_number("LeakyReLU", "negative_slope", negative_slope, "LeakyReLU(0.3)") < 0:
            raise ValueError(
                "The negative_slope value of a Leaky ReLU layer cannot be None or negative value. "
                f"Received: negative_slope={negative_slope}. Write for instance `LeakyReLU(0.3)`."
            )
        self.negative_slope = negative_slope

    def call(self, inputs: Any) -> Any:
        return tf.nn.leaky_relu(inputs, self.negative_slope)


class Softmax(Layer):
    """A distribution along an axis.

    Args:
        axis: the axis of the classes.

    Example:
        >>> import minitape as tf
        >>> tf.keras.layers.Softmax()([[0.0, 0.0]]).numpy().tolist()
        [[0.5, 0.5]]
    """

    def __init__(self, axis: int = -1, **options: Any) -> None:
        super().__init__(**options)
        self.axis = axis

    def call(self, inputs: Any) -> Any:
        return activations.softmax(inputs, self.axis)


class PReLU(Layer):
    """The input where it is positive, else a learnt slope times it."""

    weight_starts = {"alpha": "zeros"}

    def build(self, input_shape: Any) -> None:
        """Makes the slopes, one for each feature."""
        self.alpha = self.make_weight("alpha", tuple(input_shape)[1:])

    def call(self, inputs: Any) -> Any:
        return tf.nn.relu(inputs) - self.alpha * tf.nn.relu(-inputs)


class Lambda(Layer):
    """A function as a layer.

    Args:
        function: of the inputs.
        output_shape: accepted and not used; the function is run to see.
        arguments: keyword arguments for the function.

    Example:
        >>> import minitape as tf
        >>> tf.keras.layers.Lambda(lambda x: x**2)(tf.constant([3.0])).numpy().tolist()
        [9.0]
    """

    def __init__(
        self, function: Any, output_shape: Any = None, *, arguments: Any = None, **options: Any
    ) -> None:
        super().__init__(**options)
        self.function, self.arguments = function, arguments or {}

    def call(self, inputs: Any) -> Any:
        return self.function(inputs, **self.arguments)


class Permute(Layer):
    """The axes of examples in another order; `dims` counts them from 1."""

    def __init__(self, dims: Any, **options: Any) -> None:
        super().__init__(**options)
        self.dims = tuple(checked_items("Permute", "dims", dims, "Permute((2, 1))"))
        if sorted(self.dims) != [*range(1, len(self.dims) + 1)]:
            raise ValueError(
                "Invalid permutation argument `dims` for Permute Layer. The set of indices in "
                f"`dims` must be consecutive and start from 1. Received dims={self.dims}. Axis 0 "
                "is the batch, which stays. Write for instance `Permute((2, 1))`."
            )

    def call(self, inputs: Any) -> Any:
        return tf.transpose(inputs, [0, *self.dims])


class RepeatVector(Layer):
    """Each example [features] as n times of a sequence [n, features]."""

    def __init__(self, n: int, **options: Any) -> None:
        super().__init__(**options)
        self.n = positive(self, "n", n)

    def call(self, inputs: Any) -> Any:
        return tf.tile(tf.expand_dims(inputs, 1), [1, self.n, 1])


class GaussianNoise(Layer):
    """Adds normal numbers while training."""

    def __init__(self, stddev: float, seed: Any = None, **options: Any) -> None:
        super().__init__(**options)
        if not 0 <= checked_number("GaussianNoise", "stddev", stddev, "GaussianNoise(0.1)") <= 1:
            raise ValueError(
                "Invalid value received for argument `stddev`. Expected a float value between 0 "
                f"and 1. Received: stddev={stddev}. Scale the inputs where noise has to be larger."
            )
        self.stddev, self.seed = stddev, seed

    def call(self, inputs: Any, training: bool = False) -> Any:
        if not training:
            return inputs
        return inputs + tf.random.normal(
            inputs.shape, 0.0, self.stddev, inputs.dtype, seed=self.seed
        )


class Rescaling(Layer):
    """The product of the inputs with `scale`, plus `offset`."""

    def __init__(self, scale: Any, offset: Any = 0.0, **options: Any) -> None:
        super().__init__(**options)
        self.scale, self.offset = scale, offset

    def call(self, inputs: Any) -> Any:
        return tf.cast(inputs, self.dtype) * self.scale + self.offset


class Identity(Layer):
    """The inputs themselves."""

    def call(self, inputs: Any) -> Any:
        return inputs
