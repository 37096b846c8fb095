"""Rounding, and tests for infinite and NaN values.

None of these has a gradient (it is None, not zero), except `nextafter`, and as in TensorFlow none
but `round` takes integers, which are whole and finite already.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.op import export, primitive
from minitape.tensors.convert import operand

if TYPE_CHECKING:
    from minitape.tensor import Array, Tensor


@primitive(
    *("floor", "math.floor"),
    kernel=np.floor,
    elementwise=True,
    refuses="iubc",
    differentiable=False,
    latex=r"\lfloor {x} \rfloor",
)
def floor(x: Array) -> Array:
    """The largest whole number that is not above x, elementwise, in the dtype of x."""


floor.says(jumps="steps")


@primitive(
    "math.ceil",
    kernel=np.ceil,
    elementwise=True,
    refuses="iubc",
    differentiable=False,
    latex=r"\lceil {x} \rceil",
)
def ceil(x: Array) -> Array:
    """The smallest whole number that is not below x, elementwise, in the dtype of x."""


ceil.says(jumps="steps")


@primitive(
    "math.rint",
    kernel=np.rint,
    elementwise=True,
    refuses="iubc",
    differentiable=False,
    latex=r"\mathrm{{round}}\left({x}\right)",
)
def rint(x: Array) -> Array:
    """The nearest whole number, elementwise, in the dtype of x; halves go to the even one."""


rint.says(also="round", jumps="steps")


@export("round", "math.round")
def round_(x: Any, name: str | None = None) -> Tensor:
    """Rounds to the nearest whole number; halves go to the even one.

    Args:
        x: tensor of real numbers; integers come back as they are.
        name: accepted and not used.

    Returns:
        A tensor of the shape and dtype of `x`. Its gradient is None.

    Example:
        >>> import minitape as tf
        >>> tf.round([0.5, 1.5, 2.6]).numpy().tolist()
        [0.0, 2.0, 3.0]
    """
    x = operand(x, None)
    return x if x.dtype.is_integer else rint(x)


@primitive(
    *("math.is_nan", "debugging.is_nan"),
    kernel=np.isnan,
    elementwise=True,
    refuses="iubc",
    differentiable=False,
    latex=r"\mathrm{{is\_nan}}\left({x}\right)",
)
def is_nan(x: Array) -> Array:
    """Whether x is not a number, elementwise."""


@primitive(
    *("math.is_inf", "debugging.is_inf"),
    kernel=np.isinf,
    elementwise=True,
    refuses="iubc",
    differentiable=False,
    latex=r"\mathrm{{is\_inf}}\left({x}\right)",
)
def is_inf(x: Array) -> Array:
    """Whether x is infinite, elementwise."""


@primitive(
    *("math.is_finite", "debugging.is_finite"),
    kernel=np.isfinite,
    elementwise=True,
    refuses="iubc",
    differentiable=False,
    latex=r"\mathrm{{is\_finite}}\left({x}\right)",
)
def is_finite(x: Array) -> Array:
    """Whether x is neither infinite nor NaN, elementwise."""


@primitive(
    "math.nextafter",
    broadcasts=True,
    kernel=np.nextafter,
    type_name="NextAfter",
    latex=r"\mathrm{{nextafter}}\left({x1}, {x2}\right)",
    refuses="c",
)
def nextafter(x1: Array, x2: Array) -> Array:
    """The number of this dtype that follows x1 in the direction of x2, elementwise."""


@nextafter.vjp("x1")
def _(g: Tensor) -> Tensor:
    return g


@nextafter.vjp("x2")
def _(g: Tensor) -> Tensor:
    return g * 0
