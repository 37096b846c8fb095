"""How long the page of a long tape takes to build, how large it is, how quickly one steps in it.

    python tests/benchmarks/pages.py chain:1000 loop:1000 layers:1000
    python tests/benchmarks/pages.py --browser loop:5000 digits:5000 maps:5000
    python tests/benchmarks/pages.py memory:1400

CPU seconds of `viz.step` (for memory of `viz.memory`) and `.save`; with --browser milliseconds of a
step and of a scrub, each until the page is laid out, 95th percentile of 100.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

import numpy as np

import minitape as tf
from minitape import viz


def chain(count: int) -> Any:
    x = tf.Variable(0.5)
    with viz.recording(), tf.GradientTape() as tape:
        y = x
        for _ in range(count // 2):
            y = tf.sin(y)
            y = y * 1.5
    return viz.step(tape, y, x)


def loop(count: int) -> Any:
    w, b = tf.Variable(np.eye(3, dtype="float32") * 0.5), tf.Variable([0.1, 0.2, 0.3])
    with viz.recording(), tf.GradientTape() as tape:
        h = tf.constant([[1.0, 2.0, 3.0]])
        for _ in range(count // 3):
            h = tf.tanh(h @ w + b)
        y = tf.reduce_sum(h)
    return viz.step(tape, y, [w, b])


def layers(count: int) -> Any:
    eye = np.eye(3, dtype="float32") * 0.5
    both = [(tf.Variable(eye), tf.Variable([0.1, 0.2, 0.3])) for _ in range(count // 3)]
    with viz.recording(), tf.GradientTape() as tape:
        h = tf.constant([[1.0, 2.0, 3.0]])
        for w, b in both:
            h = tf.tanh(h @ w + b)
        y = tf.reduce_sum(h)
    return viz.step(tape, y, [each for pair in both for each in pair])


def square(count: int, size: int) -> Any:
    rng = np.random.default_rng(0)
    w = tf.Variable(rng.normal(size=(size, size)) / size)
    with viz.recording(), tf.GradientTape() as tape:
        h = tf.constant(rng.normal(size=(size, size)))
        for _ in range(count // 2):
            h = tf.tanh(h @ w)
        y = tf.reduce_sum(h)
    return viz.step(tape, y, w)


def digits(count: int) -> Any:
    """Matrices of which each number is written."""
    return square(count, 8)


def maps(count: int) -> Any:
    """Matrices that are drawn as heat maps."""
    return square(count, 32)


def memory(count: int) -> Any:
    x = tf.Variable(0.5)
    with viz.recording(), tf.GradientTape() as tape:
        y = x
        for _ in range(count // 2):
            y = tf.sin(y)
            y = y * 1.5
    return viz.memory(tape)


TAPES = {each.__name__: each for each in (chain, loop, layers, digits, maps, memory)}
TIMED = """
async (stride) => {
  const root = document.querySelector(".minitape-player").shadowRoot;
  const [slider, pane] = [root.querySelector("input"), root.querySelector(".panes")];
  const found = [];
  for (let i = 0; i < 100; i++) {
    const start = performance.now();
    slider.value = (Number(slider.value) + stride) % Number(slider.max);
    slider.dispatchEvent(new Event("input"));
    pane.getBoundingClientRect();
    found.push(performance.now() - start);
    if (i % 20 === 0) await new Promise((done) => setTimeout(done));
  }
  return found.sort((a, b) => a - b)[95];
}
"""


def in_browser(page: Path) -> str:
    from browser import chromium, visit

    with chromium() as browser, visit(browser, {"width": 1400, "height": 900}) as seen:
        seen.page.goto(page.as_uri())
        seen.page.wait_for_selector(".minitape-player[data-ready=yes]", timeout=120_000)
        step, scrub = (seen.page.evaluate(TIMED, stride) for stride in (1, 997))
    return f"  step {step:.0f} ms, scrub {scrub:.0f} ms"


def main(words: list[str]) -> None:
    browser = "--browser" in words
    chosen = [word for word in words if ":" in word] or [
        *(f"{name}:1000" for name in ("chain", "loop", "layers")),
        "memory:1400",
    ]
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        chain(40).save(page)
        for each in chosen:
            name, count = each.split(":")
            start = time.process_time()
            TAPES[name](int(count)).save(page)
            took, size = time.process_time() - start, page.stat().st_size / 1000
            more = in_browser(page) if browser and name != "memory" else ""
            print(f"{each:12} {took:.2f} s  {size:.0f} kB{more}")


if __name__ == "__main__":
    main(sys.argv[1:])
