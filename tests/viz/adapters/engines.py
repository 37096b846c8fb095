"""Engines as learners write them: scalars with closures, arrays with closures; each can have a bug.

A bug is one of the names in the comments; every other line is right.
"""

from __future__ import annotations

import numpy as np


class Value:
    """A number that remembers how it was made."""

    bug = ""

    def __init__(self, data, _prev=(), _op=""):
        self.data, self.grad, self._prev, self._op = data, 0.0, _prev, _op
        self._backward = lambda: None

    def _made(self, data, inputs, op, rules):
        out = type(self)(data, inputs, op)

        def backward():
            for x, rule in zip(inputs, rules, strict=True):
                share = rule(out.grad)
                if self.bug == "= for +=":
                    x.grad = share
                else:
                    x.grad = x.grad + share

        out._backward = backward
        return out

    def __add__(self, other):
        return self._made(self.data + other.data, (self, other), "+", (lambda g: g, lambda g: g))

    def __sub__(self, other):
        second = (lambda g: g) if self.bug == "sign" else (lambda g: -g)
        return self._made(self.data - other.data, (self, other), "-", (lambda g: g, second))

    def __mul__(self, other):
        rules = {
            "": (lambda g: g * other.data, lambda g: g * self.data),
            "forgotten factor": (lambda g: g, lambda g: g * self.data),
            "forgotten cotangent": (lambda g: other.data, lambda g: g * self.data),
            "swapped factors": (lambda g: g * self.data, lambda g: g * other.data),
        }
        return self._made(
            self.data * other.data, (self, other), "*", rules.get(self.bug, rules[""])
        )

    def tanh(self):
        out = np.tanh(self.data)
        slope = 1 - out if self.bug == "wrong local derivative" else 1 - out**2
        return self._made(out, (self,), "tanh", (lambda g: g * slope,))

    def order(self):
        found = []

        def visit(v):
            if v not in found:
                for each in v._prev:
                    visit(each)
                found.append(v)

        visit(self)
        return found[::-1]

    def breadth_first(self):
        found, waiting = [], [self]
        while waiting:
            each = waiting.pop(0)
            if each not in found:
                found.append(each)
                waiting += each._prev
        return found

    def recursive(self):
        self._backward()
        for each in self._prev:
            each.recursive()

    def backward(self):
        self.grad = np.ones_like(self.data)
        if self.bug == "visited twice":
            return self.recursive()
        wrong = self.bug == "wrong order"
        for each in self.breadth_first() if wrong else self.order():
            each._backward()


class Matrix(Value):
    """An array that remembers how it was made."""

    def __init__(self, data, _prev=(), _op=""):
        super().__init__(np.asarray(data, float), _prev, _op)

    def __add__(self, other):
        def fit(g, x):
            lost = g.ndim - x.data.ndim
            return g if self.bug == "forgotten sum" else g.sum(axis=tuple(range(lost)))

        rules = (lambda g: fit(g, self), lambda g: fit(g, other))
        return self._made(self.data + other.data, (self, other), "+", rules)

    def __matmul__(self, other):
        right = other.data if self.bug == "missing transpose" else other.data.T
        rules = (lambda g: g @ right, lambda g: self.data.T @ g)
        return self._made(self.data @ other.data, (self, other), "@", rules)

    def sum(self):
        return self._made(self.data.sum(), (self,), "sum", (lambda g: g * np.ones_like(self.data),))


def numbers(bug):
    """y = (tanh(a·b) − c) · a·b, with the product used twice: target and sources."""

    class Bugged(Value):
        pass

    Bugged.bug = bug
    a, b, c = Bugged(0.5), Bugged(-1.5), Bugged(2.0)
    product = a * b
    y = (product.tanh() - c) * product
    return y, [a, b, c]


def matrices(bug):
    """The sum of x @ w + b: target and sources."""

    class Bugged(Matrix):
        pass

    Bugged.bug = bug
    x, w, b = (
        Bugged([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]),
        Bugged([[1.0, 2.0], [-3.0, 5.0]]),
        Bugged([1.0, 2.0]),
    )
    return (x @ w + b).sum(), [x, w, b]
