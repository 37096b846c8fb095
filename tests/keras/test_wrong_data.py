"""Data and states that a model or a recurrent layer cannot work with are refused with words."""

import numpy as np
import pytest

import minitape as tf

X = tf.ones([2, 3, 4])


class Some:
    """A class that is no data."""


def model():
    made = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    made.compile("sgd", "mse")
    return made


@pytest.mark.parametrize("data", [Some, Some(), len, 3, "abc", tf.data.Dataset, np.ndarray, int])
def test_what_is_no_data_is_named_as_in_keras(data):
    made = model()
    calls = [
        lambda: made.fit(data, verbose=0),
        lambda: made.fit(np.ones([3, 1]), data, verbose=0),
        lambda: made.predict(data, verbose=0),
        lambda: made.evaluate(data, np.ones(3), verbose=0),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="Unrecognized data type: [xy]="):
            call()
    assert made.variables == []  # nothing was built


def test_a_class_is_told_apart_from_what_it_makes():
    with pytest.raises(ValueError, match="the class itself"):
        model().fit(tf.data.Dataset)


def zeros(*shape):
    return tf.zeros(shape)


@pytest.mark.parametrize("dtype", ["float64", "int32"])
@pytest.mark.parametrize("kind", ["LSTM", "GRU", "SimpleRNN"])
def test_a_state_of_another_dtype_is_cast_as_in_keras(kind, dtype):
    layer = getattr(tf.keras.layers, kind)(5)
    states = [tf.ones([2, 5], dtype)] * (2 if kind == "LSTM" else 1)
    plain = [tf.ones([2, 5])] * len(states)
    np.testing.assert_array_equal(layer(X, initial_state=states), layer(X, initial_state=plain))


def test_a_state_for_one_example_counts_for_all():
    start = tf.keras.initializers.RandomNormal(stddev=0.5, seed=1)
    layer = tf.keras.layers.GRU(5, kernel_initializer=start, recurrent_initializer=start)
    whole = layer(X, initial_state=tf.ones([2, 5]))
    one = layer(X, initial_state=tf.ones([1, 5]))
    np.testing.assert_allclose(one, whole, rtol=1e-6)  # a product of one row may round otherwise


@pytest.mark.parametrize(
    ("kind", "states", "words"),
    [
        ("LSTM", [zeros(2, 5)], r"shapes \[\(2, 5\)\], and it has 2"),
        ("LSTM", zeros(2, 5), r"initial_state=\[h, c\]"),
        ("LSTM", [], r"shapes \[\], and it has 2"),
        ("LSTM", 3.0, "it has 2"),
        ("GRU", [], r"it has 1, of shape \(2, 5\) each"),
        ("LSTM", [zeros(2, 6)] * 2, r"shapes \[\(2, 6\), \(2, 6\)\].* of shape \(2, 5\)"),
        ("GRU", [zeros(3, 5)], r"shapes \[\(3, 5\)\].* of shape \(2, 5\)"),
        ("GRU", 3.0, r"shapes \[\(\)\]"),
        ("GRU", [[zeros(2, 5)]], r"shapes \[\(1, 2, 5\)\]"),
        ("SimpleRNN", [zeros(2, 4)], r"tf.zeros\(\[2, 5\]\)"),
        ("GRU", [None], "None"),
        ("GRU", Some, "unsupported type"),
    ],
)
def test_a_wrong_initial_state_is_told_its_shape(kind, states, words):
    with pytest.raises(ValueError, match=words):
        getattr(tf.keras.layers, kind)(5)(X, initial_state=states)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda k: k.Bidirectional(k.LSTM(5))(X, initial_state=[zeros(2, 5)]), "initial states"),
        (lambda k: k.LSTMCell(5)(X[:, 0], [zeros(2, 5)]), "it has 2"),
        (lambda k: k.GRUCell(5)(X[:, 0], []), "it has 1"),
        (lambda k: k.LSTM(5)(X[0]), "expected ndim=3, found ndim=2"),
        (lambda k: k.GRU(5)(tf.ones([3])), "expected ndim=3, found ndim=1"),
        (lambda k: k.GRU(5)(X, mask=tf.ones([2, 4], tf.bool)), r"one of shape \(2, 3\)"),
        (lambda k: k.RNN(3), "should have a `call` method"),
        (lambda k: k.RNN(Some), "should have a `call` method"),
    ],
)
def test_what_a_recurrent_layer_cannot_run_is_refused_with_words(call, words):
    with pytest.raises(ValueError, match=words):
        call(tf.keras.layers)


@pytest.mark.parametrize("rate", [None, "0.1", [0.1], np.ones([2])])
def test_a_learning_rate_that_is_no_number_is_refused_and_never_makes_weights_nan(rate):
    with pytest.raises(ValueError, match="`learning_rate` should be float"):
        tf.keras.optimizers.Adam(rate)


@pytest.mark.parametrize(("boundaries", "values"), [(None, [1.0]), ([1], None), (1, 2.0)])
def test_steps_of_a_learning_rate_that_are_no_lists_are_named(boundaries, values):
    with pytest.raises(TypeError, match=r"PiecewiseConstantDecay.*a list"):
        tf.keras.optimizers.schedules.PiecewiseConstantDecay(boundaries, values)
