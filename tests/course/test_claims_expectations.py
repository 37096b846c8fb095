"""What lesson 15 draws, from closed forms."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from lesson_cells import cells, prose
from minitape.viz.course.motion import gathering


def test_the_text_of_the_two_bells_says_the_fractions_beyond_the_border():
    (alt,) = [
        cell.metadata["alt"]
        for cell in cells("15")
        if "two bells" in cell.metadata.get("alt", "")
    ]  # fmt: skip
    said = [float(each) for each in re.findall(r"is (0\.\d+) under|and (0\.\d+) under", alt)[0][:1]]
    said += [float(each) for each in re.findall(r"and (0\.\d+) under", alt)]
    beyond = [0.5 * math.erfc((1.0 - aim) / math.sqrt(2)) for aim in (0.0, 0.5)]
    assert said == pytest.approx(beyond, abs=0.005)


def test_a_cloud_rests_in_its_last_round_with_large_dots_for_hits():
    places = [(0.0, 0.0), (3.0, 4.0), (2.0, 2.0)]
    svg = gathering(
        [
            ("round 1", places, [0, 0, 0], (0.0, 0.0)),
            ("round 9", [*places, (7.0, 1.0)], [1.0, 0.0, 1.0, 0.0], (1.0, 1.0)),
        ],
        (1.0, 1.0),
        "A cloud.",
    ).svg
    first, last = re.findall(r'<g class="(?:moves|comes)".*?</g>', svg)
    assert 'opacity="0"' in first and 'opacity="1"' in last
    assert re.search(r'values="([01;]*)"', last)[1].split(";")[-1] == "1"
    (large,) = re.findall(r'd="([^"]*)" stroke="#0a7cc0"', last)
    assert large.count("M") == 2
    (small,) = re.findall(r'd="([^"]*)" stroke="#999"', last)
    assert small.count("M") == 1  # the one at 7 m is outside
    assert 'd="M310,195 m-7,0' in last  # the aim is in the ring
    assert "#0a7cc0" not in first


def test_a_mean_that_contains_the_sample_shortens_the_estimate_to_49_of_50():
    assert "With 50 throws the estimate is exactly 49/50 of the one without it" in prose("15")
    r, scores = np.random.default_rng(0).normal(size=(2, 50))
    without = [np.mean(np.delete(r, k)) for k in range(50)]
    alone = np.mean((r - without) * scores)
    assert np.mean((r - r.mean()) * scores) == pytest.approx(49 / 50 * alone)
