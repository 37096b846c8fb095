"""The player in a real browser: what one sees, presses and hears."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from page_texts import page_texts

import minitape as tf
from browser import Visit, expect
from minitape import viz
from minitape.viz.picture.svg import svg
from minitape.viz.player.page import fragment, page as page_of
from minitape.viz.player.payload import payload
from minitape.viz.trace.trace import Array, Node, Step, Trace
from viz_traces import EXAMPLES, HOSTILE, broadcasting, chain, diamond, network, thrice

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page


SHOWN = EXAMPLES.keys() - {"chain_1000", "chain_10000"}
HOST = "document.querySelectorAll('.minitape-player')"


class Shown:
    """One player on a page, at its first step; its first page is left where it opens on that.

    Playwright's selectors look into open shadow roots by themselves.
    """

    def __init__(self, page: Page, number: int = 0) -> None:
        self.page = page
        self.host = page.locator(".minitape-player").nth(number)
        self.host.scroll_into_view_if_needed()
        # No wait_for_function in this file: it evaluates strings, which the page's policy refuses.
        expect(self.host).to_have_attribute("data-ready", "yes")
        self.player = self.host.locator(".player")
        if self.text(".counter").startswith("0 /"):
            self.host.locator(".next").evaluate("button => button.click()")

    def text(self, selector: str) -> str:
        return self.host.locator(selector).first.text_content() or ""

    @property
    def step(self) -> int:
        return int(self.host.locator("input").input_value())

    def focus(self) -> None:
        self.player.focus()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def go(self, step: int) -> None:
        self.host.locator("input").evaluate(
            "(slider, step) => { slider.value = step; slider.dispatchEvent(new Event('input')); }",
            step,
        )

    def classes(self, node: int) -> set[str]:
        return set((self.node(node).get_attribute("class") or "").split())

    def node(self, node: int) -> Locator:
        return self.host.locator(f"[data-node='{node}']")

    def picture_without_states(self) -> str:
        """The drawing with classes and texts taken out: all that must never change."""
        markup = self.host.locator(".graph > svg").evaluate("svg => svg.outerHTML")
        markup = re.sub(r'<g class="(mini|slope).*?</g>', "", markup)
        markup = re.sub(r' (class|marker-start|viewBox)="[^"]*"', "", markup)
        return re.sub(r">[^<]+<", "><", markup)


def open_page(page: Page, folder: Path, content: str) -> None:
    file = folder / "player.html"
    file.write_text(content, encoding="utf-8")
    page.goto(file.as_uri())


def show(page: Page, folder: Path, trace: Trace) -> Shown:
    open_page(page, folder, page_of(trace))
    return Shown(page)


def walked(trace: Trace) -> list[int]:
    """The steps that keys walk through: none that only drops a record, and a summary at the end."""
    shown = [at for at, step in enumerate(trace.steps) if step.kind != "release"]
    return [*shown, len(trace.steps)] if trace.sources else shown


def cards(shown: Shown) -> dict[str, list[str]]:
    """The cells of each array shown, by caption."""
    return dict(
        shown.host.locator(".card").evaluate_all(
            "all => all.map(c => [c.querySelector('figcaption').textContent,"
            " [...c.querySelectorAll('td')].map(td => td.textContent)])"
        )
    )


# Steps


@pytest.mark.parametrize("name", sorted(SHOWN))
def test_the_right_key_walks_through_every_step_and_no_position_changes(
    page: Page, tmp_path: Path, name: str
) -> None:
    trace = EXAMPLES[name]()
    shown = show(page, tmp_path, trace)
    shown.focus()
    whole = len(trace.nodes) < 20
    before = shown.picture_without_states()
    texts = page_texts(trace)
    for at in walked(trace):
        assert shown.step == at
        if at < len(trace.steps):
            said = texts.get(at, trace.steps[at].sentence)
            assert shown.text(".sentence") == said.replace("`", "")
        if whole:
            assert shown.picture_without_states() == before
        shown.press("ArrowRight")
    assert shown.step == walked(trace)[-1]


@pytest.mark.parametrize("name", ["diamond", "broadcasting", "complex", "not_finite", "thrice"])
def test_the_numbers_of_every_step_are_those_of_the_trace(
    page: Page, tmp_path: Path, name: str
) -> None:
    trace = EXAMPLES[name]()
    arrays = payload(trace)["arrays"]
    shown = show(page, tmp_path, trace)
    for at, step in enumerate(payload(trace)["steps"]):
        shown.go(at)
        called = payload(trace)["nodes"][step["node"]]["called"]
        if step["kind"] == "pull":
            assert cards(shown)[f"g cotangent of {called}"] == arrays[step["cotangent"]]["cells"]
            assert arrays[step["contribution"]]["cells"] in cards(shown).values()
        if step["kind"] == "accumulate":
            *terms, total = cards(shown).values()
            assert arrays[step["contribution"]]["cells"] == terms[-1]
            assert arrays[step["total"]]["cells"] == total
            assert len(terms) > 2 or terms[0] == arrays[step["old"]]["cells"]


def test_the_last_step_shows_the_gradients(page: Page, tmp_path: Path) -> None:
    shown = show(page, tmp_path, broadcasting())
    shown.focus()
    shown.press("End")
    assert cards(shown)["gradient for w"] == ["2.0", "5.5", "4.0", "11.0", "6.0", "16.5"]
    assert cards(shown)["gradient for b"] == ["2.0", "5.5"]


def test_a_node_used_three_times_is_summed_twice(page: Page, tmp_path: Path) -> None:
    shown = show(page, tmp_path, thrice())
    shown.go(len(thrice().steps) - 1)
    assert "accumulated" in shown.classes(0)
    assert shown.node(0).locator(".badge").is_visible()
    assert shown.text("[data-node='0'] .c") == "∂ 12.0"
    shown.go(0)
    assert not shown.node(0).locator(".badge").is_visible()


def test_states_depend_on_the_step_and_not_on_the_way_there(page: Page, tmp_path: Path) -> None:
    shown = show(page, tmp_path, diamond())
    count = len(diamond().steps)
    read = (
        "svg => [...svg.querySelectorAll('[data-node], [data-edge]')]"
        ".map(e => e.getAttribute('class') + e.textContent)"
    )

    def states() -> list[str]:
        return shown.host.locator(".graph > svg").evaluate(read)

    forwards = [(shown.go(at), states())[1] for at in range(count)]
    backwards = [(shown.go(at), states())[1] for at in reversed(range(count))]
    assert forwards == backwards[::-1]
    shown.go(count - 1)
    shown.go(0)
    assert states() == forwards[0]


def test_the_line_of_the_step_is_highlighted(page: Page, tmp_path: Path) -> None:
    trace = diamond()
    shown = show(page, tmp_path, trace)
    for at in walked(trace)[:-1]:
        step = trace.steps[at]
        line = step.line or trace.nodes[step.node].line
        shown.go(at)
        assert line is not None
        assert shown.text(".code li.now") == line.text


def test_memory_held_is_written_beside_the_slider(page: Page, tmp_path: Path) -> None:
    shown = show(page, tmp_path, diamond())
    shown.go(3)
    assert shown.text(".held") == "the tape holds 32 B"
    assert shown.host.locator(".memory path").count() == 1


def test_a_persistent_tape_is_called_so_and_notes_are_shown(page: Page, tmp_path: Path) -> None:
    trace = replace(EXAMPLES["two_targets"](), notes=("`x` was <b>not</b> watched",))
    shown = show(page, tmp_path, trace)
    assert shown.text(".held").startswith("the persistent tape holds")
    assert shown.text(".notes") == "x was <b>not</b> watched"


def test_a_trace_without_steps_is_a_still_graph(page: Page, tmp_path: Path) -> None:
    shown = show(page, tmp_path, Trace(diamond().nodes))
    shown.focus()
    shown.press("ArrowRight", " ", "End")
    assert shown.node(3).is_visible()


def test_matrices_of_a_higher_array_are_told_apart(page: Page, tmp_path: Path) -> None:
    x = Node(0, "source", (), "int64", (2, 2, 3), value=Array.of(np.arange(12).reshape(2, 2, 3)))
    shown = show(page, tmp_path, Trace((x,), (Step("forward", 0, sentence="x"),)))
    assert shown.host.locator(".card table").count() == 2
    assert shown.host.locator(".card caption").all_text_contents() == ["[0]", "[1]"]
    assert shown.host.locator(".card tr").count() == 4


# Controls


def test_keys_move_as_they_say(page: Page, tmp_path: Path) -> None:
    shown = show(page, tmp_path, network())
    shown.focus()
    seen = []
    for key in ("End", "ArrowLeft", "Home", "PageDown", "PageUp", "ArrowLeft"):
        shown.press(key)
        seen.append(shown.step)
    walk = walked(network())
    assert seen == [walk[-1], walk[-2], -1, walk[9], -1, -1]  # -1 is the first page


def test_space_plays_to_the_end_and_plus_makes_it_faster(page: Page, tmp_path: Path) -> None:
    shown = show(page, tmp_path, diamond())
    shown.focus()
    shown.press("+", "+", "+", "+", " ")
    assert shown.host.locator(".speed").input_value() == "8"
    last = len(walked(diamond()))
    shown.host.get_by_text(f"{last} / {last}", exact=True).wait_for(timeout=40_000)
    expect(shown.host.locator(".playing")).to_have_count(0)


def test_tab_leaves_the_player(page: Page, tmp_path: Path) -> None:
    open_page(
        page, tmp_path, page_of(diamond()).replace("</main>", "<button>after</button></main>")
    )
    shown = Shown(page)
    shown.focus()
    for _ in range(24):
        shown.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "after":
            return
    pytest.fail("Tab never left the player")


def test_no_key_pressed_in_a_player_reaches_the_page(page: Page, tmp_path: Path) -> None:
    shown = show(page, tmp_path, diamond())
    page.evaluate(
        "window.heard = []; document.addEventListener('keydown', e => heard.push(e.key), true)"
    )
    shown.focus()
    shown.press("x", "a", "b", "d", "d", "m", "Enter", "Escape", "ArrowDown", "ArrowRight", " ")
    assert page.evaluate("heard") == []
    page.evaluate("document.activeElement.blur()")
    shown.press("x")
    assert page.evaluate("heard") == ["x"]


def test_the_buttons_move_and_the_slider_seeks(page: Page, tmp_path: Path) -> None:
    shown = show(page, tmp_path, diamond())
    for name in ("Forward (Right)", "Forward (Right)", "Back", "Last step", "First step"):
        shown.host.get_by_role("button", name=name).click()
    assert shown.step == -1  # the first page
    shown.go(5)
    assert shown.step == 5


def test_clicking_a_node_goes_to_its_next_backward_step(page: Page, tmp_path: Path) -> None:
    trace = diamond()
    shown = show(page, tmp_path, trace)
    shown.node(2).click()
    assert trace.steps[shown.step].kind == "pull"
    assert 2 in (trace.steps[shown.step].node, trace.steps[shown.step].to)
    shown.node(2).click(modifiers=["Shift"])
    assert (trace.steps[shown.step].kind, trace.steps[shown.step].node) == ("forward", 2)


def test_the_list_of_steps_goes_to_a_node(page: Page, tmp_path: Path) -> None:
    trace = diamond()
    shown = show(page, tmp_path, trace)
    shown.host.get_by_role("button", name="Find").click()
    page.keyboard.type(f"{trace.nodes[1].op} computes")
    page.keyboard.press("Enter")
    step = trace.steps[int(shown.host.locator("input[type=range]").input_value())]
    assert 1 in (step.node, step.to)


def test_zooming_and_dragging_move_the_view_and_no_node(page: Page, tmp_path: Path) -> None:
    shown = show(page, tmp_path, diamond())
    picture = shown.host.locator(".graph > svg")
    before, whole = picture.get_attribute("viewBox"), shown.node(0).get_attribute("transform")
    shown.host.get_by_role("button", name="Zoom in").click()
    zoomed = picture.get_attribute("viewBox")
    box = picture.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 30, box["y"] + 30)
    page.mouse.down()
    page.mouse.move(box["x"] + 130, box["y"] + 90, steps=3)
    page.mouse.up()
    assert len({before, zoomed, picture.get_attribute("viewBox")}) == 3
    assert shown.node(0).get_attribute("transform") == whole
    shown.host.get_by_role("button", name="Show the whole graph").click()
    assert picture.get_attribute("viewBox") == before


@pytest.mark.parametrize("name", ["squared", "thrice"])
def test_a_small_graph_is_not_blown_up_and_stands_in_the_middle(
    page: Page, tmp_path: Path, name: str
) -> None:
    page.set_viewport_size({"width": 1280, "height": 900})
    shown = show(page, tmp_path, EXAMPLES[name]())
    picture = shown.host.locator(".graph > svg")
    assert picture.evaluate("svg => svg.getScreenCTM().a") <= 1.41
    pane = picture.bounding_box()
    nodes = shown.host.locator(".graph .b")
    boxes = [nodes.nth(i).bounding_box() for i in range(nodes.count())]
    assert pane is not None
    left = min(box["x"] for box in boxes if box) - pane["x"]
    right = pane["x"] + pane["width"] - max(box["x"] + box["width"] for box in boxes if box)
    assert abs(left - right) < 40


@pytest.mark.parametrize(
    ("values", "columns"), [(np.linspace(-7e-4, 7e-4, 32), 4), (np.arange(32) % 5 / 2 - 1, 8)]
)
def test_a_long_vector_is_written_in_rows_that_stay_in_their_card(
    page: Page, tmp_path: Path, values: np.ndarray, columns: int
) -> None:
    page.set_viewport_size({"width": 1280, "height": 900})
    node = Node(0, "source", (), "float64", (32,), name="v", value=Array.of(values))
    shown = show(page, tmp_path, Trace((node,), (Step("forward", 0, sentence="v"),)))
    rows = shown.host.locator(".card tr")
    assert rows.count() == 32 // columns
    assert rows.nth(1).locator("th").text_content() == f"{columns}:"
    card, pane = (shown.host.locator(c).first.bounding_box() for c in (".card", ".panes"))
    assert card and pane
    assert card["x"] + card["width"] <= pane["x"] + pane["width"]


def test_a_missing_gradient_looks_alike_in_picture_and_player(page: Page, tmp_path: Path) -> None:
    trace = EXAMPLES["unconnected"]()
    looks = "e => [getComputedStyle(e).stroke, getComputedStyle(e).strokeDasharray]"
    shown = show(page, tmp_path, trace)
    shown.go(len(trace.steps) - 1)
    lost = trace.steps[-1].node
    player = shown.node(lost).locator(".b").evaluate(looks)
    words = shown.text(f"[data-node='{lost}'] .c")
    open_page(page, tmp_path, f"<!doctype html><title>t</title>{svg(trace)}")
    still = page.locator(f"[data-node='{lost}']")
    assert still.locator(".b").evaluate(looks) == player
    assert still.locator(".c").text_content() == words == "✕ None"


def test_an_op_without_a_gradient_shows_what_came_in_and_a_cross(
    page: Page, tmp_path: Path
) -> None:
    total, end = diamond(), diamond().steps[-3]
    broken = Step("unconnected", end.node, total=Array.of(0.5), sentence="The sweep ends here.")
    shown = show(page, tmp_path, replace(total, steps=(*total.steps, broken), sources=()))
    shown.go(len(total.steps))
    assert shown.text(f"[data-node='{end.node}'] .c").startswith("✕ ")
    assert "None" not in shown.text(f"[data-node='{end.node}'] .c")
    assert shown.host.locator(".card.missing").count() == 0


# Large tapes


def test_a_large_tape_has_an_overview_and_a_click_on_a_box_opens_its_fold_beside_it(
    page: Page, tmp_path: Path
) -> None:
    trace = chain(1_000)
    shown = show(page, tmp_path, trace)
    shown.host.locator("[data-do=first]").click()
    boxes = shown.host.locator(".overview [data-node]")
    count = boxes.count()
    assert count <= 24
    boxes.nth(2).click()
    name = boxes.nth(2).locator(".t").text_content()
    assert name and shown.text(".where").startswith(name)
    alone = trace.steps[shown.step].node
    assert shown.host.locator(".graph .n.now .v").text_content() == trace.nodes[alone].value.text()
    assert boxes.count() == count


def test_the_fold_beside_the_overview_follows_the_steps_into_the_next_one(
    page: Page, tmp_path: Path
) -> None:
    shown = show(page, tmp_path, chain(1_000))
    shown.go(20)
    first = shown.text(".where")
    shown.go(60)
    assert shown.text(".where") not in ("", first)
    assert shown.host.locator(".graph .n.now").count() == 1


def test_every_step_of_a_collapsed_tape_marks_a_box(page: Page, tmp_path: Path) -> None:
    trace = network(60)
    shown = show(page, tmp_path, trace)
    texts = page_texts(trace)
    for at in walked(trace)[:-1:37]:
        shown.go(at)
        for pane in (".overview", ".graph"):
            assert shown.host.locator(f"{pane} .n.now").count() == 1
        assert shown.text(".sentence") == texts.get(at, trace.steps[at].sentence).replace("`", "")


# Isolation


def test_players_do_not_hear_each_other_nor_the_style_of_the_page(
    page: Page, tmp_path: Path
) -> None:
    hostile = (
        "<style>* { display: none !important } "
        "div, p { color: red !important; font: 3px x !important } "
        "html, body, main, .minitape-player { display: block !important }</style>"
    )
    content = f"<!doctype html><title>t</title>{hostile}{fragment(diamond()) * 3}"
    open_page(page, tmp_path, content)
    first, second, third = (Shown(page, number) for number in range(3))
    second.focus()
    second.press("ArrowRight", "ArrowRight")
    assert (first.step, second.step, third.step) == (0, 2, 0)
    size, colour = second.host.locator(".sentence").evaluate(
        "p => [parseFloat(getComputedStyle(p).fontSize), getComputedStyle(p).color]"
    )
    assert size >= 16
    assert colour != "rgb(255, 0, 0)"
    assert page.evaluate("document.querySelectorAll('[id]').length") == 0


def test_hostile_names_are_shown_as_text(page: Page, tmp_path: Path) -> None:
    page.on("dialog", lambda dialog: pytest.fail(f"a name ran as code: {dialog.message}"))
    shown = show(page, tmp_path, EXAMPLES["hostile"]())
    shown.focus()
    shown.press("End")
    shown.host.get_by_role("button", name="Find").click()
    assert shown.text(".title") == HOSTILE
    assert HOSTILE in (shown.host.locator(".find").text_content() or "")
    assert shown.host.locator("img, script:not([type])").count() == 0


def test_a_player_that_cannot_start_leaves_picture_and_table(visit: Visit, tmp_path: Path) -> None:
    broken = re.sub(r'(json"[^>]*>)', r"\1?", fragment(diamond()), count=1)
    open_page(visit.page, tmp_path, f"<!doctype html><title>t</title>{broken}")
    visit.page.wait_for_timeout(300)
    assert visit.page.locator("img").is_visible()
    assert visit.page.locator("summary").is_visible()
    assert visit.page.locator(".player").count() == 0


def test_forty_players_open_lazily(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, page_of([diamond()] * 40, "Forty"))
    Shown(page, 0)
    started = f"[...{HOST}].filter(host => host.dataset.ready === 'yes').length"
    assert page.evaluate(started) < 10
    Shown(page, 39)


# For everybody


def test_each_step_has_one_live_sentence(page: Page, tmp_path: Path) -> None:
    shown = show(page, tmp_path, diamond())
    assert shown.host.locator("[aria-live]").count() == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["broadcasting", "unconnected", "network", "tangents"])
def test_axe_finds_nothing_serious(page: Page, tmp_path: Path, scheme: str, name: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page.emulate_media(color_scheme=scheme)
    shown = show(page, tmp_path, EXAMPLES[name]())
    for at in (0, len(EXAMPLES[name]().steps) // 2, len(EXAMPLES[name]().steps) - 1):
        shown.go(at)
        found = axe.run(page).response["violations"]
        serious = [v for v in found if v["impact"] in ("serious", "critical")]
        assert not serious, [(v["id"], [n["html"] for n in v["nodes"]]) for v in serious]


def luminance(page: Page, selector: str) -> float:
    red, green, blue = page.locator(selector).evaluate(
        "e => { const c = document.createElement('canvas').getContext('2d');"
        " c.fillStyle = getComputedStyle(e).backgroundColor; c.fillRect(0, 0, 1, 1);"
        " return [...c.getImageData(0, 0, 1, 1).data].slice(0, 3); }"
    )
    return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255


def test_dark_mode_follows_the_system_and_the_notebook(page: Page, tmp_path: Path) -> None:
    page.emulate_media(color_scheme="light")
    show(page, tmp_path, diamond())
    assert luminance(page, ".player") > 0.9
    page.emulate_media(color_scheme="dark")
    assert luminance(page, ".player") < 0.1
    page.evaluate("document.body.dataset.jpThemeLight = 'true'")
    expect(page.locator(".player")).to_have_attribute("data-theme", "light")
    assert luminance(page, ".player") > 0.9


def before(shown: Shown, trace: Trace, kind: str) -> None:
    """Goes to the step before the first one of a kind."""
    shown.focus()
    first = next(i for i, step in enumerate(trace.steps) if step.kind == kind)
    shown.go(first - 1)


@pytest.mark.parametrize("kind", ["pull", "accumulate"])
def test_a_number_moves_with_its_step_for_a_moment_until_a_key_ends_it(
    page: Page, tmp_path: Path, kind: str
) -> None:
    page.emulate_media(reduced_motion="no-preference")
    shown = show(page, tmp_path, diamond())
    before(shown, diamond(), kind)
    lasts, left = shown.host.locator(".player").evaluate("""(player) => {
      const all = { bubbles: true, composed: true };
      const press = (key) => player.dispatchEvent(new KeyboardEvent("keydown", { key, ...all }));
      const moving = () => player.getRootNode().getAnimations()
        .map((each) => each.effect.getComputedTiming().endTime);
      press("ArrowRight");
      const lasts = moving();
      press("Shift");
      return [lasts, moving()];
    }""")
    assert lasts and max(lasts) <= 300
    assert left == []
    expect(shown.host.locator(".moving, .cards > .card")).to_have_count(0)


def test_nothing_moves_with_reduced_motion_nor_by_itself(page: Page, tmp_path: Path) -> None:
    running = f"{HOST}[0].shadowRoot.getAnimations().length"
    for motion in ("reduce", "no-preference"):
        page.emulate_media(reduced_motion=motion)
        shown = show(page, tmp_path, diamond())
        before(shown, diamond(), "pull")
        if motion == "reduce":
            shown.press("ArrowRight")
        assert page.evaluate(running) == 0


def test_a_pull_and_a_sum_differ_without_colour(page: Page, tmp_path: Path) -> None:
    """Line styles, not hues: of the step's sign, of its edges, of the card with the result."""
    trace = diamond()
    shown = show(page, tmp_path, trace)
    looks = {}
    for kind in ("pull", "accumulate"):
        shown.go(next(i for i, step in enumerate(trace.steps) if step.kind == kind))
        looks[kind] = [
            shown.host.locator(".phase").evaluate("e => getComputedStyle(e).borderTopStyle"),
            shown.host.locator(".e[class*=lit]").first.evaluate(
                "e => getComputedStyle(e).strokeDasharray"
            ),
            shown.host.locator(".card").last.evaluate("e => getComputedStyle(e).borderTopStyle"),
        ]
    assert all(a != b for a, b in zip(looks["pull"], looks["accumulate"], strict=True)), looks


@pytest.mark.parametrize("width", [480, 700, 1280])
def test_nothing_overflows_and_nothing_jumps(page: Page, tmp_path: Path, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    trace = broadcasting()
    shown = show(page, tmp_path, trace)
    shown.focus()
    heights = set()
    for at in range(len(trace.steps)):
        shown.go(at)
        heights.add(shown.player.evaluate("e => e.offsetHeight"))
        assert shown.player.evaluate("e => e.scrollWidth <= e.clientWidth")
    assert len(heights) == 1 or width == 480  # a phone shows everything, one thing below the other


# Speed: printed, not asserted


@pytest.mark.slow
@pytest.mark.takes_turns
@pytest.mark.parametrize("length", [200, 999, 4_999])
def test_print_how_long_a_step_takes(
    page: Page, tmp_path: Path, length: int, record_property
) -> None:
    shown = show(page, tmp_path, chain(length))
    times = page.evaluate(
        """async () => {
          const host = document.querySelector('.minitape-player');
          const slider = host.shadowRoot.querySelector('input');
          const times = [];
          for (let i = 1; i < 200; i++) {
            const start = performance.now();
            slider.value = i * Math.floor(slider.max / 200);
            slider.dispatchEvent(new Event('input'));
            await new Promise(requestAnimationFrame);
            await new Promise((done) => setTimeout(done));
            times.push(performance.now() - start);
          }
          return times.sort((a, b) => a - b);
        }"""
    )
    median, late = times[len(times) // 2], times[int(len(times) * 0.95)]
    record_property("step_ms", (median, late))
    print(f"\n{length + 1} nodes: a step takes {median:.0f} ms, 95 % under {late:.0f} ms")
    assert shown.step > 0


def test_the_only_player_of_a_page_has_its_keys_before_one_clicks(page: Page, tmp_path: Path):
    open_page(page, tmp_path, page_of(EXAMPLES["squared"]()))
    shown = Shown(page)
    shown.press("ArrowRight", "ArrowRight")
    assert shown.step == 2
    shown.focus()
    shown.press("ArrowRight")
    assert shown.step == 3  # once, not by both ways


def test_the_line_that_saves_a_step_as_a_picture_is_copied_and_runs(page: Page, tmp_path: Path):
    x = tf.constant([[1.0, 2.0], [0.5, -1.0]])
    w = tf.Variable([[0.5, -1.0], [0.2, 0.7]])
    with viz.recording(), tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.tanh(x @ w))
    player = viz.step(tape, loss, w)
    open_page(page, tmp_path, page_of(player.trace))
    page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    shown = Shown(page)
    shown.press(*["ArrowRight"] * 5, "s")
    button = page.locator("[data-do=save]")
    expect(button).to_have_text("Copied")
    line = page.evaluate("window.copied")
    assert line.startswith('player.save("step-6.svg", step=6, at=(')
    saved = eval(
        line.replace('"step-6.svg"', "place"), {"player": player, "place": tmp_path / "a.svg"}
    )
    assert "<svg" in saved.read_text("utf-8")
    expect(button).to_have_text("Save this view")  # again
    shown.press("End", "s")  # behind the last step: all of them
    expect(button).to_have_text("Copied")
    assert page.evaluate("window.copied") == 'player.save("steps.pdf")'


def test_the_number_that_saves_a_step_counts_no_release_of_memory(page: Page, tmp_path: Path):
    x = tf.Variable(1.5)
    with viz.recording(), tf.GradientTape() as tape:
        y = tf.sin(x) * x
    player = viz.step(tape, y, x)
    kinds = [step.kind for step in player.trace.steps]
    last = max(i for i, kind in enumerate(kinds) if kind == "pull")
    assert "release" in kinds[:last]
    open_page(page, tmp_path, page_of(player.trace))
    page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    Shown(page).press("m", "Home", *["ArrowRight"] * (last + 1), "s")
    step = len([kind for kind in kinds[: last + 1] if kind != "release"])
    page.wait_for_function("window.copied")
    assert page.evaluate("window.copied") == f'player.save("step-{step}.svg", step={step})'


def test_one_of_several_players_has_keys_only_after_a_click(page: Page, tmp_path: Path):
    open_page(page, tmp_path, page_of([EXAMPLES["squared"](), EXAMPLES["squared"]()]))
    shown = Shown(page)
    shown.press("ArrowRight")
    assert shown.step == 0
