"""`minitape course check` finds what a class would stumble over, and nothing in what is right."""

from __future__ import annotations

import pytest
from courses import code, course, lesson

from minitape.viz.teaching.checking import check
from minitape.viz.teaching.folder import opened

pytest.importorskip("jupytext")
pytest.importorskip("nbclient")

PREDICTED = code(
    'from minitape import viz\nwith viz.predict("What is 6 times 7?"):\n    print(6 * 7)'
)
EXERCISE = code("### BEGIN SOLUTION\nanswer = sum(range(1, 11))\n### END SOLUTION")
CHECK = code(
    "from minitape import viz\nwith viz.Score(2) as score:\n"
    '    score.part(2, answer == 55, "Is 10 among them?")\n    score.total("10 times 11 / 2.")',
    "check",
)
WORDS = "word " * 110
HOME = "/" + "home/ada"

# Each planted fault: which lesson, which cell (the title is cell 1), and its kind.
FAULTY = {
    "a": (
        lesson("[gone](nowhere.md) and [no such section](#absent)", code("1 / 0"),
               "![](picture.svg)"),
        [(1, "dead link"), (1, "dead link"), (2, "raises"), (3, "no words")],
    ),
    "b": (
        lesson(code("print(42)"), PREDICTED, code(f"y = '{HOME}/x.csv'"), EXERCISE,
               code("assert answer == 55", "check")),
        [(3, "answer above"), (4, "own path"), (6, "check raises")],
    ),
    "c": (
        lesson(code("total = sum(range(1, 11))\nanswer = sum(range(1, 11))"), EXERCISE,
               code("print(answer == 55)", "check"), code("### BEGIN SOLUTION\nz = 1")),
        [(3, "answer above"), (5, "solution open")],
    ),
    "d": (
        lesson(code("x = 1"), CHECK.replace("answer == 55", "True"), EXERCISE,
               CHECK.replace("answer == 55", "answer == 54")),
        [(3, "no exercise"), (5, "check fails")],
    ),
    "e": (
        "---\njupyter:\n  jupytext:\n    formats: md\n---\n" + "\n\n".join(
            ["No title here.", WORDS, WORDS, WORDS, code("print(1)"),
             code("%pip install minitape"), "[other](a.ipynb#missing)",
             '<img src="nothing.png" alt="a picture">']),
        [(0, "too long"), (1, "no title"), (3, "installs"), (4, "dead link"), (4, "dead link")],
    ),
    "f": (
        lesson(code("print('seventeen')"), code(
            'from minitape import viz\nwith viz.predict("Which word?"):\n    print("seventeen")'),
            "![ ](a.png)", code("w = '/Users/ada/x.csv'")),
        [(3, "answer above"), (4, "no words"), (4, "dead link"), (5, "own path")],
    ),
}  # fmt: skip


@pytest.mark.slow
def test_planted_faults_are_found_where_they_are_and_nothing_else(tmp_path):
    texts = {name: text for name, (text, _) in FAULTY.items()}
    course(tmp_path, "[minutes]\ne = 3\n", **texts)
    (tmp_path / "picture.svg").write_text("<svg/>")
    found = check(opened(tmp_path))
    placed = sorted((each.lesson.stem, each.cell, each.kind) for each in found)
    wanted = sorted((name, *each) for name, (_, faults) in FAULTY.items() for each in faults)
    assert placed == wanted
    assert len(wanted) >= 20 and len({kind for *_, kind in wanted}) >= 10


@pytest.mark.slow
def test_a_course_that_is_right_has_no_fault(tmp_path):
    other = lesson("[the first](first.md) and [its part](first.ipynb#a-part)", PREDICTED, title="B")
    first = lesson("## A part", EXERCISE, CHECK, "![a curve that falls](curve.svg)", title="A")
    course(tmp_path, "[minutes]\nfirst = 20\n", first=first, other=other)
    (tmp_path / "curve.svg").write_text("<svg/>")
    assert [str(each) for each in check(opened(tmp_path))] == []


@pytest.mark.slow
def test_the_course_that_new_writes_has_no_fault(tmp_path):
    from minitape.viz.teaching.new import write_new

    write_new(tmp_path)
    assert [str(each) for each in check(opened(tmp_path))] == []
