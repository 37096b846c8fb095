"""`Layer`: variables, the function that uses them, and when they are made.

A layer makes its variables in `build`, on its first call, when it sees the shape of its input;
`call` is the function itself. Inputs are brought to the layer's dtype first.
"""

from __future__ import annotations

import copy
import functools
import inspect
from typing import TYPE_CHECKING, Any, Self

import numpy as np

import minitape as tf
from minitape.errors.of_arguments import checked_items
from minitape.errors.of_flags import checked_flag
from minitape.keras import regularizers
from minitape.keras.absent_arguments import refuse_unknown
from minitape.keras.config import floatx
from minitape.keras.configs import Configured, arguments_in, is_config, layer_of, plain
from minitape.keras.layers.calling import (
    check_inputs,
    converted,
    packed,
    phase_of,
    running,
    training as _training,
)
from minitape.keras.layers.weights import Weights
from minitape.keras.symbols import KerasTensor, Node, symbols_in
from minitape.keras.variables import name_of
from minitape.safety.locks import module_lock
from minitape.tensor import Operators

if TYPE_CHECKING:
    from collections.abc import Callable

    from minitape.values.results import Result


class ConfiguredLayer(Configured):
    """What a layer says of the arguments that it was made with."""

    inner_layers: tuple[str, ...] = ()  # the arguments that are layers
    weight_starts: dict[str, str]
    not_in_config: tuple[str, ...] = ()  # the arguments that Keras does not print
    name: str
    trainable: bool
    dtype: str
    activity_regularizer: Any

    def get_config(self) -> dict[str, Any]:
        """The arguments that make another layer like it, by their names.

        Example:
            >>> import minitape as tf
            >>> config = tf.keras.layers.Dense(3, activation="relu").get_config()
            >>> config["units"], config["activation"], config["bias_initializer"]["class_name"]
            (3, 'relu', 'Zeros')
        """
        policy = {"module": "keras", "class_name": "DTypePolicy", "registered_name": None}
        config: dict[str, Any] = {
            "name": self.name,
            "trainable": self.trainable,
            "dtype": policy | {"config": {"name": self.dtype}},
        }
        if self.activity_regularizer is not None:
            config["activity_regularizer"] = plain(self.activity_regularizer)
        names = self.config_names or self.own_names()
        return config | {name: plain(self._argument(name)) for name in names}

    def own_names(self) -> list[str]:
        """The arguments of the class and of its variables that are attributes."""
        # Of all classes but `Layer`, whose arguments are there, and this one. (A class may have the
        # initialiser of `Layer` once more, under its own name.)
        *kinds, layer, _ = (k for k in type(self).__mro__ if issubclass(k, ConfiguredLayer))
        own = [vars(kind)["__init__"] for kind in kinds if "__init__" in vars(kind)]
        of_layer = vars(layer)["__init__"].__code__
        made = [each for each in own if getattr(each, "__code__", None) is not of_layer]
        taken = [name for each in made for name in inspect.signature(each).parameters]
        rules = ("initializer", "regularizer", "constraint")
        taken += [f"{weight}_{rule}" for weight in self.weight_starts for rule in rules]
        is_there = vars(self).keys() - {*self.not_in_config}
        return [name for name in taken if name in is_there]

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """A layer like that which gave `config`, with variables of its own.

        Example:
            >>> import minitape as tf
            >>> layer = tf.keras.layers.Dense(3, name="top")
            >>> other = tf.keras.layers.Dense.from_config(layer.get_config())
            >>> other.name, other.units, other is layer
            ('top', 3, False)
        """
        given = dict(arguments_in(cls.__name__, config))
        for name in cls.inner_layers:
            given[name] = layer_of(given.get(name))
        return cls(**given)


__all__ = ["Layer"]

_EVERY_LAYER = "Every layer takes trainable, name, dtype and input_shape in addition to its own."


# One for all layers: those that build each other in two threads would wait for each other forever.
_building = module_lock()


class Layer(ConfiguredLayer, Weights):
    """Base of all layers. Define `build` (optional) and `call` in a subclass.

    Args:
        trainable: whether its variables are learnt.
        name: by default the class's, with a number if it is taken.
        dtype: of its variables; floating inputs are cast to it.
        input_shape: the shape of one example, to build it at once inside a `Sequential`.
        input_dim: the same where it has a single axis.
        activity_regularizer: a penalty on what the layer gives, added to `losses`.
        **options: an initializer, a regularizer and a constraint for each of its variables.

    Raises:
        TypeError: for arguments that no layer has.

    Example:
        >>> import minitape as tf
        >>> class Scale(tf.keras.layers.Layer):
        ...     def build(self, input_shape):
        ...         self.factor = self.add_weight(shape=(input_shape[-1],), initializer="ones")
        ...
        ...     def call(self, x):
        ...         return x * self.factor
        >>> scale = Scale()
        >>> scale([[1.0, 2.0]]).numpy().tolist(), len(scale.trainable_variables)
        ([[1.0, 2.0]], 1)
    """

    input_dtype: str | None = None  # where it is not the layer's own, as for class numbers
    casts_integers = False  # whether whole numbers are cast to its dtype too, as for a product

    def __init__(
        self,
        *,
        trainable: bool = True,
        name: str | None = None,
        dtype: Any = None,
        input_shape: Any = None,
        input_dim: int | None = None,
        activity_regularizer: Any = None,
        **options: Any,
    ) -> None:
        kind = type(self).__name__
        refuse_unknown(kind, self._without_rules(options), _EVERY_LAYER)
        self._name = name_of(kind, name)
        self._trainable = checked_flag(kind, "trainable", trainable)
        dtype = dtype["config"]["name"] if is_config(dtype) else dtype
        self.dtype = tf.as_dtype(dtype or floatx()).name
        shape = (input_dim,) if input_dim is not None else input_shape
        if shape is not None:
            shape = tuple(checked_items(kind, "input_shape", shape, "input_shape=[3]"))
        self.example_shape: tuple[Any, ...] | None = shape
        self.activity_regularizer = regularizers.get(activity_regularizer)
        self.built = False
        self.made_variables, self.initializers_used = [], []
        self.nodes: list[Node] = []  # the symbolic calls
        self.shapes_given: list[Any] = []  # of the first call's results, for a summary
        self._losses: list[Any] = []  # what the last call added
        self._with_losses: list[Any] = []  # the layers inside that added some

    _is_building = False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "build" in vars(cls):
            cls.build = _once_built(cls.build)  # type: ignore[method-assign]  # it says so behind it

    @property
    def compute_dtype(self) -> str:
        """The dtype in which it computes: that of its variables."""
        return self.dtype

    variable_dtype = compute_dtype

    def build(self, input_shape: Any) -> None:
        """Makes the variables for inputs of `input_shape`, which has None for the batch."""
        self.built = True

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """The layer's function: `call(self, inputs)`, with `training` too where it matters."""
        raise NotImplementedError(f"{type(self).__name__} does not define `call(self, inputs)`.")

    def __copy__(self) -> Self:
        """A layer with variables of its own, as in Keras 3."""
        return copy.deepcopy(self)

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Result:
        """Builds the layer if this is its first call, then runs `call`; symbols make a node."""
        plain = type(inputs) is not KerasTensor and isinstance(inputs, Operators | np.ndarray)
        symbols = [] if plain and not args and not kwargs else symbols_in([inputs, args, kwargs])
        if args or isinstance(inputs, list | tuple | dict):
            check_inputs(self, inputs, args)
        outside = running.get()
        within = running.set((*outside, self))
        try:
            if symbols:
                return self._symbolic(inputs, args, kwargs)
            if not outside:
                self._forget_losses()
            return self._run(inputs, *args, **kwargs)
        finally:
            running.reset(within)

    def _symbolic(self, inputs: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self._build_once(inputs)
        node = Node(self, (inputs, *args), kwargs)
        self._forget_losses()
        return node.outputs

    def _run(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        inputs = tf.nest.map_structure(self._converted, packed(inputs))
        self._build_once(inputs)
        training = kwargs.pop("training", None)
        token = _training.set(phase_of(training))
        try:
            taken = _names_taken(type(self))  # type: ignore[arg-type]  # classes are hashable
            if "training" in taken or (training is not None and "**" in taken):
                kwargs["training"] = bool(_training.get())
            with tf.name_scope(self.name):  # the layer's group in a picture of a large tape
                out = self.call(inputs, *args, **kwargs)
        finally:
            _training.reset(token)
        penalty = self.activity_regularizer
        if penalty is not None or not self.shapes_given:
            tensors = [x for x in tf.nest.flatten(out) if isinstance(x, Operators | np.ndarray)]
            self.shapes_given = self.shapes_given or [tuple(x.shape) for x in tensors]
            for each in tensors if penalty is not None else ():
                self.add_loss(penalty(each) / each.shape[0])
        return out

    def _build_once(self, inputs: Any) -> None:
        if self.built and not self._is_building:
            return
        with _building:
            if not self.built:  # nor has another thread built it meanwhile
                self.build(tf.nest.map_structure(lambda x: tuple(x.shape), inputs))

    def add_loss(self, loss: Any) -> None:
        """Adds tensors to `losses`, from inside of `call`.

        Raises:
            ValueError: for a function, which Keras took before its version 3.
        """
        added = loss if isinstance(loss, list | tuple) else [loss]
        for each in added:
            if callable(each) and not isinstance(each, Operators):
                raise ValueError(
                    f"add_loss() takes tensors; layer '{self.name}' gave it the function "
                    f"{each!r:.80}. A loss is computed again in every call. Write "
                    "`self.add_loss(f(self.kernel))` in `call`, or give `add_weight` the function "
                    "as `regularizer`."
                )
        self._losses.extend(added)
        (*running.get(), self)[0]._with_losses.append(self)

    @property
    def losses(self) -> list[Any]:
        """What the last call added with `add_loss`, and the penalties on variables that are learnt.

        Example:
            >>> import minitape as tf
            >>> layer = tf.keras.layers.Dense(1, kernel_regularizer="l2")
            >>> y = layer(tf.ones([1, 2]))
            >>> len(layer.losses)
            1
        """
        layers = self._layers()
        added = [loss for layer in layers for loss in layer._losses]
        learnt = [v for layer in layers for v in layer.made_variables if v.trainable]
        return added + [v.regularizer(v) for v in learnt if v.regularizer is not None]

    def _forget_losses(self) -> None:
        for layer in self._with_losses:
            layer._losses = []
        self._with_losses = []

    @property
    def input(self) -> Any:
        """The symbols of the first symbolic call."""
        return self._first_node("input").args[0]

    @property
    def output(self) -> Any:
        """What the first symbolic call gave."""
        return self._first_node("output").outputs

    @property
    def output_shape(self) -> Any:
        """The shape of `output`."""
        return tf.nest.map_structure(lambda x: x.shape, self.output)

    def _first_node(self, what: str) -> Node:
        if not self.nodes:
            raise AttributeError(
                f"The layer {self.name} has never been called and thus has no defined {what}: it "
                "has one in a functional model, or in a Sequential that begins with an Input."
            )
        return self.nodes[0]

    def _converted(self, x: Any) -> Any:
        dtype = tf.as_dtype(self.input_dtype or self.dtype)
        return converted(x, dtype, self.casts_integers)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}, built={self.built}>"


def _once_built(build: Callable[..., None]) -> Callable[..., None]:
    """A class's `build` that says behind it that the layer is built; a failed one leaves nothing.

    While it runs other threads wait: `built` may be set long before the last variable is made.
    """

    @functools.wraps(build)
    def noted(self: Layer, *args: Any, **kwargs: Any) -> None:
        with _building:
            before, count = dict(vars(self)), len(self.made_variables)
            self._is_building = True
            try:
                build(self, *args, **kwargs)
            except BaseException:
                vars(self).clear()
                vars(self).update(before)
                del self.made_variables[count:], self.initializers_used[count:]
                raise
            self._is_building = before.get("_is_building", False)
            self.built = True

    return noted


@functools.cache
def _names_taken(kind: type[Layer]) -> frozenset[str]:
    """The names of what `call` takes; "**" for one that takes any."""
    found = inspect.signature(kind.call).parameters.values()
    return frozenset("**" if p.kind is p.VAR_KEYWORD else p.name for p in found)
