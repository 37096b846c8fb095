"""`tf.keras`, the part of it that examples of automatic differentiation use.

The one fact to know: this is written with minitape's public functions alone, as a user would write
it: layers hold variables, and everything differentiable about them is in the ops they call.
"""

from __future__ import annotations

import sys

from minitape.keras import activations, initializers, layers, losses, metrics, optimizers, utils
from minitape.keras.layers import Input, Layer, Model, Sequential
from minitape.keras.variables import Variable
from minitape.primitive import exports

__all__ = [
    "Input",
    "Layer",
    "Model",
    "Sequential",
    "Variable",
    "activations",
    "initializers",
    "layers",
    "losses",
    "metrics",
    "optimizers",
    "utils",
]

exports["keras"] = sys.modules[__name__]
exports["losses"], exports["metrics"], exports["optimizers"] = losses, metrics, optimizers
exports["initializers"] = initializers
exports.update(
    {
        "zeros_initializer": initializers.Zeros,
        "ones_initializer": initializers.Ones,
        "constant_initializer": initializers.Constant,
        "random_normal_initializer": initializers.RandomNormal,
        "random_uniform_initializer": initializers.RandomUniform,
    }
)
