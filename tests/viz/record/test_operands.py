"""What a step says that it is made of: enough to compute it again, with NumPy and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from networks import NETWORKS
from numpy_rules import again

import minitape as tf
from every_op import arrays, call, differentiable, weights
from minitape import viz
from minitape.names import namespaces
from minitape.ops.broadcasting import sum_to
from minitape.record import arguments, opened, plan_of
from minitape.tensors.composite import dense
from minitape.viz.trace.wording import called
from op_samples import Sample, all_samples

namespaces.load_rest()


def array_of(record):
    """The array of a record that holds every element."""
    assert record.is_whole
    return np.array(record.data, record.dtype).reshape(record.shape)


@pytest.mark.parametrize("name", list(NETWORKS))
def test_every_backward_step_of_a_network_is_computed_again_from_its_operands(name):
    trace = NETWORKS[name]().trace
    pulls = [step for step in trace.steps if step.kind == "pull"]
    for step in pulls:
        got = again(trace, step, {(o.node, o.kind): array_of(o.value) for o in step.operands})
        said = f"{trace.nodes[step.node].op} to {called(trace.nodes[step.to])}"
        np.testing.assert_allclose(
            got, array_of(step.contribution), rtol=2e-4, atol=1e-5, err_msg=said
        )
    assert len(pulls) > 5


@pytest.mark.parametrize("name", list(NETWORKS))
def test_what_came_in_stands_first_under_the_letter_g(name):
    trace = NETWORKS[name]().trace
    for step in (step for step in trace.steps if step.kind == "pull"):
        came = step.cotangents or (step.cotangent,)
        letters = ["g"] if len(came) == 1 else [f"g_{i}" for i in range(len(came))]
        first = step.operands[: len(came)]
        assert [(o.symbol, o.kind, o.value) for o in first] == [
            (letter, "cotangent", g) for letter, g in zip(letters, came, strict=True)
        ]


def test_an_op_with_several_results_has_all_their_cotangents():
    x = tf.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    with viz.recording(), tf.GradientTape() as tape:
        left, right = tf.split(x, [1, 2], axis=1)
        y = tf.reduce_sum(left * 2.0) + tf.reduce_sum(right * 3.0)
    step = next(
        s for s in viz.step(tape, y, x).trace.steps if s.kind == "pull" and len(s.cotangents) == 2
    )
    assert step.cotangent is None
    assert [array_of(g).tolist() for g in step.cotangents] == [[[2.0], [2.0]], [[3.0, 3.0]] * 2]
    assert [(o.symbol, o.kind) for o in step.operands] == [
        ("g_0", "cotangent"),
        ("g_1", "cotangent"),
    ]
    assert "g_0" in step.formula.text and "g_1" in step.formula.text


def test_a_cotangent_and_a_value_that_the_learner_calls_g_are_told_apart():
    g, x = tf.Variable(3.0), tf.Variable(2.0)
    with viz.recording(), tf.GradientTape() as tape:
        y = g * x
    steps = viz.step(tape, y, [g, x]).trace.steps
    to_x = next(s for s in steps if s.kind == "pull" and s.position == 1)
    assert [(o.symbol, o.kind, o.value.data) for o in to_x.operands] == [
        ("g", "cotangent", (1.0,)),
        ("g", "value", (3.0,)),
    ]


def test_a_push_has_the_tangent_and_the_other_factor():
    x, w = tf.Variable([[1.0, 2.0]]), tf.constant([[3.0], [4.0]])
    with viz.recording(), tf.GradientTape() as tape:
        y = x @ w
    (step,) = (s for s in viz.push(tape, y, x, [[1.0, 10.0]]).trace.steps if s.kind == "push")
    assert [(o.symbol, o.kind) for o in step.operands] == [("t", "tangent"), ("w", "value")]
    t, other = (array_of(o.value) for o in step.operands)
    assert (t @ other).tolist() == array_of(step.contribution).tolist() == [[43.0]]


DIFFERENTIATED = [s for s in all_samples() if s.order and s.dtypes != "fixed"]


@pytest.mark.slow
@pytest.mark.parametrize("sample", DIFFERENTIATED, ids=str)
def test_the_operands_of_every_op_are_all_that_its_rules_take(sample: Sample):
    inputs = arrays(sample, "float64")
    tensors = [tf.constant(x) for x in inputs]
    places = differentiable(sample, inputs)
    with viz.recording(), tf.GradientTape(persistent=True) as tape:
        tape.watch([tensors[i] for i in places])
        outputs = call(sample, tensors)
        parts = zip(outputs, weights(outputs, 0), strict=True)
        terms = [tf.reduce_sum(y * w) for y, w in parts if w is not None]
        total = tf.add_n(terms)
    trace = viz.step(tape, total, [tensors[i] for i in places]).trace
    for step in trace.steps:
        if step.kind == "pull":
            compare_with_rule(trace, step, tape.recording.records[trace.nodes[step.node].record])


def compare_with_rule(trace, step, record):
    """A rule that is run on what the operands alone say gives what the step says it gives."""
    plan = plan_of(record)
    pull = next(p for p in plan.pulls if p.position == step.position)
    values = {(o.node, o.kind): array_of(o.value) for o in step.operands}
    outputs = [n.id for n in trace.nodes if n.record == trace.nodes[step.node].record]
    given = [np.conj(values[n, "cotangent"])[()] for n in outputs]
    found = arguments(pull, record, raw=True)
    for i, need in enumerate(pull.needs):
        if need.what == "value":
            of_output = need.source == "result"
            nodes = outputs if of_output else trace.nodes[step.node].inputs
            several = need.source == "inputs" or (of_output and plan.op.several)
            own = nodes if several or of_output else [nodes[need.place]]
            taken = [values[n, "value"][()] for n in own]
            found[i] = taken if several else taken[0]
    out = dense(pull.rule(given if plan.op.several else given[0], *found))
    if pull.stretched:
        out = sum_to(out, trace.nodes[step.to].shape)
    np.testing.assert_allclose(np.conj(opened(out)), array_of(step.contribution), rtol=1e-12)
