"""Higher orders: what an inner tape computes is an outer tape's ordinary ops, and shown as such."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

import minitape as tf
from minitape import viz

NAMESPACE = "{http://www.w3.org/2000/svg}"
BACKWARD = "backward of the inner tape (gradient of y)"
FORWARD = "forward of the inner tape"


def second_derivative():
    x = tf.Variable(2.0)
    with viz.recording(), tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x**3
        dy = inner.gradient(y, x)
    return viz.step(outer, dy, x)


def bands(svg):
    root = ElementTree.fromstring(svg)
    found = [g for g in root.iter(f"{NAMESPACE}g") if (g.get("class") or "").startswith("band")]
    return [["".join(t.itertext()) for t in g.iter(f"{NAMESPACE}text")] for g in found]


def test_ops_of_the_inner_sweep_are_one_layer_deeper_in_a_scope_of_their_own():
    nodes = second_derivative().trace.nodes
    swept = [node for node in nodes if node.scope == (BACKWARD,)]
    assert {node.layer for node in swept} == {1}
    assert "dy" in {node.name for node in swept}
    assert [node.name for node in nodes if node.scope == (FORWARD,)] == ["y"]
    assert all(node.layer == 0 and not node.scope for node in nodes if node.kind != "op")


def test_the_line_of_an_inner_backward_op_is_the_call_of_gradient():
    nodes = second_derivative().trace.nodes
    lines = {n.line.text.strip() for n in nodes if n.scope == (BACKWARD,)}
    assert lines == {"dy = inner.gradient(y, x)"}


def test_sentences_say_which_sweep_an_op_belongs_to():
    steps = [s for s in second_derivative().trace.steps if s.kind == "forward"]
    assert steps[0].sentence.startswith("Forward of the inner tape: `pow` of `x`")
    assert steps[-1].sentence.startswith("Backward of the inner tape (gradient of y): `multiply`")


def test_the_second_derivative_is_right():
    assert float(second_derivative().gradients) == 6 * 2.0


def test_the_picture_has_a_labelled_band_for_each_scope():
    player = second_derivative()
    (forward, backward) = bands(viz.Picture(player.trace).svg)
    assert forward == ["A", "A", FORWARD]
    assert backward[-2:] == ["B", BACKWARD] and set(backward[:-1]) == {"B"}


def test_bands_do_not_move_a_node():
    trace = second_derivative().trace
    plain = [viz.trace.trace.Node(**{**_fields(n), "layer": 0, "scope": ()}) for n in trace.nodes]
    from minitape.viz.layout import layout

    flat = viz.Trace(tuple(plain), trace.steps, trace.targets, trace.sources)
    assert layout(flat).positions == layout(trace).positions


def _fields(node):
    return {name: getattr(node, name) for name in node.__slots__}


def test_three_tapes_give_three_layers():
    x = tf.Variable(1.5)
    with viz.recording(), tf.GradientTape() as t0:
        with tf.GradientTape() as t1:
            with tf.GradientTape() as t2:
                y = tf.sin(x) * x
            dy = t2.gradient(y, x)
        d2 = t1.gradient(dy, x)
    nodes = viz.step(t0, d2, x).trace.nodes
    by_scope = {node.scope[0]: node.layer for node in nodes if node.scope}
    assert by_scope == {
        "forward of the innermost tape": 2,
        "backward of the innermost tape (gradient of y)": 2,
        "backward of the inner tape (gradient of dy)": 1,
    }


def test_two_sweeps_of_one_tape_are_told_apart():
    x = tf.Variable(1.5)
    with viz.recording(), tf.GradientTape() as outer:
        with tf.GradientTape(persistent=True) as inner:
            a = x**2
            b = x**3
        da, db = inner.gradient(a, x), inner.gradient(b, x)
        z = da * db
    scopes = {node.scope[0] for node in viz.step(outer, z, x).trace.nodes if node.scope}
    assert {s for s in scopes if s.startswith("backward")} == {
        "backward of the inner tape (gradient of a)",
        "backward of the inner tape (gradient of b)",
    }


@pytest.mark.parametrize("recorded", [True, False])
def test_a_single_tape_has_no_layers(recorded):
    x = tf.Variable(1.5)
    if recorded:
        with viz.recording(), tf.GradientTape() as tape:
            y = x**2
    else:
        with tf.GradientTape() as tape:
            y = x**2
    trace = viz.step(tape, y, x).trace
    assert all(node.layer == 0 and node.scope == () for node in trace.nodes)
    assert bands(viz.Picture(trace).svg) == []


def test_a_sweep_that_fails_ends_its_band():
    x = tf.Variable(1.5)

    @tf.custom_gradient
    def broken(v):
        def grad(upstream):
            raise ZeroDivisionError

        return v * v, grad

    with viz.recording() as journal, tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = broken(x)
        with pytest.raises(ZeroDivisionError):
            inner.gradient(y, x)
        z = x * 2.0
    assert journal.running == []
    (made,) = [n for n in viz.step(outer, z, x).trace.nodes if n.name == "z"]
    assert made.scope == ()
