"""`viz.memory`: bytes by op, what is kept and why, and when it is free again.

The expected bytes are counted by hand: elements times size of the dtype, from what each derivative
needs by the rules of calculus.
"""

from __future__ import annotations

import contextlib
import gc
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import minitape as tf
from minitape import viz

NAMESPACE = "{http://www.w3.org/2000/svg}"


def layer(persistent=False):
    """y = tanh(x @ w): the product keeps x and w, tanh its result."""
    x = tf.constant(np.ones((4, 3), np.float32))
    w = tf.Variable(np.ones((3, 2), np.float32))
    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch(x)
        h = x @ w
        y = tf.tanh(h)
        z = y + 1.0
    assert z is not None
    return tape, x, w, h, y


def test_bytes_by_op_are_those_of_the_values_that_the_derivatives_need():
    tape, *values = layer()
    rows = {row.op: row for row in viz.memory(tape).rows}
    assert rows["matmul"].bytes == (4 * 3 + 3 * 2) * 4
    assert rows["tanh"].bytes == 4 * 2 * 4
    assert rows["add"].bytes == 0 and rows["add"].keeps == ()
    assert len(values) == 4


def test_rows_name_the_learners_values_and_the_rules_that_need_them():
    tape, x, w, h, y = layer()
    rows = {row.op: row for row in viz.memory(tape).rows}
    assert rows["matmul"].keeps == ("x", "w") and rows["tanh"].keeps == ("y",)
    assert [why.split(":")[0] for why in rows["matmul"].because] == ["to x", "to w"]
    assert "w" in rows["matmul"].because[0] and "x" in rows["matmul"].because[1]
    assert {id(v) for v in (x, w, h, y)}


def test_the_largest_op_comes_first_and_the_total_is_the_sum():
    tape, *_values = layer()
    memory = viz.memory(tape)
    assert [row.op for row in memory.rows] == ["matmul", "tanh", "add"]
    assert memory.total == 72 + 32 == sum(row.bytes for row in memory.rows)
    assert "104 B" in memory.text


def test_an_array_that_two_ops_keep_is_counted_once():
    x = tf.Variable(np.ones(100, np.float32))
    with tf.GradientTape() as tape:
        y = tf.sin(x) + tf.cos(x) + x * x
    assert y is not None
    assert viz.memory(tape).total == 400


def test_the_player_counts_shared_arrays_once_too():
    x = tf.Variable(np.ones(100, np.float32))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.sin(x) + tf.cos(x))
    steps = viz.step(tape, y, x).trace.steps
    assert max(step.held for step in steps) == 400
    assert [step.held for step in steps if step.kind == "release"][-2:] == [400, 0]


def test_what_the_learner_has_a_name_for_is_not_kept_alive_by_the_tape_alone():
    tape = layer()[0]
    assert viz.memory(tape).only_tape == 104  # x, w and y: all that layer() called so is gone
    tape, x, w, h, y = layer()
    assert viz.memory(tape).only_tape == 0
    assert all(v is not None for v in (x, w, h, y))


class Model:
    """A layer that remembers its last result, as models of students do."""

    def __init__(self):
        self.w = tf.Variable(np.ones((3, 3), np.float32))
        self.last = None

    def __call__(self, x):
        self.last = tf.tanh(x @ self.w)
        return self.last


def through(layers, recorded):
    with contextlib.ExitStack() as opened:
        opened.enter_context(viz.recording()) if recorded else None
        tape = opened.enter_context(tf.GradientTape())
        x = tf.constant(np.ones((2, 3), np.float32))
        for layer in layers:
            x = layer[0](x)
        tf.exp(x)
    return tape


@pytest.mark.parametrize("recorded", [False, True])
def test_what_a_model_holds_deep_inside_is_not_kept_alive_by_the_tape_alone(recorded):
    layers = [[Model()], [Model()]]
    tape = through(layers, recorded)
    found = viz.memory(tape)
    # The first x and the last exp, 24 bytes each, are gone with the function that made them.
    assert found.only_tape == 48
    assert found.total == 48 + 2 * 36 + 2 * 24  # and two weights, two results
    del layers
    gc.collect()
    assert viz.memory(tape).only_tape == found.total


def test_a_name_of_a_calling_function_holds_a_value_too():
    def ask(tape):
        return viz.memory(tape).only_tape

    x = tf.Variable(np.ones(100, np.float32))
    with tf.GradientTape() as tape:
        y = tf.tanh(x)
    assert ask(tape) == 0
    del y
    assert ask(tape) == 400


def test_a_tape_that_drops_its_records_ends_with_nothing_and_a_persistent_one_keeps_all():
    tape, *_values = layer()
    bars = viz.memory(tape).bars
    assert [bar.dropped for bar in bars] == [72, 104, 104, 104, 72, 0]
    assert [bar.persistent for bar in bars] == [72, 104, 104, 104, 104, 104]


def test_the_bars_agree_with_the_bytes_held_in_the_players_steps():
    tape, x, w, h, y = layer()
    steps = viz.step(tape, y, [x, w]).trace.steps
    forward = [step.held for step in steps if step.kind == "forward"]
    assert forward == [bar.dropped for bar in viz.memory(tape).bars if bar.is_forward]
    assert h is not None


def test_the_picture_has_a_bar_for_each_step_filled_and_outlined():
    tape, *_values = layer()
    root = ElementTree.fromstring(viz.memory(tape).svg)
    rectangles = [r.get("class") for r in root.iter(f"{NAMESPACE}rect")]
    assert rectangles.count("held") == rectangles.count("kept") == 6 + 1  # one in the legend
    heights = [float(r.get("height")) for r in root.iter(f"{NAMESPACE}rect")][2:]
    assert max(heights) == heights[1] and 0.0 in heights


def test_a_long_tape_has_a_bounded_picture_that_keeps_its_peak():
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x
        for _ in range(500):
            y = tf.sin(y)
    memory = viz.memory(tape)
    assert len(memory.bars) == 1000 and memory.total == 500 * 4
    assert memory.svg.count('class="held"') <= 123 and len(memory.svg) < 20_000
    heights = [float(h) for h in __import__("re").findall(r'height="([\d.]+)"/>', memory.svg)]
    assert max(heights) == 180.0


@pytest.mark.parametrize("persistent", [True, False])
def test_text_and_picture_say_which_kind_of_tape_it_is(persistent):
    tape, *_values = layer(persistent)
    memory = viz.memory(tape)
    assert ("persistent tape" in memory.text) == persistent
    assert f"persistent={persistent} (this tape)" in memory.svg


def test_it_shows_itself_without_scripts_or_styles_of_its_own():
    tape, *_values = layer()
    bundle = viz.memory(tape)._repr_mimebundle_()
    assert bundle["text/plain"].splitlines()[2].split() == [
        "op",
        "times",
        "bytes",
        "keeps",
        "because",
    ]
    assert "<table>" in bundle["text/html"] and "data:image/svg+xml" in bundle["text/html"]
    assert "<script" not in bundle["text/html"] and "<style" not in bundle["text/html"]


def test_names_that_look_like_markup_stay_text():
    scope = {"<img src=x onerror=alert(1)>": tf.Variable(2.0)}
    with tf.GradientTape() as tape:
        y = tf.sin(scope["<img src=x onerror=alert(1)>"])
    assert y is not None
    html = viz.memory(tape)._repr_mimebundle_()["text/html"]
    assert "<img src=x" not in html


def test_an_empty_tape_holds_nothing():
    with tf.GradientTape() as tape:
        pass
    memory = viz.memory(tape)
    assert memory.total == 0 and memory.rows == () and memory.svg.startswith("<svg")


def test_a_used_tape_is_refused_with_the_way_out():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    with pytest.raises(RuntimeError, match="persistent=True"):
        viz.memory(tape)


def test_the_picture_is_saved_as_svg_and_not_as_a_film(tmp_path):
    tape, *_values = layer()
    assert viz.memory(tape).save(tmp_path / "memory.svg").read_text().startswith("<svg")
    with pytest.raises(ValueError, match="does not move, so it cannot be a GIF; choose one of .sv"):
        viz.memory(tape).save(tmp_path / "memory.gif")
    assert [path.name for path in tmp_path.iterdir()] == ["memory.svg"]


def test_forward_sentences_name_what_is_kept_in_the_learners_words():
    tape, x, w, h, y = layer()
    sentences = [s.sentence for s in viz.step(tape, y, x).trace.steps if s.kind == "forward"]
    assert "The tape keeps `x` and `w` for the way back." in sentences[0]
    assert h is not None


def test_released_nodes_are_marked_in_the_picture_of_a_step():
    tape, x, w, h, y = layer()
    trace = viz.step(tape, y, x).trace
    step = next(i for i, s in enumerate(trace.steps) if s.kind == "release")
    from minitape.viz.picture.svg import svg

    root = ElementTree.fromstring(svg(trace, step=step))
    faded = [
        int(g.get("data-node"))
        for g in root.iter(f"{NAMESPACE}g")
        if "released" in (g.get("class") or "").split()
    ]
    assert faded == [trace.steps[step].node] and (w, h) is not None


def test_a_value_that_no_tape_follows_has_the_learners_name_too():
    x = tf.constant(np.ones((4, 3), np.float32))
    w = tf.Variable(np.ones((3, 2), np.float32))
    with tf.GradientTape() as tape:
        y = x @ w
    assert viz.memory(tape).rows[0].keeps == ("x", "w")
    assert viz.memory(tape).only_tape == 0
    sentence = viz.step(tape, y, w).trace.steps[0].sentence
    assert "The tape keeps `x` and `w` for the way back." in sentence
