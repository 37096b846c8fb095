"""TensorFlow functions in the player: 25 programs, gradients beside TensorFlow's own."""

from __future__ import annotations

import json

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow", reason="TensorFlow is not installed (see .ci/run)")

from again import assert_every_step_follows  # noqa: E402
from tensorflow_rules import RULES  # noqa: E402

import minitape.viz.adapters.tensorflow as adapter  # noqa: E402
from minitape.viz.trace.schema import schema  # noqa: E402
from minitape.viz.trace.trace import Trace  # noqa: E402

AGREE = "The gradients are those of one tf.GradientTape around the whole function."


def draw(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def attention(q, k, v):
    weights = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / 1.7)
    return tf.reduce_sum(tf.square(weights @ v))


def normalised(x, g, b):
    centred = x - tf.reduce_mean(x, -1, keepdims=True)
    scale = tf.math.rsqrt(tf.reduce_mean(centred**2, -1, keepdims=True) + 1e-3)
    return tf.reduce_sum((centred * scale * g + b) ** 2)


def rnn(w, u):
    h = tf.zeros([1, 3])
    for x in draw(4, 1, 2, seed=2):
        h = tf.tanh(x @ u + h @ w)
    return tf.reduce_sum(h)


def several(x):
    a, b, c = tf.split(x, [1, 2, 3])
    return tf.exp(tf.reduce_sum(a) * tf.reduce_sum(b)) + tf.reduce_sum(c**2)


def joined(a, b):
    c = tf.concat([a, b], 1)
    return tf.reduce_sum(tf.stack([c, c]) * c)


def updated(x):
    return tf.reduce_sum(tf.tensor_scatter_nd_update(x, [[1]], [x[0] * 3.0]) ** 2)


def classified(w):
    logits = draw(3, 4) @ w
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits([0, 1, 2], logits))


def convolved(x, k):
    return tf.reduce_sum(
        tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, k, 1, "VALID")), 2, 2, "VALID")
    )


PROGRAMS = {
    "scalars": (lambda a, b: tf.tanh(a * b + a) * b, (2.0, -3.0)),
    "powers": (lambda x: tf.reduce_sum(x**3 + 2.0 * x**2), (draw(3),)),
    "quotient": (lambda a, b: (a / b - b) / a, (2.0, -3.0)),
    "line": (lambda w, b: tf.reduce_mean((w * np.float32([0, 1, 2]) + b - 1.0) ** 2), (2.0, 1.0)),
    "broadcast": (lambda x, b: tf.reduce_mean(tf.exp(x * b + b)), (draw(3, 4), draw(4))),
    "mlp": (
        lambda w, b, v: tf.reduce_mean((tf.tanh(draw(5, 3) @ w + b) @ v) ** 2),
        (draw(3, 4), draw(4), draw(4, 1)),
    ),
    "classifier": (classified, (draw(4, 5),)),
    "convnet": (convolved, (draw(1, 6, 6, 1), draw(3, 3, 1, 2))),
    "attention": (attention, (draw(4, 3), draw(4, 3, seed=1), draw(4, 3, seed=2))),
    "layer normalisation": (normalised, (draw(3, 4), draw(4, seed=1), draw(4, seed=2))),
    "rnn": (rnn, (draw(3, 3), draw(2, 3, seed=1))),
    "reuse": (lambda x: (x * x) * (x * x) + x * x * x, (1.5,)),
    "where": (lambda x: tf.reduce_sum(tf.where(x > 0, x * 2.0, tf.exp(x))), (draw(5),)),
    "python branch": (lambda x: tf.sin(x * 3.0), (2.0,)),
    "updates": (updated, (draw(4),)),
    "views": (
        lambda x: tf.reduce_sum(tf.transpose(tf.reshape(x, [3, 4]))[1:3] * 2.0),
        (draw(2, 6),),
    ),
    "several outputs": (several, (draw(6),)),
    "maxima": (lambda x: tf.reduce_sum(tf.reduce_max(x, 1) ** 2), (draw(3, 4),)),
    "stopped": (lambda a, b: tf.stop_gradient(a * b) * a, (2.0, 3.0)),
    "unused": (lambda a, b: a * a, (2.0, 3.0)),
    "embedding": (lambda t: tf.reduce_sum(tf.gather(t, [0, 2, 2]) ** 2), (draw(5, 3),)),
    "joined": (joined, (draw(2, 3), draw(2, 2, seed=1))),
    "top": (lambda x: tf.reduce_sum(tf.math.top_k(x, 2).values ** 2), (draw(5),)),
    "logsumexp": (lambda x: tf.reduce_logsumexp(x), (draw(5),)),
    "variable": (lambda x: tf.reduce_sum(x * VARIABLE), (draw(3),)),
}
VARIABLE = tf.Variable([1.0, 2.0, 3.0])


def whole(array):
    return np.reshape(array.data, array.shape)


@pytest.fixture(scope="module")
def traces():
    return {n: adapter.step(f, *arguments).trace for n, (f, arguments) in PROGRAMS.items()}


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_every_gradient_is_tensorflow_s_own(name, traces):
    function, arguments = PROGRAMS[name]
    tensors = [tf.convert_to_tensor(each) for each in arguments]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        target = function(*tensors)
    trace = traces[name]
    assert trace.notes == (
        "The gradients are those of one tf.GradientTape around the whole function.",
    )
    for node, own in zip(trace.sources, tape.gradient(target, tensors), strict=True):
        found = trace.gradients[node]
        if own is None:
            assert found is None
        else:
            own = tf.convert_to_tensor(own).numpy()
            np.testing.assert_allclose(whole(found), own, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_every_trace_is_valid(name, traces):
    trace = traces[name]
    assert Trace.from_json(trace.to_json()) == trace
    validator = pytest.importorskip("jsonschema").Draft202012Validator(schema())
    validator.validate(json.loads(trace.to_json()))


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_every_step_follows_in_numpy_from_its_operands_alone(name, traces):
    assert_every_step_follows(traces[name], RULES, rtol=2e-5)


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_every_op_and_every_rule_has_a_formula(name, traces):
    trace = traces[name]
    assert all(node.formula.text for node in trace.nodes if node.kind == "op")
    assert all(step.formula.text for step in trace.steps if step.kind == "pull")


def test_formulas_of_namesakes_are_minitape_s(traces):
    steps = traces["scalars"].steps
    assert "g · b" in {s.formula.text for s in steps if s.kind == "pull" and s.formula}


def test_control_flow_is_refused_with_words():
    def looped(x):
        return tf.while_loop(lambda y: y < 100.0, lambda y: [y * x], [x])[0]

    with pytest.raises(NotImplementedError, match="no public way into it"):
        adapter.step(looped, 2.0)


def test_a_gradient_of_the_program_s_own_has_its_own_rule():
    @tf.custom_gradient
    def half(x):
        return x * x, lambda g: g * x

    trace = adapter.step(lambda x: half(x) * 2.0, 3.0).trace
    assert whole(trace.gradients[trace.sources[0]]) == 6.0
    assert trace.notes == (AGREE,)


def test_an_own_rule_that_reads_what_was_computed_runs_with_its_numbers():
    @tf.custom_gradient
    def log1pexp(x):
        e = tf.exp(x)
        return tf.math.log(1.0 + e), lambda g: g * (1.0 - 1.0 / (1.0 + e))

    x = np.float32([0.5, -1.0, 2.0])
    player = adapter.step(lambda x: tf.reduce_sum(log1pexp(x) * x), x)
    sigmoid = 1 / (1 + np.exp(-x))
    expected = np.log1p(np.exp(x)) + x * sigmoid
    np.testing.assert_allclose(player.gradients["x"].numpy(), expected, rtol=1e-5)
    assert player.trace.notes == (AGREE,)


@pytest.mark.parametrize(
    "look_up", [tf.gather, tf.nn.embedding_lookup], ids=["gather", "embedding"]
)
def test_rows_of_a_variable_are_looked_up(look_up):
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="table")
    player = adapter.step(
        lambda s: tf.reduce_sum(look_up(table, [0, 1, 0]) * s), 2.0, variables=[table]
    )
    np.testing.assert_array_equal(player.gradients["table"].numpy(), [[4.0, 4.0], [2.0, 2.0]])
    assert whole(player.gradients["s"]) == 13.0
    assert player.trace.notes == (AGREE,)


def test_a_float_of_a_tensor_is_said_to_be_the_difference():
    x = np.float32([1.0, 2.0, 3.0])
    (note,) = adapter.step(lambda x: tf.reduce_sum(x) * float(x[0]), x).trace.notes
    assert note.startswith("Differs from") and "float()" in note
    (note,) = adapter.step(lambda x: tf.reduce_sum(x) * tf.cast(x[0], tf.float32), x).trace.notes
    assert note == AGREE


def test_variables_of_keras_are_sources_by_their_paths():
    layer = tf.keras.layers.Dense(2)
    layer(draw(1, 3))
    x = draw(4, 3)
    player = adapter.step(
        lambda x: tf.reduce_sum(layer(x) ** 2), x, variables=layer.trainable_variables
    )
    kernel, bias = (each.numpy() for each in layer.trainable_variables)
    expected = 2 * x.T @ (x @ kernel + bias)
    np.testing.assert_allclose(whole(player.gradients[layer.kernel.path]), expected, rtol=1e-4)


def test_a_function_in_a_function_is_opened():
    @tf.function
    def squared(x):
        return x * x

    trace = adapter.step(lambda x: squared(x) * x, 3.0).trace
    assert [node.op for node in trace.nodes if node.op] == ["Mul", "Mul"]
    assert trace.gradients[trace.sources[0]].data == (27.0,)


def test_several_results_are_added_up():
    trace = adapter.step(lambda x: (x * x, 3.0 * x), 2.0).trace
    assert trace.gradients[trace.sources[0]].data == (7.0,)
    assert len(trace.targets) == 2


def test_random_numbers_are_said_not_to_be_compared():
    trace = adapter.step(lambda x: tf.nn.dropout(x, 0.5), draw(4)).trace
    assert trace.notes[0].startswith("Not compared: the function draws random numbers")


def test_batch_normalisation_in_training_leaves_its_averages_alone():
    layer = tf.keras.layers.BatchNormalization()
    layer(draw(2, 3))
    trace = adapter.step(lambda x: tf.reduce_sum(layer(x, training=True) ** 3), draw(4, 3)).trace
    assert trace.notes[0].startswith("The gradients are those of one tf.GradientTape")


def test_lines_are_the_learner_s(traces):
    lines = {node.line.text.strip() for node in traces["attention"].nodes if node.line}
    assert "weights = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / 1.7)" in lines


def spoken(node):
    return {each.name: json.loads(each.json) for each in node.attributes}


@pytest.mark.parametrize(
    ("padding", "stride", "dilation", "told"),
    [
        ("VALID", 1, 2, [[1, 0, 2], [1, 0, 2]]),
        ("SAME", 2, 1, [[2, 1, 1], [2, 0, 1]]),  # 5 rows: one of two zeros before; 4 columns: none
        ([[0, 0], [1, 0], [0, 2], [0, 0]], 1, 1, [[1, 1, 1], [1, 0, 1]]),
    ],
)
def test_a_convolution_says_how_its_window_moves(padding, stride, dilation, told):
    def loss(x, k):
        return tf.reduce_sum(tf.nn.conv2d(x, k, stride, padding, dilations=dilation))

    image, kernel = tf.constant(draw(1, 5, 4, 2)), tf.constant(draw(3, 3 - (dilation - 1), 2, 1))
    with tf.GradientTape() as tape:
        tape.watch([image, kernel])
        value = loss(image, kernel)
    try:
        tape.gradient(value, [image, kernel])
    except tf.errors.InvalidArgumentError as error:
        pytest.skip(f"TensorFlow has no such gradient on this processor: {error.message}")
    trace = adapter.step(loss, image, kernel).trace
    (node,) = [each for each in trace.nodes if each.op == "Conv2D"]
    assert spoken(node)["windows"] == told
    assert spoken(node)["roles"] == ["image", "kernel", "map"]


def test_a_transposed_convolution_has_its_size_its_kernel_and_its_map_for_inputs():
    def loss(x, k):
        return tf.reduce_sum(tf.nn.conv2d_transpose(x, k, [1, 4, 4, 2], 2, "SAME"))

    trace = adapter.step(loss, draw(1, 2, 2, 1), draw(3, 3, 2, 1)).trace
    (node,) = [each for each in trace.nodes if each.op == "Conv2DBackpropInput"]
    shapes = [trace.nodes[i].shape for i in node.inputs]
    assert shapes == [(4,), (3, 3, 2, 1), (1, 2, 2, 1)]
    assert spoken(node)["roles"] == ["", "kernel", "map", "image"]
    assert spoken(node)["windows"] == [[2, 0, 1], [2, 0, 1]]  # 4 pixels of 2 by 2: a zero behind


def test_a_depthwise_convolution_says_how_its_window_moves():
    def loss(x, k):
        return tf.reduce_sum(tf.nn.depthwise_conv2d(x, k, [1, 2, 2, 1], "SAME"))

    trace = adapter.step(loss, draw(1, 5, 4, 2), draw(3, 3, 2, 2)).trace
    (node,) = [each for each in trace.nodes if each.op == "DepthwiseConv2dNative"]
    assert node.shape == (1, 3, 2, 4)
    assert spoken(node)["roles"] == ["image", "kernel", "map"]
    assert spoken(node)["windows"] == [[2, 1, 1], [2, 0, 1]]


def test_an_op_without_a_window_says_nothing_of_one():
    trace = adapter.step(lambda x: tf.reduce_sum(x @ x), draw(2, 2)).trace
    assert not any({"windows", "roles"} & spoken(node).keys() for node in trace.nodes)
