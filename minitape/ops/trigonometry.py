"""Circular and hyperbolic functions and their inverses.

The one fact to know: outside of its domain a real inverse function gives NaN, silently as IEEE does; at
the ends of a domain derivatives are infinite.
May import: ops/powers, primitive, tensor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from minitape.primitive import primitive

if TYPE_CHECKING:
    from minitape.tensor import Array, Tensor


@primitive("sin", "math.sin", kernel=np.sin, elementwise=True, latex=r"\sin {x:3}")
def sin(x: Array) -> Array:
    """The sine, elementwise."""


@sin.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    return g * cos(x)


@primitive("cos", "math.cos", kernel=np.cos, elementwise=True, latex=r"\cos {x:3}")
def cos(x: Array) -> Array:
    """The cosine, elementwise."""


@cos.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    return -(g * sin(x))


@primitive("tanh", "math.tanh", "nn.tanh", kernel=np.tanh, elementwise=True, latex=r"\tanh {x:3}")
def tanh(x: Array) -> Array:
    """The hyperbolic tangent, elementwise."""


@tanh.vjp("x")
def _(g: Tensor, out: Tensor) -> Tensor:
    return g * (1 - out * out)
