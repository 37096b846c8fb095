"""Engines in other styles than the suite's: micrograd's closures over sets, a class per op."""

from __future__ import annotations

import numpy as np
import pytest

from minitape.viz.adapters import own


class Value:
    """As micrograd writes it: a set of inputs, closures, powers by numbers."""

    bug = ""

    def __init__(self, data, _children=(), _op=""):
        self.data, self.grad, self._prev, self._op = data, 0.0, set(_children), _op
        self._backward = lambda: None

    def _made(self, data, inputs, op, backward):
        out = type(self)(data, inputs, op)
        out._backward = lambda: backward(out)
        return out

    def __add__(self, other):
        def backward(out):
            self.grad += out.grad
            other.grad += out.grad

        return self._made(self.data + other.data, (self, other), "+", backward)

    def __mul__(self, other):
        def backward(out):
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        return self._made(self.data * other.data, (self, other), "*", backward)

    def __pow__(self, n):
        exponent = n if self.bug == "exponent" else n - 1

        def backward(out):
            self.grad += n * self.data**exponent * out.grad

        return self._made(self.data**n, (self,), f"**{n}", backward)

    def relu(self):
        def backward(out):
            self.grad += out.grad if self.bug == "gate" else (out.data > 0) * out.grad

        return self._made(max(0.0, self.data), (self,), "ReLU", backward)

    def backward(self):
        order, seen = [], set()

        def visit(value):
            if value not in seen:
                seen.add(value)
                for each in value._prev:
                    visit(each)
                order.append(value)

        visit(self)
        self.grad = 0.0 if self.bug == "no seed" else 1.0
        for value in reversed(order):
            value._backward()


class Tensor:
    """An array whose op is an object of a class of its own."""

    def __init__(self, data, made=None):
        self.data, self.made = np.asarray(data, float), made
        self.grad = np.zeros_like(self.data)

    @property
    def _prev(self):
        return self.made.inputs if self.made else ()

    @property
    def _op(self):
        return type(self.made).__name__ if self.made else ""

    def _backward(self):
        if self.made:
            self.made.backward(self.grad)

    def backward(self):
        order = []

        def visit(tensor):
            if not any(tensor is each for each in order):
                for each in tensor._prev:
                    visit(each)
                order.append(tensor)

        visit(self)
        self.grad = np.ones_like(self.data)
        for tensor in reversed(order):
            tensor._backward()


class Op:
    bug = ""

    def __init__(self, *inputs):
        self.inputs = inputs


class MatMul(Op):
    def out(self):
        return Tensor(self.inputs[0].data @ self.inputs[1].data, self)

    def backward(self, g):
        x, w = self.inputs
        x.grad += g @ w.data.T
        w.grad += x.data.T @ g


class Softmax(Op):
    def out(self):
        e = np.exp(self.inputs[0].data)
        self.result = e / e.sum(-1, keepdims=True)
        return Tensor(self.result, self)

    def backward(self, g):
        s = self.result
        diagonal = Op.bug == "diagonal"
        mixed = g * s if diagonal else (g * s).sum(-1, keepdims=True)
        self.inputs[0].grad += s * (g - mixed)


class Multiply(Op):
    def out(self):
        return Tensor(self.inputs[0].data * self.inputs[1].data, self)

    def backward(self, g):
        x, row = self.inputs
        x.grad += g * row.data
        row.grad += (g * x.data).mean(0) if Op.bug == "mean" else (g * x.data).sum(0)


class Sum(Op):
    def out(self):
        return Tensor(self.inputs[0].data.sum(), self)

    def backward(self, g):
        self.inputs[0].grad += g * np.ones_like(self.inputs[0].data)


def scalars(bug):
    class Bugged(Value):
        pass

    Bugged.bug = bug
    a, b = Bugged(-2.0), Bugged(3.0)
    return ((a * b).relu() + b**3 * a) ** 2, [a, b]


def arrays(bug):
    Op.bug = bug
    x, w = Tensor([[1.0, 2.0], [0.5, -1.0]]), Tensor([[1.0, 0.0, 2.0], [-1.0, 1.0, 0.5]])
    row = Tensor([1.0, 2.0, 3.0])
    return Sum(Multiply(Softmax(MatMul(x, w).out()).out(), row).out()).out(), [x, w, row]


@pytest.mark.slow
@pytest.mark.parametrize("program", [scalars, arrays])
def test_a_right_engine_agrees_with_minitape(program):
    assert own.step(*program("")).trace.notes == (
        "Every contribution and every gradient is minitape's.",
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "bug", "op", "words"),
    [
        (scalars, "exponent", "**2", "wrong local derivative"),
        (scalars, "gate", "ReLU", "factor of the op's own derivative is forgotten"),
        (scalars, "no seed", "**2", "has to start with 1"),
        (arrays, "diagonal", "Softmax", "for the result of `MatMul` has a wrong local derivative"),
        (arrays, "mean", "Multiply", "passes 0.5 times what is right, in all elements"),
    ],
)
def test_an_error_is_marked_where_it_is_and_said(program, bug, op, words):
    trace = own.step(*program(bug)).trace
    (mark,) = trace.breaks
    assert trace.nodes[mark.node].op == op
    assert words in mark.cause
