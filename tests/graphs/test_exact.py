"""Graphs with unknown sizes, whose runs know them: what is left out then, and what stays right."""

from __future__ import annotations

import numpy as np
import pytest

import minitape as tf
from minitape.op import primitive, registry
from minitape.tensor import Array

ANY = tf.TensorSpec([None, 3], tf.float64)
RUNS = 12  # more than shapes have to come before a graph is written down for them


@pytest.fixture
def counted():
    """The square of a tensor, as an op that counts its calls on arrays."""
    calls = []

    @primitive()
    def counted_square(x: Array) -> Array:
        calls.append(x.shape)
        return x * x

    counted_square.public.calls = calls
    yield counted_square.public
    del registry["counted_square"]


def normal(*shape):
    return np.random.default_rng(sum(shape)).normal(size=shape)


@pytest.mark.fast_layer
def test_what_follows_from_a_size_is_not_computed_again(counted):
    @tf.function(input_signature=[ANY])
    def f(x):
        return x * counted(tf.cast(tf.shape(x)[0], tf.float64))

    x = normal(4, 3)
    for _ in range(RUNS):
        f(x)
    counted.calls.clear()
    np.testing.assert_allclose(f(x), 16 * x)
    assert counted.calls == []


def test_other_sizes_are_computed_anew(counted):
    @tf.function(input_signature=[ANY])
    def f(x):
        return x * counted(tf.cast(tf.shape(x)[0], tf.float64))

    for _ in range(RUNS):
        for n in (4, 2):
            x = normal(n, 3)
            np.testing.assert_allclose(f(x), n * n * x)
    np.testing.assert_allclose(f(normal(5, 3)), 25 * normal(5, 3))


@pytest.mark.fast_layer
@pytest.mark.parametrize(("sizes", "settles"), [((4,), True), ((2, 3, 4), False)])
def test_sizes_that_never_end_are_not_remembered(counted, monkeypatch, sizes, settles):
    monkeypatch.setattr("minitape.graphs.compiled.exact._COUNTED", 2)

    @tf.function(input_signature=[ANY])
    def f(x):
        return x * counted(tf.cast(tf.shape(x)[0], tf.float64))

    for _ in range(RUNS):
        for n in sizes:
            f(normal(n, 3))
    counted.calls.clear()
    f(normal(sizes[0], 3))
    assert (counted.calls == []) is settles


def test_a_training_on_batches_of_two_sizes_gives_numpys_weights():
    ours, theirs = tf.Variable(np.zeros((3, 1))), np.zeros((3, 1))

    @tf.function(input_signature=[ANY])
    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ ours - 1.0) ** 2)
        ours.assign_sub(0.1 * tape.gradient(loss, ours))

    for i in range(3 * RUNS):
        x = normal(7 if i % 3 else 4, 3)
        step(x)
        theirs = theirs - 0.2 * x.T @ (x @ theirs - 1) / len(x)
    np.testing.assert_allclose(ours, theirs, rtol=1e-10)


def test_rounds_of_a_loop_on_values_of_unknown_size_give_numpys_weights():
    ours, theirs = tf.Variable(np.zeros((3, 1))), np.zeros((3, 1))

    @tf.function(input_signature=[ANY, tf.TensorSpec([], tf.int32)])
    def train(x, n):
        def step(i):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((x @ ours - 1.0) ** 2)
            ours.assign_sub(0.1 * tape.gradient(loss, ours))
            return i + 1

        return tf.while_loop(lambda i: i < n, step, [0])

    x = normal(6, 3)
    train(x, 2 * RUNS)
    for _ in range(2 * RUNS):
        theirs = theirs - 0.2 * x.T @ (x @ theirs - 1) / len(x)
    np.testing.assert_allclose(ours, theirs, rtol=1e-10)


def test_sizes_that_differ_where_the_graph_took_them_for_equal_are_still_noticed():
    @tf.function(input_signature=[ANY, ANY])
    def slope(x, y):
        with tf.GradientTape() as tape:
            tape.watch(y)
            z = x * y
        return tape.gradient(z, y)

    x, y = normal(4, 3), normal(1, 3)
    for _ in range(RUNS):
        np.testing.assert_allclose(slope(x, x), x)
        np.testing.assert_allclose(slope(x, y), x.sum(0, keepdims=True))
