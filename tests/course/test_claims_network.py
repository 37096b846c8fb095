"""What lesson 5 says of networks, recomputed in NumPy: pictures, a border, three activations."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from test_claims import pyplot, run

import minitape as tf
from lesson_cells import FOLDER, alternatives, cells, code, prose
from minitape.viz.quizzes.prediction import Prediction

READER = ["with np.load(", "order = np.random", "def dense(", "def mean_loss(", "def train("]


@pytest.fixture(autouse=True)
def where_the_data_are(monkeypatch):
    pyplot.switch_backend("Agg")
    monkeypatch.chdir(FOLDER)
    yield
    pyplot.close("all")


# The network on paper

X, T = np.array([[1.0, 2.0]]), 2.0
W1, B1 = np.array([[1.0, -1.0, 0.5], [0.5, 0.25, 0.25]]), np.zeros(3)
W2, B2 = np.array([[1.0], [1.0], [0.5]]), np.array([0.5])


def words_of(picture) -> list[str]:
    """The numbers in a picture that moves, as they are written."""
    return [each.replace("\u2212", "-") for each in re.findall(r'bold">([^<]*)<', picture.svg)]


def written(*arrays) -> list[str]:
    return [f"{number:g}" for number in np.concatenate([np.ravel(each) for each in arrays])]


def test_the_pictures_of_the_network_have_the_numbers_of_numpy(monkeypatch):
    names, _ = run("05", "def drawn(back")
    shown = []
    monkeypatch.setattr(Prediction, "show", lambda self, thing: shown.append(thing))
    cell = next(c.text for c in cells("05") if "y_bar = 2 * (y - t)" in c.text)
    exec(cell, names)
    z = (X @ W1 + B1)[0]
    h = np.maximum(z, 0)
    y = h @ W2 + B2
    y_bar = 2 * (y - T)
    h_bar = y_bar @ W2.T
    z_bar = h_bar * (z > 0)
    (back,) = shown
    values = [*written(X, W1, W2), f"{(y - B2)[0]:g}+{B2[0]:g}={y[0]:g}"]
    values += [f"{a:g} \u2192 {b:g}" for a, b in zip(z, h, strict=True)]
    values += written((y - T) ** 2)
    arrived = written(z_bar @ W1.T, y_bar, 1.0, X.T @ z_bar[np.newaxis], h * y_bar)
    arrived += [f"{b:g} \u2190 {a:g}" for a, b in zip(h_bar, z_bar, strict=True)]
    forward = names["drawn"](
        ([[""] * 2, [""] * 3, [""], [""]], [[[""] * 3] * 2, [[""]] * 3]), "forward"
    )
    assert sorted(filter(None, words_of(forward))) == sorted(values)
    assert sorted(filter(None, words_of(back))) == sorted(values + arrived)


def test_to_be_sure_and_wrong_is_expensive():
    assert -np.log([0.99, 0.01]) == pytest.approx([0.01, 4.6], abs=0.01)
    assert "it 0.99 pays 0.01, and one that gives it 0.01 pays 4.6" in prose("05")


def test_with_a_wrong_backward_pass_it_learns_and_with_steps_too_long_it_guesses():
    names, printed = run("05", *READER, "train(model, 0.05", "SLIPS = {", "curves, misread")
    assert names["misread"] == {
        "no slip": 11,
        "relu passes all": 27,
        "relu passes nothing": 83,
        "the sum, not the mean": 454,
    }
    said = alternatives("05")
    for name, curve in names["curves"].items():
        assert f"{names['misread'][name]} misread" in said, name
        assert len(curve) == 800
    ends = [float(np.mean(curve[-40:])) for curve in names["curves"].values()]
    assert ends == pytest.approx([0.002, 0.1, 0.5, 2.4], rel=0.25)
    assert "five of six are read" in code("05") and round(6 * (1 - 83 / 500)) == 5


def test_a_slip_of_the_given_kind_leaves_the_forward_pass_as_it_is():
    names: dict[str, Any] = {"tf": tf}
    exec(
        next(c.text for c in cells("05") if "SLIPS = {" in c.text and "predict" not in c.text),
        names,
    )
    z = tf.constant([-1.0, 0.5, 2.0])
    backs = []
    for activation, _ in names["SLIPS"].values():
        with tf.GradientTape() as tape:
            tape.watch(z)
            h = activation(z)
        np.testing.assert_allclose(h, [0, 0.5, 2])
        backs.append(tape.gradient(h, z).numpy().tolist())
    assert backs == [[1, 1, 1], [0, 0, 0], [0, 1, 1]]


def test_the_loss_begins_with_that_of_a_guess_and_falls_to_a_tenth_within_200_steps():
    names, _ = run("05", *READER, "train(model, 0.05")
    losses = np.array(names["losses"])
    assert len(losses) == 800
    assert losses[:5].mean() == pytest.approx(np.log(10), abs=0.5)
    assert losses[150:200].mean() == pytest.approx(0.1, abs=0.05)
    assert 3e-4 < losses[-40:].mean() < 3e-3
    assert len(names["wrong"]) == 11


# The border of the rates


@pytest.mark.slow
def test_right_of_the_best_rate_the_loss_rises_slowly_and_then_steeply():
    names, _ = run("05", *READER)
    losses = {}
    for rate in (0.05, 0.1, 0.2, 0.5):
        found = []
        for start in (1, 2, 3):
            tf.random.set_seed(start)
            widths = [(64, "relu"), (32, "relu"), (10, None)]
            model = tf.keras.Sequential([names["dense"](*width) for width in widths])
            names["train"](model, rate, epochs=3)
            found.append(float(names["mean_loss"](model, names["train_x"], names["train_y"])))
        losses[rate] = np.array(found)
    guessing = np.log(10)
    assert losses[0.05].mean() < losses[0.1].mean() < 2 * losses[0.05].mean()
    assert np.all(losses[0.2] < guessing / 2)
    assert np.all(losses[0.5] > guessing)
    assert "between 0.2 and 0.5 comes a steep **border**" in prose("05")
    assert "to 0.4 at 0.18" in alternatives("05")


# Twelve layers, and three activations

SLOPES = {
    "sigmoid": (lambda z: 1 / (1 + np.exp(-z)), lambda z: np.exp(-z) / (1 + np.exp(-z)) ** 2),
    "tanh": (np.tanh, lambda z: 1 / np.cosh(z) ** 2),
    "relu": (lambda z: np.maximum(z, 0), lambda z: 1.0 * (z > 0)),
}


def layers_in_numpy(name: str, variance: float) -> tuple[list[float], list[float]]:
    """How large the signal and its cotangent are at each of 12 layers of 64 units."""
    rng = np.random.default_rng(5)
    activation, slope = SLOPES[name]
    with np.load("data/digits.npz") as data:
        out = data["images"][:128].reshape(-1, 64) / 16.0
    kernels, before, after = [], [], []
    for _ in range(12):
        kernels.append(rng.normal(size=(64, 64)) * np.sqrt(variance))
        before.append(out @ kernels[-1])
        out = activation(before[-1])
        after.append(float(np.mean(np.abs(out))))
    cotangent = rng.normal(size=(128, 64))
    sizes = [float(np.mean(np.abs(cotangent)))]
    for kernel, z in zip(kernels[:0:-1], before[:0:-1], strict=True):
        cotangent = (cotangent * slope(z)) @ kernel.T
        sizes.insert(0, float(np.mean(np.abs(cotangent))))
    return after, sizes


GLOROT, HE = 2 / (64 + 64), 2 / 64


def test_glorot_keeps_the_gradient_with_tanh_and_he_with_relu_and_neither_with_sigmoids():
    arrives = {}
    for name, variance in [("tanh", GLOROT), ("relu", HE), ("sigmoid", GLOROT), ("sigmoid", HE)]:
        _, sizes = layers_in_numpy(name, variance)
        arrives[name, variance] = sizes[0] / sizes[-1]
    assert 0.2 < arrives["tanh", GLOROT] < 1
    assert 0.3 < arrives["relu", HE] < 3
    assert arrives["sigmoid", GLOROT] < 1e-6
    assert arrives["sigmoid", HE] < 1e-4
    assert "With sigmoids neither keeps the gradient" in prose("05")


def test_nearly_all_of_the_sigmoid_s_factor_is_its_slope():
    _, sizes = layers_in_numpy("sigmoid", GLOROT)
    factors = np.divide(sizes[:-1], sizes[1:])
    assert np.mean(factors) == pytest.approx(0.23, abs=0.015)
    assert np.sqrt(64 * GLOROT) == 1.0  # what the weights do to a random cotangent's size


def test_tanh_shrinks_the_signal_the_more_the_larger_it_is():
    nodes, weights = np.polynomial.hermite_e.hermegauss(61)  # a mean over normal numbers
    kept = [
        np.sum(np.tanh(nodes * spread) ** 2 * weights) / np.sum(weights) / spread**2
        for spread in (0.1, 0.3, 0.5, 0.7, 1.0)
    ]
    assert kept == sorted(kept, reverse=True)
    assert 0.97 < kept[0] < 1
    assert kept[-1] < 0.5
    assert "tanh shrinks the signal, the more the larger it is" in prose("05")


def test_with_relu_a_little_more_of_the_gradient_arrives_at_layer_1_than_layer_12_had():
    names, _ = run("05", *READER[:3], "def through_layers(")
    _, sizes = names["through_layers"]("relu", "he_normal")
    assert 1 < sizes[0] / sizes[-1] < 1.3
    assert "all of it (here even a little more)" in code("05")
