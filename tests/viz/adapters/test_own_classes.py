"""`own.step` of engines whose rules are methods: right ones agree, planted errors are named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from minitape.viz.adapters import own

HISTORY = """
class Context:
    def save_for_backward(self, *values): self.saved = values
class Function:
    @classmethod
    def apply(cls, *values):
        values = [v if isinstance(v, Scalar) else Scalar(v) for v in values]
        ctx = Context()
        return Scalar(cls.forward(ctx, *[v.data for v in values]), History(cls, ctx, values))
class Mul(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b
    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved
        return g * b, g * a
class Exp(Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(np.exp(a))
        return np.exp(a)
    @staticmethod
    def backward(ctx, g): return g * ctx.saved[0]
class Add(Function):
    @staticmethod
    def forward(ctx, a, b): return a + b
    @staticmethod
    def backward(ctx, g): return g, g
class History:
    def __init__(self, last_fn, ctx, inputs):
        self.last_fn, self.ctx, self.inputs = last_fn, ctx, inputs
class Scalar:
    def __init__(self, data, history=None):
        self.data, self.history, self.derivative = data, history, None
    def __mul__(self, other): return Mul.apply(self, other)
    def __add__(self, other): return Add.apply(self, other)
    def exp(self): return Exp.apply(self)
    def backward(self):
        waiting, came = ordered(self), {id(self): 1.0}
        for each in waiting:
            g = came[id(each)]
            if each.history is None:
                each.derivative = g
                continue
            shares = each.history.last_fn.backward(each.history.ctx, g)
            shares = shares if isinstance(shares, tuple) else (shares,)
            for x, share in zip(each.history.inputs, shares):
                came[id(x)] = came.get(id(x), 0.0) + share
def parents(each): return each.history.inputs if each.history else []
x, w = Scalar(0.5), Scalar(2.0)
target = (x * w).exp() * x + w * 3.0
"""
CREATOR = """
class Op:
    def __call__(self, *inputs):
        self.inputs = inputs
        out = Variable(self.forward(*[x.data for x in inputs]))
        out.creator = self
        return out
class Multiply(Op):
    def forward(self, a, b): return a * b
    def backward(self, g): return g * self.inputs[1].data, g * self.inputs[0].data
class Tanh(Op):
    def forward(self, a): return np.tanh(a)
    def backward(self, g): return g * (1 - np.tanh(self.inputs[0].data) ** 2)
class Sum(Op):
    def forward(self, a): return a.sum()
    def backward(self, g): return g * np.ones_like(self.inputs[0].data)
class Variable:
    def __init__(self, data): self.data, self.grad, self.creator = data, None, None
    def __mul__(self, other): return Multiply()(self, other)
    def backward(self):
        self.grad = np.ones_like(self.data)
        for each in ordered(self):
            if each.creator is None: continue
            shares = each.creator.backward(each.grad)
            shares = shares if isinstance(shares, tuple) else (shares,)
            for x, share in zip(each.creator.inputs, shares):
                x.grad = share if x.grad is None else x.grad + share
def parents(each): return each.creator.inputs if each.creator else ()
x, w = Variable(np.array([0.5, -1.0])), Variable(np.array([2.0, 0.25]))
target = Sum()(Tanh()(x * w) * x)
"""
NODES = """
class EWiseMul:
    def compute(self, a, b): return a * b
    def gradient(self, out_grad, node):
        a, b = node.inputs
        return out_grad * b, out_grad * a
class Negative:
    def compute(self, a): return -a
    def gradient(self, out_grad, node): return Negative().of(out_grad)
    def of(self, a): return Tensor(-a.cached, self, [a])
class Tensor:
    def __init__(self, cached, op=None, inputs=()):
        self.cached, self.op, self.inputs = cached, op, inputs
    def numpy(self): return self.cached
    def __mul__(self, other):
        op = EWiseMul()
        return Tensor(op.compute(self.cached, other.cached), op, [self, other])
    def __neg__(self): return Negative().of(self)
    def __add__(self, other): return Tensor(self.cached + other.cached)
    def backward(self):
        came = {id(self): Tensor(1.0)}
        for each in ordered(self):
            each.grad = came[id(each)]
            if each.op is None: continue
            shares = each.op.gradient(each.grad, each)
            shares = shares if isinstance(shares, tuple) else (shares,)
            for x, share in zip(each.inputs, shares):
                came[id(x)] = came[id(x)] + share if id(x) in came else share
def parents(each): return each.inputs
x, w = Tensor(0.5), Tensor(2.0)
target = -(x * w) * x
"""
GRAD_FN = """
class MulBackward:
    def __init__(self, *tensors): self.saved_tensors = tensors
    def apply(self, grad_output):
        a, b = self.saved_tensors
        return grad_output * b.data, grad_output * a.data
class SumBackward:
    def __init__(self, *tensors): self.saved_tensors = tensors
    def apply(self, grad_output): return (np.ones_like(self.saved_tensors[0].data) * grad_output,)
class Tensor:
    def __init__(self, data, grad_fn=None):
        self.data, self._grad_fn, self.grad = np.asarray(data), grad_fn, None
    def __mul__(self, other): return Tensor(self.data * other.data, MulBackward(self, other))
    def sum(self): return Tensor(self.data.sum(), SumBackward(self))
    def backward(self, gradient=None):
        gradient = np.ones_like(self.data, dtype=float) if gradient is None else gradient
        self.grad = gradient if self.grad is None else self.grad + gradient
        if self._grad_fn is not None:
            for each, share in zip(self._grad_fn.saved_tensors, self._grad_fn.apply(gradient)):
                each.backward(share)
def parents(each): return each._grad_fn.saved_tensors if each._grad_fn else ()
x, w = Tensor([0.5, -1.0]), Tensor([2.0, 0.25])
target = (x * w).sum()
"""
ENGINES = {"history": HISTORY, "creator": CREATOR, "nodes": NODES, "grad_fn": GRAD_FN}
PLANTED = [
    ("history", "return g * b, g * a", "return g * a, g * b", "The rule of `Mul`"),
    ("history", "return g * ctx.saved[0]", "return g", "The rule of `Exp`"),
    ("history", "came.get(id(x), 0.0) + share", "share", "only its last contrib"),
    ("creator", "(1 - np.tanh(self.inputs[0].data) ** 2)", "np.tanh(self.inputs[0].data)", "Tanh"),
    ("creator", "share if x.grad is None else x.grad + share", "share", "only its last contrib"),
    ("creator", "np.ones_like(self.inputs[0].data)", "2.0 * np.ones(2)", "The rule of `Sum`"),
    ("nodes", "return Negative().of(out_grad)", "return out_grad", "The rule of `Negative`"),
    ("grad_fn", "* b.data, grad_output * a.data", "* a.data, grad_output * b.data", "of `Mul`"),
]  # fmt: skip


def ordered(target: Any, parents: Any) -> list[Any]:
    """The values behind a target, users first."""
    found: dict[int, Any] = {}

    def visit(each: Any) -> None:
        if id(each) not in found:
            for x in parents(each):
                visit(x)
            found[id(each)] = each

    visit(target)
    return list(found.values())[::-1]


def played(source: str) -> tuple[Any, dict[str, Any]]:
    scope: dict[str, Any] = {"np": np, "__name__": "engine"}
    scope["ordered"] = lambda target: ordered(target, scope["parents"])
    exec(source, scope)
    return own.step(scope["target"], [scope["x"], scope["w"]]), scope


@pytest.mark.slow
@pytest.mark.parametrize("name", ENGINES)
def test_a_right_engine_of_classes_agrees_with_minitape(name: str) -> None:
    player, _ = played(ENGINES[name])
    assert player.trace.notes == ("Every contribution and every gradient is minitape's.",)
    assert {step.kind for step in player.trace.steps} >= {"forward", "seed", "pull"}


REUSED = "h = x * w\ntarget = (h * h * w).sum()\n"


def test_an_engine_that_goes_along_each_path_by_itself_is_right_and_said() -> None:
    player, _ = played(GRAD_FN + REUSED)
    assert player.trace.notes == (
        "Every contribution and every gradient is minitape's.",
        "Your engine goes along each path by itself: what it calls for one value is added up here.",
    )
    wrong = GRAD_FN.replace(
        "grad_output * b.data, grad_output * a.data", "grad_output, grad_output"
    )
    player, _ = played(wrong + REUSED)
    assert player.trace.notes[0].startswith("First difference")
    assert "of `Mul`" in player.trace.notes[0]


def test_a_rule_that_runs_twice_with_all_that_came_is_an_error() -> None:
    twice = "for each in [each for each in ordered(self) for _ in range(1 + (each is not self))]:"
    source = CREATOR.replace("for each in ordered(self):", twice)
    player, _ = played(source)
    assert "runs a second time, so its contributions count twice" in player.trace.notes[0]


def test_gradients_of_classes_are_those_of_finite_differences() -> None:
    player, _ = played(CREATOR)
    x, w = np.array([0.5, -1.0]), np.array([2.0, 0.25])

    def f(x: Any, w: Any) -> float:
        return float((np.tanh(x * w) * x).sum())

    for number, node in enumerate(player.trace.sources):
        found = player.trace.gradients[node]
        assert found is not None
        for i in range(2):
            step = np.eye(2)[i] * 1e-6
            moved = [(x + step, x - step), (w + step, w - step)][number]
            high, low = ((m, w) if number == 0 else (x, m) for m in moved)
            assert abs((f(*high) - f(*low)) / 2e-6 - found.numpy()[i]) < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize(("name", "right", "wrong", "said"), PLANTED)
def test_an_error_in_a_class_is_marked_and_said(
    name: str, right: str, wrong: str, said: str
) -> None:
    assert right in ENGINES[name]
    player, _ = played(ENGINES[name].replace(right, wrong))
    assert player.trace.notes[0].startswith("First difference, at step "), player.trace.notes
    assert said in player.trace.notes[0]


@pytest.mark.slow
def test_the_engine_of_classes_is_left_as_it_was() -> None:
    _, scope = played(HISTORY)
    assert isinstance(scope["Mul"].__dict__["backward"], staticmethod)
    assert scope["Mul"].backward(type("C", (), {"saved": (2.0, 3.0)}), 1.0) == (3.0, 2.0)
    _, scope = played(CREATOR)
    assert "backward" in scope["Tanh"].__dict__


def test_an_engine_whose_calls_do_not_say_whose_they_are_is_sent_to_the_doctor() -> None:
    source = NODES.replace("def gradient(self, out_grad, node)", "def gradient(self, out_grad)")
    source = source.replace("class EWiseMul:", "class EWiseMul:\n    node = None").replace(
        "a, b = node.inputs", "a, b = EWiseMul.node.inputs"
    )
    source = source.replace(
        "shares = each.op.gradient(each.grad, each)",
        "EWiseMul.node = each; shares = type(each.op)().gradient(each.grad)",
    )
    with pytest.raises(TypeError, match="minitape doctor engine.py"):
        played(source)
