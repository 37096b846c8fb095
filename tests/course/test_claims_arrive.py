"""What lesson 18 says of gradients in twelve layers, recomputed in NumPy; its moving picture."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from test_claims import run

from minitape.viz.course.motion import arriving


def lengths(slope, function, variance, bias=0.0, straight=0.0, seed=0, layers=12):
    """The lengths of the gradient at all layers, by the chain rule, and the last output."""
    draw = np.random.default_rng(seed)
    h, g = draw.normal(size=(256, 64)), draw.normal(size=(256, 64))
    passed = []
    for _ in range(layers):
        w = draw.normal(size=(64, 64)) * np.sqrt(variance / 64)
        z = h @ w + bias
        passed.append((w, slope(z)))
        h = straight * h + function(z)
    g, found = g / np.linalg.norm(g), []
    for w, slopes in reversed(passed):
        found.append(np.linalg.norm(g))
        g = straight * g + (g * slopes) @ w.T
    return found[::-1], h


def relu(variance, **how):
    return lengths(lambda z: z > 0, lambda z: np.maximum(z, 0), variance, **how)[0]


def tanh(variance, **how):
    return lengths(lambda z: 1 - np.tanh(z) ** 2, np.tanh, variance, **how)


@pytest.mark.course
@pytest.mark.parametrize(("variance", "left"), [(4, 40), (2, 0.9), (1, 0.02), (0.5, 0.0004)])
def test_each_layer_of_relu_multiplies_by_the_root_of_half_the_variance(variance, left):
    found = relu(variance)
    assert found[-1] == pytest.approx(1)
    assert found[0] == pytest.approx(left, rel=0.1)
    assert found[0] == pytest.approx((variance / 2) ** 5.5, rel=0.15)  # on paper, for n large
    factors = np.array(found[:-1]) / np.array(found[1:])
    np.testing.assert_allclose(factors, (variance / 2) ** 0.5, rtol=0.15)  # a straight line


@pytest.mark.course
def test_the_lesson_s_function_measures_what_the_chain_rule_says():
    names, _ = run("18", "def lengths(")
    step = lambda h, draw: names["tf"].nn.relu(h @ names["drawn"](draw, 1 / 64))  # noqa: E731
    np.testing.assert_allclose(names["lengths"](step)[0], relu(1), rtol=1e-10)


@pytest.mark.course
def test_saturated_units_and_large_weights_explode_and_a_bias_of_3_leaves_nothing():
    found, last = tanh(100)
    assert found[0] == pytest.approx(9290, rel=1e-3)
    assert np.mean(1 - last**2 < 0.1) == pytest.approx(0.85, abs=0.005)
    assert tanh(1)[0][0] == pytest.approx(0.32, abs=0.005)
    for bias, left in [(1, 2e-3), (2, 2e-6), (3, 5e-12)]:
        assert tanh(1, bias=bias)[0][0] == pytest.approx(left, rel=0.25)


@pytest.mark.course
def test_the_squared_slopes_of_saturated_units_and_the_weights_make_12_000():
    draw = np.random.default_rng(0)
    h, _ = draw.normal(size=(256, 64)), draw.normal(size=(256, 64))
    squares, others = [], []
    for _ in range(12):
        h = np.tanh(h @ (draw.normal(size=(64, 64)) * 10 / 8))
        slopes = 1 - h**2
        squares.append(np.mean(slopes**2))
        others.append(np.mean(slopes[slopes >= 0.1]))
    assert np.mean(others) == pytest.approx(0.5, abs=0.05)  # of the units that are not saturated
    slope = np.mean(squares)
    assert slope == pytest.approx(0.055, abs=5e-4)
    assert 100 * slope == pytest.approx(5.5, abs=0.05)
    assert (100 * slope) ** 5.5 == pytest.approx(12_000, abs=500)


@pytest.mark.course
def test_a_straight_path_delivers_all_of_it_and_large_branches_explode():
    for variance, left in [(0.5, 4.55), (2, 84.7), (0.1, 1.37)]:
        assert relu(variance, straight=1.0)[0] == pytest.approx(left, rel=4e-3)
    assert relu(0.0, straight=1.0)[0] == pytest.approx(1)  # branches that start at 0
    assert 2**11 == 2048


def batch_norm_layers(count: int) -> float:
    """The gradient at the first of so many layers of relu of a batch norm, by the rule on paper."""
    draw = np.random.default_rng(0)
    h, g = draw.normal(size=(256, 64)), draw.normal(size=(256, 64))
    passed = []
    for _ in range(count):
        w = draw.normal(size=(64, 64)) * np.sqrt(0.5 / 64)
        z = h @ w
        s = np.sqrt(z.var(axis=0) + 1e-5)
        n = (z - z.mean(axis=0)) / s
        passed.append((w, s, n))
        h = np.maximum(n, 0)
    g = g / np.linalg.norm(g)
    for w, s, n in reversed(passed[1:]):
        up = g * (n > 0)
        g = ((up - up.mean(axis=0) - n * (up * n).mean(axis=0)) / s) @ w.T
    return float(np.linalg.norm(g))


@pytest.mark.course
def test_with_a_batch_norm_the_gradient_grows_as_a_published_factor_says():
    assert batch_norm_layers(12) == pytest.approx(8, rel=0.06)
    # Yang and others (2019): the squares grow by pi / (pi - 1) with each layer of relu
    assert batch_norm_layers(12) == pytest.approx((np.pi / (np.pi - 1)) ** 5.5, rel=0.1)


@pytest.mark.course
def test_after_a_hundred_layers_of_batch_norm_it_is_more_than_100_million():
    assert batch_norm_layers(100) > 1e8


LAYERS = ("def lengths(", "def normalised(", '"layer norm, residual": lambda', "def trained(")


@pytest.mark.slow
def test_with_ten_times_the_steps_1_over_n_reads_nine_in_ten_and_a_third_of_it_guesses(monkeypatch):
    from lesson_cells import FOLDER

    monkeypatch.chdir(FOLDER)
    names, _ = run("18", *LAYERS)
    for variance, wanted in [(1 / 64, 90), (1 / 192, 10)]:
        _, share = names["trained"](names["ways"]["plain"], variance, steps=1000)
        assert share == pytest.approx(wanted, abs=5)


@pytest.mark.course
def test_of_four_networks_those_whose_gradients_arrive_read_the_digits(monkeypatch):
    from lesson_cells import FOLDER

    monkeypatch.chdir(FOLDER)
    _, printed = run("18", *LAYERS, "runs = {")
    shares = list(map(int, re.findall(r" {2,}reads (\d+) out of", printed)))
    assert len(shares) == 4 and max(shares[:2]) < 25 and min(shares[2:]) > 80


@pytest.mark.course
def test_forward_each_layer_of_relu_halves_the_mean_square_too():
    draw = np.random.default_rng(0)
    h, _ = draw.normal(size=(256, 64)), draw.normal(size=(256, 64))
    first = np.mean(h**2)
    for _ in range(12):
        h = np.maximum(h @ (draw.normal(size=(64, 64)) / 8), 0)
    assert (np.mean(h**2) / first) ** (1 / 12) == pytest.approx(0.5, abs=0.02)


@pytest.mark.course
def test_what_pytorch_draws_leaves_a_twenty_thousandth():
    assert relu(1 / 3)[0] == pytest.approx(1 / 20_000, rel=0.1)


@pytest.mark.course
def test_the_gradients_are_one_drawing_with_a_text_that_comes_from_the_last_layer():
    made = arriving({"a & b": [0.01, 0.1, 1.0], "level": [1.0, 1.0, 1.0]}, "Two networks.")
    svg = "{http://www.w3.org/2000/svg}"
    root = ElementTree.fromstring(made.svg)
    assert root.find(f"{svg}title").text == "Two networks."
    words = ["".join(each.itertext()).strip() for each in root.iter(f"{svg}text")]
    scale, layers = ["0.01", "0.1", "1"], ["1", "2", "3", "layer"]
    assert words == [*scale, *layers, "a & b: 0.01", "level: 1", "Stop", "Again"]
    begins = [each.get("values").split(";").index("1") for each in root.iter(f"{svg}animate")]
    assert begins == [0, 1, 2, 0, 1, 2, 3, 3]  # layer 3 first, then the names
    assert all(each.get("values").endswith("1") for each in root.iter(f"{svg}animate"))
    heights = [float(each.get("cy")) for each in root.iter(f"{svg}circle")]
    assert heights[1] - heights[0] == heights[2] - heights[1] == 36  # a power of ten each
    assert heights[3:] == [heights[0]] * 3
    assert "<script" not in made.svg
