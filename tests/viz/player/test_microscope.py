"""The microscope in a real browser: an element of a result, what it is made of, and who is told."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from networks import NETWORKS
from test_player import Shown, show

import minitape as tf
from browser import expect
from minitape import viz
from minitape.viz.trace.trace import Array, Attribute, Node, Operand, Step, Trace

if TYPE_CHECKING:
    from playwright.sync_api import Page


def number(text: str) -> float:
    return float(text.replace("−", "-"))


def opened(page: Page, folder: Path, network: str, op: str, to: str) -> tuple[Shown, np.ndarray]:
    """A network's page at the pull from an op to a node, and what goes there."""
    page.set_viewport_size({"width": 1400, "height": 900})
    trace = NETWORKS[network]().trace
    shown = show(page, folder, trace)
    at = next(
        i
        for i, s in enumerate(trace.steps)
        if s.kind == "pull" and trace.nodes[s.node].op == op and trace.nodes[s.to].name == to
    )
    shown.go(at)
    given = trace.steps[at].contribution
    return shown, np.reshape(given.data, given.shape)


def products(shown: Shown) -> list[float]:
    texts = shown.host.locator(".products td:not(.plus):not(.total)").all_text_contents()
    return [number(text) for text in texts if text]


def total(shown: Shown) -> float:
    """The number that the lens's heading says: `∂W2[1, 1] = 0.25: …`."""
    found = re.search(r" = (\S+): ", shown.text(".lens h2"))
    assert found
    return number(found[1])


def test_arrows_of_a_sum_have_the_hue_of_what_is_summed(page: Page, tmp_path: Path):
    def hues(kind: str) -> set[str]:
        shown.go(
            next(i for i, s in enumerate(trace.steps) if s.kind == kind and "matmul" in s.sentence)
        )
        parts = shown.host.locator(".way, .walk .bar")
        assert parts.count() >= 3
        return {each.evaluate("each => getComputedStyle(each).stroke") for each in parts.all()}

    page.set_viewport_size({"width": 1400, "height": 900})
    w = tf.Variable([[1.0, -2.0], [3.0, 0.5], [-1.0, 2.0]])
    with viz.recording(), tf.GradientTape() as tape:
        y = tf.constant([[1.0, 2.0, 3.0], [-1.0, 4.0, 2.0]]) @ w
    trace = viz.step(tape, y, w).trace
    shown = show(page, tmp_path, trace)
    assert hues("forward") == {"rgb(0, 114, 178)"}  # blue: a value
    assert hues("pull") == {"rgb(176, 74, 0)"}  # orange: a cotangent


def test_pointing_at_an_element_of_a_matmul_writes_its_sum_out(page: Page, tmp_path: Path):
    shown, gradient = opened(page, tmp_path, "mlp", "matmul", "W2")
    shown.host.locator(".card.new td").nth(4).hover()
    assert "row 1 of hiddenᵀ meets column 1 of g" in shown.text(".lens h2")
    assert total(shown) == pytest.approx(gradient[1, 1], rel=1e-3)
    assert sum(products(shown)) == pytest.approx(gradient[1, 1], rel=2e-3)
    assert shown.host.locator(".card td.hit").count() == 8  # a row and a column of four examples
    assert shown.host.locator(".card td.me").count() == 1
    assert shown.host.locator(".graph .mini .ring").count() == 9


@pytest.mark.parametrize(
    ("network", "op", "to"),
    [
        ("mlp", "add", "b2"),
        ("attention", "softmax", "scores"),
        ("convnet", "convolution", "kernel"),
        ("convnet", "max_pool", "maps"),
        ("embedding", "gather", "table"),
        ("layer normalisation", "multiply", "gamma"),
    ],
)
def test_the_terms_of_every_element_add_up_to_it(
    page: Page, tmp_path: Path, network: str, op: str, to: str
):
    shown, gradient = opened(page, tmp_path, network, op, to)
    cells = shown.host.locator(".card.new td")
    for i in range(min(cells.count(), 6)):
        cells.nth(i).hover()
        flat = int(cells.nth(i).get_attribute("data-e") or 0)
        wanted = gradient.flat[flat]
        assert total(shown) == pytest.approx(wanted, rel=1e-3)
        if written := products(shown):
            assert sum(written) == pytest.approx(wanted, rel=5e-3, abs=1e-4)


def test_a_matrix_that_all_examples_share_meets_the_rows_of_every_one(page: Page, tmp_path: Path):
    rng = np.random.default_rng(3)
    x, weights = rng.normal(size=(2, 3, 2)), tf.Variable(rng.normal(size=(2, 4)))
    with viz.recording(), tf.GradientTape() as tape:
        loss = tf.reduce_sum((x @ weights) ** 2)
    trace = viz.step(tape, loss, weights).trace
    shown = show(page, tmp_path, trace)
    assert shown.text(".shapes") == "[2, 3, 2] · [2, 4] = [2, 3, 4]"  # of `matmul`, forward
    assert total(shown) == pytest.approx(sum(products(shown)), abs=2e-3)
    assert len(products(shown)) == 2
    passed = [s for s in trace.steps if s.kind == "pull" and trace.nodes[s.to].kind == "variable"]
    shown.go(trace.steps.index(passed[0]))
    said = shown.text(".lens")
    assert "of reshape(x)ᵀ meets column" in said
    assert said.count("k = ") == 6  # three rows of each of two examples
    last = [number(each) for each in re.findall(r"= ?(−?[\d.]+)(?=k|sum)", said)]
    assert total(shown) == pytest.approx(sum(last), rel=1e-3)
    gradient = np.einsum("bik,bij->kj", x, 2 * (x @ weights.numpy()))
    assert np.min(np.abs(gradient - total(shown))) < 5e-3


def test_an_element_of_a_cross_entropy_is_a_probability_less_the_truth_times_g(
    page: Page, tmp_path: Path
):
    shown, gradient = opened(page, tmp_path, "mlp", "sparse_softmax_cross_entropy", "logits")
    cells = shown.host.locator(".card.new td")
    for i in range(cells.count()):
        cells.nth(i).hover()
        found = re.search(r"\((\S+) − (\S+)\) × (\S+):", shown.text(".lens h2"))
        assert found
        p, truth, g = map(number, found.groups())
        assert (p - truth) * g == pytest.approx(gradient.flat[i], rel=1e-3)
        assert ("makes this logit larger" in shown.text(".lens h2")) == (truth == 1)
    assert shown.host.locator(".bars .probability").count() == 12


def test_the_window_of_a_convolution_is_framed_on_image_and_cotangent(page: Page, tmp_path: Path):
    shown, gradient = opened(page, tmp_path, "convnet", "convolution", "kernel")
    image = shown.host.locator(".card").filter(has_text="image").first
    assert gradient.shape == (3, 3, 1, 2)
    for row, column in ((0, 0), (2, 1)):
        flat = (row * 3 + column) * 2
        shown.host.locator(f".card.new td[data-e='{flat}']").hover()
        top = image.locator("td.edge-top").evaluate_all("all => all.map(e => +e.dataset.e)")
        # g is 4 x 4, so a window of that size stands at [row, column] of the 6 x 6 image.
        assert top == [row * 6 + column + i for i in range(4)]
        assert shown.host.locator(".card:not(.new) td.edge-left").count() == 8
    boxes = shown.host.locator(".graph .mini .ring").evaluate_all(
        "all => all.map(e => Math.round(e.getAttribute('width') / e.getAttribute('height')))"
    )
    assert boxes == [1, 1, 1]  # on the image, on g, and the element of the kernel: three squares


@pytest.mark.parametrize("op", ["convolution", "conv_general_dilated"])
def test_the_window_of_a_convolution_with_channels_first_has_the_products_of_its_gradient(
    page: Page, tmp_path: Path, op: str
):
    draw = np.random.default_rng(3).normal
    x, k, g = draw(size=(1, 2, 5, 5)), draw(size=(3, 2, 2, 2)), draw(size=(1, 3, 2, 2))
    # The window moves by 2, and its elements stand 2 apart.
    seen = [[x[0, :, 2 * a : 2 * a + 3 : 2, 2 * b : 2 * b + 3 : 2] for b in (0, 1)] for a in (0, 1)]
    gradient = np.einsum("abcij,qab->qcij", seen, g[0])
    came, arrived = Array.of(g), Array.of(gradient)
    how = (Attribute("layout", '"NCHW"'), Attribute("windows", "[[2, 0, 2], [2, 0, 2]]"))
    nodes = (
        Node(0, "source", (), "float64", x.shape, name="x", value=Array.of(x)),
        Node(1, "source", (), "float64", k.shape, name="k", value=Array.of(k)),
        Node(2, "op", (0, 1), "float64", g.shape, op=op, value=came, attributes=how),
    )
    taken = (Operand("g", 2, came, "cotangent"), Operand("x", 0, Array.of(x)))
    pull = Step("pull", 2, 1, 1, came, arrived, arrived, operands=taken)
    shown = show(page, tmp_path, Trace(nodes, (Step("seed", 2, cotangent=came), pull)))
    shown.go(1)
    for flat in (0, 13):
        shown.host.locator(f".card.new td[data-e='{flat}']").hover()
        assert sum(products(shown)) == pytest.approx(gradient.flat[flat], rel=2e-3, abs=2e-3)


def test_the_heading_of_a_window_counts_the_products_that_are_written_out(
    page: Page, tmp_path: Path
):
    image, kernel = (
        tf.constant(np.eye(4, dtype="f")[None, :, :, None]),
        tf.Variable(np.full((2, 2, 1, 1), -1.0, "f"), name="kernel"),
    )
    with viz.recording(), tf.GradientTape() as tape:
        maps = tf.nn.relu(tf.nn.conv2d(image, kernel, 1, "VALID") + 1.5)
        loss = tf.reduce_sum(maps)
    trace = viz.step(tape, loss, kernel).trace
    shown = show(page, tmp_path, trace)
    shown.go(
        next(
            i
            for i, s in enumerate(trace.steps)
            if s.kind == "pull" and trace.nodes[s.to].name == "kernel"
        )
    )
    # Where the window has two ones, on the diagonal, relu is shut: there g is 0, elsewhere 1.
    shown.host.locator(".card.new td[data-e='1']").hover()
    heading = shown.text(".lens h2")
    assert "3 of the 9 places of g are zero, 4 of the others meet a zero, so 2 products" in heading
    assert len(products(shown)) == 2
    assert shown.host.locator(".lens .zero").count() == 0  # the heading has said it


def test_a_slope_of_images_has_the_tiles_of_the_images(page: Page, tmp_path: Path):
    x = tf.constant(np.random.default_rng(0).normal(size=(1, 6, 6, 1)).astype("f"))
    kernel = tf.Variable(np.random.default_rng(1).normal(size=(3, 3, 1, 2)).astype("f"))
    with viz.recording(), tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.nn.relu(tf.nn.conv2d(x, kernel, 1, "SAME")) ** 2)
    trace = viz.step(tape, loss, kernel).trace
    shown = show(page, tmp_path, trace)
    pulls = [i for i, step in enumerate(trace.steps) if step.kind == "pull"]
    shown.go(next(i for i in pulls if trace.nodes[trace.steps[i].node].op == "relu"))
    for caption in ("g", "slope", "to"):
        card = shown.host.locator("figure.card").filter(has_text=caption).first
        assert card.locator("rect.sheet").count() == 2  # one for each channel


def test_a_pool_names_the_winner_of_the_framed_window(page: Page, tmp_path: Path):
    shown, gradient = opened(page, tmp_path, "convnet", "max_pool", "maps")
    came = gradient.any(axis=(1, 2))  # every channel of the one image has winners
    assert came.all()
    for flat in (int(np.flatnonzero(gradient)[0]), int(np.flatnonzero(gradient == 0)[0])):
        shown.host.locator(f".card.new td[data-e='{flat}']").hover()
        won = gradient.flat[flat] != 0
        assert ("the winner of its window" in shown.text(".lens h2")) == won or not won
        assert ("nothing comes here" in shown.text(".lens h2")) == (not won)
        assert shown.host.locator(".card.new td[class*=edge-]").count() == 4


def test_an_element_that_only_moves_is_said_to_be_the_same_at_another_place(
    page: Page, tmp_path: Path
):
    page.set_viewport_size({"width": 1400, "height": 900})
    x = tf.Variable([[1.0, -2.0, 4.0], [3.0, 0.5, 8.0]])
    with viz.recording(), tf.GradientTape() as tape:
        y = tf.transpose(x)
    shown = show(page, tmp_path, viz.step(tape, y, x).trace)
    shown.go(0)
    assert "y[2, 1] = 8.0: the same element at another place: x[1, 2]" in shown.text(".lens h2")


def test_arrow_keys_move_to_another_element_and_a_screen_reader_is_told_the_sum(
    page: Page, tmp_path: Path
):
    shown, gradient = opened(page, tmp_path, "mlp", "matmul", "W2")
    step = shown.step
    shown.host.locator(".card.new td[tabindex='0']").focus()
    before = shown.host.locator(".card.new td.me").get_attribute("data-e")
    shown.press("ArrowDown", "ArrowRight")
    here = shown.host.locator(".card.new td.me")
    assert here.get_attribute("data-e") != before
    assert shown.step == step
    flat = int(here.get_attribute("data-e") or 0)
    row, column = divmod(flat, 3)
    label = here.get_attribute("aria-label") or ""
    assert label.startswith(f"row {row}, column {column}: ")
    expect(shown.host.locator(".told")).to_have_text(
        re.compile(rf"^row {row}, column {column}: .* times .* is ")
    )
    shown.press("Escape", "ArrowRight")
    assert shown.step > step


def test_a_tap_fixes_an_element_until_it_is_tapped_again(page: Page, tmp_path: Path):
    shown, _ = opened(page, tmp_path, "mlp", "matmul", "W2")
    cells = shown.host.locator(".card.new td")
    cells.nth(2).click()
    cells.nth(5).hover()
    assert "me" in (cells.nth(2).get_attribute("class") or "")
    cells.nth(2).click()
    cells.nth(5).hover()
    assert "me" in (cells.nth(5).get_attribute("class") or "")


def touch(page: Page, x: float, y: float) -> None:
    """A finger, as the browser has it, which makes pointer events and a click of that."""
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    session.send(
        "Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]}
    )
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def middle(of: Any) -> tuple[float, float]:
    of.scroll_into_view_if_needed()
    box = of.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_finger_on_a_phone_looks_at_an_element_and_lets_it_go(page: Page, tmp_path: Path):
    page.set_viewport_size({"width": 390, "height": 844})
    file = NETWORKS["mlp"]().save(tmp_path / "mlp.html")
    page.goto(file.as_uri() + "#step=14&at=3,1")
    shown = Shown(page)
    cells = shown.host.locator(".card.new td")
    for place, name in ((2, "∂W2[0, 2]"), (7, "∂W2[2, 1]")):
        touch(page, *middle(cells.nth(place)))
        expect(shown.host.locator(".lens h2 code")).to_have_text(name)
        touch(page, *middle(shown.host.locator(".sign").first))  # beside the result: free again
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_heat_map_zooms_around_what_is_pointed_at(page: Page, tmp_path: Path):
    import minitape as tf
    from minitape import viz

    x, w = tf.constant(np.ones((12, 4))), tf.Variable(np.arange(96.0).reshape(4, 24))
    with viz.recording(), tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.square(x @ w))
    page.set_viewport_size({"width": 1400, "height": 900})
    shown = show(page, tmp_path, viz.step(tape, loss, w).trace)
    shown.go(5)
    picture = shown.host.locator(".card.new svg.marks")
    small = picture.bounding_box()
    shown.focus()
    shown.press("z")
    large = picture.bounding_box()
    assert small and large and large["width"] > 1.5 * small["width"]
    pane = shown.host.locator(".card.new .heat").bounding_box()
    ring = shown.host.locator(".card.new .ring.me").bounding_box()
    assert pane and ring
    assert pane["x"] <= ring["x"] and ring["x"] + ring["width"] <= pane["x"] + pane["width"]
    shown.press("z")
    assert picture.bounding_box() == small


def test_an_address_names_a_step_and_an_element(page: Page, tmp_path: Path):
    page.set_viewport_size({"width": 1400, "height": 900})
    file = NETWORKS["mlp"]().save(tmp_path / "mlp.html")
    page.goto(file.as_uri() + "#step=14&at=3,1")
    shown = Shown(page)
    assert shown.text(".counter") == "14 / 19"
    assert shown.host.locator(".card.new td.me").get_attribute("data-e") == "10"


@pytest.mark.parametrize("name", list(NETWORKS))
def test_nothing_of_a_step_is_below_the_fold(page: Page, tmp_path: Path, name: str):
    page.set_viewport_size({"width": 1400, "height": 900})
    trace = NETWORKS[name]().trace
    shown = show(page, tmp_path, trace)
    below = []
    for at in range(0, len(trace.steps) + 1, 1 if len(trace.steps) < 80 else 7):
        shown.go(at)
        heights = shown.host.locator(".panes").evaluate("e => [e.scrollHeight, e.clientHeight]")
        wide = shown.host.locator(".panes").evaluate("e => e.scrollWidth <= e.clientWidth")
        if heights[0] > heights[1] + 1 or not wide:
            below.append((at, heights))
    assert not below


def test_a_pull_of_a_network_shows_all_digits_of_its_factors_in_a_large_window(
    page: Page, tmp_path: Path
):
    page.set_viewport_size({"width": 1400, "height": 900})
    trace = NETWORKS["mlp"]().trace
    shown = show(page, tmp_path, trace)
    pulls = [i for i, step in enumerate(trace.steps) if step.kind == "pull"]
    shown.go(next(i for i in pulls if trace.nodes[trace.steps[i].to].name == "W2"))
    # hidden, transposed, times g: 5 rows of 4, 4 rows of 3
    digits = shown.host.locator(".card td .d")
    widths = digits.evaluate_all("all => all.map(each => each.getBoundingClientRect().width)")
    assert len(widths) == 5 * 4 + 4 * 3 + 5 * 3
    assert min(widths) > 10


@pytest.mark.slow
@pytest.mark.parametrize("name", list(NETWORKS))
def test_no_matrix_is_below_the_fold_of_a_small_window(page: Page, tmp_path: Path, name: str):
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(NETWORKS[name]().save(tmp_path / "page.html").as_uri())
    shown = Shown(page)
    last = int(shown.host.locator("input[type=range]").get_attribute("max") or 0)
    below = []
    for at in [*range(0, last, 1 if last < 80 else 7), last]:
        shown.host.locator("input[type=range]").evaluate(
            "(input, at) => { input.value = at; input.dispatchEvent(new Event('input')); }", at
        )
        lowest = shown.host.locator(".panes").evaluate(
            "panes => Math.max(...[...panes.querySelectorAll('.card')].map("
            "card => card.getBoundingClientRect().bottom)) - panes.getBoundingClientRect().bottom"
        )
        if lowest > 0:
            below.append((at, lowest))
    assert not below


def test_named_numbers_stand_in_as_many_columns_as_there_is_room_for(page: Page, tmp_path: Path):
    page.set_viewport_size({"width": 1280, "height": 720})
    trace = NETWORKS["attention"]().trace
    shown = show(page, tmp_path, trace)
    at = next(i for i, s in enumerate(trace.steps) if trace.nodes[s.node].op == "reduce_sum")
    shown.go(at)
    columns = [table.bounding_box() for table in shown.host.locator(".lines .terms.down").all()]
    assert len(columns) == 3  # sixteen numbers
    assert len({round(box["y"]) for box in columns}) == 1


def test_memory_steps_come_when_they_are_asked_for(page: Page, tmp_path: Path):
    shown = show(page, tmp_path, NETWORKS["mlp"]().trace)
    folded = int(shown.text(".counter").split("/")[1])
    shown.host.get_by_role("button", name="Memory").click()
    assert int(shown.text(".counter").split("/")[1]) == folded + 7  # one for each op
    expect(shown.host.locator(".memory")).to_be_visible()


def test_every_sum_of_a_long_tape_has_its_mark(page: Page, tmp_path: Path):
    import minitape as tf
    from minitape import viz

    x = tf.Variable(1.0)
    with viz.recording(), tf.GradientTape() as tape:
        y = x * 0.0
        for _ in range(150):
            y = y + tf.sin(x)
    trace = viz.step(tape, y, x).trace
    sums = sum(step.kind == "accumulate" for step in trace.steps)
    shown = show(page, tmp_path, trace)
    path = shown.host.locator(".sums path").get_attribute("d") or ""
    assert sums == 150
    assert path.count("M") == sums


def test_complex_numbers_meet_without_a_sum_that_would_be_wrong(page: Page, tmp_path: Path):
    rng = np.random.default_rng(0)
    x = tf.Variable((rng.normal(size=(2, 3)) + 1j * rng.normal(size=(2, 3))), name="x")
    w = tf.Variable((rng.normal(size=(3, 2)) + 1j * rng.normal(size=(3, 2))), name="w")
    with viz.recording(), tf.GradientTape() as tape:
        y = x @ w
        loss = tf.reduce_sum(tf.math.real(y * tf.math.conj(y)))
    trace = viz.step(tape, loss, [x, w]).trace
    page.set_viewport_size({"width": 1400, "height": 900})
    shown = show(page, tmp_path, trace)
    for at, step in enumerate(trace.steps):
        shown.go(at)
        assert "nan" not in shown.text(".lens").lower()
        if step.kind == "pull" and trace.nodes[step.node].op == "matmul":
            assert "counts conjugated" in shown.text(".lens h2")
            assert shown.host.locator(".card td.hit").count() == 4  # a row and a column of two


def test_a_row_of_a_tall_matrix_is_ringed_on_its_nodes_miniature(page: Page, tmp_path: Path):
    x, w = tf.Variable(np.ones((36, 2)), name="x"), tf.Variable(np.ones((2, 3)), name="w")
    with viz.recording(), tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.square(x @ w))
    trace = viz.step(tape, loss, [x, w]).trace
    page.set_viewport_size({"width": 1400, "height": 900})
    shown = show(page, tmp_path, trace)
    pulls = [i for i, step in enumerate(trace.steps) if step.kind == "pull"]
    shown.go(next(i for i in pulls if trace.nodes[trace.steps[i].to].name == "x"))
    mark = shown.host.locator(".graph .mini .ring").first
    expect(mark).to_be_visible()
    assert float(mark.get_attribute("height") or 0) >= 4


def test_behind_a_convolution_shut_gates_and_winners_are_shown(page: Page, tmp_path: Path):
    rng = np.random.default_rng(3)
    image, kernel = (rng.normal(size=shape).astype("float32") for shape in [(6, 6), (3, 3)])
    k = tf.Variable(kernel.reshape(3, 3, 1, 1))
    with viz.recording(), tf.GradientTape() as tape:
        maps = tf.nn.relu(tf.nn.conv2d(image.reshape(1, 6, 6, 1), k, 1, "VALID"))
        loss = tf.reduce_sum(tf.nn.max_pool2d(maps, 2, 2, "VALID"))
    page.set_viewport_size({"width": 1400, "height": 900})
    shown = show(page, tmp_path, viz.step(tape, loss, k).trace)
    shown.focus()
    shown.press("End")
    shown.press("ArrowLeft")
    windows = np.lib.stride_tricks.sliding_window_view(image, (3, 3))
    shut = np.sum(np.einsum("ijab,ab->ij", windows, kernel) <= 0)
    assert shown.text(".gates h2").startswith("Where g comes from: only a winner gets it")
    assert shown.host.locator(".gates .shut").get_attribute("d").count("M") == shut
    assert shown.host.locator(".gates figure").nth(1).locator(".winner").count() == 4


def test_one_begins_with_a_large_element_of_which_several_products_are_seen(
    page: Page, tmp_path: Path
):
    x = tf.constant([[0.0, 1.0], [0.0, 1.0], [5.0, 2.0]])
    v = tf.Variable([[1.0], [1.0]])
    with viz.recording(), tf.GradientTape() as tape:
        loss = tf.reduce_sum(x @ v)
    page.set_viewport_size({"width": 1400, "height": 900})
    shown = show(page, tmp_path, viz.step(tape, loss, v).trace)
    shown.focus()
    shown.press("End")
    shown.press("ArrowLeft")
    assert shown.text(".lens h2").startswith("∂v[1, 0] = 4.0")  # 5.0 is larger, and one product
    assert products(shown) == [1.0, 1.0, 2.0]
