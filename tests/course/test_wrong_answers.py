"""What a check says to 200 wrong answers of each lesson: a sentence, points, never the answer."""

from __future__ import annotations

import ast
import contextlib
import io
import re
import signal
import warnings
from pathlib import Path
from typing import Any

import pytest
from wrong_by_chance import wrong

from lesson_cells import FOLDER, build

SOURCES = build.sources()
MANY, FEW = 200, 12  # wrong answers of a lesson, all of them and those that are tried each time
LONG = ("train", "digits", "simulation", "clinic", "capstone", "attention", "static")
SECONDS = 5.0  # for one answer; a loop that does not end is none of the check's business


class TooLong(BaseException):
    """A wrong answer ran too long."""


def exercises(source: Path) -> dict[str, tuple[Any, Any]]:
    """The answer and the check of each exercise."""
    found: dict[str, list[Any]] = {}
    for cell in build.cells(source.read_text("utf-8")):
        if settings := cell.metadata.get("nbgrader"):
            found.setdefault(settings["grade_id"].removesuffix("-check"), []).append(cell)
    return {name: (both[0], both[1]) for name, both in found.items() if len(both) == 2}


EXERCISES = [(source, name) for source in SOURCES for name in exercises(source)]
IDS = [f"{source.stem[:2]} {name}" for source, name in EXERCISES]


def in_a_lesson(source: Path, name: str) -> tuple[dict[str, Any], str, Any]:
    """The names that an exercise finds, its answer without marks, and its check, compiled."""
    cells = list(build.cells(source.read_text("utf-8")))
    answer, check = exercises(source)[name]
    parts = [next(cell.text for cell in cells if cell.kind == "code")]
    parts += [cell.text for cell in cells if "needed" in cell.metadata.get("tags", [])]
    parts += [exercises(source)[each][0].text for each in answer.metadata.get("uses", [])]
    names: dict[str, Any] = {"__name__": name}
    with contextlib.redirect_stdout(io.StringIO()):
        for part in parts:
            exec(compile(part, f"<{name}>", "exec"), names)
    return names, answer.text, compile(check.text, f"<check of {name}>", "exec")


def said_to(names: dict[str, Any], check: Any, answer: str) -> tuple[float, float, str] | None:
    """Points, the most that there are, and what was printed; None for an answer that cannot run."""
    own, printed = dict(names), io.StringIO()

    def stop(*_: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            try:
                exec(compile(answer, "<answer>", "exec"), own)
            except Exception:
                return None  # the cell of the answer shows its own error
        with contextlib.redirect_stdout(printed):
            exec(check, own)
    except TooLong:
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return own["score"].earned, own["score"].points, printed.getvalue()


def between_the_marks(answer: str) -> str:
    """What a student's copy does not have."""
    return "".join(re.findall(r"### BEGIN SOLUTION\n(.*?)### END SOLUTION", answer, re.DOTALL))


def lines_of_the_solution(answer: str) -> set[str]:
    """The lines between the marks, also as Python writes them, if they are more than a name."""
    solution = between_the_marks(answer)
    tree = ast.parse(answer)
    whole = {line.strip() for line in solution.splitlines()}
    parts = [each for each in ast.walk(tree) if isinstance(each, ast.Assign | ast.Return)]
    parts = [ast.unparse(each) for each in parts]
    known = {each for each in (whole | set(parts)) if "Tape() as" not in each}  # any tape's line
    return {each for each in known if len(each) > 16 and re.search(r"[-+*/@(]", each)}


def faults(source: Path, name: str, many: int) -> list[str]:
    """What is wrong with what the check says to so many wrong answers."""
    names, answer, check = in_a_lesson(source, name)
    told, found, tried = lines_of_the_solution(answer), [], 0
    for text in wrong(answer, many, seed=len(name)):
        try:
            result = said_to(names, check, text)
        except Exception as error:
            found.append(f"raises {type(error).__name__}: {error}\n{text}")
            continue
        if result is None or result[0] >= result[1]:
            continue  # it does not run, or it is right in another way
        tried += 1
        points, most, said = result
        last = said.rstrip().rpartition("\n")[2]
        if last != f"{points:g} of {most:g} points." or not re.search(r"\w+ .*[.?:)]", said):
            found.append(f"no sentence and points, but {said!r}\n{text}")
        if "Traceback" in said or re.search(r"File \"|^Right", said):
            found.append(f"a traceback or praise: {said!r}\n{text}")
        if shown := [each for each in told if each in said and each not in text]:
            found.append(f"tells {shown} in {said!r}\n{text}")
    assert tried >= min(many, 6) / 3, f"only {tried} wrong answers were tried"
    return found


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    """No figure is shown, a wrong answer may warn of anything, and data are where lessons look."""
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.chdir(FOLDER)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


QUICK = [
    pytest.param(
        source, name, marks=[pytest.mark.slow] if any(w in source.stem for w in LONG) else []
    )
    for source, name in EXERCISES
]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="a loop is stopped by a timer")
@pytest.mark.parametrize(("source", "name"), QUICK, ids=IDS)
def test_a_wrong_answer_gets_a_sentence_and_points_and_never_the_answer(source, name):
    assert not faults(source, name, FEW)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="a loop is stopped by a timer")
@pytest.mark.parametrize(("source", "name"), EXERCISES, ids=IDS)
def test_two_hundred_wrong_answers_of_a_lesson_get_no_solution_and_no_traceback(source, name):
    assert not faults(source, name, MANY // len(exercises(source)))


@pytest.mark.parametrize(("source", "name"), EXERCISES, ids=IDS)
def test_no_line_of_an_answer_can_be_read_in_a_check(source, name):
    answer, check = exercises(source)[name]
    text = {line.strip() for line in check.text.splitlines()}
    solution = between_the_marks(answer.text)
    shared = lines_of_the_solution(answer.text) & text & {s.strip() for s in solution.splitlines()}
    assert not shared


@pytest.mark.parametrize(("source", "name"), EXERCISES, ids=IDS)
def test_a_check_is_one_block_that_raises_nothing_and_ends_with_the_points(source, name):
    _, check = exercises(source)[name]
    *block, last = ast.parse(check.text).body
    assert [type(each) for each in block] == [ast.With]
    assert ast.unparse(block[0].items[0]).startswith("viz.Score(")
    assert ast.unparse(last) == "score.earned"
