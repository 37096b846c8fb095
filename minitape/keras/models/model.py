"""`Model`: layers made of layers, by a class of one's own or by calling layers with symbols.

A model is a layer whose attributes are layers; the variables are found there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import minitape as tf
from minitape.keras.layers.base import Layer
from minitape.keras.layers.calling import training_set
from minitape.keras.models.network import Network
from minitape.keras.models.summary import print_summary
from minitape.keras.models.trainer import Trainer
from minitape.keras.variables import unique_name
from minitape.leaving import only
from minitape.tensor import Operators


class Model(Trainer):
    """A layer made of layers, with a training loop.

    Derive a class: make layers in `__init__` and use them in `call`. Or give symbols.

    Args:
        inputs: symbols that `Input` gave, for a functional model.
        outputs: what layers made of them.
        **options: the arguments of `Layer`.

    Raises:
        ValueError: if `outputs` do not follow from `inputs`.

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

    def __init__(self, inputs: Any = None, outputs: Any = None, **options: Any) -> None:
        is_functional = inputs is not None or outputs is not None
        if is_functional and type(self) is Model and not options.get("name"):
            options["name"] = unique_name("functional")
        super().__init__(**options)
        self._network: Network | None = None
        self._parts: list[Any] = []
        if is_functional:
            self._network = Network(inputs, outputs)
            self._parts = [each for each in self._network.operations if isinstance(each, Layer)]
            self.built = True

    def _converted(self, x: Any) -> Any:
        """An input as a tensor; a network casts it to what its own input says."""
        if self._network is None:
            return super()._converted(x)
        return x if isinstance(x, Operators) else tf.convert_to_tensor(x)

    def call(self, *args: Any, **kwargs: Any) -> Any:  # so typed, a subclass may take what it wants
        """The model's function; of a functional model, its network."""
        return self._run_network(*args, **kwargs)

    def _run_network(self, inputs: Any, training: bool | None = None, mask: Any = None) -> Any:
        if self._network is None:
            raise NotImplementedError(
                f"Model {type(self).__name__} does not define `call(self, inputs)`. Define it, or "
                "make a functional model: `tf.keras.Model(inputs, outputs)`."
            )
        with training_set(training):
            return self._network.run(inputs)

    def build(self, input_shape: Any = None) -> None:
        """Calls the model with zeros of `input_shape`, so that its layers make their variables."""
        is_first, self.built = not self.built, True  # the call finds it built
        if is_first and _is_shape(input_shape):
            with only(()):
                self(np.zeros([1 if n is None else n for n in input_shape], np.float32))

    def _build_once(self, inputs: Any) -> None:
        if not self.built and type(self).build is not Model.build:
            super()._build_once(inputs)
        self.built = True  # the layers inside build themselves

    @property
    def layers(self) -> list[Any]:
        """The layers of the model: those of its network, or its attributes."""
        return [each for each in self.operations if isinstance(each, Layer)]

    @property
    def operations(self) -> list[Any]:
        """The layers, and the ops on symbols between them."""
        return list(self._leaves() if self._network is None else self._network.operations)

    def ends(self) -> tuple[list[Any], list[Any]]:
        """The symbols of a functional model's inputs, and of its outputs; none of another one."""
        if self._network is None:
            return [], []
        return tf.nest.flatten(self._network.inputs), tf.nest.flatten(self._network.outputs)

    @property
    def inputs(self) -> list[Any]:
        """The symbols of the inputs.

        Raises:
            AttributeError: if the model has none, or does not know their shapes yet.
        """
        return self._end(0)

    @property
    def outputs(self) -> list[Any]:
        """The symbols of the outputs, or an error as for `inputs`."""
        return self._end(1)

    def _end(self, place: int) -> list[Any]:
        found = self.ends()[place]
        if not found:
            raise AttributeError  # `__getattr__` says why
        return found

    @property
    def input(self) -> Any:
        """The symbol of the input; a list where there are several."""
        found, _ = self.ends()
        return found[0] if len(found) == 1 else found or super().input

    @property
    def output(self) -> Any:
        """The symbol of the output; a list where there are several."""
        _, found = self.ends()
        return found[0] if len(found) == 1 else found or super().output

    @property
    def input_shape(self) -> Any:
        """The shape of `input`, with None for the batch.

        Example:
            >>> import minitape as tf
            >>> model = tf.keras.Sequential([tf.keras.Input([3]), tf.keras.layers.Dense(2)])
            >>> model.input_shape, model.output_shape
            ((None, 3), (None, 2))
        """
        return tf.nest.map_structure(lambda x: x.shape, self.input)

    @property
    def output_names(self) -> list[str]:
        """The names of the layers that give the outputs."""
        return [x.node.operation.name for x in self.ends()[1]]

    def get_config(self) -> dict[str, Any]:
        """What makes another model like it: the arguments that are attributes.

        Raises:
            NotImplementedError: for a functional model.
        """
        if self._network is None:
            return super().get_config()
        raise NotImplementedError(
            f"The config of the functional model '{self.name}' is not supported in minitape: it "
            "names each call of each layer, for Keras' files. "
            "`tf.keras.models.clone_model(model)` makes another model like it, and a function "
            "that builds it does so anywhere."
        )

    def get_layer(self, name: str | None = None, index: int | None = None) -> Any:
        """A layer by its name or its place.

        Raises:
            ValueError: if there is none.
        """
        for i, layer in enumerate(self.layers):
            if i == index or (index is None and layer.name == name):
                return layer
        raise ValueError(
            f"No such layer: {name if index is None else index}. Existing layers are: "
            f"{[each.name for each in self.layers]}."
        )

    def summary(self, line_length: int | None = None, print_fn: Any = None, **options: Any) -> None:
        """Prints a table of the layers, their shapes and how many numbers they learn.

        Args:
            line_length: how wide; by default 65 or 76 characters.
            print_fn: gets the text instead of `print`.
            **options: accepted and not used.
        """
        print_summary(self, line_length, print_fn)

    def __getattr__(self, name: str) -> Any:
        # Where one of these properties raises an AttributeError, Python asks here.
        if name in {"input", "inputs", "input_shape", "output", "outputs", "output_shape"}:
            raise AttributeError(
                f"{type(self).__name__} model '{self.name}' has no defined "
                f"{name.replace('_', ' ')} yet: it does not know what it will be given. Begin with "
                "`tf.keras.Input(shape)`, or call `model.build(shape)` first."
            )
        if name in {"save", "save_weights", "load_weights", "export", "to_json"}:
            raise AttributeError(
                f"`Model.{name}` is not supported in minitape: it reads or writes Keras' own "
                "formats of files. Keep arrays: `numpy.savez(path, *model.get_weights())`, and "
                "`model.set_weights(list(numpy.load(path).values()))` brings them back."
            )
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")


def _is_shape(shape: Any) -> bool:
    return isinstance(shape, tuple | list) and all(n is None or isinstance(n, int) for n in shape)
