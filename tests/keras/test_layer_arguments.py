"""Sizes, counts and names that layers and models are made with: what Keras refuses is refused."""

from __future__ import annotations

import numpy as np
import pytest

import minitape as tf

layers = tf.keras.layers
initializers = tf.keras.initializers

# What Keras 3.15 raises a ValueError for, with words of its message.
REFUSED = {
    "strides and dilation": (
        lambda: layers.Conv2D(2, 3, strides=(1, 2), dilation_rate=(2, 1)), "in conjunction with",
    ),
    "an axis twice": (lambda: layers.Permute([2, 2]), "consecutive and start from 1"),
    "the batch's axis": (lambda: layers.Permute([0, 1]), "consecutive and start from 1"),
    "noise below zero": (lambda: layers.GaussianNoise(-1), "stddev"),
    "a slope below zero": (lambda: layers.LeakyReLU(-1.0), "negative_slope"),
    "a number to flatten": (lambda: layers.Flatten()(tf.ones([])), "min_ndim=1, found ndim=0"),
    "no variance": (lambda: initializers.VarianceScaling(0.0), "`scale` must be positive"),
    "orthogonal vectors": (lambda: initializers.Orthogonal()([3]), "at least two-dimensional"),
    "a kernel without cells": (lambda: layers.Conv2D(2, 0), "kernel_size.*tuple of 2 integers"),
    "a kernel of other axes": (lambda: layers.Conv2D(2, (1, 2, 3)), "kernel_size=\\(1, 2, 3\\)"),
    "half a cell": (lambda: layers.Conv1D(2, 1.5), "kernel_size.*tuple of 1 integers"),
    "a text for a size": (lambda: layers.Conv2D(2, "33"), "kernel_size"),
    "no stride": (lambda: layers.Conv2D(2, 3, strides=0), "strides"),
    "no dilation": (lambda: layers.Conv2D(2, 3, dilation_rate=0), "dilation_rate"),
    "no filters": (lambda: layers.Conv2D(0, 3), "filters"),
    "a transposed kernel without cells": (lambda: layers.Conv2DTranspose(2, 0), "kernel_size"),
    "an empty window": (lambda: layers.MaxPooling2D(0), "pool_size"),
    "a window of one axis": (lambda: layers.MaxPooling2D((2,)), "pool_size"),
    "pictures enlarged to nothing": (lambda: layers.UpSampling2D(0), "size"),
    "three sizes": (lambda: layers.UpSampling2D((2, 2, 2)), "size"),
    "no repetition": (lambda: layers.RepeatVector(0), "positive integer"),
    "no rows of a table": (lambda: layers.Embedding(0, 2), "input_dim.*positive integer"),
    "columns below zero": (lambda: layers.Embedding(2, -1), "output_dim.*positive integer"),
    "units of a half": (lambda: layers.Dense(2.5), "units.*positive integer"),
    "a name as a shape": (
        lambda: layers.Layer().add_weight("w", [2, 2]), "`name` must be passed as a keyword",
    ),
    "no units": (lambda: layers.LSTM(0), "units.*positive integer"),
    "a weight's name in the first place": (
        lambda: layers.Layer().add_weight("kernel", shape=(3,)),
        r"`name` must be passed as a keyword argument. Received: add_weight\('kernel', ...\)",
    ),
    "a weight for each batch": (
        lambda: layers.Layer().add_weight((None, 3)), "must be fully-defined .no `None` dimensions",
    ),
    "a number for a weight's name": (
        lambda: layers.Layer().add_weight(name=3), "Argument `name` must be a string",
    ),
    "a path for a weight's name": (
        lambda: layers.Layer().add_weight(name="a/b"), "cannot contain character `/`",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_keras_refuses_is_refused_in_its_words(case):
    call, words = REFUSED[case]
    with pytest.raises(ValueError, match=words):
        call()


class Shift(layers.Layer):
    """The sum of two inputs, or their difference."""

    def call(self, inputs, by=None, back=False):
        return inputs if by is None else inputs - by if back else inputs + by


@pytest.mark.parametrize("given", [3, 2.0, "a", True, [1, 2], len, tf.TensorShape([2])])
def test_what_is_no_tensor_is_not_given_by_position(given):
    words = "Only input tensors may be passed as positional arguments.*`layer\\(x, by="
    with pytest.raises(ValueError, match=words):
        Shift()(tf.ones([2]), given)
    with pytest.raises(ValueError, match="Only input tensors"):
        Shift()(tf.keras.Input((2,)), given)


@pytest.mark.parametrize("tensor", [tf.ones([2, 3]), tf.keras.Input((3,))])
def test_a_number_in_a_list_with_tensors_is_refused(tensor):
    with pytest.raises(ValueError, match=r"'add\w*' got 1.0 of type float in a list with tensors"):
        layers.Add()([tensor, 1.0])


@pytest.mark.parametrize("kind", [layers.BatchNormalization, layers.Dropout])
def test_training_by_position_is_refused_with_the_corrected_call(kind):
    layer = kind(0.5) if kind is layers.Dropout else kind()
    for called in (layer, tf.keras.Sequential([layer])):
        with pytest.raises(ValueError, match=r"got True .*`layer\(x, training=True\)`"):
            called(tf.ones([2, 2]), True)


def test_tensors_arrays_and_none_are_given_by_position():
    x = tf.constant([1.0, 2.0])
    assert Shift()(x, x).numpy().tolist() == [2.0, 4.0]
    assert Shift()(x, np.ones(2, np.float32)).numpy().tolist() == [2.0, 3.0]
    assert Shift()(x, tf.Variable(1.0), back=True).numpy().tolist() == [0.0, 1.0]
    assert Shift()(x, None).numpy().tolist() == [1.0, 2.0]


def test_counts_may_be_integers_of_numpy():
    layer = layers.Conv2D(np.int64(3), 2)
    assert tuple(layer(tf.ones([1, 3, 3, 1])).shape) == (1, 2, 2, 3)
    assert layers.Dense(np.int64(6))(tf.ones([1, 3])).shape == [1, 6]


@pytest.mark.parametrize("shape", ["kernel", (2.5,), (-1,), 2.5])
def test_a_weight_of_what_is_no_shape_is_an_error(shape):
    with pytest.raises(ValueError, match="Cannot convert .* to a shape"):
        layers.Layer().add_weight(shape=shape)


def test_a_layer_that_is_built_before_its_first_call_is_not_built_again():
    class Scale(layers.Layer):
        def build(self, input_shape):
            self.factor = self.add_weight(shape=(input_shape[-1],), initializer="ones")

        def call(self, x):
            return x * self.factor

    layer = Scale()
    layer.build((None, 2))
    before = layer.factor
    layer(tf.ones([1, 2]))
    assert layer.built and layer.factor is before and len(layer.weights) == 1


def test_a_weight_s_name_in_the_first_place_is_answered_by_the_line_to_write():
    with pytest.raises(ValueError, match=r"`add_weight\(shape=\(3, 2\), name='kernel'\)`"):
        layers.Layer().add_weight("kernel", shape=(3, 2))
    with pytest.raises(ValueError, match=r"`add_weight\(shape=\[4\], name='kernel'\)`"):
        layers.Layer().add_weight("kernel", [4])


def test_a_weight_argument_twice_or_a_fourth_by_position_is_refused():
    with pytest.raises(TypeError, match="multiple values for argument 'shape'"):
        layers.Layer().add_weight((3,), shape=(3,))
    with pytest.raises(TypeError, match="positional arguments but 5"):
        layers.Layer().add_weight((2,), "zeros", "float32", True)


def test_three_arguments_of_a_weight_may_go_by_position():
    weight = layers.Layer().add_weight((2,), "ones", "float64", name="w")
    assert (weight.numpy().tolist(), weight.dtype, weight.name) == ([1.0, 1.0], tf.float64, "w")
    assert layers.Layer().add_weight(None, name=None).shape == []


def test_two_layers_of_one_name_are_refused_by_both_kinds_of_models():
    first, second = layers.Dense(1, name="a"), layers.Dense(1, name="a")
    with pytest.raises(ValueError, match="unique names. Name 'a'"):
        tf.keras.Sequential([first, second])
    x = tf.keras.Input((2,))
    with pytest.raises(ValueError, match='"a" is used 2 times'):
        tf.keras.Model(x, second(first(x)))


def test_one_layer_may_stand_in_a_model_twice():
    dense = layers.Dense(2, name="a")
    assert len(tf.keras.Sequential([dense, dense]).layers) == 2
    x = tf.keras.Input((2,))
    assert len(tf.keras.Model(x, dense(dense(x))).layers) == 2


@pytest.mark.parametrize("size", [2, (2, 2), [2, 2], np.array([2, 2]), np.int64(2)])
def test_a_size_is_a_number_or_one_for_each_axis(size):
    assert layers.Conv2D(1, size).kernel_size == (2, 2)
    assert layers.MaxPooling2D(size).pool_size == (2, 2)


def names(layer):
    return [each.path for each in layer.weights]


# The paths are those that Keras gives, built or called.
BUILT = {
    "LSTM": (
        lambda: layers.LSTM(2, name="l"), ["l/lstm_cell/kernel", "l/lstm_cell/bias"],
    ),
    "RNN": (
        lambda: layers.RNN(layers.GRUCell(2, name="c"), name="l"), ["l/c/kernel", "l/c/bias"],
    ),
    "Bidirectional": (
        lambda: layers.Bidirectional(layers.SimpleRNN(2, name="q"), name="l"),
        ["l/forward_q/simple_rnn_cell/kernel", "l/backward_q/simple_rnn_cell/bias"],
    ),
    "TimeDistributed": (
        lambda: layers.TimeDistributed(layers.Dense(2, name="q"), name="l"),
        ["l/q/kernel", "l/q/bias"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("way", ["built", "called"])
@pytest.mark.parametrize("kind", BUILT)
def test_layers_with_layers_inside_have_their_variables_once_they_are_built(kind, way):
    make, paths = BUILT[kind]
    for _ in range(2):  # names are not counted on
        layer = make()
        if way == "built":
            layer.build((None, 3, 4))
        else:
            layer(tf.ones([1, 3, 4]))
        assert all(any(each.endswith(path) for each in names(layer)) for path in paths)


@pytest.mark.parametrize("kind", BUILT)
def test_a_built_layer_computes_with_the_variables_that_it_had(kind):
    layer = BUILT[kind][0]()
    layer.build((None, 3, 4))
    before = [id(each) for each in layer.weights]
    layer(tf.ones([1, 3, 4]))
    assert [id(each) for each in layer.weights] == before


def test_outputs_and_states_come_in_a_tuple():
    x = tf.ones([1, 2, 3])
    assert type(layers.LSTM(2, return_state=True)(x)) is tuple
    assert type(layers.Bidirectional(layers.GRU(2, return_state=True))(x)) is tuple
    assert len(layers.LSTM(2, return_state=True)(tf.keras.Input((2, 3)))) == 3
