"""A folder of two notebooks that was written before this project's pages about courses were read.

It has what such folders have: a notebook in a folder of its own, a table, a picture that was pasted
into a cell, an underlined title, an exercise in nbgrader's marks whose check has no tag.
"""

from __future__ import annotations

import csv
import re
import zipfile

import pytest
from lecturers_course import write

from minitape.__main__ import main

pytestmark = pytest.mark.slow
HAND, SMALL = "01 Logistic regression by hand", "week2-small_network"


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    folder = tmp_path_factory.mktemp("own")
    write(folder / "course")
    return folder


def test_her_folder_becomes_pages_with_her_pictures_titles_and_links(own):
    assert main(["course", "pages", str(own / "course"), str(own / "pages")]) == 0
    start = (own / "pages" / "index.html").read_text("utf-8")
    assert re.findall(r'<li><a href="[^"]*">([^<]*)', start) == [
        "Logistic regression by hand", "A small network",
    ]  # fmt: skip
    hand, small = ((own / "pages" / f"{name}.html").read_text("utf-8") for name in (HAND, SMALL))
    assert 'href="week2-small_network.html"' in hand
    assert "(60, 2)" in hand  # what her table has
    assert "W.assign_sub" not in hand
    assert "NoneType" not in hand  # what checks an exercise that is not done shows nothing
    assert 'href="01%20Logistic%20regression%20by%20hand.html"' in small
    for words in ("the network", "tanh", "board"):
        (picture,) = re.findall(rf'<img [^>]*alt="{words}"[^>]*>', small)
        assert "data:image/png;base64," in picture
    assert (own / "pages" / f"{SMALL}.slides.html").exists()


def test_her_folder_becomes_packages(own):
    assert main(["course", "scorm", str(own / "course"), str(own / "course.zip")]) == 0
    with zipfile.ZipFile(own / "course.zip") as file:
        assert {f"{HAND}.html", f"{SMALL}.html", "exams.csv"} <= set(file.namelist())


def test_her_folder_becomes_an_exam_of_the_backward_pass_that_fits_on_paper(own):
    out = own / "exam"
    command = ["course", "exam", str(own / "course"), str(out), "--variants", "2", "--seed", "3"]
    assert main(command) == 0
    with open(out / "lecturer" / "key.csv", encoding="utf-8") as file:
        key = list(csv.DictReader(file))
    answers = [[row["answer"] for row in key if row["variant"] == each] for each in "12"]
    assert len(answers[0]) == len(answers[1]) >= 5
    assert answers[0] != answers[1]  # although her notebook sets the seed of its generator
    sheet = (out / "students" / "1.html").read_text("utf-8")
    assert sheet.count("<img ") == 1  # the forward pass with its numbers
    assert "gradient of <code>loss</code> with respect to <code>W</code>" in sheet
    assert "60, 2" not in sheet  # nobody multiplies by that on paper


def test_her_folder_is_without_a_fault_and_as_it_was(own, capsys):
    before = {path: path.read_bytes() for path in (own / "course").rglob("*") if path.is_file()}
    assert main(["course", "check", str(own / "course")]) == 0
    assert "2 lessons, 0 faults." in capsys.readouterr().out
    after = {path: path.read_bytes() for path in (own / "course").rglob("*") if path.is_file()}
    assert after == before
