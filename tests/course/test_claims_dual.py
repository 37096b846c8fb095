"""What lesson 14 says of pairs that travel forward."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import pytest
from test_claims import run

import minitape as tf
from minitape.viz.course.motion import drifting, travelling


def test_the_class_and_a_tape_agree_to_14_digits():
    names, _ = run("14", "class Dual", "def sqrt", "def thrown", "def squared_miss")
    dual, v = names["Dual"], tf.Variable(np.array([10.0, 10.0]))
    with tf.GradientTape() as tape:
        far = names["squared_miss"](v)
    by_tape = tape.gradient(far, v).numpy()
    forward = [
        names["miss"](dual(10.0, 1.0), dual(10.0)).slope,
        names["miss"](dual(10.0), dual(10.0, 1.0)).slope,
    ]
    np.testing.assert_allclose(forward, by_tape, rtol=0.5e-13)  # half of the 14th digit


def test_the_arrows_reach_the_throw_that_is_faster_across_to_within_2_cm():
    names, _ = run("14", "class Dual", "def sqrt", "def thrown")
    dual = names["Dual"]
    pairs = names["thrown"](dual(10.0, 1.0), dual(10.0))
    promised = [(x.value + x.slope, y.value + y.slope) for x, y in pairs]
    faster = [np.array([0.0, 1.5])]
    velocity = np.array([11.0, 10.0])
    for _ in range(100):
        air = velocity + [6.0 * np.tanh(faster[-1][1] / 5.0), 0.0]
        velocity = velocity - 0.02 * (0.02 * np.hypot(*air) * air + [0.0, 9.81])
        faster.append(faster[-1] + 0.02 * velocity)
    assert 0.015 < np.hypot(*(np.array(promised) - faster[1:]).T).max() < 0.02


class Counted:
    """A number that counts the operations which made it and others."""

    many = 0

    def __init__(self, value):
        self.value = float(getattr(value, "value", value))

    def made(self, value):
        Counted.many += 1
        return Counted(value)

    def __add__(self, other):
        return self.made(self.value + Counted(other).value)

    def __mul__(self, other):
        return self.made(self.value * Counted(other).value)

    def __rsub__(self, other):
        return self.made(Counted(other).value - self.value)

    def __truediv__(self, other):
        return self.made(self.value / Counted(other).value)

    def __pow__(self, other):
        return self.made(self.value**other)

    __radd__, __rmul__ = __add__, __mul__


def test_a_dual_does_about_three_times_the_work_of_the_throw_alone():
    names, _ = run("14", "class Dual", "def sqrt", "def thrown")

    def counted(function):
        return lambda u: Counted(u).made(function(Counted(u).value))

    functions = {each: counted(getattr(np, each)) for each in ("sqrt", "tanh")}
    names["math"] = SimpleNamespace(**functions)

    def work(**replaced):
        names.update(replaced)
        dual = names["Dual"]
        Counted.many = 0
        names["miss"](dual(Counted(10.0), Counted(1.0)), dual(Counted(10.0), Counted(0.0)))
        return Counted.many

    with_slopes = work()
    alone = work(Dual=lambda value, slope=0.0: Counted(value), **functions)
    assert with_slopes / alone == pytest.approx(3, abs=0.5)
    assert alone > 1900


def test_the_first_column_of_the_hessian_is_a_difference_of_gradients():
    names, _ = run("14", "def squared_miss")
    step = 1e-5
    ends = []
    for across in (10.0 + step, 10.0 - step):
        v = tf.Variable(np.array([across, 10.0]))
        with tf.GradientTape() as tape:
            far = names["squared_miss"](v)
        ends.append(tape.gradient(far, v).numpy())
    assert (ends[0] - ends[1]) / (2 * step) == pytest.approx([3.7, -0.8], abs=0.05)


def test_pairs_appear_one_after_the_other_and_all_of_them_rest():
    steps = [("x", (0, 0), (3.0, 1.0)), ("x x", (1, 0), (9.0, 6.0))]
    svg = travelling(steps, [(0, 1, "times 6")], "A square & its slope.").svg
    shown = {}
    for text in re.findall(r'<text class="comes".*?</text>', svg):
        moments = re.search(r'values="([01;]*)"', text)[1].split(";")
        assert moments[-1] == "1"
        shown[re.sub(r"<[^>]*>", "", text)] = moments.index("1")
    assert shown == {"times 6": 1, "value 3": 0, "slope 1": 0, "value 9": 1, "slope 6": 1}
    assert "A square &amp; its slope." in svg


def test_a_flight_shows_its_arrows_one_after_the_other_and_the_other_throw_at_the_end():
    path = [(0.1 * n, 1.0) for n in range(30)]
    tangents = [("faster across", [(0.5, 0.0)] * 30), ("faster up", [(0.0, 0.5)] * 30)]
    svg = drifting(path, tangents, [(0.0, 1.0), (3.4, 1.0)], (3.0, 1.0), "A flight.").svg
    comes = re.findall(r'<(g|path) class="comes".*?values="([01;]*)"', svg)
    moments = {kind: [v.split(";").index("1") for k, v in comes if k == kind] for kind, _ in comes}
    assert moments == {"g": [0, 1, 2], "path": [4]}
    assert all(values.endswith("1") for _, values in comes)  # it rests with all of them
    turned = re.findall(r"rotate\((-?\d+)\)", svg)
    assert list(map(float, turned)) == [0, -90] * 3  # across to the right, up to the top
    assert "A flight." in svg and "<script" not in svg
