"""A gradient of another program's is a NumPy array when asked for, all of it."""

from __future__ import annotations

import numpy as np
import pytest

from minitape.viz.adapters.writer import Writer
from minitape.viz.player.notebook import Player
from minitape.viz.trace.arrays import Array
from minitape.viz.trace.trace import Producer, Trace

SMALL = [
    np.float32([[1.0, 2.5], [np.nan, -np.inf]]), np.array([1 + 2j, 3j], np.complex64),
    np.array([True, False]), np.array([[1, 2, 3]], np.int8), np.zeros((0, 3)), np.float64(2.0),
    np.array(["a", "bc"]),
]  # fmt: skip


@pytest.mark.parametrize("values", SMALL, ids=lambda v: f"{v.dtype.name}{v.shape}")
def test_a_record_of_a_small_array_is_that_array(values):
    found = Array.of(values).numpy()
    np.testing.assert_array_equal(found, values)
    assert found.dtype.kind == values.dtype.kind
    assert found.shape == values.shape
    if values.dtype.kind != "U":
        assert found.dtype == values.dtype


def test_a_record_of_a_part_says_what_is_missing():
    with pytest.raises(ValueError, match=r"shape \[100\] has 8 of its 100 elements"):
        np.asarray(Array.of(np.arange(100.0)))


def player_of(gradient):
    writer = Writer()
    x = writer.leaf(np.zeros_like(gradient), name="x")
    writer.seed(x, gradient)
    return Player(writer.trace([x], [x], Producer("mine")))


def test_a_large_gradient_of_an_adapter_is_whole():
    gradient = np.random.default_rng(0).normal(size=(300, 40)).astype(np.float32)
    found = player_of(gradient).gradients["x"]
    np.testing.assert_array_equal(np.asarray(found), gradient)
    np.testing.assert_array_equal(np.asarray(found, np.float64), gradient.astype(np.float64))
    assert not found.is_whole  # what a page and a saved trace have of it


def test_an_array_asked_for_is_one_s_own():
    gradient = np.arange(100.0)
    found = player_of(gradient).gradients["x"]
    found.numpy()[:] = 7.0
    gradient[:] = 8.0
    np.testing.assert_array_equal(found.numpy(), np.arange(100.0))


def test_a_saved_trace_has_the_record_alone():
    trace = player_of(np.arange(100.0)).trace
    again = Trace.from_json(trace.to_json())
    assert again == trace
    with pytest.raises(ValueError, match="a saved trace"):
        again.gradients[0].numpy()
