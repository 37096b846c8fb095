"""`Layer`: variables, the function that uses them, and when they are made.

The one fact to know: a layer makes its variables in `build`, on its first call, when it sees the
shape of its input; `call` is the function itself. Inputs are brought to the layer's dtype first.
"""

from __future__ import annotations

import copy
import inspect
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Self

import numpy as np

import minitape as tf
from minitape.errors.of_arguments import checked_items
from minitape.interpreter import only
from minitape.keras import initializers
from minitape.keras.module import Module
from minitape.keras.variables import Variable, unique_name
from minitape.tensor import Operators, eager

if TYPE_CHECKING:
    from collections.abc import Iterable

    from minitape.tensor import Tensor

_training: ContextVar[bool | None] = ContextVar("minitape_keras_training", default=None)
_running: ContextVar[tuple[Layer, ...]] = ContextVar("minitape_keras_running", default=())


class Layer(Module):
    """Base of all layers. Define `build` (optional) and `call` in a subclass.

    Args:
        trainable: whether its variables are learnt.
        name: by default the class's, with a number if it is taken.
        dtype: of its variables; floating inputs are cast to it.
        input_shape: the shape of one example, to build it at once inside a `Sequential`.

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

    def __init__(
        self,
        *,
        trainable: bool = True,
        name: str | None = None,
        dtype: Any = None,
        input_shape: Any = None,
        **unknown: Any,
    ) -> None:
        if unknown:
            raise TypeError(
                f"{type(self).__name__}: unrecognised keyword arguments {sorted(unknown)}. "
                "Every layer takes trainable, name, dtype and input_shape besides its own."
            )
        self._name = name or unique_name(type(self).__name__)
        self._trainable = trainable
        self.dtype = tf.as_dtype(dtype or "float32").name
        self.input_shape = None
        if input_shape is not None:
            kind, example = type(self).__name__, "input_shape=[3]"
            self.input_shape = tuple(checked_items(kind, "input_shape", input_shape, example))
        self.built = False

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

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Tensor:
        """Builds the layer if this is its first call, then runs `call`."""
        within = _running.set((*_running.get(), self))
        try:
            return self._run(inputs, *args, **kwargs)
        finally:
            _running.reset(within)

    def _run(self, inputs: Any, *args: Any, **kwargs: Any) -> Tensor:
        inputs = tf.nest.map_structure(self._converted, _packed(inputs))
        if not self.built:
            shapes = tf.nest.map_structure(lambda x: tuple(x.shape), inputs)
            self.build(shapes)
            self.built = True
        training = kwargs.pop("training", None)
        token = _training.set(_training.get() if training is None else bool(training))
        try:
            if "training" in inspect.signature(self.call).parameters:
                kwargs["training"] = bool(_training.get())
            with tf.name_scope(self.name):  # the layer's group in a picture of a large tape
                return self.call(inputs, *args, **kwargs)  # type: ignore[no-any-return]
        finally:
            _training.reset(token)

    def _converted(self, x: Any) -> Any:
        """An input as a tensor; floating ones, lists and numbers in the layer's dtype."""
        dtype = tf.as_dtype(self.input_dtype or self.dtype)
        if not isinstance(x, Operators):
            exact = isinstance(x, np.ndarray | np.generic) and x.dtype.kind not in "f"
            x = tf.convert_to_tensor(
                x, None if exact else (x.dtype if hasattr(x, "dtype") else dtype)
            )
        elif hasattr(x, "assign"):
            x = tf.convert_to_tensor(x)
        return tf.cast(x, dtype) if x.dtype.is_floating and x.dtype != dtype else x

    def add_weight(
        self,
        shape: Any = (),
        initializer: Any = None,
        dtype: Any = None,
        trainable: bool = True,
        name: str = "variable",
    ) -> Variable:
        """Makes a variable of this layer.

        Args:
            shape: of the variable.
            initializer: a name or initializer; by default 'glorot_uniform'.
            dtype: by default the layer's.
            trainable: whether it is learnt.
            name: its name.

        Returns:
            The variable; assign it to an attribute, where the layer finds it.
        """
        start = initializers.get("glorot_uniform" if initializer is None else initializer)
        with only(()):  # a variable's first value belongs to no tape and to no graph
            value = tf.convert_to_tensor(
                start(tuple(shape), dtype=tf.as_dtype(dtype or self.dtype))
            )
        with tf.name_scope(""):  # its name says nothing of where the layer was called first
            variable = Variable(eager(value.value), trainable, name, owner=self._path())
        variable.trainable = trainable and self._trainable
        return variable

    def _path(self) -> str:
        """The names of the layers that are running, down to this one."""
        outside = [layer for layer in _running.get() if layer is not self]
        return "/".join(layer.name for layer in (*outside, self))

    @property
    def trainable(self) -> bool:
        """Whether the variables of this layer and the layers in it are learnt; can be set."""
        return self._trainable

    @trainable.setter
    def trainable(self, value: bool) -> None:
        for layer in (self, *(m for m in self.submodules if isinstance(m, Layer))):
            layer._trainable = bool(value)
        for variable in self.variables:
            variable.trainable = bool(value) and getattr(variable, "is_learnt", True)

    @property
    def variables(self) -> list[Variable]:  # type: ignore[override]
        """All variables: the layer's own as they were made, then those of inner layers."""
        return list(super().variables)

    weights = variables

    @property
    def trainable_variables(self) -> list[Variable]:  # type: ignore[override]
        """The variables that are learnt; none if the layer is not trainable."""
        return [v for v in self.variables if v.trainable]

    trainable_weights = trainable_variables

    @property
    def non_trainable_variables(self) -> list[Variable]:  # type: ignore[override]
        """The variables that are not learnt."""
        return [v for v in self.variables if not v.trainable]

    non_trainable_weights = non_trainable_variables

    def get_weights(self) -> list[Any]:
        """The values of all variables, as NumPy arrays."""
        return [v.numpy() for v in self.variables]

    def set_weights(self, weights: Iterable[Any]) -> None:
        """Sets all variables, in the order of `get_weights`.

        Raises:
            ValueError: if there are more or fewer, or a shape differs.
        """
        weights = list(weights)
        if len(weights) != len(self.variables):
            raise ValueError(
                f"set_weights: layer '{self.name}' has {len(self.variables)} variables and got "
                f"{len(weights)} arrays. "
                "Give one per variable, in the order of `get_weights()`; a layer has none before "
                "it is built."
            )
        for variable, value in zip(self.variables, weights, strict=True):
            variable.assign(value)

    def count_params(self) -> int:
        """How many numbers the variables hold."""
        return sum(int(np.prod(tuple(v.shape))) for v in self.variables)

    def _attributes(self) -> Any:
        return list(vars(self).values())  # as they were made, not by name

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}, built={self.built}>"


def _packed(inputs: Any) -> Any:
    """A nested list of numbers as one tensor's worth of values; lists of tensors stay lists."""
    if not isinstance(inputs, list | tuple):
        return inputs
    if any(isinstance(x, Operators | np.ndarray) for x in inputs):
        return inputs
    return np.asarray(inputs, np.float32)
