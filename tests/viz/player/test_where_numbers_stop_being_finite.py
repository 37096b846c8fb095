"""The first number that is not finite is a headline: step, name, element, line and equation."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minitape as tf
from minitape import viz
from minitape.viz.player.findings import findings_data, findings_list

sys.path.insert(0, str(Path(__file__).parents[1]))

from equations import claims, is_true


def played(program: Callable[..., Any], x: Any) -> Any:
    with np.errstate(all="ignore"), viz.recording(), tf.GradientTape() as tape:
        target = program(x)
    return viz.step(tape, target, x)


def headlines(program: Callable[..., Any], x: Any) -> list[str]:
    return [each["cause"] for each in findings_data(played(program, x).trace)]


def test_a_logarithm_of_zero_is_named_with_its_step_element_and_equation():
    x = tf.Variable([1.0, 0.0, 3.0])

    def entropy(x):
        p = x / tf.reduce_sum(x)
        h = tf.math.log(p)
        return -tf.reduce_sum(p * h)

    player = played(entropy, x)
    (found,) = findings_data(player.trace)
    assert found["cause"].startswith(
        "The gradient of `x` is not finite. That begins in step 3, at `h[1]` (line "
    )
    assert found["cause"].endswith("): log(0.0) = −∞")
    assert player.trace.nodes[found["node"]].op == "log"
    assert "h = tf.math.log(p)" in Path(__file__).read_text("utf-8").splitlines()[found["line"] - 1]
    said = found["cause"].replace("`", "")
    assert said in player.text()
    assert said in player.text().split("\n\n")[0]
    assert "<b>not finite</b>" in findings_list(player.trace)


def test_a_slope_that_is_infinite_is_where_it_begins_though_all_values_are_finite():
    (said,) = headlines(lambda x: tf.reduce_sum(tf.sqrt(x)), tf.Variable([4.0, 0.0]))
    assert "at `x[1]`" in said
    assert said.endswith("1.0·∞ = ∞")


def test_an_infinite_number_that_does_no_harm_is_not_said():
    mask = tf.constant([0.0, -np.inf, 0.0])
    x = tf.Variable([0.3, 0.7, -0.2])
    assert headlines(lambda x: tf.reduce_sum(tf.nn.softmax(x + mask) * x), x) == []


def test_beside_a_harmless_infinity_the_one_that_does_harm_is_named():
    mask = tf.constant([0.0, -np.inf, 0.0])
    x = tf.Variable([0.3, 0.7, 0.0])
    (said,) = headlines(
        lambda x: tf.reduce_sum(tf.nn.softmax(x + mask)) + tf.reduce_sum(tf.math.log(x)), x
    )
    assert "log(x)[2]" in said


def test_a_branch_that_was_not_taken_is_where_its_gradient_becomes_nan():
    x = tf.Variable([2.0, 0.0])
    (said,) = headlines(lambda x: tf.reduce_sum(tf.where(x > 0, tf.math.log(x), 0.0)), x)
    assert "log(x)[1]" in said


def test_a_program_that_began_with_such_a_number_is_told_so():
    (said,) = headlines(lambda x: tf.reduce_sum(x * 2.0), tf.Variable([1.0, np.nan]))
    assert "The program began with such a number" in said


@pytest.mark.parametrize("value", [3.0, 0.0, 1e30])
def test_where_all_is_finite_nothing_is_said(value):
    player = played(lambda x: x * 2.0 + 1.0, tf.Variable(value))
    assert findings_data(player.trace) == []
    assert "finite" not in player.text()


SMOOTH = [tf.tanh, tf.sin, tf.cos, tf.sigmoid, lambda x: x * 1.3 + 0.2]
BREAKS = {
    "log": lambda x, zero: tf.math.log(x * zero),
    "reciprocal": lambda x, zero: tf.math.reciprocal(x * zero),
    "divide": lambda x, zero: x / zero,
}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_a_break_at_a_place_drawn_by_chance_is_found(seed):
    rng = random.Random(seed)
    size, before, after = rng.randint(2, 5), rng.randint(0, 4), rng.randint(0, 4)
    bad, name = rng.randrange(size), rng.choice(sorted(BREAKS))
    zero = tf.constant([float(i != bad) for i in range(size)])
    x = tf.Variable([rng.uniform(0.2, 0.9) for _ in range(size)])
    steps = [rng.choice(SMOOTH) for _ in range(before + after)]

    def program(x):
        h = x
        for smooth in steps[:before]:
            h = smooth(h)
        h = BREAKS[name](tf.abs(h) + 0.1, zero)
        for smooth in steps[before:]:
            h = smooth(h * 0.5)
        return tf.reduce_sum(h)

    player = played(program, x)
    found = findings_data(player.trace)
    with tf.GradientTape() as tape:
        y = program(x)
    if np.isfinite(tape.gradient(y, x)).all() and np.isfinite(y):
        assert found == []
        return
    (one,) = found
    assert player.trace.nodes[one["node"]].op == name
    if f"[{bad}]" in one["cause"]:
        assert all(is_true(claim) is not False for claim in claims(one["cause"]))
    else:
        assert "[" not in one["cause"].partition(" (line")[0]
