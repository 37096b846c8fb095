"""A player in a cell of marimo, in a browser; `.ci/run` gives marimo an environment of its own."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import browser

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        importlib.util.find_spec("marimo") is None, reason="marimo is not installed (see .ci/run)"
    ),
    pytest.mark.skipif(bool(browser.missing()), reason=str(browser.missing())),
]

NOTEBOOK = """
import marimo

app = marimo.App(width="full")


@app.cell
def _():
    import minitape as tf
    from minitape import viz

    w, b = tf.Variable(-0.6), tf.Variable(0.4)
    with viz.recording(), tf.GradientTape() as tape:
        fit = tf.square(tf.sigmoid(w * 2.0 + b) - 1.0)
        penalty = 0.1 * tf.square(w)
        loss = fit + penalty
    viz.step(tape, loss, [w, b])
    return


if __name__ == "__main__":
    app.run()
"""


SLIDER = """
import marimo

app = marimo.App(width="full")


@app.cell
def _():
    import marimo as mo
    import minitape as tf
    from minitape import viz

    slider = mo.ui.slider(-3.0, 3.0, 0.5, value=1.0)
    slider
    return slider, tf, viz


@app.cell
def _(slider, tf, viz):
    x = tf.Variable(slider.value)
    with viz.recording(), tf.GradientTape() as tape:
        y = x * x
    viz.step(tape, y, x)
    return


if __name__ == "__main__":
    app.run()
"""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a notebook that marimo shows."""
    yield from served(tmp_path_factory.mktemp("marimo"), NOTEBOOK)


@pytest.fixture
def with_a_slider(tmp_path: Path) -> Iterator[str]:
    """The address of a notebook whose player depends on a slider of marimo."""
    yield from served(tmp_path, SLIDER)


def served(folder: Path, notebook: str) -> Iterator[str]:
    """Shows a notebook in marimo."""
    (folder / "lesson.py").write_text(notebook, "utf-8")
    port = browser.free_port()
    options = ["--headless", "--host", "127.0.0.1", "--port", str(port), "--no-token"]
    command = [sys.executable, "-m", "marimo", "-q", "run", str(folder / "lesson.py"), *options]
    state = folder / "state"
    places = {"HOME": str(state), "XDG_CONFIG_HOME": str(state), "XDG_CACHE_HOME": str(state)}
    env = browser.environment(state) | places
    log = folder / "log.txt"
    with browser.running(command, env, log) as server:
        browser.wait_for(server, f"http://127.0.0.1:{port}", log, seconds=120, path="health")
        yield f"http://127.0.0.1:{port}"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser.chromium() as opened:
        yield opened


@pytest.fixture
def shown(chromium: Browser, url: str) -> Iterator[Any]:
    """The notebook in a window, and its player."""
    with browser.visit(chromium, {"width": 1400, "height": 900}) as seen:
        seen.page.emulate_media(reduced_motion="reduce")
        seen.page.goto(url)
        player = seen.page.frame_locator("iframe").locator(".minitape-player")
        browser.expect(player).to_have_attribute("data-ready", "yes", timeout=120_000)
        yield seen, player


def step_forward(player: Any) -> None:
    player.get_by_role("button", name="Forward (Right)").click()


def go_to_the_summary(player: Any) -> None:
    slider = "e => { e.value = e.max; e.dispatchEvent(new Event('input')); }"
    player.locator("input[type=range]").evaluate(slider)
    browser.expect(player.locator(".phase")).to_have_text("summary")


def test_a_player_in_a_cell_can_be_stepped_by_button_and_key(shown: Any):
    seen, player = shown
    counter = player.locator(".counter")
    browser.expect(counter).to_have_text("0 / 21")  # its first page
    step_forward(player)
    browser.expect(counter).to_have_text("1 / 21")
    seen.page.keyboard.press("ArrowRight")
    browser.expect(counter).to_have_text("2 / 21")
    go_to_the_summary(player)
    assert "−0.7104" in player.locator(".sumline").inner_text()


def test_its_graph_is_whole_and_the_page_has_no_error(shown: Any):
    seen, player = shown
    go_to_the_summary(player)
    assert player.locator(".graph .n").count() == 8 + 2 + 3  # ops, variables, numbers
    assert not seen.errors


def test_the_summary_in_presenter_s_size_is_seen_whole(shown: Any):
    seen, player = shown
    go_to_the_summary(player)
    player.locator("[data-do=present]").click()
    browser.expect(player.locator(".player.present")).to_be_visible()
    size = player.locator(".path").first.evaluate("e => parseFloat(getComputedStyle(e).fontSize)")
    assert size >= 17
    assert player.locator(".panes").evaluate("e => e.scrollWidth <= e.clientWidth")
    seen.screenshot("marimo")


def test_with_reduced_motion_no_edge_flows(shown: Any):
    _, player = shown
    for _ in range(10):
        step_forward(player)
    edge = player.locator(".graph .lit-pull").first
    assert edge.evaluate("e => getComputedStyle(e).animationName") == "none"


def test_a_player_follows_a_slider_of_marimo(chromium: Browser, with_a_slider: str):
    with browser.visit(chromium, {"width": 1400, "height": 900}) as seen:
        seen.page.goto(with_a_slider)
        player = seen.page.frame_locator("iframe").locator(".minitape-player")
        browser.expect(player).to_have_attribute("data-ready", "yes", timeout=120_000)
        go_to_the_summary(player)
        browser.expect(player.locator(".sumline")).to_contain_text("2.0")  # 2 * 1.0
        seen.page.get_by_role("slider").first.press("ArrowRight")
        browser.expect(player).to_have_attribute("data-ready", "yes", timeout=60_000)
        browser.expect(player.locator(".counter")).to_contain_text("0 /")  # a player of its own
        go_to_the_summary(player)
        browser.expect(player.locator(".sumline")).to_contain_text("3.0")  # 2 * 1.5
