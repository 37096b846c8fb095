"""Shapes, joining, copying, gathering, scattering, sorting and creation, as users call them."""

import numpy as np
import pytest

import minitape as tf
from minitape.errors import InvalidArgumentError

X = np.arange(6.0).reshape(2, 3)
T = np.arange(24.0).reshape(2, 3, 4)


def test_reshape_takes_tensors_and_finds_one_size():
    assert tf.reshape(X, tf.constant([3, 2])).shape == (3, 2)
    assert tf.reshape(X, [tf.shape(X)[1], -1]).shape == (3, 2)
    assert tf.reshape(X, -1).shape == (6,)
    assert tf.reshape(X, tf.TensorShape([6])).shape == (6,)
    assert tf.reshape([5.0], []).shape == ()


@pytest.mark.parametrize(
    ("shape", "match"),
    [
        ([4, 2], r"with 6 values, but the requested shape \[4, 2\] has 8"),
        ([4, -1], "requires a multiple of 4"),
        ([-1, -1], "Only one input size may be -1"),
        ([-2, 3], "Only one input size"),
    ],
)
def test_reshape_says_why_elements_do_not_fit(shape, match):
    with pytest.raises(InvalidArgumentError, match=match):
        tf.reshape(X, shape)


def test_transpose_reverses_the_axes_or_follows_perm():
    assert np.array_equal(tf.transpose(T), T.T)
    assert np.array_equal(tf.transpose(T, perm=tf.constant([1, 0, 2])), T.transpose(1, 0, 2))
    with pytest.raises(InvalidArgumentError, match=r"perm=\[0, 0, 1\] is not a permutation"):
        tf.transpose(T, [0, 0, 1])


def test_a_conjugate_transpose_conjugates():
    z = np.array([[1 + 2j, 3 - 1j]])
    assert np.array_equal(tf.transpose(z, conjugate=True), z.conj().T)


def test_axes_of_size_1_come_and_go():
    assert tf.expand_dims(X, 1).shape == (2, 1, 3)
    assert tf.expand_dims(X, axis=-1).shape == (2, 3, 1)
    assert tf.squeeze(np.ones((1, 2, 1))).shape == (2,)
    assert tf.squeeze(np.ones((1, 2, 1)), axis=-1).shape == (1, 2)
    with pytest.raises(
        InvalidArgumentError, match=r"Can not squeeze dim\[1\], expected a dimension of 1, got 3"
    ):
        tf.squeeze(X, [1])


def test_shape_size_and_rank_are_int32_tensors_with_values_even_in_a_batch():
    assert tf.shape(X).numpy().tolist() == [2, 3]
    assert tf.shape(X).dtype == tf.int32
    assert tf.shape(X, out_type=tf.int64).dtype == tf.int64
    assert int(tf.size(T)) == 24
    assert int(tf.rank(T)) == 3
    found = tf.vectorized_map(lambda x: tf.reshape(x, [tf.shape(x)[0], 1]), tf.constant(X))
    assert found.shape == (2, 3, 1)


def test_ensure_shape_gives_the_tensor_or_raises():
    assert np.array_equal(tf.ensure_shape(X, [None, 3]), X)
    with pytest.raises(
        InvalidArgumentError, match=r"\(2, 3\) is not compatible with expected shape \(3, 3\)"
    ):
        tf.ensure_shape(X, [3, 3])


def test_broadcast_to_says_what_does_not_fit():
    assert np.array_equal(
        tf.broadcast_to([1.0, 2.0, 3.0], [2, 3]), np.broadcast_to([1, 2, 3], (2, 3))
    )
    with pytest.raises(InvalidArgumentError, match="Incompatible shapes"):
        tf.broadcast_to([1.0, 2.0], [2, 3])


def test_joining_takes_plain_values_beside_tensors():
    x = tf.constant([1.0, 2.0], tf.float64)
    assert tf.concat([x, [3]], 0).dtype == tf.float64
    assert tf.stack([x, [3, 4]]).numpy().tolist() == [[1, 2], [3, 4]]
    assert tf.concat(x, 0).numpy().tolist() == [1, 2]


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: tf.concat([X, X[:, :2]], 0), r"shapes\[0\] = \(2, 3\) vs. shapes\[1\] = \(2, 2\)"),
        (lambda: tf.concat([1.0, 2.0], 0), "is a scalar, which has no axis"),
        (lambda: tf.stack([X, X[0]]), "Shapes of all inputs must match"),
        (lambda: tf.concat([X, X], 2), "axis=2 is out of range"),
        (lambda: tf.concat([], 0), "the list of tensors is empty"),
        (lambda: tf.reshape([], [-1, 0]), "cannot infer the missing input size"),
        (lambda: tf.unstack(X, num=3), "num=3, but axis 0"),
        (lambda: tf.split(X, 2, axis=1), "3 elements, which is not evenly divisible by 2"),
        (
            lambda: tf.split(X, [1, 3], axis=1),
            r"the sizes \[1, 3\] do not add up to the 3 elements",
        ),
        (lambda: tf.split(X, [-1, -1], axis=1), "do not add up"),
        (lambda: tf.tile(X, [2]), "multiples argument to be a vector of length 2 but got length 1"),
        (lambda: tf.repeat(X, [1, 2, 3], axis=0), "repeats has 3 numbers, but axis 0"),
        (lambda: tf.pad(X, [[1, 1]]), "rank of inputs.*paddings="),
        (lambda: tf.pad(X, [[2, 0], [0, 0]], "REFLECT"), "at most 1 to mirror"),
        (lambda: tf.pad(X, [[0, 0], [0, 0]], "WRAP"), "Unknown padding mode"),
        (lambda: tf.reverse(X, [2]), "axis=2 is out of range"),
        (lambda: tf.roll(X, [1, 2], [0]), "must have the same size"),
        (lambda: tf.meshgrid([1], [2], indexing="yx"), "must be 'xy' or 'ij'"),
    ],
)
def test_what_does_not_fit_together_says_so(call, match):
    with pytest.raises(ValueError, match=match):
        call()


def test_split_and_unstack_undo_concat_and_stack():
    parts = tf.split(T, [1, -1, 1], axis=2)
    assert [p.shape[2] for p in parts] == [1, 2, 1]
    assert np.array_equal(tf.concat(parts, 2), T)
    assert np.array_equal(tf.stack(tf.unstack(T, axis=1), axis=1), T)
    assert len(tf.split(T, num_or_size_splits=4, axis=-1)) == 4
    assert [p.shape for p in tf.split(X, [2])] == [(2, 3)]


def test_only_the_used_parts_of_a_split_have_a_gradient():
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        _, second, _ = tf.split(x, 3)
    assert tape.gradient(second, x).numpy().tolist() == [0.0, 1.0, 0.0]


def test_a_list_with_tensors_in_it_is_packed_and_keeps_gradients():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.convert_to_tensor([[x, 1.0], [3.0, x * x]])
    assert y.numpy().tolist() == [[2.0, 1.0], [3.0, 4.0]]
    assert float(tape.gradient(y, x)) == 5.0


def test_pad_modes_are_those_of_numpy():
    widths = [[1, 0], [2, 2]]
    assert np.array_equal(
        tf.pad(X, widths, constant_values=7), np.pad(X, widths, constant_values=7)
    )
    assert np.array_equal(tf.pad(X, widths, "reflect"), np.pad(X, widths, "reflect"))
    assert np.array_equal(tf.pad(X, widths, mode="SYMMETRIC"), np.pad(X, widths, "symmetric"))


def test_meshgrid_has_both_indexings():
    for indexing in ("xy", "ij"):
        found = tf.meshgrid([1, 2, 3], [4, 5], [6], indexing=indexing)
        for got, want in zip(
            found, np.meshgrid([1, 2, 3], [4, 5], [6], indexing=indexing), strict=True
        ):
            assert np.array_equal(got, want)


def test_gather_with_batch_axes_gathers_example_by_example():
    ids = np.array([[0, 2], [1, 1]])
    found = tf.gather(T, ids, axis=1, batch_dims=1)
    assert np.array_equal(found, np.stack([T[0][ids[0]], T[1][ids[1]]]))
    assert np.array_equal(tf.gather(X, ids, batch_dims=-1), np.take_along_axis(X, ids, 1))


def test_gather_outside_of_the_axis_is_both_errors():
    for error in (IndexError, InvalidArgumentError):
        with pytest.raises(error, match=r"indices\[1\] = 7 is not in \[0, 3\)"):
            tf.gather([1, 2, 3], [0, 7])
    with pytest.raises(InvalidArgumentError, match="Negative indices do not count from the end"):
        tf.gather([1, 2, 3], -1)
    with pytest.raises(TypeError, match="indices must be integers"):
        tf.gather([1, 2, 3], [1.0])


def test_index_tuples_that_do_not_fit_say_so():
    with pytest.raises(InvalidArgumentError, match=r"indices\[0\] = \[2, 0\] does not index into"):
        tf.gather_nd(X, [[2, 0]])
    with pytest.raises(InvalidArgumentError, match="index innermost dimension length must be <="):
        tf.gather_nd(X, [[0, 0, 0]])
    with pytest.raises(InvalidArgumentError, match=r"name slices of shape \(1,\)"):
        tf.scatter_nd([[0]], [1.0, 2.0], [3])


def test_scattered_minima_share_the_gradient_of_ties():
    t, u = tf.constant([3.0, 1.0]), tf.constant([3.0, 0.0])
    with tf.GradientTape() as tape:
        tape.watch([t, u])
        y = tf.tensor_scatter_nd_min(t, [[0], [1]], u)
    assert y.numpy().tolist() == [3.0, 0.0]
    assert [g.numpy().tolist() for g in tape.gradient(y, [t, u])] == [[0.5, 0.0], [0.5, 1.0]]


def test_boolean_mask_takes_masks_of_several_axes():
    mask = T[:, :, 0] > 5
    assert np.array_equal(tf.boolean_mask(T, mask), T[mask])
    assert np.array_equal(tf.boolean_mask(T, [True, False, True], axis=1), T[:, [0, 2]])
    with pytest.raises(ValueError, match=r"Shapes \(2,\) and \(3,\) are incompatible"):
        tf.boolean_mask(X, [True, False, True])


def test_embedding_rows_can_be_clipped_to_a_norm():
    found = tf.nn.embedding_lookup([[3.0, 4.0], [0.3, 0.4]], [0, 1], max_norm=1.0)
    np.testing.assert_allclose(found, [[0.6, 0.8], [0.3, 0.4]], rtol=1e-6)


def test_one_hot_has_the_dtype_of_its_values():
    assert tf.one_hot([1], 2).dtype == tf.float32
    assert tf.one_hot([1], 2, on_value=True, off_value=False).numpy().tolist() == [[False, True]]
    assert tf.one_hot([1], 2, dtype=tf.int32).dtype == tf.int32
    with pytest.raises(TypeError, match="dtype of on_value and off_value must match"):
        tf.one_hot([1], 2, on_value=1, off_value=0.0)


def test_sorting_keeps_the_order_of_equal_elements():
    x = [2.0, 1.0, 2.0, 1.0]
    assert tf.argsort(x).numpy().tolist() == [1, 3, 0, 2]
    assert tf.argsort(x, direction="DESCENDING").numpy().tolist() == [0, 2, 1, 3]
    assert tf.sort(X, axis=0, direction="DESCENDING").numpy().tolist() == X[::-1].tolist()
    assert tf.argsort(x).dtype == tf.int32


def test_sorting_unsigned_and_smallest_integers_downwards_is_right():
    x = np.array([0, 255, 7], np.uint8)
    assert tf.argsort(x, direction="DESCENDING").numpy().tolist() == [1, 2, 0]
    y = np.array([-128, 5], np.int8)
    assert tf.sort(y, direction="DESCENDING").numpy().tolist() == [5, -128]


def test_no_gradient_comes_through_the_integers_that_an_op_gives_beside_its_numbers():
    x = tf.Variable([[4.0, 3.0], [6.0, 3.0]])
    with tf.GradientTape(persistent=True) as tape:
        best = tf.math.top_k(x, k=1)
        places = tf.reduce_sum(tf.cast(best.indices, tf.float32))
        order = tf.reduce_sum(tf.cast(tf.linalg.lu(x)[1], tf.float32))
        both = places + tf.reduce_sum(best.values)
    # TensorFlow gives None for both; zeros would say that there is a path.
    assert tape.gradient([places, order], x) is None
    assert tape.gradient(both, x).numpy().tolist() == [[1.0, 0.0], [1.0, 0.0]]


def test_top_k_gives_a_named_pair_and_of_equal_elements_the_first():
    found = tf.math.top_k([1.0, 3.0, 3.0], k=1)
    assert found.values.numpy().tolist() == [3.0]
    assert found.indices.numpy().tolist() == [1]
    with pytest.raises(
        InvalidArgumentError, match="input must have at least k columns. Had 3, needed 4"
    ):
        tf.math.top_k([1.0, 3.0, 3.0], k=4)


def test_unique_keeps_the_order_of_appearance():
    y, idx, count = tf.unique_with_counts([3, 1, 3, 2])
    assert y.numpy().tolist() == [3, 1, 2]
    assert idx.numpy().tolist() == [0, 1, 0, 2]
    assert count.numpy().tolist() == [2, 1, 1]
    assert tf.unique([1], out_idx=tf.int64).idx.dtype == tf.int64


def test_searching_and_inverting():
    assert tf.searchsorted([1.0, 3.0], [3.0], side="right").numpy().tolist() == [2]
    assert tf.math.invert_permutation([2, 0, 1]).numpy().tolist() == [1, 2, 0]
    with pytest.raises(InvalidArgumentError, match="is not a permutation"):
        tf.math.invert_permutation([0, 0])
    with pytest.raises(ValueError, match="direction"):
        tf.sort([1], direction="UP")


def test_creation_has_tensorflow_s_dtypes():
    assert tf.zeros([2]).dtype == tf.float32
    assert tf.zeros(3, tf.bool).numpy().tolist() == [False] * 3
    assert tf.zeros([1], tf.string).numpy().tolist() == [b""]
    assert tf.ones([]).shape == ()
    assert tf.ones_like([1, 2]).dtype == tf.int32
    assert tf.eye(2, 3, batch_shape=[4]).shape == (4, 2, 3)
    assert tf.zeros(tf.shape(X)).shape == (2, 3)


def test_fill_takes_a_vector_of_one_element_as_tensorflow_does():
    assert tf.fill([2], [1]).numpy().tolist() == [1, 1]
    assert tf.fill([], [1.0]).shape == ()
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be a scalar"):
        tf.fill([2], [[1]])


def test_fill_passes_gradients_to_its_value():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.fill(tf.constant([2, 2]), x)
    assert float(tape.gradient(y, x)) == 4.0


def test_range_takes_the_widest_dtype_of_its_ends():
    assert tf.range(5, 0, -2).numpy().tolist() == [5, 3, 1]
    assert tf.range(4).dtype == tf.int32
    assert tf.range(0, 1, 0.25).numpy().tolist() == [0, 0.25, 0.5, 0.75]
    assert tf.range(tf.constant(3, tf.int64)).dtype == tf.int64
    assert tf.range(3, dtype=tf.float64).dtype == tf.float64
    with pytest.raises(InvalidArgumentError, match="Requires start <= limit when delta > 0"):
        tf.range(3, 0)


def test_linspace_has_both_ends_and_broadcasts():
    assert tf.linspace([0.0, 10.0], [1.0, 20.0], 3).numpy().tolist() == [
        [0, 10],
        [0.5, 15],
        [1, 20],
    ]
    assert tf.linspace([0.0, 10.0], 20.0, 2, axis=-1).shape == (2, 2)
    assert tf.linspace(0, 3, 4).dtype == tf.float64


def test_blocks_become_depth_or_batch_and_come_back():
    x = np.arange(64.0).reshape(1, 4, 4, 4)
    assert tf.nn.space_to_depth(x, 2).shape == (1, 2, 2, 16)
    assert np.array_equal(tf.nn.depth_to_space(tf.nn.space_to_depth(x, 2), 2), x)
    blocks = tf.space_to_batch(x, [2, 2], [[0, 0], [2, 0]])
    assert blocks.shape == (4, 2, 3, 4)
    assert np.array_equal(tf.batch_to_space(blocks, [2, 2], [[0, 0], [2, 0]]), x)
    assert np.array_equal(tf.space_to_batch(x, [2, 2], [[0, 0], [0, 0]])[1], x[0, ::2, 1::2])


def test_strings_move_like_numbers():
    words = tf.constant(["b", "a"])
    assert tf.gather(words, 1).numpy() == b"a"
    assert tf.reshape(words[:1], []).numpy() == b"b"
    assert tf.concat([words, ["c"]], 0).numpy().tolist() == [b"b", b"a", b"c"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="no order"):
        tf.sort(words)


def test_a_size_that_is_not_known_yet_says_that_shapes_are_static():
    with pytest.raises(TypeError, match="reshape: shape is .* no value yet.*shapes are static"):
        tf.vectorized_map(lambda n: tf.reshape(tf.ones([2]), [n]), tf.constant([2, 2]))


def test_static_arguments_may_be_constants_of_a_graph():
    @tf.function
    def f(x):
        picked = tf.boolean_mask(x, [True, False, True])
        padded = tf.pad(picked, tf.constant([[1, 0]]), constant_values=tf.constant(9.0))
        shape = tf.stack([tf.constant(1), tf.size(padded)])
        return tf.reshape(padded, shape), tf.range(tf.shape(x)[0]), tf.one_hot([0], 2, on_value=3.0)

    padded, numbers, vectors = f(tf.constant([1.0, 2.0, 3.0]))
    assert padded.numpy().tolist() == [[9.0, 1.0, 3.0]]
    assert numbers.numpy().tolist() == [0, 1, 2]
    assert vectors.numpy().tolist() == [[3.0, 0.0]]


def test_what_was_partitioned_is_stitched_together_with_its_gradient():
    x, groups = tf.constant(X), [[1, 0, 1], [0, 0, 2]]
    with tf.GradientTape() as tape:
        tape.watch(x)
        parts = tf.dynamic_partition(x, groups, 3)
        places = tf.dynamic_partition(np.arange(6).reshape(2, 3), groups, 3)
        y = tf.dynamic_stitch(places, [part * part for part in parts])
    assert [len(part) for part in parts] == [3, 2, 1]
    assert np.array_equal(y, (X * X).ravel())
    assert np.array_equal(tape.gradient(y, x), 2 * X)


def test_a_partition_that_does_not_fit_says_so():
    with pytest.raises(InvalidArgumentError, match="must hold numbers from 0 to 1"):
        tf.dynamic_partition([1.0, 2.0], [0, 2], 2)
    with pytest.raises(InvalidArgumentError, match="no index is 1"):
        tf.dynamic_stitch([[0], [2]], [[1.0], [2.0]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="-1 is out of range"):
        tf.dynamic_stitch([[0], [-1]], [[1.0], [2.0]])


def test_one_tensor_alone_comes_back_from_concat_whatever_its_rank():
    assert tf.concat([3.0], 0).numpy() == 3.0
    assert tf.concat([X], axis=0).numpy().tolist() == X.tolist()


def test_plain_numbers_are_stacked_in_the_dtype_that_a_constant_of_them_has():
    assert tf.stack([1, 2.5]).numpy().tolist() == [1.0, 2.5]
    assert tf.stack([1, 2.5]).dtype == tf.float32
    assert tf.stack([]).shape == (0,)


def test_bools_and_strings_are_padded_with_false_and_nothing():
    assert tf.pad([True], [[1, 1]]).numpy().tolist() == [False, True, False]
    assert tf.pad(["a"], [[1, 0]]).numpy().tolist() == [b"", b"a"]
    with pytest.raises(ValueError, match="requested dtype int32 for Tensor with dtype float32"):
        tf.pad([1], [[1, 1]], constant_values=tf.constant(1.5))


def test_a_mask_of_numbers_is_true_where_they_are_not_zero():
    assert tf.boolean_mask([10, 20, 30], [1, 0, 2]).numpy().tolist() == [10, 30]


def test_an_axis_may_be_sampled_at_no_place_at_all():
    assert tf.linspace(0.0, 1.0, 0).shape == (0,)
    assert tf.linspace([0.0, 1.0], 2.0, 0, axis=-1).shape == (2, 0)
    assert tf.one_hot([1], 0).shape == (1, 0)


@pytest.mark.parametrize("mode", ["CONSTANT", "REFLECT", "SYMMETRIC"])
def test_a_scalar_has_no_axes_to_pad(mode):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.pad(x, tf.zeros([0, 2], tf.int32), mode)
    assert float(y) == 3.0
    assert float(tape.gradient(y, x)) == 1.0


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_stacking_tensors_of_different_ranks_says_which_differ(axis):
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\(2, 2\) != values\[1\].*\(2,\)"):
        tf.stack([tf.ones((2, 2)), tf.ones(2)], axis)


def test_a_range_takes_ends_of_one_element():
    assert tf.range(tf.constant([3])).numpy().tolist() == [0, 1, 2]
    assert tf.range(tf.constant([1.0]), 2.0, [0.5]).numpy().tolist() == [1.0, 1.5]
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be scalars"):
        tf.range([1, 2])
