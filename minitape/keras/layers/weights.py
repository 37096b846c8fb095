"""The variables of a layer: which are learnt, and their values as arrays.

The one fact to know: `trainable` of a layer counts for the layers in it too, as it is when set.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors.of_arguments import checked_items
from minitape.keras.module import Module

if TYPE_CHECKING:
    from collections.abc import Iterable

    from minitape.keras.variables import Variable

# What a layer notes of its calls: variables and layers are found elsewhere.
_NOTES = frozenset(
    {
        *("initializers_used", "shapes_given", "_losses", "_penalties", "_with_losses"),
        "_layers_inside",
    }
)


class Weights(Module):
    """What a layer offers about its variables."""

    _name: str
    _trainable: bool
    built: bool
    _layers_inside: list[Weights] | None = None  # once an epoch of `fit` has seen a batch

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
                f"{len(arrays)} arrays. "
                "Give one per variable, in the order of `get_weights()`; a layer has none before "
                "it is built."
            )
        for variable, value in zip(self.variables, arrays, strict=True):
            variable.assign(value)

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
