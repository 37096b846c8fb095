"""What a class would stumble over in a course, found before it does.

Each question is a function from a notebook, before and after it was run, to the faults that it
finds. Nothing is changed; what needs a browser is asked only where there is one, and that is said.
"""

from __future__ import annotations

import copy
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from ..base.terminal import say
from ..course.course import CourseError
from ..quizzes.prediction import SHOWN
from .folder import OwnCourse, OwnLesson
from .making import copied
from .minutes import minutes
from .running import SOLUTION, is_check, is_exercise, run

LINK = re.compile(
    r"!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|(?:href|src)=\"([^\"]+)\""
)
BLIND = re.compile(r"!\[\s*\]\(([^)]+)\)|<img (?![^>]*alt=\"[^\"]+\")[^>]*>")
SLACK = 1.15  # a notebook may take so much more than it says
SHORT = 12  # letters of an output that could stand anywhere


@dataclass(frozen=True)
class Fault:
    """One thing that a class would stumble over.

    Attributes:
        lesson: the file.
        cell: which cell, counted from 1; 0 for all of it.
        kind: in a word or two.
        sentence: what is wrong, and what to do.
    """

    lesson: Path
    cell: int
    kind: str
    sentence: str

    def __str__(self) -> str:
        place = f"{self.lesson}, cell {self.cell}" if self.cell else str(self.lesson)
        return f"{place}: {self.sentence} ({self.kind})"


@dataclass(frozen=True)
class Looked:
    """A notebook that is looked at.

    Attributes:
        course: of which it is one.
        lesson: as it is in the folder.
        shown: as learners see it, run; None where a cell raises.
    """

    course: OwnCourse
    lesson: OwnLesson
    shown: Any | None


def check(course: OwnCourse) -> list[Fault]:
    """All faults of a course, lesson by lesson."""
    found: list[Fault] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "copy"
        copied(course.folder, folder, Path(name))
        for number, lesson in enumerate(course.lessons, 1):
            say(f"{number}/{len(course.lessons)}  {lesson.name}")
            try:
                shown = run(course, lesson, folder)
            except CourseError as error:
                found.append(_raising(lesson, str(error)))
                shown = None
            looked = Looked(course, lesson, shown)
            for question in QUESTIONS:
                found += question(looked)
            found += list(_solved(course, lesson, folder)) if shown is not None else []
    return found


def _raising(lesson: OwnLesson, error: str) -> Fault:
    match = re.match(r".*?, cell (\d+): (.*)", error, re.DOTALL)
    number, said = (int(match[1]), match[2]) if match else (0, error)
    return Fault(lesson.source, number, "raises", f"the cell ends in {said}")


def _links(looked: Looked) -> Iterator[Fault]:
    """Links and pictures that lead nowhere: files, notebooks, sections."""
    names = {each.name for each in looked.course.lessons}
    for number, cell in _cells(looked.lesson.book, "markdown"):
        for match in LINK.finditer(cell.source):
            target = match[1] or match[2]
            if re.match(r"[a-z][a-z0-9+.-]*:|//", target):
                continue  # on the web: not asked for
            path, _, section = unquote(target).partition("#")
            place = looked.lesson.source.parent / path
            is_lesson = place.suffix in (".ipynb", ".html") and place.stem in names
            if path and not place.exists() and not is_lesson:
                said = f"the link to `{target}` leads nowhere: there is no such file"
                yield Fault(looked.lesson.source, number, "dead link", said)
            elif section and (not path or is_lesson):
                other = place.stem if path else looked.lesson.name
                book = next(each.book for each in looked.course.lessons if each.name == other)
                if section.lower() not in _sections(book):
                    said = f"the link to `{target}` leads nowhere: no heading has that name"
                    yield Fault(looked.lesson.source, number, "dead link", said)


def _sections(book: Any) -> set[str]:
    headings = (
        line.lstrip("#").strip()
        for _, cell in _cells(book, "markdown")
        for line in cell.source.split("\n") if re.match(r"#+ ", line)
    )  # fmt: skip
    return {re.sub(r"\s+", "-", heading).lower() for heading in headings}


def _answers_above(looked: Looked) -> Iterator[Fault]:
    """What a prediction or an exercise asks for stands above it already."""
    if looked.shown is None:
        return
    seen: list[tuple[int, str]] = []
    for number, cell in enumerate(looked.shown.cells, 1):
        for text in _folded(cell):
            above = next((n for n, t in seen if text == t or len(text) >= SHORT and text in t), 0)
            if above:
                said = (
                    f"what the prediction folds, `{text[:40]}`, is printed by cell {above} "
                    "already: put the question first"
                )
                yield Fault(looked.lesson.source, number, "answer above", said)
        seen += [(number, text) for text in _printed(cell)]
    for number, cell in _cells(looked.lesson.book, "code"):
        for solution in SOLUTION.finditer(cell.source):
            lines = [line.strip() for line in solution[0].split("\n")[1:-1]]
            lines = [line for line in lines if len(line) >= SHORT and not line.startswith("#")]
            others = _cells(looked.lesson.book, "code")
            visible = [(n, SOLUTION.sub("", c.source)) for n, c in others if n < number]
            told = next(
                (n for n, text in visible if lines and all(line in text for line in lines)), 0
            )
            if told:
                said = f"the solution of this exercise stands in cell {told}, above it"
                yield Fault(looked.lesson.source, number, "answer above", said)


def _folded(cell: Any) -> Iterator[str]:
    """The texts that a prediction folds."""
    for output in cell.get("outputs", []):
        made = output.get("data", {}).get("text/html", "")
        if "minitape-predict" in made:
            for part in made.split(SHOWN)[1:]:
                text = re.match(r"<pre>(.*?)</pre>", part, re.DOTALL)
                if text:
                    yield text[1].strip()


def _printed(cell: Any) -> Iterator[str]:
    for output in cell.get("outputs", []):
        if output.output_type == "stream":
            yield from (line.strip() for line in "".join(output.text).split("\n") if line.strip())
        elif "minitape-predict" not in output.get("data", {}).get("text/html", ""):
            text = "".join(output.get("data", {}).get("text/plain", ""))
            yield from (line.strip() for line in text.split("\n") if line.strip())


def _minutes(looked: Looked) -> Iterator[Fault]:
    """More minutes than `course.toml` says."""
    asked, counted = looked.lesson.minutes, minutes(looked.lesson.book)
    if asked is not None and counted > SLACK * asked:
        said = (
            f"it takes about {counted:.0f} minutes in class, and course.toml says {asked:g}: move "
            "something behind `## Exercises` or `## Further`"
        )
        yield Fault(looked.lesson.source, 0, "too long", said)


def _titles(looked: Looked) -> Iterator[Fault]:
    first = next((cell for cell in looked.lesson.book.cells), None)
    if first is None:
        yield Fault(looked.lesson.source, 0, "empty", "the notebook has no cells")
    elif first.cell_type != "markdown" or not re.search(r"^# ", first.source, re.MULTILINE):
        said = "begin with a title, `# ...`: pages and slides take theirs from it"
        yield Fault(looked.lesson.source, 1, "no title", said)


def _marks(looked: Looked) -> Iterator[Fault]:
    """Solutions that do not end, and checks without an exercise before them."""
    asked = False
    for number, cell in _cells(looked.lesson.book, "code"):
        begins, ends = (cell.source.count(f"### {word} SOLUTION") for word in ("BEGIN", "END"))
        if begins != ends:
            said = (
                f"`### BEGIN SOLUTION` stands {begins} times and `### END SOLUTION` {ends} times: "
                "the solution would be shown"
            )
            yield Fault(looked.lesson.source, number, "solution open", said)
        if is_check(cell) and not asked:
            said = "this check has no exercise before it (a cell with `### BEGIN SOLUTION`)"
            yield Fault(looked.lesson.source, number, "no exercise", said)
        has_solution = cell.metadata.get("nbgrader", {}).get("solution")
        asked = asked or begins > 0 or bool(has_solution)


def _pictures(looked: Looked) -> Iterator[Fault]:
    """Pictures that say nothing to who cannot see them."""
    for number, cell in _cells(looked.lesson.book, "markdown"):
        for match in BLIND.finditer(cell.source):
            said = f"the picture {match[1] or ''} has no words: write ![what is to be seen](...)"
            yield Fault(looked.lesson.source, number, "no words", " ".join(said.split()))


def _outside(looked: Looked) -> Iterator[Fault]:
    """Paths of one machine, and what asks the network."""
    path = re.compile(r"[\"'](/(?:home|Users|mnt|tmp)/[^\"']*|[A-Z]:\\\\[^\"']*)[\"']")
    for number, cell in _cells(looked.lesson.book, "code"):
        for match in path.finditer(cell.source):
            said = f"`{match[1]}` is a place on one machine: put the file beside the notebook"
            yield Fault(looked.lesson.source, number, "own path", said)
        if re.search(r"^\s*[!%]\s*(?:pip|conda)\b", cell.source, re.MULTILINE):
            said = "a class of 300 installs at once: say in the course's page what is needed"
            yield Fault(looked.lesson.source, number, "installs", said)


def _solved(course: OwnCourse, lesson: OwnLesson, folder: Path) -> Iterator[Fault]:
    """Whether the checks take the solutions, and raise nothing for an exercise that is not done."""
    from nbclient import NotebookClient

    from .running import environment

    if not any(is_check(cell) for cell in lesson.book.cells):
        return
    for with_solutions in (True, False):
        book = copy.deepcopy(lesson.book)
        for cell in book.cells:
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = [], None
                if not with_solutions and is_exercise(cell):
                    cell.source = SOLUTION.sub(r"\1...\n", cell.source)
        client = NotebookClient(
            book, timeout=600, kernel_name="python3", allow_errors=True, record_timing=False,
            resources={"metadata": {"path": str(folder)}},
        )  # fmt: skip
        client.execute(env=environment(), stderr=subprocess.DEVNULL)
        for number, cell in enumerate(book.cells, 1):
            if cell.cell_type == "code" and is_check(cell):
                yield from _of_check(lesson, number, cell, with_solutions)


def _of_check(lesson: OwnLesson, number: int, cell: Any, solved: bool) -> Iterator[Fault]:
    errors = [each for each in cell.outputs if each.output_type == "error"]
    if errors and solved:
        said = f"the check refuses its own solution: {errors[0].ename}: {errors[0].evalue}"
        yield Fault(lesson.source, number, "check fails", said)
    elif errors:
        said = (
            f"with the exercise not done the check ends in {errors[0].ename}, and its traceback "
            "shows its lines: write `with viz.Score(points) as score:` around it"
        )
        yield Fault(lesson.source, number, "check raises", said)
    elif solved:
        printed = " ".join(_printed(cell))
        points = re.search(r"([\d.]+) of ([\d.]+) points", printed)
        if points and float(points[1]) < float(points[2]):
            said = f"the check gives its own solution {points[0]}"
            yield Fault(lesson.source, number, "check fails", said)


def _cells(book: Any, kind: str) -> list[tuple[int, Any]]:
    return [(n, cell) for n, cell in enumerate(book.cells, 1) if cell.cell_type == kind]


QUESTIONS: Sequence[Callable[[Looked], Iterator[Fault]]] = (
    _titles, _links, _answers_above, _marks, _pictures, _outside, _minutes,
)  # fmt: skip
