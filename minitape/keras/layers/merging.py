"""Layers that make one of several inputs, and the functions of their names."""

from __future__ import annotations

from typing import Any

import minitape as tf
from minitape.errors.of_arguments import checked_pair
from minitape.keras.layers.base import Layer


class _Merge(Layer):
    """A function of two inputs, applied to all of a list from left to right."""

    def merge(self, a: Any, b: Any) -> Any:
        """One of two."""
        raise NotImplementedError

    def call(self, inputs: Any) -> Any:
        """The layer's function.

        Raises:
            ValueError: if the inputs are no list.
        """
        if not isinstance(inputs, list | tuple):
            raise ValueError(
                f"A merge layer should be called on a list of inputs; {self.name} got one tensor. "
                "Write `layer([a, b])`."
            )
        total = inputs[0]
        for each in inputs[1:]:
            total = self.merge(total, each)
        return total


class Add(_Merge):
    """The sum of a list of inputs, as in a residual connection.

    Example:
        >>> import minitape as tf
        >>> tf.keras.layers.Add()([tf.ones([2]), tf.ones([2])]).numpy().tolist()
        [2.0, 2.0]
    """

    def merge(self, a: Any, b: Any) -> Any:
        """The sum."""
        return a + b


class Subtract(_Merge):
    """The first input less the second."""

    def merge(self, a: Any, b: Any) -> Any:
        """The difference."""
        return a - b


class Multiply(_Merge):
    """The product of a list of inputs, element by element."""

    def merge(self, a: Any, b: Any) -> Any:
        """The product."""
        return a * b


class Maximum(_Merge):
    """The largest of a list of inputs, element by element."""

    def merge(self, a: Any, b: Any) -> Any:
        """The larger one."""
        return tf.maximum(a, b)


class Minimum(_Merge):
    """The smallest of a list of inputs, element by element."""

    def merge(self, a: Any, b: Any) -> Any:
        """The smaller one."""
        return tf.minimum(a, b)


class Average(Add):
    """The mean of a list of inputs, element by element."""

    def call(self, inputs: Any) -> Any:
        """The layer's function."""
        return super().call(inputs) / len(inputs)


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


class Dot(Layer):
    """The products of two inputs [batch, ...], summed along an axis of each.

    Args:
        axes: that axis, or one for each input.
        normalize: whether both are scaled to length 1 first, which gives the cosine.
        **options: the arguments of `Layer`.
    """

    def __init__(self, axes: Any, normalize: bool = False, **options: Any) -> None:
        super().__init__(**options)
        if not isinstance(axes, int):
            axes = checked_pair("Dot", "axes", axes, "tf.keras.layers.Dot(axes=(1, 2))")
        self.axes, self.normalize = axes, normalize

    def call(self, inputs: Any) -> Any:
        """The layer's function."""
        a, b = inputs
        first, second = (self.axes, self.axes) if isinstance(self.axes, int) else self.axes
        if self.normalize:
            a, b = tf.nn.l2_normalize(a, first), tf.nn.l2_normalize(b, second)
        letters_a, letters_b = "zabcd"[: len(a.shape)], "zefgh"[: len(b.shape)]
        letters_b = letters_b.replace(letters_b[second], letters_a[first])
        kept = [c for c in letters_a[1:] + letters_b[1:] if c != letters_a[first]]
        out = tf.einsum(f"{letters_a},{letters_b}->z{''.join(kept)}", a, b)
        return out if kept else tf.expand_dims(out, -1)


def add(inputs: Any, **options: Any) -> Any:
    """`Add()(inputs)`."""
    return Add(**options)(inputs)


def subtract(inputs: Any, **options: Any) -> Any:
    """`Subtract()(inputs)`."""
    return Subtract(**options)(inputs)


def multiply(inputs: Any, **options: Any) -> Any:
    """`Multiply()(inputs)`."""
    return Multiply(**options)(inputs)


def maximum(inputs: Any, **options: Any) -> Any:
    """`Maximum()(inputs)`."""
    return Maximum(**options)(inputs)


def minimum(inputs: Any, **options: Any) -> Any:
    """`Minimum()(inputs)`."""
    return Minimum(**options)(inputs)


def average(inputs: Any, **options: Any) -> Any:
    """`Average()(inputs)`."""
    return Average(**options)(inputs)


def concatenate(inputs: Any, axis: int = -1, **options: Any) -> Any:
    """`Concatenate(axis)(inputs)`."""
    return Concatenate(axis, **options)(inputs)


def dot(inputs: Any, axes: Any = -1, **options: Any) -> Any:
    """`Dot(axes)(inputs)`."""
    return Dot(axes, **options)(inputs)
