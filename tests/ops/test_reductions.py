"""Reductions, cumulative and segment ops: what TensorFlow promises beyond the systematic checks."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import minitape as tf
from minitape.errors import InvalidArgumentError

INF = float("inf")


def gradient(f, x):
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x).numpy()


def test_reductions_take_the_argument_names_of_tensorflow():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert tf.reduce_sum(input_tensor=x, axis=[0], keepdims=True, name="s").shape == (1, 2)
    assert tf.math.reduce_max(input_tensor=x, axis=tf.constant(1)).numpy().tolist() == [2.0, 4.0]


def test_an_empty_list_of_axes_reduces_nothing():
    assert tf.reduce_sum([1.0, 2.0], axis=[]).numpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8", "float16"])
def test_sums_and_products_keep_their_dtype(dtype):
    x = tf.constant(np.array([3, 4], dtype))
    for f in (tf.reduce_sum, tf.reduce_prod, tf.reduce_max, tf.reduce_mean, tf.cumsum):
        assert f(x).dtype == dtype


def test_the_mean_of_integers_is_rounded_towards_zero():
    assert tf.reduce_mean([1, 2]).numpy() == 1
    assert tf.reduce_mean([-1, -2]).numpy() == -1


def test_the_mean_of_many_halves_does_not_overflow():
    assert tf.reduce_mean(tf.constant(np.full(100_000, 2.0, np.float16))).numpy() == 2.0


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (tf.reduce_sum, 0.0),
        (tf.reduce_prod, 1.0),
        (tf.reduce_max, -INF),
        (tf.reduce_min, INF),
        (tf.reduce_logsumexp, -INF),
        (tf.reduce_mean, np.nan),
        (tf.math.reduce_euclidean_norm, 0.0),
    ],
)
def test_reductions_of_nothing_are_their_neutral_elements(f, expected):
    np.testing.assert_equal(float(f(tf.zeros([0]))), expected)


@pytest.mark.parametrize("axis", [2, -3, [0, 5]])
def test_an_axis_that_does_not_exist_is_named(axis):
    with pytest.raises(InvalidArgumentError, match="out of range for a tensor of rank 2"):
        tf.reduce_mean([[1.0]], axis)


def test_an_axis_named_twice_is_refused():
    with pytest.raises(InvalidArgumentError, match="names an axis twice"):
        tf.reduce_sum([[1.0]], [0, -2])


def test_a_sum_of_truth_values_says_how_to_count_them():
    with pytest.raises(InvalidArgumentError, match=r"tf\.math\.count_nonzero"):
        tf.reduce_sum([True, False])
    with pytest.raises(InvalidArgumentError, match=r"tf\.cast\(x, tf\.float32\)"):
        tf.reduce_mean([True, False])


def test_reduce_all_of_numbers_says_to_compare_first():
    with pytest.raises(InvalidArgumentError, match=r"tf\.reduce_all\(x > 0\)"):
        tf.reduce_all(tf.constant([1.0]))


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        ([2.0, 0.0, 4.0], [0.0, 8.0, 0.0]),
        ([0.0, 0.0, 4.0], [0.0, 0.0, 0.0]),
        ([2.0, 3.0, 4.0], [12.0, 8.0, 6.0]),
    ],
)
def test_the_gradient_of_a_product_is_the_product_of_the_others(x, expected):
    assert gradient(tf.reduce_prod, x).tolist() == expected


def test_ties_share_the_gradient_of_an_extreme_evenly():
    assert gradient(tf.reduce_max, [1.0, 5.0, 5.0]).tolist() == [0.0, 0.5, 0.5]
    assert gradient(tf.reduce_min, [0.0, 0.0, 0.0, 4.0]).tolist() == pytest.approx(
        [1 / 3] * 3 + [0]
    )


def test_argmax_takes_the_first_of_several_and_the_output_type_asked_for():
    assert tf.argmax([1.0, 1.0]).numpy() == 0
    assert tf.argmax([1.0, 1.0]).dtype == tf.int64
    assert tf.argmin(input=[3, 1, 1], output_type=tf.int32).dtype == tf.int32


def test_argmax_along_an_empty_axis_raises():
    with pytest.raises(InvalidArgumentError, match="Reduction axis 0 is empty"):
        tf.argmax(tf.zeros([0, 2]))


def test_the_index_of_an_extreme_has_no_gradient():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.argmax(x)
    assert tape.gradient(y, x) is None


@pytest.mark.parametrize(
    ("x", "value", "slope"),
    [
        ([1000.0, 1000.0], 1000 + np.log(2), [0.5, 0.5]),
        ([-1000.0, -1000.0], -1000 + np.log(2), [0.5, 0.5]),
        ([-INF, 0.0], 0.0, [0.0, 1.0]),
        ([1000.0, 999.0], 1000 + np.log1p(np.exp(-1)), [0.73105858, 0.26894142]),
    ],
)
def test_logsumexp_is_exact_far_from_zero(x, value, slope):
    assert float(tf.reduce_logsumexp(x)) == pytest.approx(value, rel=1e-6)
    np.testing.assert_allclose(gradient(tf.reduce_logsumexp, x), slope, rtol=1e-6)


@pytest.mark.parametrize(("x", "value"), [([-INF, -INF], -INF), ([INF, 0.0], INF)])
def test_logsumexp_of_infinities_is_infinite(x, value):
    assert float(tf.reduce_logsumexp(x)) == value


def test_the_variance_of_large_numbers_close_together_keeps_its_digits():
    assert float(tf.math.reduce_variance([10000.0, 10001.0, 10002.0])) == pytest.approx(2 / 3)


def test_the_variance_of_complex_numbers_is_real():
    x = np.array([1 + 1j, 2 - 1j, 0.5j])
    out = tf.math.reduce_variance(tf.constant(x))
    assert out.dtype == tf.float64
    assert float(out) == pytest.approx(np.var(x))
    assert float(tf.math.reduce_std(tf.constant(x))) == pytest.approx(np.std(x))


def test_a_variance_of_integers_is_refused():
    with pytest.raises(TypeError, match="Input must be either real or complex"):
        tf.math.reduce_variance([1, 2])


@pytest.mark.parametrize(
    ("order", "axis"),
    [("euclidean", None), (1, 0), (2, 1), (3, 1), (2.5, 0), (np.inf, 1)],
)
def test_norms_of_vectors_equal_those_of_numpy(order, axis):
    x = np.array([[1.0, -2.0, 3.0], [4.0, 0.5, -6.0]])
    numpy_order = None if order == "euclidean" else order
    expected = np.linalg.norm(x if axis is not None else x.ravel(), numpy_order, axis)
    np.testing.assert_allclose(tf.norm(x, order, axis).numpy(), expected)


@pytest.mark.parametrize("order", ["fro", "euclidean", 1, 2, np.inf])
@pytest.mark.parametrize("keepdims", [False, True])
def test_norms_of_matrices_equal_those_of_numpy(order, keepdims):
    x = np.sin(np.arange(24.0)).reshape(2, 3, 4)
    numpy_order = "fro" if order == "euclidean" else order
    for axis in ([-2, -1], (0, 2), (2, 0)):
        expected = np.linalg.norm(x, numpy_order, tuple(axis), keepdims)
        np.testing.assert_allclose(tf.norm(x, order, axis, keepdims).numpy(), expected)


@pytest.mark.parametrize(
    ("order", "axis", "message"),
    [
        ("fro", 0, "supported vector norm"),
        (-1, 0, "supported vector norm"),
        (3, [0, 1], "supported matrix norm"),
        (1, [0, 0], "tuple of 2 unique integers"),
        (1, [0, 1, 2], "tuple of 2 unique integers"),
    ],
)
def test_norms_that_do_not_exist_are_refused(order, axis, message):
    with pytest.raises(ValueError, match=message):
        tf.norm([[1.0, 2.0]], order, axis)


def test_l2_normalize_of_zeros_is_zero_with_a_finite_gradient():
    assert tf.math.l2_normalize([0.0, 0.0]).numpy().tolist() == [0.0, 0.0]
    assert np.isfinite(gradient(tf.math.l2_normalize, [0.0, 0.0])).all()


def test_a_cumulative_product_with_zeros_has_an_exact_gradient():
    x = np.array([2.0, 0.0, 3.0, 0.0, 4.0])
    # d/dx of x0 + x0 x1 + x0 x1 x2 + ... by hand
    expected = [1.0, 2 * (1 + 3.0), 0.0, 0.0, 0.0]
    np.testing.assert_allclose(gradient(tf.math.cumprod, x), expected)


@pytest.mark.parametrize(
    ("reverse", "values", "slopes"),
    [(False, [-np.inf, 1.0, 2.3132617], [1.2689414, 0.73105854, 0.0]),
     (True, [3.3132617, 3.0, -np.inf], [0.0, 0.2689414, 1.7310588])],
)  # fmt: skip
def test_an_exclusive_logsumexp_of_nothing_is_minus_infinity(reverse, values, slopes):
    f = functools.partial(tf.math.cumulative_logsumexp, exclusive=True, reverse=reverse)
    np.testing.assert_allclose(f([1.0, 2.0, 3.0]), values, rtol=1e-6)
    np.testing.assert_allclose(gradient(f, [1.0, 2.0, 3.0]), slopes, rtol=1e-6)


def test_sorted_segments_say_which_order_they_need():
    with pytest.raises(InvalidArgumentError, match="segment ids are not increasing"):
        tf.math.segment_sum([1.0, 2.0], [1, 0])


def test_an_id_beyond_the_number_of_segments_is_refused():
    with pytest.raises(InvalidArgumentError, match=r"out of range \[0, 2\)"):
        tf.math.unsorted_segment_sum([1.0, 2.0], [0, 2], 2)


def test_ids_have_to_match_the_rows():
    with pytest.raises(InvalidArgumentError, match="Every row of the data needs one id"):
        tf.math.segment_sum([1.0, 2.0], [0])


def test_negative_ids_are_left_out():
    out = tf.math.unsorted_segment_sum([1.0, 2.0, 4.0], [0, -1, 0], 1)
    assert out.numpy().tolist() == [5.0]


def test_ids_of_higher_rank_number_elements_of_leading_axes():
    out = tf.math.unsorted_segment_sum([[1.0, 2.0], [4.0, 8.0]], [[0, 1], [1, 0]], 2)
    assert out.numpy().tolist() == [9.0, 6.0]


def test_empty_segments_are_what_tensorflow_says():
    x, ids = [1.0, 2.0], [0, 2]
    assert tf.math.segment_max(x, ids).numpy().tolist() == [1.0, 0.0, 2.0]
    assert tf.math.segment_mean(x, ids).numpy().tolist() == [1.0, 0.0, 2.0]
    assert tf.math.segment_prod(x, ids).numpy().tolist() == [1.0, 1.0, 2.0]
    assert tf.math.unsorted_segment_max(x, ids, 3).numpy()[1] == np.finfo(np.float32).min


def test_the_product_of_a_segment_has_an_exact_gradient_at_zero():
    g = gradient(lambda x: tf.math.segment_prod(x, [0, 0, 1]), [0.0, 3.0, 5.0])
    assert g.tolist() == [3.0, 0.0, 1.0]


def test_sparse_segments_take_rows_first():
    out = tf.sparse.segment_mean([[1.0], [3.0], [9.0]], [2, 0, 1], [0, 0, 1])
    assert out.numpy().tolist() == [[5.0], [3.0]]


def test_bincount_counts_rows_and_weights():
    assert tf.math.bincount([[1, 1], [0, 2]], axis=-1).numpy().tolist() == [[0, 2, 0], [1, 0, 1]]
    assert tf.math.bincount([1, 1], weights=[0.5, 1.0]).numpy().tolist() == [0.0, 1.5]
    assert tf.math.bincount([0, 5], minlength=2, maxlength=3).numpy().tolist() == [1, 0, 0]


def test_bincount_refuses_negative_integers():
    with pytest.raises(InvalidArgumentError, match="no bin for anything else"):
        tf.math.bincount([-1])


def test_a_histogram_puts_what_is_outside_into_the_end_bins():
    out = tf.histogram_fixed_width([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], [0.0, 5.0], nbins=5)
    assert out.numpy().tolist() == [2, 1, 1, 0, 2]


def test_a_histogram_needs_a_range_that_goes_up():
    with pytest.raises(InvalidArgumentError, match="The range has to go up"):
        tf.histogram_fixed_width([1.0], [1.0, 1.0])


def test_all_of_nothing_is_true_and_any_of_nothing_false():
    assert bool(tf.reduce_all([])) is True
    assert bool(tf.reduce_any([])) is False


def test_an_array_of_numbers_is_taken_for_truth_values_and_a_list_is_not():
    assert bool(tf.reduce_all(np.array([1, 2]))) is True
    assert tf.reduce_any(np.array([[0, 2], [0, 0]]), axis=1).numpy().tolist() == [True, False]
    with pytest.raises(TypeError):
        tf.reduce_all([1, 0])


MANY_ROWS = np.random.default_rng(5).normal(size=(4, 5, 6))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int32, np.complex64])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("layout", [np.asarray, np.asfortranarray, lambda x: x[:, ::-1, ::-1]])
def test_many_short_rows_reduce_like_any_others(dtype, keepdims, layout):
    x = layout((MANY_ROWS * 4).astype(dtype))
    options = {"axis": -1, "keepdims": keepdims}
    tolerance = 1e-2 if dtype == np.float16 else 1e-6
    found = tf.reduce_sum(x, **options)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, x.sum(dtype=dtype, **options), tolerance, tolerance)
    if np.issubdtype(dtype, np.inexact):
        mean = x.mean(**options)
        np.testing.assert_allclose(tf.reduce_mean(x, **options), mean, tolerance, tolerance)
    if dtype != np.complex64:
        np.testing.assert_array_equal(tf.reduce_max(x, **options), x.max(**options))
        np.testing.assert_array_equal(tf.reduce_min(x, **options), x.min(**options))


def test_many_short_rows_pass_nan_and_infinities_on():
    x = np.ones((16, 3), np.float32)
    x[0, 1], x[1, 0], x[2, 2], x[3, :2] = np.nan, np.inf, -np.inf, (np.inf, -np.inf)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(tf.reduce_sum(x, 1), x.sum(1))
    np.testing.assert_array_equal(tf.reduce_max(x, 1), x.max(1))
    np.testing.assert_array_equal(tf.reduce_min(x, 1), x.min(1))
    assert tf.reduce_sum(np.zeros((16, 0)), 1).numpy().tolist() == [0.0] * 16


def test_softmax_of_many_short_rows_equals_that_of_each_row():
    x = (MANY_ROWS * 10).astype(np.float32)
    e = np.exp(x - x.max(-1, keepdims=True))
    expected = e / e.sum(-1, keepdims=True)
    np.testing.assert_allclose(tf.nn.softmax(x), expected, 1e-5)
    np.testing.assert_allclose(tf.nn.log_softmax(x), np.log(expected), 1e-4, 1e-5)
    with tf.GradientTape() as tape:
        logits = tf.Variable(x)
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(np.full((4, 5), 2), logits)
    np.testing.assert_allclose(loss, -np.log(expected[..., 2]), 1e-4, 1e-5)
    np.testing.assert_allclose(tape.gradient(loss, logits), expected - np.eye(6)[2], 1e-4, 1e-5)


@pytest.mark.parametrize("size", [3, 5000])
def test_the_gradient_of_a_number_beside_a_vector_is_a_number(size):
    x, s = tf.constant(np.arange(size, dtype=np.float64)), tf.Variable(2.0, dtype=tf.float64)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(x * s)
    g = tape.gradient(y, s)
    assert isinstance(g.numpy(), np.float64)
    np.testing.assert_allclose(g.numpy(), size * (size - 1) / 2)


@pytest.mark.parametrize("shape", [(2, 3), (1, 4), (3, 1), (0, 2), (2, 0), (3, 4, 5), (70, 8, 9)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.complex64, np.float16])
@pytest.mark.parametrize("keepdims", [False, True])
def test_sums_over_the_first_axis_are_numpys(shape, dtype, keepdims):
    x = (np.random.default_rng(0).random(shape) * 8).astype(dtype)
    got = tf.reduce_sum(tf.constant(x), 0, keepdims)
    expected = x.sum(0, np.result_type(dtype, np.float64), keepdims=keepdims)
    assert got.numpy().dtype == dtype
    np.testing.assert_allclose(
        got.numpy(), expected.astype(dtype), rtol=1e-2 if dtype == np.float16 else 1e-6
    )


def test_a_confusion_matrix_counts_pairs_of_classes():
    found = tf.math.confusion_matrix([1, 2, 4], [2, 2, 4]).numpy()
    expected = np.zeros((5, 5), np.int32)
    expected[1, 2] = expected[2, 2] = expected[4, 4] = 1
    assert found.dtype == np.int32 and (found == expected).all()
    weighed = tf.math.confusion_matrix([0, 1, 1], [1, 1, 0], 2, [0.5, 1, 2], "float32")
    assert weighed.numpy().tolist() == [[0.0, 0.5], [2.0, 1.0]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of bound"):
        tf.math.confusion_matrix([0, 3], [1, 1], num_classes=2)


@pytest.mark.parametrize(
    ("values", "dtype", "mean"),
    [
        ([200, 250, 3], "uint8", 151),
        ([5] * 200, "int8", 5),
        ([30000, 30000], "int16", 30000),
        ([2**31 - 1] * 2, "int32", 2**31 - 1),
        ([-7, -8], "int8", -7),  # towards zero
    ],
)
def test_the_mean_of_small_integers_does_not_wrap_around(values, dtype, mean):
    found = tf.reduce_mean(tf.constant(np.array(values, dtype)))
    assert (int(found), found.dtype.name) == (mean, dtype)
