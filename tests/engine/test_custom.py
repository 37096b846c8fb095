"""Functions with their own gradient, recomputed ones, Python functions and registered gradients."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import minitape as tf
from minitape.op import primitive, registry
from peak import collect_all


def gradient(f, *xs):
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = f(*xs)
    return tape.gradient(y, list(xs))


@tf.custom_gradient
def tripled(x):
    """The exponential, with a derivative three times too large."""
    e = tf.exp(x)
    return e, lambda g: g * e * 3.0


def test_the_gradient_function_replaces_the_automatic_derivative():
    x = tf.constant([0.0, 1.0], tf.float64)
    np.testing.assert_allclose(gradient(tripled, x)[0], 3 * np.exp([0, 1]))


def test_values_of_the_function_used_in_the_gradient_are_differentiated_again():
    # d/dx 3 exp(x) where exp(x) was computed in the forward function
    x = tf.constant([0.0, 1.0], tf.float64)
    second = gradient(lambda x: gradient(tripled, x)[0], x)[0]
    np.testing.assert_allclose(second, 3 * np.exp([0, 1]))


def test_a_jacobian_asks_the_gradient_function_for_all_rows_at_once():
    calls = []

    @tf.custom_gradient
    def f(x):
        def grad(g):
            calls.append(g)
            return g * 5.0

        return x * 2.0, grad

    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    np.testing.assert_array_equal(tape.jacobian(y, x), 5 * np.eye(3))
    assert len(calls) == 1


def test_in_a_vectorized_map_an_outer_tape_takes_the_custom_gradient():
    @tf.custom_gradient
    def f(row, w):
        return row * w, lambda g: (g * 10.0, tf.reduce_sum(g * row) * 100.0)

    x, w = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant(2.0)
    of_x, of_w = gradient(lambda x, w: tf.vectorized_map(lambda row: f(row, w), x), x, w)
    np.testing.assert_array_equal(of_x, np.full((2, 2), 10.0))
    assert float(of_w) == 100 * (1 + 2 + 3 + 4)


def test_a_tape_inside_a_vectorized_map_takes_the_custom_gradient():
    x = tf.constant([0.0, 1.0])
    found = tf.vectorized_map(lambda each: gradient(tripled, each)[0], x)
    np.testing.assert_allclose(found, 3 * np.exp([0, 1]), rtol=1e-6)


def test_forward_mode_takes_the_transpose_of_the_gradient_function():
    x = tf.constant([0.0, 1.0], tf.float64)
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 2.0], tf.float64)) as accumulator:
        y = tripled(x)
    np.testing.assert_allclose(accumulator.jvp(y), 3 * np.exp([0, 1]) * [1, 2])


def test_several_results_keep_their_structure_and_unused_ones_send_zeros():
    seen = []

    @tf.custom_gradient
    def f(x):
        def grad(first, second):
            seen.append((first.numpy().tolist(), second.numpy().tolist()))
            return first + second

        return {"a": x * 2.0, "b": [x * 3.0]}, grad

    x = tf.constant([1.0, 2.0])
    found = gradient(lambda x: f(x)["b"][0], x)[0]
    assert seen == [([0.0, 0.0], [1.0, 1.0])]
    assert found.numpy().tolist() == [1.0, 1.0]


def test_complex_gradients_follow_the_conjugate_convention():
    # f(z) = z^2: TensorFlow's gradient is the conjugate of 2 z
    @tf.custom_gradient
    def square(z):
        return z * z, lambda g: g * tf.math.conj(2.0 * z)

    z = tf.constant(1 + 2j, tf.complex128)
    assert gradient(square, z)[0].numpy() == 2 - 4j


def test_a_result_that_is_the_argument_itself_gets_the_gradient():
    doubled = tf.custom_gradient(lambda x: (x, lambda g: 2.0 * g))
    assert float(gradient(doubled, tf.constant(1.0))[0]) == 2.0


def test_numbers_and_arrays_serve_as_arguments_and_results():
    @tf.custom_gradient
    def f(a, x):
        return np.float32(a) * x.numpy(), lambda g: (g, g * 7.0)

    x = tf.constant(3.0)
    assert float(f(2.0, x)) == 6.0
    assert float(gradient(lambda x: f(2.0, x), x)[0]) == 7.0


def test_what_a_function_closes_over_is_seen_unless_an_argument_is_followed():
    c, x = tf.constant(3.0), tf.constant(5.0)
    f = tf.custom_gradient(lambda x: (x * c, lambda g: g * 7.0))
    assert float(gradient(lambda c: f(x), c)[0]) == 5.0
    of_c, of_x = gradient(lambda c, x: f(x), c, x)
    assert of_c is None
    assert float(of_x) == 7.0


def test_two_tapes_that_follow_different_things_each_get_their_own():
    c, x = tf.constant(3.0), tf.constant(5.0)
    f = tf.custom_gradient(lambda x: (x * c, lambda g: g * 7.0))
    with tf.GradientTape() as outer, tf.GradientTape() as inner:
        outer.watch(c)
        inner.watch(x)
        y = f(x)
    assert float(outer.gradient(y, c)) == 5.0
    assert float(inner.gradient(y, x)) == 7.0


def test_variables_come_in_order_of_construction():
    a, b = tf.Variable(2.0), tf.Variable(3.0)
    seen = []

    @tf.custom_gradient
    def f(x):
        def grad(g, variables=None):
            seen.extend(variables)
            return g, [10.0 * g, 20.0 * g]

        return x * b * a, grad

    with tf.GradientTape() as tape:
        y = f(tf.constant(1.0))
    assert [float(g) for g in tape.gradient(y, [a, b])] == [10.0, 20.0]
    assert seen[0] is a
    assert seen[1] is b


def test_a_variable_that_is_an_argument_is_not_asked_for_twice():
    v = tf.Variable(2.0)
    f = tf.custom_gradient(lambda v: (v * v, lambda g: g * 9.0))
    with tf.GradientTape() as tape:
        y = f(v)
    assert float(tape.gradient(y, v)) == 9.0


def test_a_read_variable_that_the_gradient_function_does_not_accept_is_an_error():
    v = tf.Variable(2.0)
    f = tf.custom_gradient(lambda x: (x * v, lambda g: g))
    with pytest.raises(TypeError, match="must accept keyword argument 'variables'"):
        f(tf.constant(1.0))


def test_a_wrong_number_of_variable_gradients_is_an_error():
    v = tf.Variable(2.0)
    f = tf.custom_gradient(lambda x: (x * v, lambda g, variables: (g, [])))
    with pytest.raises(ValueError, match="Must return gradient for each variable"):
        gradient(f, tf.constant(1.0))


def test_a_wrong_number_of_gradients_is_an_error():
    f = tf.custom_gradient(lambda a, b: (a * b, lambda g: [g]))
    with pytest.raises(ValueError, match="expected to return 2 gradients, but returned 1"):
        gradient(f, tf.constant(1.0), tf.constant(2.0))


def test_a_function_that_does_not_return_a_pair_is_an_error():
    with pytest.raises(TypeError, match="must return a pair"):
        tf.custom_gradient(lambda x: x)(tf.constant(1.0))


def test_it_decorates_methods_and_keeps_names():
    class Scale:
        factor = 4.0

        @tf.custom_gradient
        def call(self, x):
            """Doc."""
            return x * self.factor, lambda g: g * self.factor * 10.0

    assert Scale.call.__doc__ == "Doc."
    assert Scale.call.__name__ == "call"
    scale = Scale()
    assert float(scale.call(tf.constant(2.0))) == 8.0
    assert float(gradient(scale.call, tf.constant(2.0))[0]) == 40.0


def test_a_call_leaves_no_garbage():
    x = tf.constant([1.0, 2.0])
    gradient(tripled, x)
    collect_all()
    gradient(tripled, x)
    assert gc.collect() == 0


def test_recompute_grad_records_one_op_and_gives_the_same_second_order():
    f = lambda x: tf.sin(x) * x  # noqa: E731
    x = tf.constant(0.5, tf.float64)
    plain = gradient(lambda x: gradient(f, x)[0], x)[0]
    again = gradient(lambda x: gradient(tf.recompute_grad(f), x)[0], x)[0]
    np.testing.assert_allclose(again, 2 * np.cos(0.5) - 0.5 * np.sin(0.5))
    np.testing.assert_allclose(plain, again)


def test_recompute_grad_refuses_forward_mode_as_tensorflow_does():
    x = tf.constant(0.5)
    with (
        tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)),
        pytest.raises(NotImplementedError, match="recompute_grad tried to transpose"),
    ):
        tf.recompute_grad(tf.sin)(x)


def test_recompute_grad_passes_keyword_arguments_on():
    f = tf.recompute_grad(lambda x, *, factor: x * x * factor)
    assert float(gradient(lambda x: f(x, factor=3.0), tf.constant(2.0))[0]) == 12.0


def test_grad_pass_through_gives_variables_no_gradient():
    x, w = tf.Variable(1.6), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = 3.0 * tf.grad_pass_through(lambda x: tf.round(x) * w)(x)
    assert float(y) == 12.0
    of_x, of_w = tape.gradient(y, [x, w])
    assert float(of_x) == 3.0
    assert of_w is None


@pytest.fixture
def cube():
    @primitive(type_name="TestCube")
    def test_cube(x: Array) -> Array:  # noqa: F821
        return x**3

    yield test_cube
    del registry["test_cube"]


def test_an_op_without_a_gradient_gets_one_by_its_type_name(cube):
    with pytest.raises(LookupError, match="TestCube"):
        gradient(cube, tf.constant(2.0))

    @tf.RegisterGradient("TestCube")
    def _(op, g):
        assert op.type == "TestCube"
        assert float(op.outputs[0]) == 8.0
        return 3.0 * g * op.inputs[0] ** 2

    assert float(gradient(cube, tf.constant(2.0))[0]) == 12.0
    assert float(gradient(lambda x: gradient(cube, x)[0], tf.constant(2.0))[0]) == 12.0


def test_an_op_declared_without_a_derivative_gives_none(cube):
    tf.no_gradient("TestCube")
    assert gradient(cube, tf.constant(2.0)) == [None]


def test_registering_a_second_gradient_is_an_error():
    with pytest.raises(KeyError, match="Registering two gradients with name 'Sin'"):
        tf.RegisterGradient("Sin")(lambda op, g: g)


def test_declaring_an_unknown_op_not_differentiable_is_an_error():
    with pytest.raises(KeyError, match="no op of type 'Nonesuch'"):
        tf.no_gradient("Nonesuch")


def test_a_numpy_function_has_no_gradient():
    x = tf.constant([0.0, 1.0])
    f = lambda x: tf.numpy_function(np.sinh, [x], tf.float32)  # noqa: E731
    np.testing.assert_allclose(f(x), np.sinh(np.float32([0, 1])))
    assert gradient(f, x) == [None]


def test_a_py_function_is_differentiated_through_its_python_conditions():
    f = lambda x: tf.py_function(lambda x: x * x if x > 0 else -x, [x], tf.float32)  # noqa: E731
    assert [float(gradient(f, tf.constant(v))[0]) for v in (3.0, -3.0)] == [6.0, -1.0]


def test_a_py_function_in_a_batch_runs_once_per_example():
    f = lambda x: tf.py_function(lambda x: x * x if x > 0 else -x, [x], tf.float32)  # noqa: E731
    x = tf.constant([3.0, -3.0])
    assert tf.vectorized_map(f, x).numpy().tolist() == [9.0, 3.0]
    assert gradient(lambda x: tf.vectorized_map(f, x), x)[0].numpy().tolist() == [6.0, -1.0]
    inside = tf.vectorized_map(lambda each: gradient(f, each)[0], x)
    assert inside.numpy().tolist() == [6.0, -1.0]


def test_a_python_function_that_breaks_its_promise_is_an_error():
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="dtype float64, but Tout says float32"
    ):
        tf.numpy_function(lambda: np.float64(1), [], tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="returned 1 values, but Tout has 2"):
        tf.py_function(lambda: 1.0, [], [tf.float32, tf.float32])


@pytest.mark.parametrize("x", [0.0, 1.0])
def test_a_traced_function_asks_the_gradient_function_with_the_values_of_each_call(x):
    f = tf.function(tripled)
    for value in (x, x + 1.0):
        np.testing.assert_allclose(gradient(f, tf.constant(value))[0], 3 * np.exp(value), rtol=1e-5)


def test_a_traced_function_finds_the_variables_that_a_custom_gradient_reads():
    w = tf.Variable(2.0)

    @tf.function
    @tf.custom_gradient
    def f(x):
        return x * w, lambda g, variables: (g * w * 5.0, [g * x * 7.0])

    for value in (3.0, 4.0):
        x = tf.constant(value)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        assert [float(g) for g in tape.gradient(y, [x, w])] == [10.0, 7.0 * value]


def test_a_custom_gradient_that_closes_over_a_traced_tensor_is_right():
    @tf.function
    def f(x):
        w = x * 2.0
        scaled = tf.custom_gradient(lambda y: (y * w, lambda g: g * w * 10.0))
        return scaled(x)

    assert [float(gradient(f, tf.constant(v))[0]) for v in (3.0, 4.0)] == [60.0, 80.0]


def test_a_traced_custom_gradient_in_a_vectorized_map():
    f = tf.function(tripled)
    x = tf.constant([0.0, 1.0])
    found = gradient(lambda x: tf.vectorized_map(f, x), x)[0]
    np.testing.assert_allclose(found, 3 * np.exp([0, 1]), rtol=1e-6)


def test_sparse_gradients_stay_sparse():
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    f = tf.recompute_grad(lambda i: tf.gather(table, i) ** 2)
    with tf.GradientTape() as tape:
        y = f(tf.constant([1, 1]))
    found = tape.gradient(y, table)
    assert isinstance(found, tf.IndexedSlices)
    expected = [[0.0, 0.0], [2 * 2 * 3.0, 2 * 2 * 4.0], [0.0, 0.0]]
    assert tf.convert_to_tensor(found).numpy().tolist() == expected


def test_recompute_grad_of_a_variable_that_is_an_argument_is_its_gradient():
    v = tf.Variable(3.0)
    for f in (lambda x: x * x, tf.function(lambda x: x * x)):
        with tf.GradientTape() as tape:
            y = tf.recompute_grad(f)(v)
        assert float(tape.gradient(y, v)) == 6.0


def test_a_gradient_under_a_new_name_replaces_that_of_an_op_in_a_graph():
    @tf.RegisterGradient("TimesInput")
    def times_input(op, grad):
        return grad * op.inputs[0] * 100.0

    graph = tf.Graph()
    with graph.as_default():
        x = tf.constant(5.0)
        with graph.gradient_override_map({"Square": "TimesInput"}):
            y = tf.square(x)
        z = tf.square(x)
        with (
            graph.gradient_override_map({"Square": "NobodyRegistered"}),
            pytest.raises(LookupError, match="no entry for: NobodyRegistered"),
        ):
            tf.square(x)
        found = tf.compat.v1.Session().run([tf.gradients(y, x)[0], tf.gradients(z, x)[0], y])
    assert found == [500.0, 10.0, 25.0]
    with pytest.raises(KeyError, match="Registering two gradients with name 'TimesInput'"):
        tf.RegisterGradient("TimesInput")(times_input)


def test_the_gradients_of_a_traced_function_are_replaced_too():
    tf.RegisterGradient("PassesDoubled")(lambda op, grad: grad * 2.0)

    @tf.function
    def f(x):
        with tf.compat.v1.get_default_graph().gradient_override_map({"Rint": "PassesDoubled"}):
            return tf.math.rint(x) * 3.0

    x = tf.constant(1.6)
    for _ in range(2):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        assert float(y) == 6.0
        assert float(tape.gradient(y, x)) == 6.0


def test_forward_mode_goes_through_a_rule_that_enters_a_tape_of_its_own():
    @tf.custom_gradient
    def root(p):
        u = tf.sqrt(tf.stop_gradient(p))

        def rule(g):
            with tf.GradientTape() as tape:
                tape.watch(u)
                f = u * u
            return g / tape.gradient(f, u)

        return u, rule

    p = tf.constant([4.0, 9.0])
    with tf.autodiff.ForwardAccumulator(p, tf.constant([1.0, 10.0])) as pushed:
        u = root(p)
    np.testing.assert_allclose(pushed.jvp(u).numpy(), [1 / 4, 10 / 6], rtol=1e-6)
