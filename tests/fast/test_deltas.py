"""An assignment may write to the array of a delta, but only where nobody else can see it."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import minitape as tf

MANY = 5000  # elements; small deltas are never written to


def delta():
    return tf.constant(np.ones(MANY, np.float32)) * 0.5


def by_name(change):
    held = delta()
    change(held)
    return held


def by_keyword(change):
    held = delta()
    change(delta=held)
    return held


def in_a_list(change):
    held = [delta()]
    list(map(change, held))
    return held[0]


def unpacked(change):
    held = (delta(),)
    change(*held)
    return held[0]


def in_a_loop(change):
    held = {"w": delta()}
    for each in held.values():
        change(each)
    return held["w"]


def seen_by_numpy(change):
    views = []

    def looked_at():
        made = delta()
        views.append(np.asarray(made))
        return made

    change(looked_at())
    return views[0]


def kept_by_a_tape(change):
    x = tf.constant(np.full(MANY, np.log(0.5), np.float32))
    targets = []
    with tf.GradientTape() as tape:
        tape.watch(x)

        def followed():
            made = tf.exp(x)  # the tape keeps its array
            targets.append(made * 1.0)
            return made

        change(followed())
    return tape.gradient(targets[0], x)


HOLDERS = [by_name, by_keyword, in_a_list, unpacked, in_a_loop, seen_by_numpy, kept_by_a_tape]


@pytest.mark.parametrize("hold", HOLDERS, ids=lambda hold: hold.__name__)
@pytest.mark.parametrize(("method", "sign"), [("assign_add", 1), ("assign_sub", -1)])
def test_a_delta_that_somebody_holds_keeps_its_values(hold, method, sign):
    v = tf.Variable(np.full(MANY, 7.0, np.float32))
    before = v.read_value()
    np.testing.assert_allclose(np.array(hold(getattr(v, method))), 0.5, rtol=1e-6)
    np.testing.assert_allclose(v.numpy(), 7.0 + sign * 0.5, rtol=1e-6)
    np.testing.assert_array_equal(before.numpy(), 7.0)


def test_what_was_assigned_keeps_its_values():
    v, w = tf.Variable(np.zeros(MANY, np.float32)), tf.Variable(np.zeros(MANY, np.float32))
    w.assign(delta())
    v.assign_sub(w)
    v.assign_sub(w.read_value())
    v.assign_sub(v)
    np.testing.assert_array_equal(w.numpy(), 0.5)
    np.testing.assert_array_equal(v.numpy(), 0.0)


@pytest.mark.fast_layer
@pytest.mark.skipif(sys.version_info >= (3, 14), reason="counts of references say less there")
def test_a_delta_made_for_one_assignment_lends_its_array():
    v = tf.Variable(np.full(MANY, 7.0, np.float32))
    places = []

    def noted():
        made = delta()
        places.append(made.value.__array_interface__["data"])
        return made

    v.assign_sub(noted())
    assert v._plain.value.__array_interface__["data"] == places[0]
    np.testing.assert_array_equal(v.numpy(), 6.5)


def test_an_assignment_beyond_the_largest_number_gives_infinity_and_leaves_the_delta():
    huge = np.full(MANY, 3e38, np.float32)
    v, g = tf.Variable(huge), tf.constant(huge)
    with np.errstate(over="raise"):
        v.assign_add(g * 1.0)
    np.testing.assert_array_equal(v.numpy(), np.inf)
    np.testing.assert_array_equal(g.numpy(), huge)
