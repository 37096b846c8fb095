"""The incomplete gamma functions igamma and igammac, with derivatives by both arguments.

Left of a + 1 a power series gives igamma, right of it a continued fraction gives igammac, and each
is one minus the other. The derivative by `a` is taken of these formulas.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.op import primitive
from minitape.ops.elementwise.no_nan import xlogy
from minitape.ops.elementwise.powers import exp
from minitape.ops.special.approximation import in_doubles
from minitape.ops.special.gamma_functions import (
    digamma_values,
    lgamma,
    lgamma_values,
    stirling_rest,
)

if TYPE_CHECKING:
    from minitape.ops.special.approximation import Doubles
    from minitape.tensor import Array, Tensor

_STEP = 1e-30  # of the complex step: so small that it changes no real part


@primitive("math.igamma", broadcasts=True, latex=r"P\left({a}, {x}\right)")
def igamma(a: Array, x: Array) -> Array:
    """The lower regularised incomplete gamma function, elementwise; nan unless a > 0 and x >= 0.

    The integral of t^(a-1) exp(-t) from 0 to x, divided by gamma(a).
    """
    return in_doubles(lambda a, x: _both(a, x)[0], a, x)


@igamma.vjp("a")
def _(g: Tensor, a: Tensor, x: Tensor) -> Tensor:
    return g * igamma_slope(a, x)


@igamma.vjp("x")
def _(g: Tensor, a: Tensor, x: Tensor) -> Tensor:
    return g * exp(xlogy(a - 1, x) - x - lgamma(a))


@primitive("math.igammac", broadcasts=True, latex=r"Q\left({a}, {x}\right)")
def igammac(a: Array, x: Array) -> Array:
    """The upper regularised incomplete gamma function 1 - igamma(a, x), elementwise."""
    return in_doubles(lambda a, x: _both(a, x)[1], a, x)


@igammac.vjp("a")
def _(g: Tensor, a: Tensor, x: Tensor) -> Tensor:
    return -(g * igamma_slope(a, x))


@igammac.vjp("x")
def _(g: Tensor, a: Tensor, x: Tensor) -> Tensor:
    return -(g * exp(xlogy(a - 1, x) - x - lgamma(a)))


@primitive(broadcasts=True, latex=r"\frac{{d}}{{d a}} P\left({a}, {x}\right)")
def igamma_slope(a: Array, x: Array) -> Array:
    """The derivative of igamma by its first argument, elementwise; it has none of its own here."""
    return in_doubles(lambda a, x: _both(a, x)[2], a, x)


igamma_slope.says(called="slope of igamma")


@primitive(
    type_name="RandomGammaGrad",
    broadcasts=True,
    latex=r"\mathrm{{slope}}\left({sample}, {alpha}\right)",
)
def gamma_sample_slope(alpha: Array, sample: Array) -> Array:
    """How a draw of the gamma distribution moves with its shape alpha, if its rank stays.

    The probability P(alpha, sample) of a smaller draw does not change, so the slope is minus the
    derivative of P by alpha, divided by the density (Figurnov et al., "Implicit reparameterization
    gradients", 2018). It has no derivative of its own here, as in TensorFlow.
    """
    return in_doubles(_sample_slope, alpha, sample)


def _sample_slope(a: Doubles, x: Doubles) -> Doubles:
    slope = np.full_like(x, np.nan)
    slope[(a > 0) & (a < np.inf) & (x == 0)] = 0
    inside = (a > 0) & (a < np.inf) & (x > 0) & (x < np.inf)
    left, right = inside & (x < a + 1), inside & (x >= a + 1)
    for where, formula, sign in ((left, _series, -1), (right, _fraction, 1)):
        found, change = _unscaled(formula, a[where], x[where])
        slope[where] = sign * x[where] / a[where] * change  # the factors of both cancel
    return slope


def _both(a: Doubles, x: Doubles) -> tuple[Doubles, Doubles, Doubles]:
    """The lower function, the upper one, and the lower one's derivative by a."""
    lower, upper, slope = (np.full_like(x, np.nan) for _ in range(3))
    ends = (a > 0) & (a < np.inf) & ((x == 0) | (x == np.inf))
    lower[ends], upper[ends], slope[ends] = x[ends] > 0, x[ends] == 0, 0
    nothing = (x == 0) & (a <= 0)  # an empty integral, as TensorFlow says
    lower[nothing], slope[nothing] = 0, 0
    far = (a == np.inf) & (x >= 0)
    lower[far], upper[far], slope[far] = 0, 1, 0
    inside = (a > 0) & (a < np.inf) & (x > 0) & (x < np.inf)
    left, right = inside & (x < a + 1), inside & (x >= a + 1)
    lower[left], slope[left] = _with_slope(_series, a[left], x[left])
    upper[left] = 1 - lower[left]
    upper[right], slope[right] = _with_slope(_fraction, a[right], x[right])
    lower[right], slope[right] = 1 - upper[right], -slope[right]
    return lower, upper, slope


def _with_slope(formula: Any, a: Doubles, x: Doubles) -> tuple[Doubles, Doubles]:
    """x^a exp(-x) / gamma(a + 1) times a formula, and the derivative by a, by a complex step.

    The imaginary part of f(a + ih) is h f'(a) without any cancellation (Squire and Trapp, SIAM
    Review 40, 1998).
    """
    found, slope = _unscaled(formula, a, x)
    factor = np.exp(_log_factor(a, x))
    return factor * found, factor * slope


def _unscaled(formula: Any, a: Doubles, x: Doubles) -> tuple[Doubles, Doubles]:
    """Both without the factor in front, of which the slope knows the logarithm's derivative."""
    found = formula(a + 1j * _STEP, x)
    change = np.log(x) - digamma_values(a + 1)
    return found.real, found.real * change + found.imag / _STEP


def _log_factor(a: Doubles, x: Doubles) -> Doubles:
    """The logarithm of x^a exp(-x) / gamma(a + 1), without large terms that cancel for large a."""
    far = np.maximum(a, 9)
    d = (x - far) / far
    large = far * (np.log1p(d) - d) - 0.5 * np.log(2 * math.pi * far) - stirling_rest(far)
    return np.where(a < 9, a * np.log(x) - x - lgamma_values(a + 1), large)


def _series(a: Any, x: Doubles) -> Any:
    """The sum of x^n / ((a + 1) ... (a + n)) (Abramowitz and Stegun 6.5.29)."""
    term = np.ones_like(a)
    total, n = term.copy(), 0
    while n < 100_000 and (abs(term) > 1e-17 * abs(total)).any():
        n += 1
        term = term * (x / (a + n))
        total += term
    return total


def _fraction(a: Any, x: Doubles) -> Any:
    """The fraction a / (x + 1 - a - 1 (1 - a) / (x + 3 - a - ...)), by Lentz (A. and S. 6.5.31)."""
    b = x + 1 - a
    c, d = np.full_like(b, 1e300), 1 / b
    total, n, change = d.copy(), 0, np.zeros_like(b)
    while n < 100_000 and (abs(change - 1) > 1e-16).any():
        n += 1
        step, b = -n * (n - a), b + 2
        d = 1 / (step * d + b)
        c = b + step / c
        change = c * d
        total *= change
    return a * total
