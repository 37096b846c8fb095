"""What lesson 10 says of attention, recomputed: by differences, by NumPy, by training again."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from lesson_cells import FOLDER, alternatives, cells, code, numbers, prose, whole
from minitape.viz.course.motion import sharpening

pytest.importorskip("matplotlib.pyplot", reason="the lesson draws (extra plot)")
# The lesson runs as a whole, in about ten seconds, once for all its claims.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("lesson 10")]


@pytest.fixture(scope="module")
def lesson():
    return whole("10")


def softmax(s: np.ndarray) -> np.ndarray:
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def by_differences(f, x: np.ndarray, g: np.ndarray, step: float = 1e-6) -> np.ndarray:
    """The sum of g times the slopes of f, for each element of x."""
    shares = np.empty_like(x)
    for i in np.ndindex(x.shape):
        change = np.zeros_like(x)
        change[i] = step
        shares[i] = np.sum(g * (f(x + change) - f(x - change))) / (2 * step)
    return shares


def test_a_throw_comes_down_as_short_of_where_finer_steps_say_as_is_said(lesson):
    names, _ = lesson
    assert "make ours 0.3 to 0.4 m short" in code("10")
    for angle in (0.05, 0.1, 0.2, 0.3, 0.5):
        place, speed = np.array([0.0, 1.5]), 20.0 * np.array([np.cos(angle), np.sin(angle)])
        while place[1] > 0:
            air = speed + [6.0 * np.tanh(place[1] / 5.0), 0.0]
            speed = speed + 2e-4 * (-0.02 * np.linalg.norm(air) * air - [0.0, 9.81])
            place = place + 2e-4 * speed
        short = place[0] - names["lands"]([angle])[0]
        assert 0.32 < short < 0.43
        assert round(short, 1) in (0.3, 0.4)


def test_a_soft_mean_is_better_than_the_nearest_and_than_all_alike(lesson):
    names, printed = lesson
    angles, distances, wanted = names["angles"], names["distances"], names["wanted"]

    def miss(sharpness):
        weights = softmax(-sharpness * (wanted[:, None] - distances) ** 2)
        return np.abs(names["lands"](weights @ angles) - wanted).mean()

    nearest = angles[np.abs(wanted[:, None] - distances).argmin(1)]
    alone = np.abs(names["lands"](nearest) - wanted).mean()
    said = dict(map(numbers, re.findall(r"^sharpness [\d.]+: [\d.]+ m$", printed, re.MULTILINE)))
    assert said == pytest.approx(
        {0: miss(0.0), 0.1: miss(0.1), 0.5: miss(0.5), 3: miss(3.0), 1000: alone}, abs=0.01
    )
    assert said[1000] == 0.28
    assert miss(3.0) < alone < miss(0.1) < miss(0.0)
    assert names["misses"][0] == pytest.approx(2.6, abs=0.05)
    assert min(names["misses"]) == pytest.approx(0.2, abs=0.05)
    assert "from 2.6 m at the left" in alternatives("10")
    assert (round(miss(3.0), 2), round(miss(0.5), 2)) == (0.22, 0.34)
    assert "Over all 40 distances 3 is better (0.22 m against 0.34)" in prose("10")
    order = np.argsort(distances)
    straight = np.interp(wanted, distances[order], angles[order])
    assert round(np.abs(names["lands"](straight) - wanted).mean(), 2) == 0.03
    assert "between the two neighbours misses by only 0.03 m" in prose("10")


def test_the_widest_gap_is_at_16_and_a_half_and_a_softer_mean_is_better_there(lesson):
    names, _ = lesson
    angles, distances = names["angles"], names["distances"]
    order = np.sort(distances)
    gap = np.diff(order).argmax()
    assert order[gap] < 16.5 < order[gap + 1]

    def off(sharpness):
        weights = softmax(-sharpness * (16.5 - distances) ** 2)
        return abs(names["lands"]([weights @ angles])[0] - 16.5)

    assert off(0.5) < off(3.0)
    assert "16.5 m lies in the widest gap, and here 0.5 is better than 3" in prose("10")


def test_softmax_backward_is_that_of_differences(lesson):
    _, printed = lesson
    s, g = np.array([[2.0, 1.0, 0.0]]), np.array([[1.0, 0.2, 0.5]])
    expected = by_differences(softmax, s, g)
    rows = [
        numbers(line) for line in printed.splitlines() if line.startswith(("by hand", "by tape"))
    ]
    np.testing.assert_allclose([row[:3] for row in rows], np.repeat(expected, 2, 0), atol=6e-5)
    assert abs(expected.sum()) < 1e-9


def test_the_picture_s_text_says_how_level_a_soft_curve_is_and_which_one_follows_the_dots(lesson):
    names, _ = lesson
    angles, distances, fine = names["angles"], names["distances"], names["fine"]
    curves = {
        each: softmax(-each * (fine[:, None] - distances) ** 2) @ angles
        for each in names["sharpness"]
    }
    assert np.ptp(curves[0.001]) < 0.1 * np.ptp(angles)
    off = {each: names["miss"](each) for each in curves}
    assert min(off, key=off.get) == 3.0
    nearest = angles[np.abs(fine[:, None] - distances).argmin(1)]
    assert np.mean(np.abs(curves[1000.0] - nearest) < 1e-3) > 0.9


def test_a_curve_changes_from_form_to_form_and_some_forms_stay():
    curves = {"flat": [(0, 0), (1, 0)], "low & high": [(0, 0), (1, 1)], "high": [(0, 1), (1, 1)]}
    made = sharpening([(0, 0), (1, 1)], curves, ["flat", "high"], ("x", "y"), "It rises.")
    root = ElementTree.fromstring(made.svg)
    svg = "{http://www.w3.org/2000/svg}"
    assert root.find(f"{svg}title").text == "It rises."
    words = ["".join(each.itertext()).strip() for each in root.iter(f"{svg}text")]
    assert words == ["x", "y", "flat", "high", "flat", "low & high", "high", "Stop", "Again"]
    (form,) = [each for each in root.iter(f"{svg}animate") if each.get("attributeName") == "d"]
    forms, times = form.get("values").split(";"), form.get("keyTimes").split(";")
    assert forms[::2] == forms[1::2] == ["M25,265 L585,265", "M25,265 L585,15", "M25,15 L585,15"]
    names = [
        dict(zip(each.get("keyTimes").split(";"), each.get("values").split(";"), strict=True))
        for each in root.iter(f"{svg}animate")
        if each.get("attributeName") == "opacity"
    ]
    for n, shown in enumerate(names):  # a name is there while its form stands still
        assert shown[times[2 * n]] == "1" and shown.get(times[2 * n + 1], "0") == "0"
    assert (times[0], times[-1]) == ("0.000", "1.000")
    still = [each.get("d") for each in root.iter(f"{svg}path")]
    assert {forms[0], forms[4]} < set(still)  # what is seen without motion


def test_the_picture_of_the_curves_has_the_true_one_and_numbers_on_its_axes(lesson):
    curves = {"flat": [(0, 0), (1, 0)], "high": [(0, 1), (1, 1)]}
    more = {"truth": ("true", [(0, 0), (0.5, 0.6), (1, 1)]), "ticks": ((0, 1), (0.5,))}
    made = sharpening([(0, 0), (1, 1)], curves, ["flat", "high"], ("x", "y"), "It rises.", **more)
    root = ElementTree.fromstring(made.svg)
    svg = "{http://www.w3.org/2000/svg}"
    words = ["".join(each.itertext()).strip() for each in root.iter(f"{svg}text")]
    assert words[2:6] == ["0", "1", "0.5", "true"]
    assert "M49,265 L329,115 L609,15" in [each.get("d") for each in root.iter(f"{svg}path")]
    names, _ = lesson
    landed = names["lands"](names["hits"])
    inside = names["fine"] > 11.2  # no throw of the list of angles comes down nearer
    np.testing.assert_allclose(landed[inside], names["fine"][inside], atol=0.02)
    assert "<script" not in made.svg


def test_attention_by_hand_is_that_of_differences(lesson):
    names, printed = lesson
    Q, K, V = (names[each].copy() for each in "QKV")
    g = np.random.default_rng(1).normal(size=(4, 2))
    mask = np.triu(np.full((4, 4), -1e9), 1)
    A = softmax(Q @ K.T / 2**0.5 + mask)
    scores = names["softmax_backward"](A, g @ V.T)
    for mine, f, x in [
        (A.T @ g, lambda v: softmax(Q @ K.T / 2**0.5 + mask) @ v, V),
        (scores @ K / 2**0.5, lambda q: softmax(q @ K.T / 2**0.5 + mask) @ V, Q),
        (scores.T @ Q / 2**0.5, lambda k: softmax(Q @ k.T / 2**0.5 + mask) @ V, K),
    ]:
        np.testing.assert_allclose(mine, by_differences(f, x, g), atol=1e-8)
    assert printed.count("agrees to 12 digits: True") == 3


def test_a_mask_put_on_after_softmax_passes_by_the_values_and_leaks_by_the_keys(lesson):
    names, printed = lesson
    Q, K, V = (names[each].copy() for each in "QKV")

    def third_place(k, v):
        return ((softmax(Q @ k.T / 2**0.5) * np.tril(np.ones((4, 4)))) @ v)[2]

    largest = {"value": 0.0, "key": 0.0}
    for g in np.eye(2):
        largest["value"] = max(
            largest["value"], *abs(by_differences(lambda v: third_place(K, v), V, g)[3])
        )
        largest["key"] = max(
            largest["key"], *abs(by_differences(lambda k: third_place(k, V), K, g)[3])
        )
    said = dict(re.findall(r"largest slope with respect to (\w+) 3: ([\d.]+)", printed))
    assert {name: float(each) for name, each in said.items()} == pytest.approx(largest, abs=6e-3)
    assert largest["value"] == 0 and largest["key"] > 0.1


def test_undivided_scores_spread_with_the_root_of_the_width(lesson):
    _, printed = lesson
    rows = [numbers(line) for line in printed.splitlines() if line.startswith("width ")]
    assert len(rows) == 6
    for width, spread, *_ in rows[0::2]:
        assert spread == pytest.approx(width**0.5, rel=0.05)
    for _, spread, _, slope in rows[1::2]:
        assert spread == pytest.approx(1, abs=0.05)
        assert slope > 0.8
    undivided = [slope for *_, slope in rows[0::2]]
    assert undivided == sorted(undivided, reverse=True)
    for before, after in zip(undivided, rows[1::2], strict=True):
        assert before < after[-1]
    assert undivided[-1] == 0.05
    assert [row[2] for row in rows[-2:]] == [0.96, 0.25]  # the largest weights
    assert rows[-1][3] == 0.87


def test_a_key_counts_by_how_far_it_reaches_along_the_query(lesson):
    names, _ = lesson
    query, keys = names["Q"][3], names["K"]
    along = keys @ query / np.linalg.norm(query)
    weights = softmax(keys @ query / 2**0.5)
    assert list(np.argsort(along)) == list(np.argsort(weights)) == [0, 3, 1, 2]
    said = [float(each) for each in re.findall(r"0\.\d\d", alternatives("10"))]
    assert set(weights.round(2)) <= set(said)
    lengths = np.linalg.norm(keys, axis=1)
    assert lengths[1] < lengths[2]
    assert np.argmax(along / lengths) == 1
    assert list(weights.round(2)[[2, 1]]) == [0.6, 0.27]
    said = "key 2 is longer and reaches farther along it, so it gets 0.60, and key 1 gets 0.27"
    assert said in prose("10")


def test_the_sharpness_that_is_learnt_is_the_lowest_of_a_valley_and_there_is_another(lesson):
    names, printed = lesson
    angles, distances = names["angles"], names["distances"]
    apart = (distances[:, None] - distances) ** 2 + np.where(np.eye(24), np.inf, 0.0)

    def loss(sharpness):
        return np.mean((100 * (softmax(-sharpness * apart) @ angles - angles)) ** 2)

    grid = np.geomspace(0.1, 100, 3000)
    losses = np.array([loss(each) for each in grid])
    inner = (losses[1:-1] < losses[:-2]) & (losses[1:-1] < losses[2:])
    lowest = grid[1:-1][inner]
    said = numbers(re.search(r"learnt: .*", printed)[0])
    assert names["learnt"] == pytest.approx(lowest[0], rel=0.01)
    assert said[0] == round(names["learnt"], 1)
    assert said[1] == pytest.approx(0.21, abs=0.006)
    other = lowest[lowest > 10][0]
    between = grid[(grid > lowest[0]) & (grid < other)]
    assert between[np.argmax([loss(each) for each in between])] < 10  # so that 10 leads there
    assert loss(other) < loss(lowest[0])

    def miss(sharpness):
        weights = softmax(-sharpness * (names["wanted"][:, None] - distances) ** 2)
        return np.abs(names["lands"](weights @ angles) - names["wanted"]).mean()

    assert miss(other) > miss(lowest[0])
    said = (
        "From 10, gradient descent ends in another valley than from 0.1. There the loss is lower "
        "still, but the throws miss by more"
    )
    assert said in prose("10")
    assert lowest == pytest.approx([2.4, 57], rel=0.02)

    def after_sixty_steps(begin):
        at, small = np.log(begin), 1e-6
        for _ in range(60):
            at -= 0.3 * (loss(np.exp(at + small)) - loss(np.exp(at - small))) / (2 * small)
        return np.exp(at)

    assert after_sixty_steps(10.0) == pytest.approx(57, rel=0.03)


def test_the_reverser_learns_an_anti_diagonal(lesson):
    names, printed = lesson
    assert names["right"](names["reverser"]) > 0.95
    assert "the positions look at [7 6 5 4 3 2 1 0]" in printed
    assert names["looks"].max(1).min() > 0.5
    (answer,) = re.findall(r"^simple backward: (\S+)$", printed, re.MULTILINE)
    assert answer != "elpmis"  # it has learnt positions, for words of eight letters
    assert "it answers nonsense" in prose("10")
    assert "position 11 looks at position 4" in prose("10")
    so_far = np.array([names["so_far"][:12]])  # six letters, the bar, and what it wrote before
    assert names["model"](names["reverser"], so_far)[1].numpy()[0, 11].argmax() == 4


def test_blind_guessing_costs_the_logarithm_of_the_kinds_and_the_text_is_the_shipped_one(lesson):
    names, printed = lesson
    assert len(names["alphabet"]) == 33
    assert "guessing blindly costs 3.5" in printed
    assert "Guessing blindly costs 3.5" in code("10")
    text = " ".join((FOLDER / "data" / "course.txt").read_text("utf-8").split())
    assert names["text"] == text
    readme = (FOLDER / "data" / "README.md").read_text("utf-8")
    assert "about 40,000 letters of 33" in readme
    assert len(text) == pytest.approx(40_000, abs=500)
    assert len(names["unread"]) == pytest.approx(len(text) / 10, abs=600)


def test_the_cheat_depends_most_on_the_next_letter_and_masked_on_no_later_one(lesson):
    names, _ = lesson
    cheat, ids = names["cheat"], names["ids"]
    table = cheat["letters"].numpy()[ids].astype(np.float32)

    def guesses(rows, mask):
        w = cheat | {"letters": names["tf"].constant(rows)}
        return names["model"](w, np.arange(16)[None], mask=mask)[0].numpy()[0].max(-1)

    for mask in (False, True):
        moved = np.empty((16, 16))
        for j in range(16):
            other = table.copy()
            other[j] *= 1.05
            moved[:, j] = np.abs(guesses(other, mask) - guesses(table, mask))
        if mask:
            assert not np.triu(moved, 1).any()
        else:
            assert np.mean(moved[:-1].argmax(1) == np.arange(1, 16)) > 0.6


def test_most_of_what_a_letter_costs_without_the_mask_is_that_of_the_last_place(lesson):
    names, _ = lesson
    costs = []
    for _, (now, following, _) in zip(range(20), names["pieces"](names["unread"], 2), strict=False):
        scores = names["model"](names["cheat"], now, mask=False)[0].numpy()
        chances = np.take_along_axis(softmax(scores), following[..., None], -1)[..., 0]
        costs.append(-np.log(chances).mean(0))
    places = np.mean(costs, 0)
    assert names["cost"](names["cheat"], names["unread"], mask=False) == pytest.approx(
        places.mean(), rel=1e-4
    )
    assert places[31] > 0.75 * places.sum()
    assert places.mean() == pytest.approx(0.09, abs=0.03)  # as a note of lesson 19 says
    said = "Most of the cost is that of the last of the 32 places, whose next letter it cannot"
    assert said in code("10")


def test_attention_is_written_in_ten_lines():
    (cell,) = [c.text for c in cells("10") if c.text.startswith("def attention(")]
    function = cell.split("\n\n")[0].strip().splitlines()
    assert len(function) <= 10
