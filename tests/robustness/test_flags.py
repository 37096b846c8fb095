"""Flags, as `keepdims`, that are neither true nor false: the call says which, and what to write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minitape as tf
from minitape.errors.of_flags import FlagError
from rows import failing

SEVERAL = np.array([True, False])
X = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
IMAGE = np.ones([1, 4, 4, 1], np.float32)
losses, layers, keras_ops = tf.keras.losses, tf.keras.layers, tf.keras.ops
data, optimizers = tf.data.Dataset.range(3), tf.keras.optimizers


def asked(tape: Any) -> Any:
    v = tf.Variable([1.0, 2.0])
    with tape:
        y = v * v
    return tape.jacobian(y, v)


def jacobian(flag: Any) -> Any:
    with tf.GradientTape() as tape:
        y = (v := tf.Variable([1.0, 2.0])) * 2.0
    return tape.jacobian(y, v, experimental_use_pfor=flag)


CALLS: dict[str, Callable[[Any], Any]] = {
    # ops, and functions made of ops
    "reduce_sum: keepdims": lambda f: tf.reduce_sum(tf.constant(X), keepdims=f),
    "reduce_max: keepdims": lambda f: tf.reduce_max(tf.constant(X), 0, keepdims=f),
    "reduce_mean: keepdims": lambda f: tf.reduce_mean(tf.Variable(X), 1, f),
    "reduce_all: keepdims": lambda f: tf.reduce_all(X > 1, keepdims=f),
    "reduce_std: keepdims": lambda f: tf.math.reduce_std(X, keepdims=f),
    "count_nonzero: keepdims": lambda f: tf.math.count_nonzero(X, keepdims=f),
    "cumsum: exclusive": lambda f: tf.cumsum(X, exclusive=f),
    "cumprod: reverse": lambda f: tf.math.cumprod(tf.constant(X), reverse=f),
    "transpose: conjugate": lambda f: tf.transpose(X, conjugate=f),
    "svd: compute_uv": lambda f: tf.linalg.svd(X, compute_uv=f),
    "qr: full_matrices": lambda f: tf.linalg.qr(X, full_matrices=f),
    # control flow and objects of the engine
    "jacobian: experimental_use_pfor": jacobian,
    "Variable: trainable": lambda f: tf.Variable(X, trainable=f),
    "assign: read_value": lambda f: tf.Variable(X).assign(X, read_value=f),
    "TensorArray: dynamic_size": lambda f: tf.TensorArray(tf.float32, 2, dynamic_size=f),
    # data and Keras: those of an object are looked at when it is made
    "batch: drop_remainder": lambda f: data.batch(2, drop_remainder=f),
    "window: drop_remainder": lambda f: data.window(2, drop_remainder=f),
    "Dense: use_bias": lambda f: layers.Dense(2, use_bias=f),
    "Dense: trainable": lambda f: layers.Dense(2, trainable=f),
    "Dropout: training": lambda f: layers.Dropout(0.5)(X, training=f),
    "Sequential: training": lambda f: tf.keras.Sequential([layers.Dropout(0.5)])(X, training=f),
    "SGD: nesterov": lambda f: optimizers.SGD(0.1, nesterov=f),
    "EarlyStopping: restore_best_weights": lambda f: tf.keras.callbacks.EarlyStopping(
        restore_best_weights=f
    ),
    "binary_crossentropy: from_logits": lambda f: losses.binary_crossentropy(
        [1.0], [0.5], from_logits=f
    ),
}


@pytest.mark.parametrize("flag", [SEVERAL, np.array([]), [SEVERAL]], ids=["two", "none", "tensor"])
def test_a_flag_that_is_neither_true_nor_false_is_named_with_what_to_write(flag):
    flag = tf.constant(SEVERAL) if isinstance(flag, list) else flag

    def refused(name):
        argument = name.partition(": ")[2]
        words = f"{argument} must be True or False; got .*`{argument}=True`"
        with pytest.raises(FlagError, match=words):
            CALLS[name](flag)

    assert failing(refused, {name: (name,) for name in CALLS}) == {}


@pytest.mark.parametrize("name", [each for each in CALLS if "training" not in each])
def test_the_message_begins_with_the_name_that_was_called(name):
    with pytest.raises(FlagError, match=f"^{name} must be"):
        CALLS[name](SEVERAL)


@pytest.mark.parametrize("true", [True, 1, np.True_, np.array([True]), tf.constant(True)])
def test_what_has_one_truth_value_is_a_flag(true):
    looked_at_later = ("EarlyStopping", "Dense: tr")
    rows = {name: (name,) for name in CALLS if not name.startswith(looked_at_later)}
    assert failing(lambda name: CALLS[name](true), rows) == {}


def test_a_flag_error_is_of_both_classes_that_tensorflow_raises():
    assert issubclass(FlagError, TypeError)
    assert issubclass(FlagError, ValueError)


def test_in_a_function_and_in_a_batch_a_flag_is_named_too():
    traced = tf.function(lambda x: tf.reduce_sum(x, keepdims=SEVERAL))
    with pytest.raises(FlagError, match="keepdims must be"):
        traced(tf.constant(X))
    with pytest.raises(FlagError, match="keepdims must be"):
        tf.vectorized_map(lambda x: tf.reduce_sum(x, 0, keepdims=SEVERAL), tf.constant(X))


def test_an_assignment_with_such_a_flag_changes_nothing():
    v = tf.Variable(1.0)
    with pytest.raises(FlagError):
        v.assign(2.0, read_value=SEVERAL)
    assert v.numpy() == 1.0


def test_an_error_about_a_truth_value_that_is_not_a_flags_stays_what_it_was():
    def body(i):
        return (i + 1 if SEVERAL else i,)

    with pytest.raises(ValueError, match="truth value of an array") as caught:
        tf.while_loop(lambda i: i < 3, body, [0])
    assert not isinstance(caught.value, FlagError)
