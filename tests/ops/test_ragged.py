"""Ragged tensors: making them, looking at them, ops on them, and their gradients."""

import numpy as np
import pytest

import minitape as tf
from minitape.errors import InvalidArgumentError

ROWS = [[1.0, 2.0], [], [3.0]]
DEEP = [[[1, 2], [3]], [], [[4, 5, 6]]]


def ragged(rows=ROWS):
    return tf.ragged.constant(rows)


@pytest.mark.parametrize(
    "made",
    [
        tf.RaggedTensor.from_row_splits([1.0, 2.0, 3.0], [0, 2, 2, 3]),
        tf.RaggedTensor.from_row_lengths([1.0, 2.0, 3.0], [2, 0, 1]),
        tf.RaggedTensor.from_row_starts([1.0, 2.0, 3.0], [0, 2, 2]),
        tf.RaggedTensor.from_row_limits([1.0, 2.0, 3.0], [2, 2, 3]),
        tf.RaggedTensor.from_value_rowids([1.0, 2.0, 3.0], [0, 0, 2]),
        tf.RaggedTensor.from_tensor([[1.0, 2.0], [0.0, 0.0], [3.0, 0.0]], padding=0.0),
        tf.RaggedTensor.from_tensor([[1.0, 2.0], [0.0, 0.0], [3.0, 0.0]], lengths=[2, 0, 1]),
        tf.ragged.stack([[1.0, 2.0], tf.zeros([0]), [3.0]]),
    ],
)
def test_every_way_to_describe_the_rows_gives_the_same(made):
    assert made.to_list() == ROWS
    assert made.row_splits.numpy().tolist() == [0, 2, 2, 3]


def test_a_ragged_tensor_knows_its_rows():
    r = ragged()
    assert r.shape == (3, None)
    assert r.dtype == tf.float32
    assert int(r.nrows()) == len(r) == 3
    assert r.row_lengths().numpy().tolist() == [2, 0, 1]
    assert r.value_rowids().numpy().tolist() == [0, 0, 2]
    assert r.row_starts().numpy().tolist() == [0, 2, 2]
    assert r.row_limits().numpy().tolist() == [2, 2, 3]
    assert r.bounding_shape().numpy().tolist() == [3, 2]
    assert r.row_splits.dtype == tf.int64
    assert repr(r) == "<tf.RaggedTensor [[1.0, 2.0], [], [3.0]]>"


def test_rows_of_rows_are_ragged_twice():
    r = ragged(DEEP)
    assert r.ragged_rank == 2
    assert r.shape == (3, None, None)
    assert r.values.to_list() == [[1, 2], [3], [4, 5, 6]]
    assert r.flat_values.numpy().tolist() == [1, 2, 3, 4, 5, 6]
    assert [s.numpy().tolist() for s in r.nested_row_splits] == [[0, 2, 2, 3], [0, 2, 3, 6]]
    assert r.row_lengths(axis=2).to_list() == [[2, 1], [], [3]]
    assert r.to_list() == DEEP
    rebuilt = tf.RaggedTensor.from_nested_row_splits(r.flat_values, r.nested_row_splits)
    assert rebuilt.to_list() == DEEP


def test_items_may_have_a_shape_of_their_own():
    r = tf.ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1)
    assert r.shape == (2, None, 2)
    assert r.to_tensor().shape == (2, 2, 2)


def test_numbers_at_different_depths_cannot_be_rows():
    with pytest.raises(ValueError, match="all scalar values must have the same nesting depth"):
        tf.ragged.constant([[1, 2], 3])


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: tf.RaggedTensor.from_row_splits([1], [1, 1]), "must start with 0"),
        (lambda: tf.RaggedTensor.from_row_splits([1], [0, 2]), "hold 2 items, but there are 1"),
        (lambda: tf.RaggedTensor.from_row_lengths([1], [-1, 2]), "must be at least 0"),
        (lambda: tf.RaggedTensor.from_value_rowids([1, 2], [1, 0]), "must not decrease"),
    ],
)
def test_rows_that_do_not_fit_the_values_say_so(call, match):
    with pytest.raises(InvalidArgumentError, match=match):
        call()


def test_filling_up_cuts_and_pads():
    r = ragged()
    assert r.to_tensor().numpy().tolist() == [[1, 2], [0, 0], [3, 0]]
    assert r.to_tensor(-1.0, shape=[None, 1]).numpy().tolist() == [[1], [-1], [3]]
    assert r.to_tensor(shape=[2, 3]).numpy().tolist() == [[1, 2, 0], [0, 0, 0]]


def test_a_ragged_tensor_is_indexed_by_rows_and_sliced_in_them():
    r = ragged()
    assert r[0].numpy().tolist() == [1.0, 2.0]
    assert float(r[-1, 0]) == 3.0
    assert r[1:].to_list() == [[], [3.0]]
    assert r[::2].to_list() == [[1.0, 2.0], [3.0]]
    assert r[:, :1].to_list() == [[1.0], [], [3.0]]
    assert r[:, ::-1].to_list() == [[2.0, 1.0], [], [3.0]]
    assert r[:, tf.newaxis].shape == (3, None, None)
    assert [row.numpy().tolist() for row in r] == ROWS
    assert ragged(DEEP)[:, :, 1:].to_list() == [[[2], []], [], [[5, 6]]]
    assert ragged(DEEP)[0, 0].numpy().tolist() == [1, 2]


def test_an_index_into_rows_of_different_lengths_says_what_to_write():
    with pytest.raises(ValueError, match="Cannot index into an inner ragged dimension.*to_tensor"):
        ragged()[:, 0]
    with pytest.raises(IndexError, match="the ragged tensor has 3 rows"):
        ragged()[3]


def test_elementwise_ops_work_on_the_values():
    r = ragged()
    assert (r + 1.0).to_list() == [[2.0, 3.0], [], [4.0]]
    assert (2.0 - r).to_list() == [[1.0, 0.0], [], [-1.0]]
    assert (r * r).to_list() == [[1.0, 4.0], [], [9.0]]
    assert (r > 1.5).to_list() == [[False, True], [], [True]]
    assert (-r).to_list() == [[-1.0, -2.0], [], [-3.0]]
    assert tf.cast(r, tf.int32).to_list() == [[1, 2], [], [3]]
    assert tf.math.sqrt(r * r).to_list() == ROWS


def test_a_number_for_each_row_is_spread_over_it():
    r = ragged()
    assert (r * [[10.0], [20.0], [30.0]]).to_list() == [[10.0, 20.0], [], [90.0]]
    assert (ragged(DEEP) * tf.constant([[[1]], [[2]], [[3]]])).to_list()[2] == [[12, 15, 18]]
    assert (tf.ragged.constant([[1, 2], [3, 4]]) + [10, 20]).to_list() == [[11, 22], [13, 24]]


def test_rows_of_different_lengths_do_not_add():
    with pytest.raises(InvalidArgumentError, match="identical ragged splits.*tf.newaxis"):
        ragged() + ragged([[1.0], [2.0], []])
    with pytest.raises(InvalidArgumentError, match="Unable to broadcast"):
        ragged() + [1.0, 2.0, 3.0]


def test_reductions_know_the_rows():
    r = ragged()
    assert float(tf.reduce_sum(r)) == 6.0
    assert tf.reduce_sum(r, axis=1).numpy().tolist() == [3.0, 0.0, 3.0]
    assert tf.reduce_sum(r, axis=-1, keepdims=True).shape == (3, 1)
    assert tf.reduce_sum(r, axis=0).numpy().tolist() == [4.0, 2.0]
    assert tf.reduce_prod(r, axis=1).numpy().tolist() == [2.0, 1.0, 3.0]
    assert tf.reduce_max(r, axis=1).numpy()[[0, 2]].tolist() == [2.0, 3.0]
    assert tf.reduce_min(-r, axis=1).numpy()[[0, 2]].tolist() == [-2.0, -3.0]
    mean = tf.reduce_mean(r, axis=1).numpy()
    assert mean[[0, 2]].tolist() == [1.5, 3.0]
    assert np.isnan(mean[1])
    assert float(tf.reduce_mean(r, axis=[0, 1])) == 2.0
    assert tf.reduce_any(r > 2.5, axis=1).numpy().tolist() == [False, False, True]
    assert tf.reduce_sum(ragged(DEEP), axis=2).to_list() == [[3, 3], [], [15]]


def test_rows_are_joined_and_chosen():
    r, s = ragged(), ragged([[5.0], [6.0], []])
    assert tf.concat([r, s], axis=0).to_list() == ROWS + [[5.0], [6.0], []]
    assert tf.concat([r, s], axis=1).to_list() == [[1.0, 2.0, 5.0], [6.0], [3.0]]
    assert tf.concat([r, [[7.0], [8.0], [9.0]]], axis=-1).to_list() == [
        [1.0, 2.0, 7.0],
        [8.0],
        [3.0, 9.0],
    ]
    assert tf.stack([r, s]).to_list() == [ROWS, [[5.0], [6.0], []]]
    assert tf.gather(r, [2, 0]).to_list() == [[3.0], [1.0, 2.0]]
    assert tf.gather(tf.constant([10, 20]), tf.ragged.constant([[0], [1, 1]])).to_list() == [
        [10],
        [20, 20],
    ]
    assert tf.ragged.boolean_mask(r, [True, False, True]).to_list() == [[1.0, 2.0], [3.0]]
    assert tf.boolean_mask(r, r > 1.5).to_list() == [[2.0], [], [3.0]]
    assert tf.expand_dims(r, 0).shape == (1, None, None)


def test_map_flat_values_keeps_the_rows():
    assert tf.ragged.map_flat_values(lambda x: x * 2.0, ragged()).to_list() == [
        [2.0, 4.0],
        [],
        [6.0],
    ]
    with pytest.raises(ValueError, match="same outer-dimension"):
        tf.ragged.map_flat_values(tf.reduce_sum, ragged())


def test_ragged_ranges_and_row_ids():
    assert tf.ragged.range([3, 0, 2]).to_list() == [[0, 1, 2], [], [0, 1]]
    assert tf.ragged.range([1, 5], [4, 5]).to_list() == [[1, 2, 3], []]
    assert tf.ragged.row_splits_to_segment_ids([0, 2, 2, 3]).numpy().tolist() == [0, 0, 2]
    assert tf.ragged.segment_ids_to_row_splits([0, 0, 2]).numpy().tolist() == [0, 2, 2, 3]


@pytest.mark.parametrize(
    "call",
    [
        tf.transpose,
        tf.cumsum,
        tf.convert_to_tensor,
        lambda r: tf.reshape(r, [3]),
        lambda r: tf.pad(r, [[0, 1], [0, 1]]),
    ],
)
def test_an_op_without_a_meaning_for_rows_says_what_to_write(call):
    with pytest.raises(TypeError, match="an op on a ragged list.*to_tensor.*map_flat_values"):
        call(ragged())


def test_the_gradient_with_respect_to_a_ragged_tensor_is_ragged():
    r = ragged()
    with tf.GradientTape() as tape:
        tape.watch(r)
        y = r * r
    found = tape.gradient(y, r)
    assert isinstance(found, tf.RaggedTensor)
    assert found.to_list() == [[2.0, 4.0], [], [6.0]]


def test_gradients_flow_through_rows_slices_and_reductions():
    v = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        r = tf.RaggedTensor.from_row_lengths(v, [2, 0, 1])
        y = tf.reduce_sum(tf.reduce_sum(r, axis=1) ** 2) + tf.reduce_sum(
            tf.concat([r, r], 1)[:, 1:]
        )
    assert tf.convert_to_tensor(tape.gradient(y, v)).numpy().tolist() == [6 + 1, 6 + 2, 6 + 1]


def test_the_gradient_of_row_maxima_goes_to_the_largest():
    r = ragged()
    with tf.GradientTape() as tape:
        tape.watch(r)
        y = tf.reduce_max(r, axis=1)
    assert tape.gradient(y, r).to_list() == [[0.0, 1.0], [], [1.0]]


def test_an_unconnected_ragged_source_has_no_gradient_or_zeros():
    r = ragged()
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(r)
        y = tf.constant(1.0) * 2.0
    assert tape.gradient(y, r) is None
    assert tape.gradient(y, r, unconnected_gradients="zero").to_list() == [[0.0, 0.0], [], [0.0]]


def test_nests_see_a_ragged_tensor_as_one_or_as_its_parts():
    r = ragged()
    assert tf.nest.flatten({"a": r})[0] is r
    parts = tf.nest.flatten(r, expand_composites=True)
    assert [p.numpy().tolist() for p in parts] == [[1.0, 2.0, 3.0], [0, 2, 2, 3]]
    assert tf.nest.pack_sequence_as(r, parts, expand_composites=True).to_list() == ROWS


def test_what_is_like_a_ragged_tensor_is_ragged():
    assert tf.zeros_like(ragged()).to_list() == [[0.0, 0.0], [], [0.0]]
    assert tf.ones_like(ragged(), dtype=tf.int32).to_list() == [[1, 1], [], [1]]
    assert int(tf.size(ragged())) == 3


def test_a_ragged_tensor_has_no_truth_value():
    with pytest.raises(TypeError, match="may not be used as a boolean"):
        bool(ragged())


def test_a_ragged_tensor_is_a_numpy_array_of_rows():
    found = ragged().numpy()
    assert found.dtype == object
    assert found[0].tolist() == [1.0, 2.0]
    assert tf.ragged.constant([[1, 2], [3, 4]]).numpy().tolist() == [[1, 2], [3, 4]]


def test_variance_and_deviation_of_rows():
    r = ragged([[1.0, 3.0], [5.0]])
    assert tf.math.reduce_variance(r, axis=1).numpy().tolist() == [1.0, 0.0]
    assert float(tf.math.reduce_std(r)) == pytest.approx(np.std([1, 3, 5]))


def test_ops_along_the_rows_fill_them_up_and_cut_them_again():
    r = ragged()
    assert tf.cumsum(r, axis=1).to_list() == [[1.0, 3.0], [], [3.0]]
    assert tf.cumsum(r, axis=1, reverse=True).to_list() == [[3.0, 2.0], [], [3.0]]
    weights = np.exp([1.0, 2.0]) / np.exp([1.0, 2.0]).sum()
    np.testing.assert_allclose(tf.nn.softmax(r)[0], weights, rtol=1e-6)
    assert tf.add_n([r, r, r]).to_list() == [[3.0, 6.0], [], [9.0]]


def test_the_gradient_of_row_softmax_knows_nothing_of_the_filling():
    r = ragged()
    with tf.GradientTape() as tape:
        tape.watch(r)
        y = tf.nn.softmax(r) * r
    s = np.exp([1.0, 2.0]) / np.exp([1.0, 2.0]).sum()
    expected = s + s * (np.array([1.0, 2.0]) - s @ [1.0, 2.0])
    found = tape.gradient(y, r)
    np.testing.assert_allclose(found[0], expected, rtol=1e-5)
    np.testing.assert_allclose(found[2], [1.0], rtol=1e-6)


def test_a_ragged_constant_of_a_number_is_a_scalar_tensor():
    assert tf.ragged.constant(3).shape == ()
    assert tf.ragged.constant(2.5, tf.float64).dtype == tf.float64
    with pytest.raises(ValueError, match="unsupported type"):
        tf.ragged.constant(None)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, [0, 1]])
def test_a_new_axis_of_size_1_can_be_left_out_again(axis):
    x = ragged()
    for each in axis if isinstance(axis, list) else [axis]:
        x = tf.expand_dims(x, each)
    assert tf.squeeze(x, axis).to_list() == ROWS


def test_an_axis_within_the_rows_can_be_left_out():
    x = tf.RaggedTensor.from_row_lengths(tf.ones([3, 1, 2]), [2, 1])
    assert tf.squeeze(x, 2).shape == (2, None, 2)
    assert tf.squeeze(ragged(), []).to_list() == ROWS


@pytest.mark.parametrize(
    ("axis", "error", "match"),
    [
        (None, ValueError, "must have an axis argument"),
        (0, InvalidArgumentError, r"\(axis = 0\) is not squeezable"),
        (1, InvalidArgumentError, r"\(axis = 1\) is not squeezable"),
    ],
)
def test_an_axis_of_another_size_cannot_be_left_out(axis, error, match):
    with pytest.raises(error, match=match):
        tf.squeeze(ragged(), axis)


# What stands for DEEP with axes as one, and for uniform values (3, 2, 2) in rows of 2 and 1.
@pytest.mark.parametrize(
    ("axes", "expected"),
    [
        ((0, 1), [[1, 2], [3], [4, 5, 6]]),
        ((1, 2), [[1, 2, 3], [], [4, 5, 6]]),
        ((-2, -1), [[1, 2, 3], [], [4, 5, 6]]),
        ((1, 1), DEEP),
        ((0, 2), [1, 2, 3, 4, 5, 6]),
    ],
)
def test_axes_are_merged_to_one(axes, expected):
    found = ragged(DEEP).merge_dims(*axes)
    assert (found.to_list() if hasattr(found, "to_list") else found.numpy().tolist()) == expected


@pytest.mark.parametrize(
    ("axes", "expected"),
    [
        ((1, 2), [[[0, 1], [2, 3], [4, 5], [6, 7]], [[8, 9], [10, 11]]]),
        ((2, 3), [[[0, 1, 2, 3], [4, 5, 6, 7]], [[8, 9, 10, 11]]]),
        ((1, 3), [[0, 1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11]]),
    ],
)
def test_uniform_axes_are_merged_with_the_rows(axes, expected):
    x = tf.RaggedTensor.from_row_lengths(tf.reshape(tf.range(12), [3, 2, 2]), [2, 1])
    assert x.merge_dims(*axes).to_list() == expected


@pytest.mark.parametrize(
    ("axes", "match"), [((2, 1), "less than or equal to inner_axis"), ((1, 3), "out of bounds")]
)
def test_axes_that_cannot_be_merged_are_named(axes, match):
    with pytest.raises(ValueError, match=match):
        ragged(DEEP).merge_dims(*axes)


def test_the_gradient_of_merged_axes_has_the_rows_of_the_source():
    x = tf.ragged.constant([[[1.0, 2.0], [3.0]], [[4.0]]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.reduce_sum(tf.squeeze(x.merge_dims(1, 2)[None], 0), 1) ** 2)
    assert tape.gradient(y, x).to_list() == [[[12.0, 12.0], [12.0]], [[8.0]]]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (tf.strings.length, [[4, 2], [], [1]]),
        (tf.strings.upper, [[b" AB ", b"X1"], [], [b"1"]]),
        (tf.strings.lower, [[b" ab ", b"x1"], [], [b"1"]]),
        (tf.strings.strip, [[b"ab", b"x1"], [], [b"1"]]),
        (lambda x: tf.strings.substr(x, 0, 1), [[b" ", b"x"], [], [b"1"]]),
        (lambda x: tf.strings.regex_replace(x, "1", "y"), [[b" ab ", b"xy"], [], [b"y"]]),
        (lambda x: tf.strings.regex_full_match(x, "x."), [[False, True], [], [False]]),
    ],
)
def test_functions_of_texts_take_ragged_rows(function, expected):
    x = tf.ragged.constant([[" ab ", "x1"], [], ["1"]])
    assert function(x).to_list() == expected


def test_a_mask_of_slices_of_an_unknown_shape_is_refused_with_what_to_give():
    slices = tf.IndexedSlices(tf.ones([2, 3]), tf.constant([0, 2]))
    with pytest.raises(ValueError, match="dense_shape"):
        tf.boolean_mask(slices, [True, False, True])
