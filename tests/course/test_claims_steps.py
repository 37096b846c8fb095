"""What lesson 17 says of steps, recomputed in plain NumPy; and its moving picture."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from test_claims import run, squared_miss

from minitape.viz.course.motion import descending, stepping

HIT = np.array([15.645858, 11.732599])


def gradient(v: np.ndarray) -> np.ndarray:
    """The gradient of the squared miss by differences of four throws in each direction."""
    found = []
    for axis in np.eye(2):
        near, far = (
            (squared_miss(v + h * axis) - squared_miss(v - h * axis)) / (2 * h)
            for h in (1e-4, 2e-4)
        )
        found.append((4 * near - far) / 3)
    return np.array(found)


def curvatures() -> np.ndarray:
    rows = [(gradient(HIT + 1e-4 * a) - gradient(HIT - 1e-4 * a)) / 2e-4 for a in np.eye(2)]
    return np.linalg.eigvalsh(np.array(rows))


def test_the_curvatures_of_the_throw_and_the_border_are_those_of_differences():
    _, printed = run("17", "def miss(", "v = tf.Variable([15.6")
    flat, steep = curvatures()
    assert (flat, steep) == (pytest.approx(2.105, abs=2e-3), pytest.approx(4.352, abs=2e-3))
    assert f"border: {round(2 / steep, 2)}" in printed
    assert steep / flat == pytest.approx(2.1, abs=0.05)


@pytest.mark.parametrize(("rate", "off"), [(0.45, 0.0004), (0.47, 2.7)])
def test_a_hundred_steps_below_the_border_and_above_it(rate, off):
    v = HIT + 0.06 / 2**0.5
    assert round(squared_miss(v) ** 0.5, 3) == 0.065  # "6.5 cm off the ring"
    for _ in range(100):
        v = v - rate * gradient(v)
    assert squared_miss(v) ** 0.5 == pytest.approx(off, rel=0.13)


def steps(update, turned=0.0) -> int:
    """How many steps from (1, 1) to 1/1000 a rule needs in the valley."""
    c, s = np.cos(turned), np.sin(turned)
    turn = np.array([[c, -s], [s, c]])
    matrix = turn @ np.diag([1.0, 100.0]) @ turn.T
    x, kept, count = turn @ [1.0, 1.0], {}, 0
    while np.linalg.norm(x) > 1e-3:
        count += 1
        x = x - update(matrix @ x, kept, count)
    return count


def plain(g, kept, t):
    return 2 / 101 * g


def heavy(g, kept, t):
    kept["m"] = 0.9 * kept.get("m", 0.0) + g
    return 0.02 * kept["m"]


def adam(g, kept, t):
    kept["m"] = 0.9 * kept.get("m", 0.0) + 0.1 * g
    kept["v"] = 0.999 * kept.get("v", 0.0) + 0.001 * g * g
    return 0.1 * kept["m"] / (1 - 0.9**t) / (np.sqrt(kept["v"] / (1 - 0.999**t)) + 1e-7)


def tuned(g, kept, t):
    kept["m"] = 0.7 * kept.get("m", 0.0) + g
    return 0.03 * kept["m"]


def fast_adam(g, kept, t):
    return 5 * adam(g, kept, t)  # the rate 0.5


@pytest.mark.parametrize(
    ("rule", "straight", "turned"),
    [
        (plain, 363, 363),
        (heavy, 105, 105),
        (tuned, 41, 41),
        (adam, 82, 516),
        (fast_adam, 40, 113),
    ],
)
def test_the_steps_in_the_valley_and_in_the_valley_turned(rule, straight, turned):
    assert steps(rule) == straight
    assert steps(rule, np.pi / 4) == turned


def test_epsilon_counts_32_times_as_much_before_the_bias_correction_as_after_it():
    m, v = 0.1 * 1e-4, 0.001 * 1e-8  # after the first gradient, 0.0001
    before = 0.01 * m / 0.1 * 0.001**0.5 / (v**0.5 + 1e-7)
    after = 0.01 * m / 0.1 / ((v / 0.001) ** 0.5 + 1e-7)
    assert before == pytest.approx(0.0097, abs=5e-5)
    assert after == pytest.approx(0.00999, abs=5e-6)
    assert (0.01 / before - 1) / (0.01 / after - 1) == pytest.approx(32, abs=0.5)
    assert (
        "0.0097" in run("17", "def miss(", "def valley(", "plain = walk(", "for size in (1e-4")[1]
    )


def test_the_first_means_of_a_gradient_of_5_and_what_the_correction_makes_of_them():
    m, v = (1 - 0.9) * 5, (1 - 0.999) * 5**2
    assert (m, v) == pytest.approx((0.5, 0.025))
    assert (m / (1 - 0.9), v / (1 - 0.999)) == pytest.approx((5, 25))


def test_a_bfloat16_has_two_to_three_digits():
    assert 2 < 8 * np.log10(2) < 3  # 8 of its 16 bits are digits, the leading one included


def test_two_over_101_is_the_best_rate_in_the_valley():
    best = 2 / 101

    def factor(rate):
        return max(abs(1 - rate), abs(1 - 100 * rate))

    assert factor(best) < min(factor(best + d) for d in (-1e-4, 1e-4, -1e-3, 1e-3))


def test_what_is_smaller_than_half_of_the_smallest_number_becomes_0():
    smallest = float(np.finfo(np.float16).smallest_subnormal)
    assert smallest == pytest.approx(6e-8, rel=0.02)
    assert np.float16(0.49 * smallest) == 0 and np.float16(0.51 * smallest) > 0
    assert np.float16(2e-8) == 0


def test_momentum_adds_ten_equal_gradients_up():
    m = 0.0
    for _ in range(400):
        m = 0.9 * m + 1
    assert m == pytest.approx(10)


@pytest.fixture(scope="module")
def walks():
    names, _ = run("17", "def miss(", "def valley(", "plain = walk(")
    fast = names["walk"](names["optimizers"].Adam(0.1))
    return names["plain"], names["heavy"], fast


def test_the_picture_s_text_says_what_the_three_walks_do(walks):
    slow, rolling, straight = (np.array(places) for places in walks)
    assert 0.8 < 1 - slow[100][0] < 0.9  # the way that is done, along the valley
    assert (slow[:100, 1] * slow[1:101, 1] < 0).all()  # from wall to wall
    assert rolling[:, 0].min() < 0 and np.abs(rolling[95:]).max() < 0.1
    np.testing.assert_allclose(straight[:, 0], straight[:, 1], atol=0.02)
    assert straight[:, 0].min() < -0.1  # past it, and back


def test_the_picture_s_text_says_how_adam_creeps_where_the_valley_is_turned(walks):
    names, _ = run("17", "def miss(", "def valley(", "plain = walk(")
    along, across = np.array(names["walk"](names["optimizers"].Adam(0.1), 45)).T
    assert (along[0], across[0]) == (pytest.approx(1), pytest.approx(1))
    down = np.argmax(across < 0)  # through the floor
    assert down < 20 and across[:40].min() < -0.3 and abs(along[down] - 1) < 0.1
    floor = slice(150, None)
    assert np.abs(across[floor]).max() < 0.02 and (np.diff(along[floor]) < 0).mean() > 0.9
    assert np.abs(np.diff(along[floor])).max() < 0.02 < 0.1


def test_the_walks_are_one_drawing_with_a_text_in_which_all_step_together():
    made = descending(
        [("long", [(1, 1), (0.5, -1), (0, 0)]), ("short & quick", [(1, 1), (0, 0)])],
        (1.0, 4.0),
        "Two walks.",
    )
    root = ElementTree.fromstring(made.svg)
    svg = "{http://www.w3.org/2000/svg}"
    assert root.find(f"{svg}title").text == "Two walks."
    words = ["".join(each.itertext()).strip() for each in root.iter(f"{svg}text")]
    assert words == ["long", "short & quick", "Stop", "Again"]
    values = [each.get("values").split(";") for each in root.iter(f"{svg}animate")]
    assert {len(each) for each in values} == {3}
    assert all(each[-1] == ("240.0" if n % 2 == 0 else each[-1]) for n, each in enumerate(values))
    lines = [each.get("d") for each in root.iter(f"{svg}path")]
    assert [len(re.findall("L", line)) for line in lines] == [2, 1]
    assert "<script" not in made.svg


def test_the_outer_line_of_a_valley_goes_through_the_start_and_the_inner_one_is_whole():
    svg = descending([("a walk", [(1, 1), (0, 0)])], (1.0, 100.0), "One walk.").svg
    lines = re.findall(r'<ellipse cx="240" cy="66" rx="([\d.]+)" ry="([\d.]+)"', svg)
    lines = [(float(rx), float(ry)) for rx, ry in lines]
    (x,), (y,) = (
        re.findall(r'"cx" values="([\d.]+);', svg),
        re.findall(r'"cy" values="([\d.]+);', svg),
    )
    x, y, (rx, ry) = float(x) - 240, float(y) - 66, lines[-1]
    assert (x / rx) ** 2 + (y / ry) ** 2 == pytest.approx(1, abs=0.01)
    assert 0 < x < 240 and lines[0][0] < 240


def test_balls_in_bowls_rest_where_their_walks_end():
    svg = stepping([("rate 1", [1.0, 0.0]), ("rate 2", [1.0, -2.0])], "Two bowls.").svg
    balls = re.findall(r'<circle class="comes" cx="([\d.]+)" cy="([\d.]+)" r="7"', svg)
    (bottom, low), (left, high) = [(float(x), float(y)) for x, y in balls]
    assert bottom == 125 and left == 250 + 125 - 100  # in the middle; as far out as there is
    assert high < low  # up the wall
    for x, y in balls:
        assert re.search(rf'values="[\d.]+;{x}"', svg) and re.search(rf'values="[\d.]+;{y}"', svg)
