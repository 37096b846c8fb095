"""Names in a graph that is shrunk: as large as their row has room, and on nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from networks import NETWORKS
from swept import KINDS
from test_player import Shown

from browser import expect

if TYPE_CHECKING:
    from playwright.sync_api import Page

PIXELS = "e => parseFloat(getComputedStyle(e).fontSize) * e.getScreenCTM().a"


def opened(page: Page, folder: Path, name: str) -> Shown:
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto((KINDS | NETWORKS)[name]().save(folder / "page.html").as_uri())
    return Shown(page)


def test_a_name_that_has_its_row_for_itself_has_eleven_pixels(page: Page, tmp_path: Path):
    shown = opened(page, tmp_path, "mlp")
    for name in ("W1", "matmul", "labels"):
        title = shown.host.locator(".graph .t").get_by_text(name, exact=True).first
        expect(title).to_be_visible()
        assert title.evaluate(PIXELS) == pytest.approx(11, abs=0.1)


@pytest.mark.parametrize("name", ["mlp", "convnet", "rnn", "vae", "mlp of 12 layers"])
def test_a_name_and_its_note_end_before_the_shape(page: Page, tmp_path: Path, name: str):
    shown = opened(page, tmp_path, name)
    boxes = shown.host.locator(".graph .n").all()
    seen = 0
    for box in boxes:
        shape = box.locator("text[text-anchor=end]")
        if not shape.count():
            continue
        if not shape.first.is_visible():  # it makes room for the name of a box of the step
            assert {"now", "receiver"} & {*(box.get_attribute("class") or "").split()}
            continue
        title, right = box.locator(".t").bounding_box(), shape.first.bounding_box()
        assert title and right
        assert title["x"] + title["width"] <= right["x"], box.text_content()
        seen += 1
    assert seen > 3
