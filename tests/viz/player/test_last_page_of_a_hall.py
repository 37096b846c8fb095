"""The last page of a hall: what arrived, and the one picture that explains its sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minitape as tf
from minitape import viz
from minitape.viz.player.payload import payload


def last(program: Callable[..., Any], *values: Any) -> Any:
    sources = [tf.Variable(each) for each in values]
    with viz.recording(), tf.GradientTape() as tape:
        target = program(*sources)
    return payload(viz.step(tape, target, sources).trace)["hall"]["last"]["look"]


def found(tree: Any, name: str) -> list[Any]:
    """The trees of a name, in order."""
    if isinstance(tree, list):
        own = [tree] if tree and tree[0] == name else []
        return own + [each for part in tree for each in found(part, name)]
    return []


def rows(look: Any) -> list[tuple[str, ...]]:
    """Label, factors and number of each bar."""
    (compared,) = (t for t in found(look, "div.compared"))
    parts = compared[2:]
    texts = [part[1] if len(part) > 1 else "" for part in parts]
    return [(texts[i], texts[i + 2], texts[i + 3]) for i in range(0, len(parts), 4)]


def test_paths_to_a_number_stand_with_their_factors_and_add_up() -> None:
    look = last(lambda a, b: a * b * 2.0 + a * a, 1.5, -4.0)
    numbers = [each[1] for each in found(look, "number.sum")]
    assert numbers == ["−5.0", "3.0"]
    factors = {(text, result) for _, text, result in rows(look)}
    assert factors == {("2.0·(−4.0) =", "−8.0"), ("", "1.5"), ("", "−5.0")}
    assert sum(label.endswith(" (2nd)") for label, _, _ in rows(look)) == 1


def test_contributions_of_rounds_that_are_left_out_are_one_bar() -> None:
    def program(r: Any) -> Any:
        y = tf.constant(1.0)
        for _ in range(30):
            y = y * r
        return y

    made = rows(last(program, 1.0))  # each of 30 uses brings 1, in float32 exactly
    assert [number for _, _, number in made] == [*4 * ["1.0"], "22.0", *4 * ["1.0"], "30.0"]
    assert made[4][0] == "22 more" and made[-1][0] == "together"


def test_layers_have_bars_on_a_logarithmic_axis_beside_what_arrived() -> None:
    weights = [np.eye(2, dtype="float32") * 0.1 for _ in range(4)]

    def program(*layers: Any) -> Any:
        h = tf.constant([[1.0, 1.0]])
        for W in layers:
            h = tf.tanh(h @ W)
        return tf.reduce_sum(h)

    look = last(program, *weights)
    assert len(found(look, "marks")) == 4
    bars = found(look, "i.gradient")
    widths = [float(bar[1]["style"].split("width:")[1].strip("%")) for bar in bars]
    assert widths == sorted(widths) and widths[-1] == max(widths) == 100.0
    steps = np.diff(widths[:-1])
    assert steps == pytest.approx(np.mean(steps), rel=0.1)  # each layer divides by ten


def test_of_many_gradients_the_largest_are_shown_and_it_says_so() -> None:
    look = last(lambda *xs: tf.add_n([x * x for x in xs]), *map(float, range(1, 8)))
    shown = [text for figure in found(look, "b.large sum") for text in figure[1:]]
    assert shown == ["8.0", "10.0", "12.0", "14.0"]
    assert " · 4 of 7 gradients are shown" in found(look, "p")[0]


def test_a_long_tape_has_a_last_page_too() -> None:
    def program(x: Any) -> Any:
        for _ in range(600):
            x = x + 0.0
        return x * 3.0

    look = last(program, 2.0)
    assert found(look, "b.large sum") == [["b.large sum", "3.0"]]
