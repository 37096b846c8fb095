"""The autodiff guide: each of its examples on minitape, with the values that the guide records.

The facts are the guide's outputs as TensorFlow 2.17 printed them; the code is ours.
"""

from __future__ import annotations

import contextlib
import io
import logging

import numpy as np
import pytest

import minitape as tf
from minitape.viz.course.demo import agree, run
from minitape.viz.course.guide import EXAMPLES


def printed(*values) -> str:
    """What `print` shows for each value, line by line."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        for value in values:
            print(value)
    return out.getvalue()


def test_the_slope_of_a_square_at_three_is_six():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x**2
    assert printed(tape.gradient(y, x).numpy()) == "6.0\n"


def linear_layer():
    """Weights, bias, the layer's persistent tape and its loss, for a list as input."""
    w = tf.Variable(tf.random.normal((3, 2)), name="w")
    b = tf.Variable(tf.zeros(2, dtype=tf.float32), name="b")
    x = [[1.0, 2.0, 3.0]]
    with tf.GradientTape(persistent=True) as tape:
        y = x @ w + b
        loss = tf.reduce_mean(y**2)
    return w, b, tape, loss, y


def test_each_gradient_has_the_shape_of_its_source():
    w, b, tape, loss, _ = linear_layer()
    for_w, for_b = tape.gradient(loss, [w, b])
    assert printed(w.shape, for_w.shape) == "(3, 2)\n(3, 2)\n"
    assert for_b.shape == b.shape


def test_the_layer_s_gradients_are_those_of_the_closed_form():
    w, b, tape, loss, y = linear_layer()
    by_name = tape.gradient(loss, {"w": w, "b": b})
    # loss is the mean of two squares, so its derivative for y is y itself.
    np.testing.assert_allclose(by_name["b"], y[0], rtol=1e-6)
    np.testing.assert_allclose(by_name["w"], np.outer([1, 2, 3], y[0]), rtol=1e-6)


def test_a_model_s_variables_have_names_and_gradients_of_their_shapes():
    layer = tf.keras.layers.Dense(2, activation="relu")
    x = tf.constant([[1.0, 2.0, 3.0]])
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(layer(x) ** 2)
    found = tape.gradient(loss, layer.trainable_variables)
    pairs = zip(layer.trainable_variables, found, strict=True)
    lines = [f"{variable.name}, shape: {gradient.shape}" for variable, gradient in pairs]
    assert lines == ["kernel, shape: (3, 2)", "bias, shape: (2,)"]


def watched_and_not():
    x0 = tf.Variable(3.0, name="x0")
    x1 = tf.Variable(3.0, name="x1", trainable=False)
    x2 = tf.Variable(2.0, name="x2") + 1.0
    x3 = tf.constant(3.0, name="x3")
    with tf.GradientTape() as tape:
        y = (x0**2) + (x1**2) + (x2**2)
    return tape, y, [x0, x1, x2, x3]


def test_of_four_sources_only_the_trainable_variable_has_a_gradient():
    tape, y, sources = watched_and_not()
    expected = "tf.Tensor(6.0, shape=(), dtype=float32)\nNone\nNone\nNone\n"
    assert printed(*tape.gradient(y, sources)) == expected


def test_the_tape_lists_the_variable_that_it_watches():
    tape, _, _ = watched_and_not()
    assert [variable.name for variable in tape.watched_variables()] == ["x0:0"]


def test_a_watched_constant_has_a_gradient():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x**2
    assert printed(tape.gradient(y, x).numpy()) == "6.0\n"


def test_a_tape_that_watches_nothing_by_itself_follows_what_it_is_told():
    x0, x1 = tf.Variable(0.0), tf.Variable(10.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(x1)
        ys = tf.reduce_sum(tf.math.sin(x0) + tf.nn.softplus(x1))
    found = tape.gradient(ys, {"x0": x0, "x1": x1})
    assert printed(found["x0"], found["x1"].numpy()) == "None\n0.9999546\n"


def test_a_result_on_the_way_can_be_a_source():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    assert printed(tape.gradient(z, y).numpy()) == "18.0\n"


def test_a_persistent_tape_gives_two_gradients():
    x = tf.constant([1, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    found = printed(tape.gradient(z, x).numpy(), tape.gradient(y, x).numpy())
    assert found == "[  4. 108.]\n[2. 6.]\n"


def square_and_inverse(persistent: bool):
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=persistent) as tape:
        y0 = x**2
        y1 = 1 / x
    return tape, x, y0, y1


def test_two_targets_have_a_gradient_each():
    tape, x, y0, y1 = square_and_inverse(persistent=True)
    assert printed(tape.gradient(y0, x).numpy(), tape.gradient(y1, x).numpy()) == "4.0\n-0.25\n"


def test_a_dictionary_of_targets_is_added_up():
    tape, x, y0, y1 = square_and_inverse(persistent=False)
    assert printed(tape.gradient({"y0": y0, "y1": y1}, x).numpy()) == "3.75\n"


def test_the_elements_of_a_target_are_added_up():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * [3.0, 4.0]
    assert printed(tape.gradient(y, x).numpy()) == "7.0\n"


def test_the_derivative_of_the_sigmoid_is_found_element_by_element():
    x = tf.linspace(-10.0, 10.0, 200 + 1)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.sigmoid(x)
    value = 1 / (1 + np.exp(-np.linspace(-10, 10, 201)))
    np.testing.assert_allclose(tape.gradient(y, x), value * (1 - value), atol=1e-6)


def branches():
    x, v0, v1 = tf.constant(1.0), tf.Variable(2.0), tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        result = v0 if x > 0.0 else v1**2
    return tape, result, x, [v0, v1]


def test_only_the_branch_that_ran_has_a_gradient():
    tape, result, _, variables = branches()
    expected = "tf.Tensor(1.0, shape=(), dtype=float32)\nNone\n"
    assert printed(*tape.gradient(result, variables)) == expected


def test_the_condition_of_a_branch_has_no_gradient():
    tape, result, x, _ = branches()
    assert tape.gradient(result, x) is None


def test_a_target_without_a_path_to_the_source_gives_none():
    x, y = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        z = y * y
    assert tape.gradient(z, x) is None


def test_a_variable_that_became_a_tensor_is_no_longer_watched():
    x, seen = tf.Variable(2.0), []
    for _ in range(2):
        with tf.GradientTape() as tape:
            y = x + 1
        seen.append(f"{type(x).__name__} : {tape.gradient(y, x)!s}")
        x = x + 1
    first = "ResourceVariable : tf.Tensor(1.0, shape=(), dtype=float32)"
    assert seen == [first, "EagerTensor : None"]


def test_a_step_in_numpy_cuts_the_path():
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0]], dtype=tf.float32)
    with tf.GradientTape() as tape:
        y = tf.reduce_mean(np.mean(x**2, axis=0), axis=0)
    assert tape.gradient(y, x) is None


def test_an_integer_has_no_gradient_and_watching_it_warns(caplog):
    x = tf.constant(10)
    with caplog.at_level(logging.WARNING), tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert tape.gradient(y, x) is None
    warning = "The dtype of the watched tensor must be floating (e.g. tf.float32), got tf.int32"
    assert warning in caplog.text


def test_the_state_of_a_variable_cuts_the_path():
    x0, x1 = tf.Variable(3.0), tf.Variable(0.0)
    with tf.GradientTape() as tape:
        x1.assign_add(x0)
        y = x1**2
    assert tape.gradient(y, x0) is None


def test_an_op_without_a_registered_gradient_raises():
    image, delta = tf.Variable([[[0.5, 0.0, 0.0]]]), tf.Variable(0.1)
    with tf.GradientTape() as tape:
        changed = tf.image.adjust_contrast(image, delta)
    reason = "^gradient registry has no entry for: AdjustContrastv2"
    with pytest.raises(LookupError, match=reason):
        tape.gradient(changed, [image, delta])


def test_zeros_can_be_asked_for_instead_of_none():
    x, y = tf.Variable([2.0, 2.0]), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        z = y**2
    found = tape.gradient(z, x, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    assert printed(found) == "tf.Tensor([0. 0.], shape=(2,), dtype=float32)\n"


# What the demo states as the guide's words, written down a second time from the guide.
SAYS = [
    {"slope": 6.0},
    {"shapes": [(3, 2), (2,)]},
    {"shape": (2,)},
    {"named": [("kernel", (3, 2)), ("bias", (2,))]},
    {"gradients": [6.0, None, None, None]},
    {"watched": ["trained:0"]},
    {"slope": 6.0},
    {"gradients": [None, 0.9999546]},
    {"slope": 18.0},
    {"of_fourth": [4.0, 108.0], "of_square": [2.0, 6.0]},
    {"of_square": 4.0, "of_inverse": -0.25},
    {"slope": 3.75},
    {"slope": 7.0},
    {"highest": 0.25},
    {"gradients": [1.0, None]},
    {"gradient": None},
    {"gradient": None},
    {"seen": [("ResourceVariable", 1.0), ("EagerTensor", None)]},
    {"gradient": None},
    {"gradient": None},
    {"gradient": None},
    {"message": "LookupError: gradient registry has no entry for: AdjustContrastv2"},
    {"gradient": [0.0, 0.0]},
]


@pytest.mark.parametrize(("example", "says"), list(zip(EXAMPLES, SAYS, strict=True)))
def test_the_demo_s_example_computes_what_the_guide_says(example, says):
    outcome = run(example)
    assert example.says == says
    assert outcome.same
    assert agree(outcome.got, says)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.title)
def test_every_example_has_a_tape_that_shows_the_whole_example(example):
    outcome = run(example, 7)
    assert outcome.traces
    for trace in outcome.traces:
        assert trace.source_text[0].lines == tuple(example.code.splitlines())
        lines = {node.line for node in trace.nodes if node.line is not None}
        assert {line.file for line in lines} <= {trace.source_text[0].file}


def test_the_players_hold_the_gradients_that_the_tapes_gave():
    (trace,) = run(EXAMPLES[7]).traces
    by_name = {trace.nodes[n].name: g and g.data[0] for n, g in trace.gradients.items()}
    assert by_name == {"left": None, "right": pytest.approx(0.9999546)}
