"""Layers without spatial structure: Dense, Embedding, Dropout and the like."""

from __future__ import annotations

from typing import Any

import minitape as tf
from minitape.errors import InvalidArgumentError, teach
from minitape.errors.of_arguments import checked_items, checked_number, checked_range
from minitape.errors.of_flags import checked_flag
from minitape.keras import activations
from minitape.keras.layers.arguments import positive
from minitape.keras.layers.base import Layer

__all__ = ["Activation", "Dense", "Dropout", "Embedding", "Flatten", "ReLU", "Reshape"]


class WithKernel(Layer):
    """Base of the layers that compute activation(f(x, kernel) + bias)."""

    weight_starts = {"kernel": "glorot_uniform", "bias": "zeros"}

    def __init__(self, activation: Any = None, use_bias: bool = True, **options: Any) -> None:
        super().__init__(**options)
        self.activation = activations.get(activation)
        self.use_bias = checked_flag(type(self).__name__, "use_bias", use_bias)
        self.kernel: Any = None
        self.bias: Any = None

    def make_bias(self, outputs: int) -> None:
        """Makes the bias."""
        if self.use_bias:
            self.bias = self.make_weight("bias", (outputs,))

    def finished(self, y: Any) -> Any:
        """The output, from the kernel's part of it."""
        return self.activation(y if self.bias is None else y + self.bias)


class Dense(WithKernel):
    """activation(x @ kernel + bias).

    Args:
        units: how many outputs.
        activation: a name, a function or None.
        use_bias: whether there is a bias.
        **options: `kernel_initializer`, `kernel_regularizer`, `kernel_constraint`, and these for
            the bias; what every layer takes.

    Raises:
        ValueError: if `units` is not positive, or a call's last axis is not the one it was built
            for.

    Example:
        >>> import minitape as tf
        >>> layer = tf.keras.layers.Dense(2, activation="relu")
        >>> layer(tf.ones([1, 3])).shape
        TensorShape([1, 2])
        >>> [v.name for v in layer.trainable_variables]
        ['kernel', 'bias']
    """

    casts_integers = True

    def __init__(
        self, units: int, activation: Any = None, use_bias: bool = True, **options: Any
    ) -> None:
        super().__init__(activation, use_bias, **options)
        self.units = positive(self, "units", units)

    def build(self, input_shape: Any) -> None:
        """Makes kernel and bias for inputs of `input_shape`, of which the last size counts."""
        if not tuple(input_shape):
            self._check_rank(input_shape)
        self.kernel = self.make_weight("kernel", (tuple(input_shape)[-1], self.units))
        self.make_bias(self.units)

    def _check_rank(self, shape: Any) -> None:
        if len(shape) < 2:
            raise ValueError(
                teach(
                    f"Input to layer '{self.name}' has shape {tuple(shape)}; expected min_ndim=2.",
                    "The last axis meets the rows of the kernel, the first is the batch.",
                    "Give a batch: `x[tf.newaxis]` makes one of a single example.",
                )
            )

    def call(self, inputs: Any) -> Any:
        self._check_rank(inputs.shape)
        if inputs.shape[-1] != self.kernel.shape[0]:
            raise InvalidArgumentError(
                teach(
                    f"Input of layer '{self.name}' is incompatible with the layer: expected axis "
                    f"-1 of input shape to have value {self.kernel.shape[0]}, but received input "
                    f"with shape {tuple(inputs.shape)}.",
                    f"Its kernel of shape {tuple(self.kernel.shape)} was built for that width.",
                    "Give inputs of that width, or make a new layer.",
                )
            )
        return self.finished(inputs @ self.kernel)


class Embedding(Layer):
    """Rows of a table: number i becomes row i.

    Args:
        input_dim: how many rows.
        output_dim: how long they are.
        input_length: accepted and not used.
        weights: the table itself, in a list.
        **options: `embeddings_initializer` and the like; what every layer takes.

    Example:
        >>> import minitape as tf
        >>> tf.keras.layers.Embedding(10, 4)(tf.constant([[1, 2, 3]])).shape
        TensorShape([1, 3, 4])
    """

    weight_starts = {"embeddings": "uniform"}
    input_dtype = "int32"

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        *,
        input_length: int | None = None,
        weights: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.input_dim = positive(self, "input_dim", input_dim)
        self.output_dim = positive(self, "output_dim", output_dim)
        if weights is not None:
            weights = checked_items("Embedding", "weights", weights, "weights=[table]")
        self._given = weights

    def build(self, input_shape: Any = None) -> None:
        self.embeddings = self.make_weight("embeddings", (self.input_dim, self.output_dim))
        if self._given is not None:
            self.embeddings.assign(self._given[0])

    def call(self, inputs: Any) -> Any:
        numbers = inputs if inputs.dtype.is_integer else tf.cast(inputs, "int32")
        return tf.gather(self.embeddings, numbers)


class Activation(Layer):
    """A function as a layer.

    Args:
        activation: a name or function.
    """

    def __init__(self, activation: Any, **options: Any) -> None:
        super().__init__(**options)
        self.activation = activations.get(activation)

    def call(self, inputs: Any) -> Any:
        return self.activation(inputs)


class ReLU(Layer):
    """max(x, 0) as a layer; see `tf.keras.activations.relu` for the arguments."""

    def __init__(
        self,
        max_value: float | None = None,
        negative_slope: float = 0.0,
        threshold: float = 0.0,
        **options: Any,
    ) -> None:
        numbers = {"negative_slope": negative_slope, "threshold": threshold}
        for argument, value in (numbers | {"max_value": max_value}).items():
            if value is not None:
                checked_range("ReLU", argument, value, 0.0)
        super().__init__(**options)
        self.max_value, self.negative_slope, self.threshold = max_value, negative_slope, threshold

    def call(self, inputs: Any) -> Any:
        return activations.relu(inputs, self.negative_slope, self.max_value, self.threshold)


class Flatten(Layer):
    """All axes but the first in one.

    Example:
        >>> import minitape as tf
        >>> tf.keras.layers.Flatten()(tf.ones([2, 3, 4])).shape
        TensorShape([2, 12])
    """

    def call(self, inputs: Any) -> Any:
        if not len(inputs.shape):
            raise ValueError(
                f"Input 0 of layer '{self.name}' is incompatible with the layer: expected "
                "min_ndim=1, found ndim=0. Full shape received: (). Its first axis is the batch. "
                "Write `x[tf.newaxis]` for a single number."
            )
        return tf.reshape(inputs, [inputs.shape[0], -1])


class Reshape(Layer):
    """Examples in another shape.

    Args:
        target_shape: the shape of one example.
    """

    def __init__(self, target_shape: Any, **options: Any) -> None:
        super().__init__(**options)
        example = "tf.keras.layers.Reshape([2, 3])"
        self.target_shape = tuple(checked_items("Reshape", "target_shape", target_shape, example))

    def call(self, inputs: Any) -> Any:
        return tf.reshape(inputs, [inputs.shape[0], *self.target_shape])


class Dropout(Layer):
    """Drops elements at random while training; the identity otherwise.

    Args:
        rate: the share of elements to drop.
        noise_shape: see `tf.nn.dropout`.
        seed: makes the choice repeatable.

    Raises:
        ValueError: if `rate` is outside of [0, 1].

    Example:
        >>> import minitape as tf
        >>> tf.keras.layers.Dropout(0.5)(tf.ones([3])).numpy().tolist()
        [1.0, 1.0, 1.0]
    """

    def __init__(
        self, rate: float, noise_shape: Any = None, seed: Any = None, **options: Any
    ) -> None:
        super().__init__(**options)
        if not 0 <= checked_number("Dropout", "rate", rate, "Dropout(0.5)") <= 1:
            raise ValueError(
                f"Invalid value received for argument `rate`. Expected a float value between 0 "
                f"and 1. Received: rate={rate}."
            )
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    def call(self, inputs: Any, training: bool = False) -> Any:
        if not training or self.rate == 0:
            return inputs
        return tf.nn.dropout(inputs, self.rate, self.noise_shape, self.seed)
