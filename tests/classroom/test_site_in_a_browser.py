"""A site, served below a path by a plain web server, in a browser that reaches nothing else."""

from __future__ import annotations

import contextlib
import functools
import http.server
import json
import re
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from browser import expect
from minitape.viz.course.course import lessons
from minitape.viz.course.running import with_outputs

pytestmark = [pytest.mark.browser, pytest.mark.slow]
PATIENCE = 4.0  # how much longer than on an idle machine things may take; they are not timed here
FIRST = f"notebooks/index.html?path={lessons()[0].path.name}"
# JupyterLite looks for settings that a site need not have, and says that it found none.
NOT_FOUND = "404 (File not found)"


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serves a folder as `python -m http.server` does; gives its address."""
    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server that says nothing."""

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def address(folder):
    with served(folder.parent.parent) as root:
        yield f"{root}/kurs/tapes"


@pytest.fixture
def page(visit, address):
    yield visit.page
    visit.page.goto("about:blank")  # while the server is there: what is still loading is no error
    visit.errors[:] = [each for each in visit.errors if NOT_FOUND not in each]


def test_the_start_page_finds_everything_and_tries_python(page, address):
    page.goto(f"{address}/")
    expect(page.locator("#state")).to_contain_text("files that Python needs are here")
    page.get_by_role("button", name="Try Python").click()
    tried = page.locator("#trial")
    expect(tried).to_contain_text("Everything works", timeout=40_000 * PATIENCE)
    assert tried.locator(".failed").count() == 0


def place_of_the_first_player() -> int:
    """How many cells, with texts, stand before the first player of the first lesson."""
    cells = json.loads(with_outputs(lessons()[0].path))["cells"]
    return next(n for n, cell in enumerate(cells) if "minitape-player" in json.dumps(cell))


def test_a_lesson_opens_and_its_first_cells_run_with_a_player(page, address):
    page.goto(f"{address}/{FIRST}")
    cells = page.locator(".jp-CodeCell")
    expect(cells.nth(2)).to_be_visible(timeout=30_000 * PATIENCE)
    for _ in range(60):  # as long as no session is there, a key may be lost
        cells.first.locator(".cm-content").click()
        page.keyboard.press("Shift+Enter")
        page.wait_for_timeout(1000)
        if cells.first.locator(".jp-InputPrompt").first.inner_text().strip() != "[ ]:":
            break
    for _ in range(place_of_the_first_player()):  # what is asked for before Python is ready waits
        page.keyboard.press("Shift+Enter")
        page.wait_for_timeout(200)
    player = page.locator(".jp-OutputArea .minitape-player").first
    expect(player).to_be_visible(timeout=45_000 * PATIENCE)
    player.scroll_into_view_if_needed()  # a player starts when it comes into view
    expect(player.locator(".counter")).to_have_text(re.compile(r"^\d+ / \d+"))  # it runs
    assert page.locator(".minitape-problems").count() == 0


@pytest.mark.parametrize("beginning", ["numpy-", "minitape-", "jedi-", "pyodide_kernel-"])
def test_a_wheel_that_is_missing_is_named_on_every_page(page, folder, address, tmp_path, beginning):
    (wheel,) = (folder / "static/pyodide").glob(f"{beginning}*.whl")
    away = shutil.move(wheel, tmp_path)
    try:
        for each in ("", FIRST):
            page.goto(f"{address}/{each}")
            box = page.locator(".minitape-problems")
            expect(box).to_contain_text(wheel.name, timeout=30_000 * PATIENCE)
            expect(box).to_contain_text(re.compile("is missing"))
            page.goto("about:blank")
    finally:
        shutil.move(away, wheel)


def test_a_file_that_was_cut_in_copying_is_named_with_both_sizes(page, folder, address):
    lock = folder / "static/pyodide/pyodide-lock.json"
    whole = lock.read_bytes()
    lock.write_bytes(whole[:100])
    try:
        page.goto(f"{address}/")
        box = page.locator(".minitape-problems")
        expect(box).to_contain_text(f"has 100 bytes in place of {len(whole)}")
    finally:
        lock.write_bytes(whole)


def test_the_start_page_fits_a_phone(page, address):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{address}/")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
