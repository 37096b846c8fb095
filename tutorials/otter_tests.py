"""A lesson as an assignment for Otter-Grader: `python tutorials/otter_tests.py FOLDER [NAME ...]`.

For each lesson it makes a folder with the notebook that students get, and `tests` with one file for
each exercise, made of the lesson's own check: as many test cases as the exercise has half points, of
which as many pass as the answer earns. `otter generate` and `otter run` take them as they are, and in
a running notebook, in the browser too, `grader.check("by-hand")` says what the check says.
"""

from __future__ import annotations

import argparse
import ast
import sys
from pathlib import Path

import nbformat
from build import FOLDER, cells, notebook, sources

TEST = '''\
"""The check of the exercise {name}."""

import contextlib
import io

from otter.test_files import test_case

OK_FORMAT = False
name = {name!r}
points = None

CHECK = {check!r}


def earned(env):
    """The points of the answer in `env`, and what the check says."""
    names, said = dict(env), io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(CHECK, names)
    return names["_points"], said.getvalue()


KEPT = []  # the check runs for the first case, and the others look at what it gave


def needs(env, points):
    if points == 0.5:
        KEPT[:] = [earned(env)]
    found, said = KEPT[0]
    assert found >= points - 1e-9, said

{cases}'''
CASE = """
@test_case(points={step}, hidden=False)
def test_{number}(env):
    needs(env, {points})

"""


def otter_test(name: str, check: str, points: float) -> str:
    """The test file of an exercise."""
    steps = round(2 * points)
    cases = "".join(CASE.format(step=0.5, number=n, points=n / 2) for n in range(1, steps + 1))
    return TEST.format(name=name, check=with_points(check), cases=cases.rstrip() + "\n")


def with_points(check: str) -> str:
    """A check that keeps the value of its last line, which is the points, as `_points`."""
    tree = ast.parse(check)
    last = tree.body[-1]
    if not isinstance(last, ast.Expr):
        raise ValueError("a check has to end with score.earned, whose value is the points")
    lines = check.splitlines()
    return "\n".join([*lines[: last.lineno - 1], "_points = (", *lines[last.lineno - 1 :], ")"])


def write(source: Path, place: Path, solutions: bool = False) -> None:
    """Writes the assignment of a lesson: its notebook, and the tests."""
    (place / "tests").mkdir(parents=True, exist_ok=True)
    book, kept = notebook(source, solutions=solutions), []
    begin = f'import otter\n\ngrader = otter.Notebook("{source.stem}.ipynb")'
    kept.append(nbformat.v4.new_code_cell(begin, id="otter"))
    for cell in book.cells:
        settings = cell.metadata.get("nbgrader", {})
        if not settings.get("grade"):
            cell.metadata.pop("nbgrader", None)
            kept.append(cell)
            continue
        name = settings["grade_id"].removesuffix("-check")
        kept.append(nbformat.v4.new_code_cell(f'grader.check("{name}")', id=cell.id))
        test = otter_test(name, cell.source, settings["points"])
        (place / "tests" / f"{name}.py").write_text(test, "utf-8")
    book.cells = kept
    nbformat.write(book, place / f"{source.stem}.ipynb")


def main(arguments: list[str] | None = None) -> int:
    """Writes the named lessons, or all of them."""
    parser = argparse.ArgumentParser(description="Write lessons as assignments for Otter-Grader.")
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("names", nargs="*", metavar="NAME", help="such as 01_first_gradient")
    parser.add_argument("--solutions", action="store_true", help="with the answers")
    options = parser.parse_args(arguments)
    for source in sources():
        if not options.names or source.stem in options.names:
            write(source, options.folder / source.stem, options.solutions)
            points = sum(
                c.metadata["nbgrader"].get("points", 0)
                for c in cells(source.read_text("utf-8"))
                if c.is_exercise
            )
            print(f"{options.folder / source.stem}: {points:g} points")
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(FOLDER))
    sys.exit(main())
