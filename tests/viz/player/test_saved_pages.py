"""Quiz, explanation, memory and exploration as offline pages: they work without a kernel."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import pytest
from test_player import Shown

import minitape as tf
from browser import expect
from minitape import viz

if TYPE_CHECKING:
    from playwright.sync_api import Page


def recorded() -> tuple[tf.GradientTape, tf.Tensor, list[tf.Variable]]:
    """loss = (w x + b)^2 at w = 2, x = 3, b = 1: 49, with gradients 42 and 14."""
    w, b = tf.Variable(2.0), tf.Variable(1.0)
    with viz.recording(), tf.GradientTape(persistent=True) as tape:
        z = w * 3.0 + b
        loss = tf.square(z)
    return tape, loss, [w, b]


def say(page: Page, answer: str) -> None:
    page.locator("input").fill(answer)
    page.get_by_role("button", name="Check").click()


def test_a_saved_quiz_asks_checks_explains_and_counts(page: Page, tmp_path: Path):
    tape, loss, sources = recorded()
    quiz = viz.quiz(tape, loss, sources)
    page.goto(quiz.save(tmp_path / "quiz.html").as_uri())
    said = page.locator(".said")
    wanted = [q.clues.expected.item() for q in quiz.questions]
    assert wanted[0] == 14.0  # 2 z, the contribution to z
    say(page, "-14")
    expect(said).to_contain_text("the sign is wrong")
    say(page, "fourteen")
    expect(said).to_contain_text("no number")
    say(page, "[14.0, 14]")
    expect(said).to_contain_text("The shape is [2]")
    page.get_by_role("button", name="Show the answer").click()
    for number, value in enumerate(wanted[1:], 2):
        expect(page.locator(".question")).to_contain_text(f"Question {number} of {len(wanted)}")
        say(page, f"{value:.4g}".replace("-", "−"))
        expect(said).to_contain_text("Right")
    share = round(100 * (len(wanted) - 1) / len(wanted))
    expect(page.locator(".question")).to_contain_text(f"score is {share} %")
    expect(page.locator(".picture img")).to_be_visible()


def test_a_saved_quiz_takes_vectors_and_says_which_element_is_wrong(page: Page, tmp_path: Path):
    x = tf.Variable([1.0, 2.0, 3.0])
    with viz.recording(), tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.square(x))
    page.goto(viz.quiz(tape, loss, x).save(tmp_path / "q.html").as_uri())
    say(page, "[1, 1., 7]")
    expect(page.locator(".said")).to_contain_text("2 of 3 elements are right. Look at element [2]")
    say(page, "[1, 1, 1]")
    expect(page.locator(".said")).to_contain_text("Right")


def test_a_saved_quiz_does_not_show_its_answers_as_text(tmp_path: Path):
    x = tf.Variable(1.23456)
    with viz.recording(), tf.GradientTape() as tape:
        loss = tf.exp(x) * 7.0
    text = viz.quiz(tape, loss, x).save(tmp_path / "q.html").read_text("utf-8")
    assert f"{7 * np.exp(1.23456):.4g}" not in text


def test_a_saved_explanation_says_why_and_its_graph_is_a_player(page: Page, tmp_path: Path):
    x = tf.Variable([1.0, -2.0])
    with viz.recording(), tf.GradientTape() as tape:
        y = tf.constant(np.square((x * 0.5).numpy()))
        loss = tf.reduce_sum(y)
    explanation = viz.explain(tape, loss, x)
    page.goto(explanation.save(tmp_path / "why.html").as_uri())
    expect(page.locator("main")).to_contain_text(explanation.text.split("\n")[0].split("`")[0])
    assert Shown(page).host.locator("[data-node]").count() >= 2


def test_a_saved_memory_has_its_words_its_table_and_its_picture(page: Page, tmp_path: Path):
    tape, _, _ = recorded()
    memory = viz.memory(tape)
    page.goto(memory.save(tmp_path / "memory.html").as_uri())
    assert page.locator("tbody tr").count() == len(memory.rows)
    expect(page.locator("img")).to_be_visible()
    with pytest.raises(ValueError, match="svg"):
        memory.save(tmp_path / "memory.gif")  # it does not move


def test_a_saved_exploration_moves_by_its_sliders_and_keeps_its_step(page: Page, tmp_path: Path):
    pytest.importorskip("anywidget")
    exploration = viz.explore(lambda x, w: x * w, x=(-3.0, 3.0), w=(0.0, 6.0))
    page.goto(exploration.save(tmp_path / "explored.html").as_uri())
    place = page.locator(".minitape-explored")
    place.locator(".player").focus()
    page.keyboard.press("End")
    sums = place.locator(".card.sum td")
    expect(sums.first).to_have_text("3.0")  # d(x w)/dx = w, in the middle
    place.get_by_role("slider", name="w").focus()
    page.keyboard.press("End")
    expect(sums.first).to_have_text("6.0")
    place.get_by_role("slider", name="x").focus()
    page.keyboard.press("Home")
    expect(sums.last).to_have_text("−3.0")


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1400, 900), (390, 844)])
def test_saved_pages_fit_their_window_and_axe_finds_nothing(
    page: Page, tmp_path: Path, size: tuple[int, int], scheme: Literal["light", "dark"]
):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    tape, loss, sources = recorded()
    x = tf.Variable([1.0, 2.0])
    with viz.recording(), tf.GradientTape() as broken:
        end = tf.reduce_sum(tf.constant(np.square(x.numpy())))
    made = [viz.quiz(tape, loss, sources), viz.explain(broken, end, x), viz.memory(tape)]
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    for number, each in enumerate(made):
        page.goto(each.save(tmp_path / f"{number}.html").as_uri())
        page.wait_for_timeout(300)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        found = axe.run(page).response["violations"]
        assert not found, [(v["id"], [n["html"][:200] for n in v["nodes"]]) for v in found]


@pytest.mark.parametrize("ending", ["jpeg", "webp", "txt", ""])
def test_a_player_refuses_an_ending_that_it_cannot_write(tmp_path, ending):
    path = tmp_path / f"step.{ending}"
    with pytest.raises(ValueError, match=r"end in \.html, \.svg, \.png, \.pdf, \.tex, \.pptx"):
        viz.step(*recorded()).save(path)
    assert not path.exists()


def test_a_player_writes_its_trace_as_json(tmp_path):
    path = viz.step(*recorded()).save(tmp_path / "step.json")
    assert viz.Trace.load(path).nodes
