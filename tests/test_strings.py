"""Strings: numbers out of text."""

from __future__ import annotations

import numpy as np
import pytest

import minitape as tf


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
def test_a_string_gives_the_number_that_it_says(dtype):
    found = tf.strings.to_number([["1", "-20"], ["3", "4"]], dtype)
    assert found.dtype.name == dtype
    np.testing.assert_array_equal(found, np.array([[1, -20], [3, 4]], dtype))


@pytest.mark.parametrize("add", [lambda x, y: x + y, lambda x, y: tf.function(tf.add)(x, y)])
@pytest.mark.parametrize("shape", [(), (2,)])
def test_a_sum_of_texts_is_one_text(add, shape):
    found = add(tf.fill(shape, "tape"), tf.constant("s"))
    assert (found.dtype, tuple(found.shape)) == (tf.string, shape)
    assert set(np.ravel(found.numpy())) == {b"tapes"}


@pytest.mark.parametrize(
    "make",
    [
        lambda x: tf.fill((), x),
        lambda x: tf.where(True, x, x),
        lambda x: tf.broadcast_to(x, []),
        lambda x: tf.reshape(tf.stack([x]), []),
        tf.identity,
    ],
)
def test_a_single_text_stays_a_tensor(make):
    found = make(tf.constant("tape"))
    assert (found.dtype, tuple(found.shape), found.numpy()) == (tf.string, (), b"tape")
    assert "b'tape'" in repr(found)


def test_a_scalar_string_gives_a_scalar():
    found = tf.strings.to_number("2.5e-1")
    assert isinstance(found, tf.Tensor) and found.shape == () and found.dtype == tf.float32
    assert found.numpy() == np.float32(0.25)


def test_no_strings_give_no_numbers():
    found = tf.strings.to_number(tf.constant([], tf.string))
    assert found.shape == (0,) and found.dtype == tf.float32


@pytest.mark.parametrize(("text", "dtype"), [("two", "float32"), ("2.5", "int32"), ("", "int64")])
def test_text_that_is_no_number_is_named(text, dtype):
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"convert string: {text}"):
        tf.strings.to_number(text, dtype)


def test_what_is_no_text_or_no_type_for_it_is_refused():
    with pytest.raises(TypeError, match=r"tf\.cast"):
        tf.strings.to_number([1.0])
    with pytest.raises(TypeError, match="float16 is not in the list"):
        tf.strings.to_number("1", tf.float16)


def test_a_tape_does_not_lead_through_text():
    text = tf.constant("3.0")
    with tf.GradientTape() as tape:
        tape.watch(text)
        y = tf.strings.to_number(text) * 2.0
    assert tape.gradient(y, text) is None


def test_a_graph_turns_text_into_numbers():
    assert float(tf.function(lambda t: tf.strings.to_number(t) + 1.0)(tf.constant("2.0"))) == 3.0
