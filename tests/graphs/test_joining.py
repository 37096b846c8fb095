"""Ops of a graph that share their work: when they run together, and what they give then."""

from __future__ import annotations

import numpy as np
import pytest

import minitape as tf
from minitape.errors import InvalidArgumentError
from minitape.names.loading import load_rest
from minitape.op import primitive, registry
from minitape.tensor import Array

x2, w2 = tf.constant([1.0, 2.0]), tf.constant([3.0, 5.0])


@pytest.fixture
def pair():
    """The sum and the difference of squares, and the names of those that ran."""
    ran = []

    @primitive()
    def squares_sum(x: Array, y: Array) -> Array:
        ran.append("sum")
        return x * x + y * y

    @primitive()
    def squares_difference(x: Array, y: Array) -> Array:
        ran.append("difference")
        return x * x - y * y

    @squares_sum.joint(squares_difference)
    def _(x: Array, y: Array) -> tuple[Array, Array]:
        ran.append("both")
        return x * x + y * y, x * x - y * y

    yield squares_sum.public, squares_difference.public, ran
    for name in ("squares_sum", "squares_difference"):
        del registry[name]


def ran_in(function, ran, *args):
    """The names of the ops that a run calls, and what it gives; tracing calls some too."""
    traced = tf.function(function)
    traced(*args)
    ran.clear()
    return traced(*args), ran


@pytest.mark.fast_layer
def test_two_ops_that_share_their_work_run_once(pair):
    first, second, ran = pair
    (total, difference), ran = ran_in(lambda x, y: (first(x, y), second(x, y)), ran, x2, w2)
    assert ran == ["both"]
    assert total.numpy().tolist() == [10.0, 29.0]
    assert difference.numpy().tolist() == [-8.0, -21.0]


def test_two_ops_of_other_inputs_run_apart(pair):
    first, second, ran = pair
    (total, difference), ran = ran_in(lambda x, y: (first(x, y), second(y, x)), ran, x2, w2)
    assert sorted(ran) == ["difference", "sum"]
    assert (total.numpy().tolist(), difference.numpy().tolist()) == ([10.0, 29.0], [8.0, 21.0])


def test_an_op_alone_runs_alone(pair):
    first, _, ran = pair
    total, ran = ran_in(lambda x, y: first(x, y) * 2.0, ran, x2, w2)
    assert ran == ["sum"]
    assert total.numpy().tolist() == [20.0, 58.0]


def test_a_tape_around_the_function_sees_two_ops(pair):
    first, second, ran = pair
    traced = tf.function(lambda x, y: (first(x, y), second(x, y)))
    traced(x2, w2)
    ran.clear()
    with tf.GradientTape() as tape:
        tape.watch(x2)
        traced(x2, w2)
    assert sorted(ran) == ["difference", "sum"]


load_rest()
JOINT = [op for each in registry.values() if (op := each.op).joint is not None]
SHAPES = [(5, 3), (64, 10), (40, 50), (2, 3, 4), (20, 3, 4), (1, 1), (0, 3), (3,)]


def inputs_of(op, shape, dtype):
    rng = np.random.default_rng(0)
    logits = rng.normal(size=shape).astype(dtype)
    if op.name == "sparse_softmax_cross_entropy":
        return [rng.integers(0, shape[-1], shape[:-1]), logits]
    return [np.eye(shape[-1], dtype=dtype)[rng.integers(0, shape[-1], shape[:-1])], logits]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("op", JOINT, ids=lambda op: op.name)
def test_both_results_have_the_bits_that_they_have_apart(op, shape, dtype):
    other, both = op.joint
    inputs = inputs_of(op, shape, dtype)
    theirs = [x for name, x in zip(op.inputs, inputs, strict=True) if name in other.inputs]
    for attributes in [()] if not other.attributes else [(i,) for i in range(len(shape))]:
        apart = op.forward(*inputs), other.forward(*theirs, *attributes)
        for found, expected in zip(both.forward(*inputs, *attributes), apart, strict=True):
            assert (np.shape(found), found.dtype) == (np.shape(expected), expected.dtype)
            assert np.asarray(found).tobytes() == np.asarray(expected).tobytes()


@pytest.mark.parametrize("sparse", [True, False])
def test_a_classifier_in_one_function_gets_numpys_loss_and_gradient(sparse):
    rng = np.random.default_rng(1)
    x, labels = rng.normal(size=(20, 4)), rng.integers(0, 3, 20)
    one_hot = np.eye(3)[labels]
    w = tf.Variable(rng.normal(size=(4, 3)))

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            if sparse:
                each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, x @ w)
            else:
                each = tf.nn.softmax_cross_entropy_with_logits(one_hot, x @ w)
            loss = tf.reduce_sum(each)
        return loss, tape.gradient(loss, w)

    loss, slope = step()
    p = np.exp(x @ w.numpy())
    p /= p.sum(1, keepdims=True)
    np.testing.assert_allclose(loss, -np.log(p[np.arange(20), labels]).sum(), rtol=1e-10)
    np.testing.assert_allclose(slope, x.T @ (p - one_hot), rtol=1e-10)


def test_a_label_that_is_no_class_is_told_where_the_ops_run_together():
    @tf.function
    def slope(labels, logits):
        with tf.GradientTape() as tape:
            tape.watch(logits)
            each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
        return tape.gradient(each, logits)

    with pytest.raises(InvalidArgumentError, match=r"label value of 7 .* valid range of \[0, 2\)"):
        slope(tf.constant([7]), tf.constant([[0.0, 1.0]]))
