"""`minitape course check` finds what a class would stumble over, and nothing in what is right."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import nbformat
import pytest
from courses import code, course, lesson

from everyday import of_today
from minitape.viz.course.running import with_outputs
from minitape.viz.teaching import checking, edges
from minitape.viz.teaching.checking import check
from minitape.viz.teaching.folder import opened
from minitape.viz.teaching.running import for_learners

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
               "![](picture.svg)", code("import no_such_package"),
               code("rows = open('absent.csv').read()"), code("print(rows)"), title="A"),
        [(1, "dead link"), (1, "dead link"), (2, "raises"), (3, "no words"),
         (4, "missing package"), (5, "missing file")],
    ),
    "b": (
        lesson(code("print(42)"), PREDICTED, code(f"y = '{HOME}/x.csv'"), EXERCISE,
               code("assert answer == 55", "check"), "## Part\n\nOne.", "## Part\n\nTwo.",
               title="B"),
        [(3, "answer above"), (4, "own path"), (6, "check raises"), (7, "same name")],
    ),
    "c": (
        lesson(code("total = sum(range(1, 11))\nanswer = sum(range(1, 11))"), EXERCISE,
               code("print(answer == 55)", "check"), code("### BEGIN SOLUTION\nz = 1"),
               "## Solution", code("slope = 2.0 * 3.0"), title="C"),
        [(3, "answer above"), (5, "solution open"), (7, "solution shown")],
    ),
    "d": (
        lesson(code("x = 1"), CHECK.replace("answer == 55", "True"), EXERCISE,
               CHECK.replace("answer == 55", "answer == 54"), EXERCISE,
               CHECK.replace('"Is 10 among them?"', 'f"It is {sum(range(1, 11))}."'),
               "A <details>`answer = sum(range(1, 11))`</details>", title="D"),
        [(3, "no exercise"), (5, "check fails"), (7, "check tells"), (4, "solution shown"),
         (6, "solution shown")],
    ),
    "e": (
        "---\njupyter:\n  jupytext:\n    formats: md\n---\n" + "\n\n".join(
            ["No title here.", WORDS, WORDS, WORDS, code("print(1)"),
             code("%pip install minitape"), "[other](a.ipynb#missing)",
             '<img src="nothing.png" alt="a picture">',
             "The slope at 2 is 11.75 as we shall see.", code(
                 'from minitape import viz\nwith viz.predict("The slope?"):\n    print(11.75)')]),
        [(0, "too long"), (1, "no title"), (3, "installs"), (4, "dead link"),
         (4, "missing picture"), (5, "answer above")],
    ),
    "f": (
        lesson(code("print('seventeen')"), code(
            'from minitape import viz\nwith viz.predict("Which word?"):\n    print("seventeen")'),
            "![ ](a.png)", code("w = '/Users/ada/x.csv'"),
            f"{'donaudampfschifffahrts' * 3} is a word, "
            "and ![a cat](https://example.org/cat.png) a picture", title="F"),
        [(3, "answer above"), (4, "no words"), (4, "missing picture"), (5, "own path"),
         (6, "far picture"), (6, "over the edge")],
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.takes_turns
def test_planted_faults_are_found_where_they_are_and_nothing_else(tmp_path, monkeypatch, capsys):
    """As far as it is known without a browser; the next test asks one."""
    monkeypatch.setattr(edges, "browser", lambda: None)
    texts = {name: text for name, (text, _) in FAULTY.items()}
    course(tmp_path, "[minutes]\ne = 3\n", **texts)
    (tmp_path / "picture.svg").write_text("<svg/>")
    found = check(opened(tmp_path))
    placed = sorted((each.lesson.stem, each.cell, each.kind) for each in found)
    wanted = sorted((name, *each) for name, (_, faults) in FAULTY.items() for each in faults)
    assert sorted(set(wanted) - set(placed)) == []
    assert placed == wanted
    assert len(wanted) >= 20 and len({kind for *_, kind in wanted}) >= 10
    assert "No Chromium, Chrome or Edge was found" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.browser
def test_what_is_over_the_edge_of_a_page_or_slide_is_measured(tmp_path):
    """A table scrolls in its own box, and a wide picture shrinks: neither is a fault."""
    table = "|" + "a wide column |" * 40 + "\n|" + "---|" * 40 + "\n|" + "a b c d e f|" * 40
    picture = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="2000" height="9"><rect width="9"/></svg>'
    )
    right = lesson(table, "![a line](wide.svg)", code("x = 'a line of code' + 'y' * 200\nprint(x)"))
    narrow = lesson('<div style="width: 600px">A box</div>', title="Narrow")
    wide = lesson("Some words", '<div style="width: 1500px">A box</div>', title="Wide")
    high = lesson("## High\n\n" + "\n".join(f"- point {i}" for i in range(40)), title="Heights")
    course(tmp_path, high=high, narrow=narrow, right=right, wide=wide)
    (tmp_path / "wide.svg").write_text(picture)
    found = check(opened(tmp_path))
    assert {each.kind for each in found} == {"over the edge"}
    placed = [(each.lesson.stem, each.cell) for each in found]
    assert placed == [("high", 0), ("narrow", 1), ("wide", 1), ("wide", 1)]
    assert "the slide `High` holds more than 1280 x 720" in found[0].sentence
    assert "on a page 390 wide" in found[1].sentence and "`A box`" in found[1].sentence
    assert "on a page 1280 wide" in found[2].sentence


@pytest.mark.slow
def test_a_course_that_is_right_has_no_fault(tmp_path):
    other = lesson("[the first](first.md) and [its part](first.ipynb#a-part)", PREDICTED, title="B")
    first = lesson("## A part", EXERCISE, CHECK, "![a curve that falls](curve.svg)", title="A")
    course(tmp_path, "[minutes]\nfirst = 20\n", first=first, other=other)
    (tmp_path / "curve.svg").write_text("<svg/>")
    assert [str(each) for each in check(opened(tmp_path))] == []


@pytest.mark.slow
@pytest.mark.takes_turns
def test_the_course_that_new_writes_has_no_fault(tmp_path):
    from minitape.viz.teaching.new import write_new

    write_new(tmp_path)
    assert [str(each) for each in check(opened(tmp_path))] == []


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.takes_turns
def test_the_built_in_course_has_no_fault():
    """Today's third, as a run of its pages has it; three that run in seconds are run, too."""
    ours = opened(Path(__file__).parents[2] / "tutorials")
    program = edges.browser()
    found = []
    for each in of_today(ours.lessons):
        book = nbformat.reads(with_outputs(each.source), as_version=4)
        looked = checking.Looked(ours, each, book)
        for question in checking.QUESTIONS:
            found += question(looked)
        found += checking._edges(looked, program)
    found += check(replace(ours, lessons=tuple(ours.lessons[i] for i in (0, 2, 3))))
    assert [str(each) for each in found] == []
    assert len(ours.lessons) >= 15


@pytest.mark.slow
def test_solutions_marked_as_otter_does_are_kept_back(tmp_path):
    marked = EXERCISE.replace("### BEGIN", "# BEGIN").replace("### END", "# END")
    course(tmp_path, a=lesson(marked, CHECK, title="Otter"))
    own = opened(tmp_path)
    assert "sum(" not in for_learners(own.lessons[0]).cells[1].source
    assert [str(each) for each in check(own)] == []
