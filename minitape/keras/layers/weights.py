"""The variables of a layer: how they are made, which are learnt, and their values as arrays.

`trainable` of a layer counts for the layers in it too, as it is when set.
"""

from __future__ import annotations

from reprlib import repr as short  # an error must be able to show a nest that is very deep
from typing import TYPE_CHECKING, Any

import numpy as np

import minitape as tf
from minitape.errors import teach
from minitape.errors.of_arguments import checked_items
from minitape.keras import constraints, initializers, regularizers
from minitape.keras.absent_arguments import refuse_unknown
from minitape.keras.layers.arguments import checked_shape
from minitape.keras.layers.calling import running
from minitape.keras.module import Module
from minitape.keras.variables import Variable
from minitape.tensors.assigning import assign_all

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_OF_A_WEIGHT = "There are shape, initializer, dtype, trainable, name, regularizer and constraint."
_RULES: dict[str, Callable[[Any], Any]] = {
    "initializer": initializers.get,
    "regularizer": regularizers.get,
    "constraint": constraints.get,
}
# What a layer notes of its calls: variables and layers are found elsewhere.
_NOTES = frozenset(
    {
        *("initializers_used", "shapes_given", "_losses", "_with_losses"),
        "_layers_inside",
    }
)


class Weights(Module):
    """What a layer offers about its variables."""

    _name: str
    _trainable: bool
    built: bool
    _layers_inside: list[Weights] | None = None  # once an epoch of `fit` has seen a batch
    made_variables: list[Variable]  # those of `add_weight`
    initializers_used: list[Any]  # and their initializers
    dtype: str
    # {"kernel": "zeros"} makes arguments kernel_initializer, kernel_regularizer, kernel_constraint.
    weight_starts: dict[str, str] = {}

    def _without_rules(self, options: dict[str, Any]) -> dict[str, Any]:
        """The `options` without those for variables, which become attributes."""
        for weight, start in self.weight_starts.items():
            for rule, get in _RULES.items():
                given = options.pop(f"{weight}_{rule}", start if rule == "initializer" else None)
                setattr(self, f"{weight}_{rule}", get(given))
        return options

    def add_weight(self, *args: Any, **options: Any) -> Variable:
        """Makes a variable of this layer.

        Args:
            *args: shape, initializer and dtype, which may stand by position.
            **options: by name, besides these, trainable, name, regularizer and constraint. The
                shape is by default that of a single number, the initializer 'glorot_uniform', the
                dtype the layer's, and the name "variable", with a number if it is taken.

        Returns:
            The variable; assign it to an attribute, where the layer finds it.

        Raises:
            ValueError: if the name comes first, or shape or name cannot be one.
        """
        if args and isinstance(args[0], str):
            shape = options.get("shape", args[1] if args[1:] else (3,))
            raise ValueError(
                teach(
                    "`name` must be passed as a keyword argument. Received: "
                    f"add_weight({short(args[0])}, ...).",
                    "The first argument by position is the shape; before Keras 3 it was the name.",
                    f"Write `add_weight(shape={short(shape)}, name={short(args[0])})`.",
                )
            )
        return self._added(*args, **options)

    def _added(
        self,
        shape: Any = None,
        initializer: Any = None,
        dtype: Any = None,
        *,
        trainable: bool = True,
        name: str | None = None,
        regularizer: Any = None,
        constraint: Any = None,
        **options: Any,
    ) -> Variable:
        refuse_unknown("add_weight", options, _OF_A_WEIGHT)
        start = initializers.get("glorot_uniform" if initializer is None else initializer)
        with tf.name_scope(""):  # its name says nothing of where the layer was called first
            variable = Variable(
                start, trainable, name, dtype or self.dtype, self._path(), checked_shape(shape)
            )
        variable.trainable = trainable and self._trainable
        variable.constraint = constraints.get(constraint)
        variable.regularizer = regularizers.get(regularizer)
        self.made_variables.append(variable)
        self.initializers_used.append(start)
        return variable

    add_variable = add_weight

    def make_weight(self, name: str, shape: Any, **rules: Any) -> Variable:
        """A variable with the initializer, regularizer and constraint that the layer was given."""
        kind = name.partition("_")[0]
        given = {rule: getattr(self, f"{kind}_{rule}") for rule in _RULES}
        return self.add_weight(shape, name=name, **given | rules)

    def _path(self) -> str:
        """The names of the layers that are running, down to this one."""
        outside = {id(layer): layer.name for layer in running.get() if layer is not self}
        return "/".join([*outside.values(), self.name])

    def _layers(self) -> list[Any]:
        """This layer and all that are inside of it."""
        if self._layers_inside is not None:
            return self._layers_inside
        return [self, *(m for m in self.submodules if isinstance(m, Weights))]

    @property
    def trainable(self) -> bool:
        """Whether the variables of this layer and the layers in it are learnt; can be set."""
        return self._trainable

    @trainable.setter
    def trainable(self, value: bool) -> None:
        for layer in self._layers():
            layer._trainable = bool(value)
        for variable in self.variables:
            variable.trainable = bool(value) and getattr(variable, "is_learnt", True)

    @property
    def variables(self) -> list[Variable]:  # type: ignore[override]
        """All variables: the layer's own as they were made, then those of inner layers.

        A `tf.Variable` that is an attribute counts, too, as before Keras 3, which overlooks it.
        """
        return list(super().variables)

    weights = variables

    @property
    def trainable_variables(self) -> list[Variable]:  # type: ignore[override]
        """The variables that are learnt; none of a layer that is not trainable."""
        return [v for v in self.variables if v.trainable] if self._trainable else []

    trainable_weights = trainable_variables

    @property
    def non_trainable_variables(self) -> list[Variable]:  # type: ignore[override]
        """The variables that are not learnt."""
        return [v for v in self.variables if not (v.trainable and self._trainable)]

    non_trainable_weights = non_trainable_variables

    def get_weights(self) -> list[Any]:
        """The values of all variables, as NumPy arrays."""
        return [v.numpy() for v in self.variables]

    def set_weights(self, weights: Iterable[Any]) -> None:
        """Sets all variables, in the order of `get_weights`.

        Raises:
            ValueError: if there are more or fewer, or a shape differs.
        """
        arrays = checked_items("set_weights", "weights", weights, "set_weights(get_weights())")
        if len(arrays) != len(self.variables):
            raise ValueError(
                f"set_weights: layer '{self.name}' has {len(self.variables)} variables and got "
                f"{len(arrays)} arrays. Give one per variable, in the order of `get_weights()`; a "
                "layer has none before it is built."
            )
        assign_all(self.variables, arrays)

    def count_params(self) -> int:
        """How many numbers the variables hold.

        Raises:
            ValueError: if they are not made yet.
        """
        if not self.built and "build" in vars(type(self)) and not self.variables:
            raise ValueError(
                f"You tried to call `count_params` on layer '{self.name}', but the layer isn't "
                "built. Its variables are made when it sees the shape of its input. Call it, or "
                "`layer.build(input_shape)`, first."
            )
        return sum(int(np.prod(tuple(v.shape))) for v in self.variables)

    def _attributes(self) -> Any:  # as they were made, not by name
        return [value for name, value in vars(self).items() if name not in _NOTES]
