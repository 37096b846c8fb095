"""Samples of the ops that find elements by index: gathering, scattering, sorting, searching."""

import numpy as np

from op_samples import Sample

X = np.arange(6.0).reshape(2, 3) / 3 - 0.7
T = np.arange(24.0).reshape(2, 3, 4) / 7 - 1.5
V = np.array([3.0, 1.0, 2.0, 5.0])
U = np.array([10.0, 20.0])
TWICE = np.array([2, 0, 2])
ROWS = np.array([[0], [3]])


def gathered(x, indices, axis=0, batch_dims=0):
    """By the definition: one example of the batch after the other."""
    if batch_dims:
        pairs = zip(x, indices, strict=True)
        return np.stack([gathered(a, b, axis - 1, batch_dims - 1) for a, b in pairs])
    return np.take(x, indices, axis)


def ungathered(x, indices, shape, axis=0, batch_dims=0):
    """By the definition: the transpose of the matrix of `gathered`."""
    count = int(np.prod(shape))
    out = np.zeros(count, x.dtype)
    for i in range(count):
        unit = np.zeros(count)
        unit[i] = 1
        out[i] = np.sum(gathered(unit.reshape(shape), indices, axis, batch_dims) * x)
    return out.reshape(shape)


def gathered_nd(x, indices, batch_dims=0):
    if batch_dims:
        pairs = zip(x, indices, strict=True)
        return np.stack([gathered_nd(a, b, batch_dims - 1) for a, b in pairs])
    flat = [x[tuple(each)] for each in indices.reshape(-1, indices.shape[-1])]
    return np.reshape(flat, indices.shape[:-1] + x.shape[indices.shape[-1] :])


def scattered(combine):
    def reference(x, y, indices, batch_dims=0):
        out = x.copy()
        if batch_dims:
            triples = zip(x, y, indices, strict=True)
            return np.stack([reference(a, b, c, batch_dims - 1) for a, b, c in triples])
        slices = y.reshape(-1, *x.shape[indices.shape[-1] :])
        places = indices.reshape(-1, indices.shape[-1])
        for place, value in zip(map(tuple, places), slices, strict=True):
            out[place] = combine(out[place], value)
        return out

    return reference


def scattered_into_zeros(x, indices, shape, batch_dims=0):
    return scattered(np.add)(np.zeros(shape, x.dtype), x, indices, batch_dims)


def along(x, indices, axis):
    return np.take_along_axis(x, indices, axis)


def added_along(x, indices, shape, axis):
    out = np.zeros(shape, x.dtype)
    for place in np.ndindex(*x.shape):
        there = list(place)
        there[axis] = indices[place]
        out[tuple(there)] += x[place]
    return out


def in_order(x, axis, descending=False):
    ordered = np.sort(x, axis)
    return np.flip(ordered, axis) if descending else ordered


def order(x, axis, descending=False):
    return np.argsort(-x if descending else x, axis, kind="stable")


def largest(x, k):
    places = np.argsort(-x, -1, kind="stable")[..., :k]
    return [np.take_along_axis(x, places, -1), places]


def counted(start, stop, n, step):
    return np.array(range(n)[start:stop:step], np.int32)


def different(x, dtype=np.int32):
    seen = list(dict.fromkeys(x.tolist()))
    places = [seen.index(each) for each in x.tolist()]
    return [np.array(seen), np.array(places), np.bincount(places)]


def units(indices, depth, on, off, axis):
    out = np.full((*indices.shape, depth), off)
    for place in np.ndindex(*indices.shape):
        if 0 <= indices[place] < depth:
            out[(*place, indices[place])] = on
    return np.moveaxis(out, -1, axis)


GATHERS = [
    Sample("gather", [V, TWICE], {}, gathered, "complex"),
    Sample("gather", [T, np.array([[1, 1], [0, 2]])], {"axis": 1}, gathered, note="inner axis"),
    Sample("gather", [T, np.array(3)], {"axis": -1}, gathered, note="a scalar index"),
    Sample("gather", [X, np.zeros((0,), int)], {}, gathered, note="no index"),
    Sample(
        "gather",
        [T, np.array([[0, 2], [1, 1]])],
        {"axis": 1, "batch_dims": 1},
        gathered,
        note="a batch axis",
    ),
    Sample(
        "gather",
        [T, np.array([[0, 3], [1, 1]])],
        {"axis": 2, "batch_dims": 1},
        gathered,
        note="a batch axis and an axis between",
    ),
    Sample("ungather", [V[:3], TWICE], {"shape": (4,)}, ungathered, "complex"),
    Sample("ungather", [T, np.array([0, 4, 0])], {"shape": (2, 5, 4), "axis": 1}, ungathered),
    Sample(
        "ungather",
        [X, np.array([[0, 2, 0], [1, 1, 1]])],
        {"shape": (2, 3), "axis": 1, "batch_dims": 1},
        ungathered,
        note="a batch axis",
    ),
    Sample("gather_nd", [X, np.array([[0, 2], [1, 0], [0, 2]])], {}, gathered_nd, "complex"),
    Sample("gather_nd", [X, np.array([[1]])], {}, gathered_nd, note="rows"),
    Sample("gather_nd", [T, np.array([[1, 2]])], {}, gathered_nd, note="slices"),
    Sample(
        "gather_nd", [T, np.array([[[2]], [[0]]])], {"batch_dims": 1}, gathered_nd, note="batch"
    ),
    Sample("take_along", [X, np.array([[0, 2], [1, 1]])], {"axis": 1}, along, "complex"),
    Sample(
        "add_along",
        [X[:, :2], np.array([[0, 2], [1, 1]])],
        {"shape": (2, 3), "axis": 1},
        added_along,
    ),
]
SCATTERS = [
    Sample(
        "scatter_nd",
        [V[:3], np.array([[1], [3], [1]])],
        {"shape": (5,)},
        scattered_into_zeros,
        "complex",
    ),
    Sample(
        "scatter_nd",
        [X, np.array([[0], [2]])],
        {"shape": (3, 3)},
        scattered_into_zeros,
        note="rows",
    ),
    Sample(
        "scatter_nd",
        [X[:, :1], np.array([[[2]], [[0]]])],
        {"shape": (2, 3), "batch_dims": 1},
        scattered_into_zeros,
        note="batch",
    ),
    Sample("scatter_update", [V, U, ROWS], {}, scattered(lambda old, new: new), "complex"),
    Sample(
        "scatter_update",
        [X, X[:1] * 3, np.array([[1]])],
        {},
        scattered(lambda old, new: new),
        note="rows",
    ),
    Sample("scatter_add", [V, U, ROWS], {}, scattered(np.add), "complex"),
    Sample(
        "scatter_add", [V, U, np.array([[2], [2]])], {}, scattered(np.add), note="one place twice"
    ),
    Sample("scatter_sub", [V, U, np.array([[2], [2]])], {}, scattered(np.subtract), "complex"),
    Sample("scatter_mul", [V, U, np.array([[2], [2]])], {}, scattered(np.multiply), order=0),
    Sample("scatter_div", [V, U, np.array([[2], [2]])], {}, scattered(np.divide), order=0),
    Sample("scatter_max", [V, np.array([10.0, 2.0]), ROWS], {}, scattered(np.maximum)),
    Sample("scatter_min", [V, np.array([10.0, 2.0]), ROWS], {}, scattered(np.minimum)),
    Sample(
        "scatter_max", [X, X[:1] + 1.1, np.array([[1]])], {}, scattered(np.maximum), note="rows"
    ),
]
ORDERS = [
    Sample("sort", [V], {"axis": 0}, in_order),
    Sample("sort", [X], {"axis": 0, "descending": True}, in_order, note="descending"),
    Sample("sort", [np.zeros((2, 0))], {"axis": 1}, in_order, note="empty"),
    Sample("argsort", [V], {"axis": 0}, order, order=0),
    Sample(
        "argsort",
        [np.array([[1.0, 2.0, 1.0, 2.0]])],
        {"axis": 1, "descending": True},
        order,
        order=0,
        note="ties",
    ),
    Sample("top_k", [V], {"k": 2}, largest),
    Sample("top_k", [X], {"k": 3}, largest, note="all"),
    Sample("top_k", [np.array([1.0, 2.0, 2.0])], {"k": 1}, largest, order=0, note="ties"),
    Sample("unique", [np.array([3, 1, 3, 2])], {}, different, "fixed", order=0),
    Sample("span", [2, 9], {"n": 7, "step": 2}, counted, "fixed", order=0),
    Sample("span", [-2, -9], {"n": 4, "step": -1}, counted, "fixed", order=0, note="backwards"),
    Sample("span", [5, 9], {"n": 4, "step": 1}, counted, "fixed", order=0, note="beyond the end"),
    Sample(
        "searchsorted",
        [np.array([[1.0, 3.0, 5.0]]), np.array([[0.0, 3.0, 4.0]])],
        {},
        lambda x, y: np.searchsorted(x[0], y[0])[None],
        order=0,
    ),
    Sample(
        "searchsorted",
        [np.array([1.0, 3.0, 5.0]), np.array([3.0])],
        {"side": "right"},
        lambda x, y, side: np.searchsorted(x, y, side),
        order=0,
        note="from the right",
    ),
    Sample("invert_permutation", [np.array([2, 0, 1])], {}, np.argsort, "fixed", order=0),
    Sample(
        "one_hot",
        [np.array([0, 2, -1, 5])],
        {"depth": 3, "on": 1.0, "off": 0.0, "axis": 1},
        units,
        "fixed",
        order=0,
    ),
    Sample(
        "one_hot",
        [np.array([[1, 0]])],
        {"depth": 2, "on": 5.0, "off": -1.0, "axis": 0},
        units,
        "fixed",
        order=0,
    ),
    Sample(
        "sequence_mask",
        [np.array([1, 3, 0])],
        {"maxlen": 4, "dtype": np.dtype(bool)},
        lambda lengths, maxlen, dtype: np.array([[j < n for j in range(maxlen)] for n in lengths]),
        "fixed",
        order=0,
    ),
]
SAMPLES = GATHERS + SCATTERS + ORDERS
