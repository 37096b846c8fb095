"""Below the loss stands how large the gradient of each layer is, on a logarithmic axis."""

from __future__ import annotations

import itertools
import math
import random
import re

import numpy as np
import pytest

import minitape as tf
from minitape import viz
from minitape.viz.films.page import film_data
from minitape.viz.films.sizes import MOST_LINES, apart, layer_of, sizes, within
from minitape.viz.films.stage import arrows


def trained(layers: int, width: int = 3, steps: int = 6):
    """A film of a stack of named layers, and the gradients of each noted step as arrays."""
    rng = np.random.default_rng(layers)
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(width, activation="tanh", name=f"l{i}") for i in range(layers)]
        + [tf.keras.layers.Dense(1, name="head")]
    )
    x = rng.normal(size=(5, 2)).astype("float32")
    y = rng.normal(size=(5, 1)).astype("float32")
    model(x)
    film = viz.film(model.trainable_variables)
    kept = []
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(x) - y))
        film.note(tape, loss)
        gradients = tape.gradient(loss, model.trainable_variables)
        kept.append([g.numpy() for g in gradients])
        for variable, g in zip(model.trainable_variables, gradients, strict=True):
            variable.assign_sub(0.1 * g)
    return film, kept


def test_the_size_of_a_layer_is_the_root_mean_square_of_all_its_elements():
    film, kept = trained(2)
    found = sizes(film)
    assert list(found) == ["l0", "l1", "head"]
    for place, points in enumerate(found.values()):
        for step, size in points:
            both = np.concatenate([kept[step][2 * place].ravel(), kept[step][2 * place + 1]])
            assert size == pytest.approx(np.sqrt(np.mean(both.astype("float64") ** 2)), rel=1e-5)


def test_of_many_layers_evenly_spaced_ones_have_a_line_the_first_and_last_among_them():
    film, _ = trained(20, steps=3)
    found = sizes(film)
    assert len(found) == MOST_LINES
    assert list(found)[0] == "l0"
    assert list(found)[-1] == "head"


def test_a_gradient_that_is_zero_none_or_not_finite_is_no_point_of_a_line():
    w, v, u = tf.Variable(1.0), tf.Variable(2.0), tf.Variable(3.0)
    film = viz.film([w, v, u])
    for step in range(4):
        with np.errstate(all="ignore"), tf.GradientTape() as tape:
            loss = w * w + v * (0.0 if step == 1 else 1.0)
        film.note(tape, loss)
    found = sizes(film)
    assert [step for step, _ in found["v"]] == [0, 2, 3]
    assert "u" not in found
    film_data([film])


def test_places_are_moved_apart_and_stay_in_their_order():
    rng = random.Random(3)
    for _ in range(200):
        places = [rng.uniform(0, 60) for _ in range(rng.randint(1, 8))]
        found = apart(places, 10.0)
        assert all(b - a >= 10.0 - 1e-9 for a, b in itertools.pairwise(found))
        assert math.fsum(found) == pytest.approx(math.fsum(places))  # as little as it takes
        kept = within(found, 0.0, 80.0, 10.0)
        assert all(b - a >= 10.0 - 1e-9 for a, b in itertools.pairwise(kept))
        assert kept[0] >= 0 and kept[-1] <= 80


def test_a_bias_is_joined_to_its_kernel_by_no_arrow_and_layers_are():
    film, _ = trained(2)
    assert film.names == [
        "l0.kernel",
        "l0.bias",
        "l1.kernel",
        "l1.bias",
        "head.kernel",
        "head.bias",
    ]
    assert arrows(film) == [False, True, False, True, False]


def test_names_without_layers_are_told_apart_by_what_the_tape_did():
    w, b, v = tf.Variable([[0.3]]), tf.Variable([0.1]), tf.Variable([[0.7]])
    film = viz.film([w, b, v])
    x = tf.constant([[1.0], [2.0]])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.tanh(x @ w + b) @ v)
    film.note(tape, loss)
    assert arrows(film) == [False, True]


@pytest.mark.parametrize(
    ("name", "layer"),
    [
        ("hidden.kernel", "hidden"),
        ("a/b/gamma", "a/b"),
        ("w", "w"),
        ("model.out.bias", "model.out"),
    ],
)
def test_the_layer_of_a_name_is_what_stands_before_its_own(name, layer):
    assert layer_of(name) == layer


def test_the_picture_says_the_names_of_layers_whole():
    film, _ = trained(2)
    texts = re.findall(r"<text[^>]*>([^<]*)", film.canvas().svg())
    assert {"l0", "l1", "head", "size of the gradient", "l0.kernel"} <= set(texts)
    assert not [text for text in texts if "…" in text]
