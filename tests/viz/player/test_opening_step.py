"""A player opens at the step that its program asks for: a number, or the name of a value."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

import pytest
from test_player import Shown, open_page

import minitape as tf
from browser import expect
from minitape import viz
from minitape.viz.player.notebook import opening_step

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

COMPLETE = 7  # of x: two forward, a seed, one to p, two to x, and their sum
PASSED = 8  # to y, once x is done


def player_at(at: int | str | None = None) -> viz.Player:
    """The player of z = x y + x at (2, 5), where x receives 1 + 5."""
    x, y = tf.Variable(2.0), tf.Variable(5.0)
    with viz.recording(), tf.GradientTape() as tape:
        p = x * y
        z = p + x
    return viz.step(tape, z, [x, y], at=at)


@pytest.mark.parametrize("at", [COMPLETE, "x"])
def test_a_number_or_a_name_opens_where_the_last_contribution_arrives(at):
    player = player_at(at)
    assert opening_step(player.trace, at) == COMPLETE
    assert "1.0 + 5.0 = 6.0" in player.text(COMPLETE)


def test_the_name_of_what_no_gradient_reaches_opens_where_it_is_computed():
    x = tf.Variable(2.0)
    with viz.recording(), tf.GradientTape() as tape:
        aside = x * 3.0
        z = x * x
    assert float(aside) == 6.0
    trace = viz.step(tape, z, x).trace
    number = opening_step(trace, "aside")
    assert trace.steps[number - 1].kind == "forward"
    assert trace.nodes[trace.steps[number - 1].node].name == "aside"


@pytest.mark.parametrize(
    ("at", "error", "match"),
    [
        (9, IndexError, "there is no step 9: .* has 8; write at=8"),
        (0, IndexError, "there is no step 0: .* write at=1"),
        (1.5, TypeError, "at=1.5 is not a number of a step; write an integer from 1 to 8"),
        ("q", ValueError, r"at='q' names no value .* \(x, y, p, z\), or .* from 1 to 8"),
    ],
)
def test_a_step_that_is_not_there_is_refused_with_what_is(at, error, match):
    with pytest.raises(error, match=match):
        player_at(at)


@pytest.mark.skipif(importlib.util.find_spec("anywidget") is None, reason="install the extra viz")
def test_the_live_player_opens_there_too():
    widget = player_at("x").widget()
    step = widget.trace.steps[widget.step]
    assert step.kind == "accumulate"
    assert step.total.data == (6.0,)


@pytest.mark.browser
def test_each_player_of_a_page_opens_at_its_own_step(page: Page, tmp_path: Path):
    players = [player_at("x"), player_at(1), player_at(PASSED)]
    outputs = [each._repr_mimebundle_()["text/html"] for each in players]
    open_page(page, tmp_path, "<!doctype html><meta charset=utf-8>" + "\n".join(outputs))
    counts = [Shown(page, number).text(".counter") for number in range(3)]
    assert [count.split("/")[0].strip() for count in counts] == [f"{COMPLETE}", "1", f"{PASSED}"]


@pytest.mark.browser
def test_without_a_step_a_player_opens_on_its_first_page(page: Page, tmp_path: Path):
    page.goto(player_at().save(tmp_path / "x.html").as_uri())
    expect(page.locator(".counter")).to_have_text("0 / 9")


@pytest.mark.browser
def test_the_address_of_a_saved_page_says_more_than_its_program(page: Page, tmp_path: Path):
    file = player_at("x").save(tmp_path / "x.html")
    page.goto(file.as_uri())
    assert "6.0" in Shown(page).text(".sentence")
    page.goto("about:blank")
    page.goto(file.as_uri() + "#step=1")
    assert "multiplies" in Shown(page).text(".sentence")
