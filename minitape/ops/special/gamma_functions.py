"""The gamma function's family: lgamma, digamma, polygamma, zeta, lbeta.

Each is the derivative of the one before it, and polygamma is a zeta function, so the rules are
short. The values are good to about 14 digits in float64.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from minitape.op import export, primitive
from minitape.ops.broadcasting import reduce_sum
from minitape.ops.special.approximation import in_doubles, piecewise, polynomial
from minitape.tensors.convert import operand

if TYPE_CHECKING:
    from minitape.ops.special.approximation import Doubles
    from minitape.tensor import Array, Indices, Tensor
    from minitape.values.public_types import TensorLike

_EULER = 0.57721566490153286061


@primitive("math.lgamma", elementwise=True, latex=r"\log \left|\Gamma\left({x}\right)\right|")
def lgamma(x: Array) -> Array:
    """The logarithm of |gamma(x)|, elementwise: infinite at 0, -1, -2, ..."""
    return in_doubles(lgamma_values, x)


@lgamma.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    return g * digamma(x)


def lgamma_values(x: Doubles) -> Doubles:
    """The forward of `lgamma` on flat float64 arrays."""
    return piecewise(
        x,
        [
            (np.isinf(x), abs),
            (x >= 9, _stirling),
            (x >= 0.5, _lgamma_middle),
            (x > 0, lambda x: _lgamma_middle(x + 1) - np.log(x)),
            # Abramowitz and Stegun 6.1.17: gamma(x) gamma(1 - x) = pi / sin(pi x).
            (x <= 0, lambda x: np.log(np.pi / abs(_sin_pi(x))) - lgamma_values(1 - x)),
        ],
    )


def _sin_pi(x: Doubles) -> Doubles:
    """The sine of pi x up to its sign, exactly 0 at integers."""
    return np.sin(np.pi * (x - np.round(x)))


def _stirling(x: Doubles) -> Doubles:
    """Stirling's series for large x (Abramowitz and Stegun 6.1.41)."""
    return (x - 0.5) * np.log(x) - x + 0.5 * math.log(2 * math.pi) + stirling_rest(x)


def stirling_rest(x: Doubles) -> Doubles:
    """What Stirling's series adds to its leading terms, for x >= 9."""
    coefficients = [b / (2 * k * (2 * k - 1)) for k, b in enumerate(_bernoulli(10), 1)]
    return polynomial(1 / (x * x), coefficients[::-1]) / x


def _lgamma_middle(x: Doubles) -> Doubles:
    """The values from 0.5 to 9: by way of [1.5, 2.5], where a power series around 2 holds."""
    small = x < 1.5
    shifted, product = np.where(small, x + 1, x), np.ones_like(x)
    while (large := shifted > 2.5).any():
        shifted[large] -= 1
        product[large] *= shifted[large]
    s = np.where(small, x - 1, shifted - 2)  # exact, which x + 1 is not
    series = s * polynomial(s, [*_lgamma_coefficients(), 1 - _EULER])
    return series + np.log(product) - np.where(small, np.log1p(x - 1), 0.0)


@cache
def _lgamma_coefficients() -> list[float]:
    """(-1)^k (zeta(k) - 1) / k, highest k first (Abramowitz and Stegun 6.1.33)."""
    k = np.arange(2.0, 40.0)
    return list(((-1) ** k * _zeta(k, np.full_like(k, 2.0)) / k)[::-1])


def _bernoulli(count: int) -> list[float]:
    """The Bernoulli numbers B_2, B_4, ..., by their recurrence in exact fractions."""
    return _bernoulli_numbers()[:count]


@cache
def _bernoulli_numbers() -> list[float]:
    numbers = [Fraction(1)]
    for n in range(1, 31):
        total = sum((math.comb(n + 1, k) * b for k, b in enumerate(numbers)), Fraction(0))
        numbers.append(-total / (n + 1))
    return [float(b) for b in numbers[2::2]]


@primitive("math.digamma", elementwise=True, latex=r"\psi\left({x}\right)")
def digamma(x: Array) -> Array:
    """The derivative of lgamma, elementwise; nan at its poles 0, -1, -2, ..."""
    return in_doubles(digamma_values, x)


@digamma.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    return g * polygamma(1, x)


def digamma_values(x: Doubles) -> Doubles:
    """The forward of `digamma` on flat float64 arrays."""
    return piecewise(
        x,
        [
            (abs(x - 1.46) < 0.25, _digamma_near_root),
            (x > 0, _digamma_positive),
            (x == np.round(x), lambda x: np.full_like(x, np.nan)),
            # Abramowitz and Stegun 6.3.7: psi(1 - x) - psi(x) = pi / tan(pi x).
            (x < 0, lambda x: digamma_values(1 - x) - np.pi / np.tan(np.pi * (x - np.round(x)))),
        ],
    )


def _digamma_positive(x: Doubles) -> Doubles:
    """The asymptotic series (A. and S. 6.3.18), reached by psi(x) = psi(x + 1) - 1 / x."""
    y, shift = x.copy(), np.zeros_like(x)
    while (small := y < 10).any():
        shift[small] += 1 / y[small]
        y[small] += 1
    coefficients = [b / (2 * k) for k, b in enumerate(_bernoulli(9), 1)]
    z = 1 / (y * y)
    return np.log(y) - 0.5 / y - z * polynomial(z, coefficients[::-1]) - shift


# The only positive zero of digamma, as a double and the rest of its digits (OEIS A030169).
_ROOT = 1.4616321449683622
_ROOT_REST = float(Fraction("1.46163214496836234126265954232572132846820") - Fraction(_ROOT))


def _digamma_near_root(x: Doubles) -> Doubles:
    """The Taylor series around the zero, where the other formulas lose all relative accuracy."""
    d = (x - _ROOT) - _ROOT_REST
    return d * polynomial(d, _digamma_coefficients())


@cache
def _digamma_coefficients() -> list[float]:
    """(-1)^(k+1) zeta(k + 1, root), k = 30 ... 1 (Abramowitz and Stegun 6.4.9 about the root)."""
    k = np.arange(1.0, 31.0)
    return list((-((-1) ** k) * _zeta(k + 1, np.full_like(k, _ROOT)))[::-1])


@primitive("math.polygamma", broadcasts=True, latex=r"\psi^{{\left({a}\right)}}\left({x}\right)")
def polygamma(a: Indices, x: Array) -> Array:
    """The derivative number a = 0, 1, ... of digamma, elementwise; not differentiable by a."""
    return in_doubles(_polygamma, np.asarray(a), x)


@polygamma.vjp("x")
def _(g: Tensor, a: Tensor, x: Tensor) -> Tensor:
    return g * polygamma(a + 1, x)


def _polygamma(n: Doubles, x: Doubles) -> Doubles:
    """(-1)^(n+1) n! zeta(n + 1, x) (Abramowitz and Stegun 6.4.10)."""
    out = np.where((n < 0) | (n != np.round(n)), np.nan, 0.0)
    first, later = n == 0, np.isfinite(out) & (n > 0)
    out[first] = digamma_values(x[first])
    s = n[later] + 1
    out[later] = np.where(s % 2 == 0, 1, -1) * np.exp(lgamma_values(s)) * _zeta(s, x[later])
    return out


@primitive("math.zeta", broadcasts=True, latex=r"\zeta\left({x}, {q}\right)")
def zeta(x: Indices, q: Array) -> Array:
    """The Hurwitz zeta function, the sum of (q + k)^-x over k = 0, 1, ..., elementwise.

    Not differentiable by x. Infinite for x = 1 and at q = 0, -1, ...; nan for x < 1, and for q < 0
    if x is not whole.
    """
    return in_doubles(_zeta, np.asarray(x), q)


@zeta.vjp("q")
def _(g: Tensor, x: Tensor, q: Tensor) -> Tensor:
    return -(g * (zeta(x + 1, q) * x))


def _zeta(s: Doubles, q: Doubles) -> Doubles:
    """Euler and Maclaurin's formula after the first terms (Abramowitz and Stegun 23.2.3)."""
    whole = q == np.round(q)
    undefined = (s < 1) | np.isnan(s * q) | ((q < 0) & ~whole & (s != np.round(s)))
    infinite = (s == 1) | ((q <= 0) & whole)
    endless = np.isposinf(s)
    far = np.isposinf(q) & ~infinite  # every term is 0
    usual = ~(undefined | infinite | endless | far)
    limit = np.where(far, 0, np.where(endless, q**-s, np.inf))
    out = np.where(undefined, np.nan, limit)
    out[usual] = _zeta_sum(s[usual], q[usual])
    return out


def _zeta_sum(s: Doubles, q: Doubles) -> Doubles:
    q, total = q.copy(), np.zeros_like(q)
    enough = np.clip(s, 12, 150)  # the formula needs q of the size of s; 150 ** -150 is 0
    while (small := q < enough).any():
        total[small] += q[small] ** -s[small]
        q[small] += 1
    power = q**-s
    total += power * (q / (s - 1) + 0.5)
    term = power / q * s  # s (s+1) ... (s+2j-2) / q^(s+2j-1)
    for j, b in enumerate(_bernoulli(13), 1):
        total += term * (b / math.factorial(2 * j))
        term = term * (s + 2 * j - 1) * (s + 2 * j) / (q * q)
    return total


@export("math.lbeta")
def lbeta(x: TensorLike, name: str | None = None) -> Tensor:
    """The logarithm of |beta(x)|, reduced over the last axis: sum(lgamma(x)) - lgamma(sum(x)).

    Args:
        x: floating tensor of shape [..., n].
        name: accepted and not used.

    Returns:
        A tensor of shape [...] and the dtype of `x`.

    Example:
        >>> import minitape as tf
        >>> print(tf.math.exp(tf.math.lbeta([2.0, 3.0])).numpy().round(4))
        0.0833
    """
    x = operand(x, None)
    return reduce_sum(lgamma(x), -1) - lgamma(reduce_sum(x, -1))
