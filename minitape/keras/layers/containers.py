"""Layers made of layers: `Sequential`, and `Model` to derive from.

The one fact to know: a model is a layer whose attributes are layers; the variables are found there.
"""

from __future__ import annotations

from typing import Any

import minitape as tf
from minitape.interpreter import only
from minitape.keras.layers.base import Layer


class InputLayer(Layer):
    """Says what shape examples have, and passes them on.

    Args:
        shape: of one example.
        dtype: of the examples.
        **options: the arguments of `Layer`.
    """

    def __init__(self, shape: Any = None, dtype: Any = None, **options: Any) -> None:
        super().__init__(dtype=dtype, input_shape=shape, **options)
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The examples themselves."""
        return inputs


def Input(shape: Any = None, dtype: Any = None, name: str | None = None) -> InputLayer:  # noqa: N802  # Keras's name
    """The first entry of a `Sequential` that is to be built at once.

    Example:
        >>> import minitape as tf
        >>> model = tf.keras.Sequential([tf.keras.Input([3]), tf.keras.layers.Dense(2)])
        >>> len(model.trainable_variables)
        2
    """
    return InputLayer(shape, dtype, name=name)


class Model(Layer):
    """A layer made of layers. Make them in `__init__` and use them in `call`.

    Example:
        >>> import minitape as tf
        >>> class Net(tf.keras.Model):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.hidden = tf.keras.layers.Dense(4, activation="relu")
        ...         self.top = tf.keras.layers.Dense(1)
        ...
        ...     def call(self, x):
        ...         return self.top(self.hidden(x))
        >>> net = Net()
        >>> net(tf.ones([2, 3])).shape, len(net.trainable_variables)
        (TensorShape([2, 1]), 4)
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        if args or {"inputs", "outputs"} & set(options):
            raise NotImplementedError(
                "keras.Model(inputs, outputs), the functional form, is not part of minitape. "
                "Derive a class from tf.keras.Model, or use tf.keras.Sequential."
            )
        super().__init__(**options)

    @property
    def layers(self) -> list[Layer]:
        """The layers that are attributes of this model."""
        return [leaf for leaf in self._leaves() if isinstance(leaf, Layer)]


class Sequential(Model):
    """Layers one after the other.

    Args:
        layers: the layers; `Input(shape)` first, or `input_shape=` of the first layer, builds
            them now.
        **options: the arguments of `Layer`.

    Example:
        >>> import minitape as tf
        >>> model = tf.keras.Sequential([tf.keras.layers.Dense(4), tf.keras.layers.Dense(1)])
        >>> model(tf.ones([2, 3])).shape
        TensorShape([2, 1])
    """

    def __init__(self, layers: Any = None, trainable: bool = True, name: str | None = None) -> None:
        super().__init__(trainable=trainable, name=name)
        self._stack: list[Any] = []
        self.built = True  # its layers build themselves
        if callable(layers) or not hasattr(layers or (), "__iter__"):
            raise TypeError(
                f"Sequential takes a list of layers; got {layers!r:.80}. It runs them in order. "
                "Write `tf.keras.Sequential([layer, ...])`."
            )
        for layer in layers or ():
            self.add(layer)

    def add(self, layer: Any) -> None:
        """Puts a layer, or a function, at the end."""
        if not callable(layer):
            raise ValueError(
                f"Only layers and functions can be added to a Sequential; got {layer!r}. "
                "Write for instance `model.add(tf.keras.layers.Dense(2))`."
            )
        self._stack.append(layer)
        first = self._stack[0]
        if getattr(first, "input_shape", None) is not None:
            with only(()):
                self(tf.zeros((1, *first.input_shape), first.dtype))

    def pop(self) -> Any:
        """Takes the last layer away and returns it."""
        return self._stack.pop()

    def build(self, input_shape: Any) -> None:
        """Builds all layers for inputs of `input_shape`."""
        with only(()):
            self(tf.zeros([1 if n is None else n for n in input_shape]))

    @property
    def layers(self) -> list[Any]:
        """The layers in order."""
        return [each for each in self._stack if not isinstance(each, InputLayer)]

    def call(self, inputs: Any) -> Any:
        """The layers one after the other; `training` reaches those that ask for it."""
        for layer in self._stack:
            inputs = layer(inputs)
        return inputs
