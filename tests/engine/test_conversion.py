"""From Python and NumPy values to tensors: the dtypes and the refusals of TensorFlow's eager mode.

Expected values follow its converters (tensorflow/python/lib/core/py_seq_tensor.cc) and its own
tests (`constant_op_eager_test.py`, `tensor_test.py`).
"""

import numpy as np
import pytest

import minitape as tf


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        ([np.int64(1), np.int64(2)], "int32"),
        ([np.array([1, 2]), np.array([3, 4])], "int32"),
        ([1, np.int64(2**40)], "int64"),
        ([np.float32(1), np.float64(2)], "float32"),
        ([np.float64(1), 2.0], "float64"),
        ([1.0, np.float64(2)], "float32"),
        ([np.float16(1), 2.0], "float16"),
        ([np.complex64(1), 2.0], "complex128"),
        ([1, True], "int32"),
        ([1.0, True], "float32"),
        ([np.bool_(True), False], "bool"),
        (np.int64(1), "int64"),
    ],
)
def test_the_first_number_of_a_list_decides_its_dtype(value, dtype):
    assert tf.constant(value).dtype.name == dtype


@pytest.mark.parametrize("value", [[True, 1], [True, 1.0], [1, 2j], [1.0, 2j], [[1.0], [2j]]])
def test_a_list_that_starts_narrower_than_it_goes_on_is_refused(value):
    with pytest.raises(ValueError, match="Can't convert Python sequence with mixed types"):
        tf.constant(value)


def test_a_mixed_list_is_taken_where_the_dtype_holds_it_all():
    assert tf.constant([1.0, 2j], tf.complex128).numpy().tolist() == [1, 2j]
    assert tf.constant([2j, 1.0], tf.complex64).numpy().tolist() == [2j, 1]


@pytest.mark.parametrize(
    ("value", "dtype", "wrapped"),
    [(300, "uint8", 44), (-1, "uint8", 255), (2**31, "int32", -(2**31)), (200, "int8", -56)],
)
def test_integers_wrap_around_in_a_narrower_dtype(value, dtype, wrapped):
    assert int(tf.constant(value, dtype)) == wrapped


def test_integers_beyond_64_bits_are_refused_unless_a_float_holds_them():
    for value, dtype in ((2**63, tf.int64), (2**72, None), (10**310, tf.float64)):
        with pytest.raises(ValueError, match="out-of-range integer"):
            tf.constant(value, dtype)
    assert float(tf.constant(2**72, tf.float64)) == 2.0**72
    assert int(tf.constant(2**64 - 1, tf.uint64)) == 2**64 - 1


def test_a_truth_value_counts_as_a_number_only_where_a_dtype_asks():
    for dtype in ("float16", "float32", "float64", "int32", "int64", "complex128"):
        assert tf.constant(True, dtype).numpy() == 1
    for dtype in ("int8", "uint8", "complex64"):
        with pytest.raises(TypeError, match="Cannot convert True to EagerTensor"):
            tf.constant(True, dtype)
    with pytest.raises(TypeError, match="Cannot convert 1 to EagerTensor of dtype bool"):
        tf.constant(1, tf.bool)


def test_a_float_beyond_float32_is_refused_without_a_dtype():
    for value in (1e39, [1.0, -1e300]):
        with pytest.raises(ValueError, match="value out of range for a double-precision float"):
            tf.constant(value)
    assert tf.constant(1e39, tf.float32).numpy() == np.inf
    assert tf.constant(1e39, tf.float64).numpy() == 1e39
    assert tf.constant([np.inf, 1.0]).numpy().tolist() == [np.inf, 1.0]


def test_a_numpy_array_is_cast_to_any_dtype_that_is_asked_for():
    assert tf.constant(np.array([1.7, -1.7]), tf.int32).numpy().tolist() == [1, -1]
    assert tf.constant(np.array([0, 3]), tf.bool).numpy().tolist() == [False, True]
    assert tf.constant(np.array([1 + 2j]), tf.float32).numpy().tolist() == [1.0]
    assert tf.convert_to_tensor(np.float64(2.5), dtype=tf.int64).numpy() == 2


def test_a_numpy_array_takes_the_dtype_of_the_tensor_beside_it():
    assert (tf.constant([1, 2]) + np.array([1.5, 2.5])).numpy().tolist() == [2, 4]
    assert (np.float64(2.5) * tf.constant(3)).numpy() == 6


def test_numbers_and_texts_are_never_taken_for_each_other():
    for value, dtype in ((np.array(["a"]), tf.float32), (np.array([1.0]), tf.string)):
        with pytest.raises(TypeError, match="Cannot convert array"):
            tf.constant(value, dtype)


def test_a_constant_of_a_tensor_keeps_its_dtype():
    x = tf.constant([1.0])
    assert tf.constant(x, dtype="float32").numpy().tolist() == [1.0]
    with pytest.raises(TypeError, match="dtype float64, but got dtype float32"):
        tf.constant(x, dtype=tf.float64)


def test_a_constant_takes_no_list_of_tensors_which_would_cut_the_gradient():
    x = tf.constant(2.0)
    for value in ([x, 1.0], [[1.0], [x]], (tf.Variable(1.0),)):
        with pytest.raises(ValueError, match="Write `tf.stack"):
            tf.constant(value)
