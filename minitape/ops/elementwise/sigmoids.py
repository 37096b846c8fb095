"""The sigmoid and its relatives, which must not overflow: sigmoid, softplus, log_sigmoid.

Each is one op with its own derivative, and neither overflows at either end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from minitape.op import primitive
from minitape.ops.families import bounded

if TYPE_CHECKING:
    from minitape.tensor import Array, Tensor

# Where exp(x) is still finite and sigmoid(x) is 1 already, by the letter of the dtype.
_CAPS = {"e": 11, "f": 88, "d": 709}


@primitive(
    "sigmoid", "math.sigmoid", "nn.sigmoid", elementwise=True, latex=r"\sigma\left({x}\right)"
)
def sigmoid(x: Array) -> Array:
    """The logistic function 1 / (1 + exp(-x)), elementwise.

    As e / (1 + e) with e = exp(x), which keeps the smallest values.
    """
    cap = _CAPS.get(x.dtype.char)
    if cap is None:
        return 1 / (1 + np.exp(-x))
    e = np.exp(bounded(np.minimum, x, cap))
    return e / (1 + e)


sigmoid.says(activation=True, fault="saturated", logarithm="math.log_sigmoid")


@sigmoid.vjp("x")
def _(g: Tensor, out: Tensor) -> Tensor:
    return g * (out * (1 - out))


@primitive(
    "math.softplus",
    "nn.softplus",
    elementwise=True,
    latex=r"\log\left(1 + e^{{{features}}}\right)",
    refuses="c",
)
def softplus(features: Array) -> Array:
    """The logarithm of 1 + exp(x), elementwise.

    As max(x, 0) + log1p(exp(-|x|)), which neither overflows nor cancels.
    """
    return bounded(np.maximum, features, 0) + np.log1p(np.exp(-abs(features)))


softplus.says(activation=True)


@softplus.vjp("features")
def _(g: Tensor, features: Tensor) -> Tensor:
    return g * sigmoid(features)


@primitive(
    "math.log_sigmoid",
    "nn.log_sigmoid",
    elementwise=True,
    latex=r"\log \sigma\left({x}\right)",
    refuses="c",
)
def log_sigmoid(x: Array) -> Array:
    """The logarithm of sigmoid(x), elementwise, as min(x, 0) - log1p(exp(-|x|))."""
    return bounded(np.minimum, x, 0) - np.log1p(np.exp(-abs(x)))


log_sigmoid.says(fault="saturated", undefined="log")


@log_sigmoid.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    return g * sigmoid(-x)
