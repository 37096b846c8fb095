"""What gives an array is taken as one: its dtype stays, and no digit is lost."""

from __future__ import annotations

import array
import ctypes

import numpy as np
import pytest

import minitape as tf

DTYPES = [
    *("float16", "float32", "float64", "complex64", "complex128", "bool"),
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
]


class Frame:
    """An array of another library."""

    def __init__(self, values):
        self._values = values

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self._values, dtype)


class Series(Frame):
    """One with a length and items, which could be taken for a list."""

    def __len__(self):
        return len(self._values)

    def __getitem__(self, key):
        return self._values[key].item()


class Interface:
    def __init__(self, values):
        self._values, self.__array_interface__ = values, values.__array_interface__


class Struct:
    def __init__(self, values):
        self._values, self.__array_struct__ = values, values.__array_struct__


KINDS = {"Frame": Frame, "Series": Series, "Interface": Interface, "Struct": Struct}
KINDS["memoryview"] = memoryview
PLACES = {
    "constant": tf.constant,
    "convert_to_tensor": tf.convert_to_tensor,
    "Variable": lambda x: tf.Variable(x).value(),
    "identity": tf.identity,
    "dataset": lambda x: next(iter(tf.data.Dataset.from_tensors(x))),
    "rows of a dataset": lambda x: tf.stack(list(tf.data.Dataset.from_tensor_slices(x))),
    "function": lambda x: tf.function(lambda y: tf.identity(y))(x),
    "inside of a function": lambda x: tf.function(lambda: tf.constant(x))(),
    "cast to itself": lambda x: tf.cast(x, np.asarray(x).dtype),
    "reshape": lambda x: tf.reshape(x, [2, 2]),
}


@pytest.mark.parametrize("place", PLACES)
def test_the_dtype_and_every_digit_stay(place):
    wrong = []
    for dtype in DTYPES:
        values = np.array([[1, 0], [2, 3]]) / 3 if dtype[0] in "fc" else np.array([[1, 0], [2, 3]])
        values = values.astype(dtype)
        for name, kind in KINDS.items():
            out = PLACES[place](kind(values))
            if out.dtype != dtype or not np.array_equal(out.numpy(), values):
                wrong.append((dtype, name, out.dtype))
    assert wrong == []


def test_large_integers_and_long_fractions_are_not_rounded():
    assert int(tf.constant(Frame(np.array(2**53 + 1)))) == 2**53 + 1
    assert float(tf.constant(Frame(np.array(1 / 3)))) == 1 / 3


def test_buffers_of_the_standard_library_keep_their_dtype():
    for code, dtype in {"d": "float64", "f": "float32", "q": "int64", "B": "uint8"}.items():
        assert tf.constant(array.array(code, [1, 2])).dtype == dtype
    assert tf.constant((ctypes.c_double * 2)(1.5, 2.5)).numpy().tolist() == [1.5, 2.5]
    assert tf.constant((ctypes.c_double * 2)(1.5, 2.5)).dtype == "float64"


def test_a_list_of_arrays_has_the_dtype_of_its_first_one():
    for dtype in ("float64", "float16", "complex128"):
        made = tf.constant([Frame(np.ones(2, dtype)), Frame(np.zeros(2, dtype))])
        assert made.dtype == dtype and made.shape == (2, 2)


def test_a_dtype_that_is_asked_for_counts():
    assert tf.constant(Frame(np.array([1.5, 2.5])), tf.float32).dtype == tf.float32
    assert tf.constant(Frame(np.array([1.5, 2.5])), tf.int32).numpy().tolist() == [1, 2]


def test_beside_a_tensor_an_array_takes_its_dtype():
    out = tf.ones([2], tf.float32) + Frame(np.array([1.0, 2.0]))
    assert out.dtype == tf.float32 and out.numpy().tolist() == [2.0, 3.0]


def test_numbers_lists_ranges_and_texts_are_what_they_were():
    assert tf.constant(1.5).dtype == tf.float32 and tf.constant([1, 2]).dtype == tf.int32
    assert tf.constant(range(3)).dtype == tf.int32
    assert tf.constant(b"ab").dtype == tf.string and tf.constant("ab").dtype == tf.string


def test_an_array_that_cannot_be_given_says_why_in_its_own_words():
    class Elsewhere:
        def __array__(self, dtype=None, copy=None):
            raise RuntimeError("it is on another device; call .cpu()")

    with pytest.raises(RuntimeError, match="another device"):
        tf.constant(Elsewhere())


def test_records_and_dates_are_refused():
    for values in (np.array(["2020-01-01"], "M8[D]"), np.array([(1, 2.0)], "i4,f8")):
        with pytest.raises((TypeError, ValueError)):
            tf.constant(Frame(values))
