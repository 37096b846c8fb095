"""`viz.step`: what the player shows is what the engine computed, and what is true."""

from __future__ import annotations

import collections

import numpy as np
import pytest

import minitape as tf
from minitape import viz
from minitape.record import output_ids
from minitape.values import nest
from programs import PROGRAMS, Program, recorded

every_program = pytest.mark.parametrize("program", PROGRAMS, ids=[p.name for p in PROGRAMS])


def differences(program: Program) -> list[np.ndarray]:
    """Central differences of the sum of all results."""

    def total(values):
        flat = nest.flatten(program.function(*[tf.constant(v) for v in values]))
        return sum(float(np.sum(y.numpy())) for y in flat)

    inputs = [np.asarray(x, np.float64) for x in program.inputs]
    found = []
    for i, x in enumerate(inputs):
        out = np.zeros_like(x)
        for index in np.ndindex(*x.shape):
            moved = []
            for sign in (1e-6, -1e-6):
                shifted = x.copy()
                shifted[index] += sign
                moved.append(total([*inputs[:i], shifted, *inputs[i + 1 :]]))
            out[index] = (moved[0] - moved[1]) / 2e-6
        found.append(out)
    return found


def shown(array):
    return np.array(array.data, float).reshape(array.shape)


@every_program
def test_the_last_step_equals_the_gradient_and_finite_differences(program):
    tape, targets, sources = recorded(program)
    player = viz.step(tape, targets, sources)
    expected = differences(program)
    for source, g, want in zip(player.trace.sources, player.gradients, expected, strict=True):
        np.testing.assert_allclose(g.numpy(), want, rtol=1e-5, atol=1e-7)
        last = [s.total for s in player.trace.steps if s.kind == "pull" and s.to == source][-1]
        np.testing.assert_allclose(shown(last), want, rtol=1e-5, atol=1e-7)


@every_program
def test_every_value_shown_equals_the_engines_to_four_digits(program):
    sources = [tf.constant(np.asarray(x, np.float64)) for x in program.inputs]
    seen = {}
    with viz.recording() as journal, tf.GradientTape(persistent=True) as tape:
        tape.watch(sources)
        targets = program.function(*sources)
    for entry in journal.entries:
        seen |= {y.id: y.value for y in entry.outputs}
    trace = viz.step(tape, targets, sources).trace
    ops = [node for node in trace.nodes if node.kind == "op"]
    assert ops
    for node, record in zip(ops, tape.recording.records, strict=False):
        out = output_ids(record)[node.output]
        np.testing.assert_allclose(shown(node.value), seen[out], rtol=5e-4)


@every_program
def test_k_contributions_to_a_node_give_k_minus_1_sums(program):
    tape, targets, sources = recorded(program)
    trace = viz.step(tape, targets, sources).trace
    pulls = collections.Counter(s.to for s in trace.steps if s.kind == "pull")
    sums = collections.Counter(s.node for s in trace.steps if s.kind == "accumulate")
    seeds = collections.Counter(s.node for s in trace.steps if s.kind == "seed")
    for node, k in pulls.items():
        assert sums[node] == k - 1 + seeds[node]


@pytest.mark.slow
@every_program
def test_a_sum_shows_old_plus_new(program):
    tape, targets, sources = recorded(program)
    for s in viz.step(tape, targets, sources).trace.steps:
        if s.kind == "accumulate":
            np.testing.assert_allclose(
                shown(s.old) + shown(s.contribution), shown(s.total), rtol=1e-6
            )


@pytest.mark.slow
@every_program
def test_every_pull_has_its_formula_its_sentence_and_its_line(program):
    sources = [tf.constant(np.asarray(x, np.float64)) for x in program.inputs]
    with viz.recording(), tf.GradientTape() as tape:
        tape.watch(sources)
        targets = program.function(*sources)
    for s in viz.step(tape, targets, sources).trace.steps:
        if s.kind in {"forward", "pull"}:
            assert s.formula is not None and s.formula.text
            assert s.sentence.endswith(".")
            assert s.line is not None and s.line.file == "programs.py"


def test_the_line_of_each_node_is_the_line_that_made_it():
    x = tf.constant(3.0)
    with viz.recording(), tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sin(x)
        z = y * x
    nodes = viz.step(tape, z, x).trace.nodes
    assert [n.line.text.strip() for n in nodes if n.line] == ["y = tf.sin(x)", "z = y * x"]


def test_nodes_have_the_learners_names():
    weight = tf.Variable(2.0, name="unused")
    layer = {"bias": tf.Variable(1.0)}
    with tf.GradientTape() as tape:
        loss = weight * 3.0 + layer["bias"]
    names = [n.name for n in viz.step(tape, loss, [weight, layer["bias"]]).trace.nodes]
    assert "weight" in names and "loss" in names and "layer['bias']" in names


def test_values_the_tape_dropped_are_computed_again_from_what_is_known():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.exp(x + x))
    trace = viz.step(tape, loss, x).trace
    assert all(node.value is not None for node in trace.nodes)
    assert trace.notes == ()


def test_an_unknown_value_is_said_to_be_unknown():
    with tf.GradientTape() as tape:
        loss = _scaled(tf.Variable([1.0, 2.0]))
    trace = viz.step(tape, loss, tape.watched_variables()).trace
    assert any("viz.recording()" in note for note in trace.notes)


def _scaled(x):
    return tf.reduce_sum(x + tf.constant([3.0, 4.0]))


def test_stepping_does_not_use_the_tape_up():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    assert float(viz.step(tape, y, x).gradients) == 6.0
    assert float(tape.gradient(y, x)) == 6.0


def test_an_unconnected_source_has_its_own_step():
    x, u = tf.Variable(3.0), tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x * x
    player = viz.step(tape, y, [x, u])
    assert player.gradients[1] is None
    assert "`u`" in [s for s in player.trace.steps if s.kind == "unconnected"][0].sentence


def test_an_engine_without_a_viewer_keeps_nothing_extra():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        tf.reduce_sum(tf.exp(x + 1.0))
    kept = [
        entry
        for record in tape.recording.records
        for entry in record
        if isinstance(entry, tf.Tensor | np.ndarray | np.generic)
    ]
    assert len(kept) == 1  # the result of exp; nothing of add, nothing of the sum


@pytest.mark.parametrize("thing", [None, 3.0, "tape"])
def test_something_that_is_no_tape_is_refused_with_the_right_line(thing):
    with pytest.raises(TypeError, match=r"with tf\.GradientTape\(\) as tape"):
        viz.step(thing, tf.constant(1.0), tf.constant(1.0))


def test_a_used_tape_is_refused_with_the_way_out():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    with pytest.raises(RuntimeError, match="persistent=True"):
        viz.step(tape, y, x)


def test_saving_into_a_missing_folder_leaves_no_file(tmp_path):
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    with pytest.raises(FileNotFoundError, match="missing"):
        viz.step(tape, y, x).save(tmp_path / "missing" / "x.html")
    assert list(tmp_path.iterdir()) == []


def test_a_function_with_its_own_gradient_is_a_node_of_its_name_with_its_arguments():
    @tf.custom_gradient
    def halved(v):
        return v, lambda upstream: 0.5 * upstream

    x = tf.Variable(3.0)
    with viz.recording(), tf.GradientTape() as tape:
        y = halved(x)
    trace = viz.step(tape, y, x).trace
    (node,) = [n for n in trace.nodes if n.kind == "op"]
    assert node.op == "halved"
    assert [trace.nodes[i].name for i in node.inputs] == ["x"]
    assert node.numbers == "halved(3.0) = 3.0"
    pulls = [step.sentence for step in trace.steps if step.kind == "pull"]
    assert pulls == ["The cotangent of `y` is 1.0; `halved` passes 0.5 to `x`."]


def test_a_sweep_without_a_gradient_shows_its_steps_up_to_the_op_that_has_none():
    x = tf.Variable([[[0.5, 0.25, 0.0]]])
    with viz.recording(), tf.GradientTape() as tape:
        contrast = tf.image.adjust_contrast(x, 2.0)
        loss = tf.reduce_sum(contrast * contrast)
    player = viz.step(tape, loss, x)
    *before, last = player.trace.steps
    nodes = player.trace.nodes
    assert [(s.kind, nodes[s.node].op) for s in before[-4:]] == [
        ("pull", "multiply"), ("pull", "multiply"), ("accumulate", "adjust_contrast_op"),
        ("release", "multiply"),
    ]  # fmt: skip
    assert (last.kind, nodes[last.node].op) == ("unconnected", "adjust_contrast_op")
    # The contrast of one pixel is the pixel, so the cotangent that arrives is twice the image.
    assert last.total.data == (1.0, 0.5, 0.0)
    assert "gradient registry has no entry for: AdjustContrastv2" in last.sentence
    assert "Register one with" in last.sentence
    assert last.line.text.strip() == "contrast = tf.image.adjust_contrast(x, 2.0)"
    assert [b.node for b in player.trace.breaks] == [last.node]
    with pytest.raises(LookupError, match="AdjustContrastv2"):
        assert player.gradients


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_value_that_nobody_kept_has_the_shape_and_dtype_of_its_cotangent(dtype):
    x = tf.Variable(np.ones((1, 2), dtype))
    with tf.GradientTape(persistent=True) as tape:
        y = tf.reshape(x + tf.constant(np.ones((3, 2), dtype)), [6])
        loss = tf.reduce_mean(y[1:] * 1.0) * 2.0
        del y
    nodes = [node for node in viz.step(tape, loss, x).trace.nodes if node.kind == "op"]
    shapes = {node.op: node.shape for node in nodes}
    assert (shapes["add"], shapes["reshape"], shapes["reduce_mean"]) == ((3, 2), (6,), ())
    assert {node.dtype for node in nodes} == {np.dtype(dtype).name}
