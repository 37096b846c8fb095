"""Runs a course's notebooks, each in a kernel of its own and in a copy of the folder.

What a learner has to do is not run: exercises (with an answer between `### BEGIN SOLUTION` and
`### END SOLUTION`, or marked by nbgrader) and their checks (tagged `check`, or graded by nbgrader).
A later cell that raises for want of them, and works with the answers, shows nothing.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import minitape

from ..base.terminal import say
from ..course import running
from ..course.course import CourseError
from ..course.exercises import BEGINS, without_solutions
from ..quizzes.quiz import OFFLINE
from .folder import OwnCourse, OwnLesson

TIMEOUT = 600  # seconds for one cell


def is_exercise(cell: Any) -> bool:
    """Whether a cell is for the learner: to be filled in, or a check of that."""
    marks = cell.metadata.get("nbgrader", {})
    return bool(
        marks.get("solution") or marks.get("grade") or BEGINS.search(cell.source) or is_check(cell)
    )


def is_check(cell: Any) -> bool:
    """Whether a cell checks what a learner has written."""
    graded = cell.metadata.get("nbgrader", {}).get("grade") and cell.cell_type == "code"
    return bool(graded or "check" in cell.metadata.get("tags", []))


def for_learners(lesson: OwnLesson) -> Any:
    """The notebook without solutions and without outputs."""
    book = without_outputs(lesson)
    for cell in book.cells:
        if cell.cell_type == "code":
            cell.source = without_solutions(cell.source)
    return book


def without_outputs(lesson: OwnLesson) -> Any:
    """The notebook as it is in its file, without what its cells once showed."""
    book = copy.deepcopy(lesson.book)
    for cell in book.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return book


def run(course: OwnCourse, lesson: OwnLesson, folder: Path, to_the_end: bool = False) -> Any:
    """The notebook with what its cells show, without solutions.

    Args:
        course: the course.
        lesson: which of its notebooks.
        folder: a copy of the course's folder, in which it runs.
        to_the_end: whether a cell that raises only keeps its error as an output.

    Raises:
        CourseError: a cell raises; the message names file, cell and error. With `to_the_end` only
            one that takes too long, or ends the kernel.
    """
    exercises = [n for n, cell in enumerate(lesson.book.cells) if is_exercise(cell)]
    book = for_learners(lesson)
    tried = [cell for n, cell in enumerate(book.cells) if n not in exercises]
    _execute(lesson, book, tried, folder, to_the_end or bool(exercises))
    failed = [n for n, cell in enumerate(book.cells) if error_of(cell)]
    if exercises and any(n > exercises[0] for n in failed):
        done = without_outputs(lesson)
        _execute(lesson, done, done.cells, folder, True)
        for n in failed:
            if n > exercises[0] and not error_of(done.cells[n]):
                book.cells[n].outputs = []  # it waits for what the learner writes
    for number, cell in enumerate(book.cells, 1):
        if not to_the_end and (raised := error_of(cell)):
            raise CourseError(f"{lesson.source}, cell {number}: {raised.ename}: {raised.evalue}")
    return book


def _execute(
    lesson: OwnLesson, book: Any, cells: list[Any], folder: Path, to_the_end: bool
) -> None:
    """Runs some cells of a notebook.

    Raises:
        CourseError: one takes too long, or ends the kernel.
    """
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    shortened = copy.copy(book)
    shortened.cells = cells
    place = folder / lesson.place
    try:
        running.execute(shortened, place, environment(), TIMEOUT, to_the_end)
    except CellExecutionError:
        return  # the cell has the error among its outputs
    except (CellTimeoutError, DeadKernelError) as error:
        last = max((n for n, cell in enumerate(book.cells) if _has_run(cell)), default=0)
        why = str(error).strip().splitlines()[0]
        raise CourseError(f"{lesson.source}, cell {last + 1}: {why}") from error


def error_of(cell: Any) -> Any | None:
    """What a cell raised that should not; one with Jupyter's tag `raises-exception` should."""
    if "raises-exception" in cell.metadata.get("tags", []):
        return None
    errors = (each for each in cell.get("outputs", []) if each.output_type == "error")
    return next(errors, None)


def _has_run(cell: Any) -> bool:
    has_number = cell.get("execution_count") is not None
    return cell.cell_type == "code" and bool(has_number or error_of(cell))


def environment() -> dict[str, str]:
    """That of the built-in course's notebooks, in which this minitape is found."""
    found = running.environment(str(Path(minitape.__file__).parent.parent))
    return found | {OFFLINE: "1"}


def run_all(course: OwnCourse, folder: Path) -> list[Any]:
    """All notebooks of a course, run in turn; says how far it is."""
    found = []
    for number, lesson in enumerate(course.lessons, 1):
        say(f"{number}/{len(course.lessons)}  {lesson.name}: {lesson.title}")
        found.append(run(course, lesson, folder))
    return found
