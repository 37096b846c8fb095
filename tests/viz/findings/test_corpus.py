"""A corpus of mistakes as students make them: line, kind, and a correction that works.

The corrected script is run again, by itself, and what it leaves in `g` is compared with
a closed form.
"""

from __future__ import annotations

import contextlib
import io
import runpy
from collections.abc import Iterator

import pytest
from corpus import Script, scripts
from warm import warmed

from minitape.viz.diagnosis.trial.report import report

pytestmark = pytest.mark.slow  # each script is run several times, in processes of its own


@pytest.fixture(scope="module", autouse=True)
def quickly() -> Iterator[None]:
    """A quarter of the time; nothing else is different."""
    with warmed():
        yield


MISTAKES = scripts(
    "none_numpy", "none_tape", "numbers", "shapes_and_rules", "more_mistakes", "students_none",
    "students_values", "homework_mistakes", "lab_mistakes", "assignment_mistakes",
    "course_mistakes", "project_mistakes", "thesis_mistakes",
    "seminar_mistakes", "workshop_mistakes", "trainings_mistakes",
)  # fmt: skip
HEALTHY = scripts(
    "healthy", "students_healthy", "homework_healthy", "lab_healthy", "assignment_healthy",
    "course_healthy", "project_healthy", "seminar_healthy", "workshop_healthy",
    "trainings_healthy",
)  # fmt: skip


@pytest.mark.parametrize("script", MISTAKES, ids=[each.name for each in MISTAKES])
def test_the_mistake_is_found_at_its_line_and_its_tried_correction_gives_the_gradient(
    script: Script, tmp_path
):
    file = tmp_path / "script.py"
    file.write_text(script.text)
    found = report(file)
    assert found.diagnoses[0].finding.line in script.lines
    assert found.diagnoses[0].finding.kind in script.kinds
    assert file.read_text() == script.text
    if script.expected == "-":  # then a correction may be known, or none
        return
    assert found.diagnoses[0].is_tried
    fixed = tmp_path / "fixed.py"
    fixed.write_text(found.fixed)
    with contextlib.redirect_stdout(io.StringIO()):
        left = runpy.run_path(str(fixed), run_name="__main__")
    assert script.is_right(left["g"])


@pytest.mark.parametrize("script", HEALTHY, ids=[each.name for each in HEALTHY])
def test_nothing_is_said_of_a_healthy_script(script: Script, tmp_path):
    file = tmp_path / "script.py"
    file.write_text(script.text)
    found = report(file)
    assert [one.finding.sentence for one in found.diagnoses] == []
    assert found.note == ""


def test_the_corpus_is_as_large_as_it_is_said_to_be():
    assert len(MISTAKES) >= 668
    assert len(HEALTHY) >= 321
