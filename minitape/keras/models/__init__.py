"""`tf.keras.models`: `network`, `model` and `sequential` make models, the others train them.

Read `model`, `stepping` and `trainer`; `batches` is what goes into the training loop, `compiled`
what it measures, `progress` and `summary` what it prints.
"""

import copy
from typing import TYPE_CHECKING, Any

from minitape.errors.of_arguments import not_fitting
from minitape.keras.layers.inputs import Input
from minitape.keras.models.model import Model
from minitape.keras.models.sequential import Sequential
from minitape.names.absent import refusing

Functional = Model

__all__ = ["Functional", "Input", "Model", "Sequential", "clone_model"]


def clone_model(model: Any) -> Any:
    """A model of the same layers, with variables of its own that start anew."""
    if not isinstance(model, Model):
        raise not_fitting("clone_model", "model", model, "a model", "clone_model(model)")
    new = copy.deepcopy(model)
    for layer in (new, *new.submodules):
        made = getattr(layer, "made_variables", ()), getattr(layer, "initializers_used", ())
        for variable, start in zip(*made, strict=True):
            variable.assign(start(tuple(variable.shape), dtype=variable.dtype))
    return new


if not TYPE_CHECKING:  # a checker finds the names that there are, and no others
    __getattr__ = refusing("minitape.keras.models")


def __dir__() -> list[str]:
    return sorted(__all__)
