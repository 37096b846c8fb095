"""Sheets as PDF, read back with pypdf."""

from __future__ import annotations

import io
import sys

import pytest
import sheets_made as made

from minitape.viz.errors import MissingExtraError
from minitape.viz.export import faces, pdf
from minitape.viz.export.items import Group, Look, Path, Rect, Run, Sheet, Text

fpdf = pytest.importorskip("fpdf")
pypdf = pytest.importorskip("pypdf")


def document(*sheets, **options):
    return pypdf.PdfReader(io.BytesIO(pdf.write(sheets, **options)))


def lines(page, step=36.0):
    """The texts of a page by their rows, each from left to right."""
    found = {}

    def visit(text, _, matrix, font, size):
        if text.strip("\n"):
            row = round((float(page.mediabox.height) - matrix[5]) / 0.75 / step)
            found.setdefault(row, []).append((matrix[4], text.strip("\n")))

    page.extract_text(visitor_text=visit)
    return ["".join(text for _, text in sorted(row)) for row in found.values()]


def operations(page, *names):
    content = pypdf.generic.ContentStream(page.get_contents(), page.pdf)
    return [(kind.decode(), [float(x) for x in data]) for data, kind in content.operations
            if kind.decode() in names]  # fmt: skip


def test_a_document_has_the_texts_of_its_sheets_none_missing_and_none_more():
    sheets = [made.sheet(seed) for seed in range(12)]
    for sheet, page in zip(sheets, document(*sheets).pages, strict=True):
        wanted = sorted(text.plain.strip() for text in made.texts(sheet))
        assert sorted(line.strip() for line in lines(page)) == wanted


def test_a_letter_is_where_the_sheet_has_it():
    line = Text(100.0, 50.0, (Run("a"), Run("b", "mono", rise=0.5)), 20.0, "end", width=0.0)
    places = []
    page = document(Sheet(200, 100, (Group("g", (line,), 4.0, 8.0),))).pages[0]
    page.extract_text(visitor_text=lambda t, _, m, *rest: t.strip() and places.append((t, *m[4:])))
    wide = (1255 + 1233) / 2048 * 20
    assert places[0][1:] == pytest.approx((0.75 * (104 - wide), 75 - 0.75 * 58), abs=0.01)
    assert places[1][1:] == pytest.approx((0.75 * (104 - 1233 / 102.4), 75 - 0.75 * 48), abs=0.01)


def test_a_rectangle_is_where_the_sheet_has_it():
    box = Rect(10, 20, 30, 40, Look("blue", "line"))
    page = document(Sheet(200, 100, (Group("g", (box,), 2.0, 4.0),))).pages[0]
    assert float(page.mediabox.width) == 150 and float(page.mediabox.height) == 75
    assert ("re", [9, 75 - 18, 22.5, -30]) in operations(page, "re")


def test_a_round_rectangle_of_any_radius_has_round_corners():
    box = Rect(10, 20, 40, 40, Look("blue"), radius=20)
    assert len(operations(document(Sheet(99, 99, (box,))).pages[0], "c")) >= 4


def test_a_curve_has_its_handles_and_an_arrowhead_its_tip():
    curve = Path(((10, 10), (20, 10, 30, 20, 30, 30)), Look(stroke="line"), head=True)
    drawn = operations(document(Sheet(100, 100, (curve,))).pages[0], "m", "l", "c")
    assert ("m", [7.5, 7.5]) in drawn and ("c", [15, 7.5, 22.5, 15, 22.5, 22.5]) in drawn
    assert ("m", pytest.approx([22.5, 23.25])) in drawn and len(drawn) == 5


def test_a_line_that_was_measured_narrower_is_squeezed_to_its_width():
    natural = made.natural_width(Text(0, 0, (Run("wide"),), 20.0))
    line = Text(10, 50, (Run("wide"),), 20.0, width=natural / 2)
    assert ("Tz", [50]) in operations(document(Sheet(99, 99, (line,))).pages[0], "Tz")


def test_the_same_sheets_are_the_same_bytes():
    sheets = [made.sheet(3), made.sheet(4)]
    assert pdf.write(sheets) == pdf.write(sheets)


def test_a_document_has_a_title_and_an_outline_of_sentences():
    read = document(made.sheet(1), made.sheet(2), title="Two steps")
    assert read.metadata.title == "Two steps"
    assert [entry.title for entry in read.outline] == [made.sheet(1).title, made.sheet(2).title]


def test_fonts_are_embedded_as_subsets():
    fonts = document(made.sheet(1)).pages[0]["/Resources"]["/Font"]
    described = [
        font.get_object()["/DescendantFonts"][0]["/FontDescriptor"] for font in fonts.values()
    ]
    assert described and all("/FontFile2" in each for each in described)
    assert len(pdf.write([made.sheet(1)])) < 80_000


def test_in_the_dark_theme_the_paper_is_dark():
    page = document(Sheet(100, 100, ()), theme="dark").pages[0]
    assert ("rg", pytest.approx([0x15 / 255, 0x18 / 255, 0x1C / 255], abs=1e-3)) in operations(
        page, "rg"
    )


def test_without_fpdf2_a_pdf_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "fpdf", None)
    wanted = r"\.pdf needs the package fpdf2.*pip install 'minitape\[export\]'"
    with pytest.raises(MissingExtraError, match=wanted):
        pdf.write([made.sheet(1)])


def test_without_fonts_a_pdf_says_how_to_get_them_and_what_to_do_instead(monkeypatch):
    monkeypatch.setattr(faces, "fonts", dict)
    with pytest.raises(
        MissingExtraError, match=r"matplotlib.*'minitape\[export\]'.* save an \.svg"
    ):
        pdf.write([made.sheet(1)])
