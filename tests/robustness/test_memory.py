"""Counts and sizes beyond memory are refused at once, in words and with TensorFlow's class."""

from __future__ import annotations

import time

import numpy as np
import pytest

import minitape as tf

HUGE = 10**13

BEYOND_MEMORY = {
    "eye": lambda: tf.eye(10**9),
    "zeros": lambda: tf.zeros([HUGE]),
    "ones": lambda: tf.ones([HUGE // 10, 10]),
    "zeros_like": lambda: tf.zeros_like(tf.broadcast_to(1.0, [HUGE])),
    "range": lambda: tf.range(HUGE),
    "range of floats": lambda: tf.range(0.0, float(HUGE)),
    "linspace": lambda: tf.linspace(0.0, 1.0, HUGE),
    "one_hot": lambda: tf.one_hot([1], HUGE),
    "tile": lambda: tf.tile([1.0], [HUGE]),
    "repeat": lambda: tf.repeat([1.0], HUGE),
    "pad": lambda: tf.pad([1.0], [[0, HUGE]]),
    "scatter_nd": lambda: tf.scatter_nd([[0]], [1.0], [HUGE]),
    "random": lambda: tf.random.normal([HUGE]),
    "TensorArray": lambda: tf.TensorArray(tf.float32, HUGE),
    "dynamic_partition": lambda: tf.dynamic_partition([1.0], [0], 10**9),
    "split": lambda: tf.split(tf.zeros([0]), 10**9),
    "to_categorical": lambda: tf.keras.utils.to_categorical([1], HUGE),
    "in a batch": lambda: tf.vectorized_map(lambda x: tf.tile([x], [HUGE]), tf.ones([2])),
}


@pytest.mark.parametrize("call", BEYOND_MEMORY.values(), ids=BEYOND_MEMORY)
def test_more_than_memory_holds_is_exhausted_at_once(call):
    start = time.process_time()
    with pytest.raises(tf.errors.ResourceExhaustedError, match=r"OOM|At most 1,000,000"):
        call()
    assert time.process_time() - start < 5


@pytest.mark.parametrize("error", [MemoryError, tf.errors.OpError])
def test_running_out_of_memory_is_caught_by_both_classes(error):
    with pytest.raises(error):
        tf.eye(10**9)


@pytest.mark.parametrize("call", [
    lambda: tf.zeros([10**30]), lambda: tf.eye(10**30), lambda: tf.ones([10**10, 10**10]),
    lambda: tf.fill([10**19], 1.0), lambda: tf.range(0.0, 1e30), lambda: tf.range(float("inf")),
])  # fmt: skip
def test_shapes_that_no_integer_counts_are_refused(call):
    with pytest.raises(tf.errors.InvalidArgumentError, match="would have more than 2\\*\\*63 - 1"):
        call()


@pytest.mark.parametrize("ends", [(float("nan"),), (0, 5, float("nan")), (0.0, 5.0, -1.0)])
def test_a_range_that_leads_nowhere_is_refused(ends):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Requires start <= limit"):
        tf.range(*ends)


@pytest.mark.parametrize("count", [0, -1])
def test_there_is_one_group_or_more(count):
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be 1 or more"):
        tf.dynamic_partition([1.0], np.zeros(1, np.int32), count)


def test_many_groups_take_no_time_for_each_pair_of_group_and_row():
    rows = np.arange(20_000, dtype=np.int32)[::-1].copy()
    parts = tf.dynamic_partition(rows, rows, 20_000)
    assert [int(parts[i][0]) for i in (0, 7, 19_999)] == [0, 7, 19_999]
    assert all(len(part) == 1 for part in parts)
