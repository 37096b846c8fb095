"""`tf.TensorArray`: filled eagerly, under tapes, in functions, loops and batches."""

from __future__ import annotations

import numpy as np
import pytest

import minitape as tf


def array_of(values, **options):
    array = tf.TensorArray(tf.float32, size=len(values), **options)
    for i, value in enumerate(values):
        array = array.write(i, value)
    return array


def test_what_was_written_is_read_and_stacked():
    array = array_of([[1.0, 2.0], [3.0, 4.0]])
    assert array.stack().numpy().tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert array.read(1).numpy().tolist() == [3.0, 4.0]
    assert array.dtype == tf.float32 and array.element_shape == (2,)
    assert int(array.size()) == 2 and array.size().dtype == tf.int32
    assert repr(array) == "<tf.TensorArray: size=2, dtype=float32, element_shape=(2,)>"


def test_eagerly_an_array_is_written_in_place_as_in_tensorflow():
    array = tf.TensorArray(tf.float32, size=2, clear_after_read=False)
    assert array.write(0, 5.0) is array and array.identity() is array
    array.write(1, 6.0)
    assert array.stack().numpy().tolist() == [5.0, 6.0]
    assert array.unstack([1.0, 2.0]) is array
    array.scatter([1], [7.0])
    assert array.stack().numpy().tolist() == [1.0, 7.0]
    pieces = tf.TensorArray(tf.float32, size=2)
    assert pieces.split([3.0, 4.0], [1, 1]) is pieces
    assert pieces.concat().numpy().tolist() == [3.0, 4.0]


@pytest.mark.parametrize("way", [tf.function, lambda f: lambda: tf.vectorized_map(f, tf.zeros(1))])
def test_in_a_function_or_batch_a_write_leaves_the_old_handle_as_it_was(way):
    @way
    def stacks(*example):
        old = array_of([1.0, 2.0], clear_after_read=False)
        new = old.identity().write(0, 5.0)
        return old.stack(), new.stack()

    old, new = stacks()
    np.testing.assert_array_equal(np.ravel(old), [1.0, 2.0])
    np.testing.assert_array_equal(np.ravel(new), [5.0, 2.0])


def test_a_write_that_fails_leaves_the_array_as_it_was():
    array = tf.TensorArray(tf.float32, size=1)
    with pytest.raises(tf.errors.OutOfRangeError):
        array.write(1, [1.0, 2.0])
    assert array.write(0, 3.0).stack().numpy().tolist() == [3.0]


def test_a_place_that_was_never_written_holds_zeros():
    array = tf.TensorArray(tf.float32, size=3).write(1, [1.0, 2.0])
    assert array.stack().numpy().tolist() == [[0.0, 0.0], [1.0, 2.0], [0.0, 0.0]]
    assert array.read(0).numpy().tolist() == [0.0, 0.0]
    given = tf.TensorArray(tf.int32, size=2, element_shape=[2])
    assert given.stack().numpy().tolist() == [[0, 0], [0, 0]]


def test_without_any_shape_there_are_no_zeros_to_give():
    array = tf.TensorArray(tf.float32, size=3, infer_shape=False).write(0, 1.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Give element_shape"):
        array.stack()


@pytest.mark.parametrize("use", [lambda a: a.stack(), lambda a: a.read(0), lambda a: a.concat()])
def test_a_write_in_a_function_whose_result_was_thrown_away_is_noticed(use):
    @tf.function
    def f():
        array = tf.TensorArray(tf.float32, size=2)
        array.write(0, 1.0)
        return use(array)

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"array = array\.write\(i, x\)"):
        f()


def test_an_array_without_places_stacks_to_nothing():
    assert tf.TensorArray(tf.float32, size=0, element_shape=[2]).stack().shape == (0, 2)
    empty = tf.TensorArray(tf.float32, size=0)
    assert empty.stack().shape == (0,) and empty.concat().shape == (0,)


def test_a_dynamic_array_grows_where_it_is_written():
    array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    assert array.write(2, 7.0).stack().numpy().tolist() == [0.0, 0.0, 7.0]
    assert array.unstack([1.0, 2.0]).write(2, 3.0).stack().numpy().tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("index", [-1, 2])
@pytest.mark.parametrize("use", [lambda a, i: a.write(i, 1.0), lambda a, i: a.read(i)])
def test_a_place_that_there_is_not_raises(index, use):
    with pytest.raises(tf.errors.OutOfRangeError, match=f"index {index} but array is not resiz"):
        use(array_of([1.0, 2.0]), index)


def test_a_place_can_be_read_once_unless_it_is_said_otherwise():
    array = array_of([1.0, 2.0])
    assert float(array.read(0)) == 1.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="clear_after_read=False"):
        array.read(0)
    assert float(array.write(0, 3.0).read(0)) == 3.0
    kept = array_of([1.0], clear_after_read=False)
    assert float(kept.read(0)) == float(kept.read(0)) == 1.0


def test_an_array_needs_a_size():
    with pytest.raises(ValueError, match="Size must be declared"):
        tf.TensorArray(tf.float32)


def test_another_dtype_or_shape_is_refused():
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"dtype is float32 .* int32.*tf\.cast"
    ):
        array_of([1.0]).write(0, tf.constant(1))
    with pytest.raises(ValueError, match=r"Incompatible shape for value \(2,\), expected \(3,\)"):
        array_of([[1.0, 2.0, 3.0]]).write(0, [1.0, 2.0])
    with pytest.raises(ValueError, match="Incompatible shape"):
        tf.TensorArray(tf.float32, size=1, element_shape=[None, 3]).write(0, [[1.0]])


def test_numbers_of_python_take_the_dtype_of_the_array():
    assert tf.TensorArray(tf.float64, size=1).write(0, 1).stack().dtype == tf.float64


def test_elements_of_different_shapes_are_concatenated():
    array = array_of([[1.0], [2.0, 3.0]], infer_shape=False)
    assert array.concat().numpy().tolist() == [1.0, 2.0, 3.0]
    assert array.read(1).numpy().tolist() == [2.0, 3.0]


def test_gather_takes_some_elements_in_any_order():
    array = array_of([1.0, 2.0, 3.0])
    assert array.gather([2, 0, 2]).numpy().tolist() == [3.0, 1.0, 3.0]
    assert array.gather(tf.constant([1])).numpy().tolist() == [2.0]
    with pytest.raises(tf.errors.OutOfRangeError):
        array.gather([3])


def test_unstack_and_scatter_put_slices_at_places():
    array = tf.TensorArray(tf.float32, size=3).unstack([[1.0], [2.0], [3.0]])
    assert array.read(2).numpy().tolist() == [3.0]
    array = array.scatter([2, 0], [[30.0], [10.0]])
    assert array.stack().numpy().tolist() == [[10.0], [2.0], [30.0]]
    with pytest.raises(ValueError, match="Cannot unstack 2 tensors"):
        tf.TensorArray(tf.float32, size=1).unstack([1.0, 2.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="at least a vector"):
        tf.TensorArray(tf.float32, size=1).unstack(1.0)


def test_split_puts_pieces_of_given_lengths_at_places():
    array = tf.TensorArray(tf.float32, size=2, infer_shape=False, clear_after_read=False).split(
        [1.0, 2.0, 3.0], [1, 2]
    )
    assert array.read(1).numpy().tolist() == [2.0, 3.0]
    assert array.concat().numpy().tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="sum of lengths is 2"):
        array.split([1.0, 2.0, 3.0], [1, 1])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\(2 vs. 3\)"):
        array.split([1.0, 2.0, 3.0], [1, 1, 1])


METHODS = {
    "stack": (lambda a: a.stack(), [1.0, 1.0, 1.0]),
    "read": (lambda a: a.read(1), [0.0, 1.0, 0.0]),
    "gather": (lambda a: a.gather([0, 0, 2]), [2.0, 0.0, 1.0]),
    "concat": (lambda a: a.unstack(tf.reshape(a.stack(), [3, 1])).concat(), [1.0, 1.0, 1.0]),
    "unstack": (lambda a: a.unstack(a.stack() * 2.0).read(0), [2.0, 0.0, 0.0]),
    "scatter": (lambda a: a.scatter([2], [5.0]).stack(), [1.0, 1.0, 0.0]),
    "write": (lambda a: a.write(0, 5.0).stack(), [0.0, 1.0, 1.0]),
    "split": (lambda a: a.split(a.stack() * 3.0, [1, 1, 1]).concat(), [3.0, 3.0, 3.0]),
}


@pytest.mark.parametrize("as_function", [False, True])
@pytest.mark.parametrize("name", METHODS)
def test_gradients_flow_through_every_method(name, as_function):
    method, expected = METHODS[name]

    def f(x):
        array = tf.TensorArray(tf.float32, size=3, infer_shape=name not in ("concat", "split"))
        for i in range(3):
            array = array.write(i, x[i])
        return method(array)

    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = (tf.function(f) if as_function else f)(x)
    np.testing.assert_array_equal(tape.gradient(y, x), expected)


def powers(x, options=None):
    """x, x^2, x^3, x^4 in a while loop."""
    array = tf.TensorArray(x.dtype, size=4, **(options or {}))

    def body(i, power, array):
        power = power * x
        return i + 1, power, array.write(i, power)

    return tf.while_loop(lambda i, *_: i < 4, body, [0, tf.ones_like(x), array])[2].stack()


X = np.array([2.0, 3.0])
POWERS = np.stack([X**k for k in (1, 2, 3, 4)])
SLOPES = np.stack([k * X ** (k - 1) for k in (1, 2, 3, 4)])


@pytest.mark.parametrize("options", [{}, {"element_shape": [2]}, {"clear_after_read": False}])
@pytest.mark.parametrize("as_function", [False, True])
def test_a_loop_fills_an_array_with_gradients_and_tangents(as_function, options):
    f = tf.function(powers) if as_function else powers
    x = tf.constant(X)
    with (
        tf.GradientTape() as tape,
        tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator,
    ):
        tape.watch(x)
        y = f(x, options)
    np.testing.assert_allclose(y, POWERS)
    np.testing.assert_allclose(accumulator.jvp(y), SLOPES)
    np.testing.assert_allclose(tape.gradient(y, x), SLOPES.sum(0))
    assert not as_function or f.runs_python is None


def test_the_second_derivative_of_a_loop_that_fills_an_array_is_right():
    f, x = tf.function(powers), tf.constant(X)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        first = inner.gradient(y, x)
    expected = np.stack([k * (k - 1) * X ** (k - 2) for k in (2, 3, 4)]).sum(0)
    np.testing.assert_allclose(outer.gradient(first, x), expected)


def test_every_example_of_a_batch_fills_its_own_array():
    found = tf.vectorized_map(powers, tf.constant(np.stack([X, X + 1])))
    np.testing.assert_allclose(found[0], POWERS)
    np.testing.assert_allclose(found[1], np.stack([(X + 1) ** k for k in (1, 2, 3, 4)]))


def count_to(limit, options):
    """0, 1, ..., limit - 1 and zeros behind, in a loop whose length is data."""
    array = tf.TensorArray(tf.float32, size=4, **options)
    return tf.while_loop(
        lambda i, array: i < limit,
        lambda i, array: (i + 1.0, array.write(tf.cast(i, tf.int32), i + 1.0)),
        [0.0, array],
    )[1].stack()


def test_examples_that_leave_a_loop_in_different_rounds_keep_their_own_elements():
    found = tf.vectorized_map(lambda n: count_to(n, {"element_shape": []}), tf.constant([1.0, 3.0]))
    assert found.numpy().tolist() == [[1.0, 0.0, 0.0, 0.0], [1.0, 2.0, 3.0, 0.0]]


def test_in_such_a_batch_the_shape_of_the_elements_must_be_known():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Give it element_shape"):
        tf.vectorized_map(lambda n: count_to(n, {}), tf.constant([1.0, 3.0]))


def test_a_jacobian_goes_through_a_loop_that_fills_an_array():
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(powers)(x)
    np.testing.assert_allclose(tape.jacobian(y, x), SLOPES[:, :, None] * np.eye(2))


def test_a_loop_reads_an_array_that_was_filled_before():
    @tf.function
    def weighted(x):
        array = tf.TensorArray(tf.float64, size=2).unstack(x)
        return tf.while_loop(
            lambda i, total: i < 2,
            lambda i, total: (i + 1, total + array.read(i) * tf.cast(i + 1, tf.float64)),
            [0, tf.constant(0.0, tf.float64)],
        )[1]

    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = weighted(x)
    assert float(y) == 8.0
    np.testing.assert_array_equal(tape.gradient(y, x), [1.0, 2.0])


def test_an_array_that_grows_in_a_traced_loop_makes_the_function_run_its_python():
    @tf.function
    def f(n):
        array = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        return tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a.write(i, i)), [0, array])[1]

    assert f(tf.constant(3)).stack().numpy().tolist() == [0, 1, 2]
    assert "A TensorArray that grows" in f.runs_python
    assert f(tf.constant(2)).stack().numpy().tolist() == [0, 1]


def test_a_traced_loop_that_never_writes_needs_the_shape():
    f = tf.function(
        lambda n: tf.while_loop(
            lambda i, a: i < n, lambda i, a: (i + 1, a), [0, tf.TensorArray(tf.float32, size=2)]
        )[1].stack()
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match="Give element_shape"):
        f(tf.constant(1))


def test_the_branches_of_a_function_write_at_different_places():
    @tf.function
    def f(first, x):
        array = tf.TensorArray(tf.float32, size=2, element_shape=[])
        array = tf.cond(first, lambda: array.write(0, x), lambda: array.write(1, x))
        return array.stack()

    assert f(tf.constant(True), tf.constant(5.0)).numpy().tolist() == [5.0, 0.0]
    assert f(tf.constant(False), tf.constant(5.0)).numpy().tolist() == [0.0, 5.0]


def test_a_function_takes_and_gives_an_array():
    @tf.function
    def doubled(array):
        return array.unstack(array.stack() * 2.0)

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = doubled(tf.TensorArray(tf.float32, size=2).unstack(x))
        z = y.write(0, 7.0).stack()
    assert z.numpy().tolist() == [7.0, 4.0]
    np.testing.assert_array_equal(tape.gradient(z, x), [0.0, 2.0])


def test_a_place_that_is_an_argument_is_written_in_a_function():
    @tf.function
    def f(i, x):
        array = tf.TensorArray(tf.float32, size=3).write(i, x)
        return array.stack(), array.read(i), array.gather([i, 0])

    whole, one, two = f(tf.constant(1), tf.constant(4.0))
    assert whole.numpy().tolist() == [0.0, 4.0, 0.0]
    assert float(one) == 4.0 and two.numpy().tolist() == [4.0, 0.0]
    assert f.runs_python is None


def test_a_scatter_to_places_that_are_arguments_works_in_a_function():
    f = tf.function(
        lambda i, x: tf.TensorArray(tf.float32, size=3, element_shape=[]).scatter(i, x).stack()
    )
    found = f(tf.constant([2, 0]), tf.constant([1.0, 2.0]))
    assert found.numpy().tolist() == [2.0, 0.0, 1.0]


def test_what_was_read_is_cleared_and_stacks_as_zeros_or_not_at_all():
    array = array_of([1.0, 2.0])
    assert float(array.read(1)) == 2.0
    assert array.stack().numpy().tolist() == [1.0, 0.0]
    assert array.gather([1, 0]).numpy().tolist() == [0.0, 1.0]
    unshaped = tf.TensorArray(tf.float32, size=2).unstack([1.0, 2.0])
    unshaped.read(1)
    with pytest.raises(ValueError, match="cleared when it was read"):
        unshaped.stack()


def test_no_gradient_flows_through_what_was_cleared_but_through_what_was_read():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        array = tf.TensorArray(tf.float32, 2).write(0, x[0] * 2.0).write(1, x[1] * 3.0)
        y = array.read(1) * 10.0 + tf.reduce_sum(array.stack())
    assert float(y) == 62.0
    np.testing.assert_allclose(tape.gradient(y, x), [2.0, 30.0])


def test_a_place_that_was_read_can_be_filled_again():
    array = tf.TensorArray(tf.float32, 2).unstack([1.0, 2.0])
    array.read(1)
    array.unstack([5.0, 6.0])
    assert [float(array.read(i)) for i in (0, 1)] == [5.0, 6.0]


def test_inside_a_function_reading_clears_nothing():
    @tf.function
    def f():
        array = tf.TensorArray(tf.float32, 2).unstack([1.0, 2.0])
        return array.read(1) + array.read(1), array.stack()

    twice, whole = f()
    assert float(twice) == 4.0 and whole.numpy().tolist() == [1.0, 2.0]
