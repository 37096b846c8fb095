"""The page of pictures: its list, its files and its programs agree."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "pictures"
sys.path.insert(0, str(FOLDER))

import draw  # noqa: E402, a script of that folder

PICTURES = {each.name: each for each in draw.PICTURES}
PLAYERS = [each for each in draw.PICTURES if each.step]


def test_the_page_is_the_one_that_the_list_makes():
    again = "write it anew with `python docs/pictures/draw.py`, and look at the pictures"
    assert draw.PAGE.read_text("utf-8") == draw.page(), again


def test_every_picture_of_the_page_is_there_and_every_one_there_is_on_the_page():
    shown = re.findall(r"^!\[[^\]]{40,}\]\(pictures/(\S+)\)$", draw.PAGE.read_text("utf-8"), re.M)
    kept = {file.name for file in FOLDER.iterdir() if file.suffix in {".png", ".svg"}}
    assert len(shown) == len(draw.PICTURES) >= 12
    assert set(shown) == kept
    assert len(set(shown)) == len(shown)


def test_the_pictures_are_small_and_are_what_their_endings_say():
    files = [FOLDER / each.file for each in draw.PICTURES]
    assert sum(file.stat().st_size for file in files) < 2_000_000
    for file in files:
        head = file.read_bytes()[:8]
        assert head.startswith(b"\x89PNG" if file.suffix == ".png" else b"<svg"), file.name


def test_what_a_student_sees_is_one_line_for_each():
    for each in draw.PICTURES:
        assert "\n" not in each.sees and 40 < len(each.sees) < 240, each.name
        assert each.sees.endswith("."), each.name


def test_the_readme_links_to_the_page():
    assert "](docs/PICTURES.md)" in (ROOT / "README.md").read_text("utf-8")


@pytest.mark.parametrize("shown", PLAYERS, ids=[each.name for each in PLAYERS])
def test_the_step_of_a_screen_is_one_of_its_program(shown):
    made = shown.program()
    number = int(re.match(r"#step=(\d+)", draw._address(shown, made))[1])
    walked = [step for step in made.trace.steps if step.kind != "release"]
    assert 1 <= number <= len(walked) + 1
    if shown.at and number <= len(walked):
        shape = walked[number - 1].contribution.shape
        place = [int(part) for part in shown.at.split(",")]
        assert len(place) == len(shape)
        assert all(at < length for at, length in zip(place, shape, strict=True))


@pytest.mark.parametrize("name", ["jacobian", "memory"])
def test_a_drawn_picture_is_what_its_program_draws_now(name):
    shown = PICTURES[name]
    kept = (FOLDER / shown.file).read_text("utf-8")
    assert shown.program().svg == kept, f"draw it anew: python docs/pictures/draw.py {name}"
