"""Rounds and layers side by side: the strip, and the slot that is open below it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from swept import KINDS
from test_player import show

from viz.views.of_tapes import pictures
from viz.views.strips import strip_name

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from viz.views.pictured import Picture

BOX = re.compile(
    r'data-node="(\d+)" transform="translate\(([-\d.]+) ([-\d.]+)\)"'
    r'.*?class="b" width="([\d.]+)" height="([\d.]+)"',
    re.DOTALL,
)


def boxes(picture: Picture) -> dict[int, tuple[float, ...]]:
    found = (each.groups() for each in BOX.finditer(picture.drawing))
    return {int(number): tuple(map(float, place)) for number, *place in found}


@pytest.mark.parametrize(
    ("kind", "slots", "opens"),
    [
        ("rnn", 10, True), ("mlp of 12 layers", 12, True), ("lstm", 6, False), ("gru", 5, False),
        ("transformer of 3 blocks", 3, False), ("deep mlp of 40 layers", 11, False),
        ("physics of 100 steps", 11, False),
    ],
)  # fmt: skip
def test_rounds_are_slots_of_a_strip_and_one_is_open_where_all_can_be_read(kind, slots, opens):
    drawn = pictures(KINDS[kind]().trace)
    assert len(drawn[0].slots) == slots
    assert (drawn[0].start is not None) == opens


@pytest.mark.parametrize("kind", ["rnn", "mlp of 12 layers", "gru", "resnet"])
def test_no_box_of_a_strip_covers_another_and_none_moves_from_slot_to_slot(kind):
    drawn = [each for each in pictures(KINDS[kind]().trace) if each.slots]
    whole = boxes(drawn[0])
    for picture in drawn:
        found = boxes(picture)
        assert len(found) == len(picture.members)
        shift = [found[0][i] - whole[0][i] for i in (0, 1)]
        for box, (x, y, width, height) in whole.items():
            assert found[box] == pytest.approx((x + shift[0], y + shift[1], width, height), abs=0.2)
        places = list(found.values())
        for i, (x, y, width, height) in enumerate(places):
            for a, b, w, h in places[:i]:
                assert x >= a + w or a >= x + width or y >= b + h or b >= y + height
    assert len({picture.drawing.partition('viewBox="')[2][:30] for picture in drawn[1:]}) == 1


def test_a_variable_of_all_rounds_has_one_edge_to_their_frame():
    drawing = pictures(KINDS["rnn"]().trace)[0].drawing
    ways = re.findall(r'data-edge="0:\d+:\d+" d="([^"]+)"', drawing)
    assert len(ways) == 10
    assert len(set(ways)) == 1


def test_a_strip_says_how_many_rounds_it_has():
    assert strip_name(["layer 1", "layer 2 … 39", "layer 40"]) == "× 40 layers"
    assert strip_name(["encode", "decode", "head"]) == "× 3 parts"


@pytest.mark.browser
def test_the_slot_of_the_step_is_open_below_the_strip_and_all_is_in_view(
    page: Page, tmp_path: Path
):
    page.set_viewport_size({"width": 1400, "height": 900})
    shown = show(page, tmp_path, KINDS["rnn"]().trace)
    last = int(shown.host.locator("input").get_attribute("max") or 0)
    pane = shown.host.locator(".graph").bounding_box()
    assert pane
    tops = set()
    for at in range(5, last, 12):
        shown.go(at)
        for box in shown.host.locator(".graph .n:is(.now, .receiver)").all():
            place = box.bounding_box()
            assert place
            assert place["x"] >= pane["x"] and place["y"] >= pane["y"] - 1
            assert place["y"] + place["height"] <= pane["y"] + pane["height"] + 8
        side = shown.host.locator(".side").bounding_box()
        tops.add(round(side["y"]) if side else None)
    assert len(tops) == 1
    assert shown.host.locator(".graph .n.open").count() == 1


@pytest.mark.browser
def test_a_click_on_a_slot_goes_there_and_a_pull_to_a_shared_weight_lights_its_edge(
    page: Page, tmp_path: Path
):
    page.set_viewport_size({"width": 1400, "height": 900})
    trace = KINDS["rnn"]().trace
    shown = show(page, tmp_path, trace)
    third = page.locator("text.t", has_text=re.compile("^3$"))
    shown.host.locator(".graph .n").filter(has=third).first.click()
    assert "round 3" in shown.host.locator(".tab text").all_text_contents()
    nodes = trace.nodes
    pulls = [
        at for at, step in enumerate(trace.steps)
        if step.kind == "pull" and step.to is not None and nodes[step.to].name == "Wh"
    ]  # fmt: skip
    shown.go(pulls[3])
    lit = shown.host.locator(".graph .e.lit-pull")
    assert lit.count() == 1
    assert (lit.get_attribute("data-edge") or "").startswith("1:")
