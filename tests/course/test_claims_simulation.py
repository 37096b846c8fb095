"""What lesson 9 says of simulations, recomputed: by formulas, by NumPy alone, by counting."""

from __future__ import annotations

import re

import numpy as np
import pytest

import minitape as tf
from lesson_cells import FOLDER, alternatives, code, numbers, prose, whole

pytest.importorskip("matplotlib.pyplot", reason="the lesson draws (extra plot)")
# The lesson runs as a whole, in about ten seconds, once for all its claims.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("lesson 09")]

G, KEEP = 9.81, 0.8


@pytest.fixture(scope="module")
def lesson():
    return whole("09")


def lines(printed: str, begin: str) -> list[list[float]]:
    return [numbers(line[len(begin) :]) for line in printed.splitlines() if line.startswith(begin)]


def on_paper(h: float) -> float:
    tau = np.sqrt(2 * h / G)
    return KEEP * G * tau * (1 - tau) - G * (1 - tau) ** 2 / 2


def simulated(h: float, way: str, steps: int) -> float:
    """The three programs again, in plain Python."""
    dt, y, v = 1.0 / steps, h, 0.0
    for _ in range(steps):
        y, v = y + v * dt - G * dt**2 / 2, v - G * dt
        if y < 0:
            v *= -KEEP
            y = {"turn": y, "floor": 0.0, "mirror": -y}[way]
    return y


@pytest.mark.takes_turns
def test_the_tape_holds_twice_as_much_for_twice_the_steps(lesson):
    _, printed = lesson
    held = [numbers(each)[-1] for each in re.findall(r"\d+ steps: +[\d.]+ MB", printed)]
    assert len(held) == 5
    assert held[2] / 5000 * 1e6 / 1000 == pytest.approx(4.8, abs=0.05)
    assert "a hundred steps of a *million* balls would need 4.8 GB" in prose("09")
    np.testing.assert_allclose(np.diff(held), held[0] * np.array([1, 2, 4, 8]), rtol=0.03)


@pytest.mark.takes_turns
def test_forward_mode_holds_little_reverse_mode_much_and_ten_segments_least(lesson):
    names, _ = lesson
    assert names["one_forward"] < 3 * names["throw_alone"]
    assert names["one_reverse"] > 20 * names["throw_alone"]
    assert names["choices"][int(np.argmin(names["held"]))] == 10
    assert names["held"][0] == pytest.approx(names["one_reverse"], rel=0.05)
    assert names["held"][-1] > 0.65 * names["one_reverse"]
    assert min(names["held"]) == pytest.approx(5, abs=0.6)
    assert names["one_reverse"] == pytest.approx(25, abs=0.6)
    assert "about 5 MB" in alternatives("09")
    assert "line of 25 MB" in alternatives("09")
    assert names["same"]


def test_the_gradient_of_the_throw_falls_from_16_to_nothing(lesson):
    names, _ = lesson
    assert names["lengths"][0] == pytest.approx(16, abs=0.5)
    assert np.all(np.diff(names["lengths"][1:]) < 0)
    assert names["lengths"][-1] < 1


def test_the_gradient_after_one_second_is_that_of_differences(lesson):
    _, printed = lesson

    def flown(place, speed, steps):
        for _ in range(steps):
            air = speed + [6.0 * np.tanh(place[1] / 5.0), 0.0]
            speed = speed + 0.02 * (-0.02 * np.linalg.norm(air) * air - [0.0, G])
            place = place + 0.02 * speed
        return place, speed

    half = flown(
        np.array([0.0, 1.5]), np.array([10.0, 10.0]), 50
    )  # a step moves with its new velocity

    def missed(change):
        return np.sum((flown(half[0] + 0.02 * change, half[1] + change, 50)[0] - [20.0, 2.0]) ** 2)

    slopes = [(missed(e) - missed(-e)) / 2e-6 for e in 1e-6 * np.eye(2)]
    assert f"after one second: {np.linalg.norm(slopes):.2f}\n" in printed


def test_one_centimetre_more_gives_one_millimetre_and_a_half(lesson):
    _, printed = lesson
    slope = (on_paper(2.1 + 1e-6) - on_paper(2.1 - 1e-6)) / 2e-6
    assert lines(printed, "height ")[0] == [pytest.approx(on_paper(2.1), abs=5e-5),
                                            pytest.approx(slope, abs=5e-5)]  # fmt: skip
    assert "0.1509" in prose("09") + printed
    assert "dropped from a centimetre higher, it ends 1.5 millimetres higher" in prose("09")


@pytest.mark.parametrize("way", ["turn", "floor", "mirror"])
def test_heights_come_near_and_slopes_do_not(lesson, way):
    names, printed = lesson
    heights, slopes = [row for row in lines(printed, f"{way:12}") if len(row) == 3]
    steps = (60, 600, 6000)
    expected = [simulated(2.1, way, n) for n in steps]
    np.testing.assert_allclose(heights, expected, atol=6e-5)
    differences = [
        (simulated(2.1 + 1e-7, way, n) - simulated(2.1 - 1e-7, way, n)) / 2e-7 for n in steps
    ]
    np.testing.assert_allclose(slopes, differences, atol=1e-4)
    assert slopes == [{"turn": 1.0, "floor": 0.0, "mirror": -1.0}[way]] * 3
    off = [abs(each - on_paper(2.1)) for each in expected]
    assert off[0] > 10 * off[1] > 100 * off[2] and off[2] < 1e-3
    assert "the error of the height is at least ten times smaller here" in code("09")


def test_one_ball_in_five_sticks_just_under_the_floor_however_fine_the_steps_are():
    heights = np.linspace(1.3, 3.0, 401)
    for steps, deepest in ((50, 0.1), (500, 0.01)):
        ends = np.array([simulated(h, "turn", steps) for h in heights])
        stuck = np.abs(ends - [on_paper(h) for h in heights]) > 0.5
        assert np.mean(stuck) == pytest.approx(0.2, abs=0.02)
        assert np.all((-deepest < ends[stuck]) & (ends[stuck] < 0))
    said = "is turned again, and again, and sticks just under the floor"
    assert said in prose("09")


def test_errors_of_the_height_are_ten_times_smaller_with_steps_ten_times_finer():
    heights = np.linspace(1.5, 2.5, 201)
    for way in ("floor", "mirror"):
        off = [np.median([abs(simulated(h, way, n) - on_paper(h)) for h in heights])
               for n in (50, 500)]  # fmt: skip
        assert off[0] / off[1] == pytest.approx(10, rel=0.3)


def test_only_the_moment_of_contact_aims_right(lesson):
    _, printed = lesson
    found = {each: numbers(line.split("h = ")[1]) for each in ("turn", "floor", "mirror", "contact")
             for line in printed.splitlines() if line.startswith(f"{each:8} goes")}  # fmt: skip
    for name, (h, believed, real) in found.items():
        assert real == pytest.approx(on_paper(h), abs=2e-3)
        assert abs(real - 1.1) < 1e-3 if name == "contact" else abs(real - 1.1) > 0.01
        if name != "contact":
            assert believed == pytest.approx(simulated(h, name, 50), abs=2e-2)
    assert found["floor"][0] == 2.0
    assert found["mirror"][0] > 3.0


def test_three_programs_are_within_a_millimetre_of_the_truth_and_their_slopes_have_three_signs(
    lesson,
):
    names, _ = lesson
    for way, slope in [("turn", 1), ("floor", 0), ("mirror", -1)]:
        height, found = names["found"][way, 6000]
        assert height == pytest.approx(on_paper(2.1), abs=1e-3)
        assert found == pytest.approx(slope, abs=1e-9)
    said = "With fine enough time steps, each puts the ball within a millimetre of the truth"
    assert said in prose("09")


def test_the_picture_of_the_walks_has_the_ends_of_the_walks(lesson):
    names, printed = lesson
    for name, walk in names["walks"].items():
        (line,) = [each for each in printed.splitlines() if each.startswith(f"{name:8} goes")]
        end, believed, real = numbers(line.split("h = ")[1])
        assert len(walk) == 41 and walk[0][0] == 2.0
        assert walk[-1] == pytest.approx((end, believed), abs=1e-3)
        assert names["titles"][name] == f"{name}: believes {believed:.3f}, in truth {real:.3f}"
    pieces = names["teeth"](names["bounce_at_contact"])
    assert len(pieces) == 1  # the curve of contact is the dashed one
    for h, y in pieces[0]:
        assert y == pytest.approx(on_paper(h), abs=1e-9)
    for name, sign in [("turn", 1), ("floor", 0), ("mirror", -1)]:
        rises = [(p[-1][1] - p[0][1]) / (p[-1][0] - p[0][0])
                 for p in names["teeth"](names["methods"][name]) if len(p) > 2]  # fmt: skip
        np.testing.assert_allclose(rises, sign, atol=1e-9)


def weather(p: np.ndarray, dt: float) -> np.ndarray:
    x, y, z = p.T
    return p + dt * np.stack([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z], -1)


def growth(dt: float) -> float:
    """How starts a little apart part, brought together again each second, in NumPy."""
    p = np.random.default_rng(5).normal(size=(300, 3)) + [1.0, 1.0, 25.0]
    for _ in range(round(10 / dt)):
        p = weather(p, dt)
    apart, logs = np.random.default_rng(6).normal(size=p.shape), []
    for _ in range(20):
        near = p + 1e-8 * apart / np.linalg.norm(apart, axis=1, keepdims=True)
        for _ in range(round(1 / dt)):
            p, near = weather(p, dt), weather(near, dt)
        apart = near - p
        logs.append(np.log(np.linalg.norm(apart, axis=1) / 1e-8).mean())
    return float(np.mean(logs[5:]))


def test_the_gradient_of_the_weather_grows_as_a_small_change_does(lesson):
    names, _ = lesson
    assert names["per_second"] == pytest.approx(growth(0.005), abs=0.03)
    assert np.exp(names["growth"][4000]) == pytest.approx(8e7, rel=0.1)
    assert "About 80 million" in code("09")


def test_with_finer_steps_the_growth_is_nearer_to_the_published_exponent():
    assert growth(0.001) == pytest.approx(0.92, abs=0.015)
    assert 0.906 < growth(0.001) < growth(0.005)
    assert "with steps of 0.001 one measures about 0.92" in prose("09")


def test_a_tape_measures_that_the_map_of_the_parabola_has_the_exponent_log_2():
    assert "its exponent for each round is known on paper: $\\log 2$" in prose("09")
    x = tf.constant(np.linspace(0.07, 0.91, 8))
    with tf.GradientTape() as tape:
        tape.watch(x)
        last = x
        for _ in range(200):
            last = 4.0 * last * (1.0 - last)
    found = np.log(np.abs(tape.gradient(last, x).numpy())).mean() / 200
    assert found == pytest.approx(np.log(2), rel=0.05)


def test_a_small_difference_stays_on_one_tooth_and_agrees_with_a_gradient_that_lies():
    for way, slope in [("turn", 1), ("floor", 0), ("mirror", -1)]:
        tiny = (simulated(1.6 + 1e-6, way, 110) - simulated(1.6 - 1e-6, way, 110)) / 2e-6
        assert tiny == pytest.approx(slope, abs=1e-6)
    for steps in (90, 129):  # how wide a tooth is: the heights that bounce in the same step
        count = round(np.sqrt(2 * 1.6 / G) * steps)
        assert G * ((count + 1) ** 2 - count**2) / (2 * steps**2) == pytest.approx(0.05, abs=0.02)
    assert "A tooth is about 5 cm wide" in (FOLDER / "09_differentiate_a_simulation.py").read_text()


def line_at_rest(p: np.ndarray) -> np.ndarray:
    """The washing line in NumPy, settled."""
    across = np.linspace(0, 1, 14)[1:-1]
    u = np.stack([across, -0.3 * np.sin(np.pi * across)], 1)
    for _ in range(4000):
        ends = np.concatenate([[[0.0, 0.0]], u, [[1.0, 0.0]]])
        gaps = np.diff(ends, axis=0)
        pull = p[0] * (1 - (1.2 / 13) / np.linalg.norm(gaps, axis=1, keepdims=True)) * gaps
        u = u + 0.02 * (np.diff(pull, axis=0) + np.array([p[2], -p[1]]) / 12)
    return u


def test_both_gradients_of_the_rest_are_those_of_settling_twice(lesson):
    names, printed = lesson
    p = np.array([20.0, 1.0, 0.3])
    expected = []
    for change in 1e-4 * np.eye(3):
        ahead, behind = (line_at_rest(p + s * change)[:, 1].mean() for s in (1, -1))
        expected.append((ahead - behind) / 2e-4)
    for found in (names["through_all"], names["by_rule"]):
        np.testing.assert_allclose(found, expected, atol=1e-7)
    assert "ten digits agree: True" in printed
    assert "the rule agrees with differences: True" in printed
    counts = [int(each) for each in re.findall(r"(\d+) records", printed)]
    assert counts[0] > 70_000
    assert counts[1] == 3
    assert "more than seventy thousand records" in prose("09")


def test_stopped_early_both_gradients_are_off(lesson):
    names, printed = lesson
    assert "largest force left: 0.0026" in printed
    assert "force of about 0.003" in prose("09")
    through = np.abs(names["early"] / names["by_rule"] - 1)
    implicit = np.abs(names["implicit"] / names["by_rule"] - 1)
    assert np.all(implicit < through)
    assert np.all(through / implicit > 3.5)
    assert np.all(through / implicit < 9)
    assert "the implicit rule is about four to nine times nearer" in prose("09")
    assert np.all(implicit > 1e-3)


def test_stiffer_springs_make_up_for_heavier_washing():
    before = line_at_rest(np.array([20.0, 1.0, 0.3]))[:, 1].mean()
    heavier, stiffer = (
        line_at_rest(np.array([k, 1.1, 0.3]))[:, 1].mean() - before for k in (20.0, 22.1)
    )
    assert heavier < 0
    assert abs(stiffer) < 0.03 * abs(heavier)
    assert "needs springs that are stiffer by about 2.1" in prose("09")


def test_with_the_moment_of_contact_fifty_steps_are_exact(lesson):
    names, _ = lesson
    h, small = 2.1, 1e-5
    slope = (on_paper(h + small) - on_paper(h - small)) / (2 * small)
    found = names["by_tape"](names["bounce_at_contact"], h)
    np.testing.assert_allclose(found, (on_paper(h), slope), rtol=1e-8)
    assert "Height and slope are those on paper, even with 50 steps" in prose("09")


def test_a_ball_that_bounces_twice_in_a_step_falls_through_the_floor(lesson):
    names, _ = lesson
    height, slope = names["by_tape"](names["bounce_at_contact"], 0.05)
    assert height < -0.01
    assert np.isfinite(slope)  # nothing warns
    tau = np.sqrt(2 * 0.05 / G)
    assert (
        tau * (1 + 2 * KEEP / (1 - KEEP)) < 1.0
    )  # it has come to rest, after ever shorter bounces


def test_turn_is_below_the_curve_mirror_above_and_floor_where_it_rises():
    for h in np.linspace(1.9, 2.2, 201):
        above = {way: simulated(h, way, 50) - on_paper(h) for way in ("turn", "floor", "mirror")}
        assert above["turn"] < 0 < min(above["floor"], above["mirror"])
    assert "*Floor* is a staircase, above the curve where it rises" in prose("09")


def test_of_a_ball_that_lies_on_the_floor_the_moment_has_no_slope(lesson):
    names, _ = lesson
    with np.errstate(all="ignore"):
        assert not np.isfinite(names["by_tape"](names["bounce_at_contact"], 0.0)[1])
