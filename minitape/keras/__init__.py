"""`tf.keras`, the part of it that courses use.

What is computed here is written with minitape's public functions, as a user would write it: layers
hold variables, and everything differentiable about them is in the ops they call. (From the engine
come types, checks of arguments, and runs without values.) Its modules are loaded when they are
first used. Read `layers/base`, then `models/model` and `models/trainer`; `symbols` is how layers
are called without values.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

from minitape.keras.module import Module
from minitape.names.absent import missing
from minitape.names.loading import Late
from minitape.op import exports

if TYPE_CHECKING:
    from minitape.keras import (
        activations as activations,
        backend as backend,
        callbacks as callbacks,
        config as config,
        constraints as constraints,
        datasets as datasets,
        initializers as initializers,
        layers as layers,
        losses as losses,
        metrics as metrics,
        models as models,
        ops as ops,
        optimizers as optimizers,
        preprocessing as preprocessing,
        random as random,
        regularizers as regularizers,
        saving as saving,
        utils as utils,
    )
    from minitape.keras.initializers import Initializer as Initializer
    from minitape.keras.layers.base import Layer as Layer
    from minitape.keras.layers.inputs import Input as Input, InputLayer as InputLayer
    from minitape.keras.losses import Loss as Loss
    from minitape.keras.metrics.metric import Metric as Metric
    from minitape.keras.models.model import Model as Model
    from minitape.keras.models.sequential import Sequential as Sequential
    from minitape.keras.optimizers.optimizer import Optimizer as Optimizer
    from minitape.keras.regularizers import Regularizer as Regularizer
    from minitape.keras.symbols import KerasTensor as KerasTensor
    from minitape.keras.variables import Variable as Variable

__version__ = "3.15.1+minitape"
_MODULES = [
    "activations", "backend", "callbacks", "config", "constraints", "datasets", "initializers",
    "layers", "losses", "metrics", "models", "ops", "optimizers", "preprocessing", "random",
    "regularizers", "saving", "utils",
]  # fmt: skip
_NAMES = {
    "Initializer": "initializers",
    "Input": "layers.inputs",
    "InputLayer": "layers.inputs",
    "KerasTensor": "symbols",
    "Layer": "layers.base",
    "Loss": "losses",
    "Metric": "metrics.metric",
    "Model": "models.model",
    "Optimizer": "optimizers.optimizer",
    "Regularizer": "regularizers",
    "Sequential": "models.sequential",
    "Variable": "variables",
}
_INITIALIZERS = ["zeros", "ones", "constant", "random_normal", "random_uniform"]

__all__ = [*_MODULES, *_NAMES]  # noqa: PLE0604  # names, in a list made of two

exports["keras"] = sys.modules[__name__]
exports["Module"] = Module
for _name in ("losses", "metrics", "optimizers", "initializers"):
    exports[_name] = Late("minitape.keras", _name)
for _name in _INITIALIZERS:
    exports[f"{_name}_initializer"] = Late("minitape.keras.initializers", _name)


if not TYPE_CHECKING:  # a checker finds the names that there are, and no others

    def __getattr__(name: str) -> Any:
        if name in _MODULES:
            return importlib.import_module(f"minitape.keras.{name}")
        if name in _NAMES:
            found = importlib.import_module(f"minitape.keras.{_NAMES[name]}")
            return globals().setdefault(name, getattr(found, name))
        raise missing("minitape.keras", name)


def __dir__() -> list[str]:
    return sorted(__all__)
