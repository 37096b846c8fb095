"""A tensor never changes: nothing that NumPy gets of it can be written to, by whatever way."""

from __future__ import annotations

import contextlib
import copy
import pickle
import warnings

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import minitape as tf

DTYPES = [
    *("float16", "float32", "float64", "complex64", "complex128", "bool"),
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
]
SHAPES = [(), (1,), (3,), (2, 3), (0, 2), (2, 1, 3)]


def source(shape, dtype):
    return np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


def tensors(shape, dtype):
    """Tensors that were made in several ways, of a contiguous array and of views."""
    array = source(shape, dtype)
    yield "constant", tf.constant(array)
    yield "variable", tf.Variable(array)
    yield "read", tf.Variable(array).read_value()
    yield "identity", tf.identity(tf.constant(array))
    yield "transposed", tf.transpose(tf.constant(array))
    yield "reshaped", tf.reshape(tf.constant(array), [-1])
    yield "function", tf.function(tf.identity)(tf.constant(array))
    yield "pickled", pickle.loads(pickle.dumps(tf.constant(array)))
    yield "deep copy", copy.deepcopy(tf.constant(array))
    if shape:
        yield "reversed slice", tf.constant(array)[::-1]
        yield "broadcast", tf.broadcast_to(tf.constant(array), (2, *shape))


LOOKS = {
    "asarray": np.asarray,
    "asanyarray": np.asanyarray,
    "array without a copy": lambda x: np.array(x, copy=None),
    "ravel": np.ravel,
    "__array__": lambda x: x.__array__(),
    "same dtype": lambda x: np.asarray(x, np.asarray(x).dtype),
    "atleast_1d": np.atleast_1d,
    "transpose": np.transpose,
}


def attack(array):
    """Writes to an array and to those below it, where a flag can be set for that."""
    seen = array
    while isinstance(seen, np.ndarray):
        with contextlib.suppress(ValueError):
            seen.flags.writeable = True
        with contextlib.suppress(ValueError):
            seen.setflags(write=True)
        if seen.flags.writeable and seen.size:
            seen[...] = b"x" if seen.dtype == object else 1 if seen.flat[0] == 0 else 0
        seen = seen.base


@pytest.mark.parametrize("dtype", DTYPES)
def test_no_look_at_a_tensor_can_be_made_writeable(dtype):
    changed = []
    for shape in SHAPES:
        for how, x in tensors(shape, dtype):
            for name, look in LOOKS.items():
                before = x.numpy().tolist()
                attack(look(x))
                if x.numpy().tolist() != before:
                    changed.append((shape, how, name))
    assert changed == []


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_look_shares_memory_and_keeps_values_shape_and_dtype(dtype):
    for shape in SHAPES:
        x = tf.constant(source(shape, dtype))
        look = np.asarray(x)
        assert look.dtype == dtype and look.shape == shape
        np.testing.assert_array_equal(look, source(shape, dtype))
        if shape and look.size:
            assert np.shares_memory(look, np.asarray(x))


def test_texts_are_copied_for_numpy():
    x = tf.constant([["a", "b"]])
    look = np.asarray(x)
    assert look.tolist() == [[b"a", b"b"]]
    attack(np.asarray(x))
    assert x.numpy().tolist() == [[b"a", b"b"]]


def test_strides_over_a_look_are_read_only_too():
    x = tf.constant([1.0, 2.0, 3.0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        attack(as_strided(np.asarray(x), (2,), (8,)))
    assert x.numpy().tolist() == [1.0, 2.0, 3.0]


def test_an_array_that_was_made_a_tensor_can_change_without_it():
    for make in (tf.constant, tf.convert_to_tensor, tf.Variable, tf.identity, tf.stack):
        array = np.array([1.0, 2.0])
        x = make(array)
        array[0] = 9.0
        assert x.numpy().tolist() == [1.0, 2.0], make


def test_a_python_function_cannot_reach_the_tensors_it_is_given_or_gives():
    kept = []

    def noted(*given):
        for x in given:
            kept.append(np.asarray(x))
        out = np.array([5.0, 6.0])
        kept.append(out)
        return out

    for call in (tf.numpy_function, tf.py_function):
        x = tf.constant([1.0, 2.0], tf.float64)
        y = call(noted, [x], tf.float64)
        for array in kept:
            attack(array)
            if array.flags.writeable:
                array[...] = 9.0
        assert x.numpy().tolist() == [1.0, 2.0], call
        assert np.asarray(y).tolist() == [5.0, 6.0], call


def test_elements_of_a_dataset_do_not_change_with_its_arrays():
    array = np.array([[1.0, 2.0], [3.0, 4.0]])
    made = tf.data.Dataset.from_tensor_slices(array)
    for element in made.as_numpy_iterator():
        element[...] = 9.0
    array[...] = 9.0
    assert [x.numpy().tolist() for x in made] == [[1.0, 2.0], [3.0, 4.0]]


def test_weights_that_were_asked_for_are_copies():
    layer = tf.keras.layers.Dense(2, kernel_initializer="ones")
    layer.build((None, 3))
    for array in layer.get_weights():
        array[...] = 9.0
    assert layer.kernel.numpy().tolist() == [[1.0, 1.0]] * 3
    given = [np.zeros((3, 2), np.float32), np.zeros(2, np.float32)]
    layer.set_weights(given)
    given[0][...] = 9.0
    assert layer.kernel.numpy().tolist() == [[0.0, 0.0]] * 3
