"""`tf.keras.activations`: functions by name.

`get` turns a name, a function or None (linear) into a function.
"""

from __future__ import annotations

from reprlib import repr as short  # an error must be able to show a nest that is very deep
from typing import TYPE_CHECKING, Any

import minitape as tf
from minitape.keras import logits
from minitape.names.absent import closed

if TYPE_CHECKING:
    from minitape.tensor import Tensor
    from minitape.values.public_types import TensorLike

__all__ = [
    "elu", "exponential", "gelu", "get", "hard_sigmoid", "leaky_relu", "linear", "log_softmax",
    "relu", "relu6", "selu", "serialize", "sigmoid", "silu", "softmax", "softplus", "softsign",
    "swish", "tanh",
]  # fmt: skip

relu6 = tf.nn.relu6
selu = tf.nn.selu
softplus = tf.nn.softplus
softsign = tf.nn.softsign
tanh = tf.nn.tanh
exponential = tf.exp
leaky_relu = tf.nn.leaky_relu
gelu = tf.nn.gelu
log_softmax = tf.nn.log_softmax
silu = swish = tf.nn.silu


def linear(x: TensorLike) -> Tensor:
    """The input itself."""
    return tf.convert_to_tensor(x)


def relu(
    x: TensorLike, negative_slope: float = 0.0, max_value: Any = None, threshold: float = 0.0
) -> Tensor:
    """max(x, 0), or with a slope below the threshold and a largest value.

    Example:
        >>> import minitape as tf
        >>> tf.keras.activations.relu(tf.constant([-2.0, 8.0]), 0.5, 6.0).numpy().tolist()
        [-1.0, 6.0]
    """
    x = tf.convert_to_tensor(x)
    if negative_slope and not threshold and max_value is None:
        return tf.nn.leaky_relu(x, negative_slope)
    out = tf.where(x > threshold, x, tf.zeros_like(x)) if threshold else tf.nn.relu(x)
    if max_value is not None:
        out = tf.clip_by_value(out, 0.0, max_value)
    return out - negative_slope * tf.nn.relu(threshold - x) if negative_slope else out


def elu(x: TensorLike, alpha: float = 1.0) -> Tensor:
    """The input where it is positive, else alpha (exp(x) - 1)."""
    if alpha == 1.0:
        return tf.nn.elu(x)
    x = tf.convert_to_tensor(x)
    return tf.where(x > 0.0, x, alpha * tf.math.expm1(tf.minimum(x, 0.0)))


def softmax(x: TensorLike, axis: int = -1) -> Tensor:
    """`tf.nn.softmax`; a loss of what it gives starts from `x`."""
    found: Tensor = logits.remembered(tf.nn.softmax(x, axis=axis), x)
    return found


def sigmoid(x: TensorLike) -> Tensor:
    """`tf.nn.sigmoid`; a loss of what it gives starts from `x`."""
    found: Tensor = logits.remembered(tf.nn.sigmoid(x), x)
    return found


def hard_sigmoid(x: TensorLike) -> Tensor:
    """relu6(x + 3) / 6: a sigmoid made of three straight lines."""
    return tf.nn.relu6(tf.convert_to_tensor(x) + 3.0) / 6.0


_NAMES = [name for name in __all__ if name not in {"get", "serialize"}]


def get(identifier: Any) -> Any:
    """The function that a name, a function or None stands for.

    Raises:
        ValueError: if it stands for none.

    Example:
        >>> import minitape as tf
        >>> float(tf.keras.activations.get("relu")(tf.constant(-1.0)))
        0.0
    """
    if identifier is None:
        return linear
    if callable(identifier):
        return identifier
    if identifier in _NAMES:
        return globals()[identifier]
    raise ValueError(
        f"Could not interpret activation function identifier: {short(identifier)}. It is neither a "
        f"function nor a known name. Write one of {', '.join(_NAMES)}."
    )


def name_of(function: Any) -> str | None:
    """The name that stands for a function, if it is one of these."""
    name = getattr(function, "__name__", None)
    known = name in _NAMES and function in (globals()[name], getattr(tf.nn, name, None))
    return name if known else None


def serialize(activation: Any) -> Any:
    """What stands for a function in a config, and is taken by `get`: its name if it has one here.

    Example:
        >>> import minitape as tf
        >>> tf.keras.activations.serialize(tf.nn.relu)
        'relu'
    """
    return name_of(activation) or activation


closed("minitape.keras.activations")
