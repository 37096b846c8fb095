"""Fused ops written out: the same value, and the same gradient as the op and finite differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from networks import NETWORKS

import minitape as tf
from every_op import arrays, call, differentiable, loss, numeric, weights
from minitape import viz
from minitape.names import namespaces
from minitape.viz.record.elementary import PROGRAMS
from minitape.viz.trace.trace import Trace, check
from minitape.viz.views.opened import opened
from op_samples import Sample, all_samples

namespaces.load_rest()

OPENED = {op.name for op in PROGRAMS}
SAMPLES = [s for s in all_samples() if s.name in OPENED and s.order and s.dtypes != "fixed"]


def array_of(record):
    return np.array(record.data, record.dtype).reshape(record.shape)


def recorded(sample: Sample) -> tuple[Trace, list[np.ndarray], list[int]]:
    """A sample's op on a tape, its results weighted and added up."""
    inputs = arrays(sample, "float64")
    tensors = [tf.constant(x) for x in inputs]
    places = differentiable(sample, inputs)
    with viz.recording(), tf.GradientTape() as tape:
        tape.watch([tensors[i] for i in places])
        (y,) = call(sample, tensors)
        (w,) = weights([y], 0)
        total = tf.reduce_sum(y * w)
    return viz.step(tape, total, [tensors[i] for i in places]).trace, inputs, places


def passed(inside, outer: int) -> np.ndarray:
    """What the elementary steps of an opened op give to one of its inputs, added up."""
    found = [
        array_of(s.contribution)
        for s in inside.steps
        if s.kind == "pull" and inside.outer.get(s.to) == outer
    ]
    return np.sum(found, axis=0)


@pytest.mark.slow
@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_an_opened_op_gives_the_derivative_of_finite_differences(sample: Sample):
    trace, inputs, places = recorded(sample)
    (inside,) = (each for each in trace.insides if trace.nodes[each.node].op == sample.name)
    for source, i in zip(trace.sources, places, strict=True):

        def moved(x: np.ndarray, i: int = i) -> float:
            given = [tf.constant(x) if k == i else other for k, other in enumerate(inputs)]
            ys = call(sample, given)
            return loss(ys, weights(ys, 0))

        expected = numeric(moved, inputs[i])
        np.testing.assert_allclose(passed(inside, source), expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_an_opened_op_gives_the_value_and_the_gradient_of_the_fused_one(sample: Sample):
    trace, inputs, _ = recorded(sample)
    for inside in trace.insides:
        node = trace.nodes[inside.node]
        (last,) = (n for n, there in inside.outer.items() if there == inside.node)
        np.testing.assert_allclose(
            array_of(inside.nodes[last].value), array_of(node.value), rtol=1e-9, atol=1e-12
        )
        for step in trace.steps:
            if step.kind == "pull" and step.node == inside.node:
                fused = array_of(step.contribution)
                np.testing.assert_allclose(passed(inside, step.to), fused, rtol=1e-9, atol=1e-12)


def test_every_program_of_a_fused_op_is_tried_by_a_sample():
    assert {s.name for s in SAMPLES} == OPENED


def test_probability_less_truth_comes_about_where_two_paths_meet():
    trace = NETWORKS["mlp"]().trace
    (inside,) = trace.insides
    logits = next(n.id for n in trace.nodes if n.name == "logits")
    z = array_of(trace.nodes[logits].value)
    probability = np.exp(z) / np.exp(z).sum(1, keepdims=True)
    truth = np.eye(3)[[0, 2, 1, 0]]
    to_logits = [s for s in inside.steps if s.kind == "pull" and inside.outer.get(s.to) == logits]
    by_op = {inside.nodes[s.node].op: array_of(s.contribution) for s in to_logits}
    np.testing.assert_allclose(by_op["gather"], -truth / 4)
    np.testing.assert_allclose(by_op["exp"], probability / 4, rtol=1e-5)
    assert inside.steps[-1].kind == "accumulate"
    assert inside.difference < 1e-6


def test_an_opened_op_adds_to_what_other_paths_brought_before():
    x = tf.Variable([0.5, -1.0, 2.0])
    with viz.recording(), tf.GradientTape() as tape:
        p = tf.nn.softmax(x)
        y = tf.reduce_sum(p * tf.constant([1.0, 2.0, 3.0])) + tf.reduce_sum(x * 10.0)
    trace = viz.step(tape, y, x).trace
    (inside,) = trace.insides
    sums = [s for s in inside.steps if s.kind == "accumulate" and inside.outer.get(s.node) == 0]
    np.testing.assert_allclose(array_of(sums[0].old), [10.0] * 3)
    np.testing.assert_allclose(array_of(sums[-1].total), array_of(trace.gradients[0]), rtol=1e-6)


def test_large_logits_are_shifted_so_that_no_exponential_overflows():
    x = tf.Variable([1000.0, 1001.0, -5000.0])
    with viz.recording(), tf.GradientTape() as tape:
        y = tf.nn.softmax(x)[0]
    (inside,) = viz.step(tape, y, x).trace.insides
    assert "reduce_max" in [node.op for node in inside.nodes]
    assert all(np.isfinite(array_of(n.value)).all() for n in inside.nodes if n.op)
    p = 1 / (1 + np.e)
    np.testing.assert_allclose(passed(inside, 0), [p * (1 - p), -p * (1 - p), 0.0], rtol=1e-5)


def test_an_op_whose_elementary_form_has_another_gradient_stays_closed():
    labels, logits = tf.constant([[1.0, 1.0]]), tf.Variable([[0.5, -0.5]])
    with viz.recording(), tf.GradientTape() as tape:
        y = tf.nn.softmax_cross_entropy_with_logits(labels, logits)
    # TensorFlow's rule supposes labels that sum to 1; these sum to 2.
    assert viz.step(tape, y, logits).trace.insides == ()


@pytest.mark.parametrize("name", list(NETWORKS))
def test_a_trace_with_an_op_opened_is_a_valid_trace_with_the_same_gradients(name):
    trace = NETWORKS[name]().trace
    for inside in trace.insides:
        found = opened(trace, inside)
        check(replace(found.trace, title="opened"))
        closed = dict(zip(found.trace.sources, trace.sources, strict=True))
        gradients = {closed[n]: g for n, g in found.trace.gradients.items()}
        assert gradients == trace.gradients
        first, start, stop = found.at
        left = len(trace.steps) - 1 - (stop - start)
        assert len(found.trace.steps) == left + found.forward + found.backward
        assert sorted(found.members) == list(range(len(found.trace.nodes)))


def test_insides_survive_json():
    trace = NETWORKS["attention"]().trace
    assert trace.insides
    assert Trace.from_json(trace.to_json()) == trace


def test_a_tape_without_a_journal_opens_its_ops_too():
    x = tf.Variable([[0.5, -1.0, 2.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.nn.log_softmax(x)[:, 0])
    (inside,) = viz.step(tape, y, x).trace.insides
    assert [node.op for node in inside.nodes if node.op] == ["exp", "reduce_sum", "log", "subtract"]
