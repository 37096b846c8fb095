"""A lecturer's own course in the browser: her notebooks run, and read her files.

The course (`tests/teaching/lecturers_course.py`) was written before its author had read how courses
are written here.
"""

from __future__ import annotations

import json
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

import nbformat
import pytest
from test_lessons_in_browsers import FIND, IS_OPEN, LIMIT, RUN, engines
from test_site_in_a_browser import served

sys.path.insert(0, str(Path(__file__).parents[1] / "teaching"))
from lecturers_course import LOGISTIC, NETWORK, write

from minitape.__main__ import main

pytestmark = [pytest.mark.browser, pytest.mark.slow]
SAVING = """import minitape as tf
from minitape import viz

x = tf.Variable([1.0, 2.0])
with viz.recording(), tf.GradientTape() as tape:
    y = tf.reduce_sum(x * x)
viz.step(tape, y, x).widget()
"""
# Of each cell of code: the text that it shows, or its error; None while it waits or runs.
SHOWN = """JSON.stringify(
  (window.jupyterapp?.shell.currentWidget?.content?.widgets ?? [])
    .map(each => each.model).filter(each => each.type === "code")
    .map(each => each.executionCount === null ? null : each.outputs.toJSON()
      .map(out => out.ename ?? [out.text ?? Object.keys(out.data ?? {})].flat().join("")).join(""))
)"""


@pytest.fixture(scope="module")
def site(pyodide, tmp_path_factory):
    """The site of a lecturer's own folder, whose application tests may ask."""
    if find_spec("jupyterlite_pyodide_kernel") is None:
        pytest.skip("no site can be made: JupyterLite is missing (extra site)")
    folder = tmp_path_factory.mktemp("own")
    write(folder / "course")
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(SAVING)])
    nbformat.write(book, folder / "course" / "saving.ipynb")
    place = folder / "public" / "ml"
    assert (
        main(["course", "site", str(folder / "course"), str(place), "--pyodide", str(pyodide)]) == 0
    )
    settings = place / "jupyter-lite.json"
    found = json.loads(settings.read_text("utf-8"))
    found["jupyter-config-data"]["exposeAppInBrowser"] = True
    settings.write_text(json.dumps(found), "utf-8")
    with served(place.parent) as root:
        yield f"{root}/ml"


def run(page, address, cells):
    """Opens a notebook, runs all of it, and gives what so many of its cells have shown."""
    page.go(address)
    page.wait(IS_OPEN, LIMIT)
    page.evaluate(RUN)
    end = time.monotonic() + 120
    while None in (shown := json.loads(page.evaluate(SHOWN)))[:cells]:
        assert time.monotonic() < end, shown
        time.sleep(2)
    return shown


@pytest.mark.takes_turns
@engines
def test_a_lecturers_notebooks_run_in_the_browser_and_read_her_table(site, engine):
    with engine() as page:
        page.go(f"{site}/index.html")
        titles = page.evaluate(f"(() => {{ {FIND} return find('main, body').innerText; }})()")
        assert "Logistic regression by hand" in titles
        assert "A small network" in titles

        # The eighth cell checks an exercise that is not done yet: it is the first that may fail.
        shown = run(page, f"{site}/notebooks/index.html?path={quote(LOGISTIC)}", 8)
        assert shown[1].startswith("(60, 2) "), shown
        assert "image/png" in shown[2]
        assert "Error" not in "".join(shown[:7])
        assert "TypeError" in shown[7]

        shown = run(page, f"{site}/notebooks/index.html?path={NETWORK}", 6)
        assert shown[5].startswith("text/plain"), shown
        assert "Error" not in "".join(shown)
        page.do("find('.minitape-player').scrollIntoView()")
        page.wait("find('.player [data-do=forward]')")
        page.do("find('.player [data-do=forward]').click()")
        page.wait("/^1 \\/ /.test(find('.player .counter').textContent)")
        page.wait("find(\"img[alt='the network']\")?.naturalWidth === 320")


@pytest.mark.takes_turns
@engines
def test_a_live_players_view_is_saved_by_the_kernel_in_the_browser(site, engine):
    with engine() as page:
        assert "Error" not in run(page, f"{site}/notebooks/index.html?path=saving.ipynb", 1)[0]
        page.wait("find('.player [data-do=forward]')")
        page.do("find('.player [data-do=forward]').click()")
        page.wait("/^2 \\/ /.test(find('.player .counter').textContent)")
        page.do("find('.player [data-do=save]').click()")
        page.wait("find('.player [data-do=save]').textContent === 'Saved step-2.svg'")
