"""`Sequential`: layers one after the other."""

from __future__ import annotations

from typing import Any, Self

import minitape as tf
from minitape.keras.configs import arguments_in, layer_of, plain
from minitape.keras.layers.base import Layer
from minitape.keras.layers.calling import running_in, training_set
from minitape.keras.layers.inputs import Input, InputLayer, input_layer_of
from minitape.keras.models.model import Model
from minitape.keras.models.network import of_rank
from minitape.tensor import Operators


class Sequential(Model):
    """Layers one after the other.

    Args:
        layers: the layers; `Input(shape)` first, or `input_shape=` of the first layer, builds
            them now.
        trainable: whether the layers are learnt.
        name: by default "sequential", with a number if that is taken.

    Raises:
        TypeError: if `layers` is no list.
        ValueError: for an entry that is no layer.

    Example:
        >>> import minitape as tf
        >>> model = tf.keras.Sequential([tf.keras.layers.Dense(4), tf.keras.layers.Dense(1)])
        >>> model(tf.ones([2, 3])).shape
        TensorShape([2, 1])
    """

    def __init__(self, layers: Any = None, trainable: bool = True, name: str | None = None) -> None:
        super().__init__(trainable=trainable, name=name)
        self._stack: list[Any] = []
        self._symbols: list[Any] = []  # what goes into the first layer, and what each gives
        if callable(layers) or not hasattr(layers or (), "__iter__"):
            raise TypeError(
                f"Sequential takes a list of layers; got {layers!r:.80}. It runs them in order. "
                "Write `tf.keras.Sequential([layer, ...])`."
            )
        for layer in layers or ():
            self.add(layer)

    def get_config(self) -> dict[str, Any]:
        """What makes another model like it: its layers, each with its config."""
        config = super().get_config()
        first = [input_layer_of(x) for x in self._symbols[:1]]
        config["layers"] = [plain(layer) for layer in [*first, *self.layers]]
        if self._symbols:
            config["build_input_shape"] = self._symbols[0].shape
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """A model like that which gave `config`, with variables of its own.

        Example:
            >>> import minitape as tf
            >>> model = tf.keras.Sequential([tf.keras.Input([2]), tf.keras.layers.Dense(3)])
            >>> tf.keras.Sequential.from_config(model.get_config()).output_shape
            (None, 3)
        """
        given = arguments_in(cls.__name__, config)
        layers = layer_of(given.get("layers", []))
        return cls(layers, given.get("trainable", True), given.get("name"))

    @property
    def input_dtype(self) -> str | None:  # type: ignore[override]
        """What floating inputs are cast to: once it is built, the dtype of its first input."""
        return self._symbols[0].dtype.name if self._symbols else None

    def add(self, layer: Any) -> None:
        """Puts a layer at the end."""
        layer = input_layer_of(layer)
        if not isinstance(layer, Layer):
            raise ValueError(
                "Only instances of `keras.Layer` can be added to a Sequential model. Received: "
                f"{layer!r:.100}. {_instead(layer)}"
            )
        if any(each is not layer and each.name == layer.name for each in self.layers):
            raise ValueError(
                "All layers added to a Sequential model should have unique names. Name "
                f"{layer.name!r} is already the name of a layer in this model. `get_layer` finds "
                "layers by it. Update the `name` argument to pass a unique name."
            )
        before = list(self._stack), list(self._symbols)
        try:
            self._put(layer)
        except BaseException:
            self._stack, self._symbols = before
            raise

    def _put(self, layer: Any) -> None:
        if isinstance(layer, InputLayer):
            self._symbols = [layer.output]
        elif not self._stack and getattr(layer, "example_shape", None) is not None:
            self._symbols = [Input(layer.example_shape, dtype=_input_dtype(layer))]
        elif not self._stack and isinstance(layer, Model) and layer.ends()[0]:
            first = layer.inputs[0]
            self._symbols = [Input(batch_shape=first.shape, dtype=first.dtype)]
        self._stack.append(layer)
        if self._symbols and not isinstance(layer, InputLayer):
            self._symbols.append(self._inside(layer, self._symbols[-1]))
        self.built = bool(self._symbols)

    def _inside(self, layer: Any, symbol: Any) -> Any:
        """What a layer makes of a symbol; the paths of its variables begin with this model."""
        try:
            with running_in(self):
                return layer(symbol)
        finally:
            self._forget_losses()

    def pop(self) -> Any:
        """Takes the last layer away and returns it."""
        if len(self._symbols) > 1:
            self._symbols.pop()
        return self._stack.pop()

    def build(self, input_shape: Any = None) -> None:
        """Builds all layers for inputs of `input_shape`, which has the batch's size or None.

        Raises:
            ValueError: if it is built already, for inputs of another shape.
        """
        if input_shape is None:
            return
        if self._symbols:
            known, wanted = self._symbols[0].shape, tuple(input_shape)
            if wanted != known:
                raise ValueError(
                    f"Sequential model '{self.name}' has already been configured to use input "
                    f"shape {known}. You cannot build it with input_shape {wanted}: its variables "
                    "have their shapes. Leave `build` out, or make a new model."
                )
            return
        first = self.layers[0] if self.layers else None
        batch_shape = (None, *tuple(input_shape)[1:])
        symbols = [Input(batch_shape=batch_shape, dtype=_input_dtype(first))]
        for layer in self._stack:
            symbols.append(self._inside(layer, symbols[-1]))
        self._symbols, self.built = symbols, True

    @property
    def layers(self) -> list[Any]:
        """The layers in order."""
        return [each for each in self._stack if not isinstance(each, InputLayer)]

    def ends(self) -> tuple[list[Any], list[Any]]:
        """The symbols before the first and after the last layer; none before it is built."""
        return self._symbols[:1], self._symbols[-1:]

    def call(self, inputs: Any, training: bool | None = None, mask: Any = None) -> Any:
        """The layers one after the other; `training` reaches those that ask for it."""
        if isinstance(inputs, list | tuple) and len(inputs) == 1 and self._has_rank(inputs[0]):
            inputs = inputs[0]
        inputs = inputs if isinstance(inputs, Operators) else tf.convert_to_tensor(inputs)
        if self._symbols:
            inputs = of_rank(inputs, self._symbols[0].shape)
        if self._symbols and not inputs.dtype.is_complex:
            inputs = tf.cast(inputs, self._symbols[0].dtype)
        with training_set(training):
            for layer in self._stack:
                inputs = layer(inputs)
        return inputs

    def _has_rank(self, x: Any) -> bool:
        """Whether the model is built for arrays such as `x`."""
        wanted = self._symbols[0].shape if self._symbols else ()
        return hasattr(x, "shape") and len(of_rank(x, wanted).shape) == len(wanted) > 0


def _instead(given: Any) -> str:
    """What to write in place of something that is no layer."""
    if isinstance(given, type) and issubclass(given, Layer):
        return f"It is the class; a call makes a layer of it. Write `{given.__name__}(...)`."
    if callable(given):
        return "A layer can be made of it. Write `tf.keras.layers.Lambda(function)`."
    return "Write for instance `model.add(tf.keras.layers.Dense(2))`."


def _input_dtype(layer: Any) -> str | None:
    """The dtype of what goes into a model that begins with `layer`."""
    return getattr(layer, "input_dtype", None) or getattr(layer, "compute_dtype", None)
