"""Cross entropies of Keras' activations start from the logits; numbers are those of Keras 3.15."""

import gc

import numpy as np
import pytest

import minitape as tf
from minitape.keras.logits import _behind

ROWS = [[40.0, -40.0, 1.0], [0.5, 1.5, -1.0]]
ONE_HOT = [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
OF_CLASSES = 40.6858, [[0.5, -0.5, 0.0], [-0.3731, 0.3448, 0.0283]]
OF_BITS = 13.967, [[0.1667, -0.1667, 0.1218], [-0.0629, 0.1363, 0.0448]]


def loss_and_slope(activation, loss):
    z = tf.Variable(ROWS)
    with tf.GradientTape() as tape:
        value = loss(activation(z))
    return value, tape.gradient(value, z)


@pytest.mark.parametrize(
    "activation",
    [
        tf.keras.activations.softmax,
        tf.keras.activations.sigmoid,
        tf.keras.layers.Softmax(),
        tf.keras.layers.Activation("sigmoid"),
    ],
)
@pytest.mark.parametrize(
    ("loss", "recorded"),
    [
        (lambda p: tf.keras.losses.CategoricalCrossentropy()(ONE_HOT, p), OF_CLASSES),
        (lambda p: tf.keras.losses.SparseCategoricalCrossentropy()([1, 0], p), OF_CLASSES),
        (lambda p: tf.keras.losses.BinaryCrossentropy()(ONE_HOT, p), OF_BITS),
    ],
)
def test_a_cross_entropy_of_an_activation_starts_from_its_logits(activation, loss, recorded):
    value, slope = loss_and_slope(activation, loss)
    np.testing.assert_allclose(value, recorded[0], rtol=1e-4)
    np.testing.assert_allclose(slope, recorded[1], atol=1e-4)


def test_an_op_is_no_activation_of_keras():
    loss = tf.keras.losses.SparseCategoricalCrossentropy()
    value, slope = loss_and_slope(tf.nn.softmax, lambda p: loss([1, 0], p))
    np.testing.assert_allclose(value, 8.7448, rtol=1e-4)
    np.testing.assert_allclose(slope[0], [0.0, 0.0, 0.0])


def test_probabilities_that_are_said_to_be_logits_are_not_taken_for_them(caplog):
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    value, _ = loss_and_slope(tf.keras.activations.softmax, lambda p: loss([1, 0], p))
    np.testing.assert_allclose(value, OF_CLASSES[0], rtol=1e-4)
    assert "received `from_logits=True`, but the `output` argument was" in caplog.text


def test_what_is_computed_of_probabilities_has_no_logits():
    loss = tf.keras.losses.BinaryCrossentropy(label_smoothing=0.1)
    value, _ = loss_and_slope(tf.keras.activations.softmax, lambda p: loss(ONE_HOT, p * 1.0))
    np.testing.assert_allclose(value, 5.6517, rtol=1e-4)


def test_fit_and_its_metrics_start_from_the_logits():
    dense = tf.keras.layers.Dense(3, "softmax")
    model = tf.keras.Sequential([tf.keras.Input([3]), dense])
    dense.set_weights([[[3, 0, -3], [1, 0, 0], [0, 0, 1]], [0, 0, 0]])
    name = "sparse_categorical_crossentropy"
    model.compile(tf.keras.optimizers.SGD(0.1), name, metrics=[name])
    x = np.array([[20.0, 3.0, 4.0], [1.0, 2.0, -3.0]])
    found = model.fit(x, np.array([2, 0]), shuffle=False, verbose=0).history
    np.testing.assert_allclose([found["loss"], found[name]], [[59.5034]] * 2, rtol=1e-5)
    np.testing.assert_allclose(dense.kernel[0], [2.0003, -0.0003, -2.0], atol=1e-4)


def test_a_tf_function_starts_from_the_logits():
    @tf.function
    def f(z):
        p = tf.keras.activations.softmax(z)
        return tf.keras.losses.CategoricalCrossentropy()(ONE_HOT, p)

    np.testing.assert_allclose(f(tf.constant(ROWS)), OF_CLASSES[0], rtol=1e-4)


def test_logits_are_forgotten_with_their_probabilities():
    before = len(_behind)
    p = tf.keras.activations.softmax(tf.constant(ROWS))
    assert len(_behind) == before + 1
    del p
    gc.collect()
    assert len(_behind) == before
