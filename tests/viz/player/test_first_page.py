"""Step 0 asks a question, and tells nudges that were run: as text, and as the page that opens."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pytest

import minitape as tf
from browser import expect
from minitape import viz
from minitape.viz.player.page import fragment
from minitape.viz.player.scene.front import WORDS, front
from minitape.viz.player.scene.sentences import text_of
from minitape.viz.player.scene.steps import Scenes

sys.path.insert(0, str(Path(__file__).parents[1]))

from programs_written import Writer
from swept import KINDS

if TYPE_CHECKING:
    from playwright.sync_api import Page

NUDGE = re.compile(
    r"Nudge (?P<name>.+) \((?P<at>[^()]+)\) by (?P<size>\S+): (?P<target>.+) goes from "
    r"(?P<old>\S+) to (?P<new>\S+), (?P<factor>\S+) times the nudge\."
)


def numbers(said: str) -> dict[str, Decimal]:
    found = NUDGE.fullmatch(said)
    assert found, said
    parts = ("size", "old", "new", "factor")
    return {each: Decimal(found[each].replace("−", "-")) for each in parts}


def nudges(program: Callable[..., Any], *values: Any) -> list[str]:
    sources = [tf.Variable(each) for each in values]
    with np.errstate(all="ignore"), viz.recording(), tf.GradientTape() as tape:
        target = program(*sources)
    made = front(Scenes(viz.step(tape, target, sources).trace))
    return [text_of(each) for each in made.nudges]


CLOSED = {
    "cube": (lambda x: x * x * x, lambda x: x**3, 2.0),
    "wave": (tf.sin, np.sin, 0.7),
    "fall": (lambda x: tf.exp(-x), lambda x: np.exp(-x), 1.25),
    "root": (tf.sqrt, np.sqrt, 9.0),
    "large": (lambda x: x * x / 1000.0, lambda x: x * x / 1000, 512.0),
}


@pytest.mark.parametrize("name", CLOSED)
def test_a_nudge_moves_the_result_as_numpy_says(name: str) -> None:
    program, closed, at = CLOSED[name]
    (said,) = nudges(program, at)
    found = numbers(said)
    places = -int(found["old"].as_tuple().exponent)
    assert float(found["old"]) == round(float(closed(at)), places)
    assert float(found["new"]) == round(float(closed(at + float(found["size"]))), places)


@pytest.mark.slow
def test_what_is_written_of_a_nudge_is_true_for_its_digits_in_random_programs() -> None:
    count = 0
    for seed in range(300, 360):
        scope: dict[str, Any] = {"tf": tf, "viz": viz}
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            exec(compile(Writer(seed).source, "<program>", "exec"), scope)
            trace = viz.step(scope["tape"], scope["target"], scope["sources"]).trace
            made = front(Scenes(trace))
        for said in made.nudges:
            found = numbers(text_of(said))
            assert found["new"] - found["old"] == found["factor"] * found["size"], said
            count += 1
    assert count > 30


def test_a_nudge_across_a_kink_is_not_told() -> None:
    for said in nudges(lambda x: tf.abs(x), 0.0):
        pytest.fail(said)
    for said in nudges(lambda x: tf.nn.relu(x) * 5.0, -0.0005):
        pytest.fail(said)


def test_the_element_with_the_largest_gradient_is_moved() -> None:
    said, _ = nudges(lambda x, y: tf.reduce_sum(x * y), [1.0, 2.0, 3.0], [0.5, -4.0, 1.0])
    assert "[1] (2.0)" in said
    assert said.endswith(", −4.00 times the nudge.")


def test_of_a_target_with_elements_the_sum_moves() -> None:
    (said,) = nudges(lambda x: x * 3.0, [1.0, 2.0])
    assert ": the sum of target goes from 9.00000 to 9.00300" in said


@pytest.mark.parametrize("what", ["integers", "complex numbers", "a custom gradient that lies"])
def test_what_cannot_be_run_again_or_does_not_agree_has_no_nudge(what: str) -> None:
    @tf.custom_gradient
    def lies(x):
        return x * 2.0, lambda g: 5.0 * g

    programs: dict[str, tuple[Callable[..., Any], Any]] = {
        "integers": (lambda x: tf.cast(x, tf.int32), 2.0),
        "complex numbers": (lambda x: tf.math.real(x * x), tf.constant(1 + 2j)),
        "a custom gradient that lies": (lies, 1.5),
    }
    assert nudges(*programs[what]) == []


def test_the_text_of_step_0_is_the_first_page() -> None:
    x = tf.Variable(1.5, name="x")
    with viz.recording(), tf.GradientTape() as tape:
        y = x * x
    text = viz.step(tape, y, x).text(step=0)
    assert "Nudge x (1.5) by 0.001: y goes from 2.25000 to 2.25300, 3.00 times the nudge." in text
    assert text in viz.step(tape, y, x).text()


def test_the_program_is_the_lines_that_ran_with_the_head_of_their_loop() -> None:
    lines = front(Scenes(KINDS["newton"]().trace)).lines
    assert lines == ("for _ in range(5):", "    x = 0.5 * (x + a / x)")


def test_the_program_as_mathematics_has_a_line_for_each_name_or_is_left_out() -> None:
    assert "h1 = max(x·W1 + b1, 0)" in KINDS["mlp by hand"]().text(step=0)
    assert "…" not in KINDS["newton"]().text(step=0)  # a formula that was cut is none


def test_where_no_nudge_shows_the_gradient_the_recorded_one_stands_and_is_called_so() -> None:
    @tf.custom_gradient
    def lies(x):
        return x * 2.0, lambda g: 5.0 * g

    x = tf.Variable(1.5, name="x")
    with viz.recording(), tf.GradientTape() as tape:
        y = lies(x)
    text = viz.step(tape, y, x).text(step=0)
    assert "The recorded gradient of x is 5.0. It is as the tape gave it: no nudge" in text
    assert "Nudge" not in text
    assert "No gradient arrived at any input." in KINDS["none by numpy"]().text(step=0)


@pytest.mark.parametrize("name", ["logistic unit", "mlp by hand", "wide sum of 20 terms"])
def test_the_steps_that_the_colours_count_are_those_of_the_trace(name: str) -> None:
    made = KINDS[name]()
    kinds = [step.kind for step in made.trace.steps]
    says = [text_of(each.says) for each in front(Scenes(made.trace)).colours]
    for kind, said in zip(("forward", "pull"), says, strict=False):
        assert said.startswith(f"{kinds.count(kind)} steps")
    assert says[2].startswith("added" if "accumulate" in kinds else "no paths meet")


# In a browser.

LOGISTIC = "logistic unit"
# What of the page is cut or out of its pane, and whether something scrolls.
FAULTS = """
(host) => {
  const root = host.shadowRoot, pane = root.querySelector(".panes"), faults = [];
  const edge = pane.getBoundingClientRect();
  for (const part of root.querySelectorAll(".cards *:not(math, math *)")) {
    const box = part.getBoundingClientRect();
    if (box.width && (box.left < edge.left || box.right > edge.right + 1)) faults.push(`beside: ${part.textContent}`);
    if (part.scrollWidth > part.clientWidth + 2 && part.clientWidth) faults.push(`cut: ${part.textContent}`);
  }
  if (innerWidth > 700 && pane.scrollHeight > pane.clientHeight + 1) faults.push("it scrolls");
  if (document.documentElement.scrollWidth > innerWidth) faults.push("wider than the window");
  return faults;
}
"""  # noqa: E501


def opened(page: Page, made: Any, folder: Path, size: tuple[int, int] = (1280, 720)) -> Any:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(made.save(folder / "page.html").as_uri())
    host = page.locator(".minitape-player")
    expect(host).to_have_attribute("data-ready", "yes", timeout=30_000)
    return host


@pytest.mark.browser
def test_a_page_opens_on_what_the_text_of_step_0_says_and_keys_live_at_once(
    page: Page, tmp_path: Path
) -> None:
    made = KINDS[LOGISTIC]()
    host = opened(page, made, tmp_path)
    counter = host.locator(".counter")
    expect(counter).to_contain_text("0 / ")
    ask, *lines = [line.strip() for line in made.text(step=0).splitlines()]
    assert host.locator(".sentence").inner_text() == ask
    said, shown = (
        [line for line in each if line.startswith(("Nudge", "Those"))]
        for each in (lines, host.locator(".cards p").all_inner_texts())
    )
    assert said == shown
    assert len(said) == 3
    colours = host.locator(".colours b").all_inner_texts()
    assert [each.split(":")[0] for each in colours] == ["blue", "orange", "green"]
    page.keyboard.press("ArrowRight")
    expect(counter).to_contain_text("1 / ")
    assert host.locator(".next").count() == 0
    page.keyboard.press("ArrowLeft")
    host.locator(".next").click()
    expect(counter).to_contain_text("1 / ")


@pytest.mark.browser
def test_each_of_the_nine_words_can_be_pressed_somewhere_and_says_its_sentence(
    page: Page, tmp_path: Path
) -> None:
    host = opened(page, KINDS[LOGISTIC](), tmp_path)
    meaning = host.locator(".meaning")
    said: dict[str, str] = {}
    while host.locator(".phase").inner_text() != "summary":
        for word in host.locator(".word:enabled:visible").all():
            name = str(word.get_attribute("data-word"))
            if name in said:
                continue
            word.focus()
            page.keyboard.press("Enter")
            assert meaning.is_visible()
            said[name] = meaning.inner_text()
            page.keyboard.press("Escape")
            assert not meaning.is_visible()
        host.locator(".player").focus()
        page.keyboard.press("ArrowRight")
    assert len(WORDS) == 9
    for name, sentence in WORDS.items():
        assert said.pop(name) == f"{name} · {sentence}"
    assert said == {"accumulate": f"accumulate · {WORDS['sum']}"}


@pytest.mark.browser
@pytest.mark.parametrize("size", [(1280, 720), (390, 844)], ids=["wall", "phone"])
@pytest.mark.takes_turns
def test_the_first_page_of_every_program_is_whole(
    page: Page, tmp_path: Path, size: tuple[int, int]
) -> None:
    faults = []
    for name, make in KINDS.items():
        host = opened(page, make(), tmp_path, size)
        assert host.locator(".next").is_visible(), name
        faults += [f"{name}: {fault[:80]}" for fault in host.evaluate(FAULTS)]
    assert not faults, "\n".join(faults)


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1280, 720), (390, 844)], ids=["wall", "phone"])
def test_axe_finds_nothing_on_it_nor_beside_a_definition(
    page: Page, tmp_path: Path, size: tuple[int, int], scheme: Literal["light", "dark"]
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page.emulate_media(color_scheme=scheme)
    host = opened(page, KINDS[LOGISTIC](), tmp_path, size)
    for _ in range(2):
        found = axe.run(page).response["violations"]
        assert not found, [(v["id"], [n["html"][:200] for n in v["nodes"]]) for v in found]
        host.locator(".cards .word").first.click()
    box = host.locator(".meaning").bounding_box()
    word = host.locator(".cards .word").first.bounding_box()
    assert box and word
    assert box["x"] >= 0 and box["x"] + box["width"] <= size[0]
    assert 0 <= box["y"] - word["y"] < 60


@pytest.mark.browser
def test_an_output_of_a_notebook_opens_on_it_and_an_address_of_a_step_does_not(
    page: Page, tmp_path: Path
) -> None:
    made = KINDS[LOGISTIC]()
    file = tmp_path / "notebook.html"
    file.write_text(f"<!doctype html><title>t</title>{fragment(made.trace)}", "utf-8")
    page.goto(file.as_uri())
    counter = page.locator(".counter")
    expect(counter).to_contain_text("0 / ")
    page.locator(".player").focus()
    page.keyboard.press("ArrowRight")
    expect(counter).to_contain_text("1 / ")
    page.goto(made.save(tmp_path / "page.html").as_uri() + "#step=3")
    expect(counter).to_contain_text("3 / ")
