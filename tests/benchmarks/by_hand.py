"""The workloads with forward and backward written by hand in NumPy: the limit for a NumPy engine.

Each function takes the arrays of `workloads.data` and gives what the tape gives: losses, gradients.
"""

from __future__ import annotations

from typing import Any

import numpy as np

RATE = np.float32(1e-3)
Data = dict[str, Any]


def scalar_chain(d: Data) -> list[Any]:
    """W1 and W8: y <- sin(y x + x), n / 3 times."""
    x, rounds = d["x"], d["n"] // 3
    y, kept = x, []
    for _ in range(rounds):
        before = y
        inner = y * x + x
        kept.append((before, inner))
        y = np.sin(inner)
    g, dx = np.float32(1), np.float32(0)
    for before, inner in reversed(kept):
        g = g * np.cos(inner)
        dx = dx + g + g * before
        g = g * x
    return [dx + g]


def tiny_model(d: Data) -> list[Any]:
    """W2: the mean square of x w + b."""
    x, w, b = d["x"], d["w"], d["b"]
    y = x @ w + b
    g = y * np.float32(2 / y.size)
    return [np.add.reduce(y * y, None) * np.float32(1 / y.size), x.T @ g, np.add.reduce(g, 0)]


def cross_entropy(z: Any, labels: Any) -> tuple[Any, Any]:
    """The mean loss of logits, and its gradient."""
    rows = np.arange(len(z))
    e = z - z.max(1, keepdims=True)
    chosen = e[rows, labels]
    np.exp(e, out=e)
    total = e.sum(1, keepdims=True)
    loss = np.mean(np.log(total[:, 0]) - chosen)
    e /= total
    e[rows, labels] -= 1
    e /= np.float32(len(z))
    return loss, e


def mlp(d: Data) -> list[Any]:
    """W3: a step of gradient descent of a network with two hidden layers."""
    x, params = d["x"], d["params"]
    w1, b1, w2, b2, w3, b3 = params
    h1 = x @ w1
    h1 += b1
    np.maximum(h1, 0, out=h1)
    h2 = h1 @ w2
    h2 += b2
    np.maximum(h2, 0, out=h2)
    loss, g3 = cross_entropy(h2 @ w3 + b3, d["labels"])
    g2 = g3 @ w3.T
    g2 *= h2 > 0
    g1 = g2 @ w2.T
    g1 *= h1 > 0
    grads = [x.T @ g1, g1.sum(0), h1.T @ g2, g2.sum(0), h2.T @ g3, g3.sum(0)]
    for p, g in zip(params, grads, strict=True):
        p -= RATE * g
    return [loss, *grads]


def elementwise(d: Data) -> list[Any]:
    """W4: the sum of sin(x) exp(-x x) + tanh(x)."""
    x = d["x"]
    s, t, bell = np.sin(x), np.tanh(x), np.exp(-(x * x))
    y = (s * bell).sum() + t.sum()
    return [y, np.cos(x) * bell - 2 * x * s * bell + (1 - t * t)]


def jacobian(d: Data) -> list[Any]:
    """W5: of tanh(b tanh(a x))."""
    x, a, b = d["x"], d["a"], d["b"]
    h = np.tanh(a @ x)
    y = np.tanh(b @ h)
    return [((1 - y * y)[:, None] * b * (1 - h * h)) @ a]


def batch_jacobian(d: Data) -> list[Any]:
    """W6: of tanh(tanh(x a) b), example by example."""
    x, a, b = d["x"], d["a"], d["b"]
    h = np.tanh(x @ a)
    y = np.tanh(h @ b)
    j = (1 - h * h)[:, None, :] * b.T
    j = (j.reshape(-1, a.shape[1]) @ a.T).reshape(len(x), b.shape[1], a.shape[0])
    j *= (1 - y * y)[:, :, None]
    return [j]


def hessian(d: Data) -> list[Any]:
    """W7: of the mean square of tanh(x a) b with respect to a."""
    x, a, b = d["x"], d["a"], d["b"]
    n, k = a.shape
    scale = np.float32(2 / (len(x) * b.shape[1]))
    h = np.tanh(x @ a)
    s = 1 - h * h
    q = h @ b @ b.T * scale
    m = s[:, :, None] * s[:, None, :] * (b @ b.T * scale)
    i = np.arange(k)
    m[:, i, i] -= 2 * h * s * q
    pairs = (x[:, :, None] * x[:, None, :]).reshape(len(x), n * n)
    whole = (pairs.T @ m.reshape(len(x), k * k)).reshape(n, n, k, k)
    return [whole.transpose(0, 2, 1, 3).copy()]


def windows(x: Any) -> Any:
    """The 3 x 3 neighbourhood of each pixel as a row, zeros outside."""
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    views = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (1, 2))
    return views.transpose(0, 1, 2, 4, 5, 3).reshape(-1, 9 * x.shape[3])


def conv_net(d: Data) -> list[Any]:
    """W10: a step of gradient descent of two convolutions, a pooling and a dense layer."""
    x, params = d["x"], d["params"]
    k1, c1, k2, c2, w, b = params
    n, size = x.shape[0], x.shape[1]
    col1 = windows(x)
    h1 = np.maximum(col1 @ k1.reshape(9, -1) + c1, 0)
    col2 = windows(h1.reshape(n, size, size, -1))
    h2 = np.maximum(col2 @ k2.reshape(col2.shape[1], -1) + c2, 0)
    cells = h2.reshape(n, size // 2, 2, size // 2, 2, -1)
    pooled = cells.max((2, 4))
    flat = pooled.reshape(n, -1)
    loss, g = cross_entropy(flat @ w + b, d["labels"])
    back = (g @ w.T).reshape(pooled.shape) * (pooled > 0)
    chosen = cells == pooled[:, :, None, :, None]
    g2 = (chosen * back[:, :, None, :, None]).reshape(h2.shape)
    flipped = k2[::-1, ::-1].transpose(0, 1, 3, 2).reshape(-1, k2.shape[2])
    g1 = (windows(g2.reshape(n, size, size, -1)) @ flipped) * (h1 > 0)
    grads = [
        (col1.T @ g1).reshape(k1.shape),
        g1.sum(0),
        (col2.T @ g2).reshape(k2.shape),
        g2.sum(0),
        flat.T @ g,
        g.sum(0),
    ]
    for p, each in zip(params, grads, strict=True):
        p -= RATE * each
    return [loss, *grads]
