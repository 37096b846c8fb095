"""What a run of a graph leaves out, and what it must not leave out."""

from __future__ import annotations

import numpy as np
import pytest

import minitape as tf
from minitape.op import primitive, registry
from minitape.tensor import Array

v1 = tf.compat.v1
x2 = tf.constant([1.0, 2.0])


@pytest.fixture
def counted():
    """The square of a tensor, as an op that counts its calls on arrays."""
    calls = []

    @primitive()
    def counted_square(x: Array) -> Array:
        calls.append(x)
        return x * x

    op = counted_square.public
    op.calls = calls
    yield op
    del registry["counted_square"]


def calls_in_a_run(function, op, *args):
    """How often a run calls `op`, and what it gives; tracing calls it too."""
    function(*args)
    op.calls.clear()
    out = function(*args)
    return len(op.calls), out


@pytest.mark.fast_layer
def test_what_was_computed_already_is_not_computed_again(counted):
    @tf.function
    def f(x):
        return counted(x) + counted(x)

    count, out = calls_in_a_run(f, counted, x2)
    assert count == 1
    assert out.numpy().tolist() == [2.0, 8.0]


@pytest.mark.fast_layer
def test_what_follows_from_constants_is_not_computed_in_a_run(counted):
    @tf.function
    def f(x):
        return x * counted(tf.constant(3.0))

    count, out = calls_in_a_run(f, counted, x2)
    assert count == 0
    assert out.numpy().tolist() == [9.0, 18.0]


def test_equal_attributes_of_different_kinds_are_told_apart():
    @tf.function
    def f(x):
        return tf.nn.leaky_relu(x, 0.0), tf.nn.leaky_relu(x, -0.0)

    plus, minus = f(tf.constant([-1.0]))
    assert np.signbit(plus.numpy()).tolist() == [True]
    assert np.signbit(minus.numpy()).tolist() == [False]


def test_zeros_of_both_signs_are_two_constants():
    @tf.function
    def f(x):
        return x / tf.constant(0.0), x / tf.constant(-0.0)

    plus, minus = f(x2)
    assert plus.numpy().tolist() == [np.inf, np.inf]
    assert minus.numpy().tolist() == [-np.inf, -np.inf]


def test_two_draws_are_two_draws():
    @tf.function
    def f():
        return tf.random.normal([8]), tf.random.normal([8])

    first, second = f()
    assert not np.array_equal(first, second)


def test_a_variable_has_its_new_value_after_an_assignment_and_not_before():
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        before = v * x
        v.assign_add(2.0)
        after = v * x
        v.assign(10.0 * v)
        return before, after, v * x

    assert [float(y) for y in f(tf.constant(1.0))] == [1.0, 3.0, 30.0]
    assert [float(y) for y in f(tf.constant(1.0))] == [30.0, 32.0, 320.0]


def test_a_variable_has_the_value_that_a_branch_assigned():
    v = tf.Variable(1.0)

    @tf.function
    def f(which):
        before = v * 1.0
        tf.cond(which, lambda: v.assign(5.0), lambda: v.assign(7.0))
        return before, v * 1.0

    assert [float(y) for y in f(tf.constant(True))] == [1.0, 5.0]
    assert [float(y) for y in f(tf.constant(False))] == [5.0, 7.0]


def test_a_variable_has_the_value_that_python_assigned():
    v = tf.Variable(1.0)

    def change(x):
        v.assign(x)
        return x

    @tf.function
    def f(x):
        before = v * 1.0
        tf.py_function(change, [x], tf.float32)
        return before, v * 1.0

    assert [float(y) for y in f(tf.constant(4.0))] == [1.0, 4.0]


def test_what_is_fed_to_a_session_is_used_whatever_constants_say():
    with tf.Graph().as_default():
        c = tf.constant(2.0) * 3.0
        same = tf.constant(2.0) * 3.0
        y = c + 1.0
        with v1.Session() as session:
            assert session.run([y, same]) == [7.0, 6.0]
            assert session.run([y, same], {c: 10.0}) == [11.0, 6.0]


@pytest.mark.fast_layer
def test_what_passes_a_tensor_on_takes_no_step():
    @tf.function
    def f(x):
        return tf.stop_gradient(tf.identity(x)) * 2.0

    assert len(f.get_concrete_function(x2)._runner.steps) == 1
    assert f(x2).numpy().tolist() == [2.0, 4.0]


def looped(counted, start):
    """A loop of n rounds with an op of what is outside, and one of the loop variable."""

    @tf.function
    def f(n):
        def body(i, y):
            return i + 1, counted(start) + y

        return tf.while_loop(lambda i, y: i < n, body, [0, tf.zeros_like(start)])[1]

    return f


@pytest.mark.fast_layer
@pytest.mark.parametrize("rounds", [0, 1, 5])
def test_what_does_not_change_in_a_loop_is_computed_in_its_first_round(counted, rounds):
    count, out = calls_in_a_run(looped(counted, x2), counted, tf.constant(rounds))
    assert count == min(rounds, 1)
    assert out.numpy().tolist() == [1.0 * rounds, 4.0 * rounds]


def test_a_variable_is_read_in_each_round(counted):
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def f(n):
        def body(i):
            v.assign(counted(v))
            return i + 1

        tf.while_loop(lambda i: i < n, body, [0])
        return v * 1.0

    count, out = calls_in_a_run(f, counted, tf.constant(2))
    assert count == 2
    assert out.numpy().tolist() == [1.0, 2.0**16]


def test_a_large_array_of_a_loop_is_kept_if_later_rounds_need_it():
    big = tf.constant(np.arange(1000.0, dtype=np.float32))

    @tf.function
    def f(n):
        def body(i, y):
            return i + 1, y + tf.reduce_sum(tf.sqrt(big * 2.0))

        return tf.while_loop(lambda i, y: i < n, body, [0, 0.0])[1]

    expected = 3 * np.sqrt(np.arange(1000.0) * 2).sum()
    np.testing.assert_allclose(f(tf.constant(3)), expected, rtol=1e-5)
