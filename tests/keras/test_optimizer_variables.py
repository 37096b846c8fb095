"""The variables of optimizers: which there are, in which order, as recorded from Keras 3."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import minitape as tf

OWN = ["iteration", "learning_rate"]
# Recorded with Keras 3.15, for variables `kernel` and `bias`.
LISTED = {
    "SGD": (tf.keras.optimizers.SGD, {}, []),
    "SGD with momentum": (
        tf.keras.optimizers.SGD, {"momentum": 0.9}, ["kernel_momentum", "bias_momentum"],
    ),
    "Adam": (
        tf.keras.optimizers.Adam, {},
        ["kernel_momentum", "kernel_velocity", "bias_momentum", "bias_velocity"],
    ),
    "amsgrad": (
        tf.keras.optimizers.Adam, {"amsgrad": True},
        ["kernel_momentum", "kernel_velocity", "bias_momentum", "bias_velocity",
         "kernel_velocity_hat", "bias_velocity_hat"],
    ),
    "RMSprop": (tf.keras.optimizers.RMSprop, {}, ["kernel_velocity", "bias_velocity"]),
    "RMSprop with momentum": (
        tf.keras.optimizers.RMSprop, {"momentum": 0.9},
        ["kernel_velocity", "bias_velocity", "kernel_momentum", "bias_momentum"],
    ),
    "Nadam": (
        tf.keras.optimizers.Nadam, {},
        ["kernel_momentum", "kernel_velocity", "bias_momentum", "bias_velocity", "variable"],
    ),
}  # fmt: skip


@pytest.fixture(autouse=True)
def counted_anew():
    tf.keras.backend.clear_session()


def weights(dtype="float32"):
    kernel = tf.keras.Variable(np.ones((2, 3)), name="kernel", dtype=dtype)
    return kernel, tf.keras.Variable(np.ones(3), name="bias", dtype=dtype)


@pytest.mark.parametrize("case", LISTED)
def test_the_variables_are_listed_as_in_keras(case):
    cls, options, names = LISTED[case]
    optimizer = cls(**options)
    optimizer.build(weights())
    assert [each.name for each in optimizer.variables] == OWN + names


@pytest.mark.parametrize("case", LISTED)
def test_a_variable_without_a_gradient_has_its_slots_too(case):
    cls, options, names = LISTED[case]
    optimizer, (kernel, bias) = cls(**options), weights()
    optimizer.apply_gradients([(None, kernel), (tf.ones([3]), bias)])
    assert [each.name for each in optimizer.variables] == OWN + names


def test_the_product_of_nadam_is_one_number_of_the_dtype_of_the_first_variable():
    optimizer = tf.keras.optimizers.Nadam()
    optimizer.build(weights("float64"))
    product = optimizer.variables[-1]
    assert (tuple(product.shape), product.dtype, product.path) == ((), "float64", "variable")


def momentum(step):
    return 0.9 * (1 - 0.5 * 0.96**step)


def test_the_product_of_nadam_goes_on_in_a_step_without_a_variables_gradient():
    optimizer, (kernel, bias) = tf.keras.optimizers.Nadam(), weights("float64")
    optimizer.apply_gradients([(None, kernel), (tf.ones([3], tf.float64), bias)])
    optimizer.apply_gradients([(tf.ones([2, 3], tf.float64), kernel), (None, bias)])
    product = momentum(1) * momentum(2)
    np.testing.assert_allclose(optimizer.variables[-1].numpy(), product, rtol=1e-6)
    # Kernel's first gradient comes in step 2: m = 0.1, v = 0.001.
    mean = momentum(3) * 0.1 / (1 - product * momentum(3)) + (1 - momentum(2)) / (1 - product)
    size = np.sqrt(0.001 / (1 - 0.999**2)) + 1e-7
    np.testing.assert_allclose(kernel.numpy(), 1 - 0.001 * mean / size, rtol=1e-6)


def test_ten_steps_of_nadam_are_those_of_keras():
    """Recorded: x = 1, gradients sin(1), ..., sin(10), rate 0.1."""
    optimizer, x = tf.keras.optimizers.Nadam(0.1), tf.keras.Variable(1.0)
    for i in range(1, 11):
        optimizer.apply_gradients([(tf.constant(np.float32(np.sin(i))), x)])
    np.testing.assert_allclose(x.numpy(), 0.80359405, rtol=1e-6)


def test_a_copy_of_nadam_has_a_product_of_its_own():
    optimizer, x = tf.keras.optimizers.Nadam(), tf.keras.Variable(1.0)
    optimizer.apply_gradients([(tf.constant(1.0), x)])
    other = copy.copy(optimizer)
    other.apply_gradients([(tf.constant(1.0), x)])
    np.testing.assert_allclose(optimizer.variables[-1].numpy(), momentum(1), rtol=1e-6)
    np.testing.assert_allclose(other.variables[-1].numpy(), momentum(1) * momentum(2), rtol=1e-6)


def test_nadam_in_a_tf_function_makes_the_same_steps():
    ends = []
    for wrap in (tf.function, lambda f: f):
        optimizer, x = tf.keras.optimizers.Nadam(0.1), tf.keras.Variable(1.0)

        def step(g, optimizer=optimizer, x=x):
            optimizer.apply_gradients([(g, x)])

        step = wrap(step)
        for i in range(1, 5):
            step(tf.constant(float(i)))
        ends.append(x.numpy())
    assert ends[0] == ends[1]


def test_keras_variables_without_a_name_are_numbered():
    names = [tf.keras.Variable(1.0).name for _ in range(3)]
    assert names == ["variable", "variable_1", "variable_2"]


def test_an_optimizer_takes_variables_that_come_later_with_momentum_of_their_own():
    """As before Keras 3."""
    optimizer, a, b = tf.keras.optimizers.SGD(1.0, momentum=0.5), tf.Variable(0.0), tf.Variable(0.0)
    optimizer.apply_gradients([(tf.constant(1.0), a)])
    for _ in range(2):
        optimizer.apply_gradients([(tf.constant(1.0), b)])
    assert (float(a), float(b), int(optimizer.iterations)) == (-1.0, -1.0 - 1.5, 3)


def test_a_step_without_variables_says_when_a_layer_has_some():
    with pytest.raises(ValueError, match="there are no variables.*at its first call"):
        tf.keras.optimizers.SGD().apply_gradients([])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("SGD", 0.9973),
        ("Adam", 0.9910001321956369),
        ("Adamax", 0.991000005034219),
        ("RMSprop", 0.9778679390176057),
        ("Nadam", 0.9923568611010383),
    ],
)
def test_where_layers_are_float64_the_learning_rate_is_too(name, expected):
    """Recorded of TensorFlow: x = 1, three gradients of 0.3, rate 0.003."""
    tf.keras.backend.set_floatx("float64")
    try:
        optimizer = getattr(tf.keras.optimizers, name)(0.003)
    finally:
        tf.keras.backend.set_floatx("float32")
    x = tf.Variable(1.0, dtype=tf.float64)
    for _ in range(3):
        optimizer.apply_gradients([(tf.constant(0.3, tf.float64), x)])
    assert optimizer.learning_rate.dtype == tf.float64
    np.testing.assert_allclose(x.numpy(), expected, rtol=1e-13)


def test_a_tensor_cannot_be_minimized_without_its_tape():
    v = tf.Variable(3.0)
    with pytest.raises(ValueError, match=r"`tape` is required.*minimize\(lambda"):
        tf.keras.optimizers.SGD(0.1).minimize(v * v, [v])
    assert float(v) == 3.0
