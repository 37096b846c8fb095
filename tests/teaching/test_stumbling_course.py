"""A course in which a class would stumble; its author had not read the checker.

The first count was 21 of 31, with two false alarms. A sentence that says the answer and a gradient
printed above its quiz were found last; a long formula and a long line of code, which
are scrolled in boxes of their own, are no longer counted as faults.
"""

from __future__ import annotations

import re

import pytest
from stumbling_course import PLANTED, write

from minitape.viz.teaching import edges
from minitape.viz.teaching.checking import check
from minitape.viz.teaching.folder import opened

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(edges.browser() is None, reason="no Chromium, Chrome or Edge"),
]
MISSED: set[tuple[str, str]] = set()
# True as well: such a check shows its lines, and the file of a path of one machine is missing.
BESIDES = {("check raises", "04_physics"), ("missing file", "05_sequences")}


@pytest.mark.takes_turns
def test_what_was_planted_is_found_in_its_cell_and_nothing_else_is(tmp_path):
    write(tmp_path / "course")
    course = opened(tmp_path / "course")
    found = {(each.kind, each.lesson.stem, each.cell) for each in check(course)}
    books = {lesson.name: lesson.book for lesson in course.lessons}
    missed = set()
    for kind, lesson, words in PLANTED:
        cells = [n for n, cell in enumerate(books[lesson].cells, 1) if words in cell.source]
        if not any((kind, lesson, cell) in found for cell in (*cells, 0)):
            missed.add((kind, lesson))
    assert missed == MISSED
    meant = {(kind, lesson) for kind, lesson, _ in PLANTED} | BESIDES
    assert {(kind, lesson) for kind, lesson, _ in found} <= meant


def test_the_planted_faults_are_of_many_kinds():
    assert len(PLANTED) == 29
    assert len({kind for kind, _, _ in PLANTED}) >= 10
    assert all(re.fullmatch(r"[a-z ]+", kind) for kind, _, _ in PLANTED)
