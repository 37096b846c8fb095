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


def texts(x):
    value = tf.convert_to_tensor(x).numpy()
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


@pytest.mark.parametrize(
    ("value", "options", "expected"),
    [
        ([3, -2], {}, [b"3", b"-2"]),
        (np.uint8(200), {}, b"200"),
        ([3.1415926, 2.71828], {"precision": 2}, [b"3.14", b"2.72"]),
        ([3.1415926], {}, [b"3.141593"]),
        ([1234.5], {"scientific": True}, [b"1.234500e+03"]),
        ([1234.5, 1e10], {"shortest": True}, [b"1234.5", b"1e+10"]),
        ([1.5], {"width": 8, "precision": 1}, [b"     1.5"]),
        ([1.5], {"width": 6, "precision": 1, "fill": "0"}, [b"0001.5"]),
        ([7], {"width": 3, "fill": "-"}, [b"7  "]),
        ([True, False], {}, [b"true", b"false"]),
        ([1.5 - 2j], {"precision": 1}, [b"(1.5,-2.0)"]),
        (["as", "it is"], {}, [b"as", b"it is"]),
        (np.float16(0.5), {"precision": 1}, b"0.5"),
        ([float("nan"), -float("inf")], {}, [b"nan", b"-inf"]),
    ],
)
def test_numbers_become_strings_as_printf_writes_them(value, options, expected):
    found = tf.strings.as_string(value, **options)
    assert found.dtype == tf.string and texts(found) == expected
    assert tf.as_string is tf.strings.as_string


@pytest.mark.parametrize(
    ("value", "options", "said"),
    [
        ([1], {"precision": 2}, "not supported for datatype int32"),
        ([True], {"scientific": True}, "not supported for datatype bool"),
        ([1.0], {"scientific": True, "shortest": True}, "both scientific and shortest"),
        ([1.0], {"fill": "x"}, "Fill argument not supported"),
        ([1.0], {"fill": "00"}, "Fill argument not supported"),
    ],
)
def test_a_format_that_does_not_fit_is_refused(value, options, said):
    with pytest.raises(tf.errors.InvalidArgumentError, match=said):
        tf.strings.as_string(value, **options)


def test_what_becomes_a_string_is_not_connected_any_more():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.strings.to_number(tf.strings.as_string(x * x))
    assert float(y) == 4.0 and tape.gradient(y, x) is None


def test_strings_are_joined_place_by_place():
    assert texts(tf.strings.join(["a", ["b", "c"]], separator=" ")) == [b"a b", b"a c"]
    assert texts(tf.strings.join(["a", "b", "c"])) == b"abc"
    with pytest.raises(tf.errors.InvalidArgumentError, match="shapes do not match"):
        tf.strings.join([["a"], ["b", "c"]])


A = [["a", "b"], ["c", "d"]]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, b"abcd"),
        ({"axis": 0}, [b"ac", b"bd"]),
        ({"axis": -1}, [b"ab", b"cd"]),
        ({"axis": [0, 1]}, b"acbd"),
        ({"axis": [1, 0]}, b"abcd"),
        ({"axis": []}, [[b"a", b"b"], [b"c", b"d"]]),
        ({"axis": 0, "separator": ".", "keepdims": True}, [[b"a.c", b"b.d"]]),
    ],
)
def test_strings_are_joined_along_axes_in_their_order(options, expected):
    assert texts(tf.strings.reduce_join(A, **options)) == expected


def test_bytes_are_counted_unless_characters_are_asked_for():
    assert texts(tf.strings.length(["ab", "äö", ""])) == [2, 4, 0]
    assert texts(tf.strings.length(["ab", "äö", ""], unit="UTF8_CHAR")) == [2, 2, 0]
    assert tf.strings.length("a").dtype == tf.int32
    with pytest.raises(ValueError, match="must be 'BYTE' or 'UTF8_CHAR'"):
        tf.strings.length("a", unit="WORD")


def test_case_changes_for_ascii_or_for_all_letters():
    assert texts(tf.strings.lower(["AbÄ"])) == ["abÄ".encode()]
    assert texts(tf.strings.lower(["AbÄ"], encoding="utf-8")) == ["abä".encode()]
    assert texts(tf.strings.upper("abä")) == "ABä".encode()
    assert texts(tf.strings.upper("abä", encoding="utf-8")) == "ABÄ".encode()
    with pytest.raises(ValueError, match="utf-8"):
        tf.strings.upper("a", encoding="latin1")


def test_a_part_of_a_string_begins_where_it_is_said():
    assert texts(tf.strings.substr(["hello", "world"], [1, -2], [3, 9])) == [b"ell", b"ld"]
    assert texts(tf.strings.substr("häl", 1, 1, unit="UTF8_CHAR")) == "ä".encode()
    assert texts(tf.strings.substr("abc", 3, 1)) == b""
    assert texts(tf.strings.substr("abcdef", [0, 3], 2)) == [b"ab", b"de"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="pos 4 out of range for string b'abc"):
        tf.strings.substr("abc", 4, 1)


def test_patterns_are_replaced_everywhere_or_once():
    assert texts(tf.strings.regex_replace(["a1b2"], r"\d", "#")) == [b"a#b#"]
    assert texts(tf.strings.regex_replace("a1b2", r"\d", "#", replace_global=False)) == b"a#b2"
    assert (
        texts(tf.strings.regex_replace("key=7", r"(\w+)=(\w+)", r"\2:\1 [\0]")) == b"7:key [key=7]"
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid pattern"):
        tf.strings.regex_replace("a", "(", "")


def test_a_full_match_goes_from_beginning_to_end():
    found = tf.strings.regex_full_match([["a1", "a1 "], ["", "1"]], r"\w\d")
    assert found.dtype == tf.bool and texts(found) == [[True, False], [False, False]]


def test_functions_of_texts_refuse_numbers():
    for function in (tf.strings.length, tf.strings.strip, tf.strings.lower):
        with pytest.raises(TypeError, match=r"takes strings, got int32.*as_string"):
            function([1])


def test_texts_go_through_a_traced_function():
    f = tf.function(lambda x, t: tf.strings.join([t, tf.strings.as_string(x, precision=1)]))
    assert texts(f(tf.constant([1.5, 2.0]), tf.constant("x="))) == [b"x=1.5", b"x=2.0"]


@pytest.mark.parametrize(
    "function",
    [
        tf.strings.length,
        tf.strings.lower,
        tf.strings.upper,
        tf.strings.strip,
        lambda t: tf.strings.substr(t, 1, 1),
        lambda t: tf.strings.reduce_join(t, 0),
        lambda t: tf.strings.reduce_join(t, [0, 1], keepdims=True),
        lambda t: tf.strings.regex_replace(t, "a", "b"),
        lambda t: tf.strings.regex_full_match(t, "a."),
    ],
)
def test_a_traced_function_knows_shape_and_dtype_of_what_becomes_of_texts(function):
    x = tf.constant([["aB", " c"]])
    traced = tf.function(function).get_concrete_function(x)
    eager = function(x)
    assert traced.structured_outputs.shape == eager.shape
    assert traced.structured_outputs.dtype == eager.dtype
    assert texts(traced(x)) == texts(eager)


@pytest.mark.parametrize(
    "function",
    [
        tf.identity,
        tf.transpose,
        lambda t: tf.reshape(t, [2]),
        lambda t: tf.concat([t, t], 0),
        lambda t: t[0, 1],
        lambda t: tf.gather(t, [1], axis=1),
        lambda t: tf.where(True, t, t),
        lambda t: tf.tile(t, [2, 2]),
    ],
)
def test_texts_stay_texts_in_a_traced_function(function):
    x = tf.constant([["a", "b"]])
    traced = tf.function(function).get_concrete_function(x)
    assert traced.structured_outputs.dtype == tf.string
    assert traced.structured_outputs.shape == function(x).shape
    assert texts(traced(x)) == texts(function(x))


@pytest.mark.parametrize(
    ("value", "options", "expected"),
    [
        (["hello world", " a  b c "], {}, [[b"hello", b"world"], [b"a", b"b", b"c"]]),
        (["a,,b", "", "c"], {"sep": ","}, [[b"a", b"", b"b"], [b""], [b"c"]]),
        (["a b c"], {"maxsplit": 1}, [[b"a", b"b c"]]),
        ([["a b", "c"], ["", "d e f"]], {}, [[[b"a", b"b"], [b"c"]], [[], [b"d", b"e", b"f"]]]),
        (tf.zeros([0]), None, None),
    ],
)
def test_strings_are_split_into_ragged_rows(value, options, expected):
    if options is None:
        with pytest.raises(TypeError, match="takes strings, got float32"):
            tf.strings.split(value)
        return
    found = tf.strings.split(value, **options)
    assert isinstance(found, tf.RaggedTensor) and found.dtype == tf.string
    assert found.to_list() == expected


def test_a_scalar_is_split_into_a_vector():
    assert texts(tf.strings.split("1 2")) == [b"1", b"2"]
    assert texts(tf.strings.bytes_split("ä")) == [b"\xc3", b"\xa4"]
    assert texts(tf.strings.to_number(tf.strings.split("1.5 2"))) == [1.5, 2.0]


def test_a_function_that_splits_texts_runs_its_python():
    f = tf.function(lambda t: tf.strings.split(t))
    assert f(tf.constant(["a b", "c"])).to_list() == [[b"a", b"b"], [b"c"]]
    assert f.runs_python is not None


def test_a_vector_of_strings_is_taken_apart_and_put_together():
    words = tf.constant(["a", "b"])
    parts = tf.unstack(words)
    assert [part.numpy() for part in parts] == [b"a", b"b"]
    assert all(part.shape == () and part.dtype == tf.string for part in parts)
    assert tf.stack(parts).numpy().tolist() == [b"a", b"b"]
    assert [part.numpy().tolist() for part in tf.split(words, 2)] == [[b"a"], [b"b"]]
