"""Layers that bring activations to mean 0 and variance 1."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np

import minitape as tf
from minitape.errors.of_arguments import checked_range
from minitape.keras import initializers
from minitape.keras.config import epsilon
from minitape.keras.layers.base import Layer
from minitape.tensors.assigning import assign_all

__all__ = ["BatchNormalization", "LayerNormalization", "Normalization"]


class _Normalising(Layer):
    """What both share: a learnt factor `gamma` and a learnt offset `beta`."""

    weight_starts = {"beta": "zeros", "gamma": "ones"}
    casts_integers = True

    def __init__(
        self,
        axis: Any = -1,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        **options: Any,
    ) -> None:
        checked_range(type(self).__name__, "epsilon", epsilon, 0.0)
        super().__init__(**options)
        self.axis, self.epsilon, self.center, self.scale = axis, epsilon, center, scale
        self.gamma: Any = None
        self.beta: Any = None

    def make_weights(self, size: tuple[int, ...]) -> None:
        """Makes factor and offset, one number per feature."""
        if self.scale:
            self.gamma = self.make_weight("gamma", size)
        if self.center:
            self.beta = self.make_weight("beta", size)


class BatchNormalization(_Normalising):
    """Normalises each channel, with the batch's moments while training, else with moving averages.

    Args:
        axis: the axis of the channels.
        momentum: how slowly the moving averages move.
        epsilon: keeps the root from 0.
        center: whether a learnt offset `beta` is added.
        scale: whether a learnt factor `gamma` is applied.

    Example:
        >>> import minitape as tf
        >>> layer = tf.keras.layers.BatchNormalization()
        >>> y = layer(tf.constant([[1.0], [3.0]]), training=True)
        >>> [round(v, 2) for v in y.numpy().ravel().tolist()]
        [-1.0, 1.0]
        >>> [v.name for v in layer.non_trainable_variables]
        ['moving_mean', 'moving_variance']
    """

    def __init__(
        self,
        axis: int = -1,
        momentum: float = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        *,
        moving_mean_initializer: Any = "zeros",
        moving_variance_initializer: Any = "ones",
        **options: Any,
    ) -> None:
        super().__init__(axis, epsilon, center, scale, **options)
        self.momentum = momentum
        self.moving_mean_initializer = initializers.get(moving_mean_initializer)
        self.moving_variance_initializer = initializers.get(moving_variance_initializer)
        self.moving_mean: Any = None
        self.moving_variance: Any = None

    def build(self, input_shape: Any) -> None:
        """Makes the variables, one number per channel."""
        shape = tuple(input_shape)
        if not -len(shape) <= self.axis < len(shape):
            raise ValueError(
                f"Layer '{self.name}': axis={self.axis} is out of range for an input of shape "
                f"{shape}. It is the axis of the channels. Use axis=-1 where they come last."
            )
        size = (shape[self.axis],)
        self.make_weights(size)
        for name in ("moving_mean", "moving_variance"):
            start = getattr(self, f"{name}_initializer")
            setattr(self, name, self.add_weight(size, start, trainable=False, name=name))

    def call(self, inputs: Any, training: bool = False) -> Any:
        rank = len(inputs.shape)
        channels = self.axis % rank
        others = [i for i in range(rank) if i != channels]
        if training and self.trainable:
            mean, variance = tf.nn.moments(inputs, others)
            self._follow(self.moving_mean, mean)
            self._follow(self.moving_variance, variance)
        else:
            mean, variance = self.moving_mean, self.moving_variance

        def fit(value: Any) -> Any:
            if value is None or channels == rank - 1:
                return value
            return tf.reshape(value, [-1 if i == channels else 1 for i in range(rank)])

        mean, variance, beta, gamma = map(fit, (mean, variance, self.beta, self.gamma))
        return tf.nn.batch_normalization(inputs, mean, variance, beta, gamma, self.epsilon)

    def _follow(self, average: Any, value: Any) -> None:
        """Moves a moving average a little towards `value`."""
        share = 1.0 - self.momentum
        average.assign_sub((average - tf.stop_gradient(value)) * share)


class LayerNormalization(_Normalising):
    """Normalises each example over its own features (Ba et al. 2016).

    Args:
        axis: the axes of the features.
        epsilon: keeps the root from 0.
        center: whether a learnt offset `beta` is added.
        scale: whether a learnt factor `gamma` is applied.

    Example:
        >>> import minitape as tf
        >>> y = tf.keras.layers.LayerNormalization()(tf.constant([[1.0, 3.0]]))
        >>> [round(v, 2) for v in y.numpy().ravel().tolist()]
        [-1.0, 1.0]
    """

    def build(self, input_shape: Any) -> None:
        """Makes the variables, one number per feature."""
        self.make_weights(tuple(tuple(input_shape)[i] for i in self._axes()))

    def _axes(self) -> list[int]:
        return [self.axis] if isinstance(self.axis, int) else list(self.axis)

    def call(self, inputs: Any) -> Any:
        rank = len(inputs.shape)
        axes = [i % rank for i in self._axes()]
        shape = [n if i in axes else 1 for i, n in enumerate(tuple(inputs.shape))]
        mean, variance = tf.nn.moments(inputs, axes, keepdims=True)
        beta, gamma = (None if v is None else tf.reshape(v, shape) for v in (self.beta, self.gamma))
        return tf.nn.batch_normalization(inputs, mean, variance, beta, gamma, self.epsilon)


class Normalization(Layer):
    """Brings the features of the data that it was adapted to to mean 0 and variance 1.

    Nothing of it is learnt: `adapt` measures mean and variance once, before the training.

    Args:
        axis: the axes that keep a mean of their own; None for one mean of everything.

    Example:
        >>> import minitape as tf
        >>> layer = tf.keras.layers.Normalization()
        >>> layer.adapt([[1.0], [3.0]])
        >>> layer(tf.constant([[5.0]])).numpy()
        array([[3.]], dtype=float32)
    """

    casts_integers = True

    def __init__(self, axis: Any = -1, **options: Any) -> None:
        super().__init__(**options)
        self.axis = () if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
        self._moments: Any = None
        self._others: tuple[int, ...] = ()

    def build(self, input_shape: Any) -> None:
        """Makes the variables, which no training changes; until `adapt` they change nothing."""
        rank = len(input_shape)
        kept = sorted(i % rank for i in self.axis)
        self._others = tuple(i for i in range(rank) if i not in kept)
        self._shape = [input_shape[i] if i in kept else 1 for i in range(rank)]
        size = tuple(input_shape[i] for i in kept)
        self._moments = tuple(
            self.add_weight(size, start, trainable=False, name=name)
            for name, start in (("mean", "zeros"), ("variance", "ones"))
        )
        self._count = self.add_weight((), "zeros", "int64", trainable=False, name="count")

    def adapt(self, data: Any, batch_size: int | None = None, steps: int | None = None) -> None:
        """Measures mean and variance of `data`, and forgets earlier ones.

        Args:
            data: an array or tensor, or a dataset of batches.
            batch_size: changes nothing.
            steps: how many batches of a dataset are read; None for all.
        """
        if isinstance(data, tf.data.Dataset):
            data = np.concatenate([np.asarray(batch) for batch in islice(data, steps)])
        array = np.asarray(data, np.float64)
        if not array.size:
            raise ValueError(
                f"adapt: the data have shape {array.shape}, and no elements. There is no mean of "
                "nothing. Give the rows that the layer is to be adapted to."
            )
        self._build_once(array)
        measured = array.mean(self._others), array.var(self._others)
        shaped = [
            np.reshape(value, variable.shape)
            for variable, value in zip(self._moments, measured, strict=True)
        ]
        assign_all(self._moments, shaped)

    @property
    def mean(self) -> Any:
        """The mean, with an axis for each axis of the data."""
        return self._broadcast(0)

    @property
    def variance(self) -> Any:
        """The variance, with an axis for each axis of the data."""
        return self._broadcast(1)

    def _broadcast(self, which: int) -> Any:
        if self._moments is None:
            raise AttributeError("The layer has no moments yet. Call `layer.adapt(data)` first.")
        return tf.reshape(self._moments[which], self._shape)

    def call(self, inputs: Any) -> Any:
        deviation = tf.maximum(tf.sqrt(self.variance), epsilon())
        return (inputs - self.mean) / deviation
