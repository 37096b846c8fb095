"""JAX's rules as a calculus book has them, in NumPy: of all primitives that the 25 programs use."""

from __future__ import annotations

from typing import Any

import numpy as np
from again import ELEMENTWISE, Given, Rules, back_to, convolution_rule, max_pool_rule, placed, ties


def power(p: Given) -> Any:
    exponent = p.attributes["y"]
    return exponent * p.g * p.x[0] ** (exponent - 1)


def larger(p: Given) -> Any:
    """The larger of two; at a tie half for each."""
    first, second = p.x[p.at], p.x[1 - p.at]
    return p.g * ((first > second) + 0.5 * (first == second))


def largest(p: Given) -> Any:
    axes = p.attributes["axes"]
    best = p.x[0].max(tuple(axes), keepdims=True)
    return ties(p.x[0], best, back_to(p.g, p.shape, axes))


def product(p: Given) -> Any:
    """A sum of products over the axes that meet, from the rule for either factor."""
    (left, right), (batch_left, batch_right) = p.attributes["dimension_numbers"]
    names = [list("abcdef"[: len(p.shapes[0])]), list("uvwxyz"[: len(p.shapes[1])])]
    for i, j in zip(left + batch_left, right + batch_right, strict=True):
        names[1][j] = names[0][i]
    out = [names[0][i] for i in batch_left]
    out += [c for i, c in enumerate(names[0]) if i not in left + batch_left]
    out += [c for i, c in enumerate(names[1]) if i not in right + batch_right]
    own, other = "".join(names[p.at]), "".join(names[1 - p.at])
    return np.einsum(f"{''.join(out)},{other}->{own}", p.g, p.x[1 - p.at])


def broadcast(p: Given) -> Any:
    """Sum over the axes that are new, then over those that were stretched (in `fit`)."""
    kept = p.attributes["broadcast_dimensions"]
    return p.g.sum(tuple(i for i in range(p.g.ndim) if i not in kept))


def taken(p: Given) -> Any:
    """Each row of indices says where a slice was taken from."""
    return placed(p.g, p.shape, tuple(np.moveaxis(p.x[1].astype(int), -1, 0)))


def sliced(p: Given) -> Any:
    start, limit = p.attributes["start_indices"], p.attributes["limit_indices"]
    steps = p.attributes.get("strides") or [1] * len(start)
    return placed(p.g, p.shape, tuple(map(slice, start, limit, steps)))


def written(p: Given) -> Any:
    """x.at[i].set(u) and x.at[i].multiply(u), for one row i."""
    row, times = int(p.x[1][0]), p.op == "scatter-mul"
    if p.at == 2:
        return p.g[row] * (p.x[0][row] if times else 1)
    out = p.g.copy()
    out[row] *= p.x[2] if times else 0
    return out


def parted(p: Given) -> Any:
    sizes, axis = p.attributes["sizes"], p.attributes["axis"]
    like = [[n if i != axis else each for i, n in enumerate(p.shape)] for each in sizes]
    return np.concatenate(
        [np.zeros(s) if g is None else g for s, g in zip(like, p.gs, strict=True)], axis
    )


def chosen(p: Given) -> Any:
    """select_n(which, x, y) is y where `which` is true."""
    which = p.x[0].astype(bool)
    return np.where(which, p.g, 0) if p.at == 2 else np.where(which, 0, p.g)


def convolution(p: Given) -> Any:
    return convolution_rule(*p.x, p.g, p.at, p.attributes["window_strides"], p.shape)


def pool(p: Given) -> Any:
    size, stride = p.attributes["window_dimensions"], p.attributes["window_strides"]
    return max_pool_rule(p.x[0], p.g, size[2:], stride[2:])


def recurrent(p: Given) -> Any:
    """The scan of the programs, h = tanh(x u + h w) with outputs sum(h): through time by hand."""
    u, w, h, xs = p.x
    states = [h]
    for x in xs:
        states.append(np.tanh(x @ u + states[-1] @ w))
    last, sums = p.gs
    g = np.zeros(h.shape) if last is None else last
    shares = [np.zeros(u.shape), np.zeros(w.shape), g, np.zeros(xs.shape)]
    for t in reversed(range(len(xs))):
        g = g + (0 if sums is None else sums[t])
        inner = g * (1 - states[t + 1] ** 2)
        shares[0] += np.outer(xs[t], inner)
        shares[1] += np.outer(states[t], inner)
        shares[3][t] = u @ inner
        g = w @ inner
    shares[2] = g
    return shares[p.at]


RULES: Rules = {
    "add": ELEMENTWISE["add"],
    "add_any": ELEMENTWISE["add"],
    "sub": ELEMENTWISE["subtract"],
    "mul": ELEMENTWISE["multiply"],
    "div": ELEMENTWISE["divide"],
    "neg": ELEMENTWISE["negative"],
    "exp": ELEMENTWISE["exp"],
    "log": ELEMENTWISE["log"],
    "sin": ELEMENTWISE["sin"],
    "tanh": ELEMENTWISE["tanh"],
    "rsqrt": ELEMENTWISE["rsqrt"],
    "relu": ELEMENTWISE["relu"],
    "integer_pow": power,
    "max": larger,
    "reduce_max": largest,
    "reduce_sum": lambda p: back_to(p.g, p.shape, p.attributes["axes"]),
    "dot_general": product,
    "broadcast_in_dim": broadcast,
    "transpose": lambda p: np.transpose(p.g, np.argsort(p.attributes["permutation"])),
    "reshape": ELEMENTWISE["reshape"],
    "squeeze": ELEMENTWISE["reshape"],
    "convert_element_type": ELEMENTWISE["same"],
    "gather": taken,
    "slice": sliced,
    "scatter": written,
    "scatter-mul": written,
    "split": parted,
    "select_n": chosen,
    "conv_general_dilated": convolution,
    "reduce_window_max": pool,
    "scan": recurrent,
    "cond": lambda p: p.g * (3 if p.x[0] else -1),  # the program's branches: 3 x and -x
    "getitem": lambda p: placed(p.g, p.shape, p.attributes["index"]),  # a round of a scan
    "stack": lambda p: p.g[p.at],
    "clipped": lambda p: np.clip(p.g * p.x[0], -1, 1),  # the program's own
}
