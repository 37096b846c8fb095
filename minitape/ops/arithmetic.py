"""Arithmetic: the elementwise ops behind the Python operators.

The one fact to know: all of these broadcast, which their declaration says and their rules ignore. A
rule is the plain derivative; the sweep conjugates at its ends where dtypes are complex.
May import: ops/broadcasting, primitive, tensor.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.interpreter import symbolic_interpreter
from minitape.primitive import export, primitive

if TYPE_CHECKING:
    from minitape.tensor import Array, Indices, Tensor


@primitive("add", "math.add", operator="add", kernel=operator.add, broadcasts=True, type_name="AddV2", latex=r"{x} + {y}")
def add(x: Array, y: Array) -> Array:
    """x + y, elementwise."""


@add.vjp("x", "y")
def _(g: Tensor) -> Tensor:
    return g


@primitive(
    "subtract", "math.subtract", operator="sub", kernel=operator.sub, broadcasts=True, type_name="Sub", latex=r"{x} - {y:2}"
)
def subtract(x: Array, y: Array) -> Array:
    """x - y, elementwise."""


@subtract.vjp("x")
def _(g: Tensor) -> Tensor:
    return g


@subtract.vjp("y")
def _(g: Tensor) -> Tensor:
    return -g


@primitive(
    "multiply", "math.multiply", operator="mul", kernel=operator.mul, broadcasts=True, type_name="Mul", latex=r"{x:2} \cdot {y:2}"
)
def multiply(x: Array, y: Array) -> Array:
    """x * y, elementwise."""


@multiply.vjp("x")
def _(g: Tensor, y: Tensor) -> Tensor:
    return g * y


@multiply.vjp("y")
def _(g: Tensor, x: Tensor) -> Tensor:
    return g * x


@primitive(kernel=operator.truediv, broadcasts=True, type_name="RealDiv", latex=r"\frac{{{x}}}{{{y}}}")
def divide(x: Array, y: Array) -> Array:
    """x / y for floating and complex dtypes, elementwise; division by zero gives inf or nan as IEEE says."""


@divide.vjp("x")
def _(g: Tensor, y: Tensor) -> Tensor:
    return g / y


@divide.vjp("y")
def _(g: Tensor, y: Tensor, out: Tensor) -> Tensor:
    return -(g * out / y)


@primitive(
    "negative", "math.negative", operator="neg", kernel=operator.neg, elementwise=True, type_name="Neg", latex=r"-{x:2}"
)
def negative(x: Array) -> Array:
    """-x, elementwise."""


@negative.vjp("x")
def _(g: Tensor) -> Tensor:
    return -g


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


@primitive("exp", "math.exp", kernel=np.exp, elementwise=True, latex=r"e^{{{x}}}")
def exp(x: Array) -> Array:
    """The exponential, elementwise."""


@exp.vjp("x")
def _(g: Tensor, out: Tensor) -> Tensor:
    return g * out


@primitive("tanh", "math.tanh", "nn.tanh", kernel=np.tanh, elementwise=True, latex=r"\tanh {x:3}")
def tanh(x: Array) -> Array:
    """The hyperbolic tangent, elementwise."""


@tanh.vjp("x")
def _(g: Tensor, out: Tensor) -> Tensor:
    return g * (1 - out * out)


@primitive("pow", "math.pow", operator="pow", broadcasts=True, latex=r"{x:4}^{{{y}}}")
def pow_(x: Array, y: Array) -> Array:
    """x ** y, elementwise."""
    return x**y


@pow_.vjp("x")
def _(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return g * (y * x ** (y - 1))


@primitive("identity", elementwise=True, latex=r"{x}")
def identity(x: Array) -> Array:
    """The same values as a new tensor, through which gradients pass."""
    return x


@identity.vjp("x")
def _(g: Tensor) -> Tensor:
    return g


@primitive("math.conj", elementwise=True, latex=r"\overline{{{x}}}")
def conj(x: Array) -> Array:
    """The complex conjugate, elementwise; real tensors stay what they are."""
    return np.conj(x) if x.dtype.kind == "c" else x


@conj.vjp("x")
def _(g: Tensor) -> Tensor:
    return conj(g)


@primitive(broadcasts=True, latex=r"{x:2} \cdot \left[{keep}\right]")
def gate(x: Array, keep: Indices) -> Array:
    """x where the bool `keep` holds, else 0: a product of a number and a truth value, for rules."""
    return x * keep


@gate.vjp("x")
def _(g: Tensor, keep: Tensor) -> Tensor:
    return gate(g, keep)


@export("executing_eagerly")
def executing_eagerly() -> bool:
    """Whether ops compute at once: True everywhere but inside graphs."""
    return symbolic_interpreter() is None
