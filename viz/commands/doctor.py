"""The command `minitape doctor`: finds the first wrong rule of an engine that a learner wrote."""

from __future__ import annotations

import argparse
import csv
import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..base.files import check_place, write_whole
from ..base.terminal import say
from ..errors import CommandError
from .explain import seconds
from .output import Commands

if TYPE_CHECKING:
    from ..doctor.asking import Answered


def add_doctor(commands: Commands) -> None:
    """The command that examines engines."""
    add = commands.add_parser(
        "doctor",
        help="find the first wrong rule of an engine that you wrote, and its line",
        usage="minitape doctor [-h] [--json OUT.json] [--points N] [--limit SECONDS] "
        "[--memory MB] ENGINE.py [--github] | --class FOLDER [--csv OUT.csv]",
        epilog="The engine needs no changes. The doctor knows values with backward(), tapes, "
        "grad(f), NumPy layers and pairs of functions. It runs the engine's code, so do "
        "not examine an engine that you would not run. Exit codes: 0 everything is "
        "right, 1 something is wrong, 2 there is nothing to examine; with --github "
        "always 0.",
    )
    add.set_defaults(run=doctor)
    add.add_argument("file", nargs="?", type=Path, metavar="ENGINE.py", help="a file, or a package")
    add.add_argument(
        "--class",
        dest="group",
        type=Path,
        metavar="FOLDER",
        help="a folder with one engine per learner",
    )
    add.add_argument(
        "--json", type=Path, metavar="OUT.json", help="write results for an autograder to this file"
    )
    add.add_argument(
        "--csv", type=Path, metavar="OUT.csv", help="write one row per learner to this file"
    )
    add.add_argument(
        "--points", type=float, default=10.0, metavar="N", help="points if everything is right (10)"
    )
    add.add_argument(
        "--limit",
        type=seconds,
        default=60.0,
        metavar="SECONDS",
        help="time limit for one engine (60)",
    )

    add.add_argument(
        "--memory",
        type=int,
        default=2048,
        metavar="MB",
        help="memory limit for one engine (2048; 0 for no limit; enforced only on Linux)",
    )
    add.add_argument(
        "--github",
        action="store_true",
        help="in a GitHub Classroom workflow, set the step's output `result` for its reporter",
    )


def doctor(options: argparse.Namespace) -> int:
    """Examines one engine, or those of a class."""
    if (options.file is None) == (options.group is None):
        raise CommandError("name one engine, `minitape doctor engine.py`, or `--class FOLDER`")
    for place in filter(None, (options.json, options.csv)):
        try:
            check_place(place, tuple(filter(None, [options.file])))
        except (OSError, ValueError) as error:
            raise CommandError(str(error)) from error
    return _one(options) if options.file is not None else _class(options)


def _one(options: argparse.Namespace) -> int:
    from ..doctor.asking import ask
    from ..doctor.report import as_classroom, as_json, as_tests, in_base64

    if not options.file.exists():
        raise CommandError(f"there is no file {str(options.file)!r}")
    step = _output_of_step() if options.github else None
    answered = ask(options.file, options.limit, options.memory)
    if step is not None:
        results = as_classroom(answered.data, answered.text, options.points)
        with step.open("a", encoding="utf-8") as file:
            file.write(f"result={in_base64(results)}\n")
        say(answered.text)
        return 0
    if answered.data is None:
        raise CommandError(answered.text)
    if options.json is not None:
        _write(options.json, as_json(answered.data | as_tests(answered.data, options.points)))
    say(answered.text)
    return 1 if answered.data["mistakes"] else 0


def _output_of_step() -> Path:
    """The file in which a step of GitHub Actions sets its outputs."""
    named = os.environ.get("GITHUB_OUTPUT", "")
    if not named:
        raise CommandError(
            "--github writes to the file that GitHub Actions names in GITHUB_OUTPUT, and that is "
            "not set: use it in a step of a workflow, and --json elsewhere"
        )
    return Path(named)


def _class(options: argparse.Namespace) -> int:
    from ..doctor.asking import ask_all, submissions
    from ..doctor.report import as_json, as_tests

    if not options.group.is_dir():
        raise CommandError(f"there is no folder {str(options.group)!r}")
    files = submissions(options.group)
    if not files:
        raise CommandError(
            f"{str(options.group)!r} has no engines: put a file for each learner into it, or a "
            "folder with a file `engine.py`"
        )
    found, rows = [], []
    for number, each in enumerate(ask_all(files, options.limit, options.memory), 1):
        row = _row(each, options.group, options.points)
        say(f"{number}/{len(files)}  {row[0]}: {row[1]} points. {row[3]}".rstrip())
        rows.append(row)
        tests = {} if each.data is None else each.data | as_tests(each.data, options.points)
        found.append({"learner": row[0], "error": "" if each.data else each.text} | tests)
    say(_summary(options, rows))
    if options.csv is not None:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(
            [("learner", "points", "kind", "first mistake", "line"), *rows]
        )
        _write(options.csv, text.getvalue())
    if options.json is not None:
        _write(options.json, as_json({"learners": found}))
    return 0


def _summary(options: argparse.Namespace, rows: Sequence[tuple[str, ...]]) -> str:
    """How the class did, and what an engine was allowed."""
    kinds = [row[2] for row in rows]
    unexamined = kinds.count("not examined")
    memory = f"{options.memory} MB" if options.memory else "any memory"
    return (
        f"{len(rows)} engines: {kinds.count('')} without a mistake, "
        f"{len(rows) - kinds.count('') - unexamined} with one, {unexamined} not examined. "
        f"Each was allowed {options.limit:g} seconds and {memory}."
    )


def _row(answered: Answered, folder: Path, points: float) -> tuple[str, str, str, str, str]:
    """A learner, points, kind, first mistake and line."""
    from ..doctor.report import as_tests

    learner = str(answered.file.relative_to(folder).parts[0]).removesuffix(".py")
    learner = f"'{learner}" if learner[:1] in "=+-@" else learner  # for a spreadsheet no formula
    if answered.data is None:
        return learner, "0", "not examined", answered.text, ""
    score = f"{as_tests(answered.data, points)['score']:g}"
    first = next(iter(answered.data["mistakes"]), None)
    if first is None:
        return learner, score, "", "", ""
    line = "" if first["line"] is None else str(first["line"])
    return learner, score, first["kind"], first["sentence"], line


def _write(place: Path, text: str) -> None:
    try:
        write_whole(place, text)
    except (OSError, ValueError) as error:
        raise CommandError(str(error)) from error
