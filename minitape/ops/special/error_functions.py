"""The error function and its relatives: erf, erfc, and the quantiles erfinv, erfcinv, ndtri.

The values come from two published rational approximations, Cody's for erf and Wichura's for the
quantiles; the derivatives are closed forms.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from minitape.op import export, primitive
from minitape.ops.elementwise.powers import exp
from minitape.ops.special.approximation import in_doubles, piecewise, polynomial
from minitape.tensors.convert import operand

if TYPE_CHECKING:
    from minitape.ops.special.approximation import Doubles
    from minitape.tensor import Array, Tensor
    from minitape.values.public_types import TensorLike

_TWO_OVER_ROOT_PI = 2 / math.sqrt(math.pi)


@primitive("math.erf", elementwise=True, latex=r"\mathrm{{erf}}\left({x}\right)")
def erf(x: Array) -> Array:
    """The error function, 2/sqrt(pi) times the integral of exp(-t^2) from 0 to x, elementwise."""
    return in_doubles(_erf, x)


erf.says(fault="saturated")


@erf.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    return g * (exp(-(x * x)) * _TWO_OVER_ROOT_PI)


@primitive("math.erfc", elementwise=True, latex=r"\mathrm{{erfc}}\left({x}\right)")
def erfc(x: Array) -> Array:
    """The complementary error function 1 - erf(x), elementwise, accurate for large x too."""
    return in_doubles(_erfc, x)


@erfc.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    return g * (exp(-(x * x)) * -_TWO_OVER_ROOT_PI)


# W. J. Cody, "Rational Chebyshev approximations for the error function", Math. Comp. 23 (1969),
# in the arrangement of his CALERF: erf(x) / x in x^2 near 0, erfc(x) exp(x^2) in the middle, and
# its asymptotic series in 1/x^2 beyond 4. Highest power first.
_NEAR = 0.46875
_NEAR_TOP = (
    1.85777706184603153e-1,
    3.16112374387056560e00,
    1.13864154151050156e02,
    3.77485237685302021e02,
    3.20937758913846947e03,
)
_NEAR_BOTTOM = (
    1.0,
    2.36012909523441209e01,
    2.44024637934444173e02,
    1.28261652607737228e03,
    2.84423683343917062e03,
)
_MIDDLE_TOP = (
    2.15311535474403846e-8,
    5.64188496988670089e-1,
    8.88314979438837594e0,
    6.61191906371416295e01,
    2.98635138197400131e02,
    8.81952221241769090e02,
    1.71204761263407058e03,
    2.05107837782607147e03,
    1.23033935479799725e03,
)
_MIDDLE_BOTTOM = (
    1.0,
    1.57449261107098347e01,
    1.17693950891312499e02,
    5.37181101862009858e02,
    1.62138957456669019e03,
    3.29079923573345963e03,
    4.36261909014324716e03,
    3.43936767414372164e03,
    1.23033935480374942e03,
)
_FAR_TOP = (
    1.63153871373020978e-2,
    3.05326634961232344e-1,
    3.60344899949804439e-1,
    1.25781726111229246e-1,
    1.60837851487422766e-2,
    6.58749161529837803e-4,
)
_FAR_BOTTOM = (
    1.0,
    2.56852019228982242e00,
    1.87295284992346725e00,
    5.27905102951428412e-1,
    6.05183413124413191e-2,
    2.33520497626869185e-3,
)


def _erf(x: Doubles) -> Doubles:
    y = abs(x)
    beyond = [(y > _NEAR, lambda x: np.copysign(1 - _erfc_beyond(abs(x)), x))]
    return piecewise(x, [(y <= _NEAR, _erf_near), *beyond])


def _erfc(x: Doubles) -> Doubles:
    near = (abs(x) <= _NEAR, lambda x: 1 - _erf_near(x))
    return piecewise(x, [near, (x > 0, _erfc_beyond), (x < 0, lambda x: 2 - _erfc_beyond(-x))])


def _erf_near(x: Doubles) -> Doubles:
    z = x * x
    return x * polynomial(z, _NEAR_TOP) / polynomial(z, _NEAR_BOTTOM)


def _erfc_beyond(y: Doubles) -> Doubles:
    """The complementary function for y > 0.46875."""
    scaled = piecewise(y, [(y <= 4, _scaled_middle), (y > 4, _scaled_far)])
    # exp(-y^2) from a square without rounding error and a small rest: y has no digits to lose.
    y = np.minimum(y, 30)
    coarse = np.floor(y * 16) / 16
    return np.exp(-coarse * coarse) * np.exp(-(y - coarse) * (y + coarse)) * scaled


def _scaled_middle(y: Doubles) -> Doubles:
    return polynomial(y, _MIDDLE_TOP) / polynomial(y, _MIDDLE_BOTTOM)


def _scaled_far(y: Doubles) -> Doubles:
    z = 1 / (y * y)
    return (1 / math.sqrt(math.pi) - z * polynomial(z, _FAR_TOP) / polynomial(z, _FAR_BOTTOM)) / y


@primitive("math.ndtri", elementwise=True, latex=r"\Phi^{{-1}}\left({x}\right)")
def ndtri(x: Array) -> Array:
    """The quantile of the normal distribution at probability x, elementwise; nan outside [0, 1]."""
    return in_doubles(lambda p: _quantile(p - 0.5, np.minimum(p, 1 - p)), x)


@ndtri.vjp("x")
def _(g: Tensor, out: Tensor) -> Tensor:
    return g * (exp(out * out * 0.5) * math.sqrt(2 * math.pi))


@primitive("math.erfinv", elementwise=True, latex=r"\mathrm{{erf}}^{{-1}}\left({x}\right)")
def erfinv(x: Array) -> Array:
    """The inverse of erf, elementwise: infinite at -1 and 1, nan outside."""
    return in_doubles(lambda x: _quantile(x / 2, (1 - abs(x)) / 2) * math.sqrt(0.5), x)


@erfinv.vjp("x")
def _(g: Tensor, out: Tensor) -> Tensor:
    return g * (exp(out * out) * (math.sqrt(math.pi) / 2))


@export("math.erfcinv")
def erfcinv(x: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of erfc, elementwise.

    Args:
        x: floating tensor with values from 0 to 2.
        name: accepted and not used.

    Returns:
        A tensor of the shape and dtype of `x`: infinite at 0 and 2, nan outside.

    Example:
        >>> import minitape as tf
        >>> print(tf.math.erfcinv(1.0) == 0.0)
        tf.Tensor(True, shape=(), dtype=bool)
    """
    return ndtri(operand(x, None) * 0.5) * -math.sqrt(0.5)


# M. J. Wichura, "Algorithm AS 241: The percentage points of the normal distribution", Applied
# Statistics 37 (1988), the 16-digit version PPND16. Highest power first.
_CENTRE_TOP = (
    2.5090809287301226727e3,
    3.3430575583588128105e4,
    6.7265770927008700853e4,
    4.5921953931549871457e4,
    1.3731693765509461125e4,
    1.9715909503065514427e3,
    1.3314166789178437745e2,
    3.3871328727963666080e0,
)
_CENTRE_BOTTOM = (
    5.2264952788528545610e3,
    2.8729085735721942674e4,
    3.9307895800092710610e4,
    2.1213794301586595867e4,
    5.3941960214247511077e3,
    6.8718700749205790830e2,
    4.2313330701600911252e1,
    1.0,
)
_TAIL_TOP = (
    7.74545014278341407640e-4,
    2.27238449892691845833e-2,
    2.41780725177450611770e-1,
    1.27045825245236838258e0,
    3.64784832476320460504e0,
    5.76949722146069140550e0,
    4.63033784615654529590e0,
    1.42343711074968357734e0,
)
_TAIL_BOTTOM = (
    1.05075007164441684324e-9,
    5.47593808499534494600e-4,
    1.51986665636164571966e-2,
    1.48103976427480074590e-1,
    6.89767334985100004550e-1,
    1.67638483018380384940e0,
    2.05319162663775882187e0,
    1.0,
)
_END_TOP = (
    2.01033439929228813265e-7,
    2.71155556874348757815e-5,
    1.24266094738807843860e-3,
    2.65321895265761230930e-2,
    2.96560571828504891230e-1,
    1.78482653991729133580e0,
    5.46378491116411436990e0,
    6.65790464350110377720e0,
)
_END_BOTTOM = (
    2.04426310338993978564e-15,
    1.42151175831644588870e-7,
    1.84631831751005468180e-5,
    7.86869131145613259100e-4,
    1.48753612908506148525e-2,
    1.36929880922735805310e-1,
    5.99832206555887937690e-1,
    1.0,
)


def _quantile(q: Doubles, tail: Doubles) -> Doubles:
    """The normal quantile at the probability 0.5 + q, whose smaller tail is `tail`."""
    centre = abs(q) <= 0.425
    out = np.copysign(_tail_quantile(np.where(centre, 0.25, tail)), q)
    r = 0.180625 - q[centre] * q[centre]
    out[centre] = q[centre] * polynomial(r, _CENTRE_TOP) / polynomial(r, _CENTRE_BOTTOM)
    return out


def _tail_quantile(tail: Doubles) -> Doubles:
    """The size of the quantile with the probability `tail` beyond it; infinite at 0, nan below."""
    r = np.sqrt(-np.log(tail))
    return piecewise(
        r,
        [
            (r <= 5, lambda r: polynomial(r - 1.6, _TAIL_TOP) / polynomial(r - 1.6, _TAIL_BOTTOM)),
            (r == np.inf, lambda r: r),
            (r > 5, lambda r: polynomial(r - 5, _END_TOP) / polynomial(r - 5, _END_BOTTOM)),
        ],
    )
