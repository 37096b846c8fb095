"""Two players on a page that step together."""

from __future__ import annotations

import minitape as tf
from browser import expect
from minitape import viz


def played(factor):
    a, b = tf.Variable(3.0, name="a"), tf.Variable(2.0, name="b")
    with viz.recording(), tf.GradientTape() as tape:
        y = tf.sin(a) * b
        y = y * factor + tf.stop_gradient(y) * (1.0 - factor)
    return viz.step(tape, y, [a, b])


def opened(page, tmp_path, *players):
    page.goto(viz.beside(*players).save(tmp_path / "both.html").as_uri())
    expect(page.locator(".beside-bar output")).to_contain_text("1 of")
    return [page.locator(".counter").nth(side) for side in (0, 1)]


def test_the_row_of_controls_takes_both_on(page, tmp_path):
    counters = opened(page, tmp_path, played(1.0), played(1.0))
    page.get_by_role("button", name="Both to the next moment").click()
    for counter in counters:
        expect(counter).to_contain_text("2 / ")
    expect(page.get_by_role("button", name="Both to the first difference")).to_be_disabled()


def test_a_step_of_one_takes_the_other_along(page, tmp_path):
    counters = opened(page, tmp_path, played(1.0), played(1.0))
    page.locator(".player").nth(1).focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(counters[1]).to_contain_text("4 / ")
    expect(counters[0]).to_contain_text("4 / ")


def test_the_first_difference_is_shown_in_words_and_not_by_colour_alone(page, tmp_path):
    opened(page, tmp_path, played(1.0), played(0.5))
    page.get_by_role("button", name="Both to the first difference").click()
    expect(page.locator(".beside-bar output")).to_contain_text(
        "differs: 0.2822 on the left, 0.1411"
    )
    expect(page.locator(".minitape-beside")).to_have_attribute("data-differs", "")


def test_on_a_phone_one_stands_below_the_other(page, tmp_path):
    page.set_viewport_size({"width": 390, "height": 844})
    opened_before = viz.beside(played(1.0), played(0.5)).save(tmp_path / "both.html")
    page.goto(opened_before.as_uri())
    boxes = [page.locator(".beside-columns section").nth(side).bounding_box() for side in (0, 1)]
    assert boxes[1]["y"] >= boxes[0]["y"] + boxes[0]["height"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
