"""TensorFlow's rules as a calculus book has them, in NumPy: of all ops that the 25 programs use."""

from __future__ import annotations

from typing import Any

import numpy as np
from again import (
    ELEMENTWISE,
    Given,
    Rules,
    back_to,
    convolution_rule,
    max_pool_rule,
    placed,
    softmax,
    ties,
)


def reduction(p: Given) -> Any:
    g = back_to(p.g, p.shape, p.attributes["reduction_indices"])
    return g * p.g.size / g.size if p.op == "Mean" else g


def largest(p: Given) -> Any:
    axes = p.attributes["reduction_indices"]
    best = p.x[0].max(tuple(np.atleast_1d(axes)), keepdims=True)
    return ties(p.x[0], best, back_to(p.g, p.shape, axes))


def power(p: Given) -> Any:
    base, exponent = p.x
    return p.g * exponent * base ** (exponent - 1)


def product(p: Given) -> Any:
    """x y, either of them transposed or not."""
    flipped = [p.attributes["transpose_a"], p.attributes["transpose_b"]]
    other = p.x[1 - p.at].T if flipped[1 - p.at] else p.x[1 - p.at]
    share = other.T @ p.g if p.at else p.g @ other.T
    return share.T if flipped[p.at] else share


def entropy(p: Given) -> Any:
    truth = np.eye(p.shape[-1])[p.attributes["labels"]]
    return p.g[:, None] * (softmax(p.x[0]) - truth)


def first(x: Any) -> Any:
    """An image with its channels before rows."""
    return np.moveaxis(x, -1, 1)


def convolution(p: Given) -> Any:
    image = None if p.x[0] is None else first(p.x[0])
    kernel = None if p.x[1] is None else np.transpose(p.x[1], (3, 2, 0, 1))
    stride = p.attributes["strides"][1:3]
    shape = np.array(p.shape)[[3, 2, 0, 1] if p.at else [0, 3, 1, 2]]
    share = convolution_rule(image, kernel, first(p.g), p.at, stride, tuple(shape))
    return np.transpose(share, (2, 3, 1, 0) if p.at else (0, 2, 3, 1))


def pool(p: Given) -> Any:
    size, stride = p.attributes["ksize"][1:3], p.attributes["strides"][1:3]
    return np.moveaxis(max_pool_rule(first(p.x[0]), first(p.g), size, stride), 1, -1)


def strided(p: Given) -> Any:
    a = p.attributes
    index: list[Any] = []
    for i, (start, stop, step) in enumerate(zip(a["begin"], a["end"], a["strides"], strict=True)):
        if a["shrink_axis_mask"] >> i & 1:
            index.append(start)
            continue
        open_start, open_stop = a["begin_mask"] >> i & 1, a["end_mask"] >> i & 1
        index.append(slice(None if open_start else start, None if open_stop else stop, step))
    return placed(p.g, p.shape, tuple(index))


def written(p: Given) -> Any:
    rows = tuple(np.moveaxis(np.array(p.attributes["indices"]), -1, 0))
    if p.at == 2:
        return p.g[rows]
    out = p.g.copy()
    out[rows] = 0
    return out


def parted(p: Given) -> Any:
    axis, sizes = p.attributes["split_dim"], p.attributes["size_splits"]
    like = [[n if i != axis else each for i, n in enumerate(p.shape)] for each in sizes]
    return np.concatenate(
        [np.zeros(s) if g is None else g for s, g in zip(like, p.gs, strict=True)], axis
    )


def joined(p: Given) -> Any:
    axis = p.attributes["axis"]
    before = sum(shape[axis] for shape in p.shapes[: p.at])
    return np.take(p.g, range(before, before + p.shape[axis]), axis)


def chosen(p: Given) -> Any:
    which = p.x[0].astype(bool)
    return np.where(which, p.g, 0) if p.at == 1 else np.where(which, 0, p.g)


def top(p: Given) -> Any:
    best = np.argsort(-p.x[0])[: p.attributes["k"]]
    return placed(p.g, p.shape, best)


RULES: Rules = {
    "AddV2": ELEMENTWISE["add"],
    "Sub": ELEMENTWISE["subtract"],
    "Mul": ELEMENTWISE["multiply"],
    "RealDiv": ELEMENTWISE["divide"],
    "Exp": ELEMENTWISE["exp"],
    "Log": ELEMENTWISE["log"],
    "Sin": ELEMENTWISE["sin"],
    "Tanh": ELEMENTWISE["tanh"],
    "Relu": ELEMENTWISE["relu"],
    "Rsqrt": ELEMENTWISE["rsqrt"],
    "Square": ELEMENTWISE["square"],
    "Pow": power,
    "Sum": reduction,
    "Mean": reduction,
    "Max": largest,
    "MatMul": product,
    "Softmax": ELEMENTWISE["softmax"],
    "SparseSoftmaxCrossEntropyWithLogits": entropy,
    "Conv2D": convolution,
    "MaxPool": pool,
    "Reshape": ELEMENTWISE["reshape"],
    "Transpose": lambda p: np.transpose(p.g, np.argsort(p.attributes["perm"])),
    "StridedSlice": strided,
    "TensorScatterUpdate": written,
    "Pack": lambda p: np.take(p.g, p.at, p.attributes["axis"]),
    "ConcatV2": joined,
    "SplitV": parted,
    "SelectV2": chosen,
    "GatherV2": lambda p: placed(p.g, p.shape, p.attributes["indices"]),
    "TopKV2": top,
}
