"""What is folded by name: functions of learner and toolkit, and forms written by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minitape as tf
from minitape import viz
from minitape.viz.views.chapters import chapters
from minitape.viz.views.groups import groups
from minitape.viz.views.named import paths
from minitape.viz.views.patterns import patterns
from minitape.viz.views.views import collapsed_view

X = np.arange(12.0).reshape(3, 4)


def recorded(program: Any) -> Any:
    """The trace of a function of one variable and a scale and a shift."""
    x, scale, shift = tf.Variable(X), tf.Variable(np.ones(4)), tf.Variable(np.zeros(4))
    with viz.recording(), tf.GradientTape() as tape:
        y = program(x, scale, shift)
        loss = tf.reduce_sum(tf.square(y))
    return viz.step(tape, loss, [x, scale, shift]).trace


def forms_of(trace: Any) -> list[tuple[str, list[str]]]:
    ops = {node.id: node.op for node in trace.nodes if node.kind == "op"}
    return [(name, [ops[i] for i in run if i in ops]) for name, run in patterns(trace.nodes)]


def by_quotient(x: Any, scale: Any, shift: Any) -> Any:
    mean = tf.reduce_mean(x, axis=-1, keepdims=True)
    variance = tf.reduce_mean(tf.square(x - mean), axis=-1, keepdims=True)
    return (x - mean) / tf.sqrt(variance + 1e-5) * scale + shift


def by_rsqrt(x: Any, scale: Any, shift: Any) -> Any:
    centred = x - tf.reduce_mean(x, axis=0)
    variance = tf.reduce_mean(centred * centred, axis=0)
    return scale * (tf.math.rsqrt(variance + 1e-5) * centred) + shift


@pytest.mark.parametrize(("program", "ends"), [(by_quotient, "divide"), (by_rsqrt, "multiply")])
def test_a_normalisation_by_hand_is_one_form_with_its_scale_and_shift(program: Any, ends: str):
    [(name, ops)] = forms_of(recorded(program))
    assert name == "normalisation"
    assert ops[0] == "reduce_mean" and ops[-3:] == [ends, "multiply", "add"]


def test_a_normalisation_without_scale_ends_at_its_quotient():
    def program(x: Any, scale: Any, shift: Any) -> Any:
        normal = (x - tf.reduce_mean(x)) / (tf.math.reduce_std(x) + 1e-3)
        return tf.tanh(normal @ X[:1].T)

    found = forms_of(recorded(program))
    assert all("tanh" not in ops for _, ops in found)


def test_softmax_log_softmax_and_attention_by_hand_are_forms():
    def softmax(x: Any, scale: Any, shift: Any) -> Any:
        raised = tf.exp(x - tf.reduce_max(x, axis=-1, keepdims=True))
        return raised / tf.reduce_sum(raised, axis=-1, keepdims=True)

    def log_softmax(x: Any, scale: Any, shift: Any) -> Any:
        return x - tf.math.log(tf.reduce_sum(tf.exp(x), axis=-1, keepdims=True))

    def attention(x: Any, scale: Any, shift: Any) -> Any:
        query, key = x * scale, x + shift
        raised = tf.exp(tf.matmul(query, key, transpose_b=True) / 2.0)
        return raised / tf.reduce_sum(raised, axis=-1, keepdims=True) @ x

    assert [name for name, _ in forms_of(recorded(softmax))] == ["softmax"]
    assert [name for name, _ in forms_of(recorded(log_softmax))] == ["log-softmax"]
    [(name, ops)] = forms_of(recorded(attention))
    assert name == "attention"
    assert ops == ["matrix_transpose", "matmul", "divide", "exp", "reduce_sum", "divide", "matmul"]


@pytest.mark.parametrize(
    "program",
    [
        lambda x, scale, shift: (x - tf.reduce_mean(scale)) / tf.sqrt(tf.reduce_mean(x) + 20.0),
        lambda x, scale, shift: tf.exp(x) / tf.reduce_sum(tf.exp(x + 1.0)),
        lambda x, scale, shift: x - tf.math.log(tf.reduce_sum(tf.exp(-x))),
        lambda x, scale, shift: (x - tf.reduce_mean(x)) * tf.sqrt(shift + 2.0),
    ],
)
def test_what_computes_something_else_is_no_form(program: Any):
    assert forms_of(recorded(program)) == []


def block(x: Any, weight: Any) -> Any:
    return tf.tanh(x @ weight) + x


def test_functions_around_ops_fold_a_large_tape_and_name_its_chapters():
    def end(y: Any) -> Any:
        for i in range(12):
            y = tf.sin(y) * float(i)
        return tf.cos(y)

    x = tf.constant(X)
    weights = [tf.Variable(np.eye(4)) for _ in range(2)]
    with viz.recording(), tf.GradientTape() as tape:
        y = tf.nn.gelu(block(block(x, weights[0]), weights[1]))
        y = end(y)
        loss = tf.reduce_sum(y)
    trace = viz.step(tape, loss, weights).trace
    names = [path[1] for path in paths(trace.nodes) if len(path) > 1]
    assert [name for i, name in enumerate(names) if name != (names[i - 1] if i else "")] == [
        "block", "gelu", "end",
    ]  # fmt: skip
    assert len(collapsed_view(trace, (), groups(trace)).trace.nodes) <= 30


def test_layers_written_one_by_one_are_chapters_and_the_loss_is_one():
    W1, W2 = tf.Variable(np.ones((4, 5))), tf.Variable(np.ones((5, 2)))
    b1 = tf.Variable(np.zeros(5))
    with viz.recording(), tf.GradientTape() as tape:
        hidden = tf.nn.relu(tf.constant(X) @ W1 + b1)
        out = hidden @ W2
        loss = tf.reduce_mean(tf.square(out - 1.0))
    trace = viz.step(tape, loss, [W1, b1, W2]).trace
    named = {trace.nodes[i].op: chapter for i, chapter in chapters(trace.nodes).items()}
    assert named == {
        "add": "layer 1", "relu": "layer 1", "matmul": "layer 2", "subtract": "loss",
        "square": "loss", "reduce_mean": "loss",
    }  # fmt: skip


def test_products_side_by_side_are_no_layers_but_lines_are_chapters():
    Wq, Wk = tf.Variable(np.ones((4, 2))), tf.Variable(np.ones((4, 2)))
    x = tf.constant(X)
    with viz.recording(), tf.GradientTape() as tape:
        query, key = x @ Wq, x @ Wk
        scores = tf.matmul(query, key, transpose_b=True) / 2.0
        loss = tf.reduce_sum(scores)
    named = chapters(viz.step(tape, loss, [Wq, Wk]).trace.nodes)
    assert list(dict.fromkeys(named.values())) == ["query, key", "scores", "loss"]


def test_a_loop_whose_first_round_lacks_ops_has_it_as_a_round_all_the_same() -> None:
    w = tf.Variable(0.5)
    with viz.recording(), tf.GradientTape() as tape:
        y = tf.constant(1.0)  # not followed: the first square is not on the tape
        for _ in range(3):
            y = tf.sin(tf.square(y) * w)
        loss = y * 2.0
    trace = viz.step(tape, loss, w).trace
    named = chapters(trace.nodes)
    assert [trace.nodes[i].op for i in named] == [
        "multiply", "sin", *["square", "multiply", "sin"] * 2,
    ]  # fmt: skip
    assert list(named.values()) == ["round 1"] * 2 + ["round 2"] * 3 + ["round 3"] * 3


def test_variables_in_lists_of_lists_are_called_by_their_place_or_their_own_name():
    layers = [[tf.Variable(1.0), tf.Variable(2.0, name="shift")] for _ in range(2)]
    x = tf.constant(3.0)
    with viz.recording(), tf.GradientTape() as tape:
        y = x
        for i in range(2):
            y = y * layers[i][0] + layers[i][1]
    trace = viz.step(tape, y, [v for layer in layers for v in layer]).trace
    names = [trace.nodes[i].name for i in trace.sources]
    assert names == ["layers[0][0]", "shift", "layers[1][0]", "shift"]


def test_variables_of_layers_in_a_list_are_called_by_their_layer():
    def program(model: tf.keras.Sequential) -> list[str]:
        weights = model.trainable_variables
        with viz.recording(), tf.GradientTape() as tape:
            loss = tf.reduce_sum(model(tf.ones([1, 2])))
        trace = viz.step(tape, loss, weights).trace
        return [trace.nodes[i].name for i in trace.sources]

    layers = [tf.keras.layers.Dense(2, name=name) for name in ("hidden", "top")]
    names = program(tf.keras.Sequential([tf.keras.Input([2]), *layers]))
    assert names == ["hidden.kernel", "hidden.bias", "top.kernel", "top.bias"]


def constants_of(*arrays):
    """The names of constants that are made of arrays, as this function or its caller knows them."""
    w = tf.Variable([[2.0], [1.0]])
    with viz.recording(), tf.GradientTape() as tape:
        loss = tf.add_n([tf.reduce_sum(tf.constant(x, tf.float32) @ w) for x in arrays])
    trace = viz.step(tape, loss, w).trace
    return [node.name for node in trace.nodes if node.kind == "constant"]


IMAGES, ZEROS, TWIN = np.array([[1.0, 2.0], [3.0, 5.0]]), np.zeros((2, 2)), np.zeros((2, 2))
SAME_IMAGES = IMAGES


def test_a_constant_made_of_an_array_of_the_program_has_its_name():
    assert constants_of(IMAGES) == ["IMAGES"]  # of its two names the first
    assert constants_of(IMAGES + 1.0) == [""]


def test_a_constant_that_two_arrays_are_like_has_no_name():
    assert constants_of(ZEROS) == [""]  # `TWIN` has the same elements


def test_the_name_of_an_array_is_the_nearest_one():
    w, batch = tf.Variable([[2.0], [1.0]]), IMAGES
    with viz.recording(), tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.constant(batch, tf.float32) @ w)
    trace = viz.step(tape, loss, w).trace
    assert [node.name for node in trace.nodes if node.kind == "constant"] == ["batch"]


def test_no_gradient_is_lost_where_two_sources_have_one_name():
    one, two = tf.Variable(2.0, name="w"), tf.Variable(5.0, name="w")
    ends = [[one], [two]]
    del one, two
    with viz.recording(), tf.GradientTape() as tape:
        loss = ends[0][0] * ends[1][0]
    player = viz.step(tape, loss, [ends[0][0], ends[1][0]])
    assert repr(player).endswith("gradient for w: 5.0; gradient for w (node 1): 2.0>")
