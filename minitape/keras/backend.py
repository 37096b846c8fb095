"""`tf.keras.backend`: the few names that documents still ask for; the others are ops of `tf`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import minitape as tf
from minitape.keras import loss_functions, ops
from minitape.keras.config import epsilon, floatx, set_epsilon, set_floatx
from minitape.keras.variables import clear_names
from minitape.names.absent import missing

__all__ = [
    "categorical_crossentropy", "clear_session", "epsilon", "floatx", "get_value",
    "image_data_format", "random_bernoulli", "set_epsilon", "set_floatx", "set_value",
    "sparse_categorical_crossentropy",
]  # fmt: skip
_NAMES = [
    "abs", "all", "any", "arange", "argmax", "argmin", "cast", "clip", "concatenate", "cos", "dot",
    "elu", "equal", "exp", "expand_dims", "eye", "gather", "greater", "int_shape",
    "is_keras_tensor", "l2_normalize", "less", "log", "max", "maximum", "mean", "min", "minimum",
    "not_equal", "ones", "ones_like", "permute_dimensions", "pow", "prod", "relu", "repeat",
    "reshape", "round", "shape", "sigmoid", "sign", "sin", "softmax", "softplus", "sqrt", "square",
    "squeeze", "stack", "std", "stop_gradient", "sum", "switch", "tanh", "tile", "transpose", "var",
    "variable", "zeros", "zeros_like", "constant", "random_normal", "random_uniform",
]  # fmt: skip


def clear_session(free_memory: bool = True) -> None:
    """Starts to count the names of layers anew."""
    clear_names()


def image_data_format() -> str:
    """Channels are always last."""
    return "channels_last"


def get_value(x: Any) -> Any:
    """The value as a NumPy array."""
    return tf.convert_to_tensor(x).numpy()


def set_value(x: Any, value: Any) -> None:
    """Assigns a variable."""
    x.assign(value)


def random_bernoulli(shape: Any, p: float = 0.0, dtype: Any = None, seed: Any = None) -> Any:
    """1 with probability `p`, else 0."""
    draw = tf.random.uniform(shape, dtype=dtype or floatx(), seed=seed)
    return tf.cast(draw <= p, dtype or floatx())


def dot(x: Any, y: Any) -> Any:
    """The product of matrices; of more axes, the last of x with the last but one of y."""
    x, y = tf.convert_to_tensor(x), tf.convert_to_tensor(y)
    return x @ y if len(x.shape) <= 2 else tf.tensordot(x, y, [[-1], [len(y.shape) - 2]])


def int_shape(x: Any) -> tuple[int, ...]:
    """The shape as a tuple."""
    return tuple(x.shape)


def switch(condition: Any, then_expression: Any, else_expression: Any) -> Any:
    """One or the other; functions are called."""
    one, two = (e() if callable(e) else e for e in (then_expression, else_expression))
    return tf.where(condition, one, two)


def categorical_crossentropy(
    target: Any, output: Any, from_logits: bool = False, axis: int = -1
) -> Any:
    """`tf.keras.losses.categorical_crossentropy` under its older arguments' names."""
    return loss_functions.categorical_crossentropy(target, output, from_logits, 0.0, axis)


def sparse_categorical_crossentropy(
    target: Any, output: Any, from_logits: bool = False, axis: int = -1
) -> Any:
    """`tf.keras.losses.sparse_categorical_crossentropy` under its older arguments' names."""
    return loss_functions.sparse_categorical_crossentropy(target, output, from_logits, None, axis)


_FUNCTIONS = {
    "permute_dimensions": "transpose",
    "random_normal": "random.normal",
    "random_uniform": "random.uniform",
    "variable": "Variable",
    "l2_normalize": "nn.l2_normalize",
}


if not TYPE_CHECKING:  # a checker finds the names that there are, and no others

    def __getattr__(name: str) -> Any:
        if name in _FUNCTIONS:
            found: Any = tf
            for part in _FUNCTIONS[name].split("."):
                found = getattr(found, part)
            return found
        if name in _NAMES:
            return getattr(ops, name)
        raise missing("minitape.keras.backend", name)
