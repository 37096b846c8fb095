"""Steps of real programs in every format: the texts of the sheet, none missing and none more."""

from __future__ import annotations

import functools
import io
import re
from collections import Counter

import pytest
import sheets_made as made
from recorded import broken, by_chance, convolution, network, recurrent, scalars
from test_tikz import compiled, letters

from minitape.viz.export import pdf, pptx, tikz
from minitape.viz.player.scene.steps import Scenes
from minitape.viz.player.sheet.sheets import Sheets, Size

SLIDE, PAPER = Size(1280, 720), Size(582, None, ("sentence", "proof"))
SEEDS = range(8100, 8110)
WHICH = ["by hand", pytest.param("by chance", marks=pytest.mark.slow)]


@functools.cache
def sheets(which, size):
    """The sheets of all steps of each program."""
    chance = which == "by chance"
    players = map(by_chance, SEEDS) if chance else (
        scalars(), network(), convolution(), broken(), recurrent(),
    )  # fmt: skip
    scenes = [Scenes(player.trace) for player in players]
    return [Sheets(each, size).of(range(1, len(each))) for each in scenes]


def squeezed(text):
    return Counter(re.sub(r"\s", "", text))


@pytest.mark.slow
@pytest.mark.parametrize("which", WHICH)
def test_each_page_of_a_pdf_has_the_letters_of_its_sheet(which):
    pytest.importorskip("fpdf")
    pypdf = pytest.importorskip("pypdf")
    for program in sheets(which, SLIDE):
        pages = pypdf.PdfReader(io.BytesIO(pdf.write(program))).pages
        for sheet, page in zip(program, pages, strict=True):
            wanted = squeezed("".join(text.plain for text in made.texts(sheet)))
            assert squeezed(page.extract_text()) == wanted, sheet.title


@pytest.mark.slow
@pytest.mark.parametrize("which", WHICH)
def test_each_slide_has_the_texts_of_its_sheet_and_the_sentence_for_title(which):
    package = pytest.importorskip("pptx")
    from test_pptx import written

    for program in sheets(which, SLIDE):
        slides = package.Presentation(io.BytesIO(pptx.write(program))).slides
        for sheet, slide in zip(program, slides, strict=True):
            lines = [line.strip() for text in written(slide) for line in text.split("\v")]
            assert Counter(lines) == Counter(text.plain.strip() for text in made.texts(sheet))
            title = slide.shapes.title.text_frame.text
            assert squeezed(title) == squeezed(sheet.title)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["pdflatex", "lualatex"])
@pytest.mark.parametrize("which", WHICH)
def test_latex_sets_the_steps_of_every_program_without_a_warning(tmp_path, which, engine):
    drawn = [sheet for program in sheets(which, PAPER) for sheet in program[::3]]
    for i, sheet in enumerate(drawn):
        (tmp_path / f"s{i}.tex").write_text(tikz.write([sheet]), "utf-8")
    body = "\\newpage\n".join(rf"\noindent\input{{s{i}}}" for i in range(len(drawn)))
    high = max(sheet.height for sheet in drawn)
    preamble = (
        "\\documentclass{article}\\usepackage{iftex}\\ifpdftex\\usepackage[T1]{fontenc}\\fi"
        "\\usepackage{amsmath,amssymb,tikz,lmodern}"
        f"\\usepackage[paperwidth=170mm,paperheight={high + 40}bp,margin=5mm]{{geometry}}"
        "\\pagestyle{empty}\\begin{document}\n"
    )
    pages = compiled(tmp_path, engine, body, preamble).split("\f")
    for sheet, page in zip(drawn, pages[:-1], strict=True):
        wanted = letters("".join(text.plain for text in made.texts(sheet)))
        assert letters(page) == wanted, sheet.title
