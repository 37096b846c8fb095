"""The scripts of saved pages start in Firefox; what they do is tested in Chromium."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import firefox as harness
import pytest

import minitape as tf
from browser import free_port
from minitape import viz

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(harness.missing() is not None, reason=str(harness.missing())),
]


def recorded(start: float = 2.0) -> Any:
    x = tf.Variable(start, name="x")
    with viz.recording(), tf.GradientTape() as tape:
        y = x * x + tf.sin(x)
    return viz.step(tape, y, x)


def filmed() -> Any:
    w = tf.Variable(4.0, name="w")
    film = viz.film([w])
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = w * w
        film.note(tape, loss)
        w.assign_sub(0.25 * tape.gradient(loss, w))
    return film


def explored() -> Any:
    return viz.explore(lambda x, w: tf.sin(x * w), x=(-2.0, 2.0), w=(0.0, 3.0))


def asked() -> Any:
    x = tf.Variable(2.0, name="x")
    with viz.recording(), tf.GradientTape() as tape:
        y = x * x + tf.sin(x)
    return viz.quiz(tape, y, x)


def inside(host: str, shown: str) -> str:
    """What is shown in the shadow root of an element."""
    root = f"document.querySelector('{host}')?.shadowRoot"
    return f"{root}?.querySelector('{shown}')?.textContent.trim()"


# Each page, and an expression that is a text once its script has run.
PAGES: dict[str, tuple[Callable[[], Any], str]] = {
    "player": (recorded, inside(".minitape-player", ".counter")),
    "both": (
        lambda: viz.beside(recorded(), recorded(1.0)),
        "document.querySelector('output')?.textContent",
    ),
    "curve": (
        lambda: viz.curve(lambda x: x * tf.sin(x), (-2.0, 2.0)),
        inside(".minitape-exhibit", ".said"),
    ),
    "film": (filmed, inside(".minitape-film", ".counter")),
    "explored": (explored, inside(".minitape-explored > div", ".counter")),
    "quiz": (asked, "document.querySelector('.question')?.textContent"),
}


@pytest.fixture(scope="module")
def page() -> Iterator[harness.Firefox]:
    with harness.firefox(free_port()) as opened:
        yield opened


@pytest.mark.parametrize("name", PAGES)
def test_a_saved_page_starts(page: harness.Firefox, tmp_path: Path, name: str) -> None:
    make, text = PAGES[name]
    page.open(make().save(tmp_path / f"{name}.html").as_uri())
    page.wait(f"Boolean({text})", 60)


def test_a_player_steps_with_its_buttons(page: harness.Firefox, tmp_path: Path) -> None:
    page.open(recorded().save(tmp_path / "page.html").as_uri())
    counter = inside(".minitape-player", ".counter")
    page.wait(f"/^0 /.test({counter})", 60)
    root = "document.querySelector('.minitape-player').shadowRoot"
    page.evaluate(f"{root}.querySelector('[data-do=forward]').click()")
    page.wait(f"/^1 /.test({counter})", 20)


# ruff: noqa: E501
def test_the_hall_shows_every_step_whole(page: harness.Firefox, tmp_path: Path) -> None:
    """Each text of each step lies within the window, and none on another one."""
    page.open(recorded().save(tmp_path / "hall.html").as_uri())
    page.wait(f"/^0 /.test({inside('.minitape-player', '.counter')})", 60)
    root = "document.querySelector('.minitape-player').shadowRoot"
    page.evaluate(f"{root}.querySelector('[data-do=hall]').click()")
    page.wait(f"{root}.querySelector('dialog.hall').open", 20)
    walk = """(root) => {
      const player = root.querySelector(".player"), hall = root.querySelector("dialog.hall");
      const faults = [], seen = [];
      for (let last = ""; hall.textContent !== last;) {
        last = hall.textContent;
        seen.push(hall.querySelector(".words").textContent);
        const boxes = [...hall.querySelectorAll(".words, .equation b, .equation small:not(:empty), figcaption, .compared b, .foot span")]
          .map((part) => [part.textContent, part.getBoundingClientRect()]).filter(([text]) => text);
        boxes.forEach(([text, a], i) => {
          if (a.left < 0 || a.right > innerWidth + 1 || a.bottom > innerHeight + 1) faults.push(`${text} is cut`);
          for (const [other, b] of boxes.slice(i + 1)) if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 6) faults.push(`${text} | ${other}`);
        });
        hall.dispatchEvent(new MouseEvent("click", { clientX: innerWidth / 2 }));
      }
      return JSON.stringify([faults, seen.length, player.querySelector(".counter").textContent]);
    }"""
    faults, count, counter = json.loads(page.evaluate(f"({walk})({root})"))
    assert faults == []
    number, _, total = counter.partition(" / ")
    assert number == total and count == int(total) + 1  # with the first page


def test_the_keys_of_page_hall_and_touching_do_the_same(
    page: harness.Firefox, tmp_path: Path
) -> None:
    page.open(recorded().save(tmp_path / "keys.html").as_uri())
    counter = inside(".minitape-player", ".counter")
    page.wait(f"/^0 /.test({counter})", 60)
    root = "document.querySelector('.minitape-player').shadowRoot"

    def seen(part: str) -> str:
        return str(page.evaluate(inside(".minitape-player", part)))

    total = seen(".counter").partition(" / ")[2]
    for key, number in [("ArrowRight", "1"), ("End", total), ("Home", "0"), ("PageDown", "10")]:
        page.press(key)
        assert seen(".counter") == f"{number} / {total}"
    page.press("/", *"sin")
    page.wait(f"{root}.querySelectorAll('.find li').length > 1", 20)
    page.press("Enter", "?")
    assert "ask first" in seen(".find")
    page.press("Escape", "p")
    page.wait(f"{root}.querySelector('.hall').open", 20)
    page.press("2", "Enter", "a", "ArrowRight")
    assert seen(".hall .words").endswith("?")
    page.press("b", "b", "Escape")
    page.wait(f"!{root}.querySelector('.hall').open", 20)
    page.press("Home", "t")
    page.wait(f"Boolean({root}.querySelector('.cell.on'))", 20)
    value = f"{root}.querySelector('.cell.on').ariaValueNow"
    values = []
    for key in ["ArrowRight", "Shift+ArrowLeft", "Enter", "ArrowLeft", "Escape"]:
        page.press(key)
        values.append(float(page.evaluate(value)))
    assert values == pytest.approx([2.01, 1.91, 1.91, 1.9, 1.91], rel=1e-6)
    page.press("t")
    assert page.evaluate(f"!{root}.querySelector('.player').classList.contains('touching')")
