"""Samples of reductions, extremes, statistics, cumulative ops, segments, counts and norms."""

import numpy as np

from op_samples import Sample

X = np.array([[0.7, -1.2, 2.1], [1.4, 0.3, -0.8]])
CUBE = np.sin(np.arange(24.0)).reshape(2, 3, 4) + 0.1
EMPTY = np.zeros((0, 3))
TIES = np.array([[2.0, 2.0, 1.0], [0.5, 3.0, 3.0]])
ZEROS = np.array([[0.0, 1.5, 2.0], [-0.5, 0.0, 0.0]])
BOOLS = np.array([[True, False, True], [True, True, True]])
IDS = np.array([1, 0, 1, -1])
ROWS = CUBE.reshape(4, 6)[:, :3]


def axes_of(axis):
    return tuple(axis) if isinstance(axis, list) else axis


def reduced(function):
    def reference(x, axis=None, keepdims=False):
        return function(x, axis=axes_of(axis), keepdims=keepdims)

    return reference


def logsumexp(x, axis=None, keepdims=False):
    with np.errstate(all="ignore"):
        return np.log(np.sum(np.exp(x), axis=axis, keepdims=keepdims)).astype(x.dtype)


def euclidean(x, axis=None, keepdims=False):
    return np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims))


def shares(x, axis, largest):
    extreme = (np.max if largest else np.min)(x, axis=axis, keepdims=True)
    return (x == extreme) / np.sum(x == extreme, axis=axis, keepdims=True)


def count(x, axis=None, keepdims=False):
    return np.sum(x != 0, axis=axis, keepdims=keepdims)


def running(step, start):
    """A running reduction by its definition, one element after the other."""

    def reference(x, axis=0, exclusive=False, reverse=False):
        first = start
        rows = np.moveaxis(x, axis, 0)
        out, total = np.empty_like(rows), None
        order = range(len(rows))
        for i in reversed(order) if reverse else order:
            following = rows[i] if total is None else step(total, rows[i])
            before = np.full_like(rows[i], first) if total is None else total
            out[i] = before if exclusive else following
            total = following
        return np.moveaxis(out, 0, axis)

    return reference


def recurrence(factors, x, axis, reverse=False):
    a, b = np.moveaxis(factors, axis, 0), np.moveaxis(x, axis, 0)
    out, last = np.empty_like(b), 0
    order = range(len(b))
    for i in reversed(order) if reverse else order:
        out[i] = last = b[i] + a[i] * last
    return np.moveaxis(out, 0, axis)


def shifted(x, axis, reverse=False, fill=0.0):
    rows = np.moveaxis(x, axis, 0)
    gap = np.full_like(rows[:1], fill)
    parts = [rows[1:], gap] if reverse else [gap, rows[:-1]]
    return np.moveaxis(np.concatenate(parts), 0, axis)


def segment(step, start):
    def reference(x, ids, count):
        first = start(x.dtype)
        out = np.full((count, *x.shape[1:]), first, x.dtype)
        for row, i in zip(x, ids, strict=True):
            if i >= 0:
                out[i] = step(out[i], row)
        return out

    return reference


def segment_shares(x, ids, count, largest):
    out = np.zeros_like(x)
    for i in range(count):
        mine = ids == i
        if mine.any():
            out[mine] = shares(x[mine], 0, largest)
    return out


def rows_of(x, ids):
    return np.stack([x[i] if i >= 0 else 0 * x[0] for i in ids])


def bins(x, low, high, bins, dtype):
    return np.clip(np.digitize(x, np.linspace(low, high, bins + 1)) - 1, 0, bins - 1).astype(dtype)


def counted(x, size, binary, dtype):
    rows = [np.bincount(row[row < size], minlength=size) for row in x.reshape(-1, x.shape[-1])]
    out = np.array(rows).reshape(*x.shape[:-1], size)
    return (out > 0 if binary else out).astype(dtype)


def weighed(x, weights, size):
    out = np.zeros(size, weights.dtype)
    for i, w in zip(x, weights, strict=True):
        if i < size:
            out[i] += w
    return out


def over_axes(name, reference, dtypes="real", x=X, **more):
    """The samples that every reduction has."""
    f = reduced(reference)
    return [
        Sample(name, [x], {}, f, dtypes, note="all axes", **more),
        Sample(name, [x], {"axis": -1}, f, dtypes, note="negative axis", **more),
        Sample(name, [x], {"axis": [0, 1], "keepdims": True}, f, dtypes, note="kept axes", **more),
        Sample(name, [CUBE], {"axis": [-1, 0]}, f, "float", note="two of three axes", **more),
        Sample(name, [x[:, :1] + 0.1], {"axis": 0}, f, dtypes, note="size-1 axis", **more),
    ]


SAMPLES = [
    *over_axes("reduce_mean", np.mean, "complex"),
    Sample("reduce_mean", [np.float64(2.5)], {}, reduced(np.mean), note="scalar"),
    Sample(
        "reduce_mean", [np.array([-7, 2])], {}, lambda x: np.int64(-2), "fixed", note="integers"
    ),
    *over_axes("reduce_prod", np.prod, "complex"),
    Sample("reduce_prod", [ZEROS], {"axis": 1}, reduced(np.prod), "float", note="zeros"),
    Sample("reduce_prod", [ZEROS], {}, reduced(np.prod), "float", note="zeros everywhere"),
    Sample("reduce_prod", [ZEROS[:1]], {"axis": [0, 1]}, reduced(np.prod), note="one zero"),
    Sample("reduce_prod", [np.float64(0.0)], {}, reduced(np.prod), note="scalar zero"),
    Sample("reduce_prod", [EMPTY], {"axis": 0}, reduced(np.prod), note="empty"),
    *over_axes("reduce_max", np.max),
    *over_axes("reduce_min", np.min),
    Sample("reduce_max", [TIES], {"axis": 1}, reduced(np.max), order=0, note="ties"),
    Sample("reduce_min", [TIES], {}, reduced(np.min), note="scalar result"),
    Sample("reduce_max", [np.float64(2.5)], {}, reduced(np.max), note="scalar"),
    Sample("reduce_max", [EMPTY], {"axis": 0}, lambda x, axis: np.full(3, -np.inf), note="empty"),
    Sample("reduce_min", [EMPTY], {"axis": 0}, lambda x, axis: np.full(3, np.inf), note="empty"),
    Sample("extreme_shares", [TIES], {"axis": (1,), "largest": True}, shares, order=0, note="ties"),
    Sample("extreme_shares", [TIES], {"axis": None, "largest": False}, shares, order=0),
    *over_axes("reduce_all", np.all, "fixed", BOOLS)[:3],
    *over_axes("reduce_any", np.any, "fixed", BOOLS)[:3],
    Sample("reduce_all", [np.zeros((0, 2), bool)], {"axis": 0}, reduced(np.all), "fixed"),
    Sample("reduce_any", [np.zeros((0, 2), bool)], {"axis": 0}, reduced(np.any), "fixed"),
    Sample("count_nonzero", [ZEROS], {}, count, "fixed"),
    Sample("count_nonzero", [ZEROS], {"axis": -1, "keepdims": True}, count, "fixed"),
    Sample("argmax", [TIES], {"axis": 1}, np.argmax, "fixed", note="ties"),
    Sample("argmax", [CUBE], {"axis": -2}, np.argmax, "fixed", note="negative axis"),
    Sample("argmin", [TIES], {}, lambda x: np.argmin(x, 0), "fixed", note="ties"),
    *over_axes("reduce_variance", np.var, "float"),
    *over_axes("reduce_std", np.std, "float")[:4],
    *over_axes("reduce_euclidean_norm", euclidean, "float"),
    *over_axes("length", euclidean, "float"),
    *over_axes("reduce_logsumexp", logsumexp, "float"),
    Sample("reduce_logsumexp", [EMPTY], {"axis": 0}, logsumexp, "float", note="empty"),
    Sample("reduce_logsumexp", [np.float64(-3.0)], {}, logsumexp, "float", note="scalar"),
    Sample(
        "reduce_logsumexp",
        [np.array([900.0, 899.0])],
        {},
        lambda x: 900 + np.log1p(np.exp(-1.0)),
        "float",
        note="beyond the range of exp",
    ),
    Sample(
        "finite_max",
        [np.array([[-np.inf, -np.inf], [1.0, 2.0]])],
        {"axis": (1,)},
        lambda x, axis: np.array([[0.0], [2.0]], x.dtype),
        order=0,
        note="infinite",
    ),
    Sample("shift", [X], {"axis": 1}, shifted),
    Sample("shift", [X], {"axis": 0, "reverse": True, "fill": 1.5}, shifted),
    Sample("linear_recurrence", [X, TIES], {"axis": 1}, recurrence, "complex"),
    Sample("linear_recurrence", [ZEROS, X], {"axis": 0, "reverse": True}, recurrence, note="zeros"),
    Sample("linear_recurrence", [CUBE, CUBE[::-1]], {"axis": 2}, recurrence, "float", note="four"),
    Sample("linear_recurrence", [X[:, :1], X[:, :1]], {"axis": 1}, recurrence, note="one element"),
    *(
        Sample(name, [x], {"axis": axis, "exclusive": e, "reverse": r}, f, dtypes, note=f"{e} {r}")
        for name, f, x, dtypes in (
            ("cumsum", running(np.add, 0), X, "complex"),
            ("cumprod", running(np.multiply, 1), X, "complex"),
            ("cumprod", running(np.multiply, 1), ZEROS, "float"),
            ("cumulative_logsumexp", running(np.logaddexp, -np.inf), X, "float"),
        )
        for axis, e, r in ((0, False, False), (-1, False, True), (1, True, False), (0, True, True))
        if not (name == "cumulative_logsumexp" and e)
    ),
    Sample("cumsum", [EMPTY], {"axis": 0}, running(np.add, 0), note="empty"),
    Sample(
        "cumulative_logsumexp",
        [X],
        {"axis": 1, "exclusive": True},
        running(np.logaddexp, -np.inf),
        "float",
        order=0,
        note="exclusive",
    ),
    Sample("unsorted_segment_sum", [ROWS, IDS], {"count": 3}, segment(np.add, lambda d: 0)),
    Sample("unsorted_segment_sum", [ROWS[:0], IDS[:0]], {"count": 2}, segment(np.add, lambda d: 0)),
    Sample("segment_rows", [X, IDS], {}, rows_of),
    Sample(
        "segment_shares",
        [np.ones((4, 2)), IDS],
        {"count": 3, "largest": True},
        segment_shares,
        order=0,
    ),
    Sample(
        "unsorted_segment_max",
        [ROWS, IDS],
        {"count": 2},
        segment(np.maximum, lambda d: np.finfo(d).min),
    ),
    Sample(
        "unsorted_segment_min",
        [ROWS, IDS],
        {"count": 2},
        segment(np.minimum, lambda d: np.finfo(d).max),
    ),
    Sample(
        "bin_counts",
        [np.array([[1, 1, 3], [0, 9, 1]])],
        {"size": 4, "binary": False, "dtype": np.dtype(np.int32)},
        counted,
        "fixed",
    ),
    Sample(
        "bin_counts",
        [np.array([1, 1, 3])],
        {"size": 2, "binary": True, "dtype": np.dtype(np.int32)},
        counted,
        "fixed",
    ),
    Sample(
        "bin_weights",
        [np.array([1, 1, 3]), np.array([0.5, 1.0, 2.0])],
        {"size": 3},
        weighed,
        order=0,
    ),
    Sample(
        "bin_numbers",
        [np.array([-1.0, 0.1, 0.9, 2.3, 7.0])],
        {"low": 0.0, "high": 5.0, "bins": 5, "dtype": np.dtype(np.int64)},
        bins,
        "fixed",
    ),
    Sample(
        "inverse_length",
        [X],
        {"axis": (1,), "epsilon": 1e-12},
        lambda x, axis, epsilon: 1 / euclidean(x, axis, True),
        "float",
    ),
    Sample(
        "inverse_length",
        [X],
        {"axis": None, "epsilon": 100.0},
        lambda x, axis, epsilon: np.full((1, 1), 0.1, x.dtype),
        "float",
        note="short",
    ),
]
