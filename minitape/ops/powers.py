"""Powers, roots, exponentials and logarithms.

The one fact to know: derivatives are those of IEEE arithmetic (log at 0 gives inf), but for the square
root, whose gradient is 0 wherever the incoming gradient is 0, so that a masked sqrt(0) does no harm.
May import: ops/comparison, errors, primitive, tensor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from minitape.errors import InvalidArgumentError
from minitape.ops.comparison import masked, select
from minitape.primitive import primitive

if TYPE_CHECKING:
    from minitape.tensor import Array, Tensor


@primitive("exp", "math.exp", kernel=np.exp, elementwise=True, latex=r"e^{{{x}}}")
def exp(x: Array) -> Array:
    """The exponential, elementwise."""


@exp.vjp("x")
def _(g: Tensor, out: Tensor) -> Tensor:
    return g * out


@primitive("math.log", kernel=np.log, elementwise=True, latex=r"\log {x:3}")
def log(x: Array) -> Array:
    """The natural logarithm, elementwise: -inf at 0, nan below, silently."""


@log.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    return g / x


@primitive("square", "math.square", kernel=np.square, elementwise=True, latex=r"{x:4}^{{2}}")
def square(x: Array) -> Array:
    """x x, elementwise."""


@square.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    return g * (x * 2)


@primitive("sqrt", "math.sqrt", kernel=np.sqrt, elementwise=True, latex=r"\sqrt{{{x}}}")
def sqrt(x: Array) -> Array:
    """The square root, elementwise; nan below 0. The gradient is 0 where the incoming one is, even at 0."""


@sqrt.vjp("x")
def _(g: Tensor, out: Tensor) -> Tensor:
    return zero_over(g * 0.5, out)


@primitive(broadcasts=True, latex=r"\frac{{{x}}}{{{y}}}")
def zero_over(x: Array, y: Array) -> Array:
    """x / y, but 0 where x is 0, whatever y is."""
    return x / y if np.all(y) else np.where(x == 0, x, x / y)[()]


@zero_over.vjp("x")
def _(g: Tensor, y: Tensor) -> Tensor:
    return zero_over(g, y)


@zero_over.vjp("y")
def _(g: Tensor, y: Tensor, out: Tensor) -> Tensor:
    return -zero_over(g * out, y)


@primitive("pow", "math.pow", operator="pow", broadcasts=True, latex=r"{x:4}^{{{y}}}")
def pow_(x: Array, y: Array) -> Array:
    """x ** y, elementwise.

    The derivative with respect to y uses log x where x > 0 (complex: x != 0) and is 0 elsewhere.
    """
    if x.dtype.kind in "iu":
        _check_exponent(y)
    return x**y


@pow_.vjp("x")
def _(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return g * (y * x ** (y - 1))


@pow_.vjp("y")
def _(g: Tensor, x: Tensor, out: Tensor) -> Tensor:
    has_log = x != 0 if x.dtype.kind == "c" else x > 0
    return g * out * masked(log(select(has_log, x, x * 0 + 1)), has_log)


def _check_exponent(y: Array) -> None:
    if np.any(y < 0):
        raise InvalidArgumentError(
            "Integers to negative integer powers are not allowed: the result is no integer. Cast the base: "
            "tf.cast(x, tf.float32) ** y."
        )
