"""A pull computed once more from what its step says alone: operands, and the op's attributes.

Nothing here uses a framework or minitape. A table of rules has a plain NumPy formula for each op, a
function of `Given`; an op without one is an error.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Given(NamedTuple):
    """What a rule may use.

    `g` is what came in at the first result that has any, `gs` at each; `x` the inputs' values by
    position and `out` the result's, None where the step does not say it; `read` what else it says,
    by symbol; `at` the position that receives, `shape` its shape, `shapes` those of all inputs.
    """

    op: str
    g: Any
    gs: list[Any]
    x: list[Any]
    out: Any
    read: dict[str, Any]
    attributes: dict[str, Any]
    at: int
    shape: tuple[int, ...]
    shapes: list[tuple[int, ...]]
    result: tuple[int, ...]


Rules = dict[str, Callable[[Given], Any]]


def array(recorded: Any) -> Any:
    assert recorded.is_whole
    kept = np.reshape(recorded.data, recorded.shape)
    return kept if kept.dtype.kind in "biuc" else kept.astype(float)


def given(trace: Any, step: Any) -> Given:
    node = trace.nodes[step.node]
    values = {o.node: array(o.value) for o in step.operands if o.kind == "value"}
    came = {o.node: array(o.value) for o in step.operands if o.kind == "cotangent"}
    siblings = [n.id for n in trace.nodes if n.record == node.record and n.kind == "op"]
    outputs = siblings if node.record is not None else [node.id]
    return Given(
        node.op,
        next(iter(came.values())),
        [came.get(each) for each in outputs],
        [values.get(each) for each in node.inputs],
        values.get(step.node),
        {o.symbol: array(o.value) for o in step.operands if o.kind == "value"},
        {each.name: json.loads(each.json) for each in node.attributes},
        step.position,
        trace.nodes[step.to].shape,
        [trace.nodes[each].shape for each in node.inputs],
        node.shape,
    )


def fit(g: Any, shape: tuple[int, ...]) -> Any:
    """Sum over the axes that broadcasting stretched."""
    g = np.asarray(g, complex if np.iscomplexobj(g) else float)
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    return g.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1 < g.shape[i]), keepdims=True)


def assert_every_step_follows(trace: Any, rules: Rules, rtol: float) -> None:
    """Every pull's contribution is what NumPy gives, and every total the sum so far."""
    totals: dict[int, Any] = {s.node: array(s.cotangent) for s in trace.steps if s.kind == "seed"}
    pulls = [step for step in trace.steps if step.kind == "pull"]
    for step in pulls:
        p = given(trace, step)
        assert p.op in rules, f"no NumPy rule for {p.op}: {p.attributes}"
        found = fit(rules[p.op](p), p.shape)
        share = array(step.contribution)
        where = f"{p.op}, input {p.at}"
        np.testing.assert_allclose(share, found, rtol=rtol, atol=rtol / 10, err_msg=where)
        totals[step.to] = totals.get(step.to, 0) + share
        np.testing.assert_allclose(array(step.total), totals[step.to], rtol=rtol, atol=rtol / 10)
    assert pulls


def back_to(g: Any, shape: tuple[int, ...], axes: Any) -> Any:
    """A reduced cotangent repeated over the axes that were reduced (None: all)."""
    axes = range(len(shape)) if axes is None or axes == [] else np.atleast_1d(axes) % len(shape)
    kept = [1 if i in axes else n for i, n in enumerate(shape)]
    return np.broadcast_to(np.reshape(g, kept), shape)


def placed(g: Any, shape: tuple[int, ...], where: Any) -> Any:
    """Zeros with g added where it was taken from."""
    out = np.zeros(shape)
    np.add.at(out, where, g)
    return out


def ties(x: Any, best: Any, g: Any) -> Any:
    """A cotangent shared by all that are the largest."""
    hit = x == best
    return g * hit / hit.sum(axis=-1, keepdims=True) if hit.ndim else g * hit


def softmax(x: Any, axis: int = -1) -> Any:
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def convolution_rule(x: Any, k: Any, g: Any, at: int, stride: Any, shape: tuple[int, ...]) -> Any:
    """Both rules of an unpadded convolution: images and kernels with channels before rows."""
    out = np.zeros(shape)
    rows, columns = (out if at else k).shape[2:]
    for i in range(g.shape[2]):
        for j in range(g.shape[3]):
            window = np.s_[
                :, :, i * stride[0] : i * stride[0] + rows, j * stride[1] : j * stride[1] + columns
            ]
            if at == 0:
                out[window] += np.einsum("bq,qchw->bchw", g[:, :, i, j], k)
            else:
                out += np.einsum("bq,bchw->qchw", g[:, :, i, j], x[window])
    return out


def max_pool_rule(x: Any, g: Any, size: Any, stride: Any) -> Any:
    """Each cotangent to the largest of its window; channels before rows."""
    out = np.zeros(x.shape)
    for b, c, i, j in np.ndindex(g.shape):
        top, left = i * stride[0], j * stride[1]
        window = x[b, c, top : top + size[0], left : left + size[1]]
        row, column = np.unravel_index(window.argmax(), window.shape)
        out[b, c, top + row, left + column] += g[b, c, i, j]
    return out


def divide(p: Given) -> Any:
    if p.at == 0:
        return p.g / p.x[1]
    return -p.g * (p.x[0] / p.x[1] if p.out is None else p.out) / p.x[1]


ELEMENTWISE: dict[str, Callable[[Given], Any]] = {
    "add": lambda p: p.g,
    "subtract": lambda p: -p.g if p.at else p.g,
    "negative": lambda p: -p.g,
    "multiply": lambda p: p.g * p.x[1 - p.at],
    "divide": divide,
    "exp": lambda p: p.g * (np.exp(p.x[0]) if p.out is None else p.out),
    "log": lambda p: p.g / p.x[0],
    "sin": lambda p: p.g * np.cos(p.x[0]),
    "tanh": lambda p: p.g * (1 - (np.tanh(p.x[0]) if p.out is None else p.out) ** 2),
    "sigmoid": lambda p: p.g * p.out * (1 - p.out),
    "relu": lambda p: p.g * ((p.x[0] if p.out is None else p.out) > 0),
    "square": lambda p: 2 * p.g * p.x[0],
    "rsqrt": lambda p: -0.5 * p.g * p.out**3,
    "matmul": lambda p: p.x[0].T @ p.g if p.at else p.g @ p.x[1].T,
    "softmax": lambda p: p.out * (p.g - (p.g * p.out).sum(-1, keepdims=True)),
    "log_softmax": lambda p: p.g - np.exp(p.out) * p.g.sum(-1, keepdims=True),
    "reshape": lambda p: p.g.reshape(p.shape),
    "same": lambda p: p.g,
}
