"""Sentences that a producer leaves empty are made of the data of the trace."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from viz.player.page import steps_table
from viz.trace.wording import sentence
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
