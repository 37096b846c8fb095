"""Draws the variants of a course's exam, and writes sheets, key and marking script."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from ..base.terminal import say
from ..course.course import CourseError
from .folder import OwnCourse, OwnLesson
from .making import check_out, copied, made
from .pages import look_of
from .running import TIMEOUT, environment, is_check
from .sheets import write_exam

MOST = 2_000


def write_variants(course: OwnCourse, out: Path, count: int, seed: int) -> Path:
    """Makes the variants of an exam.

    Args:
        course: its notebooks with `viz.exam` blocks are the exam, in order.
        out: the folder to make: `students` has the sheets, `lecturer` the key and `mark.py`.
        count: how many variants.
        seed: the same seed draws the same numbers.

    Raises:
        CourseError: there is no question, a cell raises, or `out` holds something else.
    """
    if not 1 <= count <= MOST:
        raise CourseError(f"--variants {count}: write a number from 1 to {MOST}")
    asking = [lesson for lesson in course.lessons if _asks(lesson)]
    if not asking:
        raise CourseError(
            f"no notebook of {str(course.folder)!r} has a question: write `with viz.exam(points=2) "
            "as question:` and in it `question.ask(text, answer)`"
        )
    check_out(out, course.folder)
    names = [f"{number:0{len(str(count))}}" for number in range(1, count + 1)]
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / "copy"
        copied(course.folder, folder, out)
        places = {name: Path(work) / f"{name}.jsonl" for name in names}
        for lesson in asking:
            say(f"{lesson.name}: {count} variant{'s'[: count != 1]}")
            _sit(lesson, folder, places, seed, Path(work))
        variants = {name: _questions(place) for name, place in places.items()}
    made(out, course.folder, lambda place: write_exam(look_of(course), variants, place))
    return out


def _asks(lesson: OwnLesson) -> bool:
    return any(
        cell.cell_type == "code" and "viz.exam(" in cell.source for cell in lesson.book.cells
    )


def _sit(lesson: OwnLesson, folder: Path, places: dict[str, Path], seed: int, work: Path) -> None:
    """Runs one notebook for all variants."""
    cells = [
        (number, cell.source)
        for number, cell in enumerate(lesson.book.cells, 1)
        if cell.cell_type == "code" and not is_check(cell)
    ]
    failed, asked = work / "failed.json", work / "asked.json"
    variants = [{"seed": f"{seed}/{name}", "answers": str(place)} for name, place in places.items()]
    asked.write_text(
        json.dumps({"cells": cells, "variants": variants, "failed": str(failed)}), "utf-8"
    )
    command = [sys.executable, "-m", "minitape.viz.teaching.sitting", str(asked)]
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment(), stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=TIMEOUT, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise CourseError(f"{lesson.source} was given up after {TIMEOUT} seconds") from error
    if failed.exists():
        said = json.loads(failed.read_text("utf-8"))
        raise CourseError(f"{lesson.source}, cell {said['cell']}: {said['error']}")
    if done.returncode:
        last = [*done.stderr.strip().splitlines(), f"exit code {done.returncode}"][-1]
        raise CourseError(f"{lesson.source}: {last}")


def _questions(place: Path) -> list[dict[str, Any]]:
    if not place.exists():
        return []
    return [json.loads(line) for line in place.read_text("utf-8").splitlines()]
