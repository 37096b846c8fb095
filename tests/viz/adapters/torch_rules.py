"""PyTorch's rules as a calculus book has them, in NumPy: of all ops that the 25 programs use."""

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
)


def power(p: Given) -> Any:
    exponent = p.attributes["exponent"]
    return p.g * exponent * p.x[0] ** (exponent - 1)


def reduction(p: Given) -> Any:
    g = back_to(p.g, p.shape, p.attributes.get("dim"))
    return g * p.g.size / g.size if p.op == "mean" else g


def affine(p: Given) -> Any:
    """b + x w."""
    return [p.g, None, None][p.at] if p.at == 0 else _product(p.g, p.x[1:], p.at - 1)


def _product(g: Any, factors: Any, at: int) -> Any:
    return factors[0].T @ g if at else g @ factors[1].T


def convolution(p: Given) -> Any:
    if p.at == 2:
        return p.g.sum((0, 2, 3))
    return convolution_rule(p.x[0], p.x[1], p.g, p.at, p.attributes["stride"], p.shape)


def pool(p: Given) -> Any:
    return max_pool_rule(p.x[0], p.g, p.attributes["kernel_size"], p.attributes["stride"])


def layer_norm(p: Given) -> Any:
    x, weight = p.x[0], p.x[1]
    scale = np.sqrt(x.var(-1, keepdims=True) + 1e-5)
    normal = (x - x.mean(-1, keepdims=True)) / scale
    if p.at == 1:
        return p.g * normal
    if p.at == 2:
        return p.g
    u = p.g * weight
    means = u.mean(-1, keepdims=True) + normal * (u * normal).mean(-1, keepdims=True)
    return (u - means) / scale


def mean_of_losses(p: Given) -> Any:
    """Minus the mean of the elements that are the targets."""
    target = p.read["target"].astype(int)
    return -p.g / len(target) * np.eye(p.shape[1])[target]


def where(p: Given) -> Any:
    condition = p.read["condition"].astype(bool)
    return np.where(condition, 0, p.g) if p.at else np.where(condition, p.g, 0)


def selected(p: Given) -> Any:
    index = [slice(None)] * len(p.shape)
    index[p.attributes["dim"]] = p.attributes["index"]
    return placed(p.g, p.shape, tuple(index))


def sliced(p: Given) -> Any:
    named = (p.attributes[name] for name in ("start", "end", "step"))
    index = [slice(None)] * len(p.shape)
    index[p.attributes["dim"]] = slice(*named)
    return placed(p.g, p.shape, tuple(index))


def parted(p: Given) -> Any:
    """The parts' cotangents joined, zeros where none came."""
    dim = p.attributes["dim"]
    size = p.attributes.get("split_size")
    sizes = p.attributes.get("split_sizes") or [size] * (p.shape[dim] // size)
    like = [[n if i != dim else each for i, n in enumerate(p.shape)] for each in sizes]
    parts = [np.zeros(s) if g is None else g for s, g in zip(like, p.gs, strict=True)]
    return np.concatenate(parts, dim)


def joined(p: Given) -> Any:
    dim = p.attributes["dim"]
    first = sum(shape[dim] for shape in p.shapes[: p.at])
    return np.take(p.g, range(first, first + p.shape[dim]), dim)


def largest(p: Given) -> Any:
    indices = np.expand_dims(p.read["indices"].astype(int), p.attributes["dim"])
    out = np.zeros(p.shape)
    np.put_along_axis(out, indices, np.reshape(p.g, indices.shape), p.attributes["dim"])
    return out


def looked_up(p: Given) -> Any:
    return placed(p.g, p.shape, p.read["indices"].astype(int))


def part(p: Given) -> Any:
    """Which elements of the whole a write went to, in the shape of what was written."""
    size, stride = p.attributes["size"], p.attributes["stride"]
    grid = np.indices(size).reshape(len(size), -1).T
    return (p.attributes["offset"] + grid @ np.array(stride, int)).reshape(size)


def written(p: Given) -> Any:
    """y[part] = x."""
    where = part(p)
    if p.at:
        return p.g.ravel()[where]
    out = p.g.ravel().copy()
    out[where] = 0
    return out.reshape(p.shape)


def multiplied(p: Given) -> Any:
    """x * y, or y[part] *= c."""
    if "offset" not in p.attributes:
        return ELEMENTWISE["multiply"](p)
    out = p.g.ravel().copy()
    out[part(p)] *= p.x[1]
    return out.reshape(p.shape)


RULES: Rules = {
    "add": ELEMENTWISE["add"],
    "sub": ELEMENTWISE["subtract"],
    "mul": multiplied,
    "div": ELEMENTWISE["divide"],
    "pow": power,
    "exp": ELEMENTWISE["exp"],
    "sin": ELEMENTWISE["sin"],
    "tanh": ELEMENTWISE["tanh"],
    "sigmoid": ELEMENTWISE["sigmoid"],
    "relu": ELEMENTWISE["relu"],
    "rsqrt": ELEMENTWISE["rsqrt"],
    "sum": reduction,
    "mean": reduction,
    "mm": ELEMENTWISE["matmul"],
    "addmm": affine,
    "t": lambda p: p.g.T,
    "permute": lambda p: np.transpose(p.g, np.argsort(p.attributes["dims"])),
    "view": ELEMENTWISE["reshape"],
    "unsafe_view": ELEMENTWISE["reshape"],
    "clone": ELEMENTWISE["same"],
    "softmax": ELEMENTWISE["softmax"],
    "log_softmax": ELEMENTWISE["log_softmax"],
    "nll_loss": mean_of_losses,
    "convolution": convolution,
    "max_pool2d_with_indices": pool,
    "native_layer_norm": layer_norm,
    "where": where,
    "select": selected,
    "slice": sliced,
    "unsafe_split": parted,
    "split_with_sizes": parted,
    "cat": joined,
    "stack": lambda p: np.take(p.g, p.at, p.attributes["dim"]),
    "max": largest,
    "embedding": looked_up,
    "setitem": written,
    "twice": lambda p: p.g * p.x[0],  # the program's own, wrong on purpose
}
