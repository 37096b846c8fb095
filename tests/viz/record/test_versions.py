"""An op shows the value that it read, whatever its variables hold now."""

import copy

import numpy as np
import pytest

import minitape as tf
from minitape import viz


def said(player):
    return " ".join(step.numbers for step in player.trace.steps)


def nodes(player, name):
    return [node for node in player.trace.nodes if node.name == name]


@pytest.mark.parametrize("recorded", [True, False])
def test_after_an_update_the_player_shows_the_values_that_were_read(recorded):
    w, x = tf.Variable(3.0), tf.constant(2.0)
    with viz.recording() if recorded else tf.name_scope("plain"), tf.GradientTape(True) as tape:
        z = (w * x + 1.0) * w
    w.assign_sub(0.5)
    player = viz.step(tape, z, w)
    assert "3.0 · 2 = 6.0" in said(player)
    assert [node.value.data for node in nodes(player, "w")] == [(3.0,)]
    assert float(player.gradients) == 3.0 * 2.0 + 7.0


def test_a_variable_that_is_assigned_between_two_uses_is_two_values():
    v = tf.Variable([1.0, 2.0])
    with viz.recording(), tf.GradientTape() as tape:
        y = v * 2.0
        v.assign([10.0, 20.0])
        z = tf.reduce_sum(y * v)
    trace = viz.step(tape, z, v).trace
    (first,), (second,) = nodes(viz.step(tape, z, v), "v"), nodes(viz.step(tape, z, v), "v₂")
    assert (first.value.data, second.value.data) == ((1.0, 2.0), (10.0, 20.0))
    assert (second.alias_of, second.version) == (first.id, 1)
    assert "v.assign([10.0, 20.0])" in second.line.text
    assert any("`v₂` is `v` after an assignment" in note for note in trace.notes)
    assert trace.gradients[first.id].data == (2.0 * 10.0 + 2.0, 2.0 * 20.0 + 4.0)
    assert viz.Trace.from_json(trace.to_json()) == trace


def test_without_a_recording_both_values_come_from_the_records():
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = v * v
        v.assign(5.0)
        z = y * v
    v.assign(7.0)
    player = viz.step(tape, z, v)
    assert "3.0 · 3.0 = 9.0" in said(player)
    assert "9.0 · 5.0 = 45.0" in said(player)


def test_a_value_that_nothing_kept_is_not_shown_after_an_assignment():
    b = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = tf.constant(2.0) + b
    assert nodes(viz.step(tape, y, b), "b")[0].value.data == (1.0,)
    with tf.GradientTape() as tape:
        y = tf.constant(2.0) + b
    b.assign(9.0)
    assert nodes(viz.step(tape, y, b), "b")[0].value is None


def test_a_value_kept_for_one_op_counts_for_another_where_nothing_was_assigned_between():
    w = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = (w + 1.0) * w  # the addition keeps nothing
    w.assign(9.0)
    assert [node.value.data for node in nodes(viz.step(tape, y, w), "w")] == [(3.0,)]


def test_a_sum_over_two_values_of_a_variable_starts_with_what_came_before():
    v = tf.Variable(2.0)
    with viz.recording(), tf.GradientTape() as tape:
        y = v * v * v
        v.assign(5.0)
        z = y * v
    met = [step for step in viz.step(tape, z, v).trace.steps if step.kind == "accumulate"]
    assert [(s.old.data[0], s.contribution.data[0], s.total.data[0]) for s in met] == [
        (8.0, 20.0, 28.0), (28.0, 20.0, 48.0), (48.0, 20.0, 68.0),  # y, then 3 times z's 5 · v · v
    ]  # fmt: skip


def test_tangents_start_from_the_values_that_were_read():
    v = tf.Variable(2.0)
    with viz.recording(), tf.GradientTape() as tape:
        y = v * v
        v.assign(5.0)
        z = y * v
    steps = viz.push(tape, z, v).trace.steps
    assert steps[-1].total.data == (4.0 + 2 * 2.0 * 5.0,)


def test_an_assignment_of_the_same_value_makes_no_second_node():
    v = tf.Variable(2.0)
    with viz.recording(), tf.GradientTape() as tape:
        y = v * v
        v.assign(2.0)
        z = y * v
    assert not nodes(viz.step(tape, z, v), "v₂")


def test_indices_that_a_tape_does_not_follow_are_told_apart():
    w = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        y = tf.gather(w, tf.constant([0])) * tf.gather(w, tf.constant([2]))
    shown = [node.value.data for node in viz.step(tape, y, w).trace.nodes if not node.watched]
    assert shown == [(0,), (2,)]


def test_a_copied_variable_counts_its_own_assignments():
    v = tf.Variable(1.0)
    v.assign(2.0)
    other = copy.deepcopy(v)
    with tf.GradientTape() as tape:
        y = other + 1.0
    (node,) = nodes(viz.step(tape, y, other), "other")
    assert np.array_equal(node.value.data, (2.0,))
