"""`Input`: where a functional model, or a `Sequential` that is to be built at once, begins."""

from __future__ import annotations

from typing import Any

from minitape.errors.of_arguments import checked_items, not_fitting
from minitape.keras.absent_arguments import refuse_unknown
from minitape.keras.layers.base import Layer
from minitape.keras.symbols import KerasTensor, Node

__all__ = ["Input", "InputLayer"]


class InputLayer(Layer):
    """Says what shape examples have, and passes them on.

    Args:
        shape: of one example.
        batch_size: how many there are, where that is fixed.
        dtype: of the examples.
        input_shape: the same as `shape`, as it was called before Keras 3.
    """

    def __init__(
        self,
        shape: Any = None,
        batch_size: int | None = None,
        dtype: Any = None,
        input_shape: Any = None,
        batch_shape: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(dtype=dtype, **options)
        if batch_shape is not None:
            example = "tf.keras.Input(batch_shape=[None, 3])"
            sizes = checked_items("Input", "batch_shape", batch_shape, example)
            if not sizes:
                raise not_fitting("Input", "batch_shape", batch_shape, "not empty", example)
            batch_size, *shape = sizes
        shape = input_shape if shape is None else shape
        if shape is None:
            raise ValueError("You must pass a `shape` argument, such as Input(shape=(3,)).")
        shape = tuple(checked_items("Input", "input_shape", shape, "tf.keras.Input([3])"))
        self.example_shape, self.batch_shape, self.built = shape, (batch_size, *shape), True
        symbol = KerasTensor(self.batch_shape, self.dtype, self.name)
        symbol.node = node = Node.__new__(Node)  # which nothing leads to
        node.operation, node.args, node.kwargs = self, (symbol,), {}
        node.inputs, node.outputs = [], symbol
        self.nodes.append(node)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make another one like it, by their names."""
        return {"batch_shape": self.batch_shape, "dtype": self.dtype, "name": self.name}

    def call(self, inputs: Any) -> Any:
        """The examples themselves."""
        return inputs


def Input(  # noqa: N802  # Keras's name
    shape: Any = None,
    batch_size: int | None = None,
    dtype: Any = None,
    *,
    batch_shape: Any = None,
    name: str | None = None,
    **options: Any,
) -> KerasTensor:
    """A symbol for examples of `shape`, to call layers with.

    Args:
        shape: of one example; None for sizes that differ from batch to batch.
        batch_size: how many examples there are, where that is fixed.
        dtype: of the examples.
        batch_shape: shape with the batch's size.
        name: of the input.
        **options: not part of minitape.

    Raises:
        ValueError: without a shape.

    Example:
        >>> import minitape as tf
        >>> x = tf.keras.Input([3])
        >>> model = tf.keras.Model(x, tf.keras.layers.Dense(2)(x))
        >>> model(tf.ones([5, 3])).shape
        TensorShape([5, 2])
    """
    refuse_unknown("Input", options, "There are shape, batch_size, dtype, batch_shape and name.")
    layer = InputLayer(shape, batch_size, dtype, batch_shape=batch_shape, name=name or None)
    found: Any = layer.output
    return found  # type: ignore[no-any-return]


def input_layer_of(x: Any) -> Any:
    """The layer behind what `Input` gave; anything else as it is."""
    made = x.node.operation if isinstance(x, KerasTensor) and x.node is not None else x
    return made if isinstance(made, InputLayer) else x
