"""What a notebook of a site does: lessons run to their end, and what they show can be used.

One lesson in two browser engines, and one that trains in Chromium; MINITAPE_LESSONS=all runs all of
them in both, which takes half an hour.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import firefox as harness
import pytest
from test_site_in_a_browser import served

import everyday
from browser import chromium, free_port, visit as visit_in, write_notebook
from minitape.viz.classroom.notebooks import clean
from minitape.viz.classroom.site import write_site
from minitape.viz.course.course import lessons

pytestmark = [pytest.mark.browser, pytest.mark.slow]
END = "every cell of the notebook has run"
LIMIT = 600  # seconds; half a minute is usual, and minutes for the training of lesson 10
ANSWER = 120  # seconds, for what an open page does at once
# What the page's own application says of the notebook that is open.
STATE = """(() => {
  const found = window.jupyterapp?.shell.currentWidget?.content;
  if (!found?.widgets?.length) return "opening";
  const cells = found.widgets.map(each => each.model).filter(each => each.type === "code");
  const outputs = cells.flatMap(each => each.outputs.toJSON());
  const failed = outputs.find(each => each.output_type === "error");
  if (failed) return `failed: ${failed.ename}: ${failed.evalue}`;
  return outputs.some(each => each.text?.includes("END")) ? "done" : "running";
})()""".replace("END", END)
IS_OPEN = "window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel != null"
RUN = "window.jupyterapp.commands.execute('notebook:run-all-cells'), true"

# The first element for a selector, in shadow trees, too, which the players stand in.
FIND = """
const find = (selector, root = document) => {
  const found = root.querySelector(selector);
  if (found) return found;
  for (const each of root.querySelectorAll("*")) {
    const inside = each.shadowRoot && find(selector, each.shadowRoot);
    if (inside) return inside;
  }
  return null;
};
"""
PROGRAM = """
import minitape as tf
from minitape import viz

x = tf.Variable(2.0, name="x")
with tf.GradientTape() as tape:
    y = x * x + x
"""
CELLS = [
    PROGRAM + "viz.step(tape, y, x)",
    PROGRAM + "viz.quiz(tape, y, x)",
    "viz.explore(lambda w: tf.sin(w) * w, w=(0.0, 3.0))",
    "import matplotlib.pyplot as plt\nplt.plot([1.0, 4.0, 9.0])\nplt.show()",
    PROGRAM + "viz.step(tape, y, x).save('kept.html')",
    f"print({END!r})",
]


def build():
    """The script that builds the notebooks."""
    place = Path(__file__).parents[2] / "tutorials" / "build.py"
    spec = importlib.util.spec_from_file_location("tutorials_build", place)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def solved(pyodide, tmp_path_factory):
    """A site with all lessons, their exercises solved, whose application tests may ask."""
    if find_spec("jupyterlite_pyodide_kernel") is None:
        pytest.skip("no site can be made: JupyterLite is missing (extra site)")
    folder = tmp_path_factory.mktemp("solved")
    things = folder / "things.ipynb"
    write_notebook(things, *CELLS)
    place = folder / "kurs"
    write_site(place, str(pyodide), [*lessons(), lessons()[0]._replace(path=things)])
    builder = build()
    for source in builder.sources():
        book = builder.notebook(source, solutions=True)
        book.cells.append(builder.nbformat.v4.new_code_cell(f"print({END!r})", id="the-end"))
        text = clean(builder.nbformat.writes(book))
        (place / "files" / f"{source.stem}.ipynb").write_text(text, "utf-8")
    settings = place / "jupyter-lite.json"
    found = json.loads(settings.read_text("utf-8"))
    found["jupyter-config-data"]["exposeAppInBrowser"] = True
    settings.write_text(json.dumps(found), "utf-8")
    with served(place.parent) as root:
        yield f"{root}/kurs"


class Page:
    """A page of either browser, asked by JavaScript alone."""

    def __init__(self, go, evaluate):
        self.go = go
        self.evaluate = evaluate

    def wait(self, expression, seconds=ANSWER):
        """Waits until an expression is true; asked seldom, so that the page gets on with it."""
        end = time.monotonic() + seconds
        while not self.evaluate(f"(() => {{ {FIND} return Boolean({expression}); }})()"):
            assert time.monotonic() < end, f"not within {seconds} s: {expression}"
            time.sleep(0.5)

    def do(self, statement):
        """Runs a statement."""
        self.evaluate(f"(() => {{ {FIND} {statement}; return true; }})()")

    def run(self, address):
        """Opens a notebook and runs all of it; how it ended."""
        self.go(address)
        self.wait(IS_OPEN, LIMIT)
        self.evaluate(RUN)
        end = time.monotonic() + LIMIT
        while (state := self.evaluate(STATE)) in {"opening", "running"} and time.monotonic() < end:
            time.sleep(3)
        return state


@contextlib.contextmanager
def in_chromium():
    with chromium() as browser, visit_in(browser, {"width": 1280, "height": 4000}) as seen:
        yield Page(seen.page.goto, seen.page.evaluate)
        assert not seen.outside


@contextlib.contextmanager
def in_firefox():
    if reason := harness.missing():
        pytest.skip(reason)
    with harness.firefox(free_port()) as page:
        yield Page(page.open, page.evaluate)


engines = pytest.mark.parametrize("engine", [in_chromium, in_firefox])


EVERY = [(engine, each.path.stem) for engine in (in_chromium, in_firefox) for each in lessons()]
CHOSEN = [(in_chromium, "01"), (in_firefox, "01"), (in_chromium, "05")]


@pytest.mark.takes_turns
@pytest.mark.parametrize(
    ("engine", "lesson"),
    [each for each in EVERY if everyday.ALL or (each[0], each[1][:2]) in CHOSEN],
)
def test_a_solved_lesson_runs_to_its_end(solved, engine, lesson):
    with engine() as page:
        assert page.run(f"{solved}/notebooks/index.html?path={lesson}.ipynb") == "done"


@pytest.mark.takes_turns
@engines
def test_players_step_quizzes_answer_sliders_move_plots_show_and_saved_pages_are_listed(
    solved, engine
):
    with engine() as page:
        assert page.run(f"{solved}/notebooks/index.html?path=things.ipynb") == "done"
        # The player.
        page.do("find('.minitape-player').scrollIntoView()")
        page.wait("find('.player [data-do=forward]')")
        page.do("find('.player [data-do=forward]').click()")
        page.wait("/^1 \\/ /.test(find('.player .counter').textContent)")
        # The quiz: a wrong answer.
        page.do("find('.widget-text input').scrollIntoView()")
        page.do(
            "const field = find('.widget-text input'); field.value = '12345'; "
            "field.dispatchEvent(new Event('input', {bubbles: true})); "
            "field.dispatchEvent(new Event('change', {bubbles: true})); "
            "find('.widget-button.mod-primary').click()"
        )
        page.wait("/✗/.test(document.querySelector('.jp-Notebook').innerText)")
        # The slider: by two hundredths.
        page.do("find('.noUi-handle').scrollIntoView()")
        before = page.evaluate(
            f"(() => {{ {FIND} return find('.widget-readout').textContent; }})()"
        )
        key = "new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true})"
        page.do(f"find('.noUi-handle').focus(); find('.noUi-handle').dispatchEvent({key})")
        page.wait(f"find('.widget-readout').textContent !== {json.dumps(before)}")
        # The plot.
        drawn = ".jp-OutputArea img[src^='data:image/png']"
        page.wait(f'find("{drawn}")?.naturalWidth')
        # The saved page, in the list of files.
        page.go(f"{solved}/tree/index.html")
        page.wait("/kept\\.html/.test(find('.jp-DirListing-content')?.innerText ?? '')")
