"""Layers that run another layer: along time, and in both directions of it."""

from __future__ import annotations

import copy
from typing import Any

import minitape as tf
from minitape.errors.of_arguments import not_fitting
from minitape.keras.layers.base import Layer
from minitape.keras.layers.calling import build_inside

__all__ = ["Bidirectional", "TimeDistributed"]


class TimeDistributed(Layer):
    """A layer on every time of [batch, time, ...].

    Args:
        layer: the layer.

    Example:
        >>> import minitape as tf
        >>> tf.keras.layers.TimeDistributed(tf.keras.layers.Dense(2))(tf.ones([4, 5, 3])).shape
        TensorShape([4, 5, 2])
    """

    inner_layers = ("layer",)

    def __init__(self, layer: Layer, **options: Any) -> None:
        super().__init__(**options)
        if not isinstance(layer, Layer):
            example = "tf.keras.layers.TimeDistributed(tf.keras.layers.Dense(2))"
            raise not_fitting("TimeDistributed", "layer", layer, "a layer", example)
        self.layer = layer

    def build(self, input_shape: Any) -> None:
        """Makes the variables of the layer, for sequences of `input_shape`."""
        if len(input_shape) < 3:
            raise ValueError(
                "`TimeDistributed` Layer should be passed an `input_shape` with at least 3 "
                f"dimensions, received: {input_shape}. Its axes are [batch, time, ...]. Write "
                "`x[..., tf.newaxis]` for sequences of numbers."
            )
        batch, _, *features = input_shape
        build_inside(self, self.layer, (batch, *features))

    def call(self, inputs: Any) -> Any:
        batch, times = inputs.shape[0], inputs.shape[1]
        flat = self.layer(tf.reshape(inputs, [batch * times, *inputs.shape[2:]]))
        return tf.reshape(flat, [batch, times, *flat.shape[1:]])


class Bidirectional(Layer):
    """A recurrent layer forwards, and another like it backwards, their outputs put together.

    Args:
        layer: the recurrent layer.
        merge_mode: 'concat', 'sum', 'mul', 'ave', or None for a list of both.
        backward_layer: the other one; by default a copy of `layer` that runs backwards.

    Raises:
        TypeError: if `layer` is no recurrent layer.
        ValueError: for another `merge_mode`.

    Example:
        >>> import minitape as tf
        >>> tf.keras.layers.Bidirectional(tf.keras.layers.LSTM(4))(tf.ones([2, 5, 3])).shape
        TensorShape([2, 8])
    """

    _merges: dict[Any, Any] = {
        "concat": lambda a, b: tf.concat([a, b], -1),
        "sum": lambda a, b: a + b,
        "mul": lambda a, b: a * b,
        "ave": lambda a, b: (a + b) / 2,
        None: lambda a, b: [a, b],
    }

    inner_layers = ("layer", "backward_layer")

    def __init__(
        self,
        layer: Any,
        merge_mode: str | None = "concat",
        backward_layer: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        if merge_mode not in [*self._merges]:
            raise ValueError(
                f"Invalid merge mode. Received: {merge_mode!r}; there are {list(self._merges)}."
            )
        if not hasattr(layer, "go_backwards"):
            example = "tf.keras.layers.Bidirectional(tf.keras.layers.LSTM(8))"
            raise not_fitting("Bidirectional", "layer", layer, "a recurrent layer", example)
        self.forward_layer = self.layer = layer
        self.backward_layer = copy.deepcopy(layer) if backward_layer is None else backward_layer
        if backward_layer is None:
            self.backward_layer.go_backwards = not layer.go_backwards
            self.backward_layer._name = f"backward_{layer.name}"
            layer._name = f"forward_{layer.name}"
        self.merge_mode = merge_mode

    def build(self, input_shape: Any) -> None:
        """Makes the variables of both layers, for sequences of `input_shape`."""
        build_inside(self, self.forward_layer, input_shape)
        build_inside(self, self.backward_layer, input_shape)

    def call(
        self, inputs: Any, initial_state: Any = None, mask: Any = None, training: bool = False
    ) -> Any:
        states: Any = (None, None)
        if initial_state is not None:
            half = len(initial_state) // 2
            states = initial_state[:half], initial_state[half:]
        one = self.forward_layer(inputs, initial_state=states[0], mask=mask)
        two = self.backward_layer(inputs, initial_state=states[1], mask=mask)
        more: list[Any] = []
        if self.forward_layer.return_state:
            (one, *first), (two, *second) = one, two
            more = [*first, *second]
        if self.forward_layer.return_sequences:
            two = tf.reverse(two, axis=[1])
            if mask is not None:  # unlike one direction alone, both give 0 where nothing counts
                here = tf.cast(mask, "bool")[..., tf.newaxis]
                one, two = (tf.where(here, y, tf.zeros_like(y)) for y in (one, two))
        merged = self._merges[self.merge_mode](one, two)
        return (merged, *more) if more else merged
