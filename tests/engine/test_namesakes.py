"""Ops that a learner declares under the name of one of minitape's: ours stay what they are."""

from __future__ import annotations

import numpy as np

import minitape as tf
from minitape.op import primitive
from minitape.tensor import Array


def declare_namesakes():
    """Ops with wrong results, whose names are those of ours."""

    @primitive(elementwise=True)
    def identity(x: Array) -> Array:
        return x + 1.0

    @primitive(elementwise=True)
    def square(x: Array) -> Array:
        return -x

    @primitive()
    def cholesky(x: Array) -> Array:
        return -x


def test_a_variable_is_read_as_before():
    v = tf.Variable(3.0)
    declare_namesakes()
    assert float(v.read_value()) == 3.0


def test_a_jacobian_and_its_gradient_are_those_of_our_op():
    declare_namesakes()
    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.square(x)
        matrix = inner.jacobian(y, x)
        total = tf.reduce_sum(tf.square(matrix))
    np.testing.assert_array_equal(matrix, np.diag([2.0, 4.0, 6.0]))
    np.testing.assert_array_equal(outer.gradient(total, x), 8.0 * x.numpy())


def test_examples_of_a_batch_go_one_by_one_through_our_op():
    declare_namesakes()
    stack = np.array([[[4.0, 0.0], [0.0, 9.0]], [[1.0, 0.0], [0.0, 16.0]]], np.float32)
    found = tf.vectorized_map(lambda m: tf.square(tf.linalg.cholesky(m)), tf.constant(stack))
    np.testing.assert_array_equal(found, np.sqrt(stack) ** 2)


def test_rows_of_a_ragged_tensor_go_through_our_op():
    declare_namesakes()
    rows = tf.ragged.constant([[1.0, 2.0], [3.0]])
    assert tf.square(rows).to_list() == [[1.0, 4.0], [9.0]]


def test_a_graph_calls_our_op():
    declare_namesakes()
    f = tf.function(lambda x: tf.square(x))
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = f(x)
    assert (float(y), float(tape.gradient(y, x))) == (9.0, 6.0)


def test_an_op_may_be_declared_in_code_of_no_module():
    names = {"primitive": primitive, "Array": Array}
    exec("@primitive()\ndef halve(x: Array):\n    return x / 2.0", names)
    np.testing.assert_array_equal(names["halve"].public(3.0), 1.5)
