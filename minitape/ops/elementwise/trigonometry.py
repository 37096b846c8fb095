"""Circular and hyperbolic functions and their inverses.

Outside of its domain an inverse function of a real number gives NaN, silently as IEEE does, and its
derivative is infinite at the ends of the domain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from minitape.op import primitive
from minitape.ops.elementwise.powers import hypot, reciprocal, sqrt
from minitape.ops.families import MANY

if TYPE_CHECKING:
    from minitape.tensor import Array, Tensor


@primitive("sin", "math.sin", kernel=np.sin, elementwise=True, latex=r"\sin {x:3}")
def sin(x: Array) -> Array:
    """The sine of x in radians, elementwise."""


@sin.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    return g * cos(x)


@primitive("cos", "math.cos", kernel=np.cos, elementwise=True, latex=r"\cos {x:3}")
def cos(x: Array) -> Array:
    """The cosine of x in radians, elementwise."""


@cos.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    return -(g * sin(x))


@primitive("tan", "math.tan", kernel=np.tan, elementwise=True, latex=r"\tan {x:3}")
def tan(x: Array) -> Array:
    """The tangent of x in radians, elementwise."""


@tan.vjp("x")
def _(g: Tensor, out: Tensor) -> Tensor:
    return g * (1 + out * out)


@primitive("asin", "math.asin", kernel=np.arcsin, elementwise=True, latex=r"\arcsin {x:3}")
def asin(x: Array) -> Array:
    """The angle in [-pi/2, pi/2] with sine x, elementwise; nan outside of [-1, 1]."""


asin.says(pole="1 / sqrt(1 - x^2)")


@asin.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    return g * reciprocal(sqrt(one_minus_square(x)))


@primitive("acos", "math.acos", kernel=np.arccos, elementwise=True, latex=r"\arccos {x:3}")
def acos(x: Array) -> Array:
    """The angle in [0, pi] with cosine x, elementwise; nan outside of [-1, 1]."""


acos.says(pole="-1 / sqrt(1 - x^2)")


@acos.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    return -(g * reciprocal(sqrt(one_minus_square(x))))


@primitive("atan", "math.atan", kernel=np.arctan, elementwise=True, latex=r"\arctan {x:3}")
def atan(x: Array) -> Array:
    """The angle in (-pi/2, pi/2) with tangent x, elementwise."""


@atan.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    return g / (1 + x * x)


@primitive(
    *("atan2", "math.atan2"),
    kernel=np.arctan2,
    broadcasts=True,
    latex=r"\mathrm{{atan2}}\left({y}, {x}\right)",
    refuses="c",
)
def atan2(y: Array, x: Array) -> Array:
    """The angle in [-pi, pi] of the point (x, y), elementwise; y comes first.

    At the origin the derivatives are nan; across the negative x axis the value jumps.
    """


@atan2.vjp("y")
def _(g: Tensor, y: Tensor, x: Tensor) -> Tensor:
    r = hypot(x, y)  # x * x + y * y would overflow where x / r / r does not
    return g * (x / r / r)


@atan2.vjp("x")
def _(g: Tensor, y: Tensor, x: Tensor) -> Tensor:
    r = hypot(x, y)
    return -(g * (y / r / r))


@primitive("sinh", "math.sinh", kernel=np.sinh, elementwise=True, latex=r"\sinh {x:3}")
def sinh(x: Array) -> Array:
    """The hyperbolic sine, elementwise."""


sinh.says(grows=True)


@sinh.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    return g * cosh(x)


@primitive("cosh", "math.cosh", kernel=np.cosh, elementwise=True, latex=r"\cosh {x:3}")
def cosh(x: Array) -> Array:
    """The hyperbolic cosine, elementwise."""


cosh.says(grows=True)


@cosh.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    return g * sinh(x)


@primitive(
    *("tanh", "math.tanh", "nn.tanh"), kernel=np.tanh, elementwise=True, latex=r"\tanh {x:3}"
)
def tanh(x: Array) -> Array:
    """The hyperbolic tangent, elementwise."""


tanh.says(activation=True, fault="saturated")


@tanh.vjp("x")
def _(g: Tensor, out: Tensor) -> Tensor:
    return tanh_gradient(g, out)


@primitive(broadcasts=True, type_name="TanhGrad", latex=r"{x:2} \cdot \left(1 - {y:4}^{{2}}\right)")
def tanh_gradient(x: Array, y: Array) -> Array:
    """The product x (1 - y^2), elementwise: what tanh with the result y passes back.

    One op, because it is common and its own derivative needs fewer products that way.
    """
    slope = y * y
    if slope.size < MANY or slope.shape != x.shape:
        return x * (1 - slope)
    np.subtract(1, slope, out=slope)  # one new array instead of two
    return np.multiply(x, slope, out=slope)


tanh_gradient.says(called="back through tanh")


@tanh_gradient.vjp("x")
def _(g: Tensor, y: Tensor) -> Tensor:
    return tanh_gradient(g, y)


@tanh_gradient.vjp("y")
def _(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return g * (x * y * -2)


@primitive(
    *("asinh", "math.asinh"),
    kernel=np.arcsinh,
    elementwise=True,
    latex=r"\mathrm{{asinh}}\left({x}\right)",
)
def asinh(x: Array) -> Array:
    """The inverse of sinh, elementwise."""


@asinh.vjp("x")
def _(g: Tensor, out: Tensor) -> Tensor:
    return g / cosh(out)


@primitive(
    *("acosh", "math.acosh"),
    kernel=np.arccosh,
    elementwise=True,
    latex=r"\mathrm{{acosh}}\left({x}\right)",
)
def acosh(x: Array) -> Array:
    """The inverse of cosh that is not negative, elementwise; nan below 1."""


@acosh.vjp("x")
def _(g: Tensor, out: Tensor) -> Tensor:
    return g / sinh(out)


@primitive(
    *("atanh", "math.atanh"),
    kernel=np.arctanh,
    elementwise=True,
    latex=r"\mathrm{{atanh}}\left({x}\right)",
)
def atanh(x: Array) -> Array:
    """The inverse of tanh, elementwise: infinite at -1 and 1, nan outside."""


atanh.says(pole="1 / (1 - x^2)")


@atanh.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    return g * reciprocal(one_minus_square(x))


@primitive(elementwise=True, latex=r"1 - {x:4}^2")
def one_minus_square(x: Array) -> Array:
    """The number 1 - x^2, elementwise.

    An op of its own, because the product rule on (1 - x)(1 + x) meets 0 times infinity at the ends
    of what asin, acos and atanh are defined for, where second derivatives are infinite.
    """
    if x.dtype.kind == "c":  # as below, but 1 - x would lose the sign of an imaginary part 0, and
        return -(x - 1) * (x - -1)  # with it the side of the branch cut
    return (1 - x) * (1 + x)  # 1 - x * x would lose digits near the ends


@one_minus_square.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    return g * (x * -2)
