"""Tensors that a tape is told to watch after ops have used them; the numbers are TensorFlow's."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import minitape as tf


def test_an_op_that_was_recorded_for_another_input_counts():
    v, c = tf.Variable(2.0), tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        product, difference, quotient = v * c, c - v, c / v
        tape.watch(c)
        square = c * c
    assert float(tape.gradient([product, square], c)) == 8.0
    assert float(tape.gradient(product, c)) == 2.0
    assert float(tape.gradient(difference, c)) == 1.0
    assert float(tape.gradient(quotient, c)) == 0.5
    assert float(tape.gradient(product, v)) == 3.0


def test_an_op_that_was_not_recorded_does_not_count():
    v, c = tf.Variable(2.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        doubled = 2.0 * c
        product = v * doubled
        tape.watch(c)
    assert tape.gradient(product, c) is None


def test_ops_of_every_kind_count():
    a, b = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[1.0, 0.0], [2.0, 5.0]])
    row = tf.constant([10.0, 20.0])

    def late(f, x, y):
        with tf.GradientTape() as tape:
            tape.watch(x)
            target = f(x, y)
            tape.watch(y)
        return [g.numpy().tolist() for g in tape.gradient(target, [x, y])]

    assert late(tf.matmul, a, b) == [[[1.0, 7.0], [1.0, 7.0]], [[4.0, 4.0], [6.0, 6.0]]]
    assert late(tf.matmul, b, a) == [[[3.0, 7.0], [3.0, 7.0]], [[3.0, 3.0], [5.0, 5.0]]]
    assert late(lambda x, y: tf.concat([x, y], 0) ** 2, a, b) == [
        [[2.0, 4.0], [6.0, 8.0]],
        [[2.0, 0.0], [4.0, 10.0]],
    ]
    assert late(lambda x, y: tf.where(x > 1.5, x, y) ** 2, a, b) == [
        [[0.0, 4.0], [6.0, 8.0]],
        [[2.0, 0.0], [0.0, 0.0]],
    ]
    assert late(lambda x, y: x * y, a, row) == [[[10.0, 20.0], [10.0, 20.0]], [4.0, 6.0]]
    image, kernel = tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1])
    of_image, of_kernel = late(lambda x, y: tf.nn.conv2d(x, y, 1, "VALID"), image, kernel)
    assert np.reshape(of_image, (3, 3)).tolist() == [[1, 2, 1], [2, 4, 2], [1, 2, 1]]
    assert np.reshape(of_kernel, (2, 2)).tolist() == [[4, 4], [4, 4]]


def test_jacobians_see_it():
    a, b = tf.constant([[1.0, 2.0]]), tf.constant([[3.0, 5.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(a)
        y = a * b
        tape.watch(b)
    assert tape.jacobian(y, b).numpy().tolist() == [[[[1.0, 0.0]], [[0.0, 2.0]]]]
    assert tape.batch_jacobian(y, b).numpy().tolist() == [[[1.0, 0.0], [0.0, 2.0]]]


def test_an_outer_tape_differentiates_what_an_inner_one_found():
    x, c = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * x * c
            inner.watch(c)
        of_x, of_c = inner.gradient(y, [x, c])
    assert float(of_x) == 12.0
    assert float(of_c) == 4.0
    assert float(outer.gradient(of_c, x)) == 4.0


def test_what_another_tape_follows_may_be_watched_late_by_this_one():
    v, c = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as first, tf.GradientTape() as second:
        first.watch(v)
        second.watch(c)
        y = v * c
        first.watch(c)
    assert [float(g) for g in first.gradient(y, [v, c])] == [3.0, 2.0]
    assert float(second.gradient(y, c)) == 2.0


def test_a_variable_is_not_the_tensor_that_was_read_from_it():
    x, w = tf.constant(2.0), tf.Variable(5.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(x)
        y = x * w
        tape.watch(w)
    of_x, of_w = tape.gradient(y, [x, w])
    assert float(of_x) == 5.0
    assert of_w is None


def test_a_function_with_its_own_gradient_counts_if_one_argument_was_followed():
    @tf.custom_gradient
    def f(x, z):
        return x * z, lambda g: (g * 7.0, g * 11.0)

    x, z, c = tf.constant(2.0), tf.constant(4.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, z)
        tape.watch(z)
    assert [float(g) for g in tape.gradient(y, [x, z])] == [7.0, 11.0]

    with tf.GradientTape() as tape:
        tape.watch(c)
        y = f(x, z) * c
        tape.watch([x, z])
    of_x, of_z, of_c = tape.gradient(y, [x, z, c])
    assert of_x is None
    assert of_z is None
    assert float(of_c) == 8.0


def test_inside_of_a_function_it_is_the_same():
    @tf.function
    def gradients(x, z):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * z
            tape.watch(z)
        return tape.gradient(y, [x, z])

    assert [float(g) for g in gradients(tf.constant(2.0), tf.constant(4.0))] == [4.0, 2.0]


@pytest.mark.parametrize("number", [2.0, np.float32(2.0), [2.0, 2.0]])
def test_a_number_that_nobody_could_watch_keeps_nothing_alive(number):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        middle = tf.sqrt(x) + 1.0
        alive = weakref.ref(middle.value)
        y = middle * number
        del middle
        gc.collect()
        assert alive() is None
    np.testing.assert_allclose(tape.gradient(y, x), 1 / np.sqrt([1.0, 2.0]), rtol=1e-6)


def test_tensors_that_are_never_watched_late_change_nothing():
    x, c = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * c
    before = tape.recording.records
    assert tape.gradient(y, c) is None
    assert tape.recording.records == before
