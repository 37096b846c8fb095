"""A trace, a score and what else `viz` makes say at once what they were given wrongly."""

from __future__ import annotations

import numpy as np
import pytest

import minitape as tf
from minitape import viz
from minitape.viz.trace.trace import Array, Node, Trace
from rows import failing

NODE = Node(0, "source", (), "float64", (), name="x", value=Array.of(3.0), watched=True)
WRONG = {
    "tensor": tf.constant([1.0, 2.0]), "None": None, "int": 3, "array": np.ones(2),
    "class": dict, "list of numbers": [1.5], "trace": Trace((NODE,)),
}  # fmt: skip
FIELDS = {
    "nodes": "a tuple of Node objects",
    "steps": "a tuple of Step objects",
    "targets": "a tuple of integers",
    "sources": "a tuple of integers",
    "gradients": "a dict of arrays",
    "title": "a string",
    "persistent": "True or False",
    "source_text": "a tuple of Source objects",
    "notes": "a tuple of texts",
    "breaks": "a tuple of Break objects",
    "kind": "'tape' or 'graph'",
    "rounds": "a tuple of pairs of integers",
    "orders": "a tuple of Order objects",
    "carries": "'cotangents' or 'tangents'",
    "convention": "'conjugate' or ",
    "insides": "a tuple of Inside objects",
    "paths": "a tuple of Paths objects",
}


@pytest.mark.parametrize("name", FIELDS)
def test_a_trace_refuses_a_field_of_another_kind_when_it_is_made(name):
    def refused(value):
        words = f"^Trace: {name} must be {FIELDS[name]}.*; got "
        with pytest.raises(TypeError, match=words) as caught:
            viz.Trace(**{"nodes": (NODE,)} | {name: value})
        assert "viz.step(tape, y, x).trace" in str(caught.value)

    assert failing(refused, {kind: (value,) for kind, value in WRONG.items()}) == {}


@pytest.mark.parametrize("value", [3, "minitape", np.ones(2)])
def test_a_producer_is_a_producer_or_none(value):
    with pytest.raises(TypeError, match="producer must be a Producer or None"):
        viz.Trace((NODE,), producer=value)


def test_the_items_of_a_field_are_looked_at_too():
    with pytest.raises(TypeError, match="nodes must be a tuple of Node objects"):
        viz.Trace((NODE, "y"))
    with pytest.raises(TypeError, match="gradients must be a dict"):
        viz.Trace((NODE,), gradients={0: 6.0})
    with pytest.raises(TypeError, match="gradients must be a dict"):
        viz.Trace((NODE,), gradients={"x": None})


def test_lists_are_taken_for_tuples_and_what_was_taken_can_be_written():
    made = viz.Trace([NODE], targets=[0], gradients={0: None})
    assert viz.Trace.from_json(made.to_json()).targets == (0,)


def test_integers_of_numpy_which_json_cannot_hold_are_refused():
    with pytest.raises(TypeError, match="targets must be a tuple of integers"):
        viz.Trace((NODE,), targets=(np.int64(0),))


@pytest.mark.parametrize("value", ["three", None, [1], tf.constant([1.0, 2.0])])
def test_the_points_of_a_score_and_of_a_part_are_numbers(value):
    with pytest.raises(TypeError, match="Score: points must be a number"):
        viz.Score(value)
    with pytest.raises(TypeError, match=r"Score\.part: points must be a number"):
        viz.Score(3).part(value, True, "a hint")


@pytest.mark.parametrize("value", [tf.constant([1.0, 2.0]), None, 3, "rows", [1]])
def test_what_viz_makes_itself_says_which_function_makes_it(value):
    with pytest.raises(TypeError, match=r"rows must be .* Write viz\.memory\(tape\)"):
        viz.Memory(value, (), 0, False)
    with pytest.raises(TypeError, match=r"an Explanation has .* Write viz\.explain\(tape, y, x\)"):
        viz.Explanation(value, Trace((NODE,)), "text")


@pytest.mark.parametrize("value", [tf.constant([1.0, 2.0]), 3, np.ones(2)])
def test_the_heading_of_two_players_is_a_text(value):
    with pytest.raises(TypeError, match="beside: title must be a string"):
        viz.Beside(Trace((NODE,)), Trace((NODE,)), value)
