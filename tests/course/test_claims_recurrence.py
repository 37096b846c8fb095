"""What lesson 16 says of recurrent networks, recomputed; and its moving picture."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from test_claims import run

from lesson_cells import cells
from minitape.viz.course.motion import unrolled


@pytest.mark.slow
def test_five_times_as_many_steps_do_not_help_the_usual_cell():
    names, _ = run("16", "def usual(", "def started(")
    kinds = ["in", "rec", "bias", "out"]
    for seed in range(3):
        w = names["trained"](names["usual"], kinds, 24, seed, steps=1000)
        assert names["right"](names["usual"], w, 24) == pytest.approx(50, abs=5)


def test_the_bars_of_the_usual_cell_fall_backward_and_before_step_14_none_can_be_seen():
    names, _ = run("16", "def usual(", "def started(", "def contributions(")
    faded = names["contributions"](names["usual"], ["in", "rec", "bias", "out"])
    assert all(a < b for a, b in zip(faded, faded[1:], strict=False))
    assert max(faded[:13]) < max(faded) / 200  # less than a point of the figure
    assert 1e-6 < faded[1] < 1e-5


def test_the_memory_that_adds_is_reached_at_every_step():
    names, _ = run("16", "def usual(", "def started(", "def contributions(", "def adding(")
    more = ["in", "rec", "bias", "out", "gate in", "gate rec", "gate bias"]
    kept = names["contributions"](names["adding"], more)[1:]
    assert min(kept) > 0.1 and max(kept) < 1


def test_thirty_steps_end_at_the_powers_and_their_slopes():
    for w, end, slope in [(0.9, 0.04, 1.4), (1.0, 1, 30), (1.1, 17, 476)]:
        assert w**30 == pytest.approx(end, abs=0.5 if end > 1 else 0.005)
        assert 30 * w**29 == pytest.approx(slope, abs=0.5 if slope > 2 else 0.05)


def test_the_second_use_gets_less_than_a_fifty_thousandth_of_what_the_last_one_gets():
    names, _ = run("16", "def usual(", "def started(", "def contributions(")
    faded = names["contributions"](names["usual"], ["in", "rec", "bias", "out"])
    assert faded[1] < faded[-1] / 50_000


def test_the_states_with_inputs_stay_about_the_same_size():
    names, _ = run("16", "def usual(", "def started(")
    w, h = names["started"](["in", "rec", "bias", "out"], 0), np.zeros((32, 16), np.float32)
    sizes = []
    for signs in names["sequences"](np.random.default_rng(1), 32, 24).T:
        h = np.tanh(signs[:, None] @ w["in"].numpy() + h @ w["rec"].numpy())
        sizes.append(np.linalg.norm(h))
    assert max(sizes) < 2 * min(sizes)


@pytest.fixture
def picture():
    return unrolled([1, 3, 9], [9, 3, 1], [3, 3], 'A "loop" of two steps & its gradients.')


def test_the_loop_that_moves_is_one_drawing_with_a_text_and_no_script(picture):
    root = ElementTree.fromstring(picture.svg)
    assert root.find("{*}title").text == 'A "loop" of two steps & its gradients.'
    assert "<script" not in picture.svg
    words = [
        "".join(each.itertext()).strip() for each in root.iter("{http://www.w3.org/2000/svg}text")
    ]
    assert words == [
        "state", "gradient", "to w", "1", "9", "· w", "· w", "1 · 3", "3", "3", "3", "· w", "· w",
        "3 · 1", "3", "9", "1",
        "together 6", "Stop", "Again",
    ]  # fmt: skip


def test_states_come_first_then_gradients_with_what_each_use_gives_and_in_the_end_all_is_there(
    picture,
):
    shown = {}
    for text in re.findall(r'<text class="comes".*?</text>', picture.svg):
        word = re.sub(r"<[^>]*>|&#183; ", "", text)
        moments = re.search(r'values="([01;]*)"', text)[1].split(";")
        assert moments[-1] == "1"  # it rests with all numbers
        shown[word] = sorted([*shown.get(word, []), moments.index("1")])
    assert shown == {
        "1": [0, 3], "9": [2, 5], "3": [1, 4, 4, 5], "1 3": [5], "3 1": [4], "together 6": [6]
    }  # fmt: skip
    assert picture.svg.count('fill="freeze"') == picture.svg.count("<animate ")
    assert np.all(
        [f"{name}.click" in picture.svg for name in re.findall(r'id="(motion\w+)"', picture.svg)]
    )


def test_a_forget_gate_of_nine_tenths_lets_8_of_100_through_24_steps():
    (asked,) = [cell.text for cell in cells("16") if "with $f = 0.9$ at all 24" in cell.text]
    assert "90, 30 or 8 %" in asked
    assert pytest.approx(0.08, abs=0.005) == 0.9**24


def test_the_lengths_at_the_curves_of_the_eigenvalues_are_those_that_its_text_says():
    names, _ = run("16", "for largest, look in")
    from matplotlib import pyplot as plt

    left = [float(line.get_ydata()[-1]) for line in names["panel"].get_lines()]
    plt.close("all")
    assert left == pytest.approx([2e-11, 0.0009, 0.02, 1.3, 43_000], rel=0.1)


def test_the_largest_eigenvalue_of_the_lesson_s_matrix_is_nearly_1():
    names, _ = run("16", "def usual(", "def started(", "def contributions(")
    matrix = names["started"](["in", "rec", "bias", "out"], 0)["rec"].numpy()
    assert np.abs(np.linalg.eigvals(matrix)).max() == pytest.approx(1.01, abs=0.005)
    assert names["faded"][-1] / names["faded"][1] > 50_000
