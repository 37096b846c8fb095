"""Layers that make one of several inputs, and the functions of their names."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import minitape as tf
from minitape.errors.of_arguments import checked_pair
from minitape.keras.layers.base import Layer
from minitape.keras.loss_functions import EPSILON

__all__ = [
    "Add", "Average", "Concatenate", "Dot", "Maximum", "Minimum", "Multiply", "Subtract", "add",
    "average", "concatenate", "dot", "maximum", "minimum", "multiply", "subtract",
]  # fmt: skip


class _Merge(Layer):
    """A function of two inputs, applied to all of a list from left to right."""

    merge: Any = None

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
        return reduce(type(self).merge, _of_one_dtype(inputs))


def _of_one_dtype(inputs: Any) -> list[Any]:
    """The inputs; where there are whole and floating numbers, all of them floating."""
    floating = [x.dtype for x in inputs if x.dtype.is_floating]
    return [tf.cast(x, floating[0]) for x in inputs] if floating else list(inputs)


class Add(_Merge):
    """The sum of a list of inputs, as in a residual connection.

    Example:
        >>> import minitape as tf
        >>> tf.keras.layers.Add()([tf.ones([2]), tf.ones([2])]).numpy().tolist()
        [2.0, 2.0]
    """

    merge = staticmethod(tf.add)


class Subtract(_Merge):
    """The first input less the second."""

    merge = staticmethod(tf.subtract)

    def call(self, inputs: Any) -> Any:
        if isinstance(inputs, list | tuple) and len(inputs) != 2:
            raise ValueError(
                "A `Subtract` layer should be called on exactly 2 inputs. "
                f"{self.name} got {len(inputs)}. Write `layer([a, b])`."
            )
        return super().call(inputs)


class Multiply(_Merge):
    """The product of a list of inputs, element by element."""

    merge = staticmethod(tf.multiply)


class Maximum(_Merge):
    """The largest of a list of inputs, element by element."""

    merge = staticmethod(tf.maximum)


class Minimum(_Merge):
    """The smallest of a list of inputs, element by element."""

    merge = staticmethod(tf.minimum)


class Average(Add):
    """The mean of a list of inputs, element by element."""

    def call(self, inputs: Any) -> Any:
        return super().call(inputs) / len(inputs)


class Concatenate(Layer):
    """A list of inputs side by side.

    Args:
        axis: the axis along which they are joined.

    Example:
        >>> import minitape as tf
        >>> tf.keras.layers.Concatenate()([tf.ones([1, 2]), tf.zeros([1, 1])]).numpy().tolist()
        [[1.0, 1.0, 0.0]]
    """

    def __init__(self, axis: int = -1, **options: Any) -> None:
        super().__init__(**options)
        self.axis = axis

    def call(self, inputs: Any) -> Any:
        return tf.concat(_of_one_dtype(inputs), axis=self.axis)


class Dot(Layer):
    """The products of two inputs [batch, ...], summed along an axis of each.

    Args:
        axes: that axis, or one for each input.
        normalize: whether both are scaled to length 1 first, which gives the cosine.
    """

    def __init__(self, axes: Any, normalize: bool = False, **options: Any) -> None:
        super().__init__(**options)
        if not isinstance(axes, int):
            axes = checked_pair("Dot", "axes", axes, "tf.keras.layers.Dot(axes=(1, 2))")
        self.axes, self.normalize = axes, normalize

    def call(self, inputs: Any) -> Any:
        a, b = checked_pair("Dot", "inputs", inputs, "tf.keras.layers.Dot(1)([x, y])")
        first, second = (self.axes, self.axes) if isinstance(self.axes, int) else self.axes
        if self.normalize:
            a = tf.nn.l2_normalize(a, first, EPSILON**2)
            b = tf.nn.l2_normalize(b, second, EPSILON**2)
        letters_a, letters_b = "zabcd"[: len(a.shape)], "zefgh"[: len(b.shape)]
        letters_b = letters_b.replace(letters_b[second], letters_a[first])
        kept = [c for c in letters_a[1:] + letters_b[1:] if c != letters_a[first]]
        out = tf.einsum(f"{letters_a},{letters_b}->z{''.join(kept)}", a, b)
        return out if kept else tf.expand_dims(out, -1)


def _function(layer: type[Layer]) -> Callable[..., Any]:
    """The function of a layer's name: what stands behind the inputs goes to the layer."""

    def merged(inputs: Any, *args: Any, **options: Any) -> Any:
        return layer(*args, **options)(inputs)

    merged.__name__ = merged.__qualname__ = layer.__name__.lower()
    merged.__doc__ = f"`{layer.__name__}(...)(inputs)`."
    return merged


add, subtract, multiply = _function(Add), _function(Subtract), _function(Multiply)
maximum, minimum, average = _function(Maximum), _function(Minimum), _function(Average)
concatenate, dot = _function(Concatenate), _function(Dot)
