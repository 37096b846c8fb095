"""Runs a course's notebooks, each in a kernel of its own and in a copy of the folder.

What a learner has to do is not run: exercises (between `### BEGIN SOLUTION` and `### END SOLUTION`,
with as many # as you like, or marked by nbgrader) and their checks (tagged `check`, or graded by
nbgrader).
"""

from __future__ import annotations

import copy
import re
import subprocess
from pathlib import Path
from typing import Any

import minitape

from ..base.terminal import say
from ..course import running
from ..course.course import CourseError
from ..quizzes.quiz import OFFLINE
from .folder import OwnCourse, OwnLesson

TIMEOUT = 600  # seconds for one cell
SOLUTION = re.compile(
    r"^( *)#+ ?BEGIN SOLUTION[^\n]*\n.*?#+ ?END SOLUTION[^\n]*\n?", re.DOTALL | re.MULTILINE
)
BEGINS = re.compile(r"^ *#+ ?BEGIN SOLUTION", re.MULTILINE)
ENDS = re.compile(r"^ *#+ ?END SOLUTION", re.MULTILINE)
MISSING = r"\1...  # your code here\n"


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
    book = copy.deepcopy(lesson.book)
    for cell in book.cells:
        if cell.cell_type == "code":
            cell.source = SOLUTION.sub(MISSING, cell.source).rstrip("\n")
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
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    book = for_learners(lesson)
    shortened = copy.copy(book)
    shortened.cells = [cell for cell in book.cells if not is_exercise(cell)]
    client = NotebookClient(
        shortened, timeout=TIMEOUT, kernel_name="python3", record_timing=False,
        coalesce_streams=True, resources={"metadata": {"path": str(folder)}},
        allow_errors=to_the_end,
    )  # fmt: skip
    try:
        client.execute(env=environment(), stderr=subprocess.DEVNULL)
    except CellExecutionError as error:
        number = _number(book, shortened)
        raise CourseError(
            f"{lesson.source}, cell {number}: {error.ename}: {error.evalue}"
        ) from error
    except (CellTimeoutError, DeadKernelError) as error:
        number = _number(book, shortened)
        why = str(error).strip().splitlines()[0]
        raise CourseError(f"{lesson.source}, cell {number}: {why}") from error
    return book


def _number(book: Any, shortened: Any) -> int:
    """Which cell of a notebook was run last, counted from 1 as a reader does."""
    last = max(
        (i for i, cell in enumerate(shortened.cells) if _has_run(cell)), default=0
    )  # fmt: skip
    number: int = book.cells.index(shortened.cells[last])
    return number + 1


def _has_run(cell: Any) -> bool:
    failed = any(each.output_type == "error" for each in cell.get("outputs", []))
    return cell.cell_type == "code" and (failed or cell.get("execution_count") is not None)


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
