"""`tf.print`: what it writes, and when."""

from __future__ import annotations

import io

import numpy as np
import pytest

import minitape as tf


def printed(*inputs, **options):
    stream = io.StringIO()
    tf.print(*inputs, output_stream=stream, **options)
    return stream.getvalue()


# What TensorFlow prints.
TEXTS = [
    (tf.constant(1.0), "1"),
    (tf.constant(0.1), "0.1"),
    (tf.constant(1 / 3), "0.333333343"),
    (tf.constant(1 / 3, tf.float64), "0.33333333333333331"),
    (tf.constant(float("nan")), "nan"),
    (tf.constant(True), "1"),
    (tf.constant(1 + 2j), "(1,2)"),
    (tf.constant("text"), "text"),
    (tf.constant(["a", "b"]), '["a" "b"]'),
    (tf.range(6), "[0 1 2 3 4 5]"),
    (tf.range(10), "[0 1 2 ... 7 8 9]"),
    (tf.constant([[1, 2], [3, 4]]), "[[1 2]\n [3 4]]"),
    (tf.constant([[[1], [2]], [[3], [4]]]), "[[[1]\n  [2]]\n\n [[3]\n  [4]]]"),
    (tf.constant([], tf.float32), "[]"),
    ({"a": tf.constant(1), "b": [tf.constant(2.0)]}, "{'a': 1, 'b': [2]}"),
    ((tf.constant(1),), "(1,)"),
    ("plain", "plain"),
    (None, "None"),
]


@pytest.mark.parametrize(("value", "text"), TEXTS)
def test_a_value_is_written_as_tensorflow_writes_it(value, text):
    assert printed(value) == text + "\n"


def test_several_values_are_separated_and_ended_as_asked_for():
    assert printed("x is", tf.Variable(2), np.int64(3), sep="|", end="!") == "x is|2|3!"
    assert printed() == "\n"


def test_a_summary_has_as_many_elements_of_each_end_as_asked_for():
    assert printed(tf.range(10), summarize=1) == "[0 ... 9]\n"
    assert printed(tf.range(10), summarize=-1) == "[0 1 2 3 4 5 6 7 8 9]\n"


def test_a_function_prints_at_every_call_and_a_branch_only_when_it_is_taken():
    stream = io.StringIO()

    @tf.function
    def f(x):
        tf.print("x", x, output_stream=stream)
        return tf.cond(x > 0.0, lambda: noted(x), lambda: -x)

    def noted(x):
        tf.print("positive", output_stream=stream)
        return x

    assert [float(f(tf.constant(v))) for v in (1.0, -2.0)] == [1.0, 2.0]
    assert stream.getvalue() == "x 1\npositive\nx -2\n"


def test_a_loop_prints_in_every_round_and_a_batch_for_every_example():
    stream = io.StringIO()

    def body(i):
        tf.print(i, output_stream=stream, end=" ")
        return (i + 1,)

    tf.function(lambda: tf.while_loop(lambda i: i < 3, body, (tf.constant(0),)))()
    tf.vectorized_map(lambda x: body(x)[0], tf.constant([7, 8]))
    assert stream.getvalue() == "0 1 2 7 8 "


def test_printing_changes_no_gradient():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
        printed(y)
    assert float(tape.gradient(y, x)) == 6.0


def test_the_usual_stream_is_that_of_errors(capsys):
    tf.print(tf.constant(1))
    assert capsys.readouterr().err == "1\n"


def test_a_file_gets_the_lines_one_after_the_other(tmp_path):
    for value in (1, 2):
        tf.print(tf.constant(value), output_stream=f"file://{tmp_path / 'log.txt'}")
    assert (tmp_path / "log.txt").read_text() == "1\n2\n"


def test_what_is_no_stream_is_refused_before_anything_is_written():
    with pytest.raises(TypeError, match=r"output_stream=sys\.stdout"):
        tf.print(1, output_stream=3)
