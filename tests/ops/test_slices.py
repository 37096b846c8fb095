"""IndexedSlices: what gathers have as gradients, how they add up, and how they become dense."""

import numpy as np
import pytest

import minitape as tf


def table():
    return tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]])


def rows(tape, y, v):
    found = tape.gradient(y, v)
    assert isinstance(found, tf.IndexedSlices)
    return found


def test_the_gradient_of_a_gather_holds_the_gathered_rows_only():
    v = table()
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(v, [2, 0]) ** 2)
    s = rows(tape, y, v)
    assert s.values.numpy().tolist() == [[10.0, 12.0], [2.0, 4.0]]
    assert s.indices.numpy().tolist() == [2, 0]
    assert s.dense_shape.numpy().tolist() == [4, 2]
    assert s.shape == (4, 2)
    assert s.dtype == tf.float32


def test_the_gradient_of_a_gather_from_a_tensor_is_sparse_too():
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.gather(x, [[1, 1], [0, 1]]) * [[1.0, 2.0], [3.0, 4.0]]
    s = rows(tape, y, x)
    assert s.values.numpy().tolist() == [1.0, 2.0, 3.0, 4.0]
    assert tf.convert_to_tensor(s).numpy().tolist() == [3.0, 7.0, 0.0]


def test_several_gathers_stay_sparse_and_their_rows_add_up():
    v = table()
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(v, [0, 1])) + tf.reduce_sum(tf.gather(v, [1]))
    s = rows(tape, y, v)
    assert len(s.indices) == 3
    assert tf.convert_to_tensor(s).numpy().tolist() == [[1, 1], [2, 2], [0, 0], [0, 0]]


def test_a_gather_beside_a_dense_use_has_a_dense_gradient():
    v = table()
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(v, [3])) + tf.reduce_sum(v * v)
    expected = 2 * v.numpy()
    expected[3] += 1
    assert np.array_equal(tf.convert_to_tensor(tape.gradient(y, v)), expected)


def test_a_gather_of_a_result_becomes_dense_at_the_next_rule():
    v = table()
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(v * v, [1, 1]))
    found = tape.gradient(y, v)
    assert found.numpy().tolist() == [[0, 0], [12, 16], [0, 0], [0, 0]]


def test_a_gather_of_a_gather_has_rows_of_the_inner_one():
    v = table()
    with tf.GradientTape() as tape:
        y = tf.gather(tf.gather(v, [3, 1]), [0, 0])
    s = rows(tape, y, v)
    assert isinstance(s.values, tf.Tensor)
    assert s.indices.numpy().tolist() == [3, 1]
    assert s.values.numpy().tolist() == [[2, 2], [0, 0]]


def test_gather_nd_of_rows_is_sparse_and_of_elements_dense():
    v = table()
    with tf.GradientTape(persistent=True) as tape:
        by_rows, by_elements = tf.gather_nd(v, [[1]]), tf.gather_nd(v, [[1, 0]])
    assert rows(tape, by_rows, v).indices.numpy().tolist() == [1]
    assert tape.gradient(by_elements, v).numpy()[1].tolist() == [1, 0]


def test_the_jacobian_of_a_gather_is_dense():
    v = table()
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(v, [0, 2, 0]) ** 2, axis=1)
    found = tape.jacobian(y, v).numpy()
    expected = np.zeros((3, 4, 2))
    for i, row in enumerate([0, 2, 0]):
        expected[i, row] = 2 * v.numpy()[row]
    assert np.array_equal(found, expected)


def test_second_derivatives_pass_through_the_slices():
    v = table()
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_sum(tf.gather(v, [1, 1]) ** 3)
        first = tf.convert_to_tensor(inner.gradient(y, v))
        total = tf.reduce_sum(first)
    expected = np.zeros((4, 2))
    expected[1] = 2 * 6 * v.numpy()[1]
    assert np.array_equal(tf.convert_to_tensor(outer.gradient(total, v)), expected)


def test_slices_of_repeated_rows_add_up_when_dense():
    s = tf.IndexedSlices(tf.constant([1.0, 2.0]), tf.constant([1, 1]), tf.constant([3]))
    assert tf.convert_to_tensor(s).numpy().tolist() == [0.0, 3.0, 0.0]
    assert (0.5 * s).numpy().tolist() == [0.0, 1.5, 0.0]
    assert np.asarray(s).tolist() == [0.0, 3.0, 0.0]


def test_the_sum_of_slices_keeps_their_rows():
    one = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]), (3,))
    two = tf.IndexedSlices(tf.constant([2.0]), tf.constant([2], tf.int64), (3,))
    assert tf.convert_to_tensor(one + two).numpy().tolist() == [1.0, 0.0, 2.0]
    assert isinstance(one + two, tf.IndexedSlices)
    assert (one + tf.ones([3])).numpy().tolist() == [2.0, 1.0, 1.0]


def test_slices_without_a_whole_shape_cannot_become_dense():
    s = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0]))
    assert s.shape == (None, 1)
    assert s.dense_shape is None
    with pytest.raises(ValueError, match="IndexedSlices without dense_shape.*dense_shape="):
        tf.convert_to_tensor(s)


def test_a_gradient_of_dense_slices_flows_to_their_values():
    values = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(values)
        s = tf.IndexedSlices(values, tf.constant([1, 0, 1]), tf.constant([2]))
        y = tf.reduce_sum(tf.convert_to_tensor(s) ** 2)
    assert tape.gradient(y, values).numpy().tolist() == [8.0, 4.0, 8.0]


def test_slices_as_weights_of_a_target_are_made_dense():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    weights = tf.IndexedSlices(tf.constant([5.0]), tf.constant([1]), tf.constant([2]))
    assert tape.gradient(y, x, output_gradients=weights).numpy().tolist() == [0.0, 20.0]


def test_a_variable_is_changed_by_slices():
    v = tf.Variable([1.0, 2.0, 3.0])
    s = tf.IndexedSlices(tf.constant([10.0, 20.0]), tf.constant([1, 1]), tf.constant([3]))
    v.assign_sub(s)
    assert v.numpy().tolist() == [1.0, -28.0, 3.0]
    v.scatter_add(s)
    assert v.numpy().tolist() == [1.0, 2.0, 3.0]
    v.scatter_sub(s).scatter_update(tf.IndexedSlices(tf.constant([7.0]), tf.constant([0])))
    assert v.numpy().tolist() == [7.0, -28.0, 3.0]


def test_a_variable_is_changed_at_index_tuples():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    v.scatter_nd_add([[0, 1], [0, 1]], [10.0, 10.0])
    v.scatter_nd_update([[1]], [[7.0, 8.0]])
    assert v.numpy().tolist() == [[1.0, 22.0], [7.0, 8.0]]
    v.scatter_mul(tf.IndexedSlices(tf.constant([[2.0, 2.0]]), tf.constant([1])))
    assert v.gather_nd([[1, 0]]).numpy().tolist() == [14.0]
    assert v.sparse_read([1]).numpy().tolist() == [[14.0, 16.0]]


def test_a_scatter_outside_of_the_variable_raises_and_changes_nothing():
    v = tf.Variable([1.0, 2.0])
    with pytest.raises(IndexError, match=r"indices\[0\] = 2 is not in \[0, 2\)"):
        v.scatter_add(tf.IndexedSlices(tf.constant([1.0]), tf.constant([2])))
    assert v.numpy().tolist() == [1.0, 2.0]


def test_slices_print_their_parts():
    text = repr(tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]), (3,)))
    assert text.startswith("IndexedSlices(indices=tf.Tensor([0]")
    assert "dense_shape" in text


@pytest.mark.parametrize("sparse_first", [True, False])
def test_sparse_rows_add_to_large_sums_that_are_kept_in_one_buffer(sparse_first):
    a = np.random.default_rng(0).uniform(size=(200, 50))
    v = tf.Variable(a)
    with tf.GradientTape() as tape:
        dense = [tf.reduce_sum(v * v), tf.reduce_sum(tf.sin(v)), tf.reduce_sum(v)]
        sparse = [tf.reduce_sum(tf.gather(v, [1, 1, 5]) ** 2), tf.reduce_sum(tf.gather(v, [7]))]
        z = tf.reduce_sum(tf.gather(v, [3]))
        y = tf.add_n(sparse + dense if sparse_first else dense + sparse) + z
    expected = 2 * a + np.cos(a) + 1
    expected[1] += 4 * a[1]
    expected[5] += 2 * a[5]
    expected[[3, 7]] += 1
    np.testing.assert_allclose(tf.convert_to_tensor(tape.gradient(y, v)), expected)


X = [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
BY_INDEX = {
    "gather": lambda x, i: tf.gather(x, i),
    "gather along axis 1": lambda x, i: tf.gather(x, [i], axis=1),
    "gather by example": lambda x, i: tf.gather(x, tf.fill([2, 1], i), batch_dims=1),
    "gather_nd": lambda x, i: tf.gather_nd(x, [[i, 0]]),
    "scatter_nd": lambda x, i: tf.scatter_nd([[i]], x[:1], [2, 3]),
    "tensor_scatter_nd_update": lambda x, i: tf.tensor_scatter_nd_update(x, [[i, 0]], [1.0]),
    "embedding_lookup": lambda x, i: tf.nn.embedding_lookup(x, [i]),
    "slice": lambda x, i: tf.slice(x, [i, 0], [1, 1]),
    "TensorArray.read": lambda x, i: tf.TensorArray(tf.float32, 2).unstack(x).read(i),
}


@pytest.mark.parametrize("place", [-1, 7])
@pytest.mark.parametrize("op", BY_INDEX)
def test_a_graph_refuses_an_index_that_only_its_call_knows_and_no_element_has(
    op: str, place: int
) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):  # as TensorFlow 2.21
        tf.function(BY_INDEX[op])(tf.constant(X), tf.constant(place))


def test_in_a_graph_an_index_in_brackets_counts_from_the_end_and_so_does_its_gradient() -> None:
    @tf.function
    def slopes(x: tf.Tensor, i: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.reduce_sum(x[i] ** 3.0)
            slope = tape.gradient(y, x)
        return slope, outer.gradient(slope, x)

    first, second = slopes(tf.constant(X), tf.constant(-1))
    np.testing.assert_allclose(first, [[0.0, 0.0, 0.0], [27.0, 48.0, 75.0]])
    np.testing.assert_allclose(second, [[0.0, 0.0, 0.0], [18.0, 24.0, 30.0]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("width", [(), (1,), (7,), (2, 4)])
@pytest.mark.parametrize("count", [(3,), (800,), (40, 20), (0,)])
def test_equal_indices_of_many_rows_add_up_one_after_the_other(count, width, dtype):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(*count, *width)).astype(dtype)
    indices = rng.integers(0, 6, count)
    expected = np.zeros((6, *width), dtype)
    for i in np.ndindex(*count):
        expected[indices[i]] += values[i]
    v = tf.Variable(np.zeros((6, *width), dtype))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(v, indices) * values)
    assert np.array_equal(tf.convert_to_tensor(tape.gradient(y, v)), expected)
    flat = values.reshape(-1, *width)
    assert np.array_equal(tf.math.unsorted_segment_sum(flat, indices.ravel(), 6), expected)


@pytest.mark.parametrize("count", [3, 900])
def test_rows_outside_are_named_by_their_own_index(count):
    s = tf.IndexedSlices(tf.ones((count, 4)), tf.constant([5] * count), (5, 4))
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"index 5 is out of bounds for axis 0 with size 5"
    ):
        tf.convert_to_tensor(s)
