"""Sizes that a graph does not know: one trace for all of them, with values and gradients right.

The expected values are those of the same Python run eagerly, which other tests compare with NumPy
and with differences; what Python sees and how often it runs are recorded facts of TensorFlow 2.21.
"""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import every_op
import minitape as tf
from minitape.names import namespaces
from minitape.op import registry
from minitape.tensors.composite import dense
from op_samples import all_samples

namespaces.load_rest()
exact = importlib.import_module("minitape.graphs.compiled.exact")
RNG = np.random.default_rng(0)
v1 = tf.compat.v1


@pytest.fixture(autouse=True, params=["for any size", "for the sizes of a run"])
def made(request, monkeypatch):
    """Whether shapes are worth a copy of the graph at once, or after some runs."""
    if request.param == "for the sizes of a run":
        monkeypatch.setattr(exact, "_OFTEN", 0)


def spec(*dims, dtype=tf.float32):
    return tf.TensorSpec(dims, dtype)


def normal(*shape):
    return tf.constant(RNG.standard_normal(shape).astype(np.float32))


def agree(found, expected):
    found, expected = tf.nest.flatten(found), tf.nest.flatten(expected)
    assert len(found) == len(expected)
    for x, y in zip(found, expected, strict=True):
        x, y = tf.convert_to_tensor(x), tf.convert_to_tensor(y)
        assert (x.dtype, x.shape) == (y.dtype, y.shape)
        np.testing.assert_allclose(x.numpy(), y.numpy(), rtol=2e-4, atol=1e-5)


def given(*values):
    return [tf.constant(value) for value in values]


def once(function, signature, *calls):
    """Calls a traced function and its Python; they agree, and the Python was traced once."""
    traced = tf.function(function, input_signature=signature)
    for args in calls:
        agree(traced(*args), function(*args))
    assert traced.experimental_get_tracing_count() == 1
    assert traced.runs_python is None


def gradient(function):
    def both(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return y, tape.gradient(y, x)

    return both


def test_python_sees_none_and_runs_once(caplog):
    seen = []

    @tf.function(input_signature=[spec(None, 3)])
    def f(x):
        seen.append((x.shape.as_list(), x.shape[0], repr(x), str(x.shape)))
        return x * 2.0

    for rows in (2, 5, 1, 60, 0):
        assert f(tf.ones([rows, 3])).shape == (rows, 3)
    shown = "<tf.Tensor 'x:0' shape=(None, 3) dtype=float32>"
    assert seen == [([None, 3], None, shown, "(None, 3)")]
    assert not caplog.records


@pytest.mark.parametrize(
    "source",
    [
        "tf.reduce_mean(tf.tanh(x) + tf.reduce_sum(x, 1, keepdims=True))",
        "tf.reduce_mean(x, 0)",
        "tf.math.reduce_variance(x, 0)",
        "tf.nn.moments(x, [0])[1]",
        "tf.nn.softmax(tf.matmul(x, x, transpose_b=True))",
        "tf.linalg.matmul(x, x, transpose_a=True)",
        "tf.reshape(x, [-1])",
        "tf.reshape(x, [tf.shape(x)[0], -1])",
        "tf.reshape(x, tf.stack([tf.shape(x)[0] * 4]))",
        "tf.concat([x, 2.0 * x], 0)",
        "tf.add_n(tf.split(x, 2, axis=1))",
        "tf.tile(x, [2, 1])",
        "tf.pad(x, [[1, 1], [0, 0]])",
        "tf.transpose(x)",
        "x / tf.cast(tf.shape(x)[0], tf.float32)",
        "x * tf.cast(tf.size(x), tf.float32)",
        "tf.zeros([tf.shape(x)[0], 4]) + x",
        "tf.ones_like(x) * x",
        "tf.fill([tf.shape(x)[0]], 3.0) * x[:, 0]",
        "tf.cast(tf.range(tf.shape(x)[0]), tf.float32) * x[:, 0]",
        "tf.broadcast_to(x[:, :1], tf.shape(x))",
        "tf.sort(x)",
        "tf.cumsum(x)",
        "tf.where(x > 0.0, x, 0.0)",
        "tf.norm(x)",
        "tf.einsum('ij,kj->ik', x, x)",
    ],
)  # fmt: skip
def test_one_trace_serves_all_sizes(source):
    function = gradient(eval(f"lambda x: {source}"))
    once(function, [spec(None, 4)], [normal(2, 4)], [normal(5, 4)], [normal(1, 4)])


def test_a_model_trains_in_batches_of_any_size():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Conv2D(3, 3, activation="relu"),
            tf.keras.layers.MaxPooling2D(),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(3),
        ]
    )
    model(tf.zeros([1, 8, 8, 1]))

    def step(x, labels):
        with tf.GradientTape() as tape:
            logits = model(x)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
        return loss, tape.gradient(loss, model.trainable_variables)

    calls = [(normal(n, 8, 8, 1), tf.constant([i % 3 for i in range(n)])) for n in (2, 5)]
    once(step, [spec(None, 8, 8, 1), spec(None, dtype=tf.int32)], *calls)


def test_values_of_any_size_are_assigned():
    open_ended, fixed = tf.Variable([0.0], shape=[None]), tf.Variable([0.0, 0.0])

    @tf.function(input_signature=[spec(None)])
    def keep(x):
        open_ended.assign(2.0 * x)
        fixed.assign_add(x[:2])
        return fixed + tf.reduce_sum(x)

    assert keep.get_concrete_function()(tf.ones([2])).numpy().tolist() == [3.0, 3.0]
    assert keep.get_concrete_function()(tf.ones([3])).numpy().tolist() == [5.0, 5.0]
    assert open_ended.numpy().tolist() == [2.0, 2.0, 2.0]


def test_a_loop_on_values_of_any_size_may_assign():
    v = tf.Variable(0.0)

    @tf.function(input_signature=[spec(None)])
    def f(x):
        def body(i, y):
            return i + 1, y * v.assign_add(tf.reduce_sum(x))

        return tf.while_loop(lambda i, y: i < 2, body, [0, x])[1]

    assert f(tf.constant([1.0, 2.0])).numpy().tolist() == [18.0, 36.0]  # times 3, times 6
    assert f(tf.constant([1.0])).numpy().tolist() == [56.0]  # times 7, times 8


def test_branches_and_loops_know_the_size_of_a_run():
    def branch(x):
        n = tf.cast(tf.shape(x)[0], tf.float32)
        return tf.cond(tf.reduce_sum(x) > 0.0, lambda: x * x * n, lambda: -x * n)

    def loop(x):
        return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.sin(y) * x), [0, x])[1]

    for function in (branch, loop):
        calls = [[normal(n)] for n in (2, 5, 4)]
        once(gradient(function), [spec(None)], *calls)


def test_second_derivatives_and_variables_outside():
    w = tf.Variable(normal(4))

    def f(x):
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = tf.reduce_mean(tf.sin(x * w) ** 2)
            g = inner.gradient(y, w)
        return g, outer.gradient(g, w)

    once(f, [spec(None, 4)], [normal(2, 4)], [normal(7, 4)])


def test_a_tape_outside_follows_a_trace_of_open_sizes():
    @tf.function(input_signature=[spec(None, 3)])
    def f(x):
        return tf.reduce_mean(x * x, 0)

    for rows in (2, 5):
        x = normal(rows, 3)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        agree(tape.gradient(y, x), 2.0 * x / float(rows))
    assert f.experimental_get_tracing_count() == 1


def test_where_one_of_two_open_sizes_is_broadcast_the_gradient_is_right():
    @tf.function(input_signature=[spec(None), spec(None)])
    def f(x, y):
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            z = tf.reduce_sum(x * y)
        return tape.gradient(z, [x, y])

    agree(f(tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])), given([3.0, 4.0], [1.0, 2.0]))
    agree(f(tf.constant([1.0, 2.0]), tf.constant([5.0])), given([5.0, 5.0], [3.0]))


def test_python_that_needs_the_size_is_traced_for_each_shape():
    @tf.function(input_signature=[spec(None)])
    def f(x):
        return tf.vectorized_map(lambda row: row * 2.0, x)

    for n in (2, 3):
        agree(f(tf.ones([n])), tf.fill([n], 2.0))


def test_an_argument_of_another_size_is_refused_where_the_size_is_known():
    f = tf.function(lambda x: x, input_signature=[spec(None, 3)])
    with pytest.raises((TypeError, ValueError), match=r"does not fit TensorSpec"):
        f(tf.ones([2, 4]))


def test_further_arguments_have_a_spec_each():
    f = tf.function(lambda *xs: sum(xs), input_signature=[spec(None), spec(None)])
    agree(f(tf.ones([2]), tf.ones([2])), given([2.0, 2.0]))


def test_a_concrete_function_of_open_sizes():
    f = tf.function(lambda x: tf.reduce_sum(x, 0))
    concrete = f.get_concrete_function(spec(None, 2))
    agree(concrete(tf.ones([3, 2])), given([3.0, 3.0]))
    agree(concrete(tf.ones([5, 2])), given([5.0, 5.0]))
    assert f.experimental_get_tracing_count() == 1
    with pytest.raises(TypeError, match=r"\(None, 2\)"):
        concrete(tf.ones([5, 3]))


def test_a_concrete_function_of_unknown_rank_takes_any():
    concrete = tf.function(lambda x: x * 2.0).get_concrete_function(tf.TensorSpec(None))
    agree(concrete(tf.constant(1.0)), 2.0)
    agree(concrete(tf.ones([2, 1])), given([[2.0], [2.0]]))


def test_reduced_retracing_leaves_open_what_differs():
    seen = []

    @tf.function(reduce_retracing=True)
    def f(x):
        seen.append(x.shape.as_list())
        return tf.reduce_mean(x, 0)

    for rows in (2, 3, 4, 5):
        agree(f(tf.fill([rows, 2], 3.0)), given([3.0, 3.0]))
    assert seen == [[2, 2], [None, 2]]


def test_a_placeholder_takes_any_size_and_has_a_gradient():
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None, 2])
        (g,) = tf.gradients(tf.reduce_mean(x * x), x)
        assert x.shape.as_list() == [None, 2]
        with v1.Session() as session:
            for rows in (1, 3):
                value = np.full((rows, 2), 3.0, np.float32)
                np.testing.assert_allclose(session.run(g, {x: value}), value / rows, rtol=1e-6)
            with pytest.raises(ValueError, match=r"shape \(None, 2\)"):
                session.run(g, {x: np.ones((2, 3), np.float32)})


def test_a_size_that_a_graph_alone_needs_is_an_error_with_words():
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None])
        with pytest.raises(ValueError, match="it is not known while a graph is built"):
            tf.vectorized_map(lambda row: row, x)


def samples_with_an_axis():
    """Each sample with one of the sizes of its inputs, to be left open."""
    for sample in all_samples():
        sizes = sorted({n for x in every_op.arrays(sample, "float64") for n in x.shape if n > 1})
        if sizes and not registry[sample.name].op.draws:
            yield pytest.param(sample, sizes[0], id=f"{sample}-{sizes[0]}")


def derivatives(sample, tensors, places):
    """Results, first and second derivatives of one op."""
    with tf.GradientTape() as outer:
        outer.watch([tensors[i] for i in places])
        with tf.GradientTape() as tape:
            tape.watch([tensors[i] for i in places])
            results = every_op.call(sample, tensors)
        ends = [y for y in results if y.dtype.is_floating]
        weights = [y * y + 1.0 for y in ends]
        first = (
            tape.gradient(ends, [tensors[i] for i in places], output_gradients=weights)
            if ends and places
            else []
        )
        first = [dense(g) for g in first if g is not None]
        squares = [g * g for g in first]
    second = outer.gradient(squares, [tensors[i] for i in places]) if first else []
    return results, first, [dense(g) for g in second if g is not None]


@pytest.mark.slow
@pytest.mark.parametrize(("sample", "size"), list(samples_with_an_axis()))
def test_every_op_and_its_derivatives_are_right_for_a_size_that_is_not_known(sample, size):
    inputs = every_op.arrays(sample, "float64")
    places = every_op.differentiable(sample, inputs) if sample.order else []
    tensors = given(*inputs)
    try:
        expected = derivatives(sample, tensors, places)
    except Exception as error:
        pytest.skip(f"no second derivative: {type(error).__name__}")
    signature = [
        tf.TensorSpec([None if n == size else n for n in x.shape], x.dtype) for x in tensors
    ]
    traced = tf.function(
        lambda *xs: derivatives(sample, list(xs), places), input_signature=signature
    )
    for x, y in zip(tf.nest.flatten(traced(*tensors)), tf.nest.flatten(expected), strict=True):
        assert (x.dtype, x.shape) == (y.dtype, y.shape)
        if x.dtype != tf.string:
            np.testing.assert_allclose(x.numpy(), y.numpy(), rtol=1e-7, atol=1e-9)


def test_a_concrete_function_of_any_rank_takes_its_dtype_alone():
    double = tf.function(lambda x: x + x)
    concrete = double.get_concrete_function(tf.TensorSpec(None, tf.float32))
    assert concrete(tf.constant(1.0)).numpy() == 2.0
    assert concrete(tf.ones([2, 2])).shape == (2, 2)
    with pytest.raises(TypeError, match="dtype int32, which does not fit"):
        concrete(tf.constant(1))
