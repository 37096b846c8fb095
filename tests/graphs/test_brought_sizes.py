"""Sizes that a result brings: batches between bounds that only a run knows, and masks.

Expected values come from NumPy; what Python sees, and which calls fail, are recorded facts of
TensorFlow 2.21.
"""

from __future__ import annotations

import importlib
from functools import partial

import numpy as np
import pytest

import minitape as tf
from rows import failing

exact = importlib.import_module("minitape.graphs.compiled.exact")
X = np.random.default_rng(0).standard_normal((70, 4)).astype(np.float32)
RUNS = 3


@pytest.fixture(autouse=True, params=["for any size", "for the sizes of a run"])
def made(request, monkeypatch):
    """Whether shapes are worth a copy of the graph at once, or after some runs."""
    if request.param == "for the sizes of a run":
        monkeypatch.setattr(exact, "_OFTEN", 0)


def close(found, expected, rtol=1e-5):
    assert tuple(found.shape) == np.shape(expected)
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=1e-6)


def traced(f, *args):
    """The results of a function's last run, which is one of its trace."""
    function = tf.function(f)
    for _ in range(RUNS):
        out = function(*map(tf.constant, args))
    assert function.runs_python is None
    assert function.experimental_get_tracing_count() == 1
    return out


@pytest.mark.parametrize(
    "source",
    [
        "x[i:i + 32]",
        "x[i * 32:(i + 1) * 32]",
        "x[i:i + 5, :]",
        "x[i:i + 5, 1]",
        "x[:, i:i + 2]",
        "x[..., i:]",
        "x[i::2]",
        "x[:i]",
        "x[i:2:-1]",
        "x[:i:-3]",
        "x[i:i + 9, i:i + 2]",
    ],
)
def test_bounds_that_a_run_knows_cut_as_numpy_s_do(source):
    f = eval(f"lambda x, i: {source}")
    ends = [0, 1, 3, 64, 69, 70, 99, -1, -5, -70, -99]
    rows = {f"i = {i}": (i,) for i in ends}
    assert failing(lambda i: close(traced(f, X, i), f(X, i)), rows) == {}


def test_integers_variables_and_other_widths_may_be_bounds():
    close(traced(lambda x, i: x[i : i + 2], X, np.int64(68)), X[68:70])
    close(traced(lambda x, i: x[2:i], X, np.uint8(4)), X[2:4])
    v = tf.Variable(3)
    close(traced(lambda x: x[v : v + 2], X), X[3:5])


def test_python_sees_none_and_ops_find_the_size():
    seen = []

    def f(x, i):
        batch = x[i : i + 32]
        seen.append((str(batch.shape), batch.shape[0], batch.shape.as_list()))
        return tf.shape(batch)[0], tf.size(batch), tf.reduce_mean(batch, 0)

    rows, elements, mean = traced(f, X, 64)
    assert (int(rows), int(elements)) == (6, 24)
    close(mean, X[64:].mean(0))
    assert seen == [("(None, 4)", None, [None, 4])]


def test_a_last_batch_that_is_shorter_has_its_own_mean_in_training():
    """Gradient descent by hand, with batches of 32, 32 and 6 rows."""
    w = tf.Variable(tf.ones([4, 1]))
    y = X.sum(1, keepdims=True) ** 2

    def epoch(x, y):
        def body(i, loss):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((x[i : i + 32] @ w - y[i : i + 32]) ** 2)
            w.assign_sub(0.1 * tape.gradient(loss, w))
            return i + 32, loss

        return tf.while_loop(lambda i, loss: i < 70, body, [0, 0.0])[1]

    loss = traced(epoch, X, y)
    hand = np.ones((4, 1), np.float32)
    for start in [0, 32, 64] * RUNS:
        rows = slice(start, start + 32)
        error = X[rows] @ hand - y[rows]
        hand = hand - 0.1 * 2 * X[rows].T @ error / len(error)
    close(loss, np.mean(error**2), 1e-3)
    close(w, hand, 1e-3)


def test_gradients_in_a_function_and_around_it():
    def inside(x, i):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_mean(x[i : i + 5] ** 3)
        return tape.gradient(y, x)

    expected = np.zeros_like(X)
    expected[67:] = 3 * X[67:] ** 2 / 12
    close(traced(inside, X, 67), expected)
    function, x = tf.function(lambda x, i: tf.reduce_mean(x[i : i + 5] ** 3)), tf.constant(X)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x, tf.constant(67))
        g = tape.gradient(y, x)
    close(g, expected)
    expected[67:] = 6 * X[67:] / 12
    close(outer.gradient(g, x), expected)
    assert function.runs_python is None


def test_a_loop_over_batches_has_its_gradient():
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            total = tf.while_loop(
                lambda i, s: i < 70,
                lambda i, s: (i + 32, s + tf.reduce_mean(tf.sin(x[i : i + 32]), 0)),
                [0, tf.zeros([4])],
            )[1]
        return total, tape.gradient(total, x)

    total, g = traced(f, X)
    parts = [X[:32], X[32:64], X[64:]]
    close(total, sum(np.sin(part).mean(0) for part in parts))
    close(g, np.concatenate([np.cos(part) / len(part) for part in parts]))


def test_batches_of_one_size_are_subtracted_and_others_are_refused():
    function = tf.function(lambda x, i: x[i : i + 8] - x[i + 1 : i + 9])
    x = tf.constant(X)
    for i in (0, 5, 61):
        close(function(x, tf.constant(i)), X[i : i + 8] - X[i + 1 : i + 9])
    with pytest.raises(tf.errors.InvalidArgumentError, match="8, 4|Incompatible"):
        function(x, tf.constant(62))  # 8 rows, and 7
    close(function(x, tf.constant(68)), X[68:70] - X[69:70])  # one row is broadcast
    assert function.runs_python is None


def test_a_row_that_turns_out_to_be_broadcast_assigns_once():
    count = tf.Variable(0.0)

    @tf.function
    def f(x, i, j):
        count.assign_add(1.0)
        tf.cond(i < j, lambda: count.assign_add(1.0), lambda: count + 0.0)
        return x[i : i + 3] * x[j : j + 3]

    close(f(tf.constant(X), tf.constant(0), tf.constant(69)), X[:3] * X[69:])
    assert float(count) == 2.0


def test_sizes_of_arguments_that_turn_out_to_be_broadcast_assign_once():
    count, anything = tf.Variable(0.0), tf.TensorSpec([None])

    @tf.function(input_signature=[anything, anything])
    def f(x, y):
        count.assign_add(1.0)
        return x + y

    close(f(tf.ones([3]), tf.ones([1])), [2.0, 2.0, 2.0])
    assert float(count) == 1.0


def test_an_assigned_place_is_read_when_it_is_its_turn():
    place = tf.Variable(0)

    def f(x):
        first = tf.reduce_sum(x[place : place + 32])
        place.assign_add(32)
        return first, x[place : place + 1]

    first, row = traced(f, X)  # its last run starts at 64
    close(first, X[64:].sum(), 1e-4)
    close(row, X[:0])


def test_what_needs_the_size_while_it_is_traced_runs_the_python():
    function = tf.function(lambda x, i: x[i : i + 2] * tf.constant([[1.0] * 4, [2.0] * 4]))
    close(function(tf.constant(X), tf.constant(3)), X[3:5] * [[1.0], [2.0]])
    assert "StridedSlice" in function.runs_python
    with pytest.raises(TypeError, match="integer tensor can be an index"):
        tf.function(lambda x, i: x[i : i + 2])(tf.constant(X), tf.constant(1.0))


def test_a_data_set_of_any_number_of_rows_stands_beside_batches():
    for rows in (60, 64, 120, 600):
        data = [tf.constant(np.arange(2.0 * rows).reshape(rows, 2) + k) for k in (0, 1)]
        batches = partial(lambda x, y, i: y[i : i + 8] - x[i : i + 8], *data)
        close(traced(batches, rows - 3), np.ones((3, 2)))


@pytest.mark.parametrize("least", [-9.0, 0.5, 9.0])
def test_masks_that_a_run_knows_choose_as_numpy_s_do(least):
    close(traced(lambda x: tf.boolean_mask(x, x[:, 0] > least), X), X[X[:, 0] > least])
    chosen = np.greater(X, least)
    close(traced(lambda x: x[x > least], X), X[chosen])
    close(traced(lambda x: tf.where(x > least), X), np.argwhere(chosen))
    columns = X.sum(0) > least
    close(traced(lambda x: tf.boolean_mask(x, tf.reduce_sum(x, 0) > least, 1), X), X[:, columns])


def test_a_masked_loss_has_its_gradient():
    def f(x, mask):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_mean(tf.boolean_mask(x**2, mask))
        return loss, tape.gradient(loss, x)

    mask = np.arange(70) % 3 == 0
    loss, g = traced(f, X, mask)
    close(loss, np.mean(X[mask] ** 2))
    close(g, np.where(mask[:, None], 2 * X / X[mask].size, 0))


def test_a_mask_of_another_length_is_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="incompatible"):
        tf.function(tf.boolean_mask)(tf.constant(X), tf.constant([True, False]))


def test_a_function_in_a_function_brings_its_size_along():
    inner = tf.function(lambda x, i: x[i : i + 8])
    close(traced(lambda x, i: 2.0 * inner(x, i), X, 66), 2 * X[66:])


def test_each_example_of_a_batch_takes_its_own_part():
    cut = tf.function(lambda x, i: x[i : i + 2])
    found = tf.vectorized_map(lambda i: cut(tf.constant(X), i), tf.constant([0, 3]))
    close(found, [X[0:2], X[3:5]])
