"""The command `minitape tutorials`: the course, copied here, listed, or as pages."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from ..base.terminal import say
from ..errors import CommandError
from .output import Commands

if TYPE_CHECKING:
    from ..course.course import Lesson


def add_tutorials(commands: Commands) -> None:
    """The command that copies the course."""
    add = commands.add_parser(
        "tutorials",
        help="copy the lessons here and open JupyterLab, or write them as pages",
        usage="minitape tutorials [-h] [--list] [--html FOLDER] [--beside] [--no-lab] [NAME] "
        "[-- ARGUMENT ...]",
        epilog="The command never overwrites a notebook that you changed. Arguments after -- "
        "go to JupyterLab, for example --no-browser.",
    )
    add.set_defaults(run=tutorials)
    add.add_argument("name", nargs="?", metavar="NAME", help="the number or name of a lesson")
    add.add_argument("--list", action="store_true", help="only list the lessons")
    add.add_argument(
        "--html", type=Path, metavar="FOLDER", help="write static, offline pages to this folder"
    )
    add.add_argument(
        "--beside", action="store_true", help="write the course's version next to files that differ"
    )
    add.add_argument("--no-lab", action="store_true", help="copy, but do not open JupyterLab")


def tutorials(options: argparse.Namespace) -> int:
    """Copies the lessons here and opens JupyterLab; or lists them; or writes them as pages."""
    from ..course.course import CourseError, chosen, lessons

    try:
        course = lessons()
        wanted = [chosen(options.name, course)] if options.name else course
        if options.list:
            say("\n".join(f"{each.name:<24} {each.title}" for each in wanted))
            return 0
        return pages(wanted, options) if options.html else notebooks(wanted, options)
    except (CourseError, OSError) as error:
        raise CommandError(str(error)) from error


def pages(wanted: list[Lesson], options: argparse.Namespace) -> int:
    """Writes lessons as static pages with an index."""
    from ..course.pages import write_course

    say(f"Running {len(wanted)} lesson{'s'[: len(wanted) != 1]} for the pages …")
    index, *rest = write_course(options.html, wanted)
    say(f"{index}: {len(rest)} lesson{'s'[: len(rest) != 1]}; open it in any browser.")
    return 0


def notebooks(wanted: list[Lesson], options: argparse.Namespace) -> int:
    """Copies lessons here, says what became of each file, opens the first in JupyterLab."""
    from ..course.course import copied, open_lab

    said = {
        "new": "copied",
        "same": "here already",
        "kept": "kept, for it differs from the course's; --beside writes that one next to it",
        "beside": "the course's version, next to the one that differs",
    }
    copies = copied(wanted, Path(), options.beside)
    for place, state in copies:
        say(f"{place}: {said[state]}")
    # The first lesson asked for is the one to open.
    return 0 if options.no_lab else open_lab(copies[0].place, options.arguments)
