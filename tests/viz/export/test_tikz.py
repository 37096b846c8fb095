"""Sheets as TikZ: read as text here, and compiled by LaTeX where there is one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import unicodedata
from collections import Counter

import pytest
import sheets_made as made

from minitape.viz.export import tikz
from minitape.viz.export.items import Group, Look, Path, Rect, Run, Sheet, Text

PREAMBLE = r"""\documentclass{article}
\usepackage{iftex}\ifpdftex\usepackage[T1]{fontenc}\fi
\usepackage{amsmath,amssymb,tikz,lmodern}
\usepackage[paperwidth=976bp,paperheight=556bp,margin=8bp]{geometry}
\pagestyle{empty}\parindent=0pt
\begin{document}
"""


def picture(*items, theme="light", **about):
    return tikz.write([Sheet(200, 100, items, **about)], theme)


def compiled(tmp_path, engine, body, preamble=PREAMBLE):
    """The PDF's text, from a LaTeX that has nothing to complain of."""
    if shutil.which(engine) is None or shutil.which("pdftotext") is None:
        if os.environ.get("MINITAPE_LATEX") == "required":
            pytest.fail(f"{engine} and pdftotext have to be here")
        pytest.skip(f"{engine} or pdftotext is not here")
    (tmp_path / "main.tex").write_text(preamble + body + "\n\\end{document}\n", "utf-8")
    command = [engine, "-interaction=nonstopmode", "-halt-on-error", "main"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, timeout=300)
    log = (tmp_path / "main.log").read_text("utf-8", "replace")
    bad = [
        line
        for line in log.splitlines()
        if re.search(r"^!|Warning:(?!.*has changed)|Missing char|full \\", line)
    ]
    assert not done.returncode and not bad, bad
    read = ["pdftotext", "-layout", "main.pdf", "-"]
    return subprocess.run(read, cwd=tmp_path, capture_output=True, check=True).stdout.decode(
        "utf-8"
    )


def letters(text):
    """The letters of a text, however they are set: without accents, raised or slanted.

    A tick and a sum are signs without a name for pdftotext, LuaTeX's script l has the number of a
    grave, and TeX's cross is that of a product.
    """
    text = text.replace("✕", "×").replace("✓", "X").replace("∑", "P").replace("ℓ", "`")
    text = unicodedata.normalize("NFKD", text)
    text = text.replace("\u2044", "/")
    left_out = "ˆ^´˝¨~˜˙`l"
    return Counter(
        c for c in text if not (c.isspace() or unicodedata.combining(c) or c in left_out)
    )


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["pdflatex", "lualatex"])
def test_latex_sets_every_letter_of_random_sheets_without_a_warning(tmp_path, engine):
    sheets = [made.sheet(seed) for seed in range(6)]
    for i, sheet in enumerate(sheets):
        (tmp_path / f"s{i}.tex").write_text(tikz.write([sheet]), "utf-8")
    body = "\\newpage\n".join(rf"\input{{s{i}}}" for i in range(len(sheets)))
    pages = compiled(tmp_path, engine, body).split("\f")
    for sheet, page in zip(sheets, pages[:-1], strict=True):
        wanted = letters("".join(text.plain for text in made.texts(sheet)))
        assert letters(page) == wanted


def test_two_pictures_stand_side_by_side_in_a_line_of_text(tmp_path):
    (tmp_path / "p.tex").write_text(picture(Rect(0, 0, 9, 9, Look("blue"))), "utf-8")
    body = r"\setbox1\hbox{\input{p}\input{p}}\typeout{wide \the\wd1}"
    compiled(tmp_path, "pdflatex", body + r"\box1")
    log = (tmp_path / "main.log").read_text("latin-1")
    assert float(re.search(r"wide ([\d.]+)pt", log)[1]) == pytest.approx(
        2 * 150 * 72.27 / 72, abs=0.01
    )


def test_a_letter_that_tex_lacks_is_written_as_its_number_or_as_the_paper_says(tmp_path):
    (tmp_path / "p.tex").write_text(picture(Text(9, 30, (Run("x中"),), 12.0)), "utf-8")
    assert "x[U+4E2D]" in compiled(tmp_path, "pdflatex", r"\input{p}")
    own = r"\newcommand\mtletter[2]{Zhong}\input{p}"
    assert "xZhong" in compiled(tmp_path, "pdflatex", own)


def test_a_line_that_is_too_wide_is_squeezed_and_another_is_left(tmp_path):
    line = Text(5, 50, (Run("WWWWWWWWWW"),), 16.0, width=60.0)
    short = Text(5, 90, (Run("ii"),), 16.0, width=60.0)
    (tmp_path / "p.tex").write_text(picture(line, short), "utf-8")
    compiled(tmp_path, "pdflatex", r"\input{p}")
    done = subprocess.run(
        ["pdftotext", "-bbox", "main.pdf", "-"], cwd=tmp_path, capture_output=True
    )
    found = re.findall(r'xMin="([\d.]+)".* xMax="([\d.]+)".*>(\w+)</word>', done.stdout.decode())
    wide = {word: float(end) - float(start) for start, end, word in found}
    assert wide["WWWWWWWWWW"] == pytest.approx(45, abs=0.5) and wide["ii"] < 8


EXPRESSIONS = [
    ("hiddenᵀ·g", r"\mathit{hidden}^{\mathsf{T}}\cdot g"),
    ("−1.2·10⁻⁷", r"-1.2{\cdot}10^{-7}"),
    ("(x − W2)^2/4", r"(x-W_{2})^{2}/4"),
    ("arcsin(x)", r"\arcsin(x)"),
    ("softmax(… + dense_1.bias)", r"\mathit{softmax}(\ldots+\mathit{dense\_1.bias})"),
    ("max(σ(x₁²), 0) (2nd)", r"\max(\sigma(x_{1}{}^{2}),0)\ (\mathrm{2nd})"),
    ("∂loss/∂x[0, :]", r"\partial\mathit{loss}/\partial x[0,{:}]"),
    ("x^y^z − W1ᵀ", r"x^{y}{}^{z}-W_{1}^{\mathsf{T}}"),
    ("λx", r"\lambda x"),
]


@pytest.mark.parametrize(("said", "set_as"), EXPRESSIONS)
def test_an_expression_is_set_as_mathematics_in_its_colour(said, set_as):
    line = Text(9, 30, (Run(f" {said} ", "mono", colour="orange", math=True),), 12.0)
    assert rf"{{\ttfamily\color{{mt-orange}}~${set_as}$~}}" in picture(line)


@pytest.mark.parametrize("said", ["e^", "größe", "not known", "a`b", "x{y}", r"a\b"])
def test_what_is_no_expression_to_tex_is_set_as_text(said):
    line = Text(9, 30, (Run(said, math=True),), 12.0)
    assert rf"{{\sffamily\color{{mt-ink}}{tikz.escaped(said)}}}" in picture(line)


@pytest.mark.parametrize("engine", ["pdflatex", "lualatex"])
def test_latex_sets_every_letter_of_an_expression(tmp_path, engine):
    said = [said for said, _ in EXPRESSIONS]
    for i, each in enumerate(said):
        run = Run(each, bold=i % 2 == 0, math=True)
        (tmp_path / f"s{i}.tex").write_text(picture(Text(5, 50, (run,), 9.34)), "utf-8")
    body = "\\newpage\n".join(rf"\input{{s{i}}}" for i in range(len(said)))
    pages = compiled(tmp_path, engine, body).split("\f")
    assert [letters(page) for page in pages[:-1]] == [letters(each) for each in said]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        (r"a_b^c#d%e&f~g", r"a\_b\textasciicircum{}c\#d\%e\&f\textasciitilde{}g"),
        (r"{x}\y$", r"\{x\}\textbackslash{}y\$"),
        ("--", r"-{\kern0pt}-"),
        (" a  b ", "~a ~b~"),
        ("x₁ wᵀ", r"x\textsubscript{1} w\textsuperscript{T}"),
        ("λ→∂", r"$\lambda$$\rightarrow$$\partial$"),
        ("Łódź ñ", r"\L{}\'{o}d\'{z} \~{n}"),
        ("a\nb\x00", r"a$\hookleftarrow$b\mtletter{" + "\ufffd}{U+FFFD}"),
    ],
)
def test_letters_with_a_meaning_to_tex_are_escaped(text, written):
    assert tikz.escaped(text) == written


def test_shapes_are_where_the_sheet_has_them():
    look = Look("blue-soft", "blue", 2.0, (4.0, 2.0), 0.5)
    text = picture(Group("W & b", (Rect(1.5, 2, 30, 10, look, 5.0),), 100.0, 50.0))
    assert r"\begin{scope}[shift={(100,50)}]" in text and "% W & b" in text
    options = "rounded corners=3.75bp, fill=mt-blue-soft, draw=mt-blue, line width=1.5bp"
    dashes = "dash pattern=on 3bp off 1.5bp, opacity=0.5"
    assert rf"\path[{options}, {dashes}] (1.5,2) rectangle (31.5,12);" in text


def test_a_curve_has_its_handles_and_a_triangle_at_its_end():
    curve = Path(((10, 10), (20, 10, 30, 20, 30, 30)), Look(stroke="line"), head=True)
    text = picture(curve)
    assert "(10,10) .. controls (20,10) and (30,20) .. (30,30);" in text
    assert r"\path[fill=mt-line] (30,31) -- (26,22) -- (34,22) -- cycle;" in text


def test_only_the_colours_that_are_used_are_defined_in_the_theme_asked_for():
    defined = re.findall(r"providecolor{(.*?)}{HTML}{(.*?)}", picture(
        Rect(0, 0, 9, 9, Look("blue")), Text(0, 9, (Run("a"),), 9.0), theme="grey"))  # fmt: skip
    assert defined == [("mt-blue", "666666"), ("mt-ink", "191919")]


def test_a_paper_may_define_a_colour_and_a_theme_ends_with_its_picture(tmp_path):
    box = Rect(0, 0, 9, 9, Look("blue"))
    for theme in ("light", "grey"):
        (tmp_path / f"{theme}.tex").write_text(picture(box, theme=theme), "utf-8")
    own = r"\definecolor{mt-blue}{rgb}{0,1,0}\input{grey}"
    compiled(tmp_path, "pdflatex", r"\pdfcompresslevel=0 \input{grey}\input{light}" + own)
    filled = re.findall(rb"([\d. ]+) rg", (tmp_path / "main.pdf").read_bytes())
    shades = list(dict.fromkeys(filled))
    assert shades == [b"0.4 0.4 0.4", b"0 0.44707 0.69804", b"0 1 0"]


def test_the_sentence_is_a_comment_of_whole_lines():
    text = picture(title="matmul passes\u2028hiddenᵀ.", notes="One.\nTwo.")
    head = text.split(r"\begin{tikzpicture}")[0].splitlines()
    assert head[2:6] == ["% matmul passes", "% hiddenᵀ.", "% One.", "% Two."]


def test_the_same_sheet_is_the_same_text():
    assert tikz.write([made.sheet(3)]) == tikz.write([made.sheet(3)])


def test_a_picture_in_beamer_compiles_with_overlays(tmp_path):
    (tmp_path / "p.tex").write_text(picture(Rect(0, 0, 9, 9, Look("blue"))), "utf-8")
    preamble = (
        "\\documentclass{beamer}\\usepackage[T1]{fontenc}\\usepackage{amsmath,amssymb,tikz,lmodern}"
    )
    frame = r"\begin{frame}\only<1>{\input{p}}\only<2>{\input{p}}\end{frame}"
    compiled(tmp_path, "pdflatex", "\\begin{document}" + frame, preamble)
