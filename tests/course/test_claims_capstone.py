"""What lesson 12 says of the tape that students train, recomputed."""

from __future__ import annotations

import ast
import re

import numpy as np
import pytest

from lesson_cells import alternatives, cells, code, numbers, prose, whole
from minitape.viz.course.motion import bending

pytest.importorskip("matplotlib.pyplot", reason="the lesson draws (extra plot)")
# The lesson runs as a whole, in some seconds, once for all its claims.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("lesson 12")]


@pytest.fixture(scope="module")
def lesson():
    return whole("12")


def own_tape(lesson: str) -> dict[str, object]:
    """The names that the cells of a lesson's tape define."""
    from collections.abc import Callable
    from typing import NamedTuple

    names: dict[str, object] = {"np": np, "Callable": Callable, "NamedTuple": NamedTuple}
    for cell in cells(lesson):
        if "needed" in cell.metadata.get("tags", []):
            exec(compile(cell.text, f"<tape of lesson {lesson}>", "exec"), names)
    return names


def test_the_tape_is_that_of_lesson_3_in_what_it_gives():
    draw = np.random.default_rng(0)
    x, w, b = draw.normal(size=(4, 3)), draw.normal(size=(3, 2)), draw.normal(size=2)
    found = []
    for names in map(own_tape, ("03", "12")):
        values = [names["Value"](each) for each in (x, w, b)]
        with names["Tape"]() as tape:
            for value in values:
                tape.watch(value)
            h = names["apply"](names["relu"], values[0] @ values[1] + values[2])
            y = names["summed_to"](h * h + h, ())
        found.append([tape.gradient(y, value).array for value in values])
        assert len(tape.records) == 6
    h = np.maximum(x @ w + b, 0)
    back = (2 * h + 1) * (h > 0)
    for mine in found:
        for a, expected in zip(mine, (back @ w.T, x.T @ back, back.sum(0)), strict=True):
            np.testing.assert_allclose(a, expected)


def test_the_tape_is_that_of_lesson_3_to_the_letter():
    def pieces(lesson: str) -> list[str]:
        texts = [c.text for c in cells(lesson) if "needed" in c.metadata.get("tags", [])]
        bodies = ast.parse("\n\n".join(texts)).body
        return [ast.unparse(each) for each in bodies]

    assert set(pieces("03")) <= set(pieces("12"))
    assert "as it stood at the end of lesson 3. Nothing is added" in prose("12")


def lines_of_code(text: str) -> int:
    """The lines without comments, one-line docstrings and blanks."""
    lines = [line.strip() for line in text.splitlines()]
    return sum(bool(line) and not line.startswith(("#", '"""')) for line in lines)


def test_a_program_that_reads_digits_has_as_many_lines_as_are_said():
    tape = [c.text for c in cells("12") if "needed" in c.metadata.get("tags", [])]
    assert sum(map(lines_of_code, tape)) == 71
    answers = {c.metadata["nbgrader"]["grade_id"]: c.text for c in cells("12")
               if c.metadata.get("nbgrader", {}).get("solution")}  # fmt: skip
    operations = answers["operations"].replace("exp = log = reciprocal = None", "")
    assert [lines_of_code(each) for each in (operations, answers["loss"], answers["digits"])] == [
        3,
        5,
        23,
    ]
    assert "About 100. The tape of lesson 3 has 71" in code("12")
    assert "70 lines" in prose("12")


def test_the_moons_are_learnt_as_the_text_says(lesson):
    names, printed = lesson
    assert "92. After 20 steps it is 89" in code("12")
    assert "98 after 200. From then on it sways, mostly between 95 and 99" in code("12")
    learnt, right = names["learnt"], names["right"]
    accuracies = [100 * right(learnt(steps)[0]) for steps in (50, 200, 1000, 20)]
    np.testing.assert_allclose(accuracies, [92, 98, 98, 89], atol=1.01)
    assert 100 * right(names["started"]((2, 16, 16, 1))) == pytest.approx(50, abs=3)
    assert "after 0, 20, 50, 100, 200 and 1000 steps" in alternatives("12")
    parts, draw, later = names["started"]((2, 16, 16, 1)), np.random.default_rng(3), []
    for step in range(1000):
        learnt(1, parts=parts, draw=draw)
        later += [100 * right(parts)] * (step >= 199)
    assert np.mean([95 <= each <= 99 for each in later]) > 0.98
    assert min(later) < 96 and max(later) >= 99


def test_a_straight_line_has_87_of_100_moons_on_the_right_side(lesson):
    names, _ = lesson
    x = np.c_[np.ones(400), names["points"]]
    line = np.linalg.solve(x.T @ x, x.T @ names["kinds"])
    scores = np.c_[np.ones(200), names["new_points"]] @ line
    assert 100 * np.mean(scores * names["new_kinds"] > 0) == pytest.approx(87)
    assert 100 * np.mean(names["sides"]) == pytest.approx(87)  # what the picture's title says
    slides = [cell.metadata.get("slide") for cell in cells("12")]
    assert "A straight line gets 87 of 100" in slides
    assert "87 as with a straight line" in code("12")


def test_a_star_stands_in_the_table_of_a_step_where_something_was_broadcast(lesson):
    rows = re.findall(r"^(\w+) +\(.* -> .*$", lesson[1], re.MULTILINE)
    starred = re.findall(r"^(\w+) +\(.* -> .*\*$", lesson[1], re.MULTILINE)
    assert len(rows) == 14  # three layers, a hinge and a mean
    assert starred == ["add"] * 3 + ["multiply", "add"]


def notes() -> str:
    """What the lesson says to its speaker."""
    return " ".join(cell.metadata.get("notes", "") for cell in cells("12"))


def misread(names, start: int, late: float) -> np.ndarray:
    """What a reader in NumPy, with a start and draws of its own, says of the digits it misreads."""
    digits, truth, draw = names["digits"], names["truth"], np.random.default_rng(start)
    pairs = names["started"]((64, 64, 32, 10), seed=start)
    ws, bs = ([pair[k].array for pair in pairs] for k in (0, 1))

    def layers(x):
        held = [x]
        for w, b in zip(ws, bs, strict=True):
            x = x @ w + b
            held.append(x := np.maximum(x, 0) if len(held) < 3 else x)
        return held

    for number in range(1000):
        chosen = draw.integers(0, 1297, 32)
        held = layers(digits[chosen])
        powers = np.exp(held[3] - held[3].max(1, keepdims=True))
        g = (powers / powers.sum(1, keepdims=True) - np.eye(10)[truth[chosen]]) / 32
        rate = 0.3 if number < 800 else late
        for k in (2, 1, 0):
            before = (g @ ws[k].T) * (held[k] > 0)
            ws[k], bs[k] = ws[k] - rate * held[k].T @ g, bs[k] - rate * g.sum(0)
            g = before
    said = layers(digits[1297:])[3].argmax(1)
    return said[said != truth[1297:]]


def test_a_constant_rate_misreads_20_digits_and_more_than_half_of_them_as_9(lesson):
    names, printed = lesson
    assert "11 of 500 are read wrongly" in printed
    assert "20 for this start, and more than half of those are read as a 9" in notes()
    wrong = misread(names, 0, 0.3)
    assert len(wrong) == pytest.approx(20, abs=2)
    assert np.sum(wrong == 9) > len(wrong) / 2
    assert len(misread(names, 0, 0.03)) == pytest.approx(11, abs=1)


def test_for_other_starts_a_smaller_rate_at_the_end_makes_little_difference(lesson):
    constant, falling = (
        [len(misread(lesson[0], start, late)) for start in range(1, 6)] for late in (0.3, 0.03)
    )
    assert (min(constant), max(constant)) == pytest.approx((11, 14), abs=1)
    assert (min(falling), max(falling)) == pytest.approx((10, 14), abs=1)
    said = (
        "For five others (start and draws with the seeds 1 to 5) it is 11 to 14, against 10 to 14"
    )
    assert said in notes()
    assert "Another start gives 10 to 14" in code("12")


def losses_every_50(names, walk, rate, late=None) -> np.ndarray:
    """The loss on all points, every 50 of 2000 steps; the rate may change after 1500."""
    parts, draw, found = names["started"]((2, 16, 16, 1)), np.random.default_rng(3), []
    for number in range(2000):
        chosen = draw.integers(0, 400, 64)
        now = rate if late is None or number < 1500 else late
        names["step"](parts, names["points"][chosen], names["kinds"][chosen], rate=now, walk=walk)
        if number % 50 == 49:
            scores = names["network"](parts, names["Value"](names["points"]))
            found.append(float(names["hinge"](scores, names["kinds"]).array))
    return np.array(found)


def test_the_peaks_of_the_losses_come_from_long_steps(lesson):
    names, _ = lesson

    def largest_rise(losses):
        return np.max(losses[1:] / losses[:-1])

    right, averaging = names["backward"], names["averaging"]
    assert largest_rise(losses_every_50(names, right, 0.3)) > 2.5
    assert largest_rise(losses_every_50(names, right, 0.1)) < 1.3
    assert largest_rise(losses_every_50(names, averaging, 0.3)[29:]) > 2.5
    assert largest_rise(losses_every_50(names, averaging, 0.3, late=0.1)[29:]) < 1.6
    assert "The peaks come from long steps" in prose("12")


def test_a_tape_that_is_asked_after_its_step_computes_with_the_new_numbers(lesson):
    names, _ = lesson
    parts = names["started"]((2, 16, 16, 1))
    kernel = parts[0][0].array
    tape = names["step"](parts, names["points"][:64], names["kinds"][:64])
    moved = (kernel - parts[0][0].array) / 0.3
    again = tape.gradient(tape.records[-1].output, parts[0][0]).array
    assert np.max(np.abs(again - moved)) > 0.01


def test_a_step_is_that_of_a_network_written_by_hand(lesson):
    names, _ = lesson
    parts = names["started"]((2, 16, 16, 1))
    (w1, b1), (w2, b2), (w3, b3) = [(w.array, b.array) for w, b in parts]
    x, t = names["points"][:64], names["kinds"][:64]
    h1 = np.maximum(x @ w1 + b1, 0)
    h2 = np.maximum(h1 @ w2 + b2, 0)
    scores = h2 @ w3 + b3
    g3 = -t * (t * scores < 1) / 64
    g2 = (g3 @ w3.T) * (h2 > 0)
    g1 = (g2 @ w2.T) * (h1 > 0)
    names["step"](parts, x, t)
    shares = [x.T @ g1, g1.sum(0), h1.T @ g2, g2.sum(0), h2.T @ g3, g3.sum(0)]
    values = [value.array for pair in parts for value in pair]
    for now, before, share in zip(values, (w1, b1, w2, b2, w3, b3), shares, strict=True):
        np.testing.assert_allclose(now, before - 0.3 * share, atol=1e-12)


def test_the_engine_gives_the_same_weights(lesson):
    (said,) = re.findall(r"the largest relative difference is (\S+)", lesson[1])
    assert float(said) < 1e-13
    assert "In about 14: only the last digits" in code("12")


def test_one_broken_walk_learns_as_well_and_the_other_is_weak(lesson):
    names, printed = lesson
    good = names["right"](names["learnt"](200)[0])
    found = [numbers(line) for line in printed.splitlines()
             if line.startswith(("replacing, ", "averaging, "))]  # fmt: skip
    assert [steps for steps, _ in found] == [200, 200, 2000]
    replaced, weak, late = (share for _, share in found)
    assert replaced == pytest.approx(100 * good, abs=0.51)
    assert 75 < weak < 87.5  # what a straight line has
    assert late >= 97


def test_a_mean_makes_the_gradients_of_biases_64_times_too_small_as_if_there_were_none(lesson):
    names, _ = lesson
    assert "so far it has learnt as if it had no biases" in code("12")
    x, t = names["points"][:64], names["kinds"][:64]
    moved = []
    for walk in (names["backward"], names["averaging"]):
        parts = names["started"]((2, 16, 16, 1))
        names["step"](parts, x, t, walk=walk)
        moved.append([b.array for _, b in parts])
    for right, small in zip(*moved, strict=True):
        np.testing.assert_allclose(right, 64 * small, atol=1e-12)

    still, draw = names["started"]((2, 16, 16, 1)), np.random.default_rng(3)
    for _ in range(200):
        chosen = draw.integers(0, 400, 64)
        names["step"](still, names["points"][chosen], names["kinds"][chosen])
        for _, b in still:
            b.array = np.zeros_like(b.array)
    weak = names["right"](names["learnt"](200, walk=names["averaging"])[0])
    assert names["right"](still) == pytest.approx(weak, abs=0.03)


def test_each_mistake_shows_in_one_small_program_and_hides_in_the_other(lesson):
    names, _ = lesson
    found = {
        title: [names["gradient_by"](walk, f, names["Value"](at)) for walk in names["walks"]]
        for title, (f, at) in names["programs"].items()
    }
    slope = 2 * 2.0 + 3.0  # of x^2 + 3x; the contribution that arrives last is one of the two 2s
    assert list(found.values()) == [[slope, 2.0, slope], [4.0, 4.0, 4.0 / 4]]
    assert "right 7, replacing 2, averaging 7" in alternatives("12")
    assert "right 4, replacing 4, averaging 1" in alternatives("12")


def test_replacing_is_the_same_to_the_last_bit_where_no_value_is_used_twice(lesson):
    names, _ = lesson
    one, other = (names["learnt"](20, walk=names[walk])[0] for walk in ("backward", "replacing"))
    for mine, theirs in zip(one, other, strict=True):
        for a, b in zip(mine, theirs, strict=True):
            assert np.array_equal(a.array, b.array)


def test_a_residual_connection_finds_the_walk_that_replaces(lesson):
    names, _ = lesson
    assert "A residual connection (lesson 18) would have found it in one step" in code("12")
    x, w = names["Value"]([[1.0, -2.0]]), names["Value"]([[0.5, 1.0], [0.25, -1.0]])
    with names["Tape"]() as tape:
        tape.watch(x)
        y = names["summed_to"](x + names["apply"](names["relu"], x @ w), ())
    found = []
    for walk in (names["backward"], names["replacing"]):
        cotangents = {y: names["Value"](1.0)}  # as the third milestone says
        walk(tape.records, cotangents)
        found.append(cotangents[x].array)
    open_units = np.array([[0.0, 1.0]])  # x @ w is (0, 3)
    np.testing.assert_allclose(found[0], 1.0 + open_units @ w.array.T)
    assert not np.allclose(*found)


def test_only_the_last_of_16_digits_differ_from_the_engine(lesson):
    names, _ = lesson
    for mine, theirs in zip(names["mine"], names["variables"], strict=True):
        np.testing.assert_allclose(mine, theirs.numpy(), rtol=1e-13, atol=0)


def test_new_values_in_a_step_would_change_nothing(lesson):
    names, _ = lesson
    (text,) = [c.text for c in cells("12") if "def step(" in c.text]
    careless = text.replace("value.array = value.array - rate", "value = Value(value.array - rate")
    careless = careless.replace("cotangents[value].array\n", "cotangents[value].array)\n")
    assert careless != text
    own = dict(names)
    exec(compile(careless, "<careless>", "exec"), own)
    parts = names["started"]((2, 16, 16, 1))
    own["step"](parts, names["points"][:64], names["kinds"][:64])
    for (w, b), (w0, b0) in zip(parts, names["started"]((2, 16, 16, 1)), strict=True):
        assert np.array_equal(w.array, w0.array)
        assert np.array_equal(b.array, b0.array)


def test_a_boundary_bends_in_the_places_that_it_is_given():
    frames = [("1 step", [[(0.0, 0.0), (2.0, 1.0)]]), ("2 steps", [[(0.0, 1.0), (2.0, 0.0)]])]
    made = bending(frames, [[(0.0, 0.0)], [(2.0, 1.0)]], "A line that turns.")
    assert made.svg.count("<title>A line that turns.</title>") == 1
    assert 'd="M140,230 L540,30"' in made.svg  # 2 across and 1 up are 400 and 200 wide and high
    assert 'd="M140,30 L540,230"' in made.svg
    first, last = re.findall(r'<g class="(\w+)">.*?values="([01;]+)"', made.svg)
    assert first == ("moves", "1;0;0;0;0;0;0")
    assert last == ("comes", "0;1;1;1;1;1;1")


def test_the_film_ends_with_two_bends_that_are_there_after_200_steps(lesson):
    names, _ = lesson
    frames = {name.split(",")[0]: line for name, line in names["frames"]}
    assert list(frames) == [f"{steps} steps" for steps in range(20, 401, 20)]
    for steps in (20, 200, 400):
        parts, _ = names["learnt"](steps)
        assert f"{steps} steps, {100 * names['right'](parts):.0f} % right" in dict(names["frames"])
        for line in frames[f"{steps} steps"]:
            scores = names["network"](parts, names["Value"](line)).array
            assert np.abs(scores).max() < 0.35  # it is where the score is 0, up to the grid
    length = {
        k: sum(np.hypot(*np.diff(each, axis=0).T).sum() for each in v) for k, v in frames.items()
    }
    assert length["20 steps"] < 0.85 * length["200 steps"]


def test_the_points_of_the_milestones_are_those_of_the_table():
    points = [c.metadata["nbgrader"]["points"] for c in cells("12")
              if c.metadata.get("nbgrader", {}).get("grade")]  # fmt: skip
    assert points == [4, 4, 4, 4]
    table = [c.text for c in cells("12") if "| 1. Three operations" in c.text][0]
    rows = [
        numbers(line)[-1]
        for line in table.splitlines()
        if line.startswith("| ") and "points" not in line
    ]
    assert rows == [4, 4, 4, 4, 2, 2]
