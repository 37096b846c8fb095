"""The player where people meet it: JupyterLab, Notebook, an export, an untrusted copy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from browser import Jupyter, Visit
from minitape.viz.player.notebook import Player
from viz_traces import diamond

if TYPE_CHECKING:
    from playwright.sync_api import Page

nbformat = pytest.importorskip("nbformat", reason="no notebook test: install the extra notebook")
from nbformat.v4 import new_code_cell, new_notebook, new_output  # noqa: E402

from browser import expect  # noqa: E402

TESTS = Path(__file__).parents[2]
PROGRAM = f"""\
import sys
sys.path[:0] = [{str(TESTS.parent)!r}, {str(TESTS)!r}]
from minitape.viz.player.notebook import Player
from viz_traces import diamond
player = Player(diamond())
"""

pytestmark = pytest.mark.slow


def write(folder: Path, *sources: str, executed: bool = False) -> None:
    """Write `lesson.ipynb`; executed, it holds the player's output as a saved notebook does."""
    cells = [new_code_cell(source) for source in sources]
    if executed:
        bundle = Player(diamond())._repr_mimebundle_()
        for cell in cells:
            cell.outputs = [new_output("display_data", bundle)]
            cell.execution_count = 1
    notebook = new_notebook(cells=cells)
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(notebook, folder / "lesson.ipynb")


def cells(page: Page) -> int:
    return page.locator(".jp-Notebook .jp-Cell").count()


@pytest.mark.takes_turns
@pytest.mark.parametrize("app", ["lab", "notebook"])
def test_keys_pressed_in_a_live_player_step_it_and_leave_the_cells_alone(
    jupyter: Callable[..., Jupyter], visit: Visit, tmp_path: Path, app: str
) -> None:
    page = visit.page
    write(tmp_path, PROGRAM + "player", "player", "1 + 1")
    server = jupyter(tmp_path, app)
    server.open(page, "lesson.ipynb")
    server.run_all(page)
    first, second = page.locator(".player").nth(0), page.locator(".player").nth(1)
    for number in (1, 0):  # They start when they come into view.
        page.locator(".minitape-player").nth(number).scroll_into_view_if_needed()
        expect(page.locator(".minitape-player[data-ready=yes]").nth(1 - number)).to_have_count(1)
    before = cells(page)
    first.locator(".sentence").click()
    page.keyboard.press("Escape")  # Command mode, where letters are commands.
    first.focus()
    for key in ("x", "a", "b", "d", "d", "m", "ArrowRight", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    visit.screenshot(f"player-{app}")
    assert cells(page) == before
    # The player took `m` for itself: it shows the steps of memory, which the other one folds.
    expect(first.locator(".counter")).to_have_text("2 / 14")
    expect(second.locator(".counter")).to_have_text("0 / 11")
    page.keyboard.press("End")
    expect(first.locator(".counter")).to_have_text("14 / 14")
    visit.errors.clear()  # The application's own complaints are none of ours.


GRAPHS = """\
import minitape as tf
from minitape import viz

def f(x):
    return tf.cond(x > 0.0, lambda: x * x, lambda: -x)
"""


@pytest.mark.takes_turns
def test_a_graph_and_its_pending_counts_play_side_by_side_in_jupyterlab(
    jupyter: Callable[..., Jupyter], visit: Visit, tmp_path: Path
) -> None:
    page = visit.page
    pending = "viz.pending(lambda x: tf.sin(x) * x, tf.constant(2.0))"
    write(tmp_path, PROGRAM + GRAPHS + "viz.graph(f, tf.constant(3.0))", pending, "1 + 1")
    server = jupyter(tmp_path, "lab")
    server.open(page, "lesson.ipynb")
    server.run_all(page)
    for number in (0, 1):
        page.locator(".minitape-player").nth(number).scroll_into_view_if_needed()
        page.locator(".minitape-player[data-ready=yes]").nth(number).wait_for()
    graph, counts = page.locator(".player").nth(0), page.locator(".player").nth(1)
    before = cells(page)
    frames = graph.locator(".graph .frame")
    drawn = frames.count()
    graph.locator("[data-do=outof]").click()
    expect(frames).not_to_have_count(drawn)  # a branch is closed now
    counts.locator(".sentence").click()
    page.keyboard.press("Escape")
    counts.focus()
    page.keyboard.press("x")
    page.keyboard.press("End")
    total = counts.locator(".counter").inner_text().split(" / ")
    assert total[0] == total[1] != "1"
    expect(graph.locator(".counter")).not_to_have_text(counts.locator(".counter").inner_text())
    expect(counts.locator(".orders")).to_be_visible()
    assert cells(page) == before
    visit.screenshot("graphs-lab")
    visit.errors.clear()


def test_a_live_widget_shares_its_step_with_python(
    jupyter: Callable[..., Jupyter], visit: Visit, tmp_path: Path
) -> None:
    pytest.importorskip("anywidget")
    page = visit.page
    write(tmp_path, PROGRAM + "widget = player.widget()\nwidget.step = 4\nwidget")
    server = jupyter(tmp_path, "lab")
    server.open(page, "lesson.ipynb")
    server.run_all(page)
    expect(page.locator(".player .counter")).to_have_text("5 / 11")
    page.locator(".player").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".player .counter")).to_have_text("6 / 11")
    page.keyboard.press("s")  # the kernel saves what is shown, beside the notebook
    expect(page.locator(".player [data-do=save]")).to_have_text("Saved step-6.svg")
    assert "<svg" in (tmp_path / "step-6.svg").read_text("utf-8")
    visit.errors.clear()


@pytest.mark.parametrize("app", ["lab", "notebook"])
def test_an_untrusted_notebook_without_a_kernel_shows_picture_and_table(
    jupyter: Callable[..., Jupyter], visit: Visit, tmp_path: Path, app: str
) -> None:
    page = visit.page
    write(tmp_path, "player", executed=True)
    jupyter(tmp_path, app, kernels=False).open(page, "lesson.ipynb")
    image = page.locator(".minitape-player img")
    image.wait_for()
    assert image.evaluate("image => image.naturalWidth") > 100
    page.locator(".minitape-player summary").click(force=True)
    assert page.get_by_role("cell", name=diamond().steps[-2].sentence).is_visible()
    assert page.locator(".minitape-player button").count() == 0
    visit.screenshot(f"untrusted-{app}")
    visit.errors.clear()


def test_an_export_to_html_plays(visit: Visit, tmp_path: Path) -> None:
    exporter = pytest.importorskip("nbconvert").HTMLExporter()
    write(tmp_path, "player", "player", executed=True)
    body, _ = exporter.from_filename(str(tmp_path / "lesson.ipynb"))
    file = tmp_path / "lesson.html"
    file.write_text(body, encoding="utf-8")
    # The exporter's own template asks for MathJax and require.js; nothing else may be asked for.
    template, _ = exporter.from_notebook_node(new_notebook())
    visit.page.goto(file.as_uri())
    player = visit.page.locator(".player").first
    player.focus()
    visit.page.keyboard.press("End")
    expect(player.locator(".counter")).to_have_text("11 / 11")
    assert all(url.split("?")[0] in template for url in visit.outside)
    visit.screenshot("export")
    visit.outside.clear()
    visit.errors.clear()
