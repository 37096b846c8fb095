"""Arithmetic: the elementwise ops behind the Python operators.

The one fact to know: all of these broadcast, which their declaration says and their rules ignore. A
rule is the plain derivative; the sweep conjugates at its ends where dtypes are complex.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import DtypeError
from minitape.interpreter import symbolic_interpreter
from minitape.ops.elementwise.casting import cast
from minitape.ops.elementwise.comparison import masked
from minitape.ops.elementwise.no_nan import divide_no_nan
from minitape.primitive import attach, export, primitive
from minitape.tensors.convert import operand
from minitape.values.spec import FLOAT32

if TYPE_CHECKING:
    from minitape.tensor import Array, Indices, Tensor
    from minitape.values.public_types import SameKind


@primitive(
    "add",
    "math.add",
    operator="add",
    kernel=operator.add,
    broadcasts=True,
    type_name="AddV2",
    latex=r"{x} + {y}",
    refuses="b",
)
def add(x: Array, y: Array) -> Array:
    """The sum x + y, elementwise."""


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
    latex=r"{x} - {y:2}",
    refuses="b",
)
def subtract(x: Array, y: Array) -> Array:
    """The difference x - y, elementwise."""


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
    latex=r"{x:2} \cdot {y:2}",
    refuses="b",
)
def multiply(x: Array, y: Array) -> Array:
    """The product x y, elementwise."""


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
    promotes=True,
    latex=r"\frac{{{x}}}{{{y}}}",
)
def divide(x: Array, y: Array) -> Array:
    """The quotient x / y, elementwise; division by zero gives inf or nan as IEEE says.

    Integers give the exact quotient: float64 for 32 and 64 bits, float32 for 8 and 16.
    """
    fractions = x.dtype is FLOAT32 or x.dtype.kind in "fc"
    return x / y if fractions else _divide_integers(x, y)


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
)
def negative(x: Array) -> Array:
    """-x, elementwise."""


@negative.vjp("x")
def _(g: Tensor) -> Tensor:
    return -g


@primitive(elementwise=True, latex=r"\left|{x}\right|", type_name="Abs", refuses="b")
def absolute(x: Array) -> Array:
    """|x| of a real tensor, elementwise; the derivative at 0 is 0."""
    return abs(x)


@absolute.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    return g * sign(x)


@primitive(elementwise=True, latex=r"\left|{x}\right|", type_name="ComplexAbs")
def complex_absolute(x: Array) -> Array:
    """|x| of a complex tensor, elementwise, in its real dtype; the derivative at 0 is 0."""
    return abs(x)


@complex_absolute.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    return cast(g, x.dtype) * conj(complex_sign(x))


def abs_(x: Any, name: str | None = None) -> SameKind:
    """The absolute value |x|, elementwise; real for a complex tensor.

    Args:
        x: tensor of numbers.
        name: accepted and not used.

    Returns:
        A tensor of the shape of `x`. The derivative at 0 is 0.

    Example:
        >>> import minitape as tf
        >>> print(tf.abs(tf.constant(3.0 + 4.0j)))
        tf.Tensor(5.0, shape=(), dtype=float64)
    """
    x = operand(x, None)
    return complex_absolute(x) if x.dtype.is_complex else absolute(x)


export("abs", "math.abs")(abs_)
attach("abs", abs_, reflected=False)


@primitive(elementwise=True, latex=r"\mathrm{{sign}}\left({x}\right)", type_name="Sign")
def sign(x: Array) -> Array:
    """The sign of a real x, elementwise: -1, 0 or 1. Its derivative is 0, also at the jump."""
    return np.sign(x)


@sign.vjp("x")
def _(g: Tensor) -> Tensor:
    return masked(g, np.False_)


@sign.jvp
def _(tangents: Any, inputs: Any, out: Any, attributes: Any) -> None:
    """Constant: forward mode has None for it in TensorFlow, where reverse mode has zeros."""


@primitive(elementwise=True, latex=r"\mathrm{{sign}}\left({x}\right)", type_name="ComplexSign")
def complex_sign(x: Array) -> Array:
    """The direction x / |x| of a complex x, elementwise; 0 at 0, and so is the derivative."""
    return np.sign(x)


@complex_sign.vjp("x")
def _(g: Tensor, x: Tensor, out: Tensor) -> Tensor:
    """Only what is across the direction turns it: i Im(out g) conj(out) / |x|."""
    turned = out * g
    across = (turned - conj(turned)) * 0.5
    return divide_no_nan(conj(out) * across, cast(complex_absolute(x), x.dtype))


@export("sign", "math.sign")
def sign_function(x: Any, name: str | None = None) -> Any:
    """The sign, elementwise: -1, 0 or 1, and x / |x| for complex numbers.

    Args:
        x: tensor of numbers.
        name: accepted and not used.

    Returns:
        A tensor like `x`. The derivative of a real sign is 0, also at the jump.

    Example:
        >>> import minitape as tf
        >>> tf.sign([-3.0, 0.0, 2.0]).numpy().tolist()
        [-1.0, 0.0, 1.0]
    """
    x = operand(x, None)
    return complex_sign(x) if x.dtype.is_complex else sign(x)


@primitive("identity", elementwise=True, latex=r"{input}")
def identity(input: Array) -> Array:  # noqa: A002  # TensorFlow's name
    """The same values as a new tensor, through which gradients pass."""
    return input


@identity.vjp("input")
def _(g: Tensor) -> Tensor:
    return g


@primitive(
    "stop_gradient",
    elementwise=True,
    differentiable=False,
    type_name="StopGradient",
    latex=r"\mathrm{{stop}}\left({input}\right)",
)
def stop_gradient(input: Array) -> Array:
    """The same values as a new tensor, through which no gradient passes."""
    return input


@primitive("math.conj", elementwise=True, latex=r"\overline{{{x}}}")
def conj(x: Array) -> Array:
    """The complex conjugate, elementwise; real tensors stay what they are."""
    return np.conj(x) if x.dtype.kind == "c" else x


@conj.vjp("x")
def _(g: Tensor) -> Tensor:
    return conj(g)


@primitive(broadcasts=True, latex=r"{x:2} \cdot \left[{keep}\right]")
def gate(x: Array, keep: Indices) -> Array:
    """The product of numbers and truth values, for rules: x where `keep` holds, else 0."""
    return x * keep


@gate.vjp("x")
def _(g: Tensor, keep: Tensor) -> Tensor:
    return gate(g, keep)


@export("executing_eagerly")
def executing_eagerly() -> bool:
    """Whether ops compute at once: True everywhere but inside graphs."""
    return symbolic_interpreter() is None
