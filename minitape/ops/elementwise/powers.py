"""Powers, roots, exponentials and logarithms.

Derivatives are those of IEEE arithmetic (infinite for log at 0), but for roots and reciprocals:
their gradient is 0 wherever the incoming one is, as in TensorFlow, so that a masked sqrt(0),
sqrt(-1) or rsqrt(0) does no harm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from minitape.op import primitive
from minitape.ops.elementwise.comparison import select
from minitape.ops.passing import conj, is_complex

if TYPE_CHECKING:
    from typing import Any

    from minitape.tensor import Array, Tensor


@primitive("exp", "math.exp", kernel=np.exp, elementwise=True, latex=r"e^{{{x}}}")
def exp(x: Array) -> Array:
    """The exponential, elementwise."""


exp.says(activation=True, grows=True, shrinks=True)


@exp.vjp("x")
def _(g: Tensor, out: Tensor) -> Tensor:
    return g * out


@primitive("math.expm1", kernel=np.expm1, elementwise=True, latex=r"e^{{{x}}} - 1")
def expm1(x: Array) -> Array:
    """The exponential minus one, elementwise, without the loss of digits near 0."""


expm1.says(grows=True)


@expm1.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    return g * exp(x)  # out + 1 would lose all digits far to the left


@primitive("math.log", kernel=np.log, elementwise=True, latex=r"\log {x:3}")
def log(x: Array) -> Array:
    """The natural logarithm, elementwise: -inf at 0 and nan below it, silently."""


log.says(steep=True, undefined="log")


@log.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    return g / x


@primitive("math.log1p", kernel=np.log1p, elementwise=True, latex=r"\log\left(1 + {x}\right)")
def log1p(x: Array) -> Array:
    """The logarithm of 1 + x, elementwise, without the loss of digits near 0."""


log1p.says(undefined="log")


@log1p.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    return g / (1 + x)


@primitive(
    "square", "math.square", kernel=np.square, elementwise=True, latex=r"{x:4}^{{2}}", refuses="b"
)
def square(x: Array) -> Array:
    """The product of x with itself, elementwise."""


square.says(grows=True, shrinks=True)


@square.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    return g * (x * 2)


@primitive("sqrt", "math.sqrt", kernel=np.sqrt, elementwise=True, latex=r"\sqrt{{{x}}}")
def sqrt(x: Array) -> Array:
    """The square root, elementwise; nan below 0.

    The derivative is infinite at 0 and nan below it, yet the gradient is 0 there if the incoming
    gradient is.
    """


sqrt.says(steep=True)


@sqrt.vjp("x")
def _(g: Tensor, out: Tensor) -> Tensor:
    return zero_over(g * 0.5, out)


@primitive(broadcasts=True, latex=r"\frac{{{x}}}{{{y}}}")
def zero_over(x: Array, y: Array) -> Array:
    """The quotient x / y, elementwise, but 0 where x is 0, whatever y is: for derivatives."""
    return _zero_where_undefined(x, x / y)


zero_over.says(called="gated quotient", plain="divide")


@zero_over.vjp("x")
def _(g: Tensor, y: Tensor) -> Tensor:
    return zero_over(g, y)


@zero_over.vjp("y")
def _(g: Tensor, y: Tensor, out: Tensor) -> Tensor:
    return -zero_over(g * out, y)


@primitive(broadcasts=True, latex=r"{x:2} \cdot {y:2}")
def zero_times(x: Array, y: Array) -> Array:
    """The product x y, elementwise, but 0 where x is 0, whatever y is: for derivatives."""
    return _zero_where_undefined(x, x * y)


zero_times.says(called="gated product", plain="multiply")


def _zero_where_undefined(x: Any, out: Any) -> Any:
    """A result with 0 where it is nan and x is 0: what 0 by 0, by infinity and by nan make."""
    undefined = np.isnan(out)
    return np.where(undefined & (x == 0), x, out)[()] if undefined.any() else out


@zero_times.vjp("x")
def _(g: Tensor, y: Tensor) -> Tensor:
    return zero_times(g, y)


@zero_times.vjp("y")
def _(g: Tensor, x: Tensor) -> Tensor:
    return g * x


@primitive("math.rsqrt", elementwise=True, latex=r"\frac{{1}}{{\sqrt{{{x}}}}}")
def rsqrt(x: Array) -> Array:
    """One over the square root, elementwise: inf at 0, nan below it.

    The derivative is infinite at 0, yet the gradient is 0 there if the incoming gradient is.
    """
    return 1 / np.sqrt(x)


rsqrt.says(steep=True)


@rsqrt.vjp("x")
def _(g: Tensor, out: Tensor) -> Tensor:
    return zero_times(g, out * out * out) * -0.5


@primitive("math.reciprocal", elementwise=True, latex=r"\frac{{1}}{{{x}}}")
def reciprocal(x: Array) -> Array:
    """One over x, elementwise: inf at 0.

    The derivative is infinite at 0, yet the gradient is 0 there if the incoming gradient is.
    """
    return 1 / x


reciprocal.says(steep=True, undefined="division")


@reciprocal.vjp("x")
def _(g: Tensor, out: Tensor) -> Tensor:
    return -zero_times(g, out * out)


@primitive(
    *("pow", "math.pow"),
    operator="pow",
    broadcasts=True,
    node_name="pow",
    latex=r"{x:4}^{{{y}}}",
    refuses="b",
)
def pow_(x: Array, y: Array) -> Array:
    """The power x ** y, elementwise; integers take no negative exponents.

    The derivative with respect to y takes 0 for log x unless x > 0 (complex: x != 0).
    """
    if type(y) in _FLOATS and type(x) is _ndarray:
        if y == 2.0:
            return _square(x)  # NumPy takes half the time for it
        return x ** float(y)  # NumPy takes roots and copies where the exponent is Python's
    return x**y


pow_.says(grows=True, shrinks=True)


_ndarray, _square = np.ndarray, np.square
_FLOATS = frozenset({np.float32, np.float64, np.float16})


@pow_.vjp("x")
def _(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return g * power_slope(x, y)


@primitive(broadcasts=True, latex=r"{y:2} \cdot {x:4}^{{{y} - 1}}")
def power_slope(x: Array, y: Array) -> Array:
    """The derivative of x ** y with respect to x, y x ** (y - 1), elementwise, for rules."""
    if type(y) in _FLOATS and type(x) is _ndarray:
        if y == 2.0:
            return x + x
        return y * x ** (float(y) - 1)
    return y * x ** (y - 1)


power_slope.says(called="slope of power")


@power_slope.vjp("x")
def _(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return g * (y * power_slope(x, y - 1))


@power_slope.vjp("y")
def _(g: Tensor, x: Tensor, y: Tensor, out: Tensor) -> Tensor:
    keep = has_logarithm(x)
    return g * pow_(x, y - 1) + g * (out * log(select(keep, x, 1)))


@pow_.vjp("y")
def _(g: Tensor, x: Tensor, out: Tensor) -> Tensor:
    return g * (out * log(select(has_logarithm(x), x, 1)))


@primitive(elementwise=True, differentiable=False, latex=r"{x} > 0")
def has_logarithm(x: Array) -> Array:
    """Whether log x is finite and of the same dtype: x > 0, or x != 0 for complex numbers."""
    return x != 0 if x.dtype.kind == "c" else x > 0


@primitive("math.squared_difference", broadcasts=True, latex=r"\left({x} - {y:2}\right)^{{2}}")
def squared_difference(x: Array, y: Array) -> Array:
    """The square of x - y, elementwise; for complex numbers |x - y| squared."""
    d = x - y
    return d * np.conj(d) if d.dtype.kind == "c" else d * d


@squared_difference.vjp("x")
def _(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return _of_square(g, x - y)


@squared_difference.vjp("y")
def _(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return _of_square(g, y - x)


def _of_square(g: Tensor, d: Tensor) -> Tensor:
    """2 d g; where numbers are complex |d| squared is real, and moves along Re(g) alone."""
    return (g + conj(g)) * conj(d) if is_complex(d) else g * (d * 2)


@primitive(kernel=np.hypot, broadcasts=True, latex=r"\sqrt{{{x:4}^{{2}} + {y:4}^{{2}}}}")
def hypot(x: Array, y: Array) -> Array:
    """The length of the vector (x, y), elementwise, without overflow of the squares."""


@hypot.vjp("x")
def _(g: Tensor, x: Tensor, out: Tensor) -> Tensor:
    return g * (x / out)


@hypot.vjp("y")
def _(g: Tensor, y: Tensor, out: Tensor) -> Tensor:
    return g * (y / out)
