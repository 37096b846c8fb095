"""Samples of arithmetic, casts, comparisons, truth values, rounding, sums and clipping."""

import operator

import numpy as np

from op_samples import Sample

X = np.array([[-1.5, -0.3, 0.4], [0.2, 1.0, 2.5]])
ROW = np.array([2.0, -1.2, 0.5])
COLUMN = np.array([[0.7], [-1.6]])
SCALAR = np.float64(1.7)
EMPTY = np.zeros((0, 3))
MASK = np.array([[True, False, True], [False, False, True]])
INTEGERS = np.array([7, -7, 6, -6], np.int32)
DIVISORS = np.array([2, 2, -4, 3], np.int32)
SPECIAL = np.array([1.0, np.inf, -np.inf, np.nan])
COMPLEX = np.array([1.0 + 2.0j, -0.5 + 0.3j, 2.0 - 1.0j])


def pairs(name, reference, dtypes="real", order=2):
    """The shapes that every op of two operands is tried on."""
    return [
        Sample(name, [X, X[::-1] + 0.15], {}, reference, dtypes, order, note="equal shapes"),
        Sample(name, [ROW, COLUMN], {}, reference, dtypes, order, note="both broadcast"),
        Sample(name, [SCALAR, X], {}, reference, "real", order, note="scalar left"),
        Sample(name, [X, SCALAR], {}, reference, "real", order, note="scalar right"),
        Sample(name, [SCALAR, SCALAR + 0.2], {}, reference, "real", order, note="scalars"),
        Sample(name, [X[:1], COLUMN[:1]], {}, reference, "real", order, note="axes of size 1"),
        Sample(name, [EMPTY, ROW], {}, reference, "real", order, note="empty"),
    ]


def one(name, reference, dtypes="real", order=2, x=X):
    """The shapes that every op of one operand is tried on."""
    flat = np.ravel(x)
    return [
        Sample(name, [x], {}, reference, dtypes, order),
        Sample(name, [flat[-1]], {}, reference, "real", order, note="scalar"),
        Sample(name, [np.zeros((2, 0))], {}, reference, "real", order, note="empty"),
    ]


def discrete(name, *inputs, reference, note="", **attributes):
    """A sample of an op that is not differentiated."""
    return Sample(name, list(inputs), attributes, reference, "fixed", 0, note=note)


def compared(name, reference):
    """A comparison of floats (broadcast), integers, scalars and NaN."""
    return [
        discrete(name, X, ROW, reference=reference, note="broadcast"),
        discrete(name, INTEGERS, DIVISORS, reference=reference, note="integers"),
        discrete(name, SCALAR, SCALAR, reference=reference, note="ties"),
        discrete(name, SPECIAL, SPECIAL, reference=reference, note="nan and inf"),
        discrete(name, EMPTY, ROW, reference=reference, note="empty"),
    ]


ARITHMETIC = [
    *pairs("add", np.add, "complex"),
    *pairs("subtract", np.subtract, "complex"),
    *pairs("multiply", np.multiply, "complex"),
    *pairs("divide", np.divide, "complex"),
    discrete("divide", INTEGERS, DIVISORS, reference=np.divide, note="integers"),
    discrete("divide", np.int8([7, 3]), np.int8([2, 4]), reference=np.divide, note="bytes"),
    *pairs("squared_difference", lambda x, y: np.abs(x - y) ** 2, "complex"),
    *pairs("floormod", np.mod),
    discrete("floormod", INTEGERS, DIVISORS, reference=np.mod, note="integers"),
    *pairs("truncatemod", np.fmod),
    discrete("truncatemod", INTEGERS, DIVISORS, reference=np.fmod, note="integers"),
    discrete("floordiv", X, ROW, reference=lambda x, y: np.floor(x / y)),
    discrete("floordiv", INTEGERS, DIVISORS, reference=np.floor_divide, note="integers"),
    discrete("truncatediv", X, ROW, reference=lambda x, y: np.trunc(x / y)),
    discrete(
        "truncatediv", INTEGERS, DIVISORS, reference=lambda x, y: np.trunc(x / y), note="integers"
    ),
    *one("negative", np.negative, "complex"),
    *one("absolute", np.abs),
    *one("sign", np.sign),
    Sample("sign", [np.array([-2.0, 0.0, 3.0])], {}, np.sign, order=0, note="zero"),
    *one("identity", np.positive, "complex"),
    *one("conj", np.conj, "complex"),
    discrete("stop_gradient", X, reference=np.positive),
    discrete("stop_gradient", SCALAR, reference=np.positive, note="scalar"),
    Sample("gate", [X, MASK], {}, np.multiply, "complex"),
    Sample("gate", [SCALAR, MASK[0]], {}, np.multiply, note="broadcast"),
    Sample("gate", [SCALAR, np.True_], {}, np.multiply, note="scalars"),
    Sample("add_n", [X, X * 2, X - 1], {}, lambda *xs: sum(xs), "complex"),
    Sample("add_n", [SCALAR], {}, lambda x: x, note="a single scalar"),
    Sample("add_n", [EMPTY, EMPTY], {}, lambda *xs: sum(xs), note="empty"),
]

CASTS = [
    Sample("cast", [X], {"dtype": "float64"}, lambda x, dtype: x.astype(dtype)),
    Sample(
        "cast", [X], {"dtype": "complex128"}, lambda x, dtype: x.astype(dtype), note="to complex"
    ),
    Sample(
        "cast", [COMPLEX], {"dtype": "float64"}, lambda x, dtype: x.real, "fixed", note="real part"
    ),
    discrete("cast", INTEGERS, dtype="float32", reference=lambda x, dtype: x.astype(dtype)),
    discrete(
        "cast", MASK, dtype="float16", reference=lambda x, dtype: x.astype(dtype), note="bools"
    ),
    discrete("cast_to_discrete", X, dtype="int32", reference=lambda x, dtype: np.trunc(x)),
    discrete("cast_to_discrete", SCALAR, dtype="bool", reference=lambda x, dtype: x != 0),
    discrete("cast_to_discrete", COMPLEX, dtype="bool", reference=lambda x, dtype: x != 0),
    discrete(
        "cast_to_discrete", INTEGERS, dtype="int64", reference=lambda x, dtype: x, note="wider"
    ),
]

CHOICES = [
    *compared("equal", np.equal),
    *compared("not_equal", np.not_equal),
    *compared("less", np.less),
    *compared("less_equal", np.less_equal),
    *compared("greater", np.greater),
    *compared("greater_equal", np.greater_equal),
    *pairs("maximum", np.maximum),
    *pairs("minimum", np.minimum),
    discrete("maximum", INTEGERS, DIVISORS, reference=np.maximum, note="integers"),
    discrete("minimum", SPECIAL, SPECIAL[::-1], reference=np.minimum, note="nan and inf"),
    Sample("select", [MASK, X, ROW], {}, np.where, "complex"),
    Sample("select", [MASK[:, :1], X, COLUMN], {}, np.where, note="all broadcast"),
    Sample("select", [np.True_, SCALAR, SCALAR + 1], {}, np.where, note="scalars"),
    Sample("select", [MASK[:0], EMPTY, ROW], {}, np.where, note="empty"),
    Sample("bound", [X, np.float64(2)], {}, lambda x, y: x, "complex", note="scalar"),
    *pairs("tie", lambda x, y: x + 0 * y, "complex"),
    Sample("masked", [X, MASK], {}, lambda x, keep: np.where(keep, x, 0), "complex"),
    Sample("masked", [ROW, MASK], {}, lambda x, keep: np.where(keep, x, 0), note="broadcast"),
    Sample("masked", [SCALAR, np.False_], {}, lambda x, keep: np.where(keep, x, 0), note="scalars"),
    discrete("nonzero_indices", MASK, reference=np.argwhere),
    discrete("nonzero_indices", INTEGERS, reference=np.argwhere, note="numbers"),
    Sample(
        "clip_by_value",
        [X, ROW - 2.2, ROW + 0.3],
        {},
        lambda x, a, b: np.maximum(np.minimum(x, b), a),
    ),
    Sample("clip_by_value", [SCALAR, SCALAR - 1, SCALAR + 1], {}, np.clip, note="scalars"),
    Sample(
        "clip_by_value",
        [X, SCALAR, COLUMN],
        {},
        lambda x, a, b: np.maximum(np.minimum(x, b), a),
        note="crossed bounds",
    ),
]

LOGIC = [
    discrete(name, MASK, MASK[:1], reference=reference)
    for name, reference in (
        ("logical_and", np.logical_and),
        ("logical_or", np.logical_or),
        ("logical_xor", np.logical_xor),
        ("bitwise_and", np.bitwise_and),
        ("bitwise_or", np.bitwise_or),
        ("bitwise_xor", np.bitwise_xor),
    )
]
LOGIC += [
    discrete("bitwise_and", INTEGERS, DIVISORS, reference=operator.and_, note="integers"),
    discrete("bitwise_or", INTEGERS, DIVISORS, reference=operator.or_, note="integers"),
    discrete("bitwise_xor", INTEGERS, DIVISORS, reference=operator.xor, note="integers"),
    discrete("left_shift", INTEGERS, np.int32([1]), reference=np.left_shift),
    discrete("right_shift", INTEGERS, np.int32([1]), reference=np.right_shift),
    discrete("logical_not", MASK, reference=np.logical_not),
    discrete("logical_and", np.True_, np.False_, reference=np.logical_and, note="scalars"),
    discrete("invert", MASK, reference=np.invert),
    discrete("invert", INTEGERS, reference=np.invert, note="integers"),
]

HALVES = np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 2.7])
ROUNDING = [
    discrete(name, x, reference=reference, note=note)
    for name, reference in (("floor", np.floor), ("ceil", np.ceil), ("rint", np.round))
    for x, note in ((HALVES, "halves"), (SCALAR, "scalar"), (SPECIAL, "nan and inf"))
]
ROUNDING += [
    discrete(name, x, reference=reference)
    for name, reference in (("is_nan", np.isnan), ("is_inf", np.isinf), ("is_finite", np.isfinite))
    for x in (SPECIAL, SCALAR)
]
ROUNDING += [Sample("nextafter", [X, X + 1], {}, np.nextafter, "float")]

COMPLEXES = [
    Sample("complex", [X, ROW], {}, lambda x, y: x + 1j * y, "float"),
    Sample("complex", [SCALAR, SCALAR], {}, lambda x, y: x + 1j * y, "float", note="scalars"),
    Sample("complex_absolute", [COMPLEX], {}, np.abs, "fixed"),
    Sample("complex_sign", [COMPLEX], {}, np.sign, "fixed"),
    Sample("complex_sign", [np.array([0j, 2j])], {}, np.sign, "fixed", order=0, note="zero"),
    Sample("real", [COMPLEX], {}, np.real, "fixed"),
    Sample("imag", [COMPLEX], {}, np.imag, "fixed"),
    Sample("angle", [COMPLEX], {}, np.angle, "fixed"),
    Sample("angle", [COMPLEX[0]], {}, np.angle, "fixed", note="scalar"),
]

SAMPLES = ARITHMETIC + CASTS + CHOICES + LOGIC + ROUNDING + COMPLEXES
