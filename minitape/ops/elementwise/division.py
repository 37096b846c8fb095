"""Quotients (`/`), and whole ones and their remainders, rounded down (`//`, `%`) or towards zero.

A whole quotient has no gradient (it is None), a remainder x - n y has that of its formula with the
quotient n held fixed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from minitape.errors import DtypeError, InvalidArgumentError
from minitape.op import attach, primitive

if TYPE_CHECKING:
    from minitape.tensor import Array, Tensor


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
    "floordiv",
    "math.floordiv",
    operator="floordiv",
    broadcasts=True,
    differentiable=False,
    type_name="FloorDiv",
    node_name="floordiv",
    latex=r"\lfloor\frac{{{x}}}{{{y}}}\rfloor",
    refuses="c",
    lengths=True,
)
def floordiv(x: Array, y: Array) -> Array:
    """The largest whole number that is not above x / y, elementwise; no derivative."""
    if x.dtype.kind == "f":
        return np.floor(x / y)
    check_divisor(y)
    return x // y


floordiv.says(jumps="steps")


attach("rfloordiv", lambda y, x: floordiv.public(x, y), reflected=False)


@primitive(
    *("math.floormod", "math.mod", "floormod", "mod"),
    operator="mod",
    broadcasts=True,
    type_name="FloorMod",
    node_name="mod",
    latex=r"{x:2} \bmod {y:2}",
    refuses="c",
    lengths=True,
)
def floormod(x: Array, y: Array) -> Array:
    """The remainder x - floor(x / y) y, elementwise, which has the sign of y.

    It jumps where x / y is whole; the derivatives there are those of the branch to the right.
    """
    if x.dtype.kind != "f":
        check_divisor(y)
    return x % y


@floormod.vjp("x")
def _(g: Tensor) -> Tensor:
    return g


@floormod.vjp("y")
def _(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return -(g * floordiv(x, y))


def check_divisor(y: Array) -> None:
    """Raises if one of the integers `y` is 0."""
    if not np.all(y):
        raise InvalidArgumentError(
            "Integer division by zero: integers have no infinity. "
            "Use tf.where to keep zeros out of it."
        )


@primitive(
    "truncatediv",
    broadcasts=True,
    differentiable=False,
    type_name="TruncateDiv",
    latex=r"\mathrm{{trunc}}\left(\frac{{{x}}}{{{y}}}\right)",
    refuses="c",
)
def truncatediv(x: Array, y: Array) -> Array:
    """The quotient x / y rounded towards zero, elementwise, in the dtype of x."""
    if x.dtype.kind == "f":
        return np.trunc(x / y)
    check_divisor(y)
    quotient = x // y
    return quotient + ((x % y != 0) & ((x < 0) != (y < 0)))


@primitive(
    "truncatemod",
    broadcasts=True,
    type_name="TruncateMod",
    latex=r"\mathrm{{fmod}}\left({x}, {y}\right)",
    refuses="c",
)
def truncatemod(x: Array, y: Array) -> Array:
    """The remainder of x / y with the sign of x, elementwise."""
    if x.dtype.kind != "f":
        check_divisor(y)
    return np.fmod(x, y)


@truncatemod.vjp("x")
def _(g: Tensor) -> Tensor:
    return g


@truncatemod.vjp("y")
def _(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return -(g * truncatediv(x, y))
