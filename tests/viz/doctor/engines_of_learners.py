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

OBJECTS = """
import numpy as np


class Number:
    def __init__(self, data):
        self.data = np.asarray(data, float)
        self.grad = None
        self.maker = None

    def __add__(self, other):
        return Plus()(self, other)

    def __mul__(self, other):
        return Times()(self, other)

    def sum(self):
        return Total()(self)

    def backward(self):
        self.grad = np.ones_like(self.data)
        waiting, seen = [self.maker], {self.maker}
        while waiting:
            waiting.sort(key=lambda op: op.depth)
            op = waiting.pop()
            gradients = op.backward(op.out.grad)
            for x, g in zip(op.inputs, gradients if isinstance(gradients, tuple) else (gradients,)):
                x.grad = g if x.grad is None else x.grad + g
                if x.maker is not None and x.maker not in seen:
                    seen.add(x.maker)
                    waiting.append(x.maker)


def number(x):
    return x if isinstance(x, Number) else Number(x)


class Op:
    def __call__(self, *inputs):
        self.inputs = [number(x) for x in inputs]
        self.depth = max(0 if x.maker is None else x.maker.depth for x in self.inputs) + 1
        self.out = Number(self.forward(*(x.data for x in self.inputs)))
        self.out.maker = self
        return self.out


def folded(g, shape):
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    return g.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True)


class Plus(Op):
    def forward(self, a, b):
        return a + b

    def backward(self, g):
        a, b = self.inputs
        return folded(g, a.data.shape), folded(g, b.data.shape)


class Times(Op):
    def forward(self, a, b):
        return a * b

    def backward(self, g):
        a, b = self.inputs
        return folded(g * b.data, a.data.shape), folded(g * a.data, b.data.shape)


class Total(Op):
    def forward(self, a):
        return a.sum()

    def backward(self, g):
        return g * np.ones_like(self.inputs[0].data)


class Sine(Op):
    def forward(self, a):
        return np.sin(a)

    def backward(self, g):
        return g * np.cos(self.inputs[0].data)


class Affine(Op):
    def forward(self, x, w, b):
        return x @ w + b

    def backward(self, g):
        x, w, b = self.inputs
        return g @ w.data.T, x.data.T @ g, folded(g, b.data.shape)


def affine(x, w, b):
    return Affine()(x, w, b)


class CrossEntropy(Op):
    def forward(self, x, t):
        e = np.exp(x - x.max(axis=1, keepdims=True))
        self.p = e / e.sum(axis=1, keepdims=True)
        return -np.log(self.p[np.arange(len(x)), t.astype(int)]).mean()

    def backward(self, g):
        x, t = self.inputs
        hot = np.eye(x.data.shape[1])[t.data.astype(int)]
        return g * (self.p - hot) / len(x.data), None
"""

PRIMITIVES = """
import numpy as np

rules = {}


class Box:
    __array_ufunc__ = None  # so that `array + box` asks the box

    def __init__(self, value, parents=(), rule=None):
        self.value, self.parents, self.rule = value, parents, rule

    def __add__(self, other):
        return add(self, other)

    def __radd__(self, other):
        return add(other, self)

    def __mul__(self, other):
        return multiply(self, other)

    def __rmul__(self, other):
        return multiply(other, self)

    def __neg__(self):
        return negative(self)

    def __matmul__(self, other):
        return dot(self, other)

    def __rmatmul__(self, other):
        return dot(other, self)

    def __abs__(self):
        return absolute(self)


def primitive(function):
    def wrapped(*args):
        boxes = [(i, x) for i, x in enumerate(args) if isinstance(x, Box)]
        values = [x.value if isinstance(x, Box) else x for x in args]
        out = function(*values)
        return Box(out, boxes, (wrapped, out, values)) if boxes else out

    wrapped.__name__ = function.__name__
    return wrapped


add, multiply, negative = map(primitive, (np.add, np.multiply, np.negative))
dot, absolute, exp, tanh, where = map(primitive, (np.dot, np.abs, np.exp, np.tanh, np.where))


def fitted(g, x):
    while np.ndim(g) > np.ndim(x):
        g = g.sum(axis=0)
    for axis, size in enumerate(np.shape(x)):
        if size == 1:
            g = g.sum(axis=axis, keepdims=True)
    return g


rules[add] = (lambda g, out, x, y: fitted(g, x), lambda g, out, x, y: fitted(g, y))
rules[multiply] = (lambda g, out, x, y: fitted(g * y, x), lambda g, out, x, y: fitted(g * x, y))
rules[negative] = (lambda g, out, x: -g,)
rules[dot] = (lambda g, out, x, y: g @ y.T, lambda g, out, x, y: x.T @ g)
rules[exp] = (lambda g, out, x: g * out,)
rules[tanh] = (lambda g, out, x: g * (1 - out**2),)
rules[where] = (None, lambda g, out, c, x, y: g * c, lambda g, out, c, x, y: g * ~c)


def grad(function, position=0):
    def slope(*args):
        start = Box(args[position])
        end = function(*args[:position], start, *args[position + 1 :])
        order, seen = [], set()

        def visit(box):
            if id(box) not in seen:
                seen.add(id(box))
                for _, parent in box.parents:
                    visit(parent)
                order.append(box)

        visit(end)
        arrived = {id(end): np.ones_like(end.value)}
        for box in reversed(order):
            for i, parent in box.parents:
                op, out, values = box.rule
                g = rules[op][i](arrived[id(box)], out, *values)
                arrived[id(parent)] = arrived[id(parent)] + g if id(parent) in arrived else g
        return arrived[id(start)]

    return slope
"""

PATHS = """
import numpy as np


class Variable:
    def __init__(self, array, sources=()):
        self.array = np.asarray(array, float)
        self.sources = sources

    def __add__(self, other):
        return add(self, other)

    def __mul__(self, other):
        return mul(self, other)


def back(x, shape):
    def to_x(g):
        g = g.sum(axis=tuple(range(g.ndim - len(shape))))
        return g.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True)

    return to_x


def add(a, b):
    to_a, to_b = back(a, a.array.shape), back(b, b.array.shape)
    return Variable(a.array + b.array, [(a, lambda g: to_a(g)), (b, lambda g: to_b(g))])


def mul(a, b):
    to_a, to_b = back(a, a.array.shape), back(b, b.array.shape)
    slopes = [(a, lambda g: to_a(g * b.array)), (b, lambda g: to_b(g * a.array))]
    return Variable(a.array * b.array, slopes)


def square(a):
    return Variable(a.array**2, [(a, lambda g: g * 2 * a.array)])


def matmul(a, b):
    slopes = [(a, lambda g: g @ b.array.T), (b, lambda g: a.array.T @ g)]
    return Variable(a.array @ b.array, slopes)


def get_gradients(result):
    gradients = {}

    def walk(variable, g):
        for source, slope in variable.sources:
            along = slope(g)
            gradients[source] = gradients.get(source, 0) + along
            walk(source, along)

    walk(result, np.ones_like(result.array))
    return gradients
"""

PATCHED = """
import numpy as np


class Tensor:
    def __init__(self, data, requires_grad=False):
        self.data = np.array(data, float)
        self.grad = None
        self.requires_grad = requires_grad
        self.rule = None

    def __add__(self, other):
        return linked(self.data + other.data, (self, other), lambda g: (g, g))

    def __mul__(self, other):
        a, b = self, other
        return linked(a.data * b.data, (a, b), lambda g: (g * b.data, g * a.data))

    def mean(self):
        return Tensor(self.data.mean())

    def max(self):
        return Tensor(self.data.max())

    def sum(self):
        return linked(self.data.sum(), (self,), lambda g: (g * np.ones_like(self.data),))

    def backward(self, gradient=None):
        if not self.requires_grad:
            return
        if gradient is None:
            gradient = np.ones_like(self.data)
        gradient = np.asarray(gradient)
        while gradient.ndim > self.data.ndim:
            gradient = gradient.sum(axis=0)
        for axis, size in enumerate(self.data.shape):
            if size == 1:
                gradient = gradient.sum(axis=axis, keepdims=True)
        self.grad = gradient if self.grad is None else self.grad + gradient
        if self.rule is not None:
            inputs, rule = self.rule
            for x, g in zip(inputs, rule(gradient)):
                x.backward(g)


def linked(data, inputs, rule):
    out = Tensor(data, requires_grad=any(x.requires_grad for x in inputs))
    out.rule = inputs, rule
    return out


class Sigmoid:
    def forward(self, x):
        s = 1 / (1 + np.exp(-x.data))
        return linked(s, (x,), lambda g: (g * s * (1 - s),))

    def backward(self, g):
        pass


class Tanh:
    def forward(self, x):
        return Tensor(np.tanh(x.data))

    def backward(self, g):
        pass


class MeanSquaredError:
    def forward(self, predictions, targets):
        difference = predictions.data - targets.data
        rule = lambda g: (g * 2 * difference / difference.size,)
        return linked((difference**2).mean(), (predictions,), rule)

    def backward(self, g):
        pass
"""

RIGHT = {
    "closures": CLOSURES, "functions": FUNCTIONS, "tape": TAPE, "layers": LAYERS, "pairs": PAIRS,
    "objects": OBJECTS, "primitives": PRIMITIVES, "paths": PATHS, "patched": PATCHED,
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
    ("objects", "folded(g * b.data, a.data.shape)", "folded(g * a.data, a.data.shape)", "swapped", "x * y"),
    ("objects", "return g * np.cos(self.inputs[0].data)", "return np.cos(self.inputs[0].data)", "forgotten cotangent", "Sine"),
    ("objects", "x.data.T @ g, folded(g, b.data.shape)", "x.data.T @ g, g", "shape", "ffine"),
    ("objects", "hot) / len(x.data)", "hot)", "wrong factor", "CrossEntropy"),
    ("objects", "return g * np.ones_like(self.inputs[0].data)", "return 2 * g * np.ones_like(self.inputs[0].data)",
     "wrong factor", "x.sum()"),
    ("objects", "x.grad = g if x.grad is None else x.grad + g", "x.grad = g", "overwritten", ""),
    ("objects", "key=lambda op: op.depth", "key=lambda op: -op.depth", "order", ""),
    ("primitives", "lambda g, out, x: g * out,", "lambda g, out, x: out,", "forgotten cotangent", "exp"),
    ("primitives", "g @ y.T, lambda", "g @ y, lambda", "transpose", "x @ y"),
    ("primitives", "(1 - out**2)", "(1 - out)", "wrong slope", "tanh"),
    ("primitives", "g * ~c)", "g)", "forgotten factor", "where"),
    ("primitives", "g = g.sum(axis=axis, keepdims=True)", "g = g.mean(axis=axis, keepdims=True)", "wrong factor", "x + y"),
    ("primitives", "arrived[id(parent)] + g if id(parent) in arrived else g", "g", "overwritten", ""),
    ("paths", "g * 2 * a.array", "-g * 2 * a.array", "sign", "square"),
    ("paths", "a.array.T @ g", "a.array @ g", "transpose", "matmul"),
    ("paths", "gradients.get(source, 0) + along", "along", "overwritten", ""),
    ("paths", "walk(source, along)", "walk(source, gradients[source])", "order", ""),
    ("patched", "(g * s * (1 - s),)", "(g * (1 - s),)", "wrong slope", "Sigmoid"),
    ("patched", "difference / difference.size", "difference", "wrong factor", "MeanSquaredError"),
    ("patched", "gradient = gradient.sum(axis=0)", "gradient = gradient[0]", "wrong factor", "x + y"),
    ("patched", "rule(gradient)):", "rule(self.grad)):", "order", ""),
]  # fmt: skip
