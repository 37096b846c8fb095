"""`tf.function`: one trace per signature, captures, effects, and what eager code gives."""

from __future__ import annotations

import gc
import inspect
import logging
import weakref
from collections import namedtuple

import numpy as np
import pytest

import every_op
import minitape as tf
import programs
from minitape.interpreter import active
from minitape.names import namespaces
from minitape.op import registry
from op_samples import all_samples, by_op
from rows import failing

namespaces.load_rest()
x2 = tf.constant(2.0)
Pair = namedtuple("Pair", "a b")


@pytest.fixture(autouse=True)
def _stack_is_as_before():
    before = active()
    yield
    assert active() == before


def here(offset: int = 0) -> str:
    frame = inspect.stack()[1]
    return f"{frame.filename}:{frame.lineno + offset}"


def slope(f, *xs):
    """The gradients of f's result by a tape around the call."""
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = f(*xs)
    return tape.gradient(y, xs)


# Tracing.


def test_the_python_runs_once_per_shape_and_dtype():
    traced = []

    @tf.function
    def f(x):
        traced.append((x.shape.as_list(), x.dtype.name))
        return x + x

    for value in ([1.0], [2.0], [1, 2], [1.0, 2.0], [3.0]):
        f(tf.constant(value))
    assert traced == [([1], "float32"), ([2], "int32"), ([2], "float32")]
    assert f.experimental_get_tracing_count() == 3


def test_python_values_are_part_of_the_signature():
    traced = []

    @tf.function
    def f(x, k, mode="a"):
        traced.append((k, mode))
        return x * k

    f(x2, 1), f(x2, 1), f(x2, k=1), f(x2, 2), f(x2, 1, mode="b"), f(x2, 1, "b"), f(x2, 1.0)
    assert traced == [(1, "a"), (2, "a"), (1, "b"), (1.0, "a")]


def test_numpy_arrays_and_tensors_share_a_trace():
    f = tf.function(lambda x: x * 2.0)
    assert float(f(np.float32(3.0))) == 6.0
    assert float(f(tf.constant(4.0))) == 8.0
    assert f.experimental_get_tracing_count() == 1


def test_structures_are_part_of_the_signature():
    f = tf.function(lambda s: tf.nest.flatten(s)[0] * 1.0)
    f([x2, x2]), f([x2, x2]), f((x2, x2)), f({"a": x2, "b": x2}), f(Pair(x2, x2))
    assert f.experimental_get_tracing_count() == 4


def test_a_retrace_is_warned_about_with_its_reason(caplog):
    f = tf.function(lambda x, n: x * float(n))
    with caplog.at_level(logging.WARNING, "minitape"):
        f(tf.zeros([2]), 1)
        assert not caplog.records
        f(tf.zeros([3]), 1)
        f(tf.zeros([3]), 2)
        f(tf.zeros([3], tf.float64), 2)
        f(tf.zeros([3]), 2)
    messages = [r.getMessage() for r in caplog.records]
    assert len(messages) == 3
    assert "`x` had shape (2,), now (3,)" in messages[0]
    assert "`n` was 1, now 2" in messages[1]
    assert "pass a tensor" in messages[1]
    assert "dtype float32, now float64" in messages[2]


def test_a_variable_in_the_place_of_a_tensor_is_called_a_variable(caplog):
    f = tf.function(lambda x: x * 2.0)
    f(tf.Variable(1.0))
    with caplog.at_level(logging.WARNING, "minitape"):
        f(x2)
    assert "`x` was a variable, now a tensor of shape" in caplog.text


def test_python_side_effects_happen_while_tracing_only():
    seen = []

    @tf.function
    def f(x):
        seen.append(x)
        return x

    f(x2), f(x2)
    assert len(seen) == 1


def test_an_input_signature_converts_and_checks_arguments():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.int32)])
    def f(x, n):
        return tf.reduce_sum(x) * tf.cast(n, tf.float32)

    assert float(f([1.0, 2.0], 2)) == 6.0
    assert float(f(tf.constant([1.0]), tf.constant(3))) == 3.0
    with pytest.raises(TypeError, match="does not fit"):
        f(tf.constant([[1.0]]), 1)
    with pytest.raises(ValueError, match="`x`"):
        f(tf.constant([1, 2]), 1)


def test_a_concrete_function_takes_the_tensors_alone():
    f = tf.function(lambda x, k: x * k)
    concrete = f.get_concrete_function(tf.TensorSpec([2], tf.float32), 3.0)
    assert concrete(tf.constant([1.0, 2.0])).numpy().tolist() == [3.0, 6.0]
    assert f.experimental_get_tracing_count() == 1
    f(tf.constant([1.0, 2.0]), 3.0)
    assert f.experimental_get_tracing_count() == 1
    with pytest.raises(TypeError, match="traced for shape"):
        concrete(tf.constant([1.0]))


def test_a_concrete_function_finds_arguments_by_name_in_any_order():
    scalar = tf.TensorSpec([], tf.float32)
    concrete = tf.function(lambda a, b: a - b).get_concrete_function(scalar, scalar)
    assert concrete(b=tf.constant(1.0), a=tf.constant(3.0)).numpy() == 2.0
    assert concrete(tf.constant(3.0), b=tf.constant(1.0)).numpy() == 2.0


def test_a_concrete_function_refuses_a_name_that_it_does_not_know_and_a_value_that_comes_twice():
    scalar = tf.TensorSpec([], tf.float32)
    concrete = tf.function(lambda a, b: a - b).get_concrete_function(scalar, scalar)
    one = tf.constant(1.0)
    with pytest.raises(TypeError, match="no argument `c`; its arguments are `a`, `b`"):
        concrete(one, c=one)
    with pytest.raises(TypeError, match="two values for its argument `a`"):
        concrete(one, a=one)


def test_a_concrete_function_takes_lists_of_numbers_and_refuses_another_dtype():
    concrete = tf.function(lambda a: a + a).get_concrete_function(tf.TensorSpec([2], tf.float32))
    assert concrete([1.0, 2.0]).numpy().tolist() == [2.0, 4.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="traced for shape"):
        concrete(tf.constant([1, 2]))


def test_a_function_keeps_its_name_and_documentation():
    @tf.function
    def named(x):
        """What it does."""
        return x

    assert named.__name__ == "named"
    assert named.__doc__ == "What it does."
    assert named.python_function(3) == 3


# Structures in and out.


def test_nested_structures_come_in_and_out():
    @tf.function
    def f(a, *rest, scale, **more):
        return {"a": a["x"] * scale, "n": None, "p": Pair(rest[0], [more["z"], 1]), "t": ()}

    out = f({"x": x2, "unused": None}, tf.constant(3.0), scale=2.0, z=tf.constant([5.0]))
    assert float(out["a"]) == 4.0
    assert out["n"] is None
    assert out["t"] == ()
    assert isinstance(out["p"], Pair)
    assert out["p"].b[0].numpy().tolist() == [5.0]
    assert out["p"].b[1].dtype == tf.int32


def test_arguments_keep_their_places_whatever_their_names():
    f = tf.function(lambda z, a: z - a)
    assert float(f(tf.constant(5.0), tf.constant(3.0))) == 2.0


def test_a_variable_as_argument_and_as_result():
    v = tf.Variable(3.0)
    f = tf.function(lambda v, x: (v, v * x))
    value, product = f(v, x2)
    assert (float(value), float(product)) == (3.0, 6.0)
    v.assign(4.0)
    assert float(f(v, x2)[1]) == 8.0


def test_a_result_that_is_no_tensor_raises():
    with pytest.raises(TypeError, match="must return zero or more Tensors"):
        tf.function(lambda x: object())(x2)


def test_sparse_gradients_come_out_as_indexed_slices():
    table = tf.Variable(np.ones((4, 2), np.float32))

    @tf.function
    def f(i):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.gather(table, i) ** 2)
        return tape.gradient(y, table)

    found = f(tf.constant([1, 1, 2]))
    assert isinstance(found, tf.IndexedSlices)
    assert tf.convert_to_tensor(found).numpy()[:, 0].tolist() == [0.0, 4.0, 2.0, 0.0]


# Captures.


def test_variables_are_read_at_every_call():
    v = tf.Variable(2.0)
    f = tf.function(lambda x: x * v)
    assert float(f(x2)) == 4.0
    v.assign(10.0)
    assert float(f(x2)) == 20.0


def test_reads_see_the_assignments_before_them_in_order():
    v = tf.Variable(1.0)

    @tf.function
    def f():
        before = v * 1.0
        v.assign_add(1.0)
        between = v * 1.0
        v.assign(between * 10.0)
        return before, between, v * 1.0

    assert [float(y) for y in f()] == [1.0, 2.0, 20.0]
    assert [float(y) for y in f()] == [20.0, 21.0, 210.0]


def test_assignments_happen_although_nothing_depends_on_them():
    v = tf.Variable(0.0)

    @tf.function
    def count():
        v.assign_add(1.0)

    assert count() is None
    count()
    assert float(v) == 2.0


def test_ops_that_nothing_depends_on_do_not_run():
    @tf.function
    def f(x):
        tf.exp(tf.sin(x))
        return x * 2.0

    nodes = f.get_concrete_function(x2)._nodes
    assert [node.op.name for node in nodes] == ["multiply"]


def test_an_eager_tensor_closed_over_is_differentiated_through():
    c = tf.constant(3.0)

    @tf.function
    def f(x):
        return c * c * x

    assert float(f(x2)) == 18.0  # traced while nobody follows c
    with tf.GradientTape() as tape:
        tape.watch(c)
        y = f(x2)
    assert float(tape.gradient(y, c)) == 12.0


def test_a_captured_tensor_in_an_attribute_is_followed_by_a_tape_around_the_first_call():
    class Model:
        c = tf.constant(3.0)

    f = tf.function(lambda: Model.c * Model.c)
    for _ in range(2):
        with tf.GradientTape() as tape:
            tape.watch(Model.c)
            y = f()
        assert float(tape.gradient(y, Model.c)) == 6.0


def test_random_numbers_are_drawn_at_every_call():
    f = tf.function(lambda: tf.random.normal([3]))
    assert not np.array_equal(f().numpy(), f().numpy())


def test_a_variable_made_in_the_first_trace_stays():
    class Model:
        v = None

        @tf.function
        def __call__(self, x):
            if self.v is None:
                self.v = tf.Variable(3.0)
            return self.v * x

    model = Model()
    assert float(model(x2)) == 6.0
    model.v.assign(5.0)
    assert float(model(x2)) == 10.0


def test_a_function_that_makes_a_variable_at_every_call_raises():
    @tf.function
    def f(x):
        return tf.Variable(1.0) * x

    with pytest.raises(ValueError, match="only supports singleton tf.Variables"):
        f(x2)


def test_a_large_variable_can_be_made_in_the_first_trace():
    layer = tf.keras.layers.Dense(200)
    f = tf.function(lambda x: layer(x))
    assert f(tf.zeros([1, 100])).shape == [1, 200]
    assert f.runs_python is None


def test_ragged_arguments_make_the_python_run():
    f = tf.function(lambda r: r * 2.0)
    assert f(tf.ragged.constant([[1.0, 2.0], [3.0]])).to_list() == [[2.0, 4.0], [6.0]]


def test_a_function_may_call_itself_with_other_python_values():
    @tf.function
    def power(x, n):
        return x if n == 0 else power(x, n - 1) * x

    assert float(power(x2, 3)) == 16.0


def test_what_was_closed_over_is_not_followed_after_tracing():
    c = tf.constant(3.0)
    f = tf.function(lambda x: c * x)
    f(x2)
    assert c.mark is None


def test_methods_trace_once_per_instance_and_do_not_keep_it():
    class Scale:
        def __init__(self, k):
            self.k = tf.Variable(k)
            self.traces = 0

        @tf.function
        def __call__(self, x, n=1.0):
            self.traces += 1
            return self.k * x * n

    one, two = Scale(2.0), Scale(5.0)
    assert [float(one(x2)), float(one(x2)), float(two(x2)), float(two(x2, 2.0))] == [
        4.0,
        4.0,
        10.0,
        20.0,
    ]
    assert (one.traces, two.traces) == (1, 2)
    reference = weakref.ref(one)
    del one
    gc.collect()
    assert reference() is None


# Nested functions and interpreters outside.


def test_a_function_called_in_a_function_is_traced_once():
    traced = []

    @tf.function
    def square(x):
        traced.append(1)
        return x * x

    @tf.function
    def f(x):
        return square(x) + square(x + 1.0)

    assert float(f(x2)) == 13.0
    assert float(slope(f, x2)[0]) == 10.0
    assert len(traced) == 1


def test_an_inner_function_may_close_over_the_outer_ones_tensors():
    @tf.function
    def outer(x):
        y = x * x

        @tf.function
        def inner(z):
            return y * z

        return inner(x) + inner(y)

    assert float(outer(x2)) == 8.0 + 16.0
    assert float(slope(outer, x2)[0]) == 3 * 4.0 + 4 * 8.0  # x^3 + x^4


def test_tapes_accumulators_and_batches_around_a_call_see_its_ops():
    f = tf.function(lambda x: tf.sin(x) * x)
    x = tf.constant([0.3, 1.1, -0.7], tf.float64)
    expected = np.cos(x) * x + np.sin(x)
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as forward:
        y = f(x)
    np.testing.assert_allclose(forward.jvp(y), expected)
    np.testing.assert_allclose(slope(f, x)[0], expected)
    np.testing.assert_allclose(tf.vectorized_map(lambda a: slope(f, a)[0], x), expected)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    np.testing.assert_allclose(tape.jacobian(y, x), np.diag(expected))


def test_a_gradient_function_of_ones_own_is_asked_at_every_call():
    @tf.custom_gradient
    def square(x):
        return x * x, lambda g: g * (100.0 * x)

    f = tf.function(lambda x: square(x) * 1.0)
    assert [float(slope(f, tf.constant(v))[0]) for v in (2.0, 3.0)] == [200.0, 300.0]


def test_third_order_by_tapes_inside_and_outside():
    @tf.function
    def second(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = x**4
            g = inner.gradient(y, x)
        return outer.gradient(g, x)

    assert float(second(x2)) == 48.0  # 12 x^2
    assert float(slope(second, x2)[0]) == 48.0  # 24 x


def test_a_training_loop_finds_the_line():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(50, 2))
    target = x @ [[2.0], [-3.0]] + 0.5
    w, b = tf.Variable(np.zeros((2, 1))), tf.Variable(0.0, dtype=tf.float64)

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ w + b - y) ** 2)
        for v, g in zip((w, b), tape.gradient(loss, (w, b)), strict=True):
            v.assign_sub(0.1 * g)
        return loss

    for _ in range(300):
        loss = step(tf.constant(x), tf.constant(target))
    np.testing.assert_allclose(w, [[2.0], [-3.0]], rtol=1e-6)
    assert float(loss) < 1e-12
    assert step.experimental_get_tracing_count() == 1


# Python control flow on tensors.


def test_python_control_flow_on_tensors_runs_the_python_and_says_why(caplog):
    @tf.function
    def f(x):
        if x > 0.0:
            return x * x
        return -x

    with caplog.at_level(logging.WARNING, "minitape"):
        assert [float(f(tf.constant(v))) for v in (3.0, -1.0, 2.0)] == [9.0, 1.0, 4.0]
    assert here(-6) in f.runs_python
    assert len(caplog.records) == 1
    assert here(-8) in caplog.text
    assert [float(slope(f, tf.constant(v))[0]) for v in (3.0, -1.0)] == [6.0, -1.0]


def test_python_control_flow_without_autograph_is_an_error():
    @tf.function(autograph=False)
    def f(x):
        while x < 10.0:
            x = x * 2.0
        return x

    with pytest.raises(TypeError, match="tf.while_loop") as caught:
        f(x2)
    assert here(-6) in str(caught.value)


def test_the_reason_for_running_python_goes_on_the_sentence():
    @tf.function
    def f(n):
        total = 0
        for _ in tf.range(n):
            total += 1
        return total

    f(tf.constant(3))
    assert f.runs_python.startswith("what is computed here needs a value while tracing, at ")


def test_a_function_that_calls_one_that_runs_python_runs_python_too():
    inner = tf.function(lambda x: x * 2.0 if x > 0.0 else x)
    outer = tf.function(lambda x: inner(x) + 1.0)
    assert [float(outer(tf.constant(v))) for v in (2.0, -2.0)] == [5.0, -1.0]
    assert inner.runs_python
    assert outer.runs_python


def test_a_tensor_may_be_a_default_argument():
    usual = tf.constant([1.0, 2.0])
    f = tf.function(lambda x, y=usual: x * y)
    for _ in range(3):
        assert f(tf.constant(2.0)).numpy().tolist() == [2.0, 4.0]


def test_loops_over_the_rows_of_a_tensor_are_unrolled():
    @tf.function
    def f(x):
        total = 0.0
        for row in x:
            total += tf.reduce_sum(row) ** 2
        return total

    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert float(f(x)) == 58.0
    assert f.runs_python is None
    assert slope(f, x)[0].numpy().tolist() == [[6.0, 6.0], [14.0, 14.0]]


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda x: tf.unique(x)[0], [1.0, 2.0, 3.0]),
        (lambda x: tf.math.segment_sum(x, tf.cast(x * 0.5, tf.int32)), [1.0, 5.0]),
    ],
)
def test_shapes_that_depend_on_values_make_the_python_run(f, expected):
    traced = tf.function(f)
    assert traced(tf.constant([1.0, 2.0, 3.0])).numpy().tolist() == expected
    assert traced.runs_python


def test_an_exception_while_tracing_leaves_nothing_behind():
    fail = [True]

    @tf.function
    def f(x):
        if fail[0]:
            raise KeyError("mine")
        return x

    with pytest.raises(KeyError):
        f(x2)
    fail[0] = False
    assert float(f(x2)) == 2.0


# The same results as eagerly.


@pytest.mark.parametrize("program", programs.PROGRAMS, ids=lambda p: p.name)
def test_programs_give_what_they_give_eagerly(program):
    inputs = [tf.constant(np.asarray(x, np.float64)) for x in program.inputs]
    expected = tf.nest.flatten(program.function(*inputs))
    found = tf.nest.flatten(tf.function(program.function)(*inputs))
    for a, b in zip(expected, found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-14)
    around = slope(program.function, *inputs)
    for a, b in zip(around, slope(tf.function(program.function), *inputs), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


OPS = by_op(
    s for s in all_samples() if not registry[s.name].op.effect and registry[s.name].op.inputs
)


# Their results have sizes that only a run knows.
BRING_SIZES = {"nonzero_indices", "span"}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", OPS)
def test_every_op_gives_in_a_graph_what_its_forward_gives(name):
    assert failing(gives_in_a_graph_what_its_forward_gives, OPS[name]) == {}


def gives_in_a_graph_what_its_forward_gives(sample):
    arrays = every_op.arrays(sample, "float64")
    expected = [np.asarray(y) for y in every_op.call(sample, arrays)]
    traced = tf.function(lambda tensors: every_op.call(sample, tensors))
    found = [np.asarray(y) for y in traced([tf.constant(x) for x in arrays])]
    for a, b in zip(expected, found, strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_array_equal(a, b)
    if not traced.runs_python:
        specs = [traced.get_concrete_function([tf.constant(x) for x in arrays]).structured_outputs]
        for symbol, y in zip(tf.nest.flatten(specs), expected, strict=True):
            assert symbol.shape.is_compatible_with(y.shape)
            assert symbol.shape.is_fully_defined() != (sample.name in BRING_SIZES)


def test_an_assert_about_a_tensor_fails_in_a_function_as_tensorflow_s_does():
    @tf.function
    def f(x):
        assert x > 0.0, "x must be positive"
        return x * 2.0

    assert float(f(tf.constant(1.0))) == 2.0
    for error in (tf.errors.InvalidArgumentError, AssertionError):
        with pytest.raises(error, match="x must be positive"):
            f(tf.constant(-1.0))
