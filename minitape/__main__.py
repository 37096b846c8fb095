"""The command `minitape`: the guide's examples and a script's tapes as pages, and the course.

The one fact to know: this is the only door from the engine to the viewer, and it is opened inside
the commands, so that `import minitape` never goes through it. A command is a function below and a
line in `parser`. Exit codes: 0 as asked, 1 an example of the demo differs, 2 the command could not
be done.
"""

from __future__ import annotations

import argparse
import sys
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import minitape

DIFFERS, FAILED = 1, 2


def demo(options: argparse.Namespace) -> int:
    """Runs the examples of the autodiff guide, prints the comparison, writes the page."""
    from viz.demo import page_of, run_all, table

    place = checked(options.out or Path("minitape-demo.html"))
    outcomes = run_all()
    print(table(outcomes))
    same = sum(outcome.same for outcome in outcomes)
    print(f"\n{same} of {len(outcomes)} examples agree with the guide.")
    written(place, page_of(outcomes), sum(len(outcome.traces) for outcome in outcomes), options)
    return 0 if same == len(outcomes) else DIFFERS


def step(options: argparse.Namespace) -> int:
    """Runs a script, writes a page with a player for each of its tapes."""
    from viz.page import page
    from viz.script import ScriptError, record_script

    place = checked(options.out or Path(f"{options.file.stem}-steps.html"))
    try:
        recorder = record_script(options.file, options.arguments)
    except ScriptError as error:
        raise CommandError(str(error)) from error
    traces = recorder.traces
    written(place, page(traces, f"The tapes of {options.file.name}"), len(traces), options)
    if recorder.left_out:
        print(f"{recorder.left_out} more calls have no player: a line shows its first few.")
    return 0


def tutorials(options: argparse.Namespace) -> int:
    """Copies the lessons here and opens JupyterLab; or lists them; or writes them as pages."""
    from viz.course import CourseError, chosen, lessons

    try:
        course = lessons()
        wanted = [chosen(options.name, course)] if options.name else course
        if options.list:
            print("\n".join(f"{each.name:<24} {each.title}" for each in wanted))
            return 0
        return pages(wanted, options) if options.html else notebooks(wanted, options)
    except (CourseError, OSError) as error:
        raise CommandError(str(error)) from error


def pages(wanted: list[Any], options: argparse.Namespace) -> int:
    """Writes lessons as static pages with an index."""
    from viz.course_pages import write_course

    index, *rest = write_course(options.html, wanted)
    print(f"{index}: {len(rest)} lesson{'s'[: len(rest) != 1]}; open it in any browser.")
    return 0


def notebooks(wanted: list[Any], options: argparse.Namespace) -> int:
    """Copies lessons here, says what became of each file, opens the first in JupyterLab."""
    from viz.course import copied, open_lab

    said = {
        "new": "copied",
        "same": "here already",
        "kept": "kept, for it differs from the course's; --beside writes that one next to it",
        "beside": "the course's version, next to the one that differs",
    }
    copies = copied(wanted, Path(), options.beside)
    for place, state in copies:
        print(f"{place}: {said[state]}")
    return 0 if options.no_lab else open_lab(copies[0].place, options.arguments)


class CommandError(Exception):
    """What was asked cannot be done; the message is one line."""


def checked(place: Path) -> Path:
    """A path that can be written to; found out before anything runs."""
    from viz.files import check_place

    try:
        check_place(place)
    except OSError as error:
        raise CommandError(str(error)) from error
    return place


def written(place: Path, page: str, count: int, options: argparse.Namespace) -> None:
    """Writes the page, says where it is, and opens it if that was asked for."""
    from viz.files import write_whole

    try:
        write_whole(place, page)
    except OSError as error:
        raise CommandError(f"cannot write {str(place)!r}: {error.strerror or error}") from error
    print(f"{place}: {count} step player{'s'[: count != 1]}; open it in any browser.")
    if options.open and not webbrowser.open(place.resolve().as_uri()):
        print("No browser could be started from here.")


def parser() -> argparse.ArgumentParser:
    """The command line: one subparser per command."""
    main = argparse.ArgumentParser(
        prog="minitape",
        description="Learn automatic differentiation: run examples, step through tapes.",
    )
    main.add_argument("--version", action="version", version=f"minitape {minitape.__version__}")
    commands = main.add_subparsers(title="commands", required=True, metavar="COMMAND")

    add = commands.add_parser("demo", help="the autodiff guide's examples, compared and as a page")
    add.set_defaults(run=demo)
    add_output(add, "minitape-demo.html")

    add = commands.add_parser(
        "step",
        help="a page with a step player for each tape of a script",
        usage="minitape step [-h] [--out PAGE] [--open] FILE.py [-- ARGUMENT ...]",
        epilog="What follows -- is for the script: it finds it in sys.argv.",
    )
    add.set_defaults(run=step)
    add.add_argument("file", type=Path, metavar="FILE.py", help="the script to run")
    add_output(add, "FILE-steps.html")

    add = commands.add_parser(
        "tutorials",
        help="the course: copy its notebooks here and open JupyterLab, or write it as pages",
        usage="minitape tutorials [-h] [--list] [--html FOLDER] [--beside] [--no-lab] [NAME] "
        "[-- ARGUMENT ...]",
        epilog="A notebook that you have changed is never written over. What follows -- is for "
        "JupyterLab, such as --no-browser.",
    )
    add.set_defaults(run=tutorials)
    add.add_argument("name", nargs="?", metavar="NAME", help="one lesson: its number or name")
    add.add_argument("--list", action="store_true", help="only list the lessons")
    add.add_argument(
        "--html", type=Path, metavar="FOLDER", help="write static, offline pages there"
    )
    add.add_argument("--beside", action="store_true", help="write next to files that differ")
    add.add_argument("--no-lab", action="store_true", help="copy, but do not open JupyterLab")
    return main


def add_output(command: argparse.ArgumentParser, default: str) -> None:
    """The options of every command that writes a page."""
    command.add_argument("--out", type=Path, metavar="PAGE", help=f"where to write ({default})")
    command.add_argument("--open", action="store_true", help="open the page in a browser")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; what cannot be done is one line on stderr.

    Args:
        arguments: the command line without the program's name; by default that of this process.

    Returns:
        The exit code.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    own = given[: given.index("--")] if "--" in given else given
    options = parser().parse_args(own)
    options.arguments = given[len(own) + 1 :]
    try:
        code: int = options.run(options)
    except CommandError as error:
        print(f"minitape: {error}", file=sys.stderr)
        return FAILED
    return code


if __name__ == "__main__":
    sys.exit(main())
