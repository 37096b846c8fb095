"""Quotients, products and logarithms that are 0 where a zero meets an infinity.

The zero that decides is named by the op (the divisor of divide_no_nan, the factor x of xlogy), and
the derivatives are made of the same ops, so they have no NaN there either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.op import export, primitive
from minitape.ops.casting import cast
from minitape.tensors.convert import operand

if TYPE_CHECKING:
    from minitape.tensor import Array, Tensor
    from minitape.values.public_types import TensorLike


def _unless(zero: Array, value: Array) -> Array:
    """The elements of `value`, but 0 where `zero` holds."""
    return np.where(zero, value.dtype.type(0), value)[()]


@primitive(
    "math.divide_no_nan",
    broadcasts=True,
    type_name="DivNoNan",
    promotes=True,
    latex=r"\mathrm{{where}}\left({y} \ne 0, \frac{{{x}}}{{{y}}}, 0\right)",
)
def divide_no_nan(x: Array, y: Array) -> Array:
    """The quotient x / y, elementwise, but 0 where y is 0; the derivatives are 0 there too."""
    if x.dtype.kind in "iu" and x.dtype.itemsize < 4:
        x = x.astype(np.float32)  # short integers, as in `divide`
    return _unless(y == 0, x / y)


@divide_no_nan.vjp("x")
def _(g: Tensor, y: Tensor) -> Tensor:
    return divide_no_nan(g, y)


@divide_no_nan.vjp("y")
def _(g: Tensor, y: Tensor, out: Tensor) -> Tensor:
    return -(g * divide_no_nan(out, y))


@primitive(
    "math.multiply_no_nan",
    broadcasts=True,
    type_name="MulNoNan",
    latex=r"\mathrm{{where}}\left({y} \ne 0, {x:2} \cdot {y:2}, 0\right)",
)
def multiply_no_nan(x: Array, y: Array) -> Array:
    """The product of x and y, elementwise, but 0 where y is 0 even if x is infinite or nan."""
    return _unless(y == 0, x * y)


@multiply_no_nan.vjp("x")
def _(g: Tensor, y: Tensor) -> Tensor:
    return multiply_no_nan(g, y)


@multiply_no_nan.vjp("y")
def _(g: Tensor, x: Tensor) -> Tensor:
    return multiply_no_nan(x, g)


@export("math.reciprocal_no_nan")
def reciprocal_no_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """One over `x`, elementwise, but 0 where `x` is 0.

    Args:
        x: tensor, floating or complex.
        name: accepted and not used.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> import minitape as tf
        >>> tf.math.reciprocal_no_nan([2.0, 0.0]).numpy().tolist()
        [0.5, 0.0]
    """
    return divide_no_nan.public(1, operand(x, None))


def _is_not_zero(x: Any) -> Any:
    """One where x is not 0 and 0 where it is, in the dtype of x."""
    return cast(x != 0, x.dtype)


@primitive(
    "math.xlogy",
    broadcasts=True,
    latex=r"\mathrm{{where}}\left({x} \ne 0, {x:2} \cdot \log {y:3}, 0\right)",
)
def xlogy(x: Array, y: Array) -> Array:
    """The product x log(y), elementwise, but 0 where x is 0, and so are the derivatives."""
    return _unless(x == 0, x * np.log(y))


@xlogy.vjp("x")
def _(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return g * xlogy(_is_not_zero(x), y)


@xlogy.vjp("y")
def _(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return g * xdivy(x, y)


@primitive(
    "math.xlog1py",
    broadcasts=True,
    latex=r"\mathrm{{where}}\left({x} \ne 0, {x:2} \cdot \log\left(1 + {y}\right), 0\right)",
)
def xlog1py(x: Array, y: Array) -> Array:
    """The product x log(1 + y), elementwise, but 0 where x is 0, and so are the derivatives."""
    return _unless(x == 0, x * np.log1p(y))


@xlog1py.vjp("x")
def _(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return g * xlog1py(_is_not_zero(x), y)


@xlog1py.vjp("y")
def _(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return g * xdivy(x, y + 1)


@primitive(
    "math.xdivy",
    broadcasts=True,
    latex=r"\mathrm{{where}}\left({x} \ne 0, \frac{{{x}}}{{{y}}}, 0\right)",
)
def xdivy(x: Array, y: Array) -> Array:
    """The quotient x / y, elementwise, but 0 where x is 0, and so are the derivatives."""
    return _unless(x == 0, x / y)


@xdivy.vjp("x")
def _(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return g * xdivy(_is_not_zero(x), y)


@xdivy.vjp("y")
def _(g: Tensor, y: Tensor, out: Tensor) -> Tensor:
    return -(g * xdivy(out, y))
