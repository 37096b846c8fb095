"""What an op says of itself is what steps and explanations say; the engine asks nothing of it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import minitape as tf
from minitape import viz
from minitape.facts import NOTHING, Facts
from minitape.op import primitive, registry
from minitape.tensor import Array, Tensor
from minitape.viz.trace.facts import BY_NUMBER, FOREIGN, facts_of, op_of
from minitape.viz.trace.trace import Node, Trace
from minitape.viz.trace.wording import generated

ROOT = Path(tf.__file__).parent


@pytest.fixture
def notch():
    """An op of a learner's: 0 between -1 and 1, else the input."""

    @primitive(elementwise=True, latex=r"\mathrm{{notch}}\left({x}\right)")
    def notch(x: Array) -> Array:
        return np.where(abs(x) < 1, np.zeros_like(x), x)

    @notch.vjp("x")
    def _(g: Tensor, x: Tensor) -> Tensor:
        return g * tf.cast(tf.abs(x) >= 1.0, g.dtype)

    yield notch
    del registry["notch"]


def sentences(trace):
    return " ".join(step.sentence for step in trace.steps if step.kind == "pull")


def test_a_gate_of_your_own_is_said_in_the_steps(notch):
    notch.says(gate="in the notch")
    x = tf.Variable([[0.5, 3.0, 2.0], [0.2, -4.0, 5.0]])
    with viz.recording(), tf.GradientTape() as tape:
        y = notch.public(x)
    assert "column 0 was in the notch in both rows" in sentences(viz.step(tape, y, x).trace)


def test_of_an_op_that_says_nothing_no_reason_is_claimed(notch):
    assert notch.op.facts is NOTHING
    x = tf.Variable(0.5)
    with tf.GradientTape() as tape:
        y = notch.public(x)
    assert viz.explain(tape, y, x).text.endswith("its derivative is 0 at this value.")


def test_where_your_op_is_flat_is_the_reason_of_a_zero_gradient(notch):
    notch.says(flat="its input is in the notch, from -1 to 1")
    x = tf.Variable(0.5)
    with tf.GradientTape() as tape:
        y = notch.public(x)
    assert viz.explain(tape, y, x).text.endswith("its input is in the notch, from -1 to 1.")


def read_elsewhere(trace, *names):
    """A saved trace, as a process reads it that has not declared the ops `names`."""
    text = trace.to_json()
    for name in names:
        del registry[name]
    return Trace.from_json(text)


def test_a_saved_trace_carries_the_facts_of_an_op_of_your_own(notch):
    notch.says(gate="in the notch", kinks=(-1.0, 1.0), axes=(("example", "class"),) * 2)
    x = tf.Variable([[0.5, 3.0, 2.0], [0.2, -4.0, 5.0]])
    with viz.recording(), tf.GradientTape() as tape:
        y = notch.public(x)
    trace = viz.step(tape, y, x).trace
    try:
        again = read_elsewhere(trace, "notch")
        assert facts_of(again.nodes[-1]) == notch.op.facts._replace(keeps_axes=True)
        assert sentences(replaced(again)) == sentences(trace)
        assert "column 0 was in the notch" in sentences(replaced(again))
    finally:
        registry["notch"] = notch


def test_a_saved_trace_carries_the_facts_of_an_op_that_you_named_like_one_of_ours():
    @primitive()
    def identity(x: Array) -> Array:
        return np.clip(x, -1.0, 1.0)

    @identity.vjp("x")
    def _(g: Tensor, x: Tensor) -> Tensor:
        return g

    identity.says(gate="inside", kinks=(-1.0, 1.0))
    x = tf.Variable([0.5, 3.0])
    with viz.recording(), tf.GradientTape() as tape:
        y = identity.public(x)
    again = Trace.from_json(viz.step(tape, y, x).trace.to_json())
    assert facts_of(again.nodes[-1]).gate == "inside"
    assert facts_of(again.nodes[-1]).kinks == (-1.0, 1.0)


def replaced(trace):
    """The trace with the sentences that its data give."""
    steps = [replace(each, sentence=generated(each, trace.nodes)) for each in trace.steps]
    return replace(trace, steps=tuple(steps))


def test_your_own_op_is_not_taken_for_one_of_another_program_that_has_its_name():
    @primitive(elementwise=True)
    def clip(x: Array) -> Array:
        return x + 1

    try:
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = clip(tf.convert_to_tensor(x))
        node = read_elsewhere(viz.step(tape, y, x).trace, "clip").nodes[-1]
        assert node.op == "clip"
        assert op_of(node) is None
        assert not facts_of(node).fault
    finally:
        registry.pop("clip", None)


def test_a_function_with_its_own_gradient_does_not_say_what_the_op_of_its_name_says():
    @tf.custom_gradient
    def relu(x):
        return tf.abs(x), lambda g: g

    x = tf.Variable([2.0, -3.0])
    with tf.GradientTape() as tape:
        y = relu(x)
    node = viz.step(tape, y, x).trace.nodes[-1]
    assert node.op == "relu"
    assert facts_of(node) is NOTHING


def test_ops_of_minitape_are_known_by_their_names_and_take_no_room_in_a_trace():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.nn.relu(x)
    assert '"facts"' not in viz.step(tape, y, x).trace.to_json()


def test_facts_that_are_said_one_after_the_other_all_stay(notch):
    notch.says(gate="in the notch")
    notch.says(kinks=(-1.0, 1.0))
    assert notch.op.facts == Facts(gate="in the notch", kinks=(-1.0, 1.0))


def test_a_fact_of_another_name_is_refused_and_nothing_changes(notch):
    with pytest.raises(TypeError, match="notch says gait=.*Say one of these: called"):
        notch.says(gait="in the notch")
    assert notch.op.facts is NOTHING


def test_the_engine_asks_no_op_for_facts():
    """Declarations write the slot, the viewer reads it, and nothing else knows it."""
    files = [f for f in ROOT.rglob("*.py") if "viz" not in f.relative_to(ROOT).parts]
    asking = [f.name for f in files if re.search(r"\.facts\b(?!\.py)", f.read_text("utf-8"))]
    assert asking.count("op.py") == 1
    imports = re.compile(r"from minitape\.facts import")
    assert [f.name for f in files if imports.search(f.read_text("utf-8"))] == ["op.py"]


@pytest.mark.parametrize(
    ("name", "count", "ours"),
    [
        ("mul", 2, "multiply"), ("dot_general", 2, "einsum"), ("RealDiv", 2, "divide"),
        ("max", 1, "reduce_max"), ("max", 2, "maximum"), ("select", 1, "getitem"),
        ("select", 3, "select"), ("AddV2", 2, "add"), ("logistic", 1, "sigmoid"),
    ],
)  # fmt: skip
def test_an_op_of_another_program_is_taken_for_ours_of_the_same_meaning(name, count, ours):
    node = Node(count, "op", tuple(range(count)), "float32", (2,), op=name)
    assert op_of(node) is registry[ours].op


def test_every_foreign_name_leads_to_an_op():
    assert {*FOREIGN.values(), *BY_NUMBER.values()} <= registry.keys()
    assert not FOREIGN.keys() & registry.keys()  # else it would never be asked


def test_of_an_op_that_is_not_known_nothing_is_said():
    assert facts_of(Node(1, "op", (0,), "float32", (2,), op="zigzag")) is NOTHING


@pytest.mark.parametrize(
    ("template", "formula"),
    [
        (r"\sqrt{{{x}}^2 + 1}", r"\sqrt{{{\left(a + b\right)}}^2 + 1}"),
        (r"\sqrt{x}", r"\sqrt{a + b}"),
        (r"\frac{1}{x}", r"\frac{1}{a + b}"),
        (r"{x}^2 + 1", r"\left(a + b\right)^2 + 1"),
        (r"2 \cdot {x}", r"2 \cdot \left(a + b\right)"),
        (r"1 - {x}", r"1 - \left(a + b\right)"),
        (r"\sqrt{1 + z}", r"\mathrm{own}\left(a + b\right)"),
    ],
)
def test_a_learners_template_is_read_as_latex_and_gets_the_parentheses_of_its_place(
    template: str, formula: str
) -> None:
    @primitive(elementwise=True, latex=template)
    def own(x: Array) -> Array:
        return x + 1

    @own.vjp("x")
    def _(g: Tensor) -> Tensor:
        return g

    a, b = tf.Variable(2.0, name="a"), tf.Variable(3.0, name="b")
    with viz.recording(), tf.GradientTape() as tape:
        y = own.public(a + b)
    trace = viz.step(tape, y, a).trace
    assert trace.nodes[-1].formula is not None
    assert re.sub(r"\\text{(.)}", r"\1", trace.nodes[-1].formula.latex) == formula
