"""Samples of powers, circular and hyperbolic functions, sigmoids, and the special functions."""

import math

import numpy as np

from op_samples import Sample
from op_samples.elementwise import COLUMN, EMPTY, ROW, SCALAR, X, one, pairs

P = np.array([[0.1, 0.5, 1.2], [1.5, 2.0, 7.0]])
INSIDE = np.array([[-0.9, -0.5, 0.05], [0.1, 0.3, 0.8]])
erf, erfc, lgamma = (np.vectorize(f, otypes="d") for f in (math.erf, math.erfc, math.lgamma))


def positive(name, reference, dtypes="real"):
    return one(name, reference, dtypes, x=P)


POWERS = [
    *one("exp", np.exp, "complex"),
    *one("expm1", np.expm1, "complex"),
    *positive("log", np.log, "complex"),
    *positive("log1p", np.log1p, "complex"),
    *one("square", np.square, "complex"),
    *positive("sqrt", np.sqrt, "complex"),
    *positive("rsqrt", lambda x: 1 / np.sqrt(x), "complex"),
    *one("reciprocal", lambda x: 1 / x, "complex"),
    Sample("pow", [P, ROW], {}, np.power, "complex", note="broadcast"),
    Sample("pow", [SCALAR, X], {}, np.power, note="scalar base"),
    Sample("pow", [X, np.float64(3)], {}, np.power, order=0, note="negative bases"),
    Sample("pow", [SCALAR, SCALAR], {}, np.power, note="scalars"),
    Sample("pow", [EMPTY + 1, ROW], {}, np.power, note="empty"),
    Sample("power_slope", [P, ROW], {}, lambda x, y: y * x ** (y - 1), "complex", note="broadcast"),
    Sample("power_slope", [X, np.float64(2)], {}, lambda x, y: 2 * x, order=0, note="squares"),
    Sample("power_slope", [SCALAR, SCALAR], {}, lambda x, y: y * x ** (y - 1), note="scalars"),
    Sample("has_logarithm", [X], {}, lambda x: x > 0, "fixed", 0),
    Sample("has_logarithm", [np.array([0j, 1j])], {}, lambda x: x != 0, "fixed", 0, note="complex"),
    *pairs("zero_over", np.divide, "complex"),
    Sample(
        "zero_over",
        [np.array([0.0, 1.0]), np.array([0.0, 2.0])],
        {},
        lambda x, y: x / 2,
        order=0,
        note="0 / 0",
    ),
    Sample(
        "zero_over",
        [np.array([0.0, 1.0]), np.array([np.nan, 2.0])],
        {},
        lambda x, y: x / 2,
        order=0,
        note="0 / nan",
    ),
    *pairs("zero_times", np.multiply, "complex"),
    Sample(
        "zero_times",
        [np.array([0.0, 1.0]), np.array([np.inf, 2.0])],
        {},
        lambda x, y: x * 2,
        order=0,
        note="0 times infinity",
    ),
    *pairs("hypot", np.hypot),
]

FUNCTIONS = [
    *one("sin", np.sin, "complex"),
    *one("cos", np.cos, "complex"),
    *one("tan", np.tan, "complex", x=INSIDE),
    *one("asin", np.arcsin, "complex", x=INSIDE),
    *one("acos", np.arccos, "complex", x=INSIDE),
    *one("one_minus_square", lambda x: 1 - x**2, "complex"),
    *one("atan", np.arctan, "complex"),
    *pairs("atan2", np.arctan2),
    *one("sinh", np.sinh, "complex"),
    *one("cosh", np.cosh, "complex"),
    Sample(
        "tanh_gradient",
        [[0.5, -2.0, 0.0], [0.3, -0.9, 1.0]],
        {},
        lambda x, y: x * (1 - y * y),
        "complex",
    ),
    Sample(
        "tanh_gradient",
        [[[1.5], [2.0]], [0.5, -0.5]],
        {},
        lambda x, y: x * (1 - y * y),
        note="both broadcast",
    ),
    *one("tanh", np.tanh, "complex"),
    *one("asinh", np.arcsinh, "complex"),
    *one("acosh", np.arccosh, "complex", x=P + 1),
    *one("atanh", np.arctanh, "complex", x=INSIDE),
    *one("sigmoid", lambda x: 1 / (1 + np.exp(-x)), "complex"),
    *one("softplus", lambda x: np.log(1 + np.exp(x))),
    *one("log_sigmoid", lambda x: -np.log(1 + np.exp(-x))),
]

GUARDED = [
    *pairs("divide_no_nan", np.divide, "complex"),
    *pairs("multiply_no_nan", np.multiply, "complex"),
    *pairs("xdivy", np.divide, "complex"),
    Sample("xlogy", [X, P], {}, lambda x, y: x * np.log(y), "complex"),
    Sample("xlogy", [COLUMN, P[0]], {}, lambda x, y: x * np.log(y), note="both broadcast"),
    Sample("xlog1py", [X, P], {}, lambda x, y: x * np.log1p(y), "complex"),
    Sample("xlog1py", [SCALAR, SCALAR], {}, lambda x, y: x * np.log1p(y), note="scalars"),
]
ZERO, ANY = np.array([0.0, 0.0, 2.0]), np.array([0.0, 3.0, 4.0])
GUARDED += [
    Sample(
        "divide_no_nan", [ANY, ZERO], {}, lambda x, y: np.array([0, 0, 2]), order=0, note="zeros"
    ),
    Sample(
        "multiply_no_nan",
        [np.array([np.nan, np.inf, 2.0]), ZERO],
        {},
        lambda x, y: ANY * [0, 0, 1],
        order=0,
        note="inf and nan",
    ),
    Sample("xlogy", [ZERO, ANY], {}, lambda x, y: x * np.log(4), order=0, note="zeros"),
    Sample("xlog1py", [ZERO, ANY - 1], {}, lambda x, y: x * np.log(4), order=0, note="zeros"),
    Sample("xdivy", [ZERO, ANY], {}, lambda x, y: x / 4, order=0, note="zeros"),
]

# Forwards without a NumPy reference are compared with recorded values in test_special_functions.
SPECIAL = [
    *one("erf", erf),
    *one("erfc", erfc),
    *one("erfinv", None, x=INSIDE),
    *one("ndtri", None, x=INSIDE / 2 + 0.5),
    *positive("lgamma", lgamma),
    Sample("lgamma", [X - 0.05], {}, lgamma, note="negative"),
    *positive("digamma", None),
    Sample("digamma", [X - 0.05], {}, None, note="negative"),
    Sample("polygamma", [np.float64(1), P + 0.5], {}, None),
    Sample("polygamma", [np.array([[0.0], [2.0]]), P + 0.5], {}, None, note="broadcast"),
    Sample("zeta", [np.float64(2.5), P + 0.5], {}, None),
    Sample("zeta", [np.array([[3.0], [2.0]]), P + 0.5], {}, None, note="broadcast"),
    Sample("igamma", [P, P[:, ::-1] + 0.1], {}, None, "float", 1),
    Sample("igamma", [COLUMN**2, P[0] * 3], {}, None, "float", 1, note="both broadcast"),
    Sample("igammac", [P, P[:, ::-1] + 0.1], {}, None, "float", 1),
    Sample("igammac", [np.float64(2.5), np.float64(1.5)], {}, None, "float", 1, note="scalars"),
    Sample("igamma_slope", [P, P[:, ::-1] + 0.1], {}, None, "float", 0),
    Sample("gamma_sample_slope", [P, P[:, ::-1] + 0.1], {}, None, "float", 0),
    Sample("betainc", [P, P[:, ::-1] + 0.1, P / 9], {}, None),
    Sample("betainc", [COLUMN**2, P[0] * 3, P / 9], {}, None, note="all broadcast"),
    *one("bessel_i0", np.i0),
    *one("bessel_i1", None),
    *one("bessel_i1_ratio", None),
    *one("bessel_i0e", lambda x: np.i0(x) * np.exp(-abs(x))),
    *one("bessel_i1e", None),
    *one("bessel_i1e_ratio", None),
    Sample("bessel_i1_ratio", [np.zeros(1)], {}, lambda x: x + 0.5, order=1, note="zero"),
]

SAMPLES = POWERS + FUNCTIONS + GUARDED + SPECIAL
