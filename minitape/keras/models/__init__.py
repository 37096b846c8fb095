"""`tf.keras.models`: `network`, `model` and `sequential` make models, the others train them.

Read `model`, `stepping` and `trainer`; `batches` is what goes into the training loop, `compiled`
what it measures, `progress` what it tells callbacks and prints, `summary` the table of a model.
"""

import copy
from typing import Any

from minitape.errors.of_arguments import not_fitting
from minitape.keras.layers.inputs import Input
from minitape.keras.models.model import Model
from minitape.keras.models.sequential import Sequential
from minitape.names.absent import closed

Functional = Model

__all__ = ["Functional", "Input", "Model", "Sequential", "clone_model"]


def clone_model(model: Any) -> Any:
    """A model of the same layers, with variables of its own that start anew."""
    if not isinstance(model, Model):
        raise not_fitting("clone_model", "model", model, "a model", "clone_model(model)")
    network = model._network
    new = copy.deepcopy(model) if network is None else Model(*network.copied(), name=model.name)
    for layer in (new, *new.submodules):
        made = getattr(layer, "made_variables", ()), getattr(layer, "initializers_used", ())
        for variable, start in zip(*made, strict=True):
            variable.assign(start(tuple(variable.shape), dtype=variable.dtype))
    return new


closed("minitape.keras.models")
