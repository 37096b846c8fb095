"""Sentences that a producer leaves empty are made of the data of the trace."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

import minitape as tf
from minitape import viz
from minitape.viz.player.page import steps_table
from minitape.viz.trace.wording import sentence
from viz_traces import EXAMPLES, diamond, tangents


def without_sentences(trace):
    return replace(trace, steps=tuple(replace(step, sentence="") for step in trace.steps))


@pytest.mark.parametrize("name", ["squared", "diamond", "broadcasting", "unconnected", "complex"])
def test_every_step_without_a_sentence_gets_one(name):
    trace = without_sentences(EXAMPLES[name]())
    for step in trace.steps:
        assert re.fullmatch(r"[A-Z`].*\.", sentence(step, trace.nodes)), step.kind


def test_a_sentence_of_the_producer_stays():
    step = replace(diamond().steps[0], sentence="As the producer says.")
    assert sentence(step, diamond().nodes) == "As the producer says."


def test_a_pull_says_what_comes_in_and_what_goes_on():
    trace = without_sentences(diamond())
    step = next(s for s in trace.steps if s.kind == "pull" and trace.nodes[s.node].op == "square")
    assert sentence(step, trace.nodes) == (
        "The cotangent of `a` is 1.0; `square` passes g · 2 · x = 1.0 · 2 · 2.0 = 4.0 to `x`."
    )


def test_tangents_start_at_the_source_and_are_passed_on():
    trace = without_sentences(tangents())
    said = [
        sentence(step, trace.nodes, "tangents") for step in trace.steps if step.kind != "forward"
    ]
    assert said[0].startswith("The pass starts at the source: the tangent of `x` is ")
    assert "passes the tangent of `x`" in said[1]


def test_the_table_of_steps_shows_made_sentences():
    assert "so its cotangents add up" in steps_table(without_sentences(diamond()))


def said_of(make):
    x = tf.Variable(10.0, name="x")
    z = tf.Variable(2.0, name="z")
    with viz.recording(), tf.GradientTape() as tape:
        y = make(x, z)
    trace = viz.step(tape, y, x).trace
    steps = [step for step in trace.steps if step.kind == "forward"]
    return sentence(replace(steps[-1], sentence=""), trace.nodes)


def test_two_results_of_one_kind_of_op_are_told_apart_by_their_numbers():
    said = said_of(lambda x, z: x**2 + z**2)
    assert "`add` of the results of `pow` (100.0 and 4.0) gives" in said


def test_only_one_value_twice_is_itself():
    assert "`multiply` of `x` and itself gives" in said_of(lambda x, z: x * x)
    assert "`multiply` of `x` and `z` gives" in said_of(lambda x, z: x * z)


def test_more_results_of_one_kind_are_counted():
    said = said_of(lambda x, z: tf.stack([x * 2.0, z * 2.0, x * 3.0]))
    assert "`stack` of 3 results of `multiply` gives" in said
