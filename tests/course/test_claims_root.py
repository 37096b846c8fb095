"""What lesson 6 says of an op that finds a root, recomputed in NumPy by bisection and two runs."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from test_claims import run_apart

from lesson_cells import alternatives, prose
from minitape.viz.course.motion import following, with_subscripts


def landing(up: float, drag: float) -> float:
    """The moment at which the height is 0, from the closed form of a fall with linear drag."""
    low, high = 0.5, 20.0
    for _ in range(80):
        t = (low + high) / 2
        fallen = (up + 9.81 / drag) * (1 - np.exp(-drag * t)) / drag - 9.81 * t / drag
        low, high = (t, high) if 1.5 + fallen > 0 else (low, t)
    return low


def slopes(h: float = 1e-5) -> tuple[float, float]:
    """How the moment changes with the velocity and with the drag, by two runs each."""
    by_up = (landing(10 + h, 0.3) - landing(10 - h, 0.3)) / (2 * h)
    return by_up, (landing(10, 0.3 + h) - landing(10, 0.3 - h)) / (2 * h)


@pytest.fixture(scope="module")
def printed():
    return run_apart("06", "def height(t", "def landing(", "made of the constants", "def flight(")


@pytest.mark.course
def test_the_search_is_right_and_its_gradient_is_none(printed):
    moment = re.search(r"([\d.]+) s, gradient None", printed)[1]
    assert float(moment) == pytest.approx(landing(10, 0.3), abs=1e-10)
    assert landing(10, 0.3) == pytest.approx(2.034, abs=5e-4)


@pytest.mark.course
def test_the_implicit_rule_says_what_two_runs_say_and_passes_the_check_to_second_order(printed):
    found = [float(each) for each in re.search(r"\[(.*?), (.*?)\]\nTrue", printed).groups()]
    assert found == pytest.approx(slopes(), abs=1e-6)
    assert slopes()[0] == pytest.approx(0.16, abs=5e-4)  # of the prediction


@pytest.mark.course
def test_the_roots_of_the_picture_are_those_of_its_text():
    assert landing(10, 0.3) == pytest.approx(2.03, abs=5e-3)
    assert landing(11, 0.3) == pytest.approx(2.19, abs=5e-3)


@pytest.mark.course
def test_the_search_with_few_rounds_is_a_staircase_of_flat_steps():
    def steps(rounds: int) -> int:
        found = set()
        for up in np.linspace(8.0, 12.0, 801):
            low, high = 0.5, 20.0
            for _ in range(rounds):
                t = (low + high) / 2
                fallen = (up + 9.81 / 0.3) * (1 - np.exp(-0.3 * t)) / 0.3 - 9.81 * t / 0.3
                low, high = (t, high) if 1.5 + fallen > 0 else (low, t)
            found.add(t)
        return len(found)

    assert (steps(6), steps(9)) == (3, 10)
    assert "three flat steps, after 9 one of ten" in alternatives("06")
    assert [landing(8, 0.3), landing(12, 0.3)] == pytest.approx([1.7, 2.4], abs=0.06)


@pytest.mark.course
def test_a_pencil_finds_the_velocity_and_corrections_find_the_drag():
    ends = 1 - np.exp(-0.3 * 2.5)  # the height at 2.5 s is linear in the velocity
    up = (9.81 * 2.5 / 0.3 - 1.5) * 0.3 / ends - 9.81 / 0.3
    assert landing(up, 0.3) == pytest.approx(2.5, abs=1e-9)
    drag = 0.3
    for _ in range(4):
        slope = (landing(10, drag + 1e-5) - landing(10, drag - 1e-5)) / 2e-5
        drag += (2.0 - landing(10, drag)) / slope
    assert landing(10, drag) == pytest.approx(2.0, abs=1e-8)
    assert "The same lines can." in prose("06")


@pytest.mark.course
def test_two_corrections_by_the_gradient_make_it_land_after_the_wanted_time():
    said = run_apart(
        "06", "def height(t", "def landing(", "def flight(", "speed = tf.Variable(10.0"
    )
    found = [float(each) for each in re.findall(r"up with ([\d.]+) m/s", said)]
    up, h = 10.0, 1e-5
    for each in found:
        assert each == pytest.approx(up, abs=1e-4)
        slope = (landing(up + h, 0.3) - landing(up - h, 0.3)) / (2 * h)
        up += (2.5 - landing(up, 0.3)) / slope
    assert len(found) == 3 and landing(found[-1], 0.3) == pytest.approx(2.5, abs=1e-5)
    assert said.count("lands after 2.500000 s") == 1


def newton(up: float, rounds: int) -> float:
    """The moment after so many rounds of Newton's method from 3 s, with the drag 0.3."""
    t = 3.0
    for _ in range(rounds):
        high = 1.5 + (up + 9.81 / 0.3) * (1 - np.exp(-0.3 * t)) / 0.3 - 9.81 * t / 0.3
        t -= high / ((up + 9.81 / 0.3) * np.exp(-0.3 * t) - 9.81 / 0.3)
    return t


@pytest.mark.course
def test_slopes_of_newton_s_method_arrive_later_than_its_values():
    said = run_apart("06", "def height(t", "def landing(", "two rounds of Newton's method")
    for rounds in (2, 3):
        slope = (newton(10 + 1e-5, rounds) - newton(10 - 1e-5, rounds)) / 2e-5
        assert f"{rounds} rounds: {newton(10, rounds):.4f} s, slope {slope:.4f}" in said
    assert newton(10, 2) / landing(10, 0.3) - 1 == pytest.approx(0.005, abs=5e-4)
    assert "0.154, where 0.160 is right" in said
    assert 1 - 0.15415 / slopes()[0] == pytest.approx(0.04, abs=3e-3)
    assert abs(newton(10, 3) / landing(10, 0.3) - 1) < 5e-4
    assert "slope 0.1602" in said


@pytest.mark.course
def test_the_slopes_of_kepler_s_equation_are_those_of_two_runs():
    def angle(M: float, e: float) -> float:
        low, high = M - 1, M + 1
        for _ in range(80):
            E = (low + high) / 2
            low, high = (E, high) if E - e * np.sin(E) < M else (low, E)
        return low

    M, e, h = 1.3, 0.6, 1e-6
    E = angle(M, e)
    steep = 1 - e * np.cos(E)
    assert (angle(M + h, e) - angle(M - h, e)) / (2 * h) == pytest.approx(1 / steep, rel=1e-6)
    by_e = (angle(M, e + h) - angle(M, e - h)) / (2 * h)
    assert by_e == pytest.approx(np.sin(E) / steep, rel=1e-6)


def test_the_picture_s_root_goes_from_the_first_curve_s_to_the_last_one_s():
    curves = {
        "low": [(0.0, 1.0), (1.0, 0.0), (2.0, -1.0)],
        "high": [(0.0, 2.0), (1.0, 1.0), (2.0, 0.0)],
    }
    svg = following(curves, [1.0, 2.0], ("ground", "up", "along"), "A line is lifted.").svg
    across = [20 + 560 * root / 2 for root in (1.0, 2.0)]
    ground, top = (270 - 240 * (y + 1) / 3 for y in (0.0, 1.0))
    assert f'd="M{across[0]},{ground} H{across[1]} ' in svg  # along the ground, root to root
    assert f'd="M{across[0]},{ground} V{top} ' in svg  # up to the lifted line
    for x, root in zip(across, ("1.00 s", "2.00 s"), strict=True):
        assert f'<text x="{x}" y="{ground + 22}" text-anchor="middle">{root}</text>' in svg


def test_a_letter_after_an_underscore_is_lowered_and_the_rest_of_a_picture_s_words_is_not():
    text = ElementTree.fromstring(f"<text>{with_subscripts('it rises by f_p dp < 1')}</text>")
    low, rest = text
    assert (text.text, low.text, rest.text) == ("it rises by f", "p", " dp < 1")
    assert float(low.get("dy")) == -float(rest.get("dy")) > 0
