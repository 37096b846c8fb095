"""Saving steps of a player as pictures, and what is said where that cannot be done."""

from __future__ import annotations

import base64
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from recorded import network, scalars

from minitape.viz.errors import MissingExtraError
from minitape.viz.export import needed


@pytest.fixture(scope="module")
def player():
    return network()


def test_a_step_is_saved_as_a_drawing_that_says_its_sentence(player, tmp_path):
    path = player.save(tmp_path / "step.svg", step=3)
    drawn = ElementTree.parse(path).getroot()
    assert drawn.find("{http://www.w3.org/2000/svg}title").text in player.text(3)


def test_the_page_and_the_trace_are_saved_as_before(player, tmp_path):
    assert "<!doctype html>" in player.save(tmp_path / "a.html").read_text("utf-8").lower()
    assert json.loads(player.save(tmp_path / "a.json").read_text())["format"] == "minitape-trace"


def test_the_same_program_gives_the_same_bytes(tmp_path):
    first, second = (network().save(tmp_path / f"{i}.svg", step=9).read_bytes() for i in range(2))
    assert first == second
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from recorded import network; network().save(sys.argv[2], step=9)\n"
    )
    folder = str(Path(__file__).parent)
    other = tmp_path / "other.svg"
    subprocess.run([sys.executable, "-c", code, folder, str(other)], check=True)
    assert other.read_bytes() == first


def test_the_width_of_a_picture_is_the_one_that_was_asked_for(player, tmp_path):
    path = player.save(tmp_path / "a.svg", step=3, width="154mm", shows="proof")
    drawn = ElementTree.parse(path).getroot()
    assert float(drawn.get("width")) == pytest.approx(154 / 25.4 * 96, abs=0.01)
    slide = ElementTree.parse(player.save(tmp_path / "b.svg", step=3)).getroot()
    assert float(slide.get("width")) / float(slide.get("height")) == pytest.approx(16 / 9, rel=0.01)


def test_a_picture_shows_itself_and_saves_itself(player, tmp_path):
    picture = player.picture(3, (2, 1))
    bundle = picture._repr_mimebundle_()
    assert bundle["text/html"].startswith('<img src="data:image/svg+xml;base64,')
    assert picture.save(tmp_path / "a.svg").read_text("utf-8") == picture.svg
    assert "[2, 1]: " in picture.svg
    assert repr(picture).startswith("<Picture of step 3: ")


def test_a_png_has_the_pixels_that_were_asked_for(player, tmp_path):
    pytest.importorskip("resvg_py")
    image = pytest.importorskip("PIL.Image")
    path = player.save(tmp_path / "a.png", step=3, dpi=48)
    with image.open(path) as opened:
        assert opened.size == (640, 360)
        assert len(set(opened.convert("L").tobytes())) > 20


def test_letters_can_be_brought_along(player, tmp_path):
    pytest.importorskip("fontTools")
    named = player.save(tmp_path / "a.svg", step=3).read_text("utf-8")
    whole = player.save(tmp_path / "b.svg", step=3, fonts="embed").read_text("utf-8")
    assert "@font-face" not in named
    faces = re.findall(r"font-family:\"([^\"]+)\";[^}]*url\(data:font/ttf;base64,([^)]+)\)", whole)
    assert {family for family, _ in faces} == {"DejaVu Sans", "DejaVu Sans Mono"}
    assert all(base64.b64decode(data)[:4] == b"\0\1\0\0" for _, data in faces)
    assert len(whole) < len(named) + 90_000


def test_letters_can_be_outlines_that_need_no_font(player, tmp_path):
    pytest.importorskip("fontTools")
    named = ElementTree.parse(player.save(tmp_path / "a.svg", step=3)).getroot()
    drawn = ElementTree.parse(player.save(tmp_path / "b.svg", step=3, fonts="paths")).getroot()
    svg = "{http://www.w3.org/2000/svg}"
    assert not list(drawn.iter(f"{svg}text"))
    said = [each.get("aria-label") for each in drawn.iter(f"{svg}g") if each.get("role") == "img"]
    assert said == ["".join(each.itertext()) for each in named.iter(f"{svg}text")]
    known = {each.get("id") for each in drawn.iter(f"{svg}path")} - {None}
    used = [each.get("href")[1:] for each in drawn.iter(f"{svg}use")]
    assert set(used) == known
    assert len(used) == sum(not c.isspace() for text in said for c in text)


def test_a_picture_of_outlines_is_the_same_picture(player, tmp_path):
    resvg = pytest.importorskip("resvg_py")
    image = pytest.importorskip("PIL.Image")
    with_fonts = player.save(tmp_path / "a.png", step=3, dpi=96)
    text = player.save(tmp_path / "a.svg", step=3, fonts="paths").read_text("utf-8")
    drawn = resvg.svg_to_bytes(svg_string=text, width=1280, skip_system_fonts=True)
    one, other = (image.open(each).convert("L") for each in (with_fonts, io.BytesIO(bytes(drawn))))
    apart = [abs(a - b) for a, b in zip(one.tobytes(), other.tobytes(), strict=True)]
    assert sum(each > 90 for each in apart) < 0.002 * len(apart)


def test_a_pdf_of_outlines_has_no_fonts(player, tmp_path):
    pytest.importorskip("fpdf")
    pypdf = pytest.importorskip("pypdf")
    path = player.save(tmp_path / "a.pdf", step=3, fonts="paths")
    (page,) = pypdf.PdfReader(path).pages
    assert "/Font" not in page["/Resources"] or not page["/Resources"]["/Font"]
    assert page.extract_text().strip() == ""
    assert len(page.get_contents().get_data()) > 20_000


WRONG = [
    ({"path": "a.jpeg"}, ValueError, r"'a.jpeg' ends in .jpeg, which no export writes; end in"),
    ({"path": "a"}, ValueError, r"has no ending; end in .html, .svg"),
    ({"path": "a.svg"}, ValueError, r"a .svg shows one step and none was named; write step=\d+"),
    ({"path": "a.tex", "steps": (2, 4)}, ValueError, r"shows one step and 3 were named"),
    ({"path": "a.svg", "step": 99}, IndexError, r"no step 99: .* has \d+; write step=\d+"),
    ({"path": "a.svg", "step": 0}, IndexError, r"counts its steps from 1, .*; write step=1$"),
    ({"path": "a.svg", "step": 1.5}, TypeError, r"step=1.5 is not a number of a step"),
    ({"path": "a.svg", "step": 2, "steps": (1, 2)}, ValueError, r"write one of them"),
    ({"path": "a.pdf", "steps": (5, 2)}, ValueError, r"run backward; write steps=\(2, 5\)"),
    ({"path": "a.svg", "step": 1, "at": (7, 0)}, IndexError, r"is \[5, 6\]; at=\(4, 5\)"),
    ({"path": "a.svg", "step": 1, "at": 3}, IndexError, r"no element \(3,\)"),
    ({"path": "a.pdf", "at": (0, 0)}, ValueError, r"an element of one step and \d+ are shown"),
    ({"path": "a.svg", "step": 1, "width": "3 miles"}, ValueError, r'write .* width="154mm"'),
    ({"path": "a.svg", "step": 1, "width": "9mm"}, ValueError, r"too narrow .* from 40 mm"),
    ({"path": "a.svg", "step": 1, "aspect": "wide"}, ValueError, r'aspect="16:9" or "4:3"'),
    ({"path": "a.svg", "step": 1, "shows": "code"}, ValueError, r"'sentence', 'graph', 'proof'"),
    ({"path": "a.svg", "step": 1, "theme": "pink"}, ValueError, r"'light', 'dark', 'grey'"),
    ({"path": "a.tex", "step": 1, "fonts": "paths"}, ValueError, r"a \.tex has no .* leave fonts"),
    ({"path": "a.pdf", "fonts": "names"}, ValueError, r"a \.pdf has no .* write fonts='embed'"),
    ({"path": "a.svg", "step": 1, "fonts": "mine"}, ValueError, r"fonts='embed' .* fonts='paths'"),
    ({"path": "no/a.svg", "step": 1}, FileNotFoundError, r"does not exist; create it first"),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "error", "message"), WRONG, ids=lambda each: str(each)[:40])
def test_what_cannot_be_saved_is_said_and_leaves_no_file(player, tmp_path, asked, error, message):
    with pytest.raises(error, match=message):
        player.save(**{**asked, "path": tmp_path / asked["path"]})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", ["pdf", "png", "pptx", "gif", "mp4"])
def test_a_missing_package_is_said_before_any_work(player, tmp_path, monkeypatch, ending):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(needed, "importlib", type("no", (), {"import_module": missing}))
    step = {"step": 1} if ending == "png" else {}
    with pytest.raises(MissingExtraError, match=r"pip install 'minitape\[(export|film)\]'"):
        player.save(tmp_path / f"a.{ending}", **step)
    assert list(tmp_path.iterdir()) == []


def test_a_player_without_steps_says_so(tmp_path):
    from minitape.viz import Player, Trace

    with pytest.raises(ValueError, match="no steps to show; record a program"):
        Player(Trace(())).save(tmp_path / "a.svg", step=1)


def test_an_element_of_a_number_is_refused(tmp_path):
    with pytest.raises(IndexError, match="is a number"):
        scalars().picture(1, (0,))
