"""The live page and the site in a second browser engine."""

from __future__ import annotations

import firefox as harness
import pytest
from test_live_in_a_browser import LINE
from test_site_in_a_browser import served

from browser import free_port
from minitape.viz.classroom.live import Program, live_page
from minitape.viz.classroom.runtime import opened

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(harness.missing() is not None, reason=str(harness.missing())),
]
PATIENCE = 4.0  # how much longer than on an idle machine things may take; they are not timed here
STATE = "document.getElementById('state').textContent"


@pytest.fixture(scope="module")
def browser_page():
    with harness.firefox(free_port()) as opened_browser:
        yield opened_browser


@pytest.fixture(scope="module")
def live(pyodide, tmp_path_factory):
    place = tmp_path_factory.mktemp("live") / "line.html"
    place.write_text(live_page([Program("line.py", LINE)], opened(pyodide)), "utf-8")
    return place.as_uri()


def stage(browser_page):
    return browser_page.contexts(browser_page.page)[0]


def test_a_live_page_runs_its_program_and_its_player_steps(browser_page, live):
    browser_page.open(live)
    browser_page.wait(f"/^Done/.test({STATE})", 60 * PATIENCE)
    frame = stage(browser_page)
    assert "loss 9.0" in browser_page.evaluate("document.body.innerText", frame)
    player = "document.querySelector('.player-host').shadowRoot"
    browser_page.evaluate(f"{player}.querySelector('[data-do=forward]').click()", frame)
    browser_page.wait(f"/2 \\/ /.test({player}.textContent)", 5 * PATIENCE, frame)


def test_an_endless_loop_ends_in_a_live_page_and_the_next_edit_works(browser_page, live):
    browser_page.open(live)
    browser_page.wait(f"/^Done/.test({STATE})", 60 * PATIENCE)
    write = "view.dispatch({{changes: {{from: 0, to: view.state.doc.length, insert: {}}}}}); 1"
    browser_page.evaluate(write.format("'while True: pass\\n'"))
    frame = stage(browser_page)
    browser_page.wait("/Stopped after 4/.test(document.body.innerText)", 6 * PATIENCE, frame)
    browser_page.evaluate(write.format("'print(6 * 7)\\n'"))
    browser_page.wait("/^42/.test(document.body.innerText)", 30 * PATIENCE, frame)


def test_the_sites_start_page_tries_python_and_it_works(browser_page, folder):
    with served(folder.parent.parent) as root:
        browser_page.open(f"{root}/kurs/tapes/")
        browser_page.wait(
            "/files that Python needs are/.test(document.body.innerText)", 20 * PATIENCE
        )
        browser_page.evaluate("document.getElementById('try').click()")
        browser_page.wait("/Everything works/.test(document.body.innerText)", 60 * PATIENCE)
