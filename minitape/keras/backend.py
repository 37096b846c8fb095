"""`tf.keras.backend`: the few names that documents still ask for; the others are ops of `tf`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import minitape as tf
from minitape.errors.of_arguments import not_fitting
from minitape.keras import ops
from minitape.keras.config import (
    backend,
    epsilon,
    floatx,
    image_data_format,
    set_floatx,
)
from minitape.keras.losses import categorical_crossentropy, sparse_categorical_crossentropy
from minitape.keras.ops import ravel as flatten
from minitape.keras.variables import clear_names
from minitape.names.absent import missing

__all__ = [
    "backend", "binary_crossentropy", "categorical_crossentropy", "clear_session", "epsilon",
    "flatten", "floatx", "get_value", "image_data_format", "random_bernoulli",
    "set_floatx", "set_value", "sparse_categorical_crossentropy",
]  # fmt: skip
_OPS = [
    "abs", "all", "any", "arange", "cast", "cos", "equal", "exp", "eye", "gather", "greater",
    "less", "log", "max", "maximum", "min", "minimum", "not_equal", "ones", "ones_like", "pow",
    "prod", "relu", "repeat", "reshape", "round", "shape", "sigmoid", "sign", "sin", "softmax",
    "softplus", "square", "squeeze", "stack", "std", "stop_gradient", "sum", "tanh", "tile",
    "transpose", "var", "zeros", "zeros_like",
]  # fmt: skip
_OTHER_NAMES = {
    "clip": "clip_by_value",
    "l2_normalize": "nn.l2_normalize",
    "permute_dimensions": "transpose",
    "random_normal": "random.normal",
    "random_uniform": "random.uniform",
}


int_shape = ops.shape


def clear_session(free_memory: bool = True) -> None:
    """Starts to count the names of layers anew."""
    clear_names()


def get_value(x: Any) -> Any:
    """The value as a NumPy array."""
    return tf.convert_to_tensor(x).numpy()


def set_value(x: Any, value: Any) -> None:
    """Assigns a variable."""
    if not hasattr(x, "assign"):
        raise not_fitting("set_value", "x", x, "a variable", "set_value(variable, 1.0)")
    x.assign(value)


def random_bernoulli(shape: Any, p: float = 0.0, dtype: Any = None, seed: Any = None) -> Any:
    """1 with probability `p`, else 0."""
    draw = tf.random.uniform(shape, dtype=dtype or floatx(), seed=seed)
    return tf.cast(draw <= p, dtype or floatx())


def argmax(x: Any, axis: int = -1) -> Any:
    """The places of the largest values along an axis, by default the last."""
    return tf.argmax(x, axis)


def concatenate(tensors: Any, axis: int = -1) -> Any:
    """Tensors side by side, by default along the last axis."""
    return tf.concat(tensors, axis)


def expand_dims(x: Any, axis: int = -1) -> Any:
    """A tensor with one axis more, by default behind the others."""
    return tf.expand_dims(x, axis)


def mean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The mean; of truth values the share of True."""
    x = tf.convert_to_tensor(x)
    return tf.reduce_mean(tf.cast(x, floatx()) if x.dtype == tf.bool else x, axis, keepdims)


def sqrt(x: Any) -> Any:
    """The root, 0 of negative values."""
    return tf.sqrt(tf.maximum(x, 0.0))


def variable(value: Any, dtype: Any = None, name: Any = None) -> Any:
    """A `tf.Variable`, of the dtype of layers if there is none."""
    return tf.Variable(value, dtype=dtype or floatx(), name=name)


def binary_crossentropy(target: Any, output: Any, from_logits: bool = False) -> Any:
    """The cross entropy of each value, with `epsilon()` beside both logarithms as in Keras 2."""
    if from_logits:
        return tf.nn.sigmoid_cross_entropy_with_logits(target, output)
    p = tf.clip_by_value(output, epsilon(), 1 - epsilon())
    logs = tf.math.log(p + epsilon()), tf.math.log(1 - p + epsilon())
    return -(target * logs[0] + (1 - target) * logs[1])


def dot(x: Any, y: Any) -> Any:
    """The product of matrices; of more axes, the last of x with the last but one of y."""
    x, y = tf.convert_to_tensor(x), tf.convert_to_tensor(y)
    return x @ y if len(x.shape) <= 2 else tf.tensordot(x, y, [[-1], [len(y.shape) - 2]])


if not TYPE_CHECKING:  # a checker finds the names that there are, and no others

    def __getattr__(name: str) -> Any:
        if name in _OPS or name in _OTHER_NAMES:
            return ops.named(_OTHER_NAMES.get(name, name))
        raise missing("minitape.keras.backend", name)


def __dir__() -> list[str]:
    return sorted(__all__)
