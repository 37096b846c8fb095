"""The scripts of saved pages start in Firefox; what they do is tested in Chromium."""

from __future__ import annotations

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
    page.wait(f"/^1 /.test({counter})", 60)
    root = "document.querySelector('.minitape-player').shadowRoot"
    page.evaluate(f"{root}.querySelector('[data-do=forward]').click()")
    page.wait(f"/^2 /.test({counter})", 20)
