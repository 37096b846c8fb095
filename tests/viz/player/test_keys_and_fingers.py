"""An ordinary script's page on a wall and on a phone: keys live at once, a finger steps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from walking import KEEP, READY

from minitape.__main__ import main

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

SCRIPT = """
import minitape as tf

a, c = tf.Variable(1.5), tf.Variable(-0.5)
with tf.GradientTape() as tape:
    h = tf.tanh(a * 2.0 + c)
    k = h * h + tf.exp(-h) * c
    out = k / (1.0 + h)
tape.gradient(out, [a, c])
"""
SIZES = {"wall": (1280, 720), "phone": (390, 844)}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("script")
    (folder / "program.py").write_text(SCRIPT)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert main(["step", "program.py"]) == 0
    return folder / "program-steps.html"


@pytest.fixture(params=SIZES)
def opened(request: pytest.FixtureRequest, page: Page, saved: Path) -> Page:
    width, height = SIZES[request.param]
    page.set_viewport_size({"width": width, "height": height})
    page.add_init_script(KEEP)
    page.goto(saved.as_uri())
    page.wait_for_function(READY)
    return page


def press(page: Page, *keys: str) -> str:
    for key in keys:
        page.keyboard.press(key)
    return str(page.locator(".counter").text_content()).split(" ")[0]


def test_keys_live_on_opening(opened: Page) -> None:
    last = press(opened, "End")
    keys = ["Home", "ArrowRight", "ArrowRight", "ArrowLeft", "PageDown", "PageUp"]
    assert [press(opened, key) for key in keys] == ["0", "1", "2", "1", "11", "1"]
    assert int(last) > 20
    assert press(opened, "?", "Escape", "ArrowRight") == "2"
    press(opened, "?")
    text = str(opened.locator(".find").text_content())
    for word in ("step", "find", "play", "touch a number", "hall", "Esc"):
        assert word in text
    box = opened.locator(".find").bounding_box()
    size = opened.viewport_size
    assert box and size
    assert box["x"] >= 0 and box["x"] + box["width"] <= size["width"]
    assert box["y"] >= 0 and box["y"] + box["height"] <= size["height"]


def test_a_slash_finds_a_step_by_name_and_names_come_before_lines(opened: Page) -> None:
    press(opened, "/")
    opened.keyboard.type("tanh")
    entries = opened.locator(".find li").all_text_contents()
    assert "applies tanh" in entries[0]
    assert any("a·2" in each for each in entries)  # found by the line that tanh stands in
    press(opened, "Enter")
    assert opened.locator(".sentence").text_content() == entries[0].partition(" ")[2]


def swipe(page: Page, start: tuple[float, float], end: tuple[float, float]) -> str:
    """A finger on the glass, as the browser's engine sees one."""
    session: Any = page.context.new_cdp_session(page)
    session.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    for kind, share in [("touchStart", 0.0), *(("touchMove", i / 5) for i in range(1, 6))]:
        x, y = (a + share * (b - a) for a, b in zip(start, end, strict=True))
        points = [{"x": x, "y": y}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    session.detach()
    return press(page)


def test_a_finger_that_moves_sideways_steps_and_one_on_the_graph_or_up_does_not(
    opened: Page,
) -> None:
    assert press(opened, "PageDown", "ArrowRight") == "11"
    panes, graph = (opened.locator(part).bounding_box() for part in (".saying", ".graph"))
    assert panes and graph
    y = panes["y"] + 15
    assert swipe(opened, (310, y), (110, y)) == "12"
    assert swipe(opened, (110, y), (310, y)) == "11"
    assert swipe(opened, (250, y), (220, y)) == "11"  # a finger that shook
    assert swipe(opened, (250, y), (190, y + 90)) == "11"
    y = graph["y"] + 40
    assert swipe(opened, (310, y), (110, y)) == "11"  # it moves the graph
    press(opened, "p")
    opened.wait_for_function("player.hall.dialog.open")
    middle = opened.viewport_size["height"] / 2 if opened.viewport_size else 0
    assert swipe(opened, (310, middle), (110, middle)) == "12"


def test_while_it_plays_a_step_stays_as_long_as_its_sentence_takes_to_read(opened: Page) -> None:
    fastest = 5 / 1000  # words a millisecond
    waits = opened.evaluate("""() => player.walk.map((at) => {
      player.go(at);
      return [player.wait, player.part("sentence").textContent.split(/\\s+/).length];
    })""")
    assert all(wait >= words / fastest for wait, words in waits)
    assert len({wait for wait, _ in waits}) > 5
    before = opened.evaluate("player.wait")
    press(opened, "+")
    assert opened.evaluate("player.wait") == before / 2
