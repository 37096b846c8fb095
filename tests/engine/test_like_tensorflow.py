"""What people see, as TensorFlow 2.21 with Keras 3 shows it: recorded facts."""

from __future__ import annotations

import re

import numpy as np
import pytest

import minitape as tf


@pytest.mark.parametrize(
    ("value", "spec", "text"),
    [
        (1.5, "", "1.5"),
        (3, "", "3"),
        ([1.5, 2.0], "", "[1.5 2. ]"),
        ([[1.5, 2.0]], "", "[[1.5 2. ]]"),
        ("abc", "", "b'abc'"),
        (True, "", "True"),
        ([], "", "[]"),
        (1 / 3, "", "0.3333333432674408"),  # as NumPy's own float32, which is a Python float here
        (1.5, ".3f", "1.500"),
        (1.5, ">10", "       1.5"),
        (7, "5d", "    7"),
    ],
)
def test_a_formatted_tensor_is_its_value_alone(value, spec, text):
    assert format(tf.constant(value), spec) == text


@pytest.mark.parametrize("spec", [".3f", ">10"])
def test_a_format_for_one_number_does_not_fit_a_vector(spec):
    with pytest.raises(TypeError, match="unsupported format string"):
        format(tf.constant([1.5, 2.0]), spec)


def test_formatting_a_tensor_is_no_departure_that_an_explanation_would_blame():
    viz = pytest.importorskip("viz")
    x = tf.Variable(2.0)
    with viz.recording(), tf.GradientTape() as tape:
        y = tf.constant(1.0)
        _ = f"{x * x}"
    assert "NumPy" not in str(viz.explain(tape, y, x))


def test_a_variable_is_formatted_whole_and_takes_no_format_of_a_number():
    v = tf.Variable(1.5)
    assert f"{v}" == "<tf.Variable 'Variable:0' shape=() dtype=float32, numpy=1.5>"
    with pytest.raises(TypeError, match=re.escape("Write `{v.numpy():.2f}`")):
        f"{v:.2f}"


@pytest.mark.parametrize("rows", [[[1, 2], [3]], [[1.0, 2.0], 3.0]])
@pytest.mark.parametrize("make", [tf.constant, tf.convert_to_tensor, tf.Variable])
def test_rows_of_different_length_are_a_value_error_and_no_error_of_an_op(make, rows):
    with pytest.raises(ValueError, match="non-rectangular") as caught:
        make(rows)
    assert not isinstance(caught.value, tf.errors.InvalidArgumentError)


def test_the_truth_of_a_vector_is_a_value_error_and_that_of_nothing_is_false():
    with pytest.raises(ValueError, match="ambiguous") as caught:
        bool(tf.constant([1, 2]))
    assert not isinstance(caught.value, tf.errors.InvalidArgumentError)
    assert bool(tf.constant([])) is False and bool(tf.constant("")) is False
    assert bool(tf.constant([[1]])) is True and bool(tf.constant("a")) is True


@pytest.mark.parametrize(
    ("statement", "instead"),
    [
        ("v += 1.0", "v.assign_add(value)"),
        ("v -= 1.0", "v.assign_sub(value)"),
        ("v *= 2.0", "v.assign(v * value)"),
        ("v /= 2.0", "v.assign(v / value)"),
        ("v **= 2.0", "v.assign(v ** value)"),
    ],
)
def test_a_variable_is_not_changed_by_an_operator(statement, instead):
    names = {"v": tf.Variable(3.0)}
    with pytest.raises(RuntimeError, match=re.escape(f"Use `{instead}`")):
        exec(statement, names)
    assert float(names["v"]) == 3.0


def test_operators_that_tensorflow_lets_through_give_a_tensor():
    v, w = tf.Variable(7), tf.Variable([[2.0]])
    v //= 2
    w @= [[3.0]]
    assert int(v) == 3 and float(w[0, 0]) == 6.0 and not hasattr(w, "assign")


def test_a_keras_variable_becomes_a_tensor_under_its_own_name():
    layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
    layer.build((None, 1))
    kernel = layer.kernel
    kernel += 1.0
    assert kernel.numpy().tolist() == [[2.0]] and layer.kernel.numpy().tolist() == [[1.0]]


def test_references_are_ordered_so_that_dicts_keyed_by_them_are_nests():
    v, w = tf.Variable(1.0), tf.Variable(2.0)
    assert (v.ref() < w.ref()) is not (w.ref() < v.ref()) and not v.ref() < v.ref()
    structure = {w.ref(): 20.0, v.ref(): 10.0}
    doubled = tf.nest.map_structure(lambda x: 2 * x, structure)
    assert doubled == {v.ref(): 20.0, w.ref(): 40.0}
    with pytest.raises(TypeError):
        v.ref() < 3  # noqa: B015


def test_a_function_that_gives_a_dict_keyed_by_references_can_be_recomputed():
    v, w = tf.Variable(1.0), tf.Variable(2.0)
    parts = tf.recompute_grad(lambda x: {v.ref(): x * v, w.ref(): x * w * w})
    with tf.GradientTape() as tape:
        found = parts(tf.constant(3.0))
        y = found[v.ref()] + found[w.ref()]
    assert [float(g) for g in tape.gradient(y, [v, w])] == [3.0, 12.0]


def seen(function, *args, **kwargs):
    """What the Python of a traced function sees of its arguments and results, as text."""
    texts = []

    def look(*args, **kwargs):
        texts.extend(str(x) for x in tf.nest.flatten(function(*args, **kwargs)))

    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    source = f"lambda {', '.join(names)}: look({', '.join(names)})" if names else "look"
    tf.function(eval(source, {"look": look}))(*args, **kwargs)
    return texts


def test_a_symbolic_tensor_is_printed_with_name_shape_and_dtype():
    x = tf.ones([2, 2])
    assert seen(lambda x: [x, x + x, x * x, x - x, x / x, x**x, tf.sin(x), x[0]], x) == [
        f'Tensor("{name}:0", shape={shape}, dtype=float32)'
        for name, shape in [
            *((each, (2, 2)) for each in ("x", "add", "mul", "sub", "truediv", "pow", "Sin")),
            ("strided_slice", (2,)),
        ]
    ]


def test_a_symbolic_tensor_in_a_list_or_formatted_says_what_tensorflow_says():
    texts = []

    @tf.function
    def f(x):
        texts.extend([repr(x), f"{x}", x.name, x.op.name, x.op.type])
        return x

    f(tf.constant(1))
    assert texts == [
        "<tf.Tensor 'x:0' shape=() dtype=int32>",
        'Tensor("x:0", shape=(), dtype=int32)',
        "x:0",
        "x",
        "Placeholder",
    ]


def test_arguments_of_a_traced_function_are_named_by_its_parameters():
    names = []

    @tf.function
    def f(first, *others, scale, **more):
        tensors = [*tf.nest.flatten(first), *others, scale, more["b"], more["a"]]
        names.extend(each.name for each in tensors)
        return scale

    one = tf.constant(1.0)
    f([one, one], one, one, scale=one, b=one, a=one)
    assert names == ["first:0", "first_1:0", "others_0:0", "others_1:0", "scale:0", "b:0", "a:0"]


def test_a_name_in_a_tensor_spec_names_the_argument():
    names = []
    f = tf.function(lambda x: names.append(x.name) or x)
    f.get_concrete_function(tf.TensorSpec([], tf.float32, name="inp"))
    assert names == ["inp:0"]


def test_names_in_a_graph_count_up_and_begin_with_the_name_scope():
    with tf.Graph().as_default():
        a, b = tf.constant(1.0), tf.constant(2.0)
        with tf.name_scope("net"):
            inner = [a * b, a * b]
        assert [each.name for each in (a, b, a + b, a + b, *inner)] == [
            "Const:0", "Const_1:0", "add:0", "add_1:0", "net/mul:0", "net/mul_1:0"
        ]  # fmt: skip


def test_a_variable_shows_no_value_while_a_function_is_traced():
    v, texts = tf.Variable(1.0, name="w"), []
    tf.function(lambda: texts.append(repr(v)) or v + 1.0)()
    assert texts == ["<tf.Variable 'w:0' shape=() dtype=float32>"]


LOSSES = {
    "MeanSquaredError": "mean_squared_error",
    "MeanAbsoluteError": "mean_absolute_error",
    "Hinge": "hinge",
    "KLDivergence": "kl_divergence",
    "BinaryCrossentropy": "binary_crossentropy",
    "CategoricalCrossentropy": "categorical_crossentropy",
    "SparseCategoricalCrossentropy": "sparse_categorical_crossentropy",
    "Huber": "huber_loss",
}
METRICS = {
    "Mean": "mean",
    "Accuracy": "accuracy",
    "BinaryAccuracy": "binary_accuracy",
    "CategoricalAccuracy": "categorical_accuracy",
    "SparseCategoricalAccuracy": "sparse_categorical_accuracy",
    "MeanSquaredError": "mean_squared_error",
    "MeanAbsoluteError": "mean_absolute_error",
}


def test_losses_and_metrics_have_keras_names():
    assert {name: getattr(tf.keras.losses, name)().name for name in LOSSES} == LOSSES
    assert {name: getattr(tf.keras.metrics, name)().name for name in METRICS} == METRICS
    assert tf.keras.losses.Huber(name="mine").name == "mine"
    assert repr(tf.keras.metrics.Mean(name="loss")) == "<Mean name=loss>"


def test_a_metric_says_its_dtype_as_a_string():
    metric = tf.keras.metrics.Mean(dtype=tf.float64)
    assert metric.dtype == "float64" and isinstance(metric.dtype, str)
    assert metric([1.0, 2.0]).dtype == tf.float64
    metric.reset_state()
    np.testing.assert_array_equal(metric.total, 0.0)
