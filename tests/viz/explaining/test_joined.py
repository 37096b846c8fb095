"""A None in a tape's trace: what ran beside the tape is there, and the cross where the way ends."""

from __future__ import annotations

import re

import numpy as np
import pytest

import minitape as tf
from minitape import viz
from minitape.viz.picture.svg import svg
from minitape.viz.trace.trace import Trace, check


def by_name(trace):
    return {node.name or node.op: node for node in trace.nodes}


def ends_of_break(trace, number=0):
    """The nodes that a break lies between."""
    broken = trace.breaks[number]
    node = trace.nodes[broken.node]
    return trace.nodes[node.inputs[broken.position]], node


def test_a_value_that_left_for_numpy_breaks_after_the_last_op_and_not_at_the_source():
    x = tf.Variable([1.0, -2.0, 3.0])
    with viz.recording(), tf.GradientTape() as tape:
        scaled = x * 0.5
        squares = tf.constant(np.square(scaled.numpy()))
        loss = tf.reduce_sum(squares)
    trace = viz.step(tape, loss, x).trace
    check(trace)
    assert [each.name for each in ends_of_break(trace)] == ["scaled", "squares"]
    found = by_name(trace)
    assert (found["loss"].op, found["loss"].watched) == ("reduce_sum", False)
    assert found["squares"].value.data == (0.25, 1.0, 2.25)
    assert "np.square" in trace.breaks[0].line.text
    assert "`scaled`" in trace.breaks[0].cause
    assert trace.breaks[0].correction.split("\n")[-1].split() == [
        "+",
        "squares",
        "=",
        "tf.square(scaled)",
    ]
    assert trace.breaks[0].corrected == ""  # nothing was run


def test_each_of_several_sources_has_its_own_cross():
    a, b, c = (tf.Variable(float(i)) for i in (1, 2, 3))
    with viz.recording(), tf.GradientTape() as tape:
        whole = tf.cast(b, tf.int32)
        stopped = tf.stop_gradient(c * c)
        y = a * 2.0 + tf.cast(whole, tf.float32) + stopped
    trace = viz.step(tape, y, [a, b, c]).trace
    check(trace)
    assert [ends_of_break(trace, i)[1].name for i in range(2)] == ["whole", "stopped"]
    assert [each.note for each in trace.breaks] == ["cast to int32", "stop_gradient"]
    assert trace.gradients[trace.sources[0]].data == (2.0,)
    assert sum(step.kind == "forward" for step in trace.steps) == sum(
        node.kind == "op" and node.watched for node in trace.nodes
    )


def test_the_notes_of_two_cuts_in_a_row_stand_outside_of_both():
    x = tf.Variable(4.0)
    with viz.recording(), tf.GradientTape() as tape:
        y = tf.stop_gradient(x) * 2.0 + tf.square(tf.stop_gradient(x)) * 3.0
    drawn = viz.explain(tape, y, x).picture.svg
    found = re.findall(r'<g class="break".*?cx="([\d.]+)".*?<rect x="([\d.]+)"', drawn)
    (left, its_note), (right, note) = sorted((float(cross), float(at)) for cross, at in found)
    assert its_note < left < right < note


def test_a_variable_that_was_assigned_hangs_on_what_it_was_given():
    w, state = tf.Variable(2.0), tf.Variable(0.0)
    with viz.recording(), tf.GradientTape() as tape:
        z = w * 3.0
        state.assign(z)
        loss = tf.square(state)
    trace = viz.step(tape, loss, w).trace
    assert [each.name for each in ends_of_break(trace)] == ["z", "state"]
    assert [trace.nodes[i].name for i in by_name(trace)["loss"].inputs] == ["state"]


def test_an_op_outside_of_the_tape_is_drawn_as_one_that_the_tape_does_not_have():
    w = tf.Variable(2.0)
    with viz.recording():
        z = w * w
        with tf.GradientTape() as tape:
            y = tf.sin(z) * 3.0
            other = w * 1.0
    trace = viz.step(tape, y, w).trace
    assert by_name(trace)["z"].inputs == (0, 0)
    drawing = svg(viz.step(tape, y + other, w).trace)
    assert "n op beside" not in drawing


def test_without_a_recording_the_trace_is_the_tapes_own():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.constant(float(x) * 3.0)
        z = x * 1.0
    trace = viz.step(tape, y, x).trace
    check(trace)
    assert trace.gradients == {trace.sources[0]: None}
    assert z.shape == ()


@pytest.mark.slow
def test_the_page_of_a_script_shows_the_correction_that_was_run(tmp_path, monkeypatch, capsys):
    from minitape.__main__ import main
    from minitape.viz.diagnosis.views import traces as of_traces

    own = of_traces.with_corrections
    script = tmp_path / "lesson.py"
    script.write_text(
        "import numpy as np\nimport minitape as tf\n\nx = tf.Variable([1.0, -2.0, 3.0])\n"
        "with tf.GradientTape() as tape:\n    scaled = x * 0.5\n"
        "    squares = tf.constant(np.square(scaled.numpy()))\n"
        "    loss = tf.reduce_sum(squares)\nprint(tape.gradient(loss, x))\n"
    )
    kept = []

    def noted(*arguments):
        kept.extend(own(*arguments))
        return kept

    monkeypatch.setattr(of_traces, "LONGEST", 30.0)
    monkeypatch.setattr("minitape.viz.diagnosis.views.traces.with_corrections", noted, raising=True)
    monkeypatch.chdir(tmp_path)
    assert main(["step", "lesson.py"]) == 0
    (broken,) = kept[0].breaks
    assert "+     squares = tf.square(scaled)" in broken.correction
    assert "Tried: the gradient is [0.5, -1, 1.5]." in broken.correction
    corrected = Trace.from_json(broken.corrected)
    (gradient,) = corrected.gradients.values()
    assert gradient is not None
    assert gradient.data == (0.5, -1.0, 1.5)
    assert [node.op for node in corrected.nodes if node.kind == "op"] == [
        "multiply",
        "square",
        "reduce_sum",
    ]
