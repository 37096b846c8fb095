"""Where the player's script fails, picture, table of steps and a sentence stand: in a browser."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import browser as harness
import minitape as tf
from browser import expect
from minitape import viz
from minitape.viz.player import program
from minitape.viz.player.notebook import Player

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SENTENCE = "The step player could not run here"
FORWARD = "Forward (Right)"


@pytest.fixture
def visited(browser: Browser) -> Iterator[harness.Visit]:
    """A page whose console may have errors: the script is broken on purpose."""
    with harness.visit(browser) as seen:
        yield seen
    assert not seen.outside


def player() -> Player:
    """loss = (w x + b)^2 at w = 2, x = 3, b = 1."""
    w, b = tf.Variable(2.0), tf.Variable(1.0)
    with viz.recording(), tf.GradientTape() as tape:
        loss = tf.square(w * 3.0 + b)
    return viz.step(tape, loss, [w, b])


# A name of a method or field is as it is in the source, so places of a program have signs.
STARTING = r"(?=Object\.assign\(this,\{root:)"
FAILS = '(()=>{throw new Error("on purpose")})()'


def saved(folder: Path, change: Callable[[str], str] = lambda text: text) -> str:
    file = player().save(folder / "page.html")
    text = file.read_text("utf-8")
    changed = change(text)
    file.write_text(changed, "utf-8")
    return file.as_uri()


def replaced(pattern: str, by: str) -> Callable[[str], str]:
    """Exchange what must be there once."""

    def change(text: str) -> str:
        found, count = re.subn(pattern, lambda _: by, text, count=1)
        assert count == 1, f"nothing is like {pattern}"
        return found

    return change


def stopped(pattern: str, by: str) -> Callable[[str], str]:
    """Give a page a program with another text in a place, packed anew: nothing is damaged."""

    def change(text: str) -> str:
        # A number of a saved page can be touched, one of an output in a notebook cannot.
        tried = (("player", "touch", "page"), ("player", "page"))
        parts = next(each for each in tried if program.script(*each) in text)
        whole = program.script(*parts)
        broken = replaced(pattern, by)(program.program(*parts))
        return text.replace(whole, program.inflating(broken))

    return change


def assert_still(page: Page, picture: str = "svg") -> None:
    """The sentence can be seen, the picture has a size, the table opens and has its eight steps."""
    expect(page.get_by_text(SENTENCE)).to_be_visible()
    drawn = page.locator(f".minitape-player > {picture}, .minitape-player {picture}").first
    expect(drawn).to_be_visible()
    box = drawn.bounding_box()
    assert box is not None and box["width"] > 50 and box["height"] > 50
    page.locator("summary").click()
    expect(page.locator("tbody tr").last).to_be_visible()
    assert page.locator("tbody tr").count() == len(player().trace.steps)
    expect(page.get_by_role("button", name=FORWARD)).to_have_count(0)


def test_a_page_whose_player_starts_has_no_such_sentence(page: Page, tmp_path: Path) -> None:
    page.goto(saved(tmp_path))
    expect(page.get_by_role("button", name=FORWARD)).to_be_visible()
    expect(page.get_by_text(SENTENCE)).to_have_count(0)


@pytest.mark.parametrize("place", [10, 20_000, 60_000])
def test_a_damaged_program_is_not_run(visited: harness.Visit, tmp_path: Path, place: int) -> None:
    def damaged(text: str) -> str:
        at = text.index('atob("') + 6 + place
        return text[:at] + ("A" if text[at] != "A" else "B") + text[at + 1 :]

    visited.page.goto(saved(tmp_path, damaged))
    assert_still(visited.page)


def test_a_page_that_is_cut_off_within_its_program_stands_still(
    visited: harness.Visit, tmp_path: Path
) -> None:
    visited.page.goto(saved(tmp_path, lambda text: text[: -len(text) // 3]))
    assert_still(visited.page)


@pytest.mark.parametrize(
    "missing", ["delete window.DecompressionStream", "delete Element.prototype.replaceChildren"]
)
def test_an_old_browser_that_lacks_something_shows_the_still(
    visited: harness.Visit, tmp_path: Path, missing: str
) -> None:
    visited.page.add_init_script(missing)
    visited.page.goto(saved(tmp_path))
    assert_still(visited.page)


def test_a_browser_without_shadow_roots_in_html_shows_the_still(
    visited: harness.Visit, tmp_path: Path
) -> None:
    visited.page.add_init_script("delete window.DecompressionStream")
    visited.page.goto(saved(tmp_path, replaced("shadowrootmode", "data-unknown")))
    assert_still(visited.page)


def test_a_browser_without_shadow_roots_in_html_gets_its_player_all_the_same(
    page: Page, tmp_path: Path
) -> None:
    page.goto(saved(tmp_path, replaced("shadowrootmode", "data-unknown")))
    expect(page.get_by_role("button", name=FORWARD)).to_be_visible()
    expect(page.get_by_text(SENTENCE)).not_to_be_visible()


def test_without_scripts_the_page_says_so(browser: Browser, tmp_path: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(saved(tmp_path))
    assert_still(page)
    context.close()


@pytest.mark.parametrize(
    "pattern",
    [STARTING, r"(?=this\.index=)", r"(?=this\.fromAddress\(\))"],
)
def test_an_error_while_the_player_starts_leaves_the_still(
    visited: harness.Visit, tmp_path: Path, pattern: str
) -> None:
    words: list[str] = []  # a warning: the page is whole without its player
    visited.page.on("console", lambda message: words.append(message.text))
    visited.page.goto(saved(tmp_path, stopped(pattern, f"{FAILS},")))
    assert_still(visited.page)
    assert any("on purpose" in word for word in words), words


def at_third_step(text: str) -> str:
    return stopped(r"(?<=[};]draw\(\)\{)(?=let\{at:)", f"if(this.at===2){FAILS};")(text)


def test_an_error_at_the_third_step_leaves_the_still(
    visited: harness.Visit, tmp_path: Path
) -> None:
    page = visited.page
    page.goto(saved(tmp_path, at_third_step))
    for number in (1, 2):
        page.get_by_role("button", name=FORWARD).click()
        expect(page.locator(".counter")).to_have_text(re.compile(f"^{number} "))
    page.get_by_role("button", name=FORWARD).click()
    assert_still(page)


def test_an_error_in_what_decorates_leaves_the_player(
    visited: harness.Visit, tmp_path: Path
) -> None:
    """Proof and code fail at every step: sentence and graph stay."""
    page = visited.page
    for part in ("showPanes", "showLine"):
        page.goto(saved(tmp_path, stopped(rf"(?<=[}};]{part}\(\w\){{)", f"{FAILS};")))
        for number in range(1, 5):
            page.get_by_role("button", name=FORWARD).click()
            expect(page.locator(".counter")).to_have_text(re.compile(f"^{number} "))
            expect(page.locator(".sentence")).not_to_be_empty()
            expect(page.locator(".graph svg [data-node].now")).to_have_count(1)
        assert any("left out" in word for word in visited.errors)
        visited.errors.clear()


@pytest.mark.parametrize("change", [None, stopped(STARTING, f"{FAILS},"), at_third_step])
def test_what_nbconvert_makes_of_a_notebook_stands_still_where_the_script_fails(
    visited: harness.Visit, tmp_path: Path, change: Callable[[str], str] | None
) -> None:
    nbconvert = pytest.importorskip("nbconvert", reason="no nbconvert: install the extra notebook")
    from nbformat import v4

    output = v4.new_output("execute_result", player()._repr_mimebundle_(), execution_count=1)
    cell = v4.new_code_cell("viz.step(tape, loss, [w, b])", outputs=[output], execution_count=1)
    exporter = nbconvert.HTMLExporter()
    text, _ = exporter.from_notebook_node(v4.new_notebook(cells=[cell]))
    file = tmp_path / "lesson.html"
    # Nothing of the page but the player is tried here: its scripts would ask other machines.
    text = re.sub(r'<script[^>]* src="https?:[^>]*></script>', "", text)
    text = re.sub(r"<script type=\"module\">.*?</script>", "", text, flags=re.DOTALL)
    file.write_text(change(text) if change else text, "utf-8")
    page = visited.page
    page.goto(file.as_uri())
    if change is None or change is at_third_step:
        expect(page.get_by_role("button", name=FORWARD)).to_be_visible()
        expect(page.get_by_text(SENTENCE)).not_to_be_visible()
    if change is at_third_step:
        for _ in range(3):
            page.get_by_role("button", name=FORWARD).click()
    if change is not None:
        assert_still(page, "img")
    visited.outside.clear()
