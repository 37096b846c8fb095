"""Forward mode: tangents through programs, nested in every way."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import minitape as tf
from minitape import viz
from peak import collect_all

ForwardAccumulator = tf.autodiff.ForwardAccumulator


def jvp(f, primals, tangents):
    xs = [tf.constant(np.asarray(x, float)) for x in primals]
    ts = [tf.constant(np.asarray(t, float)) for t in tangents]
    with ForwardAccumulator(xs, ts) as accumulator:
        y = f(*xs)
    return accumulator.jvp(y)


def difference(f, primals, tangents, step=1e-6):
    """The directional derivative of `f` by central differences."""
    ends = []
    pairs = list(zip(primals, tangents, strict=True))
    for sign in (step, -step):
        moved = [np.asarray(x, float) + sign * np.asarray(t, float) for x, t in pairs]
        ends.append(f(*map(tf.constant, moved)).numpy())
    return (ends[0] - ends[1]) / (2 * step)


R = np.random.RandomState(0)
A, B = R.randn(2, 3), R.randn(3, 2)
CASES = {
    "elementwise": (lambda x: tf.sin(x) * tf.exp(x) / (x * x + 2.0), [A]),
    "both broadcast": (lambda x, y: x * y + x - y, [R.randn(2, 1), R.randn(1, 3)]),
    "scalar beside matrix": (lambda x, y: x**3 * y, [R.randn(), A]),
    "matrix product": (lambda x, y: x @ y, [A, B]),
    "batched matrix product": (lambda x, y: x @ y, [R.randn(4, 2, 3), B]),
    "reductions": (lambda x: tf.reduce_sum(x, 0) * tf.reduce_mean(x) * tf.reduce_max(x), [A]),
    "slices": (lambda x: x[0, ::2] * x[1, 1], [A]),
    "gather": (lambda x: tf.gather(x, [1, 1, 0]) ** 2, [A]),
    "concat and split": (lambda x: tf.split(tf.concat([x, x * x], 1), 3, 1)[1] ** 2, [A]),
    "unstack and stack": (lambda x: tf.stack(tf.unstack(x, axis=1)[::-1]) * 2.0, [A]),
    "transpose and reshape": (lambda x: tf.reshape(tf.transpose(x), [2, 3]) ** 2, [A]),
    "where": (lambda x: tf.where(x > 0.0, x**2, -x), [A]),
    "softmax": (lambda x: tf.nn.softmax(x) ** 2, [A]),
    "the same tensor twice": (lambda x: x @ tf.transpose(x) + tf.concat([x, x], 1)[:, :2], [A]),
}


@pytest.mark.parametrize("name", CASES)
def test_the_jvp_equals_the_directional_difference(name):
    f, primals = CASES[name]
    tangents = [np.cos(np.arange(np.size(x))).reshape(np.shape(x)) for x in primals]
    np.testing.assert_allclose(
        jvp(f, primals, tangents), difference(f, primals, tangents), rtol=1e-6, atol=1e-8
    )


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda z: z * z * z, lambda z, t: 3 * z**2 * t),
        (tf.exp, lambda z, t: np.exp(z) * t),
        (tf.math.conj, lambda z, t: np.conj(t)),
        (tf.math.real, lambda z, t: t.real),
        (tf.math.imag, lambda z, t: t.imag),
        (tf.abs, lambda z, t: (np.conj(z) * t).real / abs(z)),
        (lambda z: z * tf.math.conj(z), lambda z, t: 2 * (np.conj(z) * t).real + 0j),
    ],
)
def test_complex_tangents_are_plain_directional_derivatives(f, expected):
    z, t = 1.5 - 2j, 0.5 + 3j
    x = tf.constant(z, tf.complex128)
    with ForwardAccumulator(x, tf.constant(t, tf.complex128)) as accumulator:
        y = f(x)
    np.testing.assert_allclose(accumulator.jvp(y), expected(z, t))


def test_a_cast_casts_the_tangent():
    x = tf.constant(2.0, tf.float64)
    with ForwardAccumulator(x, tf.constant(3.0, tf.float64)) as accumulator:
        y = tf.cast(x * x, tf.float32)
    assert accumulator.jvp(y).dtype == tf.float32
    assert float(accumulator.jvp(y)) == 12.0


def test_integers_and_stopped_gradients_have_no_tangent():
    x = tf.constant([2.0, 3.0])
    with ForwardAccumulator(x, tf.ones([2])) as accumulator:
        found = [tf.argmax(x), tf.stop_gradient(x), tf.cast(x, tf.int32), x > 1.0]
    assert accumulator.jvp(found) == [None] * 4


def test_derivatives_of_any_order_by_nesting():
    f = tf.exp
    for _ in range(4):
        f = derivative(f)
    np.testing.assert_allclose(f(tf.constant(0.5, tf.float64)), np.exp(0.5))


def derivative(f):
    def of(x):
        with ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            y = f(x)
        return accumulator.jvp(y)

    return of


def test_nested_accumulators_do_not_confuse_their_perturbations():
    # d/dx [x * d/dy (x + y)] = 1; confusing the two tangents gives 2
    x, one = tf.constant(3.0), tf.constant(1.0)
    with ForwardAccumulator(x, one) as outer:
        y = tf.constant(4.0)
        with ForwardAccumulator(y, one) as inner:
            z = x + y
        w = x * inner.jvp(z)
    assert float(outer.jvp(w)) == 1.0


def test_tape_in_accumulator_and_accumulator_in_tape_agree_with_the_closed_form():
    # f = x0^2 x1: the Hessian times (1, 2) is (2 x1 + 4 x0, 2 x0)
    x, v = tf.constant([3.0, 5.0]), tf.constant([1.0, 2.0])
    f = lambda x: x[0] ** 2 * x[1]  # noqa: E731
    with ForwardAccumulator(x, v) as accumulator:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        g = tape.gradient(y, x)
    assert accumulator.jvp(g).numpy().tolist() == [22.0, 6.0]
    with tf.GradientTape() as tape:
        tape.watch(x)
        with ForwardAccumulator(x, v) as accumulator:
            y = f(x)
        directional = accumulator.jvp(y)
    assert tape.gradient(directional, x).numpy().tolist() == [22.0, 6.0]


def test_a_jacobian_of_jvps():
    x, v = tf.constant([1.0, 2.0]), tf.constant([1.0, 1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        with ForwardAccumulator(x, v) as accumulator:
            y = x * x * x
        directional = accumulator.jvp(y)
    np.testing.assert_allclose(tape.jacobian(directional, x), np.diag([6.0, 12.0]))


def test_tangents_may_be_a_batch():
    x, seeds = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant(R.randn(3, 2, 2), tf.float32)

    def push(t):
        with ForwardAccumulator(x, t) as accumulator:
            y = x @ x
        return accumulator.jvp(y)

    expected = [t @ x.numpy() + x.numpy() @ t for t in seeds.numpy()]
    np.testing.assert_allclose(tf.vectorized_map(push, seeds), expected, rtol=1e-5)


def test_variables_are_primals_and_keep_their_tangent():
    v = tf.Variable([1.0, 2.0])
    with ForwardAccumulator(v, tf.constant([10.0, 0.0])) as accumulator:
        y = v * v + v.read_value()
    assert accumulator.jvp(y).numpy().tolist() == [30.0, 0.0]
    assert accumulator.jvp(v).numpy().tolist() == [10.0, 0.0]


def test_the_value_of_a_keras_variable_is_a_primal_that_nothing_else_holds():
    layer, x = tf.keras.layers.Dense(1, kernel_initializer="ones"), tf.constant([[2.0, 3.0]])
    layer(x)
    with tf.autodiff.ForwardAccumulator(layer.kernel.value, tf.constant([[1.0], [0.0]])) as acc:
        y = layer(x) ** 2
    assert acc.jvp(y).numpy().tolist() == [[2 * 5.0 * 2.0]]


def test_forward_over_reverse_with_respect_to_a_variable():
    v = tf.Variable(2.0)
    with ForwardAccumulator(v, tf.constant(10.0)) as accumulator:
        with tf.GradientTape() as tape:
            y = v**3
        g = tape.gradient(y, v)
    assert float(accumulator.jvp(g)) == 120.0


def test_sparse_gradients_have_sparse_tangents():
    x = tf.constant([1.0, 2.0])
    with ForwardAccumulator(x, tf.constant([1.0, 10.0])) as accumulator:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.gather(x, [1, 1]) ** 2
        g = tape.gradient(y, x)
    tangent = tf.convert_to_tensor(accumulator.jvp(g))
    assert tangent.numpy().tolist() == [0.0, 40.0]


def test_it_can_be_entered_again_but_not_twice():
    x = tf.constant(-2.0)
    with ForwardAccumulator(x, tf.constant(1.5)) as accumulator:
        y = 4.0 * x
        with pytest.raises(ValueError, match="already recording"), accumulator:
            pass
    outside = 4.0 * x
    assert accumulator.jvp(outside) is None
    with accumulator:
        z = y * y
    assert float(accumulator.jvp(z)) == 6.0 * -8.0 * 2.0


def test_tangents_die_with_their_tensors():
    x, tangent = tf.ones([100]), tf.zeros([100]) + 1.0
    watched, given = weakref.ref(x), weakref.ref(tangent)
    with ForwardAccumulator(x, tangent) as accumulator:
        y = 2.0 * x
        of_y = accumulator.jvp(y)
        result, pushed = weakref.ref(y), weakref.ref(of_y)
        del x, tangent, y, of_y
        assert [each() for each in (watched, given, result, pushed)] == [None] * 4


def test_it_leaves_no_garbage():
    def run():
        x = tf.constant([1.0, 2.0])
        with ForwardAccumulator(x, tf.ones([2])) as accumulator:
            y = tf.reduce_sum(x * x)
        accumulator.jvp(y)

    run()
    collect_all()
    run()
    assert gc.collect() == 0


@pytest.mark.parametrize(
    ("primals", "tangents", "error", "message"),
    [
        (1.0, [1.0], TypeError, "A primal must be a tf.Tensor"),
        (tf.constant([1.0]), tf.constant([1.0, 2.0]), ValueError, r"shape \(2,\) was given for a"),
        (tf.constant(1.0), tf.constant(1.0, tf.float64), ValueError, "requested dtype float32"),
        ([tf.constant(1.0)], [tf.constant(1.0)] * 2, ValueError, "same nested structure"),
    ],
)
def test_primals_and_tangents_that_do_not_fit_are_an_error(primals, tangents, error, message):
    with pytest.raises(error, match=message):
        ForwardAccumulator([primals], [tangents] if error is not TypeError else tangents)


def test_the_same_primal_twice_is_an_error():
    x = tf.constant(1.0)
    with pytest.raises(ValueError, match="specified as a primal multiple times"):
        ForwardAccumulator([x, x], [x, x])


def test_an_op_without_a_gradient_is_an_error():
    image = tf.constant([[[0.2, 0.4, 0.6]]])
    with (
        ForwardAccumulator(image, tf.ones_like(image)),
        pytest.raises(LookupError, match="gradient registry has no entry for"),
    ):
        tf.image.adjust_contrast(image, 1.5)


def test_an_integer_primal_warns_and_moves_nothing(caplog):
    n = tf.constant(3)
    with ForwardAccumulator(n, tf.constant(1)) as accumulator:
        y = n * n
    assert "dtype of the watched primal must be floating" in caplog.text
    assert int(accumulator.jvp(n)) == 1
    assert accumulator.jvp(y) is None


def test_a_declared_forward_rule_is_used():
    from minitape.op import primitive, registry

    @primitive(elementwise=True)
    def test_doubling(x: Array) -> Array:  # noqa: F821
        return 2 * x

    @test_doubling.jvp
    def _(tangents, inputs, out, attributes):
        return tangents[0] * 100.0  # not what the rules would give

    x = tf.constant([1.0, 2.0])
    with ForwardAccumulator(x, tf.ones([2])) as accumulator:
        y = test_doubling(x)
    del registry["test_doubling"]
    assert accumulator.jvp(y).numpy().tolist() == [100.0, 100.0]


def batch_of(primals, tangents):
    return tf.autodiff.ForwardAccumulator._batch_accumulator(primals, tangents)


def test_a_stack_of_tangents_is_pushed_at_once():
    x, y = tf.constant(2.0), tf.constant(5.0)
    with batch_of((x, y), (tf.constant([1.0, 0.0, 1.0]), tf.constant([0.0, 1.0, 1.0]))) as acc:
        z = x * y
        constant = tf.constant([1.0, 2.0])
    np.testing.assert_array_equal(acc.jvp(z), [5.0, 2.0, 7.0])
    assert acc.jvp(constant) is None
    np.testing.assert_array_equal(acc.jvp(constant, "zero"), np.zeros((3, 2)))


def test_a_stack_of_tangents_goes_through_ops_that_are_not_elementwise():
    x, directions = np.array([[1.0, 2.0], [3.0, 5.0]]), np.arange(12.0).reshape(3, 2, 2)
    primal = tf.constant(x)
    with batch_of(primal, directions) as acc:
        inverse = tf.linalg.inv(primal)
        row = tf.gather(primal, 1)
    expected = -np.linalg.inv(x) @ directions @ np.linalg.inv(x)
    np.testing.assert_allclose(acc.jvp(inverse), expected)
    np.testing.assert_array_equal(acc.jvp(row), directions[:, 1])


def test_a_tape_around_a_stack_of_tangents_differentiates_them():
    x, directions = tf.constant(1.0, tf.float64), np.array([0.5, -2.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        with batch_of(x, directions) as acc:
            y = tf.cos(x)
        tangents = [each for each in acc.jvp(y)]
    found = [float(tape.gradient(tangent, x)) for tangent in tangents]
    np.testing.assert_allclose(found, -directions * np.cos(1.0))


def test_a_stack_of_tangents_goes_through_a_tape_inside():
    x, directions = tf.constant(1.0, tf.float64), np.array([0.5, -2.0, 3.0])
    with batch_of(x, directions) as acc:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.cos(x)
        gradient = tape.gradient(y, x)
    np.testing.assert_allclose(acc.jvp(gradient), -directions * np.cos(1.0))


def test_stacks_of_tangents_must_be_of_one_size_and_fit_their_primals():
    x, y = tf.constant(2.0), tf.constant(5.0)
    with pytest.raises(ValueError, match="same size of axis 0"):
        batch_of((x, y), (tf.zeros([3]), tf.zeros([2])))
    with pytest.raises(ValueError, match="same size of axis 0"):
        batch_of(x, tf.constant(1.0))
    with pytest.raises(ValueError, match="shape"):
        batch_of(x, tf.zeros([3, 2]))


def test_in_a_function_that_runs_its_python_only_what_can_move_has_a_tangent():
    @tf.function
    def f(x):
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            y = [x * x, 7.0, tf.constant(3), None] if x > 0.0 else []
        return accumulator.jvp(y)

    moved, constant, integer, nothing = f(tf.constant(2.0))
    assert float(moved) == 4.0 and float(constant) == 0.0
    assert integer is None and nothing is None


def numbers_made(run, length):
    """How many numbers the operations give while a tangent is pushed through `run` of a vector."""
    x = tf.constant(np.linspace(0.0, 1.0, length))
    with viz.recording() as journal, ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = run(x)
        accumulator.jvp(y)
    return sum(int(np.prod(out.shape)) for entry in journal.entries for out in entry.outputs)


@pytest.mark.parametrize(
    "run",
    [
        lambda x: tf.stack([x[k] for k in range(len(x))]),
        lambda x: tf.concat([x[k : k + 1] * 2.0 for k in range(len(x))], 0),
        lambda x: tf.add_n([tf.gather(x, k) for k in range(len(x))]),
        lambda x: tf.add_n([tf.gather_nd(x, [k]) for k in range(len(x))]),
        lambda x: tf.stack(tf.unstack(x)),
        lambda x: tf.concat(tf.split(x, len(x)), 0),
    ],
    ids=["x[k] and stack", "slices and concat", "gather", "gather_nd", "unstack", "split"],
)
def test_a_tangent_costs_a_small_multiple_of_the_function_however_many_parts_there_are(run):
    parts, twice = numbers_made(run, 50), numbers_made(run, 100)
    assert 1.5 < twice / parts < 2.2


def test_where_only_some_of_what_is_joined_moves_the_rest_has_zeros_as_its_tangent():
    x, c = tf.constant([1.0, 2.0]), tf.constant([np.inf, np.nan])
    with ForwardAccumulator(x, tf.constant([5.0, 6.0])) as accumulator:
        rows, row = tf.stack([c, x, x * x]), tf.concat([x, c], 0)
    np.testing.assert_array_equal(accumulator.jvp(rows), [[0, 0], [5, 6], [10, 24]])
    np.testing.assert_array_equal(accumulator.jvp(row), [5, 6, 0, 0])


def test_rows_of_a_sparse_tangent_are_joined_with_dense_ones():
    x = tf.constant([[1.0], [2.0]])
    with ForwardAccumulator(x, tf.constant([[3.0], [4.0]])) as accumulator:
        joined = tf.concat([tf.scatter_nd([[2], [0]], x, [3, 1]), x], 0)
    np.testing.assert_array_equal(accumulator.jvp(joined), [[4], [0], [3], [3], [4]])
