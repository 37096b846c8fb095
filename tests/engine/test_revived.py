"""A tape keeps arrays of what it follows alone; who watches the sweep meets the tensors again."""

from __future__ import annotations

import math

import numpy as np
import pytest

import minitape as tf
from minitape.op import primitive, registry
from minitape.tensor import Array, Shape, Tensor  # noqa: F401


def recorded(function, x):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        between, y = function(x)
    return tape, between, y


def sine_squared(x):
    between = tf.sin(x)
    return between, between * between * x


def exponential(x):
    between = tf.exp(x)  # its rule keeps the result
    return between, between * 2.0


@pytest.mark.parametrize(
    ("function", "derivative"),
    # The sweep computes 2 z x cos x + z^2, and 2 z; z is watched, the z^2 of before is not.
    [(sine_squared, lambda x: 2 * x * math.cos(x)), (exponential, lambda x: 2.0)],
)
def test_what_is_watched_after_it_was_recorded_is_followed_through_the_sweep(function, derivative):
    x = tf.constant(0.5, tf.float64)
    tape, between, y = recorded(function, x)
    with tf.GradientTape() as later:
        later.watch(between)
        g = tape.gradient(y, x)
    expected = derivative(0.5)
    assert float(later.gradient(g, between)) == pytest.approx(expected, rel=1e-12)
    with tf.autodiff.ForwardAccumulator(between, tf.constant(3.0, tf.float64)) as accumulator:
        g = tape.gradient(y, x)
    assert float(accumulator.jvp(g)) == pytest.approx(3 * expected, rel=1e-12)


def test_a_primal_that_the_program_dropped_still_moves_what_a_tape_kept_of_it():
    x = tf.constant(0.5, tf.float64)
    tape, between, y = recorded(sine_squared, x)
    with tf.autodiff.ForwardAccumulator(between, tf.constant(1.0, tf.float64)) as accumulator:
        del between
        g = tape.gradient(y, x)
    assert float(accumulator.jvp(g)) == pytest.approx(math.cos(0.5), rel=1e-12)


def test_a_constant_that_a_rule_kept_can_be_watched_later():
    w, x = tf.Variable(2.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        y = w * x
    with tf.GradientTape() as later:
        later.watch(x)
        g = tape.gradient(y, w)
    assert float(later.gradient(g, x)) == 1.0


def test_a_persistent_tape_differentiates_its_own_sweep():
    x = tf.constant(0.5, tf.float64)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.exp(x) * tf.sin(x)
        first = tape.gradient(y, x)
    assert float(tape.gradient(first, x)) == pytest.approx(2 * math.exp(0.5) * math.cos(0.5))


def test_a_read_of_a_variable_is_no_other_tapes_business():
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = v * v
    with tf.GradientTape() as later:
        unused = v * 2.0  # `later` follows this read of v, not the one that `tape` recorded
        g = tape.gradient(y, v)
    assert float(g) == 6.0
    assert later.gradient(g, v) is None
    assert float(unused) == 6.0


@pytest.mark.parametrize("shape", [(1, 0), (1, 1), (3, 1), (1, 2), (2,), (1,), ()])
def test_a_broadcast_input_gets_a_gradient_of_its_own_shape(shape):
    x, y = tf.constant(np.ones(shape)), tf.constant(np.ones((3, 0) if 0 in shape else (3, 2)))
    for op in (tf.add, tf.multiply, tf.pow):
        for left, right in ((x, y), (y, x)):
            with tf.GradientTape() as tape:
                tape.watch([x, y])
                z = op(left, right)
            of_x, of_y = tape.gradient(z, [x, y])
            assert (of_x.shape, of_y.shape) == (x.shape, y.shape)
            count = y.numpy().size / max(x.numpy().size, 1)
            if op is not tf.pow:
                np.testing.assert_array_equal(of_x.numpy(), np.full(shape, count))


def test_a_rule_gets_the_shape_where_it_asks_for_no_more():
    @primitive()
    def own_total(x: Array) -> Array:
        return np.sum(x)

    del registry["own_total"]
    seen = []

    @own_total.vjp("x")
    def _(g: Tensor, x: Shape) -> Tensor:
        seen.append(x)
        return tf.broadcast_to(g, x)

    x = tf.constant([[1.0, 2.0, 3.0]])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = own_total(x * x)
        g = tape.gradient(y, x)
    np.testing.assert_array_equal(g.numpy(), [[2.0, 4.0, 6.0]])
    np.testing.assert_array_equal(outer.gradient(g, x).numpy(), [[2.0, 2.0, 2.0]])
    assert set(seen) == {(1, 3)}


def test_a_rule_that_does_not_say_what_it_takes_is_refused():
    @primitive()
    def own_twice(x: Array) -> Array:
        return x * 2

    del registry["own_twice"]
    with pytest.raises(TypeError, match="takes `x` without saying what of it.*`x: Tensor`"):

        @own_twice.vjp("x")
        def _(g, x):
            return g * 2


RULES = [
    (lambda g, x: g * x, 10.0),
    (lambda g, x: x * g, 10.0),
    (lambda g, x: g + x, 7.0),
    (lambda g, x: g - x, 3.0),
    (lambda g, x: x - g, -3.0),
    (lambda g, x: g / x, 2.5),
    (lambda g, x: x, 2.0),
    (lambda g, x: g, 5.0),
]


@pytest.mark.parametrize(("rule", "expected"), RULES)
def test_only_the_two_rules_that_the_sweep_writes_out_are_taken_for_them(rule, expected):
    @primitive()
    def own_op(x: Array) -> Array:
        return x

    del registry["own_op"]
    rule.__annotations__ = {"x": "Tensor"}
    own_op.vjp("x")(rule)
    x, weight = tf.constant(2.0), tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = own_op(x)
    assert float(tape.gradient(y, x, weight)) == expected
