"""Players for users of other packages: marimo's cells, and graphviz's own object."""

from __future__ import annotations

import sys
import types
from dataclasses import replace

import pytest

import minitape as tf
from minitape import viz
from minitape.viz.errors import MissingExtraError
from minitape.viz.picture.dot_object import digraph


def player():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    return viz.step(tape, y, x)


def test_a_player_gives_graphviz_its_own_object_with_a_box_for_each_node():
    graphviz = pytest.importorskip("graphviz")
    graph = player().to_graphviz()
    assert isinstance(graph, graphviz.Digraph)
    lines = [line.strip() for line in graph.source.splitlines()]
    assert [line for line in lines if "->" in line] == ["n0 -> n1", "n0 -> n1"]
    assert any(line.startswith("n0 ") and "gradient 6.0" in line for line in lines)


@pytest.mark.parametrize("name", ["<b>bold</b>", "a\\nb", 'quote"s', "<table>"])
def test_names_in_a_graphviz_object_are_text(name):
    pytest.importorskip("graphviz")
    trace = player().trace
    renamed = replace(trace, nodes=(replace(trace.nodes[0], name=name), *trace.nodes[1:]))
    (line,) = [each for each in digraph(renamed).source.splitlines() if each.startswith("\tn0 [")]
    label = line.split("label=")[1]
    assert label.startswith('"')  # in angle brackets it would be markup
    assert name.replace("\\", "\\\\").replace('"', '\\"') in label


def test_without_the_package_to_graphviz_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "graphviz", None)
    with pytest.raises(MissingExtraError, match="pip install"):
        player().to_graphviz()


def test_a_still_picture_gives_the_same_object():
    pytest.importorskip("graphviz")
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    assert "n0 -> n1" in viz.draw(tape, y, x).to_graphviz().source


def test_marimo_gets_the_whole_page_in_a_frame_of_its_own(monkeypatch):
    given = types.ModuleType("marimo")
    given.iframe = lambda html, height: (html, height)
    monkeypatch.setitem(sys.modules, "marimo", given)
    shown, _ = player()._display_()
    assert shown.startswith("<!doctype html>")
    assert "minitape-player" in shown
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    quiz, _ = viz.quiz(tape, y, x)._display_()
    assert "minitape-quiz" in quiz
    film, _ = viz.film(tf.Variable(1.0))._display_()
    assert "No step is noted yet" in film
