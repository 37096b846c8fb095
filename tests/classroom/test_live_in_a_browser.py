"""A live page, opened from the disk in a real browser with no network."""

from __future__ import annotations

import re

import pytest

from browser import expect
from minitape.viz.classroom.live import Program, live_page
from minitape.viz.classroom.runtime import opened

pytestmark = [pytest.mark.browser, pytest.mark.slow]
LINE = """\
import minitape as tf

w = tf.Variable(3.0)
with tf.GradientTape() as tape:
    loss = w * w
print("loss", loss.numpy())
tape.gradient(loss, w)
"""
OTHER = "print('the other program')\n"
PATIENCE = 4.0  # how much longer than on an idle machine things may take; they are not timed here


@pytest.fixture(scope="module")
def address(pyodide, tmp_path_factory):
    place = tmp_path_factory.mktemp("Übung 1") / "first steps.html"
    programs = [Program("line.py", LINE), Program("other.py", OTHER)]
    place.write_text(live_page(programs, opened(pyodide)), "utf-8")
    assert place.stat().st_size < 14_000_000
    return place.as_uri()


@pytest.fixture
def open_page(page, address):
    """Opens the page, with more behind its address, and waits for a text in its line of state."""

    def opening(more="", until=re.compile("^Done")):
        page.goto(address + more)
        wait(page, until, 60)
        return page

    return opening


def wait(page, text, seconds=20.0):
    expect(page.locator("#state")).to_have_text(text, timeout=seconds * 1000 * PATIENCE)


def stage(page):
    return page.frame_locator("#frame iframe")


def write(page, text):
    page.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)


def test_it_opens_from_the_disk_runs_and_its_player_steps(open_page):
    page = open_page()
    expect(stage(page).locator("pre.out")).to_have_text(re.compile(r"loss 9\.0"))
    player = stage(page).locator(".player-host")
    expect(player).to_contain_text("1 / ")
    player.locator("[data-do=forward]").click()
    expect(player).to_contain_text("2 / ")


def test_an_edit_is_followed_and_the_player_stays_at_its_step(open_page):
    page = open_page()
    player = stage(page).locator(".player-host")
    player.locator("[data-do=forward]").click()
    write(page, LINE.replace("3.0", "4.0"))
    expect(stage(page).locator("pre.out")).to_have_text(re.compile(r"loss 16\.0"))
    expect(player).to_contain_text("2 / ")


def test_each_of_twenty_edits_is_shown(open_page):
    page = open_page()
    write(page, LINE)
    for number in range(20):
        write(page, LINE.replace("3.0", f"{number}.5"))
        expect(stage(page).locator("pre.out")).to_have_text(
            re.compile(f"loss {(number + 0.5) ** 2}"), timeout=5000 * PATIENCE
        )
        expect(page.locator("#state")).to_have_attribute("data-after", re.compile(r"^\d+$"))


def test_an_endless_loop_is_stopped_said_so_and_the_next_edit_works(open_page):
    page = open_page()
    page.wait_for_timeout(4000 * PATIENCE)  # the second worker starts in this pause
    write(page, "print('before')\nwhile True:\n    pass\n")
    expect(stage(page).locator(".note")).to_contain_text(
        "Stopped after 4 seconds", timeout=6000 * PATIENCE
    )
    expect(stage(page).locator("pre.out")).to_have_text("before\n")
    page.locator("#which").select_option("1")  # the page is not frozen
    expect(stage(page).locator("pre.out")).to_have_text(
        "the other program\n", timeout=30_000 * PATIENCE
    )


@pytest.mark.parametrize(
    ("program", "said", "line"),
    [("x = 1\ny = = 2\n", "SyntaxError: invalid syntax", 2),
     ("def f():\n    return 1 / 0\n\nprint('a')\nf()\n", "ZeroDivisionError: division by zero", 2),
     ("import no_such_thing\n", "ModuleNotFoundError: No module named 'no_such_thing'", 1)],
)  # fmt: skip
def test_an_error_stands_at_its_line(open_page, program, said, line):
    page = open_page()
    write(page, program)
    expect(stage(page).locator(".error")).to_contain_text(f"{said} (line {line})")
    wait(page, f"Error in line {line}")
    expect(page.locator(".cm-line.fault")).to_have_text(program.splitlines()[line - 1])


def test_a_link_carries_the_program_which_runs_only_when_its_reader_says_so(open_page, page):
    odd = "print('größer als </script> <b>2</b>')\n"
    open_page()
    write(page, odd)
    expect(stage(page).locator("pre.out")).to_contain_text("größer als </script> <b>2</b>")
    page.locator("#share").click()
    expect(page.locator("#told")).to_contain_text("ink")
    link = page.locator("#share").get_attribute("data-address")
    page.goto("about:blank")
    page.goto(link)
    wait(page, re.compile("press Run"), 60)
    assert "größer" in page.locator(".cm-content").inner_text()
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type("# read")
    page.wait_for_timeout(500)
    assert stage(page).locator("pre.out").count() == 0
    page.locator("#run").click()
    expect(stage(page).locator("pre.out")).to_contain_text("größer als </script> <b>2</b>")


@pytest.mark.parametrize("broken", ["!!!", "x" * 200_000])
def test_a_link_that_was_cut_leaves_the_pages_own_program(open_page, broken):
    page = open_page(f"#code={broken}")
    expect(page.locator("#told")).to_contain_text("cannot be read")
    expect(stage(page).locator("pre.out")).to_contain_text("loss 9.0")


def test_what_a_program_shows_can_neither_reach_the_page_nor_the_network(open_page):
    page = open_page()
    write(page, """\
class Sly:
    def _repr_html_(self):
        return '''<script>
try { parent.parent.document.title = "taken" } catch (e) { document.body.append(e.name) }
</script>'''
Sly()
from js import indexedDB
try:
    print("reached", indexedDB.open("a"))
except Exception as error:
    print("SecurityError" in repr(error) or repr(error))
""")  # fmt: skip
    expect(stage(page).locator("pre.out")).to_contain_text("True")
    inner = stage(page).frame_locator("iframe.html")
    expect(inner.locator("body")).to_contain_text("SecurityError")
    assert page.title() == "line"


def test_plots_of_the_viewer_are_shown_without_matplotlib(open_page):
    page = open_page()
    write(
        page, "import minitape as tf\nfrom minitape import viz\nviz.curve(tf.sin, x=(-3.0, 3.0))\n"
    )
    inner = stage(page).frame_locator("iframe.html")
    slider = inner.get_by_role("slider", name="Move the tangent")
    expect(slider).to_be_visible(timeout=20_000 * PATIENCE)


def test_it_fits_a_phone(open_page, page):
    page.set_viewport_size({"width": 390, "height": 844})
    open_page()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    expect(page.locator(".cm-content")).to_be_visible()
    expect(stage(page).locator(".player-host")).to_be_visible()
