"""Small names that documents use: devices, times, texts of values, functions as ops."""

import numpy as np
import pytest

import minitape as tf


def test_the_only_device_is_the_cpu():
    assert tf.config.list_logical_devices("GPU") == []
    assert [d.name for d in tf.config.list_logical_devices()] == ["/device:CPU:0"]
    assert tf.config.experimental.list_physical_devices("GPU") == []


def test_numbers_of_threads_may_be_set_and_are_left_to_the_system():
    tf.config.threading.set_inter_op_parallelism_threads(1)
    assert tf.config.threading.get_inter_op_parallelism_threads() == 0


def test_a_timestamp_in_a_traced_function_is_that_of_the_call():
    now = tf.function(lambda: tf.timestamp())
    first = float(now())
    assert float(now()) > first
    assert now.runs_python is None


def test_format_writes_values_as_print_does():
    text = tf.strings.format("a {} b {}", (tf.constant([1.5, 2.0]), tf.constant("x")))
    assert text.numpy() == b'a [1.5 2] b "x"'
    assert tf.strings.format("{}", tf.range(10)).numpy() == b"[0 1 2 ... 7 8 9]"
    with pytest.raises(ValueError, match=r"2 placeholder\(s\) in template does not match 1"):
        tf.strings.format("{} {}", 1)


def test_format_in_a_traced_function_has_the_values_of_the_call():
    text = tf.function(lambda x: tf.strings.format("{}", x))
    assert [text(tf.constant(x)).numpy() for x in (1.0, 2.5)] == [b"1", b"2.5"]


def test_python_functions_can_be_decorated():
    @tf.py_function(Tout=tf.float32)
    def cube(x):
        return x**3

    @tf.numpy_function(Tout=tf.float64)
    def sinh(x):
        return np.sinh(x)

    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = cube(v * 1.0)
    assert float(tape.gradient(y, v)) == 12.0
    assert float(sinh(tf.constant(1.0, tf.float64))) == np.sinh(1.0)


def test_resize_with_pad_keeps_the_form_of_an_image():
    resized = tf.image.resize_with_pad(tf.ones([4, 2, 1]), 8, 8)[..., 0].numpy()
    assert resized.sum() == 8 * 4
    assert resized[:, 2:6].min() == 1.0


def test_the_logger_is_that_of_the_notices():
    assert tf.get_logger().name == "minitape"


def test_a_tensor_is_on_the_cpu_already_and_stays_on_the_tape():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x.cpu() ** 2
    assert tape.gradient(y, x).numpy() == 6.0
