"""Names, dtypes and values of layers' variables, optimizers and losses, as Keras 3 has them."""

from __future__ import annotations

import numpy as np
import pytest

import minitape as tf


def dense(name="first", **options):
    layer = tf.keras.layers.Dense(2, name=name, kernel_initializer="ones", **options)
    layer.build((None, 3))
    return layer


def test_the_value_of_a_keras_variable_is_a_tf_variable():
    kernel = dense().kernel
    assert isinstance(kernel.value, tf.Variable)
    kernel.value.assign_add(tf.ones([3, 2]))
    np.testing.assert_array_equal(kernel, 2 * np.ones((3, 2)))


def test_a_keras_variable_and_its_layer_say_their_dtype_as_strings():
    layer = dense(dtype="float64")
    names = [layer.kernel.dtype, layer.dtype, layer.compute_dtype, layer.variable_dtype]
    assert names == ["float64"] * 4 and all(isinstance(each, str) for each in names)
    assert tf.cast(1, layer.kernel.dtype).dtype is tf.float64
    assert repr(layer.bias) == (
        "<Variable path=first/bias, shape=(2,), dtype=float64, value=[0. 0.]>"
    )


def test_a_value_of_another_dtype_is_refused_with_its_name():
    with pytest.raises(ValueError, match=r"has dtype float32, .*tf.cast\(value, tf.float32\)"):
        dense().kernel.assign(tf.ones([3, 2], tf.float64))


def test_a_path_has_the_names_of_the_models_around():
    inner = tf.keras.Sequential([tf.keras.layers.Dense(1, name="a")], name="inner")
    model = tf.keras.Sequential([inner, tf.keras.layers.Dense(1, name="b")], name="outer")
    model(tf.ones([1, 2]))
    assert [v.path for v in model.variables] == [
        "outer/inner/a/kernel", "outer/inner/a/bias", "outer/b/kernel", "outer/b/bias"
    ]  # fmt: skip


def test_a_layer_adds_a_variable_by_its_older_name():
    class Scale(tf.keras.layers.Layer):
        def build(self, input_shape):
            self.w = self.add_variable(name="w", shape=[input_shape[-1]], initializer="ones")

        def call(self, x):
            return self.w * x

    layer = Scale(name="scale")
    np.testing.assert_array_equal(layer(tf.ones([1, 2])), [[1.0, 1.0]])
    assert layer.w.path == "scale/w"


def test_a_path_begins_with_the_sequential_that_has_an_input():
    first, last = tf.keras.layers.Dense(1, name="a"), tf.keras.layers.Dense(1, name="b")
    tf.keras.Sequential([tf.keras.Input([2]), first], name="made")
    tf.keras.Sequential([last], name="built").build((None, 2))
    assert (first.kernel.path, last.kernel.path) == ("made/a/kernel", "built/b/kernel")


def test_a_path_has_each_layer_once_where_symbols_build_it():
    cell = tf.keras.layers.LSTMCell(2, name="cell")
    layer = tf.keras.layers.RNN(cell, name="around")
    layer(tf.keras.Input([3, 2]))
    assert cell.kernel.path == "around/cell/kernel"


def test_a_layer_that_fails_leaves_no_name_for_the_next_one():
    class Fails(tf.keras.layers.Layer):
        def call(self, x):
            raise ArithmeticError

    with pytest.raises(ArithmeticError):
        Fails(name="fails")(tf.ones([1, 2]))
    layer = tf.keras.layers.Dense(1, name="next")
    layer(tf.ones([1, 2]))
    assert layer.kernel.path == "next/kernel"


@pytest.mark.parametrize(
    ("make", "slots"),
    [
        (lambda **o: tf.keras.optimizers.SGD(0.1, momentum=0.9, **o), ["momentum"]),
        (lambda **o: tf.keras.optimizers.Adam(**o), ["momentum", "velocity"]),
        (lambda **o: tf.keras.optimizers.Adagrad(0.1, **o), ["accumulator"]),
    ],
)
def test_the_variables_of_an_optimizer_are_named_after_those_it_moves(make, slots):
    optimizer, v = make(name="mine"), tf.Variable(1.0, name="w")
    optimizer.apply_gradients([(tf.constant(1.0), v)])
    names = ["iteration", "learning_rate", *(f"w_0_{slot}" for slot in slots)]
    assert [each.name for each in optimizer.variables] == names
    assert [each.path for each in optimizer.variables] == [f"mine/{name}" for name in names]


def test_optimizers_are_named_and_counted():
    first, second = tf.keras.optimizers.RMSprop(), tf.keras.optimizers.RMSprop()
    assert first.name.startswith("rm_sprop") and first.name != second.name


def test_a_loss_compares_in_its_own_dtype():
    y = tf.constant([1.0, 4.0], tf.float64)
    assert tf.keras.losses.MeanSquaredError()(y, y).dtype is tf.float32
    exact = tf.keras.losses.Huber(dtype="float64")
    assert exact.dtype == "float64" and exact(y, y).dtype is tf.float64


def test_one_hot_rows_of_a_list_are_float64_and_of_a_tensor_a_float32_tensor():
    assert tf.keras.utils.to_categorical([0, 2]).dtype == np.float64
    rows = tf.keras.utils.to_categorical(tf.constant([0, 2]), 3)
    assert rows.dtype is tf.float32 and rows.numpy().tolist() == [[1, 0, 0], [0, 0, 1]]


def test_a_layer_can_be_recomputed_though_its_variables_dtypes_are_texts():
    layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
    with tf.GradientTape() as tape:
        y = tf.recompute_grad(lambda x: layer(x))(tf.constant([[2.0, 3.0]]))
    assert tape.gradient(y, layer.kernel).numpy().tolist() == [[2.0], [3.0]]


@pytest.mark.parametrize("name", ["BinaryAccuracy", "Accuracy"])
def test_weights_of_examples_weigh_the_mean_of_each_row(name):
    metric = getattr(tf.keras.metrics, name)()
    metric.update_state(
        [[0.0, 1], [1, 0], [1, 1]], [[0.0, 1], [0, 0], [1, 0]], sample_weight=[1, 0, 2]
    )
    np.testing.assert_allclose(metric.result(), (1.0 * 1 + 0.5 * 2) / 3)


@pytest.mark.parametrize("name", ["get", "missing", "snake_case", "np", "_mean", "Loss", "Any"])
@pytest.mark.parametrize("module", [tf.keras.losses, tf.keras.metrics], ids=["losses", "metrics"])
def test_no_helper_of_a_module_is_taken_for_a_loss_or_a_metric(module, name):
    with pytest.raises(ValueError, match=f"Could not interpret .* {name!r}"):
        module.get(name)


def test_losses_and_metrics_are_found_by_the_names_that_compile_takes():
    metrics = tf.keras.metrics
    for name in ("mse", "MSE", "mean_squared_error", "MeanSquaredError"):
        metric = metrics.get(name)
        assert type(metric) is metrics.MeanSquaredError and metric.name == "mean_squared_error"
        assert float(metric([1.0], [3.0])) == 4.0
    assert type(metrics.get("bce")) is metrics.BinaryCrossentropy
    assert type(metrics.get("accuracy")) is metrics.Accuracy and metrics.get(None) is None
    assert float(metrics.get("hinge")([1.0], [0.25])) == 0.75
    assert isinstance(tf.keras.metrics.get("Precision"), tf.keras.metrics.Precision)
    assert isinstance(tf.keras.losses.get("MeanSquaredError"), tf.keras.losses.MeanSquaredError)


@pytest.mark.parametrize("kind", ["constraint", "regularizer", "initializer", "loss"])
@pytest.mark.parametrize("given", [dict, int, 3])
def test_a_class_that_makes_nothing_to_call_stands_for_nothing(kind, given):
    module = getattr(tf.keras, "losses" if kind == "loss" else f"{kind}s")
    with pytest.raises(ValueError, match=f"Could not interpret {kind} identifier: .*Write"):
        module.get(given)


def test_weights_without_a_name_are_told_apart():
    class Own(tf.keras.layers.Layer):
        def build(self, input_shape):
            self.w = self.add_weight(shape=(2,))
            self.b = self.add_weight(shape=(2,))
            self.c = self.add_weight(shape=(2,), name="c")

    tf.keras.backend.clear_session()
    first, second = Own(), Own()
    for layer in (first, second):
        layer.build([None, 2])
    assert [w.path for w in first.weights] == ["own/variable", "own/variable_1", "own/c"]
    assert [w.name for w in second.weights] == ["variable_2", "variable_3", "c"]
