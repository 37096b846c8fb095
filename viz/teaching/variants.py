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
from .pages import as_it_lies, look_of
from .running import TIMEOUT, environment, is_check, without_outputs
from .sheets import write_exam

MOST = 2_000


def write_variants(course: OwnCourse, out: Path, count: int, seed: int) -> Path:
    """Makes the variants of an exam.

    Args:
        course: its notebooks with `viz.exam` blocks are the exam, in order. Where none has one,
            each backward pass in them is asked about that is small enough for paper.
        out: the folder to make: `students` has the sheets, `lecturer` the key and `mark.py`.
        count: how many variants.
        seed: the same seed draws the same numbers.

    Raises:
        CourseError: there is no question, a cell raises, or `out` holds something else.
    """
    if not 1 <= count <= MOST:
        raise CourseError(f"--variants {count}: write a number from 1 to {MOST}")
    asking = [lesson for lesson in course.lessons if _asks(lesson)]
    check_out(out, course.folder)
    names = [f"{number:0{len(str(count))}}" for number in range(1, count + 1)]
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / "copy"
        copied(course.folder, folder, out)
        places = {name: Path(work) / f"{name}.jsonl" for name in names}
        for lesson in asking or course.lessons:
            say(f"{lesson.name}: {count} variant{'s'[: count != 1]}")
            program = None if asking else _as_program(course, lesson, folder)
            _sit(lesson, folder, places, seed, Path(work), program)
        variants = {name: _questions(place) for name, place in places.items()}
    if not any(variants.values()):
        raise CourseError(
            f"no notebook of {str(course.folder)!r} has a question: write `with viz.exam(points=2) "
            "as question:` and in it `question.ask(text, answer)`, or compute gradients of at most "
            "nine numbers, which are asked for"
        )
    if count > 1 and len({json.dumps(each) for each in variants.values()}) == 1:
        say("All variants are alike, since nothing in them is drawn: `question.draw(2, 9)` draws.")
    made(out, course.folder, lambda place: write_exam(look_of(course), variants, place))
    return out


def _asks(lesson: OwnLesson) -> bool:
    return any(
        cell.cell_type == "code" and "viz.exam(" in cell.source for cell in lesson.book.cells
    )


def _as_program(course: OwnCourse, lesson: OwnLesson, folder: Path) -> Path:
    """The notebook in the copy of the folder, without its checks, which know the plain numbers."""
    book = without_outputs(lesson)
    book.cells = [cell for cell in book.cells if not is_check(cell)]
    return as_it_lies(lesson, book, folder, course).path


def _sit(
    lesson: OwnLesson, folder: Path, places: dict[str, Path], seed: int, work: Path,
    program: Path | None,
) -> None:  # fmt: skip
    """Runs one notebook for all variants; a `program` that asks nothing itself is asked about."""
    cells = [
        (number, cell.source)
        for number, cell in enumerate(lesson.book.cells, 1)
        if cell.cell_type == "code" and not is_check(cell)
    ]
    what = {"cells": cells} if program is None else {"program": str(program)}
    failed, asked = work / "failed.json", work / "asked.json"
    variants = [{"seed": f"{seed}/{name}", "answers": str(place)} for name, place in places.items()]
    asked.write_text(json.dumps(what | {"variants": variants, "failed": str(failed)}), "utf-8")
    command = [sys.executable, "-m", "minitape.viz.teaching.sitting", str(asked)]
    try:
        done = subprocess.run(
            command, cwd=folder / lesson.place, env=environment(), stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=TIMEOUT, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise CourseError(f"{lesson.source} was given up after {TIMEOUT} seconds") from error
    if failed.exists():
        said = json.loads(failed.read_text("utf-8"))
        place = f", cell {said['cell']}" if said["cell"] else ""
        raise CourseError(f"{lesson.source}{place}: {said['error']}")
    if done.returncode:
        last = [*done.stderr.strip().splitlines(), f"exit code {done.returncode}"][-1]
        raise CourseError(f"{lesson.source}: {last}")


def _questions(place: Path) -> list[dict[str, Any]]:
    if not place.exists():
        return []
    return [json.loads(line) for line in place.read_text("utf-8").splitlines()]
