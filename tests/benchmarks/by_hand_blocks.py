"""Building blocks of networks with their backward passes written by hand in NumPy: W11 to W14.

Each function takes the arrays of `blocks.BLOCKS` and gives what the tape gives: loss, gradients.
"""

from __future__ import annotations

from typing import Any

import numpy as np

EPSILON = np.float32(1e-5)
TINY = np.float32(1e-12)
Data = dict[str, Any]


def tall(x: Any) -> Any:
    """A stack of matrices as one, its rows below each other."""
    return x.reshape(-1, x.shape[-1])


def attention(d: Data) -> list[Any]:
    """W11: one head over four sequences of 16, with a residual and a relu."""
    x, wq, wk, wv, wo = d["x"], d["wq"], d["wk"], d["wv"], d["wo"]
    scale = np.float32(1 / np.sqrt(x.shape[-1]))
    q, k, v = (x @ w for w in (wq, wk, wv))
    p = q @ k.mT * scale
    p = np.exp(p - p.max(-1, keepdims=True))
    p /= p.sum(-1, keepdims=True)
    c = p @ v
    out = np.maximum(c @ wo + x, 0)
    g = out * np.float32(2 / out.size)  # where out is 0 so is its slope
    of_wo, g = tall(c).T @ tall(g), g @ wo.T
    of_v, g = p.mT @ g, g @ v.mT
    g = p * (g - (g * p).sum(-1, keepdims=True)) * scale
    of_q, of_k = g @ k, g.mT @ q
    parts = [tall(x).T @ tall(part) for part in (of_q, of_k, of_v)]
    return [np.mean(out * out), *parts, of_wo]


def recurrent(d: Data) -> list[Any]:
    """W12: 20 steps of an LSTM with 16 units, a batch of 8; the squares of its last output."""
    steps, wx, wh, b = d["x"], d["wx"], d["wh"], d["b"]
    h = c = np.zeros((steps.shape[1], wh.shape[0]), np.float32)
    kept = []
    for x in steps:
        i, u, f, o = np.split(x @ wx + h @ wh + b, 4, 1)
        i, u, f, o = 1 / (1 + np.exp(-i)), np.tanh(u), 1 / (1 + np.exp(-f)), 1 / (1 + np.exp(-o))
        before, c = (h, c), f * c + i * u
        t = np.tanh(c)
        h = o * t
        kept.append((x, *before, i, u, f, o, t))
    loss = np.sum(h * h)
    of_wx, of_wh, of_b = np.zeros_like(wx), np.zeros_like(wh), np.zeros_like(b)
    gh, gc = 2 * h, np.zeros_like(h)
    for x, h, c, i, u, f, o, t in reversed(kept):
        gc = gc + gh * o * (1 - t * t)
        gates = [gc * u * i * (1 - i), gc * i * (1 - u * u), gc * c * f * (1 - f)]
        g = np.concatenate([*gates, gh * t * o * (1 - o)], 1)
        of_wx += x.T @ g
        of_wh += h.T @ g
        of_b += g.sum(0)
        gh, gc = g @ wh.T, gc * f
    return [loss, of_wx, of_wh, of_b]


def layer_norm(d: Data) -> list[Any]:
    """W13: a dense layer and a normalisation of its rows (Ba, Kiros and Hinton 2016)."""
    x, w, gain, shift = d["x"], d["w"], d["gain"], d["shift"]
    y = x @ w
    y -= y.mean(-1, keepdims=True)
    r = 1 / np.sqrt((y * y).mean(-1, keepdims=True) + EPSILON)
    y *= r
    out = y * gain + shift
    g = out * np.float32(2 / out.size)
    of_gain, of_shift = (g * y).sum(0), g.sum(0)
    g *= gain
    g = r * (g - g.mean(-1, keepdims=True) - y * (g * y).mean(-1, keepdims=True))
    return [np.mean(out * out), x.T @ g, of_gain, of_shift]


def gradient_penalty(d: Data) -> list[Any]:
    """W14: (|dy/dx| - 1)^2 of a two-layer critic, by its weights (Gulrajani et al. 2017)."""
    x, a, b = d["x"], d["a"], d["b"]
    h = np.tanh(x @ a)
    s = 1 - h * h
    u = s * b.T
    slope = u @ a.T
    norm = np.sqrt((slope * slope).sum(1) + TINY)
    g = slope * ((norm - 1) / norm * np.float32(2 / len(x)))[:, None]
    of_a = g.T @ u
    g = g @ a
    of_b = (g * s).sum(0)[:, None]
    of_a += x.T @ (-2 * h * s * g * b.T)
    return [np.mean((norm - 1) ** 2), of_a, of_b]
