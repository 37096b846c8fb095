"""What lesson 7 says of the work of both modes, counted."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from test_claims import run

import minitape as tf
import ops_page
from lesson_cells import alternatives
from minitape.names import namespaces
from minitape.viz.course.motion import carrying
from minitape.viz.record import journal

PARTS = ["def f(x):", "def by_columns", "def work(", "def fly("]


@pytest.fixture(scope="module")
def lesson() -> dict[str, Any]:
    return run("07", *PARTS)[0]


def times(names: dict[str, Any], way: Any, function: Any, at: Any) -> float:
    """How many times the function's own work the way takes."""
    return float(names["work"](way, function, at) / names["work"](function, at))


@pytest.mark.course
@pytest.mark.parametrize("steps", [50, 100, 200])
def test_one_direction_of_a_throw_costs_the_same_multiple_however_many_steps_it_has(lesson, steps):
    gusts = tf.constant(np.zeros(steps))

    def path(speeds):
        return lesson["fly"](speeds, gusts)

    def last_across(gusts):
        return lesson["fly"](lesson["speeds"], gusts)[-1, 0]

    forward = times(lesson, lesson["one_jvp"], path, lesson["speeds"])
    back = times(lesson, lesson["one_vjp"], last_across, gusts)
    assert forward == pytest.approx(2.4, abs=0.06)
    assert back == pytest.approx(2.4, abs=0.06)


@pytest.mark.slow
@pytest.mark.takes_turns
def test_the_gusts_by_a_hundred_forward_passes_cost_250_throws(lesson):
    def last_across(gusts):
        return lesson["fly"](lesson["speeds"], gusts)[-1:, 0]

    assert times(lesson, lesson["by_columns"], last_across, lesson["calm"]) == pytest.approx(
        250, abs=5
    )


def test_work_counts_more_operations_than_a_recording_keeps(lesson, monkeypatch):
    monkeypatch.setattr(journal, "MAX_ENTRIES", 10)

    def squares(x):
        for _ in range(25):
            x = x * x

    assert lesson["work"](squares, tf.ones(4)) == 25 * 4


def test_the_chain_alone_holds_two_vectors_forward_mode_five_and_reverse_mode_one_a_sine():
    names, _ = run("07", "long = tf.zeros", "def chain(", "modes = [")
    chain, forward, reverse = (names["kept"][mode] for mode in names["modes"])
    assert (chain, forward) == ([2] * 4, [5] * 4)
    assert np.diff(reverse).tolist() == np.diff(names["depths"]).tolist()
    assert "The chain alone is a flat line at 2, forward mode a flat line at 5" in alternatives(
        "07"
    )


def test_with_gradients_for_the_weights_a_gradient_costs_about_three_times_the_network(lesson):
    rng = np.random.default_rng(0)
    weights = [tf.constant(rng.normal(size=(32, 32)) / 6.0) for _ in range(4)]
    at = tf.constant(rng.normal(size=32))

    def network(x):
        for matrix in weights:
            x = tf.tanh(tf.linalg.matvec(matrix, x))
        return x

    def gradients(function, x):
        with tf.GradientTape() as tape:
            tape.watch([x, *weights])
            y = function(x)
        return tape.gradient(y, [x, *weights])

    assert times(lesson, lesson["one_vjp"], network, at) == pytest.approx(2.0, abs=0.05)
    assert times(lesson, gradients, network, at) == pytest.approx(3.0, abs=0.05)


@pytest.mark.parametrize(("inputs", "outputs", "cheaper"), [
    (10, 30, "by_columns"), (12, 30, "by_rows"), (3, 10, "by_columns"), (5, 10, "by_rows"),
])  # fmt: skip
def test_forward_is_less_work_below_a_third_as_many_inputs_as_outputs(
    lesson, inputs, outputs, cheaper
):
    function, at = lesson["network"](inputs, outputs)
    found = {way: times(lesson, lesson[way], function, at) for way in ("by_columns", "by_rows")}
    assert min(found, key=lambda way: found[way]) == cheaper


@pytest.mark.parametrize("shape", [(32, 32), (20, 30), (1, 16), (16, 1)])
def test_all_rows_in_one_backward_pass_are_no_more_arithmetic_than_one_by_one(lesson, shape):
    function, at = lesson["network"](*shape)

    def jacobian(function, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.jacobian(y, x)

    one_by_one = times(lesson, lesson["by_rows"], function, at)
    assert times(lesson, jacobian, function, at) <= one_by_one


def test_few_operations_have_a_rule_for_tangents_and_stack_is_one():
    namespaces.load_rest()
    with_rules = {name for name, each in ops_page.own_ops() if each.op.jvp is not None}
    assert "stack" in with_rules
    assert len(with_rules) < 20 < 250 < len(ops_page.own_ops())


@pytest.mark.parametrize("sizes", [(100, 100, 100, 1), (1, 100, 100, 100), (7, 3, 5, 2)])
def test_the_picture_of_what_is_carried_counts_the_multiplications_of_either_order(sizes):
    ones = [np.ones((b, a)) for a, b in zip(sizes, sizes[1:], strict=False)]

    def multiplied(matrices, product):
        total, carried = 0, matrices[0]
        for each in matrices[1:]:
            left, right = product(carried, each)
            total += left.shape[0] * left.shape[1] * right.shape[1]
            carried = left @ right
        return total

    forward = multiplied(ones, lambda carried, each: (each, carried))
    backward = multiplied(ones[::-1], lambda carried, each: (carried, each))
    svg = carrying(sizes, "abcd", "What is carried along.").svg
    found = re.findall(r"together ([\d,]+) multiplications", svg)
    assert [int(each.replace(",", "")) for each in found] == [forward, backward]


def test_a_second_for_each_of_a_billion_weights_is_32_years():
    _, printed = run("07", "weights, year =")
    assert f"forward: {1e9 / (365 * 24 * 60 * 60):.0f} years" in printed
