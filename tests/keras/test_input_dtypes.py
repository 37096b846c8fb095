"""What layers, models and metrics do with dtypes and shapes that differ: facts of Keras 3."""

from __future__ import annotations

import numpy as np
import pytest

import minitape as tf

keras = tf.keras
THIRD = tf.constant([[1 / 3]], tf.float64)
ROUNDED = float(np.float32(1 / 3))


def passing_on():
    """A layer that computes in float64 and gives back what it is given."""
    return keras.layers.Dense(1, use_bias=False, kernel_initializer="ones", dtype="float64")


def functional(dtype):
    x = keras.Input([1], dtype=dtype)
    return keras.Model(x, passing_on()(x))


def built():
    model = keras.Sequential([passing_on()])
    model.build([None, 1])
    return model


class Net(keras.Model):
    def __init__(self, **options):
        super().__init__(**options)
        self.top = passing_on()

    def call(self, x):
        return self.top(x)


@pytest.mark.parametrize(
    ("make", "exact"),
    [
        (lambda: keras.Sequential([passing_on()]), False),  # its first call casts, then builds
        (built, True),
        (lambda: keras.Sequential([keras.Input([1], dtype="float64"), passing_on()]), True),
        (lambda: keras.Sequential([keras.Input([1]), passing_on()]), False),
        (lambda: functional("float64"), True),
        (lambda: functional("float32"), False),
        (Net, False),
        (lambda: Net(dtype="float64"), True),
    ],
)
def test_a_model_casts_what_comes_in_to_the_dtype_of_its_input(make, exact):
    model = make()
    out = model(THIRD)
    assert out.dtype == tf.float64
    assert float(out[0, 0]) == (1 / 3 if exact else ROUNDED)


def test_a_sequential_of_float64_layers_computes_in_float32_by_its_own_account():
    model = built()
    assert (model.compute_dtype, model.dtype, model.input_dtype) == (
        "float32",
        "float32",
        "float64",
    )


INTEGERS = ["uint8", "int32", "int64", "bool"]


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("make", [
    lambda: keras.layers.Dense(2), lambda: keras.layers.LSTM(2), lambda: keras.layers.GRU(2),
    lambda: keras.layers.SimpleRNN(2), lambda: keras.layers.BatchNormalization(),
    lambda: keras.layers.LayerNormalization(), lambda: keras.layers.GlobalAveragePooling1D(),
    lambda: keras.layers.TimeDistributed(keras.layers.Dense(2)),
    lambda: keras.layers.Bidirectional(keras.layers.GRU(2)),
])  # fmt: skip
def test_layers_that_compute_make_floats_of_integers(make, dtype):
    x = tf.cast([[[1.0, 0.0], [3.0, 1.0]]], dtype)
    layer = make()
    out = layer(x)
    assert out.dtype == tf.float32
    np.testing.assert_allclose(out, layer(tf.cast(x, tf.float32)))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_layers_that_move_numbers_leave_integers_as_they_are(dtype):
    assert keras.layers.Flatten()(tf.cast([[[1.0], [0.0]]], dtype)).dtype == dtype


@pytest.mark.parametrize("first", [
    lambda: keras.layers.Flatten(), lambda: keras.layers.Conv2D(1, 2),
    lambda: keras.layers.Rescaling(0.5),
])  # fmt: skip
def test_images_of_bytes_go_through_a_sequential(first):
    images = np.arange(32, dtype=np.uint8).reshape(2, 4, 4, 1)
    model = keras.Sequential([first(), keras.layers.Dense(2)])
    out = model(images)
    np.testing.assert_allclose(out, model(images.astype(np.float32)))
    np.testing.assert_allclose(model.predict(images, verbose=0), out, rtol=1e-6)


# Predictions beside targets of another rank. Recorded from Keras 3.


def result(name, y_true, y_pred, weights=None):
    metric = getattr(keras.metrics, name)()
    metric.update_state(np.float32(y_true), np.float32(y_pred), sample_weight=weights)
    return float(metric.result())


ROWS = [[0.1, 0.9], [0.7, 0.3], [0.4, 0.6]]


@pytest.mark.parametrize(
    ("name", "y_true", "y_pred", "weights", "expected"),
    [
        ("CategoricalAccuracy", [0, 0, 1], [[0.2], [0.5], [0.9]], None, 0.0),
        ("SparseCategoricalAccuracy", [[1], [0], [0]], [0.9, 0.1, 0.2], None, 2 / 3),
        ("SparseCategoricalAccuracy", [[1], [0], [0]], ROWS, [1.0, 0.5, 0.5], 0.75),
        ("RootMeanSquaredError", [[1, 2], [3, 4]], [[1, 1], [1, 1]], [[1, 0], [0, 1]], 2.1213),
        ("RootMeanSquaredError", [1, 2], [[0], [0]], None, 1.5811),
        ("RootMeanSquaredError", 1.0, 3.0, None, 2.0),
        ("SparseTopKCategoricalAccuracy", [[1, 0]], [ROWS[:2]], None, 1.0),
    ],
)
def test_metrics_of_predictions_of_another_rank_are_those_of_keras(
    name, y_true, y_pred, weights, expected
):
    weights = None if weights is None else np.float32(weights)
    np.testing.assert_allclose(result(name, y_true, y_pred, weights), expected, rtol=1e-3)
