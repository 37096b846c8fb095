"""The way of a tangent in pictures: `viz.push` and the columns of `viz.jacobian`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from page_texts import page_texts
from test_notebook_output import Sanitizer
from test_player import Shown
from test_pushing import Program, every_program, recorded

import minitape as tf
from browser import expect
from minitape import viz
from minitape.viz.export.items import Text, flat
from minitape.viz.export.reading import sheet_of
from minitape.viz.picture.counts import in_words
from minitape.viz.picture.export import save
from minitape.viz.picture.svg import svg
from minitape.viz.picture.text_graphs import dot, mermaid
from minitape.viz.player.page import page as page_of, steps_table
from minitape.viz.trace.progress import progress
from minitape.viz.trace.trace import Trace

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

HOSTILE = "</script><img src=x onerror=alert(1)>"


def diamond() -> viz.Player:
    """y = x·w + x with x = 3 and w = 2, so that dy/dx = 3."""
    x, w = tf.Variable(3.0), tf.Variable(2.0)
    with viz.recording(), tf.GradientTape(persistent=True) as tape:
        product = x * w
        y = product + x
    assert float(y) == 9.0
    return viz.push(tape, y, x, title="A diamond")


def column(program: Program, j: int) -> tuple[viz.Player, Any]:
    tape, x, y = recorded(program)
    view = viz.jacobian(tape, y, x)
    return view.column(j), view.matrix[:, j]


def kinds(player: viz.Player) -> list[str]:
    return [step.kind for step in player.trace.steps if step.kind != "forward"]


def shown(array: Any) -> Any:
    return np.array(array.data).reshape(array.shape)


# Numbers


@every_program
def test_the_players_tangents_are_the_column_and_the_last_step_shows_them(program):
    player, wanted = column(program, -1)
    np.testing.assert_allclose(player.tangents.numpy().ravel(), wanted, rtol=1e-12, atol=1e-14)
    target = player.trace.targets[0]
    arrived = progress(player.trace).cotangents[target]
    assert player.trace.gradients == {target: arrived}
    if arrived.is_whole:
        np.testing.assert_array_equal(shown(arrived).ravel(), player.tangents.numpy().ravel())


@every_program
def test_the_trace_survives_json_and_every_still_picture_can_be_drawn(program):
    trace = column(program, 0)[0].trace
    assert Trace.from_json(trace.to_json()) == trace
    for text in (svg(trace), svg(trace, step=len(trace.steps) - 1), dot(trace), mermaid(trace)):
        assert "→" in text or "#8594;" in text
        assert "∂ " not in text


@every_program
def test_each_step_adds_what_it_says(program):
    for step in column(program, 0)[0].trace.steps:
        if step.kind == "accumulate":
            total = shown(step.old) + shown(step.contribution)
            np.testing.assert_allclose(shown(step.total), total, rtol=1e-12)
        if step.kind == "push" and step.local is not None and step.contribution.is_whole:
            product = shown(step.cotangent) * shown(step.local)
            np.testing.assert_allclose(shown(step.contribution), product, rtol=1e-12)


def test_the_default_tangent_is_ones():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x * x
    assert viz.push(tape, y, x).tangents.numpy().tolist() == [2.0, 4.0]


def test_an_intermediate_result_can_be_the_source():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        middle = x * x
        y = middle * middle
    player = viz.push(tape, y, middle)
    assert float(player.tangents) == 8.0
    assert kinds(player) == ["seed", "push", "push", "accumulate"]


def test_a_target_that_is_the_source_has_its_tangent():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x * 2.0
    player = viz.push(tape, y, y, [3.0, 4.0])
    assert player.tangents.numpy().tolist() == [3.0, 4.0]
    assert kinds(player) == ["seed"]


def test_the_tape_is_not_used_up():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    viz.push(tape, y, x)
    assert float(tape.gradient(y, x)) == 6.0


# Words


def test_the_steps_are_the_values_then_the_seed_then_what_is_passed_on():
    trace = diamond().trace
    assert [step.kind for step in trace.steps] == [
        "forward", "forward", "seed", "push", "push", "push", "accumulate",
    ]  # fmt: skip
    assert trace.carries == "tangents"


def test_the_sentences_speak_of_tangents():
    seed, *passed = [s.sentence for s in diamond().trace.steps if s.kind != "forward"]
    assert seed == "The pass starts at the source: the tangent of `x` is 1.0."
    assert passed == [
        "`multiply` passes the tangent of `x`, 1.0, on as 1.0 · 2.0 = 2.0 to `product`.",
        "`add` passes the tangent of `product`, 2.0, on as 2.0 to `y`.",
        "`add` passes the tangent of `x`, 1.0, on as 1.0 to `y`.",
        "Paths meet at `y`, so its tangents add up: 2.0 + 1.0 = 3.0.",
    ]


def test_the_formula_is_the_rule_applied_to_the_tangent():
    step = next(s for s in diamond().trace.steps if s.kind == "push")
    assert step.formula.text == "t · w"
    assert step.numbers == "1.0 · 2.0 = 2.0"
    assert step.local.data == (2.0,)
    assert step.line.text.strip() == "product = x * w"


def test_an_op_that_is_not_elementwise_shows_no_formula():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(x)
    step = viz.push(tape, y, x).trace.steps[-1]
    assert (step.kind, step.formula, step.local) == ("push", None, None)
    assert step.sentence == (
        "`reduce_sum` passes the tangent of `x`, [1.0, 1.0], on as 2.0 to `y`."
    )


def test_a_stretched_input_shows_a_product_and_no_sum():
    x = tf.Variable([2.0])
    with tf.GradientTape() as tape:
        y = x * tf.constant([3.0, 4.0])
    step = viz.push(tape, y, x).trace.steps[-1]
    assert "∑" not in step.formula.text
    assert step.contribution.data == (3.0, 4.0)


def test_nothing_is_held_for_the_way_forward():
    trace = diamond().trace
    assert not any(step.held for step in trace.steps)
    assert not any(node.kept or node.keeps for node in trace.nodes)
    assert "keeps" not in "".join(step.sentence for step in trace.steps)


def test_no_memory_of_a_pass_means_no_release():
    assert "release" not in kinds(diamond())


def test_a_target_that_no_tangent_reaches_says_so():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.stop_gradient(x) * 2.0
    player = viz.push(tape, y, x)
    assert player.tangents is None
    assert kinds(player) == ["seed", "unconnected"]
    assert player.trace.steps[-1].sentence == "No path leads from `x` to `y`: no tangent arrives."
    assert "tangent of y: None" in repr(player)


def test_a_target_of_whole_numbers_says_why_nothing_arrives():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.cast(x * x, tf.int32)
    player = viz.push(tape, y, x)
    assert player.tangents is None
    assert "`y` is int32, and only floating numbers" in player.trace.steps[-1].sentence


def test_outputs_of_one_op_are_told_apart_and_the_target_comes_last():
    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        first = tf.unstack(x)[0]
    steps = viz.push(tape, first, x, [1.0, 0.0, 0.0]).trace.steps
    pushes = [s.sentence for s in steps if s.kind == "push"]
    assert pushes[-1].endswith("[1.0, 0.0, 0.0], on as 1.0 to `first`.")
    assert [said.rsplit(" to ", 1)[1] for said in pushes[:2]] == ["its result 1.", "its result 2."]


def test_a_line_of_text_names_what_arrived():
    assert repr(diamond()).endswith("tangent of y: 3.0>")


# Errors


def test_gradients_of_a_forward_pass_are_refused_with_what_to_write():
    with pytest.raises(AttributeError, match=r"player\.tangents"):
        _ = diamond().gradients


def test_tangents_of_a_backward_pass_are_refused_with_what_to_write():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    with pytest.raises(AttributeError, match=r"player\.gradients"):
        _ = viz.step(tape, y, x).tangents


def test_complex_ends_are_refused_with_what_to_write():
    z = tf.constant([1.0 + 2.0j])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(z)
        y = z * z
    with pytest.raises(ValueError, match=r"complex128.*tf\.complex\(a, b\)"):
        viz.jacobian(tape, y, z).column(0)


def test_a_tangent_of_another_shape_is_refused():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x * x
    with pytest.raises(ValueError, match=r"shape \(3,\) and its source has shape \(2,\)"):
        viz.push(tape, y, x, [1.0, 2.0, 3.0])


def test_several_sources_are_refused():
    x, w = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * w
    with pytest.raises(TypeError, match="from one source to one target, got 2 and 1"):
        viz.push(tape, y, [x, w])


def test_an_op_without_a_gradient_is_an_error_as_on_the_way_back():
    x = tf.Variable([[[2.0]]])
    with tf.GradientTape() as tape:
        y = tf.image.adjust_contrast(x, 2.0)
    with pytest.raises(LookupError, match="AdjustContrastv2"):
        viz.push(tape, y, x)


# Pictures


def test_positions_are_the_same_bytes_at_every_step():
    trace = diamond().trace
    places = {
        tuple(re.findall(r'(?:transform|viewBox|d)="[^"]*"', svg(trace, step=step)))
        for step in range(-1, len(trace.steps))
    }
    assert len(places) == 1


def test_the_arrows_of_tangents_point_onward():
    trace = diamond().trace
    last = svg(trace, step=len(trace.steps) - 1)
    assert last.count(" onward") == 3
    assert "onward" not in svg(trace, step=1)
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    assert "onward" not in svg(viz.step(tape, y, x).trace, step=3)


def test_the_table_and_the_words_of_the_page_speak_of_tangents():
    trace = diamond().trace
    table = steps_table(trace)
    assert "<td>push</td>" in table and "tangent of <code>x</code>" in table
    assert "cotangent" not in table
    assert in_words(trace, trace.steps[-1]) == ""


def test_an_untrusted_notebook_keeps_picture_and_table():
    cleaner = Sanitizer()
    cleaner.feed(diamond()._repr_mimebundle_()["text/html"])
    left = "".join(cleaner.out)
    assert '<img src="data:image/svg+xml' in left
    assert "its tangent is complete" in left and "script" not in left


def test_other_formats_have_the_same_texts():
    trace = diamond().trace
    items = flat(sheet_of(svg(trace, step=len(trace.steps) - 1)).items)
    texts = [each.plain for each in items if isinstance(each, Text)]
    assert "→ 3.0" in texts and not any("∂" in text for text in texts)


@pytest.mark.parametrize("ending", [".svg", ".png", ".pdf", ".gif", ".json", ".dot", ".mmd"])
def test_every_format_can_be_saved(tmp_path: Path, ending: str):
    if ending in (".png", ".pdf", ".gif"):
        pytest.importorskip("fpdf" if ending == ".pdf" else "resvg_py")
    file = tmp_path / f"tangents{ending}"
    save(diamond().trace, file)
    assert file.stat().st_size > 100


def test_a_long_tape_is_drawn_in_groups_with_its_tangents():
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x
        for _ in range(300):
            y = tf.sin(y) * 1.1
    player = viz.push(tape, y, x)
    text = page_of(player.trace)
    assert len(text.encode()) < 600_000


# In a browser


def open_player(page: Page, folder: Path, player: viz.Player) -> Shown:
    page.goto(player.save(folder / "tangents.html").as_uri())
    return Shown(page)


def test_the_phases_and_the_legend_are_those_of_tangents(page: Page, tmp_path: Path):
    player = open_player(page, tmp_path, diamond())
    assert player.host.locator(".chapters span").all_text_contents() == [
        "forward values",
        "tangents",
        "summary",
    ]
    assert player.text(".legend .cotangent") == "→ has a tangent"
    assert player.text(".legend .unconnected") == "✕ no tangent"
    expect(player.host.locator(".legend .released")).to_be_hidden()
    expect(player.host.locator(".memory")).to_be_hidden()
    assert "cotangent" not in player.player.inner_text()


def test_keys_step_through_a_column_to_its_last_tangent(page: Page, tmp_path: Path):
    program = Program("", lambda x: tf.stack([x[0] * x[1], tf.sin(x[0]), x[1] ** 2]), np.ones(2))
    made, wanted = column(program, 1)
    shown_player = open_player(page, tmp_path, made)
    shown_player.focus()
    before = shown_player.picture_without_states()
    texts = page_texts(made.trace)
    for at, step in enumerate(made.trace.steps):
        assert shown_player.step == at
        assert shown_player.text(".sentence") == texts.get(at, step.sentence).replace("`", "")
        assert shown_player.picture_without_states() == before
        shown_player.press("ArrowRight")
    target = shown_player.node(made.trace.targets[0])
    assert target.locator(".c").text_content() == "→"
    assert target.locator(".mini").count() == 2
    assert wanted.tolist() == [1.0, 0.0, 2.0]
    assert shown_player.host.locator(".card.sum td").all_text_contents() == ["1.0", "0.0", "2.0"]


def test_a_push_lights_its_edge_onward(page: Page, tmp_path: Path):
    player = open_player(page, tmp_path, diamond())
    player.go(3)
    edge = player.host.locator(".e.lit-push")
    expect(edge).to_have_count(1)
    expect(edge).to_have_attribute("marker-start", "none")
    assert player.text(".phase") == "tangent"
    captions = player.host.locator("figcaption").all_text_contents()
    assert captions == ["t tangent of x", "slope", "to product"]


def test_a_tangent_that_does_not_arrive_is_shown_as_none(page: Page, tmp_path: Path):
    x = tf.Variable(2.0, name=HOSTILE)
    with tf.GradientTape() as tape:
        y = tf.stop_gradient(x) * 2.0
    player = open_player(page, tmp_path, viz.push(tape, y, x))
    player.focus()
    player.press("End", "ArrowLeft")
    assert player.text(".phase") == "no tangent"
    player.press("End")
    assert player.text(".card figcaption") == "tangent of y"
    assert player.text(".card p") == "None"
    assert page.locator("img[src='x']").count() == 0
