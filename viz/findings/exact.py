"""Ops on decimals of a hundred digits: what a program that was recorded gives without rounding.

The one fact to know: there is no overflow, no underflow and no cancellation here, so `log(1 - p)`
of a saturated `p` has its value and its slope. Ops that only move elements move positions, by
their own forward. What has no exact form raises `NoExactFormError`.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Context, Decimal
from typing import Any

import numpy as np

DIGITS = 100
LARGEST_EXPONENT = 4 * 10**8  # a Python of 32 bits, as in the browser, has no larger one
CONTEXT = Context(prec=DIGITS, Emax=LARGEST_EXPONENT, Emin=-LARGEST_EXPONENT, traps=[])
ZERO, ONE, TWO = Decimal(0), Decimal(1), Decimal(2)
INF, NAN = Decimal("Infinity"), Decimal("NaN")
TINY = Decimal(10) ** -DIGITS
MOVES = {
    "reshape", "transpose", "getitem", "take", "concat", "stack", "gather", "gather_nd", "tile",
    "broadcast_to", "reverse", "roll", "repeat", "identity", "matrix_diag_part",
}  # fmt: skip


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


def _each(function: Callable[..., Any], count: int = 1) -> Callable[..., Any]:
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


ONE_BY_ONE: dict[str, Callable[..., Any]] = {
    "log": _each(_log),
    "log1p": _each(lambda x: _log(ONE + x)),
    "exp": _each(lambda x: x.exp()),
    "expm1": _each(lambda x: x.exp() - ONE),
    "tanh": _each(_tanh),
    "sigmoid": _each(lambda x: ONE / (ONE + (-x).exp())),
    "log_sigmoid": _each(lambda x: -_softplus(-x)),
    "softplus": _each(_softplus),
    "sqrt": _each(_sqrt),
    "rsqrt": _each(lambda x: _divide(ONE, _sqrt(x))),
    "square": _each(lambda x: x * x),
    "negative": _each(lambda x: -x),
    "absolute": _each(abs),
    "reciprocal": _each(lambda x: _divide(ONE, x)),
    "relu": _each(lambda x: _larger(x, ZERO)),
    "elu": _each(lambda x: x if x > 0 else x.exp() - ONE),
    "sin": _each(lambda x: _wave(x, True)),
    "cos": _each(lambda x: _wave(x, False)),
    "tan": _each(lambda x: _divide(_wave(x, True), _wave(x, False))),
    "sinh": _each(lambda x: (x.exp() - (-x).exp()) / 2),
    "cosh": _each(lambda x: (x.exp() + (-x).exp()) / 2),
    "acos": _each(_acos),
    "asin": _each(lambda x: _pi() / 2 - _acos(x)),
    "atanh": _each(lambda x: (_log(ONE + x) - _log(ONE - x)) / 2),
}
TWO_BY_TWO: dict[str, Callable[..., Any]] = {
    "add": _each(lambda a, b: a + b, 2),
    "subtract": _each(lambda a, b: a - b, 2),
    "multiply": _each(lambda a, b: a * b, 2),
    "divide": _each(_divide, 2),
    "pow": _each(_power, 2),
    "squared_difference": _each(lambda a, b: (a - b) * (a - b), 2),
    "maximum": _each(_larger, 2),
    "minimum": _each(_smaller, 2),
    "divide_no_nan": _each(lambda a, b: ZERO if b == 0 else a / b, 2),
    "multiply_no_nan": _each(lambda a, b: ZERO if b == 0 else a * b, 2),
    "xlogy": _each(lambda a, b: ZERO if a == 0 else a * _log(b), 2),
    "sigmoid_cross_entropy": _each(lambda y, z: _softplus(z) - z * y, 2),
}
divide, log, exp = TWO_BY_TWO["divide"], ONE_BY_ONE["log"], ONE_BY_ONE["exp"]


def _sum(x: Any, axis: Any = None, keeps: bool = False) -> Any:
    return np.asarray(np.sum(x, axis=axis, keepdims=keeps), dtype=object)


def _mean(x: Any, axis: Any, keeps: bool) -> Any:
    total = _sum(x, axis, keeps)
    return divide(total, Decimal(x.size // max(total.size, 1)))


def _variance(x: Any, axis: Any, keeps: bool) -> Any:
    return _mean(TWO_BY_TWO["squared_difference"](x, _mean(x, axis, True)), axis, keeps)


def _length(x: Any, axis: Any, keeps: bool) -> Any:
    return ONE_BY_ONE["sqrt"](_sum(x * x, axis, keeps))


def _softmax(x: Any, axis: int = -1) -> Any:
    powers = exp(x)
    return divide(powers, _sum(powers, axis, True))


def _log_softmax(x: Any, axis: int = -1) -> Any:
    return x - log(_sum(exp(x), axis, True))


def _by_class(classes: Any, z: Any) -> Any:
    chosen = np.asarray(classes).astype(int)[..., None]
    return -np.take_along_axis(_log_softmax(z), chosen, -1)[..., 0]


WHOLE: dict[str, Callable[..., Any]] = {
    "reduce_sum": lambda x, axis, keeps: _sum(x, axis, keeps),
    "reduce_mean": _mean,
    "reduce_variance": _variance,
    "reduce_std": lambda x, axis, keeps: ONE_BY_ONE["sqrt"](_variance(x, axis, keeps)),
    "reduce_max": lambda x, axis, keeps: np.max(x, axis=axis, keepdims=keeps),
    "reduce_min": lambda x, axis, keeps: np.min(x, axis=axis, keepdims=keeps),
    "reduce_prod": lambda x, axis, keeps: np.prod(x, axis=axis, keepdims=keeps),
    "reduce_logsumexp": lambda x, axis, keeps: log(_sum(exp(x), axis, keeps)),
    "length": _length,
    "inverse_length": lambda x, axis, least: divide(
        ONE, ONE_BY_ONE["sqrt"](TWO_BY_TWO["maximum"](_sum(x * x, axis, True), _decimal(least)))
    ),
    "softmax": _softmax,
    "log_softmax": _log_softmax,
    "softmax_cross_entropy": lambda y, z: -_sum(y * _log_softmax(z), -1),
    "sparse_softmax_cross_entropy": _by_class,
    "matmul": lambda x, y: np.matmul(x, y),
    "select": lambda c, x, y: np.where(np.asarray(c).astype(bool), x, y),
    "clip_by_value": lambda x, low, high: TWO_BY_TWO["minimum"](
        TWO_BY_TWO["maximum"](x, low), high
    ),
    "leaky_relu": lambda x, slope=0.2: np.where(x > ZERO, x, x * _decimal(slope)),
    "cast": lambda x, *_: x,
}  # fmt: skip
KNOWN = {*ONE_BY_ONE, *TWO_BY_TWO, *WHOLE, *MOVES}


def apply(op: Any, attributes: tuple[Any, ...], inputs: list[Any]) -> Any:
    """The result of one op.

    Raises:
        NoExactFormError: if it is not known.
    """
    name = op.name
    try:
        if name in MOVES:
            return _moved(op, attributes, inputs)
        if name in ONE_BY_ONE and not attributes:
            return ONE_BY_ONE[name](*inputs)
        if name in TWO_BY_TWO and not attributes:
            return TWO_BY_TWO[name](*inputs)
        if name in WHOLE:
            return np.asarray(WHOLE[name](*inputs, *attributes), dtype=object)
    except (TypeError, ValueError, AttributeError, IndexError) as error:
        raise NoExactFormError(name) from error
    raise NoExactFormError(name)


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
