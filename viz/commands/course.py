"""The command `minitape course`: a lecturer's own folder of notebooks becomes a course."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..base.terminal import say
from ..errors import ClassroomError, CommandError
from .output import Commands


def add_course(commands: Commands) -> None:
    """The commands that make pages, a site, packages and exams of a folder with notebooks."""
    course = commands.add_parser(
        "course",
        help="turn a folder with your notebooks into pages, slides, a site or an exam",
        epilog="The folder has notebooks (.ipynb, or .py and .md in Jupytext's formats) and, "
        "optionally, a course.toml with title, order, homework, language, theme and "
        "minutes. The commands never change it. Exit codes: 0 success, 1 `check` found "
        "faults, 2 failure; a command that fails leaves existing files as they were.",
    )
    parts = course.add_subparsers(title="commands", required=True, metavar="COMMAND")
    new = parts.add_parser("new", help="write a small example course that uses every feature")
    new.add_argument("folder", type=Path, metavar="FOLDER")
    new.set_defaults(run=_new)
    pages = parts.add_parser("pages", help="write offline pages with live players, and slides")
    _in_and_out(pages)
    pages.set_defaults(run=_pages)
    site = parts.add_parser(
        "site", help="write a folder for a web server, with lessons that run in the browser"
    )
    _in_and_out(site)
    site.add_argument(
        "--pyodide", default="cdn", metavar="FOLDER", help="a folder with Pyodide, or `cdn` (cdn)"
    )
    _lesson_names(site)
    site.set_defaults(run=_site)
    scorm = parts.add_parser(
        "scorm",
        help="write packages for a learning platform (SCORM 1.2), which report quiz points",
        epilog="Points come from quizzes. Predictions count towards completion. Checks of "
        "exercises do not run, because a package has no Python.",
    )
    scorm.add_argument("folder", type=Path, metavar="FOLDER", help="the course")
    scorm.add_argument(
        "out", type=Path, metavar="OUT.zip",
        help="one package for all lessons, or a folder for one package per lesson",
    )  # fmt: skip
    _lesson_names(scorm)
    scorm.set_defaults(run=_scorm)
    exam = parts.add_parser(
        "exam", help="write exam variants with random numbers, a key and a marking script"
    )
    _in_and_out(exam)
    exam.add_argument("--variants", type=int, default=1, metavar="N", help="number of variants (1)")
    exam.add_argument("--seed", type=int, default=0, metavar="S", help="random seed (0)")
    exam.set_defaults(run=_exam)
    check = parts.add_parser("check", help="find faults before your class does")
    check.add_argument("folder", type=Path, metavar="FOLDER")
    check.set_defaults(run=_check)


def _in_and_out(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="the folder with notebooks")
    parser.add_argument("out", type=Path, metavar="OUT", help="the folder to write")


def _lesson_names(parser: argparse.ArgumentParser) -> None:
    words = "only this lesson; may be repeated"
    parser.add_argument("--lesson", action="append", default=[], metavar="NAME", help=words)


def _new(options: argparse.Namespace) -> int:
    from ..course.course import CourseError
    from ..teaching.new import write_new

    try:
        files = write_new(options.folder)
    except (CourseError, OSError) as error:
        raise CommandError(str(error)) from error
    say("\n".join(map(str, files)))
    say(f"Try it: minitape course pages {options.folder} pages")
    return 0


def _pages(options: argparse.Namespace) -> int:
    from ..course.course import CourseError
    from ..teaching.folder import opened
    from ..teaching.pages import write_pages

    try:
        course = opened(options.folder)
        index = write_pages(course, options.out)
    except (CourseError, OSError) as error:
        raise CommandError(str(error)) from error
    say(f"{index}: {_counted(len(course.lessons))}; open it in any browser.")
    return 0


def _site(options: argparse.Namespace) -> int:
    from ..course.course import CourseError
    from ..teaching.folder import opened
    from ..teaching.site import write_own_site

    try:
        made = write_own_site(opened(options.folder), options.out, options.pyodide, options.lesson)
    except (CourseError, ClassroomError, OSError) as error:
        raise CommandError(str(error)) from error
    say(
        f"{made.place}: {_counted(made.lessons)}, {made.files} files, {made.size / 1e6:.1f} MB. "
        "Put the folder on any web server."
    )
    return 0


def _scorm(options: argparse.Namespace) -> int:
    from ..course.course import CourseError
    from ..teaching.folder import opened
    from ..teaching.scorm import write_scorm

    try:
        packages = write_scorm(opened(options.folder), options.out, options.lesson)
    except (CourseError, OSError) as error:
        raise CommandError(str(error)) from error
    for place in packages:
        say(f"{place}: {place.stat().st_size / 1e3:,.0f} kB; add it to your course as SCORM.")
    return 0


def _exam(options: argparse.Namespace) -> int:
    from ..course.course import CourseError
    from ..teaching.folder import opened
    from ..teaching.variants import write_variants

    try:
        out = write_variants(opened(options.folder), options.out, options.variants, options.seed)
    except (CourseError, OSError) as error:
        raise CommandError(str(error)) from error
    say(
        f"{out / 'students'}: {options.variants} sheets. {out / 'lecturer'}: key.csv and mark.py, "
        "which marks answers.csv; keep that folder to yourself."
    )
    return 0


def _check(options: argparse.Namespace) -> int:
    from ..course.course import CourseError
    from ..teaching.checking import check
    from ..teaching.folder import opened

    try:
        course = opened(options.folder)
        faults = check(course)
    except (CourseError, OSError) as error:
        raise CommandError(str(error)) from error
    for fault in faults:
        say(str(fault))
    say(f"{_counted(len(course.lessons))}, {len(faults)} fault{'s'[: len(faults) != 1]}.")
    return 1 if faults else 0


def _counted(count: int) -> str:
    return f"{count} lesson{'s'[: count != 1]}"
