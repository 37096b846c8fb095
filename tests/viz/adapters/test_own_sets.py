"""An engine whose values keep their inputs in a set, like micrograd: powers, constants, reuse."""

from __future__ import annotations

import numpy as np
import pytest

from minitape.viz.adapters import own


class Value:
    """Inputs in a set: their order, and the second of two equal ones, are lost."""

    def __init__(self, data, children=(), op=""):
        self.data, self.grad, self._prev, self._op = data, 0, set(children), op
        self._backward = lambda: None

    def _made(self, data, inputs, op, slopes):
        out = Value(data, inputs, op)

        def _backward():
            for x, slope in zip(inputs, slopes, strict=True):
                x.grad += slope * out.grad

        out._backward = _backward
        return out

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return self._made(self.data + other.data, (self, other), "+", (1, 1))

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return self._made(self.data * other.data, (self, other), "*", (other.data, self.data))

    def __truediv__(self, other):
        slopes = (1 / other.data, -self.data / other.data**2)
        return self._made(self.data / other.data, (self, other), "/", slopes)

    def __pow__(self, n):
        return self._made(self.data**n, (self,), f"**{n}", (n * self.data ** (n - 1),))

    def relu(self):
        return self._made(max(self.data, 0), (self,), "ReLU", (float(self.data > 0),))

    def backward(self):
        order, seen = [], set()

        def visit(v):
            if v not in seen:
                seen.add(v)
                for child in v._prev:
                    visit(child)
                order.append(v)

        visit(self)
        self.grad = 1
        for v in reversed(order):
            v._backward()


def f(a, b):
    c = a * b + b**3
    d = c / a + (b * b) * 2.0 + (c + a).relu()
    return d * d


@pytest.mark.slow
def test_a_right_engine_agrees_in_values_and_gradients():
    a, b = Value(-4.0), Value(2.0)
    trace = own.step(f(a, b), [a, b]).trace
    assert trace.notes == ("Every contribution and every gradient is minitape's.",)
    assert trace.breaks == ()
    found = [trace.gradients[s].data[0] for s in trace.sources]
    at, h = np.array([-4.0, 2.0]), 1e-5
    ends = [(f(*map(Value, at + h * e)).data, f(*map(Value, at - h * e)).data) for e in np.eye(2)]
    np.testing.assert_allclose(found, [(up - down) / (2 * h) for up, down in ends], rtol=1e-5)


@pytest.mark.slow
def test_a_second_sweep_without_a_reset_is_marked():
    a, b = Value(-4.0), Value(2.0)
    y = f(a, b)
    y.backward()
    assert "was not reset to zero" in own.step(y, [a, b]).trace.breaks[0].cause
