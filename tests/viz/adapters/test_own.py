"""A learner's engine in the player: what is right, and ten planted errors."""

from __future__ import annotations

import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest
from engines import Value, matrices, numbers

from minitape.viz.adapters import own
from minitape.viz.trace.trace import Trace
from minitape.viz.trace.wording import sentence


def shown(program):
    y, sources = program
    return own.step(y, sources).trace


@pytest.mark.parametrize("program", [numbers, matrices])
def test_a_right_engine_agrees_with_minitape(program):
    trace = shown(program(""))
    assert trace.notes == ("Every contribution and every gradient is minitape's.",)
    assert trace.breaks == ()
    assert Trace.from_json(trace.to_json()) == trace


def test_gradients_are_those_of_finite_differences():
    def f(a, b, c):
        return (np.tanh(a * b) - c) * a * b

    at, h = np.array([0.5, -1.5, 2.0]), 1e-6
    expected = [(f(*(at + h * e)) - f(*(at - h * e))) / (2 * h) for e in np.eye(3)]
    trace = shown(numbers(""))
    found = [trace.gradients[s].data[0] for s in trace.sources]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_formulas_are_minitape_s_and_numbers_the_learner_s():
    trace = shown(numbers(""))
    pulls = {trace.nodes[s.node].op: s for s in trace.steps if s.kind == "pull"}
    assert pulls["-"].formula.text == "−g"
    assert pulls["-"].numbers == "−(−0.75) = 0.75"
    assert pulls["tanh"].formula.text == "g · (1 − tanh^2)"


ERRORS = {
    "= for +=": (numbers, "Write += and not =", "tanh"),
    "sign": (numbers, "wrong sign", "-"),
    "forgotten factor": (numbers, "factor of the op's own derivative is forgotten", "*"),
    "forgotten cotangent": (numbers, "forgets the factor g", "*"),
    "swapped factors": (numbers, "two factors are swapped", "*"),
    "wrong local derivative": (numbers, "wrong local derivative", "tanh"),
    "wrong order": (numbers, "order is not topological", "*"),
    "visited twice": (numbers, "runs a second time", "*"),
    "forgotten sum": (matrices, "sum is forgotten", "+"),
    "missing transpose": (matrices, "misses a transpose", "@"),
}


@pytest.mark.slow
@pytest.mark.parametrize("bug", list(ERRORS))
def test_a_planted_error_is_marked_where_it_is_and_said(bug):
    program, words, op = ERRORS[bug]
    trace = shown(program(bug))
    (mark,) = trace.breaks
    assert words in mark.cause
    assert trace.nodes[mark.node].op == op
    assert trace.notes[0].startswith("First difference, at step ")
    assert Trace.from_json(trace.to_json()) == trace


@pytest.mark.slow
@pytest.mark.parametrize("bug", ["sign", "forgotten factor", "swapped factors"])
def test_the_step_that_is_marked_says_it(bug):
    trace = shown(ERRORS[bug][0](bug))
    (said,) = [s for s in trace.steps if sentence(s, trace.nodes).startswith("First difference")]
    (mark,) = trace.breaks
    assert (said.node, said.position) == (mark.node, mark.position)


def test_a_gradient_that_was_not_reset_is_marked():
    y, sources = numbers("")
    y.backward()
    trace = own.step(y, sources).trace
    assert "was not reset to zero" in trace.breaks[0].cause


def test_an_error_of_the_learner_s_code_is_said():
    y, sources = numbers("")
    y._backward = lambda: 1 / 0
    trace = own.step(y, sources).trace
    assert "ZeroDivisionError" in trace.breaks[0].cause


def test_the_engine_is_left_as_it_was():
    y, sources = numbers("")
    kept = y._backward
    own.step(y, sources)
    assert y._backward is kept


def test_a_class_with_other_names_is_read_through_fields():
    class Node:
        def __init__(self, val, parents=(), kind=""):
            self.val, self.g, self.parents, self.kind = val, 0.0, parents, kind
            self.pull = lambda: None

    x = Node(3.0)
    y = Node(9.0, (x, x), "*")

    def pull():
        x.g += 2 * 3.0 * y.g

    def run():
        y.g = 1.0
        y.pull()

    y.pull = pull
    trace = own.step(y, x, run, fields=own.Fields("val", "g", "parents", "pull", "kind")).trace
    assert trace.gradients[trace.sources[0]].data == (6.0,)
    assert trace.breaks == ()


def test_a_missing_attribute_says_what_to_write():
    with pytest.raises(TypeError, match="no attribute 'data'; say what yours is called"):
        own.step(object(), [])


def test_an_op_that_minitape_does_not_know_is_said():
    x = Value(2.0)
    y = x._made(4.0, (x,), "zigzag", (lambda g: g,))
    assert own.step(y, x).trace.notes == (
        "Every contribution of the other ops is minitape's.",
        "Not compared: minitape has no op of the name `zigzag`.",
    )


def test_an_op_that_minitape_does_not_know_turns_off_that_op_alone():
    x, w = Value(3.0), Value(2.0)
    wrong = x._made(6.0, (x, w), "*", (lambda g: g * 3.0, lambda g: g * 2.0))  # swapped
    y = wrong._made(4.0, (wrong,), "zigzag", (lambda g: g,))
    first, left = own.step(y, [x, w]).trace.notes
    assert "the two factors are swapped" in first and "`zigzag`" in left


def test_an_op_of_a_known_name_with_fewer_inputs_is_not_compared():
    x = Value(2.0)
    y = x._made(8.0, (x,), "pow", (lambda g: g * 12.0,))  # keeps its exponent to itself
    assert own.step(y, x).trace.notes[-1].endswith("no op of the name `pow`.")


def test_a_gradient_that_starts_as_none_has_got_nothing_yet():
    x, w = Value(3.0), Value(2.0)
    x.grad = w.grad = None
    mark = own.step(x._made(6.0, (x, w), "*", (lambda g: g * 2.0, lambda g: g * 3.0)), [x, w])
    assert not any("before the sweep" in note for note in mark.trace.notes)


class Op(NamedTuple):
    name: str
    rules: tuple


class Record(NamedTuple):
    op: Op
    inputs: tuple
    output: object


class Box:
    def __init__(self, array):
        self.array = np.asarray(array, float)


class Tape:
    """A tape as a list of records, whose loop has a bug or not."""

    def __init__(self, records, bug=""):
        self.records, self.bug = records, bug

    def gradient(self, target, source):
        cotangents = {target: Box(np.ones_like(target.array))}
        for op, inputs, output in reversed(self.records):
            for x, rule in zip(inputs, op.rules, strict=True):
                share = rule(cotangents[output], *inputs)
                if share.array.shape != x.array.shape and self.bug != "forgotten sum":
                    share = Box(share.array.sum(0))
                if x in cotangents and self.bug != "= for +=":
                    share = Box(share.array + cotangents[x].array)
                cotangents[x] = share
        return cotangents.get(source)


add = Op("add", (lambda g, x, y: g, lambda g, x, y: g))
multiply = Op(
    "multiply", (lambda g, x, y: Box(g.array * y.array), lambda g, x, y: Box(g.array * x.array))
)
negated = Op("multiply", (lambda g, x, y: Box(-g.array * y.array), multiply.rules[1]))


def recorded(bug="", times=multiply):
    """z = x·x·(x + b) for a matrix x and a row b."""
    x, b = Box([[1.0, 2.0], [3.0, 4.0]]), Box([10.0, 20.0])
    s, p = Box(x.array + b.array), Box(x.array**2)
    z = Box(s.array * p.array)
    records = [Record(add, (x, b), s), Record(times, (x, x), p), Record(times, (s, p), z)]
    return Tape(records, bug), z, [x, b]


def test_a_tape_of_records_agrees_with_minitape():
    trace = own.step_tape(*recorded()).trace
    assert trace.notes == ("Every contribution and every gradient is minitape's.",)
    x = np.array([[1.0, 2.0], [3.0, 4.0]])
    expected = 3 * x**2 + 2 * x * np.array([10.0, 20.0])
    found = trace.gradients[trace.sources[0]]
    np.testing.assert_allclose(np.reshape(found.data, (2, 2)), expected)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bug", "times", "words"),
    [
        ("= for +=", multiply, "add to what is there"),
        ("forgotten sum", multiply, "sum over the repeated axes is forgotten"),
        ("", negated, "wrong sign"),
    ],
)
def test_an_error_in_a_tape_s_loop_or_rule_is_marked(bug, times, words):
    trace = own.step_tape(*recorded(bug, times)).trace
    assert words in trace.breaks[0].cause


def test_a_wrong_sign_is_said_though_a_sum_comes_later_in_the_loop():
    x, b = Box([[1.0, 2.0], [3.0, 4.0]]), Box([10.0, 20.0])
    s = Box(x.array + b.array)
    wrong = Op("add", (add.rules[0], lambda g, x, y: Box(-g.array)))
    trace = own.step_tape(Tape([Record(wrong, (x, b), s)]), s, [x, b]).trace
    assert "for `b` has the wrong sign" in trace.breaks[0].cause


def test_a_number_that_has_no_name_and_is_no_source_is_called_a_constant():
    x = Box(2.0)
    b = Box(6.0)
    trace = own.step_tape(Tape([Record(multiply, (x, Box(3.0)), b)]), b, x).trace
    assert [(node.kind, node.name) for node in trace.nodes] == [
        ("source", "x"), ("constant", ""), ("op", "b")
    ]  # fmt: skip
    assert trace.notes == ("Every contribution and every gradient is minitape's.",)


def test_a_tape_without_records_is_refused():
    with pytest.raises(TypeError, match="a tape with records"):
        own.step_tape(object(), None, [])


def test_importing_the_viewer_loads_no_adapter_and_no_framework():
    program = (
        "import sys; from minitape import viz; viz.step, viz.Trace; "
        "print([n for n in sys.modules if n.startswith('minitape.viz.adapters') "
        "or n in ('torch', 'jax', 'tensorflow')])"
    )
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert out.stdout.strip() == "[]", out.stderr
