"""Absolute values and signs, of real and of complex numbers.

Neither has a derivative at 0; the one chosen there is 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.op import attach, export, primitive
from minitape.ops.casting import cast
from minitape.ops.elementwise.comparison import masked
from minitape.ops.elementwise.no_nan import divide_no_nan
from minitape.ops.passing import conj
from minitape.tensors.convert import operand

if TYPE_CHECKING:
    from minitape.tensor import Array, Tensor
    from minitape.values.results import SameKind


@primitive(elementwise=True, latex=r"\left|{x}\right|", type_name="Abs", refuses="bu")
def absolute(x: Array) -> Array:
    """|x| of a real tensor, elementwise; the derivative at 0 is 0."""
    return abs(x)


absolute.says(also="abs", kinks=(0.0,))


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


sign.says(jumps="steps")


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


complex_sign.says(called="sign")


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
