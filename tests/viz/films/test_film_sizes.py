"""A film of two runs in windows of all sizes: what is pressed and what is compared is in view."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from test_film import classifier

from browser import expect

if TYPE_CHECKING:
    from playwright.sync_api import Page


def opened(page: Page, folder: Path, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    film = classifier("tanh", 5.0).beside(classifier("relu", 0.1))
    page.goto(film.save(folder / "film.html").as_uri())
    expect(page.locator(".minitape-film")).to_have_attribute("data-ready", "yes")


@pytest.mark.parametrize(("width", "height"), [(1400, 900), (1280, 720), (1024, 768), (390, 844)])
def test_all_buttons_of_two_runs_are_above_the_fold(
    page: Page, tmp_path: Path, width: int, height: int
):
    opened(page, tmp_path, width, height)
    places = [each.bounding_box() for each in page.locator(".film button").all()]
    assert len(places) == 7  # five of the transport, and each run's tape
    for place in places:
        assert place
        assert place["y"] >= 0 and place["y"] + place["height"] <= height
        assert place["x"] >= 0 and place["x"] + place["width"] <= width


@pytest.mark.parametrize("width", [1400, 768, 390])
def test_two_runs_stand_side_by_side(page: Page, tmp_path: Path, width: int):
    opened(page, tmp_path, width, 844)
    one, other = (each.bounding_box() for each in page.locator(".film .run").all())
    assert one and other
    assert one["y"] == other["y"]
    assert other["x"] >= one["x"] + one["width"]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("scrolled", [0, 250])
def test_a_phone_shows_the_buttons_and_the_timeline_beside_what_they_change(
    page: Page, tmp_path: Path, scrolled: int
):
    opened(page, tmp_path, 390, 844)
    page.evaluate(f"scrollTo(0, {scrolled})")
    for part in (".transport", ".pictures svg:first-child", ".timeline"):
        place = page.locator(f".film {part}").first.bounding_box()
        assert place
        assert place["y"] >= 0 and place["y"] + place["height"] <= 844, part


def test_a_tablet_shows_the_timeline_of_one_run_above_the_fold(page: Page, tmp_path: Path):
    page.set_viewport_size({"width": 1024, "height": 768})
    page.goto(classifier("tanh", 5.0).save(tmp_path / "film.html").as_uri())
    expect(page.locator(".minitape-film")).to_have_attribute("data-ready", "yes")
    place = page.locator(".film .timeline").bounding_box()
    assert place
    assert place["y"] + place["height"] <= 768
