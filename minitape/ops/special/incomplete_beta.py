"""The regularised incomplete beta function, with the derivative by its last argument.

A continued fraction converges quickly left of the mean of the beta distribution; right of it the
function is 1 less its mirror image.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.op import primitive
from minitape.ops.elementwise.no_nan import xlog1py, xlogy
from minitape.ops.elementwise.powers import exp
from minitape.ops.special.approximation import in_doubles
from minitape.ops.special.gamma_functions import lgamma, lgamma_values

if TYPE_CHECKING:
    from minitape.ops.special.approximation import Doubles
    from minitape.tensor import Array, Indices, Tensor


@primitive("math.betainc", broadcasts=True, latex=r"I_{{{x}}}\left({a}, {b}\right)")
def betainc(a: Indices, b: Indices, x: Array) -> Array:
    """The part of the beta function's integral that lies left of x, elementwise.

    The integral of t^(a-1) (1-t)^(b-1) from 0 to x, divided by that from 0 to 1; nan unless a > 0,
    b > 0 and 0 <= x <= 1. Not differentiable by a and b, as in TensorFlow.
    """
    return in_doubles(_betainc, np.asarray(a), np.asarray(b), x)


@betainc.vjp("x")
def _(g: Tensor, a: Tensor, b: Tensor, x: Tensor) -> Tensor:
    whole = lgamma(a) + lgamma(b) - lgamma(a + b)
    return g * exp(xlogy(a - 1, x) + xlog1py(b - 1, -x) - whole)


def _betainc(a: Doubles, b: Doubles, x: Doubles) -> Doubles:
    defined = (a > 0) & (b > 0) & (x >= 0) & (x <= 1) & np.isfinite(a + b)
    out = np.where(defined, x, np.nan)  # right at the ends, 0 and 1
    left = defined & (x > 0) & (x < (a + 1) / (a + b + 2))
    right = defined & (x < 1) & (x >= (a + 1) / (a + b + 2))
    out[left] = _fraction(a[left], b[left], x[left])
    out[right] = 1 - _fraction(b[right], a[right], 1 - x[right])
    return out


def _fraction(a: Any, b: Any, x: Any) -> Any:
    """The function by its continued fraction (Abramowitz and Stegun 26.5.8), by Lentz's method."""
    whole = lgamma_values(a) + lgamma_values(b) - lgamma_values(a + b)
    c, d = np.ones_like(x), 1 / (1 - (a + b) * x / (a + 1))
    total, m, change = d.copy(), 0, np.zeros_like(x)
    while m < 10_000 and (abs(change - 1) > 1e-15).any():
        m += 1
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        change = np.ones_like(x)
        for step in (even, odd):
            c, d = 1 + step / c, 1 / (1 + step * d)
            change = change * (c * d)
        total = total * change
    return np.exp(a * np.log(x) + b * np.log1p(-x) - whole) * total / a
