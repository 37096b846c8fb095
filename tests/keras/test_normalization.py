"""`Normalization`: moments that are measured once; the numbers were recorded from Keras 3.15."""

from __future__ import annotations

import numpy as np
import pytest

import minitape as tf

DATA = np.array([[1.0, 10.0], [2.0, 20.0], [3.0, 60.0]], np.float32)
EACH = [[-1.2247448, -0.9258201], [0.0, -0.4629101], [1.2247448, 1.3887302]]
WHOLE = [[-0.7236447, -0.2894579], [-0.6754017, 0.1929719], [-0.6271588, 2.1226912]]
Normalization = tf.keras.layers.Normalization


def adapted(data, **options):
    layer = Normalization(**options)
    layer.adapt(data)
    return layer


@pytest.mark.parametrize(
    ("options", "expected"),
    [({}, EACH), ({"axis": None}, WHOLE), ({"axis": 0}, [[-1.0, 1.0]] * 3)],
)
def test_features_get_mean_0_and_variance_1(options, expected):
    np.testing.assert_allclose(adapted(DATA, **options)(DATA), expected, rtol=1e-5)


def test_the_channels_of_pictures_are_measured_over_all_other_axes():
    pictures = np.arange(24.0).reshape(2, 2, 2, 3).astype(np.float32)
    layer = adapted(pictures)
    assert tuple(layer.mean.shape) == (1, 1, 1, 3)
    first = [-1.5275252, -1.5275252, -1.5275252, -1.0910894]
    np.testing.assert_allclose(layer(pictures).numpy().ravel()[:4], first, rtol=1e-5)


def test_a_dataset_is_measured_whatever_its_batches_are():
    batches = tf.data.Dataset.from_tensor_slices(DATA).batch(2)
    np.testing.assert_allclose(adapted(batches)(DATA), EACH, rtol=1e-5)
    half = Normalization()
    half.adapt(batches, steps=1)
    np.testing.assert_allclose(half.mean, [[1.5, 15.0]])


def test_a_second_measuring_forgets_the_first():
    layer = adapted(DATA * 7.0)
    layer.adapt(DATA)
    np.testing.assert_allclose(layer(DATA), EACH, rtol=1e-5)


def test_a_feature_without_variance_is_divided_by_epsilon():
    found = adapted(np.ones([3, 2], np.float32))(DATA)
    np.testing.assert_allclose(found[0], [0.0, 9e7], rtol=1e-6)


def test_it_changes_nothing_before_it_is_adapted():
    np.testing.assert_array_equal(Normalization()(DATA), DATA)


def test_its_moments_are_variables_that_no_training_changes():
    layer = adapted(DATA)
    assert [v.name for v in layer.weights] == ["mean", "variance", "count"]
    assert layer.trainable_weights == []
    np.testing.assert_allclose(layer.variance, [[2.0 / 3.0, 466.66666]], rtol=1e-6)


def test_a_gradient_flows_through_it_to_the_inputs():
    layer, x = adapted(DATA), tf.Variable(DATA)
    with tf.GradientTape() as tape:
        y = layer(x)
    # The derivative of (x - mean) / s is 1 / s.
    expected = 1.0 / np.sqrt([2.0 / 3.0, 466.66666])
    np.testing.assert_allclose(tape.gradient(y, x), [expected] * 3, rtol=1e-5)


def test_a_model_begins_with_it():
    x = tf.keras.Input((2,))
    model = tf.keras.Model(x, adapted(DATA)(x))
    np.testing.assert_allclose(model(DATA), EACH, rtol=1e-5)


def test_its_config_makes_another_that_is_to_be_adapted():
    other = Normalization.from_config(adapted(DATA, axis=0).get_config())
    other.adapt(DATA)
    np.testing.assert_allclose(other(DATA), [[-1.0, 1.0]] * 3, rtol=1e-5)


def test_its_moments_bring_the_data_back():
    layer = adapted(DATA)
    np.testing.assert_allclose(layer.mean + layer(DATA) * layer.variance**0.5, DATA, rtol=1e-5)
