"""Indexing and slicing: every form of key, gradients, variables' slices, errors that teach."""

import numpy as np
import pytest

import minitape as tf
from minitape.errors import InvalidArgumentError

T = np.arange(24.0).reshape(2, 3, 4)
KEYS = [
    np.s_[1],
    np.s_[-1, 0],
    np.s_[:, 1:, ::2],
    np.s_[..., 2],
    np.s_[1, ..., 0],
    np.s_[:, None, 0, 0],
    np.s_[0, ::-1],
    np.s_[0, 0, -2:],
    np.s_[..., None],
    np.s_[:, 5:],
    np.s_[1, -100:100:2, ::-2],
    np.s_[()],
    np.s_[0, 1, 2],
    np.s_[...],
]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_a_key_selects_what_it_selects_in_numpy(key):
    assert np.array_equal(tf.constant(T)[key], T[key])


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_the_gradient_of_a_slice_is_its_weights_at_the_place_and_zero_elsewhere(key):
    x = tf.constant(T)
    weights = np.random.default_rng(0).uniform(size=T[key].shape)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x[key]
    expected = np.zeros_like(T)
    expected[key] = weights
    assert np.array_equal(tape.gradient(y, x, output_gradients=tf.constant(weights)), expected)


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_the_jacobian_of_a_slice_is_the_slice_of_the_identity(key):
    x = tf.constant(T)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x[key]
    identity = np.eye(24).reshape(2, 3, 4, 2, 3, 4)
    expected = np.moveaxis(
        np.moveaxis(identity, (3, 4, 5), (0, 1, 2))[:, :, :], (0, 1, 2), (3, 4, 5)
    )
    rows = np.stack([expected[..., i, j, k][key] for i, j, k in np.ndindex(2, 3, 4)], -1)
    assert np.array_equal(np.reshape(tape.jacobian(y, x), rows.shape), rows)


def test_a_scalar_tensor_is_an_index_and_a_bound():
    x = tf.constant([10.0, 20.0, 30.0])
    i = tf.constant(1)
    assert float(x[i]) == 20.0
    assert x[i:].numpy().tolist() == [20.0, 30.0]
    assert x[: tf.constant(-1)].numpy().tolist() == [10.0, 20.0]
    assert x[np.int64(2)].numpy() == 30.0


def test_a_mask_selects_elements():
    x = tf.constant([10.0, 20.0, 30.0])
    assert x[x > 15.0].numpy().tolist() == [20.0, 30.0]


def test_an_index_of_its_own_for_each_example_is_a_gather():
    x = tf.constant(T)
    found = tf.vectorized_map(lambda i: x[1, i, ..., :2], tf.constant([2, 0]))
    assert np.array_equal(found, T[1, [2, 0], :2])


@pytest.mark.parametrize(
    ("window", "at"),
    [
        (lambda x, i: x[i : i + 2], lambda i: np.s_[i : i + 2]),
        (lambda x, i: x[i + 2 : i : -1, 1], lambda i: np.s_[i + 2 : i : -1, 1]),
        (lambda x, i: x[..., i : i + 1], lambda i: np.s_[..., i : i + 1]),
    ],
)
def test_a_slice_of_its_own_for_each_example_is_a_gather(window, at):
    x, places = tf.Variable(np.arange(12.0).reshape(4, 3)), [1, 0, 1]
    with tf.GradientTape() as tape:
        found = tf.vectorized_map(lambda i: window(x, i), tf.constant(places))
    slope = np.zeros([4, 3])
    for i in places:
        slope[at(i)] += 1.0
    assert np.array_equal(found, np.stack([x.numpy()[at(i)] for i in places]))
    assert np.array_equal(tape.gradient(found, x), slope)


def test_slices_of_several_lengths_do_not_stack():
    with pytest.raises(InvalidArgumentError, match=r"\(4,\) != values\[1\].shape = \(3,\)"):
        tf.vectorized_map(lambda i: tf.ones([4])[i:], tf.constant([0, 1]))


def test_an_index_that_a_loop_counts_selects_and_has_a_gradient():
    x = tf.constant([1.0, 2.0, 3.0])

    @tf.function
    def total(x):
        return tf.while_loop(
            lambda i, s: i < 3,
            lambda i, s: (i + 1, s + x[i] * x[i]),
            (tf.constant(0), tf.constant(0.0)),
        )[1]

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = total(x)
    assert float(y) == 14.0
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 4.0, 6.0]


@pytest.mark.parametrize(
    ("key", "match"),
    [
        (2, "slice index 2 of dimension 0 out of bounds.*Use an index from -2 to 1"),
        ((0, 0, 0, 0), "4 indices for a tensor of shape.*tf.newaxis"),
        ((..., ...), "Multiple ellipses"),
        (np.s_[::0], "slice step cannot be zero"),
    ],
)
def test_an_index_that_is_not_there_is_both_errors(key, match):
    for error in (IndexError, InvalidArgumentError):
        with pytest.raises(error, match=match):
            tf.constant(T)[key]


@pytest.mark.parametrize("key", ["a", 1.0, [0, 1], tf.constant([0, 1])], ids=str)
def test_what_cannot_be_an_index_says_what_can(key):
    with pytest.raises(TypeError, match="tf.gather for a list of rows"):
        tf.constant(T)[key]


def test_a_truth_value_is_no_index_but_a_mask_without_an_axis():
    with pytest.raises(ValueError, match="mask cannot be scalar: True.*tf.boolean_mask"):
        tf.constant(T)[True]


def test_an_unknown_attribute_of_a_tensor_stays_unknown():
    with pytest.raises(AttributeError, match="tensors are immutable"):
        tf.constant([1.0])[0].assign(2.0)
    assert not hasattr(tf.constant(1.0), "assign")


def test_a_slice_of_a_variable_is_assigned_in_place():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    before = v.value()
    v[0].assign([5.0, 6.0])
    v[:, 1].assign_add([1.0, 1.0])
    v[1, 0].assign_sub(10.0)
    assert v.numpy().tolist() == [[5.0, 7.0], [-7.0, 5.0]]
    assert before.numpy().tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_a_slice_assignment_in_a_graph_runs_with_each_call():
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def set_first(x):
        v[0].assign(x * 2.0)

    set_first(tf.constant(4.0))
    assert v.numpy().tolist() == [8.0, 2.0]


def test_a_slice_assignment_checks_the_shape():
    v = tf.Variable([1.0, 2.0, 3.0])
    with pytest.raises(
        InvalidArgumentError, match=r"Variable\[0:2\].assign: the part has shape \(2,\)"
    ):
        v[:2].assign([1.0, 2.0, 3.0])


def test_no_gradient_flows_through_a_slice_assignment():
    v, x = tf.Variable([1.0, 2.0]), tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        v[0].assign(x)
        y = v[0] * x
    assert float(tape.gradient(y, x)) == 3.0
    assert tape.gradient(y, v).numpy().tolist() == [3.0, 0.0]


def test_slice_takes_a_box_and_minus_one_means_all_that_follow():
    assert np.array_equal(tf.slice(T, [0, 1, 2], [2, 1, -1]), T[0:2, 1:2, 2:])
    assert np.array_equal(
        tf.slice(T, tf.constant([1, 0, 0]), tf.constant([1, 2, 2])), T[1:2, :2, :2]
    )


def test_slice_at_a_start_of_its_own_for_each_example():
    found = tf.vectorized_map(
        lambda i: tf.slice(tf.constant(T[0, 0]), [i], [2]), tf.constant([0, 2])
    )
    assert found.numpy().tolist() == [[0.0, 1.0], [2.0, 3.0]]


def test_slice_outside_of_the_tensor_says_where():
    with pytest.raises(InvalidArgumentError, match=r"Expected begin\[1\] in \[0, 3\]"):
        tf.slice(T, [0, 2, 0], [1, 2, 1])


def test_strided_slice_knows_all_masks():
    assert np.array_equal(tf.strided_slice(T, [0, 0], [2, 3], [1, 2]), T[0:2, 0:3:2])
    assert np.array_equal(tf.strided_slice(T, [1, 1], [0, 3], begin_mask=1, end_mask=1), T[:, 1:3])
    assert np.array_equal(
        tf.strided_slice(T, [1, 0, 2], [2, 0, 3], shrink_axis_mask=1, ellipsis_mask=2),
        T[1, ..., 2:3],
    )
    assert tf.strided_slice(T, [0, 1], [0, 2], new_axis_mask=1).shape == (1, 1, 3, 4)


def test_a_string_of_rank_0_can_be_cut_out():
    assert tf.constant(["a", "b"])[1].numpy() == b"b"
