"""The derivative rules of a calculus book in NumPy, applied to what a step says it is made of.

Nothing here uses the engine. Each rule gets `g`, the values by name of the argument (None where the
step does not say it), the op's own result, the op's attributes and the shape of what receives.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np


def fit(g: Any, shape: tuple[int, ...]) -> Any:
    """Sum over the axes that broadcasting stretched."""
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    return g.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1 < g.shape[i]), keepdims=True)


def _softmax(x: Any) -> Any:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def _windows(image: Any, window: Any, strides: Any) -> Any:
    """(place, slices) of every window of an image [batch, height, width, channels], unpadded."""
    rows = range(0, image.shape[1] - window[0] + 1, strides[0])
    columns = range(0, image.shape[2] - window[1] + 1, strides[1])
    for i, top in enumerate(rows):
        for j, left in enumerate(columns):
            yield (i, j), (slice(top, top + window[0]), slice(left, left + window[1]))


def _max_pool(p: Any) -> Any:
    x, out = p.values[0], np.zeros(p.shape)
    for (i, j), (rows, columns) in _windows(x, p.attributes["window"], p.attributes["strides"]):
        cut = x[:, rows, columns]
        winner = cut == cut.max(axis=(1, 2), keepdims=True)
        out[:, rows, columns] += winner * p.g[:, i : i + 1, j : j + 1]
    return out


def _convolution(p: Any) -> Any:
    out, strides = np.zeros(p.shape), p.attributes["strides"]
    window = (p.values[1] if p.position == 0 else out).shape[:2]
    image = out if p.position == 0 else p.values[0]
    for (i, j), (rows, columns) in _windows(image, window, strides):
        g = p.g[:, i, j]
        if p.position == 0:
            out[:, rows, columns] += np.einsum("bq,hwcq->bhwc", g, p.values[1])
        else:
            out += np.einsum("bhwc,bq->hwcq", image[:, rows, columns], g)
    return out


def _back_to(p: Any) -> Any:
    """A reduced cotangent repeated over the axes that were reduced."""
    axes = p.attributes["axis"]
    kept = [1 if axes is None or i in axes else n for i, n in enumerate(p.shape)]
    return np.broadcast_to(p.g.reshape(kept), p.shape)


def _gather(p: Any) -> Any:
    out = np.zeros(p.shape)
    np.add.at(out, p.values[1], p.g)
    return out


def _getitem(p: Any) -> Any:
    out = np.zeros(p.shape)
    given = p.attributes["key"]
    out[tuple(slice(*each["slice"]) if isinstance(each, dict) else each for each in given)] = p.g
    return out


def _log_softmax(p: Any) -> Any:
    return p.g - np.exp(p.out) * p.g.sum(-1, keepdims=True)


def _sparse_cross_entropy(p: Any) -> Any:
    truth = np.eye(p.shape[-1])[p.values[0]]
    return p.g[..., None] * (_softmax(p.values[1]) - truth)


RULES: dict[str, Callable[[Any], Any]] = {
    "add": lambda p: p.g,
    "subtract": lambda p: -p.g if p.position else p.g,
    "negative": lambda p: -p.g,
    "multiply": lambda p: p.g * p.values[1 - p.position],
    "divide": lambda p: p.g / p.values[1],
    "square": lambda p: 2 * p.values[0] * p.g,
    "tanh": lambda p: p.g * (1 - p.out**2),
    "relu": lambda p: p.g * (p.out > 0),
    "rsqrt": lambda p: -0.5 * p.g * p.out**3,
    "matmul": lambda p: p.values[0].T @ p.g if p.position else p.g @ p.values[1].T,
    "matrix_transpose": lambda p: p.g.T,
    "reshape": lambda p: p.g.reshape(p.shape),
    "reduce_sum": _back_to,
    "reduce_mean": lambda p: _back_to(p) * p.g.size / np.prod(p.shape),
    "softmax": lambda p: p.out * (p.g - (p.g * p.out).sum(-1, keepdims=True)),
    "log_softmax": _log_softmax,
    "sparse_softmax_cross_entropy": _sparse_cross_entropy,
    "convolution": _convolution,
    "max_pool": _max_pool,
    "gather": _gather,
    "getitem": _getitem,
}


def again(trace: Any, step: Any, operands: dict[tuple[int, str], Any]) -> Any:
    """The contribution of a pull, from its operands by node and kind alone."""
    node = trace.nodes[step.node]
    shape = trace.nodes[step.to].shape
    given = SimpleNamespace(
        g=operands[step.node, "cotangent"],
        values=[operands.get((each, "value")) for each in node.inputs],
        out=operands.get((step.node, "value")),
        attributes={each.name: json.loads(each.json) for each in node.attributes},
        position=step.position,
        shape=shape,
    )
    return fit(np.asarray(RULES[node.op](given), float), shape)
