"""Masks of recurrent layers in both directions, beside numbers of TensorFlow 2.21."""

import numpy as np
import pytest

import minitape as tf

layers = tf.keras.layers
X = np.float32((np.arange(12) % 5).reshape(2, 3, 2) / 4)
MASK = np.array([[True, True, False], [False, True, True]])


def both_ways(mask, **options):
    """What both directions give, whose variables are 0.1, 0.2 and so on."""
    layer = layers.Bidirectional(layers.SimpleRNN(1, **options))
    layer.build((None, 3, 2))
    for i, variable in enumerate(layer.trainable_variables):
        variable.assign(tf.fill(variable.shape, 0.1 * (i + 1)))
    return layer(tf.constant(X), mask=mask).numpy()


@pytest.mark.parametrize("mask", [MASK, tf.constant(MASK)])
def test_both_directions_leave_masked_times_out(mask):
    assert both_ways(mask) == pytest.approx(np.array([[0.4525, 0.8006], [0.3914, 0.922]]), abs=1e-4)


def test_sequences_of_both_directions_are_0_at_masked_times():
    first = [[0.314, 0.8006], [0.4525, 0.8005], [0.0, 0.0]]
    second = [[0.0, 0.0], [0.4422, 0.922], [0.3914, 0.6044]]
    found = both_ways(MASK, return_sequences=True)
    assert found == pytest.approx(np.array([first, second]), abs=1e-4)
