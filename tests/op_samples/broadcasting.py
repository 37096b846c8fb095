"""Samples of the lowest ops: reshape, broadcast_to, reduce_sum, sum_to."""

import numpy as np

from op_samples import Sample

X = np.arange(6.0).reshape(2, 3) / 3 - 0.7


def summed_to(x, shape):
    """The sum over leading axes and over those that `shape` has as 1, by the definition."""
    while x.ndim > len(shape):
        x = x.sum(0)
    for axis, n in enumerate(shape):
        if n == 1:
            x = x.sum(axis, keepdims=True)
    return x


SAMPLES = [
    Sample("reshape", [X], {"shape": (3, 2)}, lambda x, shape: x.reshape(shape), "complex"),
    Sample(
        "reshape", [X[:1, :1]], {"shape": ()}, lambda x, shape: x.reshape(shape), note="to rank 0"
    ),
    Sample(
        "reshape",
        [np.zeros((0, 3))],
        {"shape": (3, 0)},
        lambda x, shape: x.reshape(shape),
        note="empty",
    ),
    Sample("broadcast_to", [X[0]], {"shape": (2, 3)}, np.broadcast_to, "complex"),
    Sample(
        "broadcast_to", [X[:, :1]], {"shape": (4, 2, 3)}, np.broadcast_to, note="stretched axis"
    ),
    Sample("broadcast_to", [np.float64(2.5)], {"shape": (2, 2)}, np.broadcast_to, note="scalar"),
    Sample("broadcast_to", [np.zeros((1, 0))], {"shape": (3, 0)}, np.broadcast_to, note="empty"),
    Sample("reduce_sum", [X], {}, lambda x: np.sum(x), "complex", note="all axes"),
    Sample("reduce_sum", [X], {"axis": -1}, lambda x, axis: np.sum(x, axis), note="negative axis"),
    Sample(
        "reduce_sum",
        [X],
        {"axis": [0, 1], "keepdims": True},
        lambda x, axis, keepdims: np.sum(x, tuple(axis), keepdims=keepdims),
        note="kept axes",
    ),
    Sample(
        "reduce_sum", [np.zeros((0, 2))], {"axis": 0}, lambda x, axis: np.sum(x, axis), note="empty"
    ),
    Sample("sum_to", [X], {"shape": (3,)}, summed_to, "complex", note="leading axis"),
    Sample("sum_to", [X], {"shape": (2, 1)}, summed_to, note="size-1 axis"),
    Sample("sum_to", [X], {"shape": ()}, summed_to, note="to a scalar"),
    Sample("sum_to", [X], {"shape": (2, 3)}, summed_to, note="nothing to sum"),
]
