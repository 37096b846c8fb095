"""The player in three windows: nothing is wider than it, and axe finds nothing at all."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from networks import NETWORKS
from swept import KINDS
from test_player import Shown, show

import minitape as tf
from browser import expect
from minitape import viz
from viz_traces import EXAMPLES

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from minitape.viz.trace.trace import Trace

PIXELS = "parseFloat(getComputedStyle(e).fontSize) * e.getScreenCTM().a"  # of a text's letters
SIZES = {"desk": (1400, 900), "tablet": (1024, 768), "phone": (390, 844)}


def trace_of(name: str) -> Trace:
    return NETWORKS[name]().trace if name in NETWORKS else EXAMPLES[name]()


def opened(page: Page, folder: Path, name: str, size: str) -> tuple[Shown, int]:
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    shown = show(page, folder, trace_of(name))
    return shown, int(shown.host.locator("input").get_attribute("max") or 0)


@pytest.mark.slow
@pytest.mark.parametrize("size", list(SIZES))
@pytest.mark.parametrize("name", [*NETWORKS, "unconnected"])
def test_no_step_is_wider_than_its_window(page: Page, tmp_path: Path, name: str, size: str):
    shown, last = opened(page, tmp_path, name, size)
    wide = []
    for at in range(0, last + 1, max(1, last // 25)):
        shown.go(at)
        fits = page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        if not fits or shown.host.locator(".panes").evaluate("e => e.scrollWidth > e.clientWidth"):
            wide.append(at)
    assert not wide


@pytest.mark.slow
@pytest.mark.parametrize("size", ["desk", "phone"])
@pytest.mark.parametrize("name", [*NETWORKS, "unconnected", "broadcasting"])
def test_axe_finds_nothing(page: Page, tmp_path: Path, name: str, size: str):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    shown, last = opened(page, tmp_path, name, size)
    for at in (0, last // 2, last - 2, last):
        shown.go(max(at, 0))
        found = axe.run(page).response["violations"]
        assert not found, [(v["id"], [n["html"][:200] for n in v["nodes"]]) for v in found]


def test_forced_colours_tell_marked_cells_from_others(page: Page, tmp_path: Path):
    page.emulate_media(forced_colors="active")
    page.set_viewport_size({"width": 1400, "height": 900})
    trace = trace_of("mlp")
    shown = show(page, tmp_path, trace)
    nodes = trace.nodes
    shown.go(
        next(
            at
            for at, step in enumerate(trace.steps)
            if step.kind == "pull" and step.to is not None and nodes[step.to].name == "W2"
        )
    )
    border = "e => getComputedStyle(e).borderTopColor"
    hit = shown.host.locator(".card td.hit").first.evaluate(border)
    plain = shown.host.locator(".card td:not(.hit):not(.me)").first.evaluate(border)
    assert hit != plain
    hollow = shown.host.locator(".card .k.hollow").first
    filled = shown.host.locator(".card .k.filled").first
    stroke = hollow.evaluate("e => getComputedStyle(e).stroke")
    assert stroke == filled.evaluate("e => getComputedStyle(e).fill")


def test_the_bar_stays_one_row_however_long_the_title_is(page: Page, tmp_path: Path):
    trace = dataclasses.replace(trace_of("unconnected"), title="a title that takes much room " * 6)
    shown = show(page, tmp_path, trace)
    for width in (1400, 1280, 1024):
        page.set_viewport_size({"width": width, "height": 720})
        buttons = shown.host.locator(".bar button").all()
        boxes = [button.bounding_box() for button in buttons]
        assert len({round(box["y"]) for box in boxes}) == 1
        bar = shown.host.locator(".bar").bounding_box()
        assert max(box["x"] + box["width"] for box in boxes) <= bar["x"] + bar["width"] + 1


def test_a_sentence_of_two_lines_is_seen_whole_when_the_player_is_presented(
    page: Page, tmp_path: Path
):
    page.set_viewport_size({"width": 1280, "height": 720})
    shown = show(page, tmp_path, trace_of("mlp"))
    shown.host.locator("[data-do=present]").click()
    said = shown.host.locator(".sentence")
    shown.go(0)
    said.evaluate("e => e.textContent = 'many words '.repeat(13)")
    said.evaluate("e => e.closest('.saying').classList.add('long')")
    type_size = "e => [parseFloat(getComputedStyle(e).fontSize), e.scrollHeight, e.clientHeight]"
    size, needed, room = said.evaluate(type_size)
    assert size >= 20
    assert needed <= room + 1
    line = float(said.evaluate("e => parseFloat(getComputedStyle(e).lineHeight)"))
    assert line >= 1.1 * size


def at_a_pull(page: Page, folder: Path, name: str, op: str, to: str) -> Shown:
    made = (KINDS | NETWORKS)[name]()
    trace = made.trace
    page.goto(made.save(folder / "page.html").as_uri())
    shown = Shown(page)
    steps = [step for step in trace.steps if step.kind != "release"]
    at = next(
        number
        for number, s in enumerate(steps, 1)
        if s.kind == "pull"
        and trace.nodes[s.node].op == op
        and s.to is not None
        and trace.nodes[s.to].name == to
    )
    page.goto(f"{page.url}#step={at}")
    page.reload()
    expect(shown.host).to_have_attribute("data-ready", "yes")
    return shown


def in_a_lecture_room(page: Page, folder: Path, name: str, op: str, to: str) -> Shown:
    page.set_viewport_size({"width": 1280, "height": 720})
    shown = at_a_pull(page, folder, name, op, to)
    shown.host.locator("[data-do=present]").click()
    return shown


CROSS_ENTROPY = ("mlp", "sparse_softmax_cross_entropy", "logits")


@pytest.mark.parametrize(
    ("name", "op", "to"),
    [
        ("mlp", "matmul", "W2"),
        CROSS_ENTROPY,
        ("convnet", "convolution", "kernel"),
        ("mlp of 12 layers", "matmul", "layers[4][0]"),
        ("embedding", "gather", "table"),
    ],
)
def test_a_phone_shows_all_that_an_element_is_made_of_above_its_buttons(
    page: Page, tmp_path: Path, name: str, op: str, to: str
):
    page.set_viewport_size({"width": 390, "height": 844})
    shown = at_a_pull(page, tmp_path, name, op, to)
    proof = shown.host.locator(".lens").bounding_box()
    buttons = shown.host.locator("div.bar").bounding_box()
    assert proof and buttons
    assert proof["y"] + proof["height"] <= buttons["y"]
    assert proof["height"] > 80  # pixels: there is something


def test_numbers_under_the_bars_of_a_cross_entropy_stay_apart_on_a_phone(
    page: Page, tmp_path: Path
):
    page.set_viewport_size({"width": 390, "height": 844})
    shown = at_a_pull(page, tmp_path, *CROSS_ENTROPY)
    places = [each.bounding_box() for each in shown.host.locator(".bars .left").all()]
    assert len(places) == 3
    for one, other in zip(places, places[1:], strict=False):
        assert one and other
        assert other["x"] - one["x"] - one["width"] >= 8  # pixels: more than a digit


def sizes_of_digits(shown: Shown, which: str) -> list[float]:
    cells = shown.host.locator(f".card td{which} .d")
    size = "e => e.getBoundingClientRect().width > 2 && parseFloat(getComputedStyle(e).fontSize)"
    return list(cells.evaluate_all(f"all => all.map({size})"))


def test_a_lecture_room_reads_the_digits_of_the_row_and_of_the_element(page: Page, tmp_path: Path):
    shown = in_a_lecture_room(page, tmp_path, *CROSS_ENTROPY)
    assert min(sizes_of_digits(shown, ".hit")) >= 20  # one row of probabilities, of truth, and g
    assert min(sizes_of_digits(shown, ".me")) >= 20
    inside = shown.host.locator(".panes").evaluate("e => e.scrollHeight <= e.clientHeight")
    assert inside


@pytest.mark.parametrize(
    ("name", "op", "to"),
    [("mlp", "matmul", "W2"), ("rnn", "matmul", "Wh"), ("convnet", "convolution", "kernel")],
)
def test_a_lecture_room_reads_the_names_of_all_nodes_within_their_boxes(
    page: Page, tmp_path: Path, name: str, op: str, to: str
):
    shown = in_a_lecture_room(page, tmp_path, name, op, to)
    for node in shown.host.locator(".graph .n").all():
        title, box = (node.locator(part).first.bounding_box() for part in (".t", ".b"))
        assert title and box
        assert title["x"] + title["width"] <= box["x"] + box["width"] + 1
        assert node.locator(".t").evaluate(f"e => {PIXELS}") >= 15
    names = shown.host.locator(".graph .t")
    assert max(names.evaluate_all(f"all => all.map(e => {PIXELS})")) == pytest.approx(17, abs=0.3)


def test_a_lecture_room_sees_all_of_a_summary_with_two_paths(page: Page, tmp_path: Path):
    w, b = tf.Variable(-0.6), tf.Variable(0.4)
    with viz.recording(), tf.GradientTape() as tape:
        p = tf.sigmoid(w * 2.0 + b)
        fit = tf.square(p - 1.0)
        penalty = 0.1 * tf.square(w)
        loss = fit + penalty
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(viz.step(tape, loss, [w, b]).save(tmp_path / "page.html").as_uri())
    shown = Shown(page)
    shown.go(10**6)
    shown.host.locator("[data-do=present]").click()
    assert shown.host.locator(".end").count() == 2
    assert shown.host.locator(".panes").evaluate("e => e.scrollHeight <= e.clientHeight")


def test_a_phone_shows_the_op_of_a_step_and_what_receives_from_it(page: Page, tmp_path: Path):
    trace = trace_of("mlp")
    shown, _ = opened(page, tmp_path, "mlp", "phone")
    steps = list(enumerate(trace.steps))
    for at in [at for at, step in steps if step.kind == "pull" and step.to is not None]:
        shown.go(at)
        pane = shown.host.locator(".graph").bounding_box()
        assert pane
        for box in shown.host.locator(".graph .n:is(.now, .receiver) .b").all():
            place = box.bounding_box()
            assert place
            assert place["y"] >= pane["y"] - 1, at
            assert place["y"] + place["height"] <= pane["y"] + pane["height"] + 1, at


@pytest.mark.parametrize("name", ["mlp", "convnet"])
@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1024, 768), (768, 1024)])
def test_a_graph_whose_names_can_be_read_is_seen_whole(
    page: Page, tmp_path: Path, name: str, width: int, height: int
):
    page.set_viewport_size({"width": width, "height": height})
    page.goto(NETWORKS[name]().save(tmp_path / "page.html").as_uri())
    shown = Shown(page)
    pane = shown.host.locator(".graph").bounding_box()
    assert pane
    for box in shown.host.locator(".graph .n .b").all():
        place = box.bounding_box()
        assert place
        assert pane["x"] <= place["x"] and place["x"] + place["width"] <= pane["x"] + pane["width"]
        assert (
            pane["y"] <= place["y"] and place["y"] + place["height"] <= pane["y"] + pane["height"]
        )
    titles = shown.host.locator(".graph .t").all()
    assert all(title.evaluate(f"e => {PIXELS}") >= 8 for title in titles)


def test_the_legend_takes_one_line_where_paths_met(page: Page, tmp_path: Path):
    for width in (1400, 1280, 1024):
        page.set_viewport_size({"width": width, "height": 900})
        shown = show(page, tmp_path, trace_of("rnn"))
        assert shown.host.locator(".legend").evaluate("e => e.clientHeight") < 30


@pytest.mark.slow
@pytest.mark.parametrize("name", list(NETWORKS))
def test_no_term_is_below_the_fold_of_a_small_window(page: Page, tmp_path: Path, name: str):
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(NETWORKS[name]().save(tmp_path / "page.html").as_uri())
    shown = Shown(page)
    last = int(shown.host.locator("input[type=range]").get_attribute("max") or 0)
    below = []
    for at in range(0, last, 1 if last < 80 else 7):
        shown.host.locator("input[type=range]").evaluate(
            "(input, at) => { input.value = at; input.dispatchEvent(new Event('input')); }", at
        )
        lowest = shown.host.locator(".panes").evaluate("e => e.scrollHeight - e.clientHeight")
        if lowest > 1:
            below.append((at, lowest))
    assert not below


def test_the_row_of_a_sum_of_three_is_its_own_after_an_op_with_matrices_of_the_same_shapes(
    page: Page, tmp_path: Path
):
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with viz.recording(), tf.GradientTape() as tape:
        y = tf.add_n([x, x, x])
    trace = viz.step(tape, y, x).trace
    ops, sums = (
        [at for at, step in enumerate(trace.steps) if step.kind == kind]
        for kind in ("forward", "accumulate")
    )
    shown = show(page, tmp_path, trace)
    shown.go(ops[0])
    assert shown.host.locator(".cards .card").count() == 4
    assert shown.host.locator(".cards.several").count() == 0
    shown.go(sums[-1])
    assert shown.host.locator(".cards .card").count() == 4
    assert shown.host.locator(".cards.several").count() == 1
