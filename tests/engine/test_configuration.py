"""`tf.config`: what runs how."""

from __future__ import annotations

import logging

import pytest

import minitape as tf


@pytest.fixture
def eagerly():
    tf.config.run_functions_eagerly(True)
    yield
    tf.config.run_functions_eagerly(False)


def test_functions_that_run_eagerly_see_values(eagerly):
    seen = []

    @tf.function
    def f(x):
        seen.append(x.numpy())
        return x * x

    assert tf.config.functions_run_eagerly()
    assert float(f(tf.constant(2.0))) == 4.0 and float(f(tf.constant(3.0))) == 9.0
    assert seen == [2.0, 3.0]


def test_functions_that_run_eagerly_have_gradients(eagerly):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(lambda x: x**3)(x)
    assert float(tape.gradient(y, x)) == 27.0


def test_functions_are_traced_by_default():
    seen = []
    f = tf.function(lambda x: seen.append(1) or x)
    assert not tf.config.functions_run_eagerly()
    f(tf.constant(2.0)), f(tf.constant(3.0))
    assert seen == [1]


def test_the_only_device_is_the_cpu():
    assert [device.device_type for device in tf.config.list_physical_devices()] == ["CPU"]
    assert tf.config.list_physical_devices("CPU")[0].name == "/physical_device:CPU:0"
    assert tf.config.list_physical_devices("GPU") == []


@pytest.mark.parametrize(
    ("divide", "part"),
    [
        (
            tf.config.set_logical_device_configuration,
            tf.config.LogicalDeviceConfiguration,
        ),
        (
            tf.config.experimental.set_virtual_device_configuration,
            tf.config.experimental.VirtualDeviceConfiguration,
        ),
    ],
)
def test_the_cpu_stays_one_device_however_it_is_to_be_divided(divide, part):
    (cpu,) = tf.config.list_physical_devices()
    divide(cpu, [part(memory_limit=512), part(1024)])
    assert [device.name for device in tf.config.list_logical_devices()] == ["/device:CPU:0"]


def test_the_old_name_of_the_logger_sets_its_level():
    before = tf.get_logger().level
    levels = tf.compat.v1.logging
    try:
        levels.set_verbosity(levels.ERROR)
        assert tf.get_logger().level == logging.ERROR
    finally:
        tf.get_logger().setLevel(before)
    assert (levels.DEBUG, levels.INFO, levels.WARN, levels.FATAL) == (10, 20, 30, 50)


def test_names_of_the_first_eager_programs_are_there_where_tensorflow_2_keeps_them():
    assert tf.compat.v1.enable_eager_execution() is tf.compat.v1.enable_v2_behavior() is None
    assert tf.executing_eagerly()
    tf.config.experimental_run_functions_eagerly(True)
    try:
        assert tf.config.functions_run_eagerly()
    finally:
        tf.config.experimental_run_functions_eagerly(False)
