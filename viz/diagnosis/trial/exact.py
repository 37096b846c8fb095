"""Ops on decimals of a hundred digits: what a program that was recorded gives without rounding.

There is no overflow, no underflow and no cancellation here, so `log(1 - p)` of a saturated `p` has
its value and its slope. Ops that only move elements move positions, by their own forward. What has
no exact form raises `NoExactFormError`.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.ops import broadcasting, casting
from minitape.ops.elementwise import (
    activations,
    arithmetic,
    comparison,
    division,
    no_nan,
    powers,
    sigmoids,
    signs,
    trigonometry,
)
from minitape.ops.linalg import matrix, norms
from minitape.ops.neural import clipping, softmax
from minitape.ops.reductions import extremes, reduction, statistics

if TYPE_CHECKING:
    from minitape.op import Op, Primitive

DIGITS = 100
LARGEST_EXPONENT = 4 * 10**8  # a Python of 32 bits, as in the browser, has no larger one
CONTEXT = Context(prec=DIGITS, Emax=LARGEST_EXPONENT, Emin=-LARGEST_EXPONENT, traps=[])
ZERO, ONE, TWO = Decimal(0), Decimal(1), Decimal(2)
INF, NAN = Decimal("Infinity"), Decimal("NaN")
TINY = Decimal(10) ** -DIGITS
Form = Callable[..., Any]  # of decimal arrays and attributes
FORMS: dict[Op, Form] = {}
MOVED = {"same", "shape", "part", "picks", "copies", "joins", "turns"}


class NoExactFormError(Exception):
    """An op that is not known here."""


def exactly(array: Any) -> Any:
    """The floats of an array as decimals, integers and booleans as they are."""
    array = np.asarray(array)
    if array.dtype.kind not in "f":
        return array
    out = np.empty(array.shape, object)
    out.reshape(-1)[:] = [Decimal(float(each)) for each in array.reshape(-1)]
    return out


def exact(op: Primitive, form: Form) -> Form:
    """Registers what an op is on decimals: a function of its inputs and attributes.

    Example:
        >>> exact(powers.exp, each(lambda x: x.exp()))(np.array([Decimal(0)], object)).tolist()
        [Decimal('1')]
    """
    FORMS[op.op] = form
    return form


def each(function: Callable[..., Any], count: int = 1) -> Form:
    """A function of single numbers as one of arrays that broadcast."""
    made = np.frompyfunc(function, count, 1)
    return lambda *arrays: np.asarray(made(*arrays), dtype=object)


def _decimal(x: Any) -> Any:
    return x if isinstance(x, Decimal) else Decimal(float(x))


def _log(x: Any) -> Any:
    return NAN if x.is_nan() or x < 0 else -INF if x == 0 else x.ln()


def _tanh(x: Any) -> Any:
    small = (-2 * abs(x)).exp()
    return ((ONE - small) / (ONE + small)).copy_sign(x)


def _divide(a: Any, b: Any) -> Any:
    if b != 0:
        return a / b
    return NAN if a == 0 or a.is_nan() else INF.copy_sign(a)


def _power(a: Any, b: Any) -> Any:
    if b == b.to_integral_value():
        if b == 0:
            return ONE
        return a ** int(b) if a != 0 or b > 0 else INF
    if a > 0:
        return (a.ln() * b).exp()
    return NAN if a < 0 or a.is_nan() else ZERO if b > 0 else INF


def _sqrt(x: Any) -> Any:
    return NAN if x < 0 else x.sqrt()


def _pi() -> Any:
    """By Machin's formula."""

    def arctan_of_one_over(n: int) -> Any:
        x = ONE / n
        total, power, k = x, x, 1
        while abs(power) > TINY:
            power, k = -power / (n * n), k + 2
            total += power / k
        return total

    return 4 * (4 * arctan_of_one_over(5) - arctan_of_one_over(239))


def _wave(x: Any, is_sine: bool) -> Any:
    if not x.is_finite():
        return NAN
    around = 2 * _pi()
    x -= around * (x / around).to_integral_value()
    term = x if is_sine else ONE
    total, n = term, 1 if is_sine else 0
    while abs(term) > TINY:
        term = -term * x * x / ((n + 1) * (n + 2))
        total, n = total + term, n + 2
    return total


def _acos(x: Any) -> Any:
    if x.is_nan() or abs(x) > 1:
        return NAN
    if x < 0:
        return _pi() - _acos(-x)
    half = ((ONE - x) / 2).sqrt()  # the sine of half the angle
    total, term, n = half, half, 0
    while abs(term) > TINY:
        n += 1
        term = term * half * half * (2 * n - 1) / (2 * n)
        total += term / (2 * n + 1)
    return 2 * total


def _larger(a: Any, b: Any) -> Any:
    return NAN if a.is_nan() or b.is_nan() else max(a, b)


def _smaller(a: Any, b: Any) -> Any:
    return NAN if a.is_nan() or b.is_nan() else min(a, b)


def _softplus(x: Any) -> Any:
    return _larger(x, ZERO) + (ONE + (-abs(x)).exp()).ln()


log = exact(powers.log, each(_log))
exact(powers.log1p, each(lambda x: _log(ONE + x)))
exp = exact(powers.exp, each(lambda x: x.exp()))
exact(powers.expm1, each(lambda x: x.exp() - ONE))
exact(trigonometry.tanh, each(_tanh))
exact(sigmoids.sigmoid, each(lambda x: ONE / (ONE + (-x).exp())))
exact(sigmoids.log_sigmoid, each(lambda x: -_softplus(-x)))
exact(sigmoids.softplus, each(_softplus))
sqrt = exact(powers.sqrt, each(_sqrt))
exact(powers.rsqrt, each(lambda x: _divide(ONE, _sqrt(x))))
exact(powers.square, each(lambda x: x * x))
exact(arithmetic.negative, each(lambda x: -x))
exact(signs.absolute, each(abs))
exact(powers.reciprocal, each(lambda x: _divide(ONE, x)))
exact(activations.relu, each(lambda x: _larger(x, ZERO)))
exact(activations.elu, each(lambda x: x if x > 0 else x.exp() - ONE))
exact(trigonometry.sin, each(lambda x: _wave(x, True)))
exact(trigonometry.cos, each(lambda x: _wave(x, False)))
exact(trigonometry.tan, each(lambda x: _divide(_wave(x, True), _wave(x, False))))
exact(trigonometry.sinh, each(lambda x: (x.exp() - (-x).exp()) / 2))
exact(trigonometry.cosh, each(lambda x: (x.exp() + (-x).exp()) / 2))
exact(trigonometry.acos, each(_acos))
exact(trigonometry.asin, each(lambda x: _pi() / 2 - _acos(x)))
exact(trigonometry.atanh, each(lambda x: (_log(ONE + x) - _log(ONE - x)) / 2))
exact(arithmetic.add, each(lambda a, b: a + b, 2))
exact(arithmetic.subtract, each(lambda a, b: a - b, 2))
exact(arithmetic.multiply, each(lambda a, b: a * b, 2))
divide = exact(division.divide, each(_divide, 2))
exact(powers.pow_, each(_power, 2))
squared_distance = exact(powers.squared_difference, each(lambda a, b: (a - b) * (a - b), 2))
larger = exact(comparison.maximum, each(_larger, 2))
smaller = exact(comparison.minimum, each(_smaller, 2))
exact(no_nan.divide_no_nan, each(lambda a, b: ZERO if b == 0 else a / b, 2))
exact(no_nan.multiply_no_nan, each(lambda a, b: ZERO if b == 0 else a * b, 2))
exact(no_nan.xlogy, each(lambda a, b: ZERO if a == 0 else a * _log(b), 2))
exact(softmax.sigmoid_cross_entropy, each(lambda y, z: _softplus(z) - z * y, 2))


def _sum(x: Any, axis: Any = None, keeps: bool = False) -> Any:
    return np.asarray(np.sum(x, axis=axis, keepdims=keeps), dtype=object)


def _mean(x: Any, axis: Any, keeps: bool) -> Any:
    total = _sum(x, axis, keeps)
    return divide(total, Decimal(x.size // max(total.size, 1)))


def _variance(x: Any, axis: Any, keeps: bool) -> Any:
    return _mean(squared_distance(x, _mean(x, axis, True)), axis, keeps)


def _inverse_length(x: Any, axis: Any, least: float) -> Any:
    return divide(ONE, sqrt(larger(_sum(x * x, axis, True), _decimal(least))))


def _length(x: Any, axis: Any, keeps: bool) -> Any:
    return sqrt(_sum(x * x, axis, keeps))


def _softmax(x: Any, axis: int = -1) -> Any:
    powers = exp(x)
    return divide(powers, _sum(powers, axis, True))


def _log_softmax(x: Any, axis: int = -1) -> Any:
    return x - log(_sum(exp(x), axis, True))


def _by_class(classes: Any, z: Any) -> Any:
    chosen = np.asarray(classes).astype(int)[..., None]
    return -np.take_along_axis(_log_softmax(z), chosen, -1)[..., 0]


exact(broadcasting.reduce_sum, _sum)
exact(reduction.reduce_mean, _mean)
exact(statistics.reduce_variance, _variance)
exact(statistics.reduce_std, lambda x, axis, keeps: sqrt(_variance(x, axis, keeps)))
exact(extremes.reduce_max, lambda x, axis, keeps: np.max(x, axis=axis, keepdims=keeps))
exact(extremes.reduce_min, lambda x, axis, keeps: np.min(x, axis=axis, keepdims=keeps))
exact(reduction.reduce_prod, lambda x, axis, keeps: np.prod(x, axis=axis, keepdims=keeps))
exact(statistics.reduce_logsumexp, lambda x, axis, keeps: log(_sum(exp(x), axis, keeps)))
exact(statistics.length, _length)
exact(norms.inverse_length, _inverse_length)
exact(softmax.softmax, _softmax)
exact(softmax.log_softmax, _log_softmax)
exact(softmax.softmax_cross_entropy, lambda y, z: -_sum(y * _log_softmax(z), -1))
exact(softmax.sparse_softmax_cross_entropy, _by_class)
exact(matrix.matmul, lambda x, y: np.matmul(x, y))
exact(comparison.select, lambda c, x, y: np.where(np.asarray(c).astype(bool), x, y))
exact(clipping.clip_by_value, lambda x, low, high: smaller(larger(x, low), high))
exact(activations.leaky_relu, lambda x, slope=0.2: np.where(x > ZERO, x, x * _decimal(slope)))
exact(casting.cast, lambda x, *_: x)


def is_known(op: Op) -> bool:
    """Whether an op has an exact form: one of its own, or it moves elements."""
    return op in FORMS or _moves(op)


def _moves(op: Op) -> bool:
    return op.facts.moves in MOVED and not op.several


def apply(op: Op, attributes: tuple[Any, ...], inputs: list[Any]) -> Any:
    """The result of one op.

    Raises:
        NoExactFormError: if it is not known.
    """
    form = FORMS.get(op)
    try:
        if form is not None:
            return np.asarray(form(*inputs, *attributes), dtype=object)
        if _moves(op):
            return _moved(op, attributes, inputs)
    except (TypeError, ValueError, AttributeError, IndexError) as error:
        raise NoExactFormError(op.name) from error
    raise NoExactFormError(op.name)


def _moved(op: Any, attributes: tuple[Any, ...], inputs: list[Any]) -> Any:
    """The positions of all elements, moved as the op moves them."""
    pool = np.concatenate([x.reshape(-1) for x in inputs if x.dtype == object])
    at, places = 0, []
    for each in inputs:
        if each.dtype != object:  # positions to gather
            places.append(each)
            continue
        places.append(np.arange(at, at + each.size).reshape(each.shape))
        at += each.size
    return pool[np.asarray(op.forward(*places, *attributes)).astype(int)]
