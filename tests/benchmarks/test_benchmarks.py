"""Both sides of the benchmark compute the same numbers; times are for `bench.py` alone."""

import loop_programs as loops
import numpy as np
import pytest
from bench import measure, pair
from workloads import WORKLOADS

import minitape as tf


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


def test_the_net_that_is_trained_in_a_loop_has_the_loss_by_hand():
    run = loops.PROGRAMS["net"](tf)
    np.testing.assert_allclose(run(20), loops.by_hand(20), rtol=1e-4)


@pytest.mark.parametrize("name", loops.PROGRAMS)
def test_every_training_in_a_loop_lowers_its_loss(name):
    first, later = loops.PROGRAMS[name](tf), loops.PROGRAMS[name](tf)
    assert 0 < later(100) < 0.9 * first(1)


@pytest.mark.parametrize("way", loops.simulations(tf))
def test_every_form_of_the_simulation_has_the_slope_by_differences(way):
    def end(x):
        v = 0.0
        for _ in range(loops.SIMULATED):
            v -= 0.01 * np.sin(x)
            x += 0.01 * v
        return x

    slope = (end(1 + 1e-6) - end(1 - 1e-6)) / 2e-6
    np.testing.assert_allclose(loops.simulations(tf)[way](), slope, rtol=1e-4)
