"""Samples of the ops that move elements: axes, slices, joining, copies, padding."""

import numpy as np

from minitape.ops.moving.slicing import Key
from op_samples import Sample

X = np.arange(6.0).reshape(2, 3) / 3 - 0.7
Y = np.arange(6.0).reshape(2, 3) / 5 + 0.4
T = np.arange(24.0).reshape(2, 3, 4) / 7 - 1.5
V = np.array([3.0, 1.0, 2.0, 5.0])
EMPTY = np.zeros((0, 3))
COLUMN = X[:, :1]


def cut(x, key):
    return x[tuple(key)]


def put_back(x, key, shape):
    out = np.zeros(shape, x.dtype)
    out[tuple(key)] = x
    return out


def put(x, y, key):
    out = x.copy()
    out[tuple(key)] = y
    return out


def joined(*xs, axis):
    return np.concatenate(xs, axis)


def stacked(*xs, axis=0):
    return np.stack(xs, axis)


def parts(x, sizes, axis=0):
    return np.split(x, np.cumsum(sizes)[:-1], axis)


def unstacked(x, axis=0):
    return [np.take(x, i, axis) for i in range(x.shape[axis])]


def tiled(x, multiples):
    return np.tile(x, multiples)


def repeated(x, counts, axis):
    return np.repeat(x, counts, axis)


def padded(x, paddings, value=0):
    return np.pad(x, paddings, constant_values=value)


def np_sizes(x, dtype):
    return np.array(np.shape(x), dtype)


def mirrored(x, paddings, mode):
    return np.pad(x, paddings, mode)


def spaced(x, y, num, axis):
    steps = np.arange(num) / max(num - 1, 1)
    return np.stack([x + (y - x) * step for step in steps], axis)


def key(*entries):
    return {"key": Key(entries)}


ALL = slice(None)
TRANSPOSES = [
    Sample("transpose", [X], {"perm": None}, lambda x, perm: x.T, "complex", note="reversed axes"),
    Sample("transpose", [T], {"perm": (1, 2, 0)}, lambda x, perm: x.transpose(perm), "complex"),
    Sample(
        "transpose",
        [T],
        {"perm": [0, -1, 1]},
        lambda x, perm: x.transpose(0, 2, 1),
        note="negative axis",
    ),
    Sample("transpose", [np.float64(2.0)], {"perm": None}, lambda x, perm: x.T, note="scalar"),
    Sample("transpose", [EMPTY], {"perm": None}, lambda x, perm: x.T, note="empty"),
    Sample("sizes", [T], {"dtype": np.dtype(np.int32)}, np_sizes, "fixed", order=0),
    Sample(
        "sizes", [EMPTY], {"dtype": np.dtype(np.int64)}, np_sizes, "fixed", order=0, note="empty"
    ),
]
JOINS = [
    Sample("concat", [X, Y[:1]], {"axis": 0}, joined, "complex"),
    Sample("concat", [X, COLUMN, X], {"axis": -1}, joined, note="negative axis"),
    Sample("concat", [X, EMPTY], {"axis": 0}, joined, note="one is empty"),
    Sample("concat", [V], {"axis": 0}, joined, note="only one"),
    Sample("stack", [V, V + 1], {}, stacked, "complex"),
    Sample("stack", [X, Y, X], {"axis": -1}, stacked, note="negative axis"),
    Sample("stack", [np.float64(1.0), np.float64(2.0)], {"axis": 0}, stacked, note="scalars"),
    Sample("stack", [EMPTY, EMPTY], {"axis": 1}, stacked, note="empty"),
    Sample("split", [V], {"sizes": (1, 3)}, parts, "complex"),
    Sample("split", [T], {"sizes": (1, 0, 2), "axis": -2}, parts, note="an empty part"),
    Sample("unstack", [X], {}, unstacked, "complex"),
    Sample("unstack", [T], {"axis": -1}, unstacked, note="negative axis"),
    Sample("unstack", [V], {}, unstacked, note="scalars"),
]
SLICES = [
    Sample("getitem", [T], key(1), cut, "complex", note="an integer"),
    Sample("getitem", [T], key(ALL, slice(1, 3, 1), slice(0, 4, 2)), cut, note="slices and a step"),
    Sample("getitem", [T], key(0, slice(2, None, -1), None), cut, note="backwards, and a new axis"),
    Sample("getitem", [V], key(2), cut, note="a scalar"),
    Sample("getitem", [V], key(slice(2, 2, 1)), cut, note="nothing"),
    Sample("getitem", [np.float64(3.0)], key(None), cut, note="a new axis of a scalar"),
    Sample("unslice", [X[0]], {**key(1), "shape": (2, 3)}, put_back, "complex"),
    Sample("unslice", [V[:2]], {**key(slice(3, None, -2)), "shape": (4,)}, put_back, note="a step"),
    Sample("unslice", [np.float64(2.0)], {**key(1, 0), "shape": (2, 2)}, put_back, note="a scalar"),
    Sample("take", [X], {"index": 1}, lambda x, index: x[index], "complex"),
    Sample("take", [V], {"index": 0}, lambda x, index: x[index], note="a scalar"),
    Sample("put", [X, Y[0]], key(1), put),
    Sample("put", [X, Y[:, :2]], key(ALL, slice(1, 3, 1)), put, note="columns"),
]
COPIES = [
    Sample("tile", [X], {"multiples": (2, 1)}, tiled, "complex"),
    Sample("tile", [V], {"multiples": (3,)}, tiled, note="a vector"),
    Sample("tile", [X], {"multiples": (1, 0)}, tiled, note="no copies"),
    Sample("tile", [np.float64(2.0)], {"multiples": ()}, tiled, note="scalar"),
    Sample("repeat", [X], {"counts": (1, 0, 2), "axis": 1}, repeated, "complex"),
    Sample("repeat", [V], {"counts": (2, 2, 2, 2), "axis": 0}, repeated, note="all twice"),
    Sample("reverse", [X], {"axis": (1,)}, np.flip, "complex"),
    Sample("reverse", [T], {"axis": (0, -1)}, np.flip, note="negative axis"),
    Sample("reverse", [EMPTY], {"axis": (0,)}, np.flip, note="empty"),
    Sample("roll", [V], {"shift": (1,), "axis": (0,)}, np.roll, "complex"),
    Sample("roll", [X], {"shift": (1, -4), "axis": (0, -1)}, np.roll, note="two axes"),
    Sample("linspace", [1.0, 3.0], {"num": 5, "axis": 0}, spaced, "float"),
    Sample("linspace", [V, V * 2 + 1], {"num": 3, "axis": 1}, spaced, "float", note="vectors"),
    Sample("linspace", [1.0, 3.0], {"num": 1, "axis": 0}, spaced, "float", note="one value"),
]
PADDING = [
    Sample("pad", [X], {"paddings": ((1, 0), (2, 1))}, padded, "complex"),
    Sample("pad", [V], {"paddings": ((0, 2),), "value": 9.0}, padded, note="a value"),
    Sample("pad", [EMPTY], {"paddings": ((1, 1), (0, 0))}, padded, note="empty"),
    Sample(
        "mirror_pad", [X], {"paddings": ((1, 0), (2, 1)), "mode": "reflect"}, mirrored, "complex"
    ),
    Sample("mirror_pad", [X], {"paddings": ((1, 1), (0, 2)), "mode": "symmetric"}, mirrored),
    Sample("mirror_pad", [V], {"paddings": ((0, 0),), "mode": "reflect"}, mirrored, note="nothing"),
]
SAMPLES = TRANSPOSES + JOINS + SLICES + COPIES + PADDING
