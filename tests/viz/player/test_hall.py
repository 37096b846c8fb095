"""The hall at every step of many programs: nothing overlaps, nothing is cut, all is true."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import minitape as tf
from minitape import viz

sys.path.insert(0, str(Path(__file__).parents[1]))

from equations import claims, is_true
from keras_networks import drawn
from programs_written import Writer
from swept import KINDS

import browser as harness

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(bool(harness.missing()), reason=str(harness.missing())),
]

LEAST = 17  # pixels of the smallest text in a window that is 720 high
MOST_STEPS = 60  # of one program; of a longer one so many are seen, evenly
SIZES = [(1280, 720), (1920, 1080)]


def written(seed: int, dtype: str) -> Any:
    scope: dict[str, Any] = {"tf": tf, "viz": viz}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        exec(compile(Writer(seed, dtype).source, "<program>", "exec"), scope)
        return viz.step(scope["tape"], scope["target"], scope["sources"])


def batch_of_32() -> Any:
    random = np.random.default_rng(3)

    def of(*shape: int) -> Any:
        return tf.Variable(random.normal(size=shape).astype("float32") * 0.5)

    W1, b1, W2, b2 = of(10, 64), of(64), of(64, 3), of(3)
    x, labels = tf.constant(random.normal(size=(32, 10))), tf.constant(random.integers(0, 3, 32))
    with viz.recording(), tf.GradientTape() as tape:
        hidden = tf.nn.relu(tf.cast(x, tf.float32) @ W1 + b1)
        logits = hidden @ W2 + b2
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
        loss = tf.reduce_mean(losses)
    return viz.step(tape, loss, [W1, b1, W2, b2])


def not_a_number() -> Any:
    x = tf.Variable([-1.0, 0.0, 2.0, 90.0])
    with viz.recording(), tf.GradientTape() as tape:
        raised = tf.exp(x)
        loss = tf.reduce_sum(tf.where(x > 0.0, tf.math.log(x), 0.0) * raised)
    return viz.step(tape, loss, x)


def integers() -> Any:
    x = tf.Variable(2.5)
    with viz.recording(), tf.GradientTape() as tape:
        count = tf.constant([3, 65536, -7]) * tf.constant([5, 65536, 2])
        loss = tf.reduce_sum(tf.cast(count, tf.float32)) * 1e-3 * x
    return viz.step(tape, loss, x)


def tangents() -> Any:
    x = tf.Variable([0.3, -1.2])
    with viz.recording(), tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.sin(x) * x)
    return viz.push(tape, y, x, [1.0, 0.5])


DTYPES = ("float32", "float64", "float16", "complex64", "complex128", "int")
PROGRAMS: dict[str, Callable[[], Any]] = {
    "batch of 32, 10-64-3": batch_of_32,
    "not a number": not_a_number,
    "integers": integers,
    "tangents": tangents,
    **KINDS,
    **{f"network {seed}": lambda seed=seed: drawn(seed) for seed in range(3000, 3008)},
    **{
        f"program {seed}, {dtype}": lambda seed=seed, dtype=dtype: written(seed, dtype)
        for seed, dtype in zip(range(900, 912), 2 * DTYPES, strict=True)
    },
}
del PROGRAMS["none by numpy"]  # its tape has one step

OPEN = "addEventListener('minitape-player', (event) => { window.player = event.detail; })"
# ruff: noqa: E501
# Of one state: boxes of all runs of text, which of them overlap, are cut or small; all equations.
LOOK = r"""
(look, least) => {
  const { dialog } = player.hall;
  const runs = [], small = [];
  const walk = document.createTreeWalker(dialog, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const text = walk.currentNode, own = text.parentElement;
    if (!text.data.trim() || getComputedStyle(own).visibility === "hidden" || own.closest("style")) continue;
    const size = parseFloat(getComputedStyle(own).fontSize);
    if (size < least) small.push(`${text.data.trim().slice(0, 30)} ${size.toFixed(1)}`);
    const range = document.createRange();
    range.selectNodeContents(text);
    for (const box of range.getClientRects()) {
      if (box.width < 1 || box.height < 1) continue;
      const thin = box.height * 0.2; // letters are lower than their line
      runs.push({ own, text: text.data.trim().slice(0, 40), x: box.left + 1, X: box.right - 1, y: box.top + thin, Y: box.bottom - thin });
    }
  }
  const over = [], cut = [];
  const pictures = [...dialog.querySelectorAll("svg")].map((own) => ({ own, text: "a picture", box: own.getBoundingClientRect() })).filter(({ box }) => box.width)
    .map(({ own, text, box }) => ({ own, text, x: box.left + 1, X: box.right - 1, y: box.top + 1, Y: box.bottom - 1 }));
  const bars = [...dialog.querySelectorAll(".compared i")].map((own) => [own, own.getBoundingClientRect()]).map(([own, box]) => ({ own, text: "a bar", x: box.left + 1, X: box.right - 1, y: box.top + 1, Y: box.bottom - 1 }));
  const all = [...runs, ...pictures, ...bars];
  all.forEach((a, i) => { for (const b of all.slice(i + 1)) {
    if (a.own === b.own || (bars.includes(a) && bars.includes(b))) continue;
    if (Math.min(a.X, b.X) - Math.max(a.x, b.x) > 1 && Math.min(a.Y, b.Y) - Math.max(a.y, b.y) > 1) over.push(`${a.text} | ${b.text}`);
  } });
  for (const each of all) {
    if (each.x < 0 || each.X > innerWidth || each.y < 0 || each.Y > innerHeight) cut.push(`${each.text} by the window`);
    for (let part = each.own; part !== dialog; part = part.parentElement) {
      const style = getComputedStyle(part), box = part.getBoundingClientRect();
      if (style.overflowX !== "visible" && style.overflow !== "visible" && part.localName !== "svg" && (each.x < box.left - 2 || each.X > box.right + 2 || each.y < box.top - 2 || each.Y > box.bottom + 2)) cut.push(`${each.text} by ${part.className}`);
    }
  }
  const text = (part) => part.textContent.replace(/\s+/g, " ").trim();
  const equations = [];
  for (const equation of dialog.querySelectorAll(".equation")) equations.push([...equation.children].map((part) => (part.localName === "i" ? part.textContent : text(part.querySelector("b")))).join(" "));
  for (const table of dialog.querySelectorAll(".meeting")) {
    const [, first, second, sums] = [...table.rows].map((row) => [...row.cells].map(text));
    equations.push(sums.slice(1).join(" "));
    const [sign] = sums.slice(-2);
    for (let i = 2; i < second.length; i += 2) if (first[i] !== "…") equations.push(`${first[i]} ${second[i - 1].replace("conj", " conj")} ${/conj/.test(second[i - 1]) ? `(${second[i]})` : second[i]} = ${sums[i]}`);
  }
  for (const row of dialog.querySelectorAll(".compared")) {
    const all = [...row.querySelectorAll("b")].map(text), by = Number(row.style.getPropertyValue("--columns"));
    if (by > 1) for (let i = 0; i < all.length; i += by) equations.push(all.slice(i, i + by).join(" "));
  }
  return { over, cut, small, equations, words: text(dialog.querySelector(".words")), texts: runs.length };
}
"""
WALK = f"""
async ([least, most, asks]) => {{
  const {{ player }} = window, {{ hall }} = player, look = {LOOK.strip()};
  const count = player.opening.walk.length, every = Math.max(1, Math.ceil(count / most));
  const found = [];
  const numbers = new Set([...Array(count).keys()].filter((number) => number % every === 0));
  for (const number of numbers.add(count)) {{
    hall.asks = false;
    hall.goTo(number);
    found.push({{ number, ...look(look, least) }});
    if (!asks || !hall.scene.ask) continue;
    Object.assign(hall, {{ asks, asked: false }});
    hall.show();
    found.push({{ number: `${{number}}, asked`, ...look(look, least) }});
  }}
  return found;
}}
"""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with harness.chromium() as opened:
        yield opened


def opened(page: Page, file: Path) -> None:
    page.add_init_script(OPEN)
    page.goto(file.as_uri())
    page.wait_for_function("() => window.player", timeout=60_000)
    page.keyboard.press("p")
    page.wait_for_function("() => player.hall.dialog.open")


def walked(
    chromium: Browser, page: Path, size: tuple[int, int], asks: bool
) -> tuple[list[dict[str, Any]], list[str]]:
    """What is seen at the steps of a program, of its questions too, and what the console said."""
    with harness.visit(chromium) as seen:
        words: list[str] = []
        seen.page.on("console", lambda message: words.append(message.text[:300]))
        seen.page.set_viewport_size({"width": size[0], "height": size[1]})
        seen.page.emulate_media(reduced_motion="reduce")
        opened(seen.page, page)
        least = LEAST * size[1] / 720 - 0.01
        return seen.page.evaluate(WALK, [least, MOST_STEPS, asks]), [*words, *seen.errors]


def faults_of(name: str, states: list[dict[str, Any]], dtype: str) -> list[str]:
    faults = []
    for state in states:
        where = f"{name}, {state['number']}"
        for kind in ("over", "cut", "small"):
            faults += [f"{where}: {kind}: {text}" for text in state[kind][:3]]
        for text in state["equations"]:
            for claim in claims(text):
                if is_true(claim, dtype) is False:
                    faults.append(f"{where}: false: {claim}")
    return faults


def dtype_of(name: str) -> str:
    return name.rpartition(", ")[2].replace("int", "float32") if "program" in name else "float32"


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_every_step_is_whole_and_true_in_a_hall(
    chromium: Browser, tmp_path: Path, name: str
) -> None:
    page = PROGRAMS[name]().save(tmp_path / "page.html")
    faults: list[str] = []
    for size in SIZES:
        states, words = walked(chromium, page, size, asks=size == SIZES[0])
        assert len(states) > 2
        assert all(state["words"] for state in states)
        faults += [*words, *faults_of(f"{name}, {size[0]}", states, dtype_of(name))]
    assert not faults, f"{len(faults)} faults:\n" + "\n".join(faults[:30])


@pytest.fixture
def hall(chromium: Browser, tmp_path: Path) -> Iterator[Page]:
    """The hall of a small program, at its first step."""
    with harness.visit(chromium) as seen:
        seen.page.set_viewport_size({"width": 1280, "height": 720})
        seen.page.emulate_media(reduced_motion="reduce")
        opened(seen.page, KINDS["logistic unit"]().save(tmp_path / "page.html"))
        press(seen.page, "1", "Enter")
        yield seen.page
        assert not seen.errors


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def counted(page: Page) -> str:
    return str(page.locator(".hall .foot :last-child").text_content())


def test_the_keys_of_a_presenter_step_through_the_hall(hall: Page) -> None:
    total = counted(hall).partition(" / ")[2]
    seen = []
    for key in ["ArrowRight", "PageDown", " ", "PageUp", "ArrowLeft", "End", "Home", "5", "Enter"]:
        press(hall, key)
        seen.append(counted(hall).partition(" / ")[0])
    assert seen == ["2", "3", "4", "3", "2", total, "0", "→ 5", "5"]
    press(hall, "Escape")
    assert not hall.evaluate("player.hall.dialog.open")
    assert hall.locator(".counter").text_content() == f"5 / {total}"


def test_what_is_asked_first_has_its_answer_in_a_second_beat(hall: Page) -> None:
    press(hall, "a", "ArrowRight")
    answer, words = hall.locator(".equation .answer"), hall.locator(".hall .words")
    assert not answer.is_visible()
    assert str(words.text_content()).endswith("?")
    number = counted(hall)
    press(hall, "ArrowRight")
    assert answer.is_visible() and counted(hall) == number
    assert not str(words.text_content()).endswith("?")
    press(hall, "ArrowRight")
    assert counted(hall) != number


@pytest.mark.parametrize(("key", "colour"), [("b", "black"), (".", "black"), ("w", "white")])
def test_a_black_or_white_screen_ends_with_any_key_at_the_same_step(
    hall: Page, key: str, colour: str
) -> None:
    number = counted(hall)
    press(hall, key)
    found = hall.locator(".hall").evaluate("e => getComputedStyle(e).backgroundColor")
    assert found == {"black": "rgb(0, 0, 0)", "white": "rgb(255, 255, 255)"}[colour]
    assert not hall.locator(".hall .words").is_visible()
    press(hall, "ArrowRight")
    assert hall.locator(".hall .words").is_visible() and counted(hall) == number


def test_a_step_is_found_by_a_word_of_its_line_or_name(hall: Page) -> None:
    press(hall, "/")
    hall.keyboard.type("sigmoid")
    entries = hall.locator(".find li")
    assert entries.count() > 1
    second = str(entries.nth(1).locator("b").text_content())
    press(hall, "ArrowDown", "Enter")
    assert counted(hall).partition(" / ")[0] == second
    press(hall, "Escape", "?")
    assert "ask first" in str(hall.locator(".find").text_content())
    press(hall, "Escape")
    assert not hall.locator(".find").is_visible()


def test_on_a_slide_that_is_enlarged_the_hall_is_as_large_as_the_window(hall: Page) -> None:
    press(hall, "Escape")
    hall.evaluate("document.body.style.zoom = 1.5")
    press(hall, "p", "9", "Enter")
    hall.wait_for_function("() => player.hall.dialog.open")
    box = hall.locator(".hall").bounding_box()
    assert box == {"x": 0, "y": 0, "width": 1280, "height": 720}
    seen = hall.evaluate(
        f"(least) => {{ const look = {LOOK.strip()}; return look(look, least); }}", LEAST
    )
    assert [seen[kind] for kind in ("over", "cut", "small")] == [[], [], []]


def test_the_theme_turns_and_leaves_the_step(hall: Page) -> None:
    paper = "e => getComputedStyle(e).backgroundColor"
    before, number = hall.locator(".hall").evaluate(paper), counted(hall)
    press(hall, "t")
    assert hall.locator(".hall").evaluate(paper) != before
    assert counted(hall) == number


def test_axe_finds_nothing_in_the_hall(hall: Page) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    for number in ("1", "9", "14", "0"):
        press(hall, number[0], *number[1:], "Enter")
        found = axe.run(hall).response["violations"]
        assert not found, [(v["id"], [n["html"][:200] for n in v["nodes"]]) for v in found]
        press(hall, "t")
    press(hall, "?")
    assert not axe.run(hall).response["violations"]
