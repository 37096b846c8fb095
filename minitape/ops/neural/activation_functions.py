"""Activations with TensorFlow's arguments that are made of several ops: silu, gelu, crelu."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from minitape.errors import InvalidArgumentError
from minitape.op import export
from minitape.ops.elementwise.activations import relu, silu
from minitape.ops.elementwise.sigmoids import sigmoid
from minitape.ops.elementwise.trigonometry import tanh
from minitape.ops.moving.joining import concat
from minitape.ops.special.error_functions import erfc
from minitape.tensors.convert import operand

if TYPE_CHECKING:
    from minitape.tensor import Tensor
    from minitape.values.public_types import TensorLike
    from minitape.values.results import SameKind

# TensorFlow holds these two in float32, for float64 inputs too.
_HALF_ROOT = float(np.float32(0.7071067811865476))
_CUBIC = float(np.float32(0.044715))


@export("nn.silu", "nn.swish")
def silu_with_slope(
    features: TensorLike, beta: TensorLike = 1.0, name: str | None = None
) -> SameKind:
    """The sigmoid linear unit, also called swish: x * sigmoid(beta * x), elementwise.

    Args:
        features: Tensor of any shape, floating.
        beta: a number or tensor.
        name: accepted and not used.

    Returns:
        Tensor like `features`.

    Example:
        >>> import minitape as tf
        >>> float(tf.nn.silu(tf.constant(0.0)))
        0.0
    """
    x = operand(features, None)
    if isinstance(beta, int | float) and beta == 1:
        return silu.public(x)
    return x * sigmoid(x * operand(beta, x.spec.dtype))


@export("nn.gelu")
def gelu(features: TensorLike, approximate: bool = False, name: str | None = None) -> SameKind:
    """The Gaussian error linear unit, x P(X <= x) for a standard normal X (Hendrycks, Gimpel 2016).

    Args:
        features: Tensor of any shape, floating.
        approximate: whether to use 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x**3))).
        name: accepted and not used.

    Returns:
        Tensor like `features`.

    Raises:
        InvalidArgumentError: if `features` is not floating.

    Example:
        >>> import minitape as tf
        >>> print(tf.nn.gelu(tf.constant([-1.0, 0.0, 1.0])))
        tf.Tensor([-0.15865526  0.          0.8413447 ], shape=(3,), dtype=float32)
    """
    x = operand(features, None)
    if x.spec.dtype.kind != "f":
        raise InvalidArgumentError(
            f"gelu: features has dtype {x.dtype.name}. It is a smooth function of floating "
            "numbers. "
            "Write `tf.cast(features, tf.float32)`."
        )
    if approximate:
        inner = 0.7978845608028654 * (x + _CUBIC * (x * x * x))
        return 0.5 * x * (1.0 + tanh(inner))
    return 0.5 * x * erfc(x * -_HALF_ROOT)  # 1 + erf(z) would cancel for x << 0


@export("nn.crelu")
def crelu(features: TensorLike, axis: int = -1, name: str | None = None) -> Tensor:
    """relu(x) and relu(-x) side by side along `axis`, which doubles that axis.

    Args:
        features: Tensor of rank at least 1.
        axis: where to put them together.
        name: accepted and not used.

    Returns:
        Tensor with `axis` twice as long.

    Example:
        >>> import minitape as tf
        >>> tf.nn.crelu([1.0, -2.0]).numpy().tolist()
        [1.0, 0.0, 0.0, 2.0]
    """
    x = operand(features, None)
    return concat.public([relu(x), relu(-x)], axis)
