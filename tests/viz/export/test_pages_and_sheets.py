"""A step says the same in a page, a drawing, a PDF and on a slide, none missing, none more."""

from __future__ import annotations

import functools
import io
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import keras_networks
import pytest
import sheets_made as made
import swept
import walking
from recorded import broken, by_chance, convolution, network, recurrent, scalars
from test_sheets import groups, letters, written

import browser as harness
from minitape.viz.export import pdf, pptx
from minitape.viz.export.svg import svg
from minitape.viz.player.scene.steps import Scenes
from minitape.viz.player.sheet.sheets import Sheets, Size

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SLIDE = Size(1280, 720)
LONG = {
    "rnn", "lstm", "gru", "transformer of 3 blocks", "resnet", "physics of 100 steps",
    "chain of 1000 ops", "deep mlp of 40 layers",
}  # fmt: skip
PROGRAMS = {
    "scalars": scalars, "network": network, "convolution": convolution, "broken": broken,
    "recurrent": recurrent,
    **{name: program for name, program in swept.KINDS.items() if name not in LONG},
    **{f"program {seed}": functools.partial(by_chance, seed) for seed in range(9300, 9306)},
    **{f"Keras {seed}": functools.partial(keras_networks.drawn, seed) for seed in (31600, 31601)},
}  # fmt: skip
# Of each step: its kind, its sentence with the equation, and the names on the boxes.
READ = """
() => {
  const { player } = window;
  const press = (what) => player.root.querySelector(`[data-do=${what}]`).click();
  const texts = (which) => [...player.root.querySelectorAll(which)].map((each) => each.textContent);
  const found = [];
  press("first"); // the first page asks a question
  press("forward");
  for (let last = -1; player.at !== last && player.data.steps[player.at]; press("forward")) {
    last = player.at;
    const [kind, said] = [".saying .phase", ".saying .sentence"].map((which) => texts(which)[0]);
    found.push({ kind, said, boxes: texts(".graph .n .t") });
  }
  return found;
}
"""


def said_in_a_page(opened: Browser, page: Path) -> list[dict[str, Any]]:
    """What a reader of a saved page sees, step by step."""
    with harness.visit(opened) as seen:
        seen.page.add_init_script(walking.KEEP)
        seen.page.goto(page.as_uri())
        seen.page.wait_for_function(walking.READY, timeout=60_000)
        found: list[dict[str, Any]] = seen.page.evaluate(READ)
    return found


def said_in_a_drawing(drawing: str) -> dict[str, Any]:
    """The same of an SVG."""
    root = ElementTree.fromstring(drawing)

    def texts(name: str, *without: str) -> str:
        return "".join(text for each in groups(root, name) for text in written(each, *without))

    return {
        "kind": texts("kind"), "said": texts("sentence") + texts("equation", "below"),
        "boxes": [text for each in groups(root, "node") for text in written(each)[:1]],
    }  # fmt: skip


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_a_step_says_the_same_in_a_page_a_drawing_a_pdf_and_a_slide(name, browser, tmp_path):
    pypdf = pytest.importorskip("pypdf")
    presentation = pytest.importorskip("pptx")
    from test_pptx import written as on_slide

    player = PROGRAMS[name]()
    page = said_in_a_page(browser, player.save(tmp_path / "page.html"))
    scenes = Scenes(player.trace)
    sheets = Sheets(scenes, SLIDE).of(range(1, len(scenes)))
    leaves = pypdf.PdfReader(io.BytesIO(pdf.write(sheets))).pages
    slides = presentation.Presentation(io.BytesIO(pptx.write(sheets))).slides
    assert len(sheets) >= 3
    for step, sheet, leaf, slide in zip(page, sheets, leaves, slides, strict=True):
        drawn = said_in_a_drawing(svg(sheet))
        assert step["kind"] == drawn["kind"]
        assert letters(step["said"]) == letters(drawn["said"])
        assert Counter(drawn["boxes"]) <= Counter(step["boxes"])
        texts = [text.plain for text in made.texts(sheet)]
        assert Counter(letters(leaf.extract_text())) == Counter(letters("".join(texts)))
        lines = [line.strip() for text in on_slide(slide) for line in text.split("\v")]
        assert Counter(lines) == Counter(text.strip() for text in texts)
