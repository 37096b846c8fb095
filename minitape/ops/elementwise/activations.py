"""Activations: the functions between the layers of a network.

Each is one op with its own derivative, and where a kink leaves a choice the value is TensorFlow's
(relu has derivative 0 at 0).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors.of_arguments import checked_number
from minitape.op import primitive
from minitape.ops.elementwise.comparison import gate, select, tie
from minitape.ops.elementwise.sigmoids import sigmoid
from minitape.ops.families import bounded

if TYPE_CHECKING:
    from minitape.tensor import Array, Tensor

# Klambauer et al., "Self-normalizing neural networks", 2017, equation 14.
SELU_ALPHA = 1.6732632423543772
SELU_SCALE = 1.0507009873554805

LEAK = float(np.float32(0.2))  # TensorFlow holds the slope in float32, for float64 inputs too


@primitive("nn.relu", elementwise=True, latex=r"\max\left({features}, 0\right)", refuses="bc")
def relu(features: Array) -> Array:
    """max(x, 0), elementwise; the derivative at 0 is 0."""
    return bounded(np.maximum, features, 0)


relu.says(
    activation=True,
    gate="off",
    kinks=(0.0,),
    fault="dead",
    flat="its input is not positive there, and relu is flat below 0; at 0 its rule gives 0",
)


@relu.vjp("features")
def _(g: Tensor, out: Tensor) -> Tensor:
    return tie(gate(g, out > 0), out)


@primitive(
    "nn.relu6",
    elementwise=True,
    latex=r"\min\left(\max\left({features}, 0\right), 6\right)",
    refuses="bc",
)
def relu6(features: Array) -> Array:
    """min(max(x, 0), 6), elementwise; the derivative at 0 and at 6 is 0."""
    return bounded(np.minimum, bounded(np.maximum, features, 0), 6)


relu6.says(
    activation=True,
    gate="off or full",
    kinks=(0.0, 6.0),
    fault="dead",
    flat="its input is outside of 0 to 6, where it is flat",
)


@relu6.vjp("features")
def _(g: Tensor, out: Tensor) -> Tensor:
    return tie(gate(g, (out > 0) & (out < 6)), out)


@primitive(
    "nn.leaky_relu",
    elementwise=True,
    latex=r"\mathrm{{leakyrelu}}\left({features}\right)",
    refuses="bc",
)
def leaky_relu(features: Array, alpha: float = LEAK) -> Array:
    """Elementwise x where x > 0, else alpha x; the derivative at 0 is alpha.

    Integers are taken as float32, as TensorFlow does for this activation only.
    """
    if features.dtype.kind in "iu":
        features = features.astype(np.float32)
    return np.where(features > 0, features, features * alpha)[()]


leaky_relu.says(activation=True, kinks=(0.0,))


@leaky_relu.prepare
def _(features: Any, alpha: Any) -> tuple[Any, ...]:
    return (float(np.float32(checked_number("leaky_relu", "alpha", alpha, "alpha=0.2"))),)


@leaky_relu.vjp("features")
def _(g: Tensor, features: Tensor, alpha: float) -> Tensor:
    return tie(select(features > 0, g, g * alpha), features)


@primitive("nn.elu", elementwise=True, latex=r"\mathrm{{elu}}\left({features}\right)", refuses="c")
def elu(features: Array) -> Array:
    """Elementwise x where x > 0, else exp(x) - 1; smooth, with derivative 1 at 0."""
    return np.where(features > 0, features, np.expm1(bounded(np.minimum, features, 0)))[()]


elu.says(activation=True)


@elu.vjp("features")
def _(g: Tensor, out: Tensor) -> Tensor:
    return select(out < 0, g * (out + 1), g)


@primitive(
    "nn.selu", elementwise=True, latex=r"\mathrm{{selu}}\left({features}\right)", refuses="c"
)
def selu(features: Array) -> Array:
    """Elementwise s x where x > 0, else s a (exp(x) - 1), the scaled elu; at 0 the slope is s."""
    low = np.expm1(bounded(np.minimum, features, 0)) * (SELU_SCALE * SELU_ALPHA)
    return np.where(features > 0, features * SELU_SCALE, low)[()]


selu.says(activation=True)


@selu.vjp("features")
def _(g: Tensor, out: Tensor) -> Tensor:
    return select(out < 0, g * (out + SELU_SCALE * SELU_ALPHA), g * SELU_SCALE)


@primitive(
    "math.softsign",
    "nn.softsign",
    elementwise=True,
    latex=r"\frac{{{features}}}{{1 + |{features}|}}",
    refuses="c",
)
def softsign(features: Array) -> Array:
    """Elementwise x / (1 + |x|); smooth at 0, with derivative 1 / (1 + |x|)**2."""
    return features / (1 + abs(features))


softsign.says(activation=True, fault="saturated")


@softsign.vjp("features")
def _(g: Tensor, features: Tensor) -> Tensor:
    below = 1 + abs(features)
    return g / (below * below)


@primitive(elementwise=True, latex=r"{x:2} \cdot \sigma\left({x}\right)")
def silu(x: Array) -> Array:
    """Elementwise x sigmoid(x); the derivative is s (1 + x (1 - s)) with s = sigmoid(x)."""
    return x * sigmoid(x)


silu.says(activation=True)


@silu.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    s = sigmoid(x)
    return g * (s * (1 + x * (1 - s)))
