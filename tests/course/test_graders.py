"""The course in nbgrader and in Otter-Grader: all points for the answers, none for empty notebooks.

Each day grades a third of the lessons, so that three days grade all; MINITAPE_LESSONS=all grades
all at once, which takes a quarter of an hour.

Needs both packages (`pip install nbgrader otter-grader`), which no extra has: they bring much.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from everyday import of_today

nbformat = pytest.importorskip("nbformat", reason="needs nbformat (extra notebook)")
pytest.importorskip("nbclient", reason="needs nbclient (extra test)")

TUTORIALS = Path(__file__).parents[2] / "tutorials"
SOURCES = of_today(sorted(TUTORIALS.glob("[0-9]*.py")))
CONFIG = """
c = get_config()
c.CourseDirectory.course_id = "course"
c.ExecutePreprocessor.timeout = 300
"""
TOTAL = """
found = grader.check_all()
total = sum(each.score for each in found.results.values())
print(f"TOTAL={total}")
"""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def modules():
    """The scripts that build notebooks and assignments; `otter_run` can be imported."""
    places = [str(TUTORIALS), str(Path(__file__).parents[1] / "classroom")]
    sys.path[:0] = places
    yield [load(name) for name in ("build", "otter_tests")]
    for place in places:
        sys.path.remove(place)


def load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, TUTORIALS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def environment() -> dict[str, str]:
    paths = os.pathsep.join(filter(None, [str(TUTORIALS.parent), os.environ.get("PYTHONPATH")]))
    return os.environ | {"PYTHONPATH": paths, "MPLBACKEND": "Agg"}


def points_of(build: Any, source: Path) -> float:
    cells = build.cells(source.read_text("utf-8"))
    return sum(c.metadata["nbgrader"].get("points", 0) for c in cells if c.is_exercise)


@pytest.fixture(scope="module")
def scores(modules, tmp_path_factory):
    """By student and lesson what nbgrader's commands gave, for all lessons as one assignment."""
    pytest.importorskip("nbgrader", reason="needs nbgrader")
    build, _ = modules
    folder = tmp_path_factory.mktemp("course")
    (folder / "nbgrader_config.py").write_text(CONFIG)
    place = folder / "source" / "course"
    shutil.copytree(TUTORIALS / "data", place / "data")
    for source in SOURCES:
        nbformat.write(build.notebook(source, solutions=True), place / f"{source.stem}.ipynb")
    nbgrader(folder, "generate_assignment", "course")
    for student, work in (("answers", place), ("empty", folder / "release" / "course")):
        shutil.copytree(work, folder / "submitted" / student / "course")
    for command in ("autograde", "generate_feedback"):
        nbgrader(folder, command, "course")
    nbgrader(folder, "export")
    assert (folder / "grades.csv").is_file()
    return scores_in(folder)


def scores_in(folder: Path) -> dict[tuple[str, str], float]:
    """The points in nbgrader's book of grades, of what has feedback."""
    from nbgrader.api import Gradebook

    found = {}
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as book:
        for submission in book.assignment_submissions("course"):
            student = submission.student.id
            for each in submission.notebooks:
                assert (folder / "feedback" / student / "course" / f"{each.name}.html").is_file()
                found[student, each.name] = each.score
    return found


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_nbgrader_gives_all_points_to_the_answers_and_none_to_an_empty_notebook(
    modules, scores, source
):
    points = points_of(modules[0], source)
    assert (scores["answers", source.stem], scores["empty", source.stem]) == (points, 0.0)


def nbgrader(folder: Path, *command: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", *command],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_otter_gives_all_points_to_the_answers_and_none_to_an_empty_notebook(
    modules, source, tmp_path
):
    pytest.importorskip("otter", reason="needs otter-grader")
    build, otter_tests = modules
    found = []
    for solutions in (True, False):
        place = tmp_path / str(solutions)
        otter_tests.write(source, place, solutions)
        shutil.copytree(TUTORIALS / "data", place / "data")
        found.append(otter_total(place / f"{source.stem}.ipynb"))
    assert found == [points_of(build, source), 0.0]


def otter_total(path: Path) -> float:
    """The points that Otter gives a notebook after the cells that its exercises need have run.

    Whole lessons run in nbgrader, above.
    """
    from nbclient import NotebookClient
    from otter_run import chosen

    book = nbformat.read(path, as_version=4)
    book.cells = [nbformat.v4.new_code_cell(text) for text in chosen(book.cells)]
    book.cells.append(nbformat.v4.new_code_cell(TOTAL))
    where = {"metadata": {"path": str(path.parent)}}
    client = NotebookClient(
        book, timeout=300, kernel_name="python3", allow_errors=True, resources=where
    )
    client.execute(env=environment())
    printed = "".join(output.get("text", "") for output in book.cells[-1].outputs)
    return float(printed.split("TOTAL=")[1])
