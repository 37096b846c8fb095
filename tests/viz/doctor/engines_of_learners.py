# ruff: noqa: E501  # a mistake and what it replaces stand in one row
"""Right engines in the styles that courses use, and mistakes to plant in them.

A mistake is a text that is replaced in the source of a right engine, with the kind that it is and
a word of the op whose rule it is in ("" where it is in none).
"""

from __future__ import annotations

CLOSURES = """
import math


class Value:
    def __init__(self, data, children=(), op=""):
        self.data = data
        self.grad = 0.0
        self._backward = lambda: None
        self._prev = set(children)

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other))

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other))

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def __pow__(self, k):
        out = Value(self.data**k, (self,))

        def _backward():
            self.grad += k * self.data ** (k - 1) * out.grad

        out._backward = _backward
        return out

    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,))

        def _backward():
            self.grad += (1 - t**2) * out.grad

        out._backward = _backward
        return out

    def exp(self):
        out = Value(math.exp(self.data), (self,))

        def _backward():
            self.grad += out.data * out.grad

        out._backward = _backward
        return out

    def relu(self):
        out = Value(self.data if self.data > 0 else 0.0, (self,))

        def _backward():
            self.grad += (self.data > 0) * out.grad

        out._backward = _backward
        return out

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + (-other)

    def __truediv__(self, other):
        return self * other**-1

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def backward(self):
        order, seen = [], set()

        def build(v):
            if v not in seen:
                seen.add(v)
                for child in v._prev:
                    build(child)
                order.append(v)

        build(self)
        self.grad = 1.0
        for v in reversed(order):
            v._backward()
"""

FUNCTIONS = """
import numpy as np


class Function:
    def __init__(self, *inputs):
        self.inputs = inputs

    @classmethod
    def apply(cls, *inputs):
        inputs = [x if isinstance(x, Tensor) else Tensor(x) for x in inputs]
        function = cls(*inputs)
        out = Tensor(function.forward(*(x.data for x in inputs)), requires_grad=True)
        out.creator = function
        return out


def summed_to(g, shape):
    while g.ndim > len(shape):
        g = g.sum(axis=0)
    for axis, size in enumerate(shape):
        if size == 1:
            g = g.sum(axis=axis, keepdims=True)
    return g


class Add(Function):
    def forward(self, a, b):
        self.shapes = a.shape, b.shape
        return a + b

    def backward(self, g):
        return summed_to(g, self.shapes[0]), summed_to(g, self.shapes[1])


class Mul(Function):
    def forward(self, a, b):
        self.saved = a, b
        return a * b

    def backward(self, g):
        a, b = self.saved
        return summed_to(g * b, a.shape), summed_to(g * a, b.shape)


class MatMul(Function):
    def forward(self, a, b):
        self.saved = a, b
        return a @ b

    def backward(self, g):
        a, b = self.saved
        return g @ b.T, a.T @ g


class Sigmoid(Function):
    def forward(self, a):
        self.out = 1.0 / (1.0 + np.exp(-a))
        return self.out

    def backward(self, g):
        return (g * self.out * (1.0 - self.out),)


class Sum(Function):
    def forward(self, a):
        self.shape = a.shape
        return a.sum()

    def backward(self, g):
        return (g * np.ones(self.shape),)


class Tensor:
    def __init__(self, data, requires_grad=False):
        self.data = np.asarray(data, dtype=np.float64)
        self.grad = None
        self.creator = None
        self.requires_grad = requires_grad

    def __add__(self, other):
        return Add.apply(self, other)

    def __mul__(self, other):
        return Mul.apply(self, other)

    def __matmul__(self, other):
        return MatMul.apply(self, other)

    def sigmoid(self):
        return Sigmoid.apply(self)

    def sum(self):
        return Sum.apply(self)

    def backward(self):
        order, seen = [], set()

        def visit(t):
            if id(t) in seen or t.creator is None:
                return
            seen.add(id(t))
            for x in t.creator.inputs:
                visit(x)
            order.append(t)

        visit(self)
        self.grad = np.ones_like(self.data)
        for t in reversed(order):
            for x, share in zip(t.creator.inputs, t.creator.backward(t.grad)):
                x.grad = share if x.grad is None else x.grad + share
"""

TAPE = """
import numpy as np

active = []


class Node:
    def __init__(self, array):
        self.array = np.asarray(array, dtype=float)

    def __add__(self, other):
        other = node(other)
        a, b = self.array.shape, other.array.shape
        pulls = [(self, lambda g: summed_to(g, a)), (other, lambda g: summed_to(g, b))]
        return note(Node(self.array + other.array), pulls)

    def __mul__(self, other):
        other = node(other)
        a, b = self.array, other.array
        to_self = lambda g: summed_to(g * b, a.shape)
        to_other = lambda g: summed_to(g * a, b.shape)
        return note(Node(a * b), [(self, to_self), (other, to_other)])

    def sin(self):
        a = self.array
        return note(Node(np.sin(a)), [(self, lambda g: g * np.cos(a))])


def summed_to(g, shape):
    while g.ndim > len(shape):
        g = g.sum(axis=0)
    for axis, size in enumerate(shape):
        if size == 1:
            g = g.sum(axis=axis, keepdims=True)
    return g


def node(x):
    return x if isinstance(x, Node) else Node(x)


def note(out, pulls):
    for tape in active:
        tape.records.append((out, pulls))
    return out


class Tape:
    def __init__(self):
        self.records = []

    def __enter__(self):
        active.append(self)
        return self

    def __exit__(self, *error):
        active.remove(self)

    def gradient(self, target, source):
        grads = {id(target): np.ones_like(target.array)}
        for out, pulls in reversed(self.records):
            g = grads.get(id(out))
            if g is None:
                continue
            for x, pull in pulls:
                share = pull(g)
                grads[id(x)] = grads[id(x)] + share if id(x) in grads else share
        return grads.get(id(source))
"""

LAYERS = """
import numpy as np


class Linear:
    def __init__(self, n_in, n_out):
        self.W = np.random.randn(n_in, n_out)
        self.b = np.zeros(n_out)

    def forward(self, x):
        self.x = x
        return x @ self.W + self.b

    def backward(self, dout):
        self.dW = self.x.T @ dout
        self.db = dout.sum(axis=0)
        return dout @ self.W.T


class ReLU:
    def forward(self, x):
        self.mask = x > 0
        return x * self.mask

    def backward(self, dout):
        return dout * self.mask


class Tanh:
    def forward(self, x):
        self.out = np.tanh(x)
        return self.out

    def backward(self, dout):
        return dout * (1 - self.out**2)


class MeanSquaredError:
    def forward(self, predictions, targets):
        self.difference = predictions - targets
        return np.mean(self.difference**2)

    def backward(self):
        return 2 * self.difference / self.difference.size
"""

PAIRS = """
import numpy as np


def affine_forward(x, w, b):
    out = x.reshape(len(x), -1) @ w + b
    return out, (x, w, b)


def affine_backward(dout, cache):
    x, w, b = cache
    dx = (dout @ w.T).reshape(x.shape)
    dw = x.reshape(len(x), -1).T @ dout
    db = dout.sum(axis=0)
    return dx, dw, db


def layernorm_forward(x, gamma, beta, ln_param):
    mean = x.mean(axis=1, keepdims=True)
    spread = np.sqrt(x.var(axis=1, keepdims=True) + 1e-5)
    h = (x - mean) / spread
    return gamma * h + beta, (h, gamma, spread)


def layernorm_backward(dout, cache):
    h, gamma, spread = cache
    dgamma = (dout * h).sum(axis=0)
    dbeta = dout.sum(axis=0)
    g = dout * gamma
    dx = g - g.mean(axis=1, keepdims=True) - h * (g * h).mean(axis=1, keepdims=True)
    dx = dx / spread
    return dx, dgamma, dbeta


def softmax_loss(x, y):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    p = e / e.sum(axis=1, keepdims=True)
    n = len(x)
    loss = -np.log(p[np.arange(n), y]).mean()
    dx = p.copy()
    dx[np.arange(n), y] -= 1
    dx /= n
    return loss, dx
"""

RIGHT = {
    "closures": CLOSURES, "functions": FUNCTIONS, "tape": TAPE, "layers": LAYERS, "pairs": PAIRS,
}  # fmt: skip

WRONG: list[tuple[str, str, str, str, str]] = [
    ("closures", "self.grad += other.data * out.grad", "self.grad += self.data * out.grad", "swapped", "x * y"),
    ("closures", "self.grad += other.data * out.grad", "self.grad += other.data", "forgotten cotangent", "x * y"),
    ("closures", "self.grad += other.data * out.grad", "self.grad += out.grad", "forgotten factor", "x * y"),
    ("closures", "other.grad += self.data * out.grad", "pass", "passes nothing", "x * y"),
    ("closures", "self.grad += other.data * out.grad", "self.grad -= other.data * out.grad", "sign", "x * y"),
    ("closures", "self.grad += out.grad\n            other.grad += out.grad",
     "self.grad = out.grad\n            other.grad = out.grad", "overwritten", ""),
    ("closures", "k * self.data ** (k - 1)", "self.data ** (k - 1)", "wrong factor", "**"),
    ("closures", "(1 - t**2)", "(1 - t)", "wrong slope", "tanh"),
    ("closures", "self.grad += out.data * out.grad", "self.grad += self.data * out.grad", "value for slope", "exp"),
    ("closures", "(self.data > 0) * out.grad", "out.grad", "forgotten factor", "relu"),
    ("closures", "return self + (-other)", "return self + other", "value", "x - y"),
    ("closures", "self.grad = 1.0", "self.grad = 2.0", "seed", ""),
    ("closures", "self.grad = 1.0", "pass", "no gradient", ""),
    ("closures", "if v not in seen:", "if True:", "order", ""),
    ("closures", "for v in reversed(order):", "for v in order:", "order", ""),
    ("functions", "summed_to(g * b, a.shape)", "g * b", "shape", "x * y"),
    ("functions", "g = g.sum(axis=axis, keepdims=True)", "pass", "shape", "x + y"),
    ("functions", "g = g.sum(axis=0)", "g = g.mean(axis=0)", "wrong factor", "x + y"),
    ("functions", "return g @ b.T, a.T @ g", "return g @ b, a.T @ g", "transpose", "x @ y"),
    ("functions", "return g @ b.T, a.T @ g", "return g @ b.T, g.T @ a", "transpose", "x @ y"),
    ("functions", "(g * self.out * (1.0 - self.out),)", "(g * self.out,)", "value for slope", "sigmoid"),
    ("functions", "(g * np.ones(self.shape),)", "(g * np.ones(self.shape) / 12,)", "wrong factor", "x.sum()"),
    ("functions", "x.grad = share if x.grad is None else x.grad + share", "x.grad = share", "overwritten", ""),
    ("functions", "self.saved = a, b\n        return a * b", "self.saved = a, b\n        a *= b\n        return a",
     "in place", "x * y"),
    ("tape", "summed_to(g * b, a.shape)", "summed_to(g * a, a.shape)", "swapped", "x * y"),
    ("tape", "summed_to(g * a, b.shape)", "g * a", "shape", "x * y"),
    ("tape", "summed_to(g * b, a.shape)", "summed_to(-g * b, a.shape)", "sign", "x * y"),
    ("layers", "self.dW = self.x.T @ dout", "self.dW = getattr(self, 'dW', 0) + self.x.T @ dout", "second call", "Linear"),
    ("tape", "lambda g: g * np.cos(a)", "lambda g: -g * np.cos(a)", "sign", "sin"),
    ("tape", "lambda g: g * np.cos(a)", "lambda g: np.cos(a)", "forgotten cotangent", "sin"),
    ("tape", "grads[id(x)] + share if id(x) in grads else share", "share", "overwritten", ""),
    ("tape", "for out, pulls in reversed(self.records)", "for out, pulls in self.records", "order", ""),
    ("layers", "self.dW = self.x.T @ dout", "self.dW = self.x.T @ dout / len(dout)", "wrong factor", "Linear"),
    ("layers", "self.db = dout.sum(axis=0)", "self.db = dout", "shape", "Linear"),
    ("layers", "return dout @ self.W.T", "return dout @ self.W", "error", "Linear"),
    ("layers", "return dout * self.mask", "return dout", "forgotten factor", "ReLU"),
    ("layers", "return dout * (1 - self.out**2)", "return 1 - self.out**2", "forgotten cotangent", "Tanh"),
    ("layers", "self.mask = x > 0\n        return x * self.mask", "self.mask = x > 0\n        x *= self.mask\n        return x",
     "in place", "ReLU"),
    ("layers", "2 * self.difference / self.difference.size", "2 * self.difference", "wrong factor", "MeanSquaredError"),
    ("layers", "2 * self.difference / self.difference.size", "-2 * self.difference / self.difference.size", "sign",
     "MeanSquaredError"),
    ("pairs", "db = dout.sum(axis=0)\n    return dx, dw", "db = dout.mean(axis=0)\n    return dx, dw", "wrong factor", "affine"),
    ("pairs", "dw = x.reshape(len(x), -1).T @ dout", "dw = dout.T @ x.reshape(len(x), -1)", "transpose", "affine"),
    ("pairs", "- h * (g * h).mean(axis=1, keepdims=True)", "", "wrong", "layernorm"),
    ("pairs", "dgamma = (dout * h).sum(axis=0)", "dgamma = (dout).sum(axis=0)", "swapped", "layernorm"),
    ("pairs", "    dx /= n\n", "", "wrong factor", "softmax_loss"),
    ("pairs", "dx[np.arange(n), y] -= 1", "pass", "wrong", "softmax_loss"),
]  # fmt: skip
