"""Large tapes: which nodes become one box, and the smaller trace that is drawn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import minitape as tf
from minitape import viz
from minitape.viz.layout import layout
from minitape.viz.picture.svg import svg
from minitape.viz.trace.trace import Trace
from minitape.viz.views.groups import groups
from minitape.viz.views.views import collapsed_view, inside
from tapes import recurrent, scattered
from viz_traces import EXAMPLES, chain, diamond, graph, network

LARGE = [
    lambda: chain(1_000), lambda: network(80), lambda: recurrent(200), lambda: scattered(1_500, 3),
    lambda: graph([()] + [(0,)] * 1_000), lambda: graph([()] * 700 + [(0, 1)]),
]  # fmt: skip


def looped(rounds):
    """Three ops in a loop before and after which other ops run."""
    trace = graph([(), (0,), (1,), *[(i,) for i in range(2, 2 + 3 * rounds)], (2 + 3 * rounds,)])
    names = ["sin", "exp", "mul"]
    ops = ["a", "b", *(names[i % 3] for i in range(3 * rounds)), "z"]
    nodes = [
        trace.nodes[0],
        *(replace(n, op=op) for n, op in zip(trace.nodes[1:], ops, strict=True)),
    ]
    return replace(trace, nodes=tuple(nodes))


def test_small_tape_has_no_groups_and_its_view_is_itself():
    assert groups(diamond()) == ()
    assert collapsed_view(diamond()).trace == diamond()


@pytest.mark.slow
@pytest.mark.parametrize("tape", LARGE)
def test_view_is_a_valid_trace_however_it_is_opened(tape):
    trace = tape()
    grouping = groups(trace, limit=100)
    for opened in ([], [g.id for g in grouping[::2]], [g.id for g in grouping]):
        view = collapsed_view(trace, opened, grouping)
        Trace.from_json(view.trace.to_json())
        assert sorted(n for m in view.members for n in m) == list(range(len(trace.nodes)))
    assert len(collapsed_view(trace, [g.id for g in grouping], grouping).trace.nodes) == len(
        trace.nodes
    )


@pytest.mark.slow
@pytest.mark.parametrize("tape", LARGE[:4])
def test_closed_view_and_every_inside_are_small(tape):
    trace = tape()
    grouping = groups(trace, limit=100)
    assert len(collapsed_view(trace, (), grouping).trace.nodes) <= 130
    for group in grouping:
        view = inside(trace, group.id, grouping)
        Trace.from_json(view.trace.to_json())
        assert len(view.trace.nodes) <= 300


def test_scopes_become_groups_that_hide_their_weights():
    trace = network(80)
    around, first = groups(trace)[:2]
    assert (around.kind, around.label) == ("part", "dense_0 … dense_3")
    assert (first.kind, first.label, first.parent) == ("scope", "dense_0", 0)
    assert {trace.nodes[n].name for n in first.nodes} >= {"w0", "b0", "h0"}


def test_of_a_loop_of_many_rounds_the_first_and_the_last_are_seen_and_one_group_between_them():
    grouping = groups(looped(40), limit=20)
    seen = [g.label for g in grouping if g.parent is None]
    ends = [f"round {i}" for i in (1, 2, 3, 4, 5, 36, 37, 38, 39, 40)]
    assert seen == [*ends[:5], "round 6 … 35", *ends[5:]]
    rounds = [g for g in grouping if g.kind == "loop" and g.label.startswith("round")]
    assert len(rounds) == 40
    assert {len(g.nodes) for g in rounds} == {3}


def test_input_that_several_groups_use_stays_outside():
    trace = recurrent(200)
    view = collapsed_view(trace)
    assert [view.members[view.place[n]] for n in (0, 1)] == [(0,), (1,)]


def test_gradients_of_shown_sources_stay_in_the_view():
    trace = EXAMPLES["chain_1000"]()
    view = collapsed_view(trace)
    assert view.trace.nodes[view.trace.targets[0]].op.endswith("ops")
    assert {"seed", "pull", "release"} < {step.kind for step in view.trace.steps}
    assert list(view.steps) == sorted(view.steps)


@pytest.mark.slow
def test_view_of_ten_thousand_ops_is_drawn_like_any_trace():
    view = collapsed_view(chain(10_000))
    assert len(view.trace.nodes) <= 60
    assert svg(view.trace, layout(view.trace)).startswith("<svg")


def test_group_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="there is no group 5; this trace has 0 groups"):
        collapsed_view(diamond(), [5])
    with pytest.raises(ValueError, match="limit=3 is too small"):
        groups(diamond(), limit=3)


def deep_model(rounds):
    """A long program with Keras layers inside of named parts, recorded."""
    layers = [tf.keras.layers.Dense(2, activation="tanh", name=f"dense_{i}") for i in range(3)]
    x = tf.constant([[1.0, -1.0]])
    with viz.recording(), tf.GradientTape() as tape:
        h = x
        for part in range(rounds):
            with tf.name_scope(f"part_{part}"):
                for layer in layers:
                    h = layer(h)
                h = h * float(part + 1)
        y = tf.reduce_sum(h)
    return viz.step(tape, y, layers[0].kernel).trace


def test_a_large_tape_opens_with_its_name_scopes_closed_and_the_layers_inside_of_them():
    trace = deep_model(12)
    found = groups(trace, 30)
    named = [group for group in found if group.kind == "scope"]
    outer = [g.label for g in named if g.label.startswith("part_")]
    assert outer == [f"part_{i}" for i in range(12)]
    inside = [g.label for g in named if g.parent is not None and g.label.startswith("dense_")]
    assert inside == [f"dense_{i}" for i in range(3)] * 12


def test_a_sentence_says_in_which_name_scope_an_op_is():
    sentences = [step.sentence for step in deep_model(1).steps]
    assert any(each.startswith("In `part_0/dense_1`, `matmul` of") for each in sentences)


def test_a_hostile_name_scope_is_shown_as_text():
    x = tf.Variable(2.0)
    with viz.recording(), tf.GradientTape() as tape, tf.name_scope("<b>`\n" + "x" * 1000):
        y = x * x
    player = viz.step(tape, y, x)
    sentence = player.trace.steps[0].sentence
    assert "\n" not in sentence and sentence.count("`") % 2 == 0 and len(sentence) < 300
    assert "<b>" not in player._repr_mimebundle_()["text/html"]


def rounds_in(trace):
    names = [node.name for node in collapsed_view(trace).trace.nodes]
    return [name for name in names if name.startswith("round")], len(names)


@pytest.mark.parametrize("rounds", [10, 12, 20])
def test_the_first_view_of_a_loop_that_fits_is_its_rounds(rounds):
    shown, boxes = rounds_in(looped(rounds))
    assert shown == [f"round {i + 1}" for i in range(rounds)]
    assert boxes <= 30


def wide(shared):
    """Every op takes a leaf of its own and some that all take."""
    count = 200
    leaves = [()] * (count + shared)
    ops = [(i, *range(count, count + shared)) for i in range(count)]
    return graph([*leaves, *ops])


UNFOLDED = [
    lambda: chain(31), lambda: chain(1_000), lambda: network(80), lambda: recurrent(200),
    lambda: scattered(1_500, 3), lambda: graph([()] + [(0,)] * 1_000), lambda: looped(40),
    lambda: graph([()] * 700 + [(0, 1)]), lambda: wide(3), lambda: wide(50), lambda: deep_model(12),
]  # fmt: skip


@pytest.mark.parametrize("tape", UNFOLDED)
def test_the_first_view_of_any_tape_has_thirty_boxes_at_most(tape):
    trace = tape()
    view = collapsed_view(trace)
    assert 1 < len(view.trace.nodes) <= 30
    assert sorted(n for m in view.members for n in m) == list(range(len(trace.nodes)))
    Trace.from_json(view.trace.to_json())


def test_a_tape_that_fits_is_not_folded_though_it_has_scopes():
    trace = deep_model(1)
    assert len(trace.nodes) <= 30
    assert groups(trace) == ()


@pytest.mark.parametrize(
    ("layer", "last"), [(lambda y: tf.sin(y * 2.0), "layer_44"), (tf.sin, "sin")]
)
def test_a_model_of_too_many_layers_opens_to_neighbours_among_them_not_to_one_box(layer, last):
    with viz.recording(), tf.GradientTape() as tape:
        y = x = tf.Variable(0.5)
        with tf.name_scope("model"):
            for i in range(45):
                with tf.name_scope(f"layer_{i}"):
                    y = layer(y)
        y = y * y
    view = collapsed_view(viz.step(tape, y, x).trace)
    names = [node.name or node.op for node in view.trace.nodes if node.kind == "op"]
    assert names[:2] == ["layer_0 … layer_1", "layer_2 … layer_3"]
    assert names[-2:] == [last, "y"]  # the odd one is itself
    assert len(view.trace.nodes) <= 30


def test_a_trained_model_opens_to_its_layers_though_its_loss_has_a_scope_as_well():
    keras = tf.keras
    inputs = h = keras.Input((4,))
    for i in range(20):
        h = keras.layers.Dense(4, name=f"dense_{i}")(h)
        h = keras.layers.LayerNormalization(name=f"norm_{i}")(h)
    model = keras.Model(inputs, h, name="net")
    x, labels = np.ones((2, 4), np.float32), tf.constant([1, 3])
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    with viz.recording(), tf.GradientTape() as tape:
        loss = loss_of(labels, model(x))
    view = collapsed_view(viz.step(tape, loss, model.trainable_variables).trace)
    names = [node.name for node in view.trace.nodes if node.kind == "op"]
    assert names[:2] == ["dense_0 … norm_0", "dense_1 … norm_1"]
    assert names[-1] == "sparse_categorical_crossentropy"
    assert len(view.trace.nodes) <= 30


def test_ops_without_names_are_folded_by_the_line_that_made_them():
    d = np.random.default_rng(0)
    W = [tf.Variable(d.normal(size=(3, 3))) for _ in range(4)]
    x = tf.Variable(d.normal(size=(2, 3)))
    with viz.recording(), tf.GradientTape() as tape:
        a = tf.sin(x @ W[0]) * tf.cos(x @ W[1]) + tf.exp(-tf.square(x @ W[2])) + 1.0
        b = tf.tanh(a @ W[3]) / (1.0 + tf.abs(a)) - tf.sqrt(tf.square(a) + 2.0) * 3.0
        c = tf.nn.softplus(b) * tf.sigmoid(b) + tf.sinh(b) - tf.atan(b) * 4.0 + 5.0
        y = tf.reduce_sum(tf.square(c))
    found = groups(viz.step(tape, y, x).trace)
    labels = [group.label.split(" (")[0] for group in found if group.kind == "line"]
    assert labels == ["a", "b", "c", "y"]


def test_two_long_rounds_are_rounds():
    trace = graph([(), *[(i,) for i in range(40)]])
    ops = [f"op{i % 20}" for i in range(40)]
    nodes = [replace(n, op=op) for n, op in zip(trace.nodes[1:], ops, strict=True)]
    folded = replace(trace, nodes=(trace.nodes[0], *nodes))
    assert rounds_in(folded)[0] == ["round 1", "round 2"]
