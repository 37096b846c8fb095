"""Rounds and layers side by side: the strip, and the slot that is open below it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from swept import KINDS
from test_player import Shown, show

from minitape.viz.views.of_tapes import pictures
from minitape.viz.views.strips import strip_name

if TYPE_CHECKING:
    from playwright.sync_api import FloatRect, Page

    from minitape.viz.trace.trace import Trace
    from minitape.viz.views.pictured import Picture

BOX = re.compile(
    r'data-node="(\d+)" transform="translate\(([-\d.]+) ([-\d.]+)\)"'
    r'.*?class="b" width="([\d.]+)" height="([\d.]+)"',
    re.DOTALL,
)


def boxes(picture: Picture) -> dict[int, tuple[float, ...]]:
    found = (each.groups() for each in BOX.finditer(picture.drawing))
    return {int(number): tuple(map(float, place)) for number, *place in found}


@pytest.mark.parametrize(("kind", "slots"), [("rnn", 10), ("mlp of 12 layers", 12)])
def test_rounds_are_slots_of_a_strip_and_one_is_open(kind, slots):
    drawn = pictures(KINDS[kind]().trace)
    assert len(drawn[0].slots) == slots
    assert drawn[0].start is not None


@pytest.mark.parametrize(
    "kind",
    ["lstm", "gru", "transformer of 3 blocks", "deep mlp of 40 layers", "physics of 100 steps"],
)
def test_rounds_that_cannot_be_read_beside_an_open_one_are_boxes_of_an_overview(kind):
    drawn = pictures(KINDS[kind]().trace)
    assert drawn[0].folds
    assert not drawn[0].slots


@pytest.mark.parametrize("kind", ["rnn", "mlp of 12 layers"])
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


@pytest.mark.parametrize("kind", ["rnn", "mlp of 12 layers"])
def test_the_still_picture_of_a_strip_has_names_of_ten_pixels_in_a_column_of_text(kind):
    drawing = pictures(KINDS[kind]().trace)[0].drawing
    width = float(re.findall(r' width="([\d.]+)"', drawing)[0])
    size = float(re.findall(r"\.t\{font-size:([\d.]+)px", drawing)[-1])
    assert size * 800 / width >= 9.95


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


def inside(pane: FloatRect, place: FloatRect | None) -> bool:
    if place is None:
        return False
    right, own = (each["x"] + each["width"] for each in (pane, place))
    bottom, end = (each["y"] + each["height"] for each in (pane, place))
    starts = place["x"] >= pane["x"] - 1 and place["y"] >= pane["y"] - 1
    return starts and own <= right + 1 and end <= bottom + 1


@pytest.mark.browser
@pytest.mark.parametrize("kind", ["rnn", "mlp of 12 layers"])
@pytest.mark.parametrize(("width", "height"), [(1400, 900), (1280, 720), (1024, 768)])
def test_a_slot_is_open_in_a_low_window_too_and_all_of_graph_and_proof_is_in_view(
    page: Page, tmp_path: Path, kind: str, width: int, height: int
):
    page.set_viewport_size({"width": width, "height": height})
    page.goto(KINDS[kind]().save(tmp_path / "page.html").as_uri())
    shown = Shown(page)
    last = int(shown.host.locator("input[type=range]").get_attribute("max") or 0)
    pane = shown.host.locator(".graph").bounding_box()
    assert pane
    for at in range(last // 2 + 1, last, 11):
        shown.go(at)
        places = [box.bounding_box() for box in shown.host.locator(".graph .n .b").all()]
        assert all(inside(pane, place) for place in places), at
        assert shown.host.locator(".graph .n.open").count() == 1
        assert shown.host.locator(".panes").evaluate("e => e.scrollHeight <= e.clientHeight"), at


def test_the_only_matrix_of_a_layer_is_drawn_in_its_slot_and_shared_weights_are_not():
    trace = KINDS["mlp of 12 layers"]().trace
    weights = pictures(trace)[0].weights
    assert weights
    assert [trace.nodes[node].name for node in weights.values()] == [
        *(f"layers[{i}][0]" for i in range(11)),
        "W",  # the loop's own name for its last
    ]
    assert not pictures(KINDS["rnn"]().trace)[0].weights


@pytest.mark.browser
def test_a_slot_shows_its_weight_and_from_its_pull_on_the_gradient_beside_it(
    page: Page, tmp_path: Path
):
    page.set_viewport_size({"width": 1400, "height": 900})
    trace = KINDS["mlp of 12 layers"]().trace
    shown = show(page, tmp_path, trace)
    weight = next(node.id for node in trace.nodes if node.name == "layers[4][0]")
    at = next(at for at, step in enumerate(trace.steps) if step.to == weight)
    slot = shown.host.locator(".graph .n").filter(has=page.locator("text.t", has_text="5")).first
    counts = []
    for step in (at - 1, at):
        shown.go(step)
        counts.append((slot.locator(".mini").count(), slot.locator(".mini .ring").count()))
    # Value, its cotangent, weight with the row that was met; then the gradient, with its element.
    assert counts == [(3, 6), (4, 1)]


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


def last_sum(trace: Trace, name: str) -> int:
    sums = (at for at, step in enumerate(trace.steps) if step.kind == "accumulate")
    return [at for at in sums if trace.nodes[trace.steps[at].node].name == name][-1]


@pytest.mark.browser
@pytest.mark.parametrize(("width", "height"), [(1400, 900), (1280, 720)])
def test_each_contribution_of_a_round_stands_above_its_arrow_and_all_is_in_view(
    page: Page, tmp_path: Path, width: int, height: int
):
    page.set_viewport_size({"width": width, "height": height})
    made = KINDS["rnn"]()
    page.goto(made.save(tmp_path / "page.html").as_uri())
    shown = Shown(page)
    shown.go(last_sum(made.trace, "Wh"))
    boxes = [each.bounding_box() for each in shown.host.locator(".several svg.marks").all()]
    ways = [each.bounding_box() for each in shown.host.locator(".fall .way").all()]
    assert len(boxes) == len(ways) == 10
    for box, way in zip(boxes, ways, strict=True):
        assert box and way
        assert box["width"] >= 60
        assert way["x"] + way["width"] / 2 == pytest.approx(box["x"] + box["width"] / 2, abs=2)
    assert shown.host.locator(".panes").evaluate("e => e.scrollHeight <= e.clientHeight")
    assert shown.text(".sentence").startswith(
        "The last of 10 contributions has arrived at Wh: its gradient is complete. ["
    )


@pytest.mark.browser
def test_a_phone_has_ten_contributions_and_their_sum_above_its_buttons(page: Page, tmp_path: Path):
    page.set_viewport_size({"width": 390, "height": 844})
    made = KINDS["rnn"]()
    page.goto(made.save(tmp_path / "page.html").as_uri())
    shown = Shown(page)
    shown.go(last_sum(made.trace, "Wh"))
    numbers = shown.host.locator(".several .own").evaluate_all(
        """all => all.map((e) => {
            const range = document.createRange();
            range.selectNodeContents(e);
            const { left, right, top } = range.getBoundingClientRect();
            return [top, left, right];
        })"""
    )
    assert len(numbers) == 10
    for (top, _, right), (other, left, _) in zip(numbers, numbers[1:], strict=False):
        assert left - right >= 6 or other != top  # pixels: no two look like one number
    buttons, total = shown.host.locator("div.bar").bounding_box(), shown.host.locator(".card.sum")
    place = total.bounding_box()
    assert buttons and place
    assert place["y"] + place["height"] <= buttons["y"]


@pytest.mark.browser
def test_a_bar_in_each_round_says_how_much_arrives_there(page: Page, tmp_path: Path):
    page.set_viewport_size({"width": 1400, "height": 900})
    trace = KINDS["rnn"]().trace
    shown = show(page, tmp_path, trace)
    ends = [node.id for node in trace.nodes if node.op == "tanh"]
    came = {
        step.node: max(abs(float(x)) for x in step.cotangent.data)
        for step in trace.steps
        if step.kind == "pull" and step.node in ends and step.cotangent
    }
    shown.go(last_sum(trace, "Wh"))
    bars = shown.host.locator(".graph .arrives")
    widths = [each.evaluate("e => Number(e.getAttribute('width'))") for each in bars.all()]
    assert len(widths) == len(ends) == 10
    sizes = np.log10([came[end] for end in ends])
    low = np.ceil(sizes.min()) - 1  # of a log axis, as they differ more than a hundredfold
    assert np.ptp(sizes) > 2
    shares = (sizes - low) / (sizes.max() - low)
    np.testing.assert_allclose(widths, shares * max(widths), atol=0.1)
    shown.go(0)
    assert bars.count() == 0
