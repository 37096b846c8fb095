"""Where people work: a player under the rules of VS Code and of hosted notebooks, and in books."""

from __future__ import annotations

import html
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import minitape as tf
from browser import expect, write_notebook
from minitape import viz

if TYPE_CHECKING:
    from browser import Visit

# What VS Code says in the page that shows the outputs of notebooks.
VSCODE = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; "
    "img-src https: http: data:; font-src https:; connect-src https:; child-src https: data:;"
)
# It sets the output as HTML, which runs no script, and then makes each script anew.
SCRIPTS_ANEW = """
for (const old of document.querySelectorAll("#output script")) {
  const made = document.createElement("script");
  for (const each of old.attributes) made.setAttribute(each.name, each.value);
  made.text = old.text;
  old.replaceWith(made);
}
"""
CODE = (
    "import minitape as tf\nfrom minitape import viz\nx = tf.Variable(3.0)\n"
    "with viz.recording(), tf.GradientTape() as tape:\n    y = x * x\nviz.step(tape, y, x)"
)


def output() -> str:
    """What a notebook's file holds as the HTML of a player."""
    x = tf.Variable(3.0)
    with viz.recording(), tf.GradientTape() as tape:
        y = x * x
    bundle = viz.step(tape, y, x)._repr_mimebundle_()
    return (bundle[0] if isinstance(bundle, tuple) else bundle)["text/html"]


def steps(place: object) -> None:
    """Presses a key in a player, and sees that it steps."""
    host = place.locator(".minitape-player").first
    expect(host).to_have_attribute("data-ready", "yes")
    slider = host.locator("input").first
    before = slider.input_value()
    host.locator(".player").first.press("ArrowRight")
    expect(slider).not_to_have_value(before)


def quoted(text: str) -> str:
    return (
        text.replace("\\", "\\\\").replace("`", "\\`").replace("${", "\\${").replace("</", "<\\/")
    )


@pytest.mark.browser
def test_a_player_steps_under_the_rules_of_vs_code(visit: Visit, tmp_path: Path):
    page = tmp_path / "output.html"
    page.write_text(
        f'<!doctype html><meta charset=utf-8><meta http-equiv="Content-Security-Policy" '
        f'content="{VSCODE}"><div id=output></div>'
        f"<script>output.innerHTML = `{quoted(output())}`;{SCRIPTS_ANEW}</script>",
        "utf-8",
    )
    visit.page.goto(page.as_uri())
    steps(visit.page)
    assert visit.outside == []


@pytest.mark.browser
def test_without_trust_vs_code_shows_the_picture_and_the_table(visit: Visit, tmp_path: Path):
    page = tmp_path / "output.html"
    rules = VSCODE.replace("'unsafe-inline' 'unsafe-eval'", "'none'", 1)
    page.write_text(
        f'<!doctype html><meta charset=utf-8><meta http-equiv="Content-Security-Policy" '
        f'content="{rules}"><div id=output>{output()}</div>',
        "utf-8",
    )
    visit.page.goto(page.as_uri())
    expect(visit.page.locator("img").first).to_be_visible()
    assert "steps as a table" in visit.page.locator("body").inner_text()
    assert all("Content Security Policy" in each for each in visit.errors)
    visit.errors.clear()  # the scripts that were refused


@pytest.mark.browser
def test_a_player_steps_in_a_sandboxed_frame_without_a_network(visit: Visit, tmp_path: Path):
    """Colab and Kaggle put each output into a frame of another origin, with scripts allowed."""
    frame = f"<!doctype html><meta charset=utf-8><body>{output()}"
    page = tmp_path / "notebook.html"
    page.write_text(
        "<!doctype html><meta charset=utf-8><iframe sandbox=allow-scripts width=900 height=900 "
        f'srcdoc="{html.escape(frame)}"></iframe>',
        "utf-8",
    )
    visit.page.goto(page.as_uri())
    steps(visit.page.frame_locator("iframe"))
    assert visit.outside == []
    assert visit.errors == []


@pytest.mark.browser
@pytest.mark.parametrize(("width", "height"), [(760, 700), (1100, 700)])
def test_a_saved_page_fits_into_a_frame_of_the_size_that_the_page_names(
    visit: Visit, tmp_path: Path, width: int, height: int
):
    x = tf.Variable(3.0)
    with viz.recording(), tf.GradientTape() as tape:
        y = x * x
    viz.step(tape, y, x).save(tmp_path / "player.html")
    page = tmp_path / "page.html"
    page.write_text(
        f"<!doctype html><iframe src=player.html width={width} height={height} "
        'style="border:0" title="A gradient, step by step"></iframe>'
    )
    visit.page.goto(page.as_uri())
    frame = visit.page.frame_locator("iframe")
    steps(frame)
    inside = frame.locator("html").evaluate("e => [e.scrollWidth, e.scrollHeight]")
    assert inside[0] <= width
    assert inside[1] <= height
    assert str(height) in (Path(__file__).parents[2] / "docs/places/web-page.md").read_text("utf-8")


def executed(tmp_path: Path) -> Path:
    """A notebook that was run, with the output of a player in it."""
    pytest.importorskip("nbclient")
    import nbformat
    from nbclient import NotebookClient

    file = tmp_path / "lesson.ipynb"
    write_notebook(file, CODE)
    notebook = nbformat.read(file, 4)
    NotebookClient(notebook, kernel_name="python3").execute()
    nbformat.write(notebook, file)
    return file


@pytest.mark.browser
@pytest.mark.slow
def test_a_player_steps_in_the_page_that_nbconvert_and_nbviewer_make(visit: Visit, tmp_path: Path):
    nbconvert = pytest.importorskip("nbconvert")
    file = executed(tmp_path)
    page = tmp_path / "lesson.html"
    page.write_text(nbconvert.HTMLExporter().from_filename(str(file))[0], "utf-8")
    visit.page.goto(page.as_uri())
    steps(visit.page)
    assert {url.split("/")[2] for url in visit.outside} <= {"cdnjs.cloudflare.com"}  # its own
    visit.outside.clear()
    visit.errors.clear()


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("myst_nb") is None, reason="needs myst-nb (.ci/run)")
def test_a_player_steps_in_a_sphinx_book(visit: Visit, tmp_path: Path):
    executed(tmp_path)
    (tmp_path / "conf.py").write_text(
        'extensions = ["myst_nb"]\nproject = "A book"\nroot_doc = "lesson"\n'
        'nb_execution_mode = "off"\n'
    )
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-W",
        "-b",
        "html",
        str(tmp_path),
        str(tmp_path / "out"),
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    visit.page.goto((tmp_path / "out" / "lesson.html").as_uri())
    steps(visit.page)


@pytest.mark.browser
@pytest.mark.skipif(importlib.util.find_spec("pypandoc") is None, reason="needs pypandoc_binary")
def test_a_player_steps_in_the_page_that_pandoc_makes_for_quarto(visit: Visit, tmp_path: Path):
    """Quarto writes a cell's HTML as a raw block into the Markdown that it hands to Pandoc."""
    fence = "`" * 6
    text = (
        f"---\ntitle: A page\n---\n\n::: {{.cell-output .cell-output-display}}\n{fence}{{=html}}\n"
    )
    import pypandoc

    page = tmp_path / "page.html"
    pypandoc.convert_text(
        f"{text}{output()}\n{fence}\n:::\n", "html", "markdown", ["-s"], outputfile=str(page)
    )
    visit.page.goto(page.as_uri())
    steps(visit.page)
    assert visit.outside == []
    assert visit.errors == []


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("mkdocs_jupyter") is None, reason="needs mkdocs-jupyter (.ci/run)"
)
def test_a_player_steps_in_a_mkdocs_site_of_notebooks(visit: Visit, tmp_path: Path):
    (tmp_path / "docs").mkdir()
    executed(tmp_path).rename(tmp_path / "docs" / "index.ipynb")
    (tmp_path / "mkdocs.yml").write_text(
        "site_name: A book\nuse_directory_urls: false\nplugins: [mkdocs-jupyter]\n"
        "theme: {name: material, font: false}\n"
    )
    command = [sys.executable, "-m", "mkdocs", "-q", "build"]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    visit.page.goto((tmp_path / "site" / "index.html").as_uri())
    steps(visit.page)
