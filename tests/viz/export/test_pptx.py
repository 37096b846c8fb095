"""Sheets as slides, read back with python-pptx."""

from __future__ import annotations

import io
import sys
import time
import zipfile
from dataclasses import replace

import pytest
import sheets_made as made

from minitape.viz.errors import MissingExtraError
from minitape.viz.export import pptx
from minitape.viz.export.items import Group, Look, Path, Rect, Run, Sheet, Text

package = pytest.importorskip("pptx")
PIXEL = 9525


def deck(*sheets, **options):
    return package.Presentation(io.BytesIO(pptx.write(sheets, **options)))


def shapes(parent):
    """All shapes of a slide or a group, those in groups too."""
    for shape in parent.shapes:
        yield shape
        if shape.shape_type == 6:
            yield from shapes(shape)


def written(slide):
    return [paragraph.text for shape in shapes(slide) if shape.has_text_frame
            for paragraph in shape.text_frame.paragraphs if paragraph.text]  # fmt: skip


def box(shape):
    return [round(each / PIXEL, 2) for each in (shape.left, shape.top, shape.width, shape.height)]


def words(*lines, **options):
    return tuple(
        Text(10, 20 + 24 * i, (Run(line),), 18.0, **options) for i, line in enumerate(lines)
    )


def test_a_deck_has_the_texts_of_its_sheets_none_missing_and_none_more():
    sheets = [made.sheet(seed) for seed in range(12)]
    for sheet, slide in zip(sheets, deck(*sheets).slides, strict=True):
        assert sorted(written(slide)) == sorted(text.plain for text in made.texts(sheet))


def test_the_sentence_is_the_title_of_its_slide_and_is_said_once():
    said = Group("sentence", words("matmul passes hiddenᵀ · g", "to W2."))
    sheet = Sheet(800, 400, (said, *words("W2")), "matmul passes hiddenᵀ · g to W2.")
    slide = deck(sheet).slides[0]
    assert slide.shapes.title.text_frame.text == "matmul passes hiddenᵀ · g\vto W2."
    assert sorted(written(slide)) == ["W2", "matmul passes hiddenᵀ · g\vto W2."]


def test_a_sentence_within_a_group_is_the_title_at_its_own_place():
    inner = Group("sentence", words("All is", "well."), 30.0, 4.0)
    pill = (Rect(0, 0, 20, 9, Look("soft")), *words("pull"))
    head = Group("head", (*pill, inner), 100.0, 50.0)
    slide = deck(Sheet(800, 400, (head,), "All is well.")).slides[0]
    assert slide.shapes.title.text_frame.text == "All is\vwell."
    assert round(slide.shapes.title.left / PIXEL) == 140
    assert sorted(written(slide)) == ["All is\vwell.", "pull"]


def test_without_its_sentence_on_the_sheet_a_slide_has_no_title_but_a_name():
    slide = deck(replace(made.sheet(5), title="A & B.")).slides[0]
    assert slide.shapes.title is None and slide.name == "A & B."


def test_notes_have_the_sentence_and_what_is_said_besides():
    slide = deck(made.sheet(2)).slides[0]
    said = [made.sheet(2).title, "0.3 times 0.2 is 0.06.", "That is all."]
    assert slide.notes_slide.notes_text_frame.text.split("\n") == said


def test_a_group_is_a_group_with_its_name_and_its_place():
    inner = (Rect(5, 6, 20, 10, Look("blue")), Rect(30, 6, 20, 10, Look("blue")))
    group = deck(Sheet(800, 400, (Group("W2 <&>", inner, 100, 50),))).slides[0].shapes[0]
    assert group.name == "W2 <&>" and box(group) == [105, 56, 45, 10]
    assert [box(each) for each in group.shapes] == [[105, 56, 20, 10], [130, 56, 20, 10]]


def test_a_box_with_one_text_in_its_middle_is_one_shape():
    cell = Rect(100, 50, 60, 24, Look("soft", "line"), 3.0)
    for anchor, x in (("start", 104), ("middle", 130), ("end", 156)):
        text = Text(x, 67, (Run("0.5"),), 14.0, anchor)
        (shape,) = deck(Sheet(800, 400, (cell, text))).slides[0].shapes
        assert box(shape) == [100, 50, 60, 24] and shape.text_frame.text == "0.5"
    assert round(shape.text_frame.margin_right / PIXEL) == 4


def test_a_box_with_two_lines_keeps_each_in_its_place():
    cell = Rect(100, 50, 60, 24, Look("soft"))
    lines = [Text(104, y, (Run("a"),), 9.0) for y in (60, 71)]
    assert len(deck(Sheet(800, 400, (cell, *lines))).slides[0].shapes) == 3


def test_an_empty_group_is_left_out():
    assert len(deck(Sheet(99, 99, (Group("nothing", ()),))).slides[0].shapes) == 0


def test_a_curve_has_its_handles_its_dashes_and_an_arrowhead():
    look = Look(stroke="orange", line=2.0, dash=(5.0, 3.0), opacity=0.5)
    curve = Path(((10, 10), (20, 10, 30, 20, 30, 40)), look, head=True)
    (shape,) = deck(Sheet(100, 100, (curve,))).slides[0].shapes
    xml = shape._element.xml
    places = [(int(pt.get("x")), int(pt.get("y"))) for pt in shape._element.iter("{*}pt")]
    assert box(shape) == [10, 10, 20, 30]
    assert places == [(x * PIXEL, y * PIXEL) for x, y in ((0, 0), (10, 0), (20, 10), (20, 30))]
    assert 'tailEnd type="triangle"' in xml and "headEnd" not in xml and 'prst="dash"' not in xml
    assert 'prstDash val="dash"' in xml and 'alpha val="50000"' in xml


def test_letters_are_set_back_where_a_line_was_squeezed():
    wide = made.natural_width(Text(0, 0, (Run("squeezed"),), 20.0))
    line = Text(0, 30, (Run("squeezed"),), 20.0, width=wide - 16)
    xml = deck(Sheet(99, 99, (line,))).slides[0].shapes[0]._element.xml
    assert 'spc="-150"' in xml  # 16 pixels, 12 points, are taken from 8 letters


def test_the_same_sheets_are_the_same_bytes_at_another_time(monkeypatch):
    first, now = pptx.write([made.sheet(3), made.sheet(4)]), time.time()
    monkeypatch.setattr(time, "time", lambda: now + 100_000)
    assert pptx.write([made.sheet(3), made.sheet(4)]) == first
    parts = zipfile.ZipFile(io.BytesIO(first)).infolist()
    assert {part.date_time for part in parts} == {(1980, 1, 1, 0, 0, 0)}


def test_slides_have_the_size_of_the_largest_sheet_and_layouts_fit_it():
    made_deck = deck(Sheet(1280, 720, ()), Sheet(960, 800, ()))
    assert (made_deck.slide_width, made_deck.slide_height) == (1280 * PIXEL, 800 * PIXEL)
    for layout in made_deck.slide_layouts:
        for place in layout.placeholders:
            assert place.left + place.width <= 1280 * PIXEL
            assert place.top + place.height <= 800 * PIXEL


def test_every_shape_of_a_slide_has_a_number_of_its_own():
    ids = [shape.shape_id for shape in shapes(deck(made.sheet(7)).slides[0])]
    assert len(ids) == len(set(ids))


def test_without_python_pptx_a_deck_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pptx", None)
    wanted = r"\.pptx needs the package python-pptx.*pip install 'minitape\[export\]'"
    with pytest.raises(MissingExtraError, match=wanted):
        pptx.write([made.sheet(1)])
