"""Paths from a source to the target: counted, and with what each brings to the gradient."""

from __future__ import annotations

import numpy as np
import pytest
from networks import NETWORKS

import minitape as tf
from minitape import viz
from minitape.viz.trace.trace import Trace, check


def array_of(record):
    return np.array(record.data, record.dtype).reshape(record.shape)


def total(found):
    terms = [array_of(way.value).astype("float64") for way in found.ways]
    return np.sum(terms if found.rest is None else [*terms, array_of(found.rest)], axis=0)


@pytest.mark.parametrize("name", list(NETWORKS))
def test_what_the_paths_bring_adds_up_to_the_gradient(name):
    trace = NETWORKS[name]().trace
    assert [each.source for each in trace.paths] == list(trace.sources)
    for found in trace.paths:
        expected = array_of(trace.gradients[found.source])
        np.testing.assert_allclose(total(found), expected, rtol=1e-4, atol=1e-5)
        for way in found.ways:
            assert (way.nodes[0], way.nodes[-1]) == (found.source, found.target)
            pairs = zip(way.nodes, way.nodes[1:], strict=False)
            assert all(a in trace.nodes[b].inputs for a, b in pairs)


def test_the_terms_of_a_product_and_a_square_are_those_of_the_sum_rule():
    w = tf.Variable(3.0)
    with viz.recording(), tf.GradientTape() as tape:
        y = w * 10.0 + w * w
    (found,) = viz.step(tape, y, w).trace.paths
    # 10, and w twice: once for each factor of the square.
    assert sorted(float(way.value.data[0]) for way in found.ways) == [3.0, 3.0, 10.0]
    assert found.count == 3 and found.rest is None


def test_more_paths_than_can_be_shown_are_counted_and_the_rest_is_one_term():
    x = tf.Variable([1.0, 0.5])
    with viz.recording(), tf.GradientTape() as tape:
        y = x
        for _ in range(40):
            y = y * 0.25 + y * 0.5
        loss = tf.reduce_sum(y)
    trace = viz.step(tape, loss, x).trace
    (found,) = trace.paths
    assert found.count == 2**40
    np.testing.assert_allclose(total(found), [0.75**40] * 2, rtol=1e-4)
    check(trace)
    assert Trace.from_json(trace.to_json()) == trace


def test_the_largest_terms_come_first():
    found = NETWORKS["rnn"]().trace.paths[1]
    sizes = [np.abs(array_of(way.value)).sum() for way in found.ways]
    assert found.count == 10
    assert sizes == sorted(sizes, reverse=True)
    assert np.abs(array_of(found.rest)).sum() < sizes[0]


def test_a_source_without_a_gradient_has_no_paths():
    x, w = tf.Variable(1.0), tf.Variable(2.0)
    with viz.recording(), tf.GradientTape() as tape:
        y = w * w
        _ = x * 2.0
    trace = viz.step(tape, y, [x, w]).trace
    (found,) = trace.paths
    assert trace.nodes[found.source].name == "w"
