"""Random programs of 5 to 40 ops: reverse, forward and numeric derivatives agree, and both
jacobians.

A program is a list of small integers; each picks an op and its operands from the values so far, all
of which are matrices with sides 1 or 3, so that every pair broadcasts. Bounded functions keep the
values near 1, where finite differences are good.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import minitape as tf

UNARY = [
    tf.sin,
    tf.tanh,
    tf.sigmoid,
    tf.nn.softplus,
    tf.negative,
    lambda x: tf.square(x) * 0.5,
    lambda x: tf.exp(tf.sin(x)),
    lambda x: tf.math.log1p(x * x),
    lambda x: tf.transpose(x),
    lambda x: tf.reduce_mean(x, axis=0, keepdims=True),
    lambda x: tf.reduce_sum(x, axis=-1, keepdims=True) * 0.3,
    lambda x: tf.reshape(x, tf.shape(x)[::-1]),
    lambda x: tf.nn.softmax(x),
    lambda x: x[::-1],
    lambda x: tf.cumsum(x, axis=0) * 0.3,
    lambda x: tf.reduce_logsumexp(x, axis=1, keepdims=True),
]
BINARY = [
    lambda x, y: x + y,
    lambda x, y: x * y,
    lambda x, y: x - 0.5 * y,
    lambda x, y: x / (1.5 + tf.sin(y)),
    lambda x, y: tf.maximum(x, y + 0.01),
    lambda x, y: tf.where(y > 0.2, x, tf.sin(x)),
    lambda x, y: (x @ tf.transpose(x)) * 0.2 + tf.reduce_mean(y),
    lambda x, y: tf.atan2(x + 2.0, y + 3.0),
]
STEP = st.tuples(
    st.integers(0, len(UNARY) + len(BINARY) - 1), st.integers(0, 99), st.integers(0, 99)
)
SHAPES = st.sampled_from([(1, 1), (1, 3), (3, 1), (3, 3)])
PROGRAM = st.lists(STEP, min_size=5, max_size=40)
INPUTS = st.lists(SHAPES, min_size=1, max_size=3)


@pytest.fixture(autouse=True, scope="module")
def _everything_is_large():
    """The sweep writes in place what it may, here to matrices of any size."""
    in_place = pytest.importorskip("minitape.fast.in_place")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(in_place, "LARGE", 1)
        yield


def run(steps, inputs):
    """The last value of the program, squashed, so that nothing grows."""
    values = list(inputs)
    for op, a, b in steps:
        x, y = values[a % len(values)], values[b % len(values)]
        out = UNARY[op](x) if op < len(UNARY) else BINARY[op - len(UNARY)](x, y)
        values.append(tf.tanh(out))
    return values[-1]


def arrays(shapes, seed):
    rng = np.random.default_rng(seed)
    return [rng.uniform(-1, 1, shape) for shape in shapes]


@settings(max_examples=100, deadline=None, derandomize=True)
@given(PROGRAM, INPUTS, st.integers(0, 1000))
def test_reverse_forward_and_numeric_derivatives_agree(steps, shapes, seed):
    xs, ts = arrays(shapes, seed), arrays(shapes, seed + 1)
    primals = [tf.constant(x) for x in xs]
    with tf.GradientTape() as tape:
        tape.watch(primals)
        y = run(steps, primals)
    grads = tape.gradient(y, primals, unconnected_gradients="zero")
    reverse = sum(float(np.sum(g.numpy() * t)) for g, t in zip(grads, ts, strict=True))
    with tf.autodiff.ForwardAccumulator(primals, [tf.constant(t) for t in ts]) as acc:
        y = run(steps, primals)
    forward = float(np.sum(acc.jvp(y, unconnected_gradients="zero").numpy()))

    def total(h):
        return float(
            np.sum(
                run(steps, [tf.constant(x + h * t) for x, t in zip(xs, ts, strict=True)]).numpy()
            )
        )

    numeric = (total(1e-6) - total(-1e-6)) / 2e-6
    assert reverse == pytest.approx(forward, rel=1e-8, abs=1e-10)
    assert reverse == pytest.approx(numeric, rel=1e-4, abs=1e-6)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(PROGRAM, SHAPES, st.integers(0, 1000))
def test_jacobians_by_stacks_and_one_by_one_agree(steps, shape, seed):
    x = tf.constant(arrays([shape], seed)[0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = run(steps, [x])
    size = int(np.prod(y.shape))
    weights = np.eye(size).reshape(size, *y.shape)
    one_by_one = np.array(
        [
            tape.gradient(y, x, tf.constant(each), unconnected_gradients="zero").numpy()
            for each in weights
        ]
    ).reshape(*y.shape, *shape)
    for how in ({}, {"parallel_iterations": 2}, {"experimental_use_pfor": False}):
        got = tape.jacobian(y, x, unconnected_gradients="zero", **how).numpy()
        np.testing.assert_allclose(got, one_by_one, rtol=1e-9, atol=1e-12)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.lists(STEP, min_size=3, max_size=12), SHAPES, st.integers(0, 1000))
def test_second_derivatives_agree_with_differences_of_the_first(steps, shape, seed):
    x, t = arrays([shape, shape], seed)

    def first(value):
        v = tf.constant(value)
        with tf.GradientTape() as tape:
            tape.watch(v)
            y = run(steps, [v])
        return tape.gradient(y, v, unconnected_gradients="zero").numpy()

    v = tf.constant(x)
    with tf.GradientTape() as outer:
        outer.watch(v)
        with tf.GradientTape() as inner:
            inner.watch(v)
            y = run(steps, [v])
        g = inner.gradient(y, v, unconnected_gradients="zero")
    hvp = outer.gradient(
        g, v, output_gradients=tf.constant(t), unconnected_gradients="zero"
    ).numpy()
    h = 1e-6
    numeric = (first(x + h * t) - first(x - h * t)) / (2 * h)
    np.testing.assert_allclose(hvp, numeric, rtol=1e-3, atol=1e-5)
