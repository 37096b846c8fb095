"""Arithmetic: the elementwise ops behind the Python operators.

The one fact to know: all of these broadcast, which their declaration says and their rules ignore. A
rule is the plain derivative; the sweep conjugates at its ends where dtypes are complex.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

import numpy as np

from minitape.errors import DtypeError
from minitape.op import primitive

if TYPE_CHECKING:
    from minitape.tensor import Array, Indices, Tensor


@primitive(
    "add",
    "math.add",
    operator="add",
    kernel=operator.add,
    broadcasts=True,
    type_name="AddV2",
    node_name="add",
    latex=r"{x} + {y}",
    refuses="b",
    lengths=True,
)
def add(x: Array, y: Array) -> Array:
    """The sum x + y, elementwise."""


add.says(sign="+", grows=True)


@add.vjp("x", "y")
def _(g: Tensor) -> Tensor:
    return g


@primitive(
    "subtract",
    "math.subtract",
    operator="sub",
    kernel=operator.sub,
    broadcasts=True,
    type_name="Sub",
    node_name="sub",
    latex=r"{x} - {y:2}",
    refuses="b",
    lengths=True,
)
def subtract(x: Array, y: Array) -> Array:
    """The difference x - y, elementwise."""


subtract.says(sign="−", grows=True)


@subtract.vjp("x")
def _(g: Tensor) -> Tensor:
    return g


@subtract.vjp("y")
def _(g: Tensor) -> Tensor:
    return -g


@primitive(
    "multiply",
    "math.multiply",
    operator="mul",
    kernel=operator.mul,
    broadcasts=True,
    type_name="Mul",
    node_name="mul",
    latex=r"{x:2} \cdot {y:2}",
    refuses="b",
    lengths=True,
)
def multiply(x: Array, y: Array) -> Array:
    """The product x y, elementwise."""


multiply.says(sign="·", flat="the other factor is 0", grows=True, shrinks=True)


@multiply.vjp("x")
def _(g: Tensor, y: Tensor) -> Tensor:
    return g * y


@multiply.vjp("y")
def _(g: Tensor, x: Tensor) -> Tensor:
    return g * x


@primitive(
    *("divide", "math.divide", "truediv", "math.truediv", "realdiv"),
    operator="truediv",
    broadcasts=True,
    type_name="RealDiv",
    node_name="truediv",
    promotes=True,
    latex=r"\frac{{{x}}}{{{y}}}",
)
def divide(x: Array, y: Array) -> Array:
    """The quotient x / y, elementwise; division by zero gives inf or nan as IEEE says.

    Integers give the exact quotient: float64 for 32 and 64 bits, float32 for 8 and 16.
    """
    return x / y if x.dtype.kind in "fc" else _divide_integers(x, y)


divide.says(sign="/", undefined="division", shrinks=True)


@divide.vjp("x")
def _(g: Tensor, y: Tensor) -> Tensor:
    return g / y


@divide.vjp("y")
def _(g: Tensor, y: Tensor, out: Tensor) -> Tensor:
    return -(g * out / y)


def _divide_integers(x: Array, y: Array) -> Array:
    """The quotients of integers as floats, in TensorFlow's choice of dtype."""
    if x.dtype.kind == "b":
        raise DtypeError(
            "Invalid dtype tf.bool in __truediv__: bools are not numbers. "
            "Write tf.cast(x, tf.float32) first"
        )
    dtype = np.float32 if x.dtype.itemsize < 4 else np.float64
    return x.astype(dtype) / y.astype(dtype)


@primitive(
    "negative",
    "math.negative",
    operator="neg",
    kernel=operator.neg,
    elementwise=True,
    type_name="Neg",
    latex=r"-{x:2}",
    refuses="bu",
)
def negative(x: Array) -> Array:
    """-x, elementwise."""


negative.says(sign="−")


@negative.vjp("x")
def _(g: Tensor) -> Tensor:
    return -g


@primitive(broadcasts=True, latex=r"{x:2} \cdot \left[{keep}\right]")
def gate(x: Array, keep: Indices) -> Array:
    """The product of numbers and truth values, for rules: x where `keep` holds, else 0."""
    return x * keep


gate.says(sign="·", gate="dropped")


@gate.vjp("x")
def _(g: Tensor, keep: Tensor) -> Tensor:
    return gate(g, keep)
