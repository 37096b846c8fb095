"""Two traces of one program: what is paired, where they part, and the page that shows both."""

from __future__ import annotations

import re

import numpy as np
import pytest

import minitape as tf
from minitape import viz
from minitape.__main__ import main
from minitape.viz.pairing.moments import compared
from minitape.viz.pairing.pairs import pairs, same
from minitape.viz.trace.trace import Array, Trace


def played(program, first, second, dtype="float64", title=""):
    """The player of a program of two variables."""
    a, b = tf.Variable(first, dtype=dtype), tf.Variable(second, dtype=dtype)
    with viz.recording(), tf.GradientTape() as tape:
        target = program(a, b)
    return viz.step(tape, target, [a, b], title=title)


def sine(a, b):
    return tf.sin(a) * b


def test_two_runs_of_one_program_agree_in_every_value_and_cotangent():
    found = viz.beside(played(sine, 3.0, 2.0), played(sine, 3.0, 2.0)).comparison
    assert found.difference is None
    assert [m.equal for m in found.moments] == [True] * len(found.moments)
    # Two variables, sine and product; what arrives at each of these four.
    assert len(found.moments) == 8


def test_both_step_up_from_one_meeting_to_the_next():
    found = viz.beside(played(sine, 3.0, 2.0), played(sine, 3.0, 2.0)).comparison.together
    for side in ("first", "second"):
        steps = [getattr(moment, side) for moment in found]
        assert steps == sorted(set(steps))
    assert len(found) == 6  # the values of the variables are known before the first step


def test_a_changed_rule_is_found_where_its_share_arrives():
    @tf.custom_gradient
    def wrong(x):
        return tf.sin(x), lambda g: g * tf.sin(x)  # the derivative is the cosine

    left = played(lambda a, b: tf.sin(a) * b, 3.0, 2.0)
    right = played(lambda a, b: wrong(a) * b, 3.0, 2.0)
    found = viz.beside(left, right).comparison.difference
    assert (found.way, found.name) == ("back", "a")
    np.testing.assert_allclose(found.values[0].data[0], 2.0 * np.cos(3.0))
    np.testing.assert_allclose(found.values[1].data[0], 2.0 * np.sin(3.0))


def test_a_changed_value_is_found_on_the_way_forward():
    both = viz.beside(played(sine, 3.0, 2.0), played(lambda a, b: tf.cos(a) * b, 3.0, 2.0))
    found = both.comparison.difference
    assert (found.way, found.values[0].data[0]) == ("forward", np.sin(3.0))
    assert "`sin` differs: 0.1411 on the left, -0.9900 on the right" in both.words.replace("−", "-")


def test_a_source_without_a_gradient_on_one_side_is_a_difference():
    left, right = (
        played(sine, 3.0, 2.0),
        played(lambda a, b: tf.sin(tf.stop_gradient(a)) * b, 3.0, 2.0),
    )
    found = viz.beside(left, right).comparison.difference
    assert (found.name, found.values[1]) == ("a", None)
    assert "none on the right" in viz.beside(left, right).words


def test_ops_of_another_grain_are_passed_over():
    left = played(lambda a, b: tf.square(a) * tf.square(a) + b, 3.0, 2.0)
    right = played(lambda a, b: tf.pow(a, 4.0) + b, 3.0, 2.0)
    both = viz.beside(left, right)
    assert both.comparison.difference is None
    names = [m.name for m in both.comparison.moments if m.way == "back"]
    assert sorted(names) == ["a", "b", "multiply", "target"]


def test_rounding_of_a_coarser_dtype_is_no_difference():
    left = played(lambda a, b: tf.exp(a / 3.0) * b, 3.1, 2.7)
    right = played(lambda a, b: tf.exp(a / 3.0) * b, 3.1, 2.7, dtype="float32")
    assert viz.beside(left, right).comparison.difference is None


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ([1.0, 2.0], [1.0, 2.0], True),
        ([1.0, 2.0], [1.0, 2.1], False),
        ([1.0, 2.0], [[1.0, 2.0]], False),
        ([1.0, np.nan], [1.0, np.nan], True),
        ([1.0, np.inf], [1.0, -np.inf], False),
        ([1e9, 1e-3], [1e9, 2e-3], True),  # beside 1e9 it is rounding
        (np.zeros((0, 3)), np.zeros((0, 3)), True),
        (["a"], ["a"], True),
        (["a"], ["b"], False),
        (np.arange(1000.0), np.arange(1000.0), True),
        (np.arange(1000.0), np.arange(1000.0) ** 1.001, False),
    ],
)
def test_arrays_are_equal_but_for_rounding(one, other, equal):
    assert same(Array.of(one), Array.of(other)) is equal


def test_an_array_that_was_not_recorded_is_not_compared():
    assert same(None, Array.of(1.0)) is None


def test_leaves_are_paired_by_name_and_then_by_value():
    left = played(lambda a, b: a * b * tf.constant(7.0, tf.float64), 3.0, 2.0).trace
    right = played(lambda a, b: b * tf.constant(7.0, tf.float64) * a, 3.0, 2.0).trace
    names = {(left.nodes[i].name, right.nodes[j].name) for i, j in pairs(left, right)}
    assert {("a", "a"), ("b", "b")} <= names
    sevens = [(i, j) for i, j in pairs(left, right) if left.nodes[i].kind == "constant"]
    assert [right.nodes[j].value.data for _, j in sevens] == [(7.0,)]


def test_an_empty_trace_has_nothing_to_compare():
    both = viz.beside(Trace(()), Trace(()))
    assert both.words.startswith("Nothing could be compared")
    assert both.comparison.together == ()


def test_what_is_no_trace_is_refused_in_words():
    with pytest.raises(TypeError, match="needs two players or traces; the second is 3"):
        viz.beside(played(sine, 3.0, 2.0), 3)


def test_cotangents_and_tangents_are_not_compared():
    a = tf.Variable(3.0)
    with viz.recording(), tf.GradientTape(persistent=True) as tape:
        y = tf.sin(a)
    with pytest.raises(ValueError, match="cotangents and the second tangents"):
        compared(viz.step(tape, y, a).trace, viz.push(tape, y, a, 1.0).trace)


def test_the_page_has_both_pictures_and_works_offline(tmp_path):
    both = viz.beside(played(sine, 3.0, 2.0, title="left <1>"), played(sine, 3.0, 2.0))
    text = both.save(tmp_path / "both.html").read_text("utf-8")
    assert text.count('class="minitape-player"') == 2
    assert "left &lt;1&gt;" in text and "left <1>" not in text.split("<script")[0]
    assert not re.search(r"(src|href)=[\"']?(https?:)?//", text)
    assert "<th>equal</th>" in text and text.count("<td>yes</td>") == 8


def test_the_command_puts_a_second_trace_beside_the_first(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    played(sine, 3.0, 2.0).trace.save("left.json")
    played(lambda a, b: tf.sin(a) * b, 3.0, 5.0).trace.save("right.json")
    assert main(["show", "left.json", "--beside", "right.json", "--out", "both.html"]) == 0
    assert "First difference" in capsys.readouterr().out
    assert (tmp_path / "both.html").read_text("utf-8").count('class="minitape-player"') == 2


def test_the_command_writes_over_neither_trace(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("left.json", "right.json"):
        played(sine, 3.0, 2.0).trace.save(name)
    before = (tmp_path / "right.json").read_bytes()
    assert main(["show", "left.json", "--beside", "right.json", "--out", "right.json"]) == 2
    assert (tmp_path / "right.json").read_bytes() == before
    assert main(["show", "left.json", "--beside", "none.json"]) == 2
    assert "none.json" in capsys.readouterr().err
