"""Both sides of the benchmark compute the same numbers; times are for `bench.py` alone."""

import numpy as np
import pytest
from bench import measure, pair
from workloads import WORKLOADS


@pytest.mark.parametrize("key", [key for key in WORKLOADS if key != "W8"])
def test_by_hand_and_by_tape_agree(key):
    hand, tape = pair(key)
    for want, got in zip(hand(), tape(), strict=True):
        scale = np.max(np.abs(want)) + 1e-30
        assert np.shape(want) == tuple(got.shape)
        assert np.max(np.abs(got.numpy() - want)) / scale < 1e-4


def test_a_measurement_gives_two_times_and_their_ratio():
    by_hand, by_tape, ratio = measure("W2", rounds=1)
    assert by_hand > 0 and by_tape > 0 and ratio > 0
