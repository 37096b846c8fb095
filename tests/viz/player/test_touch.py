"""Touching a number in a real browser: promised beside happened, and why some cannot be touched."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from keras_networks import drawn
from swept import KINDS
from test_player import Shown, open_page, show

import minitape as tf
from browser import Visit, expect
from minitape import viz
from minitape.viz.player.page import page as page_of
from minitape.viz.player.program import script
from minitape.viz.player.touch import can_touch, touch_data
from viz_traces import diamond

if TYPE_CHECKING:
    from playwright.sync_api import Page

PROVED = re.compile(r"^[\d,]+ recorded numbers computed again, (all exactly|largest difference)")


def scalar(dtype: Any = tf.float64) -> Any:
    """tanh and a product: its slopes are known in closed form."""
    a, c = tf.Variable(1.5, dtype=dtype), tf.Variable(-0.6, dtype=dtype)
    with viz.recording(), tf.GradientTape() as tape:
        out = tf.tanh(a * 2.0 + c) * c
    return viz.step(tape, out, [a, c])


def closed(a: float, c: float = -0.6) -> float:
    return float(np.tanh(2 * a + c) * c)


def slope(a: float, c: float = -0.6) -> float:
    return float(2 * c * (1 - np.tanh(2 * a + c) ** 2))


def opened(page: Page, folder: Path, player: Any, *keys: str) -> Shown:
    shown = show(page, folder, player.trace)
    shown.press("t", *keys)
    return shown


def number(text: str) -> float:
    """A number of the page: minus, infinity and powers as it writes them."""
    text = text.replace("−", "-").replace("+", "").replace("∞", "inf")
    mantissa, _, power = text.partition("·10")
    raised = power.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-"))
    return float(f"{mantissa}e{raised}" if raised else mantissa)


def changes(shown: Shown) -> tuple[float, float, float]:
    """The result now, the promised change, and the one that happened."""
    now, promised, happened = shown.host.locator(".changes b").all_text_contents()
    return number(now), number(promised), number(happened)


def test_a_key_nudges_a_number_and_the_promise_stands_beside_what_happened(
    page: Page, tmp_path: Path
):
    shown = opened(page, tmp_path, scalar(), "ArrowLeft", "Shift+ArrowLeft", "Shift+ArrowLeft")
    now, promised, happened = changes(shown)
    assert now == pytest.approx(closed(1.29), rel=1e-3)
    assert promised == pytest.approx(slope(1.5) * -0.21, rel=1e-3)
    assert happened == pytest.approx(closed(1.29) - closed(1.5), rel=1e-3)
    said = shown.text(".sentence")
    assert said.startswith("a moved by −0.2100: the gradient promised ")
    left, right = re.search(r"promised (.*) = (\S+), and", said).groups()
    assert np.prod([number(each.strip("()")) for each in left.split(" · ")]) == pytest.approx(
        number(right), abs=0.5 * 10.0 ** -len(right.split(".")[1])
    )


def test_escape_goes_back_and_enter_keeps_the_number_as_a_new_start(page: Page, tmp_path: Path):
    shown = opened(page, tmp_path, scalar(), "Shift+ArrowRight", "Escape")
    assert changes(shown)[1:] == (0, 0)
    shown.press(*["Shift+ArrowLeft"] * 5, "Enter")
    assert changes(shown)[1:] == (0, 0)
    shown.press("ArrowRight")
    now, promised, happened = changes(shown)
    assert now == pytest.approx(closed(1.01), rel=1e-3)
    assert promised == pytest.approx(slope(1.0) * 0.01, rel=1e-3)
    assert happened == pytest.approx(closed(1.01) - closed(1.0), rel=1e-3)
    shown.host.locator(".touch button").click()
    assert changes(shown)[0] == pytest.approx(closed(1.5), rel=1e-3)


def test_arrows_nudge_wherever_the_player_has_its_keys(page: Page, tmp_path: Path):
    shown = opened(page, tmp_path, scalar())
    shown.focus()
    shown.press("Shift+ArrowRight")
    page.evaluate("() => document.activeElement.blur()")
    shown.press("Shift+ArrowRight")
    assert shown.host.locator(".cell.on").get_attribute("aria-valuenow") == "1.7"
    assert shown.step == 0


def test_a_mouse_drags_a_number_and_the_point_of_the_curve(page: Page, tmp_path: Path):
    shown = opened(page, tmp_path, scalar())
    place = shown.host.locator(".cell.on").bounding_box()
    page.mouse.move(place["x"] + 10, place["y"] + 10)
    page.mouse.down()
    page.mouse.move(place["x"] - 50, place["y"] + 10, steps=5)
    page.mouse.up()
    a = float(shown.host.locator(".cell.on").get_attribute("aria-valuenow"))
    assert a < 1.2
    now, promised, happened = changes(shown)
    assert now == pytest.approx(closed(a), rel=1e-3)
    assert promised == pytest.approx(slope(1.5) * (a - 1.5), rel=1e-3)
    assert happened == pytest.approx(closed(a) - closed(1.5), rel=1e-3)
    box = shown.host.locator(".curve").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.up()
    back = float(shown.host.locator(".cell.on").get_attribute("aria-valuenow"))
    assert back == pytest.approx(1.5, abs=0.02)


def test_the_slider_speaks_with_the_result_the_promise_and_what_happened(
    page: Page, tmp_path: Path
):
    shown = opened(page, tmp_path, scalar(), "ArrowRight")
    said = shown.host.locator(".cell.on").get_attribute("aria-valuetext")
    assert re.fullmatch(r"1\.51; out −0\.\d+; promised −0\.\d+, happened −0\.\d+", said)
    assert shown.host.locator(".cell.on").get_attribute("role") == "slider"
    assert shown.host.locator(".sentence").get_attribute("aria-live") == "off"
    shown.press("t")
    assert shown.host.locator(".sentence").get_attribute("aria-live") == "polite"


def test_the_graph_has_the_numbers_of_the_nudge_and_a_step_those_that_were_recorded(
    page: Page, tmp_path: Path
):
    player = scalar()
    shown = show(page, tmp_path, player.trace)
    shown.press("End")
    before = shown.host.locator(".graph > svg").text_content()
    shown.press("Home", "ArrowRight", "t", "ArrowRight")
    source = player.trace.sources[0]
    assert "1.51" in (shown.node(source).text_content() or "")
    shown.press("t")
    assert shown.step == 0
    assert shown.host.locator(".touch").is_hidden()
    shown.press("End")
    assert shown.host.locator(".graph > svg").text_content() == before


def test_a_number_that_is_picked_begins_from_the_start(page: Page, tmp_path: Path):
    shown = opened(page, tmp_path, scalar(), "Shift+ArrowRight")
    shown.host.locator(".cell").nth(1).click()
    shown.press("Shift+ArrowRight")
    assert changes(shown)[2] == pytest.approx(closed(1.5, -0.5) - closed(1.5), rel=1e-3)


def test_no_part_of_it_moves_by_itself(page: Page, tmp_path: Path):
    for motion in ("reduce", "no-preference"):
        page.emulate_media(reduced_motion=motion)
        shown = opened(page, tmp_path, scalar(), "ArrowRight", "Escape")
        assert (
            shown.host.locator(".touch").evaluate("e => e.getAnimations({subtree: true}).length")
            == 0
        )


def test_what_no_gradient_passes_through_stays_as_recorded_and_is_named(page: Page, tmp_path: Path):
    x = tf.Variable([-1.0, 2.0])
    with viz.recording(), tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.where(x > 0.0, x * 3.0, x))
    shown = opened(page, tmp_path, viz.step(tape, y, x), *["Shift+ArrowRight"] * 12)
    assert "as recorded" in shown.text(".proof") and "greater" in shown.text(".proof")
    assert changes(shown)[1:] == pytest.approx((1.2, 1.2), rel=1e-4)  # the branch of −1 is kept


def test_where_a_relu_switches_the_promise_ends_and_the_curve_says_so(page: Page, tmp_path: Path):
    x = tf.Variable(0.5)
    with viz.recording(), tf.GradientTape() as tape:
        gate = tf.nn.relu(x)
        y = gate * 2.0
    shown = opened(page, tmp_path, viz.step(tape, y, x), *["Shift+ArrowLeft"] * 10)
    assert changes(shown) == pytest.approx((0, -2, -1))
    assert shown.host.locator(".curve .switch").count() == 1
    assert "gate switches" in (shown.host.locator(".curve svg").first.text_content() or "")


def test_a_page_that_cannot_compute_it_again_says_why_and_carries_no_evaluator(
    page: Page, tmp_path: Path
):
    x = tf.Variable([[2.0, 1.0], [0.5, 3.0]])
    with viz.recording(), tf.GradientTape() as tape:
        y = tf.linalg.det(x)
    trace = viz.step(tape, y, x).trace
    shown = show(page, tmp_path, trace)
    shown.press("t")
    said = "No number can be touched here: the op determinant is not known here."
    expect(shown.host.locator(".sentence")).to_have_text(said)
    assert shown.host.locator(".sentence").is_visible()
    assert shown.host.locator(".cell").count() == 0
    assert script("player", "touch", "page") not in page_of(trace)
    assert script("player", "untouched", "page") in page_of(trace)


def test_numbers_that_a_replay_does_not_give_again_are_not_offered(page: Page, tmp_path: Path):
    player = scalar()
    false = scalar().trace
    made = touch_data(player.trace)["touch"]
    x = tf.Variable(1.25, dtype=tf.float64)
    with viz.recording(), tf.GradientTape() as tape:
        out = tf.tanh(x * 2.0 + x) * x
    other = touch_data(viz.step(tape, out, [x]).trace)["touch"]
    from minitape.viz.player import page as module

    content = page_of(false)
    assert made["numbers"] != other["numbers"]
    original = module.touch_data
    module.touch_data = lambda _: {
        "touch": made | {"numbers": _off_by_a_thousandth(made["numbers"])}
    }
    try:
        content = page_of(false)
    finally:
        module.touch_data = original
    open_page(page, tmp_path, content)
    shown = Shown(page)
    shown.press("t")
    expect(shown.host.locator(".refused")).to_contain_text("differs from what was recorded")
    assert shown.host.locator(".cell").count() == 0


def _off_by_a_thousandth(numbers: str) -> str:
    import base64

    values = np.frombuffer(base64.b64decode(numbers), "<f8").copy()
    values[0] *= 1.001  # a source: all that was computed from it differs now
    return base64.b64encode(values.tobytes()).decode()


UNSEEN: dict[str, Callable[[], Any]] = {
    **{name: KINDS[name] for name in list(KINDS)[:14]},
    **{f"keras {seed}": (lambda seed=seed: drawn(seed)) for seed in range(7000, 7006)},
}


def test_twenty_programs_of_others_prove_themselves_and_promise_what_the_tape_gave(
    visit: Visit, tmp_path: Path
):
    page, tried, refused = visit.page, 0, []
    words: list[str] = []
    page.on("console", lambda message: words.append(message.text))
    for name, make in UNSEEN.items():
        player = make()
        if not can_touch(touch_data(player.trace)):
            refused.append(name)
            continue
        shown = opened(page, tmp_path, player, "ArrowRight")
        if shown.host.locator(".refused").count():
            refused.append(f"{name}: {shown.text('.refused')}")
            continue
        tried += 1
        assert PROVED.match(shown.text(".proof")), name
        id_, element = map(
            int, shown.host.locator(".cell.on").get_attribute("data-cell").split(",")
        )
        gradient = player.trace.gradients[id_].numpy().ravel()[element]
        before = player.trace.nodes[id_].value.numpy().ravel()[element]
        nudge = np.float32(float(f"{before + 0.01:.7g}")) - before
        assert changes(shown)[1] == pytest.approx(gradient * nudge, rel=2e-3, abs=1e-12), name
        shown.press("Escape", "t", "ArrowRight")
        assert shown.step > 0, name
    assert words == []
    assert tried >= 15
    assert len(refused) <= 5, refused


def test_a_value_of_a_variable_that_was_assigned_to_is_touched_alone(page: Page, tmp_path: Path):
    x = tf.Variable(2.0)
    with viz.recording(), tf.GradientTape() as tape:
        y = x * x
        x.assign(3.0)
        z = y * x
    shown = opened(page, tmp_path, viz.step(tape, z, x), "Shift+ArrowRight")
    said = "x was assigned to: its values (x, x₂) are touched alone; their gradients add up."
    assert said in shown.text(".proof")
    assert changes(shown) == pytest.approx((2.1**2 * 3, 4 * 3 * 0.1, (2.1**2 - 4) * 3), rel=1e-3)
    shown.host.locator(".cell").nth(1).click()
    shown.press("Shift+ArrowRight")
    assert changes(shown) == pytest.approx((4 * 3.1, 4 * 0.1, 4 * 0.1), rel=1e-3)


def test_a_nudge_in_float16_lands_on_its_grid(page: Page, tmp_path: Path):
    shown = opened(page, tmp_path, scalar(tf.float16), "ArrowRight", "ArrowRight")
    assert "largest difference" in shown.text(".proof") or "exactly" in shown.text(".proof")
    a = float(shown.host.locator(".cell.on").get_attribute("aria-valuenow") or 0)
    assert a == float(np.float16(a)) and a == pytest.approx(1.52, abs=2e-3)
    now, promised, _ = changes(shown)
    assert now == pytest.approx(closed(a), rel=5e-3)
    assert promised == pytest.approx(slope(1.5) * (a - 1.5), rel=2e-2)


def test_the_evaluator_is_small_and_other_players_do_not_carry_it():
    other, whole = script("player", "page"), script("player", "touch", "page")
    assert len(whole) - len(other) < 20_000
    assert len(script("player", "untouched", "page")) - len(other) < 700
    assert script("player", "touch", "page") in page_of(scalar().trace)
    assert script("player", "touch", "page") not in page_of(diamond())


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_while_numbers_are_touched(page: Page, tmp_path: Path, scheme: str):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page.emulate_media(color_scheme=scheme)

    def check() -> None:
        found = axe.run(page).response["violations"]
        assert not found, [(v["id"], [n["html"][:200] for n in v["nodes"]]) for v in found]

    shown = opened(page, tmp_path, scalar(), "ArrowLeft")
    check()
    shown.press("Shift+ArrowLeft", "Enter")
    check()
    opened(page, tmp_path, KINDS["mlp by hand"](), "ArrowLeft", "PageDown", "ArrowRight")
    check()
