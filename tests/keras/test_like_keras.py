"""Layers, optimizers and training give the numbers that TensorFlow gave, from the same weights."""

import json
from pathlib import Path

import keras_programs
import numpy as np
import pytest

import minitape as tf

RECORDED = json.loads(Path(__file__).with_name("recorded_keras.json").read_text("utf-8"))


@pytest.mark.parametrize("name", keras_programs.PROGRAMS)
def test_a_program_of_keras_gives_the_numbers_of_tensorflow(name):
    found = keras_programs.run(tf, keras_programs.PROGRAMS[name])
    assert list(map(len, found)) == list(map(len, RECORDED[name]))
    for one, two in zip(found, RECORDED[name], strict=True):
        np.testing.assert_allclose(one, two, rtol=2e-4, atol=2e-5)


def test_global_pooling_keeps_its_axes_where_it_is_asked_to():
    layer = tf.keras.layers.GlobalMaxPooling2D(keepdims=True)
    assert tuple(layer(tf.ones([1, 4, 4, 2])).shape) == (1, 1, 1, 2)


def test_a_constant_initializer_repeats_a_row():
    made = tf.keras.initializers.Constant([1.0, 2.0])((2, 2))
    assert made.numpy().tolist() == [[1.0, 2.0], [1.0, 2.0]]


def test_a_normalized_dot_of_short_vectors_is_their_cosine():
    layer = tf.keras.layers.Dot(1, normalize=True)
    found = layer([tf.constant([[3e-7, 4e-7]]), tf.constant([[1.0, 0.0]])])
    np.testing.assert_allclose(found, [[0.6]], rtol=1e-5)


def test_a_polynomial_rate_goes_up_again_where_it_cycles():
    rate = tf.keras.optimizers.schedules.PolynomialDecay(0.1, 10, 0.01, 2.0, cycle=True, name="r")
    # Of TensorFlow 2.21.
    expected = [0.1, 0.0541, 0.01, 0.021025, 0.01, 0.0125]
    found = [float(rate(step)) for step in (0, 3, 10, 13, 20, 25)]
    np.testing.assert_allclose(found, expected, rtol=1e-5)
