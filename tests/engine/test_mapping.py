"""Functions over the first axis: at once, in turn, folded."""

from __future__ import annotations

import numpy as np
import pytest

import minitape as tf

X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def gradient(f, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


def test_vectorized_map_calls_the_function_once_on_one_examples_shape():
    shapes = []

    def f(row):
        shapes.append(row.shape.as_list())
        return tf.reduce_sum(row * row)

    assert tf.vectorized_map(f, tf.constant(X)).numpy().tolist() == (X**2).sum(1).tolist()
    assert shapes == [[2]]


def test_vectorized_map_takes_and_gives_nested_structures():
    def f(elems):
        return {"sum": elems[0] + elems[1]["b"], "product": [elems[0] * elems[1]["b"]]}

    a, b = tf.constant([1.0, 2.0]), tf.constant([10.0, 20.0])
    found = tf.vectorized_map(f, (a, {"b": b}))
    assert found["sum"].numpy().tolist() == [11.0, 22.0]
    assert found["product"][0].numpy().tolist() == [10.0, 40.0]


def test_vectorized_map_repeats_what_does_not_depend_on_the_example():
    found = tf.vectorized_map(lambda row: (row, tf.constant([7, 8]), 1.5), tf.constant(X))
    assert found[1].numpy().tolist() == [[7, 8]] * 3
    assert found[2].numpy().tolist() == [1.5] * 3


def test_vectorized_map_shares_a_first_axis_of_size_one():
    found = tf.vectorized_map(
        lambda e: e[0] * e[1], (tf.constant(X), tf.constant([[10.0, 0.1]], tf.float64))
    )
    np.testing.assert_allclose(found, X * [10.0, 0.1])


def test_vectorized_maps_nest():
    found = tf.vectorized_map(
        lambda row: tf.vectorized_map(lambda each: each * tf.reduce_sum(row), row), tf.constant(X)
    )
    np.testing.assert_allclose(found, X * X.sum(1, keepdims=True))


def test_vectorized_map_is_differentiated_with_what_it_closes_over():
    w = tf.Variable([2.0, 3.0], dtype=tf.float64)
    with tf.GradientTape() as tape:
        y = tf.vectorized_map(lambda row: tf.reduce_sum(w * w * row), tf.constant(X))
    np.testing.assert_allclose(tape.gradient(y, w), 2 * np.array([2.0, 3.0]) * X.sum(0))


def test_gradients_of_each_example_by_a_tape_inside():
    found = tf.vectorized_map(lambda row: gradient(lambda r: r[0] ** 2 * r[1], row), tf.constant(X))
    np.testing.assert_allclose(found, np.stack([2 * X[:, 0] * X[:, 1], X[:, 0] ** 2], 1))


def test_an_op_without_a_batching_rule_runs_example_by_example():
    matrices = np.random.RandomState(0).randn(3, 2, 2)
    found = tf.vectorized_map(lambda m: tf.linalg.band_part(m @ m, 0, -1), tf.constant(matrices))
    np.testing.assert_allclose(found, np.triu(matrices @ matrices))


def test_python_conditions_on_a_batched_tensor_are_an_error_that_helps():
    with pytest.raises(TypeError, match=r"use `tf.where`, or `tf.map_fn`"):
        tf.vectorized_map(lambda x: x if x > 0 else -x, tf.constant([1.0, -1.0]))


def test_map_fn_calls_the_function_in_turn_with_python_conditions():
    found = tf.map_fn(lambda x: x * x if x > 0 else -x, tf.constant([3.0, -3.0]))
    assert found.numpy().tolist() == [9.0, 3.0]


def test_map_fn_with_another_structure_of_results():
    a, b = tf.constant([1, 2]), tf.constant([10, 20])
    signature = (tf.int32, {"more": tf.float32})
    f = lambda e: (e[0] + e[1], {"more": tf.cast(e[0], tf.float32)})  # noqa: E731
    first, second = tf.map_fn(f, (a, b), fn_output_signature=signature)
    assert first.numpy().tolist() == [11, 22]
    assert second["more"].numpy().tolist() == [1.0, 2.0]


def test_map_fn_is_differentiated():
    found = gradient(lambda x: tf.map_fn(lambda r: tf.reduce_sum(r) * r, x), tf.constant(X))
    # sum_j (sum_k r_k) r_j = (sum r)^2
    np.testing.assert_allclose(found, np.repeat(2 * X.sum(1, keepdims=True), 2, 1))


def test_map_fn_of_no_slices_gives_none():
    found = tf.map_fn(lambda x: x, tf.zeros([0, 2]), fn_output_signature=tf.int64)
    assert (found.shape, found.dtype) == ((0,), tf.int64)


def test_folds_go_from_left_and_from_right():
    digits = tf.constant([1, 2, 3])
    assert int(tf.foldl(lambda a, x: 10 * a + x, digits)) == 123
    assert int(tf.foldr(lambda a, x: 10 * a + x, digits)) == 321
    assert int(tf.foldl(lambda a, x: 10 * a + x, digits, initializer=9)) == 9123


def test_a_fold_over_several_tensors_with_an_initializer():
    a, b = tf.constant([1.0, 2.0]), tf.constant([10.0, 20.0])
    found = tf.foldl(lambda acc, e: acc + e[0] * e[1], (a, b), initializer=tf.constant(0.5))
    assert float(found) == 50.5


def test_scan_keeps_every_step_and_the_place_of_each():
    x = tf.constant([1.0, 2.0, 3.0])
    assert tf.scan(lambda a, x: a + x, x).numpy().tolist() == [1.0, 3.0, 6.0]
    assert tf.scan(lambda a, x: a + x, x, initializer=10.0).numpy().tolist() == [11.0, 13.0, 16.0]
    assert tf.scan(lambda a, x: a + x, x, reverse=True).numpy().tolist() == [6.0, 5.0, 3.0]


def test_scan_carries_a_structure():
    def step(state, _):
        return state[1], state[0] + state[1]

    start = (tf.constant(0), tf.constant(1))
    found = tf.scan(step, tf.zeros([6]), initializer=start)
    assert found[0].numpy().tolist() == [1, 1, 2, 3, 5, 8]


def test_scan_is_differentiated():
    # products x0, x0 x1: the sum's derivative is (1 + x1, x0)
    x = tf.constant([2.0, 5.0])
    found = gradient(lambda x: tf.scan(lambda a, e: a * e, x), x)
    assert found.numpy().tolist() == [6.0, 2.0]


def test_scan_of_no_slices_has_the_shape_of_its_start():
    assert tf.scan(lambda a, x: a, tf.zeros([0]), initializer=tf.zeros([3])).shape == (0, 3)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: tf.map_fn(3, tf.zeros([2])), TypeError, "fn must be callable"),
        (lambda: tf.foldl(3, tf.zeros([2])), TypeError, "fn must be callable"),
        (lambda: tf.map_fn(tf.sin, 1.0), ValueError, "not scalars"),
        (lambda: tf.map_fn(tf.sin, []), ValueError, "not scalars|got none|first axis|Tensor"),
        (lambda: tf.vectorized_map(tf.sin, 1.0), ValueError, "not scalars"),
        (lambda: tf.vectorized_map(tf.sin, ()), ValueError, "got none"),
        (
            lambda: tf.vectorized_map(lambda e: e[0], (tf.zeros([2]), tf.zeros([3]))),
            ValueError,
            r"have \[2, 3\] slices",
        ),
        (
            lambda: tf.map_fn(lambda x: x > 0, tf.zeros([2])),
            ValueError,
            "dtype bool, expected float32",
        ),
        (
            lambda: tf.map_fn(tf.sin, tf.zeros([2]), tf.float32, fn_output_signature=tf.float32),
            ValueError,
            "Cannot specify both",
        ),
        (lambda: tf.foldl(lambda a, x: a, tf.zeros([0])), ValueError, "no initializer"),
        (lambda: tf.scan(lambda a, x: (a, x), tf.zeros([2])), ValueError, "nested structure"),
    ],
)
def test_misuse_is_an_error_that_says_what_is_wrong(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_every_example_of_a_vectorized_map_draws_its_own_random_numbers():
    x = tf.zeros([4, 2])
    drawn = tf.vectorized_map(lambda row: row + tf.random.normal([2]), x)
    assert len(np.unique(drawn)) == 8
    traced = tf.function(lambda x: tf.vectorized_map(lambda row: row + tf.random.normal([2]), x))
    assert len(np.unique(np.stack([traced(x), traced(x)]))) == 16


def test_a_stateless_draw_is_the_same_for_every_example():
    draw = lambda x: x + tf.random.stateless_normal([], seed=[1, 2])  # noqa: E731
    assert len(np.unique(tf.vectorized_map(draw, tf.zeros([4])))) == 1
