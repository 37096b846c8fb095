"""Second derivatives of functions that are made of straight pieces are zero, and that is said."""

import pytest

import minitape as tf
from minitape import viz
from minitape.viz.diagnosis.trial.report import report

W = tf.constant([[0.7, -1.1, 0.4]])
X = [[0.3], [-0.7], [1.2]]
STRAIGHT = {
    "nn.relu": lambda x: tf.nn.relu(x @ W) * 2.0 + 1.0,
    "nn.leaky_relu": lambda x: tf.reduce_mean(tf.nn.leaky_relu(x @ W), axis=1),
    "nn.relu6": lambda x: tf.reshape(tf.nn.relu6(tf.concat([x, -x], 1)), [-1]) / 3.0,
    "abs": lambda x: tf.abs(x - 0.1) @ W,
    "maximum": lambda x: tf.maximum(x, 0.2 * x),
    "clip_by_value": lambda x: tf.clip_by_value(x, -1.0, 1.0) - x,
    "where": lambda x: tf.where(x > 0.0, x, 0.1 * x),
    "reduce_max": lambda x: tf.reduce_max(x @ W, axis=1),
}
CURVED = [
    lambda x: tf.tanh(x @ W),
    lambda x: tf.square(tf.nn.relu(x @ W)),
    lambda x: x * tf.nn.relu(x),
    lambda x: tf.nn.relu(x @ W) + tf.reduce_sum(x * x),
    lambda x: tf.tanh(tf.nn.relu(x @ W)),
    lambda x: tf.nn.relu(x) / (2.0 + x),
]


def of_second(function):
    """What is said of a second derivative."""
    x = tf.constant(X)
    with viz.recording(), tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = function(x)
        first = inner.gradient(y, x)
    return [each for each in viz.check(outer, first, x) if each.kind in {"zero", "none"}]


@pytest.mark.parametrize("name", STRAIGHT)
def test_a_function_of_straight_pieces_is_named_with_its_kink(name):
    (finding,) = of_second(STRAIGHT[name])
    assert finding.cause == "pieces"
    assert "`y` is made of straight pieces in `x`" in finding.sentence
    assert f"(`{name}` at line" in finding.sentence


@pytest.mark.parametrize("function", CURVED)
def test_nothing_is_said_of_a_curved_function(function):
    assert of_second(function) == []


def test_the_bias_of_a_critic_in_a_gradient_penalty_is_no_mistake():
    w, b = tf.Variable([[0.7, -1.1], [0.4, 0.9]]), tf.Variable([0.1, 0.2])
    x = tf.constant([[0.3, 0.5], [-0.7, 0.2]])
    with viz.recording(), tf.GradientTape() as tape:
        with tf.GradientTape() as inner:
            inner.watch(x)
            score = tf.reduce_sum(tf.nn.relu(x @ w + b), axis=1)
        slope = inner.gradient(score, x)
        loss = tf.reduce_mean((tf.norm(slope, axis=1) - 1.0) ** 2)
    assert [each.cause for each in viz.check(tape, loss, [w, b])] == []


SCRIPT = """import minitape as tf
tf.random.set_seed(1)
net = tf.keras.Sequential([tf.keras.layers.Dense(9, activation="relu"), tf.keras.layers.Dense(1)])
x = tf.constant([[-1.0], [0.5], [2.0]])
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        inner.watch(x)
        y = net(x)
    dy = inner.gradient(y, x)
print(outer.gradient(dy, x))
"""


def test_a_none_whose_correction_ends_at_zeros_says_why_they_are_zero(tmp_path):
    file = tmp_path / "script.py"
    file.write_text(SCRIPT)
    first, second = report(file).diagnoses
    assert (first.finding.kind, first.finding.cause) == ("none", "not_watched")
    assert (second.finding.kind, second.finding.cause) == ("zero", "pieces")
    assert second.finding.line == 3  # of the script as it is, where the layer is made
    assert 'activation="softplus"' in second.after
    assert any(abs(each) > 1e-4 for each in second.gradient)
    assert second.tried.startswith("A possibility")  # it is another function
