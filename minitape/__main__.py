"""The command `minitape`: the guide's examples and a script's tapes as pages, and the course.

The one fact to know: this is the only door from the engine to the viewer, and it is opened inside
the commands, so that `import minitape` never goes through it. A command is a function below and a
line in `parser`. Exit codes: 0 as asked, 1 an example of the demo differs or a gradient is
suspicious, 2 the command could not be done, 130 it was interrupted.
"""

from __future__ import annotations

import argparse
import sys
import time
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import minitape

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

DIFFERS, FAILED, INTERRUPTED = 1, 2, 130


def demo(options: argparse.Namespace) -> int:
    """Runs the examples of the autodiff guide, prints the comparison, writes the page."""
    from viz.course.demo import page_of, run_all, table

    # Before anything runs: a place that cannot be written to is known at once.
    place = checked(options, Path("minitape-demo.html"))
    outcomes = run_all()
    same = sum(outcome.same for outcome in outcomes)
    said = f"{table(outcomes)}\n\n{same} of {len(outcomes)} examples agree with the guide."
    players = sum(len(outcome.traces) for outcome in outcomes)
    written(place, page_of(outcomes, place.parent), players, options, said)
    return 0 if same == len(outcomes) else DIFFERS


def step(options: argparse.Namespace) -> int:
    """Runs a script, writes a page with a player for each of its tapes."""
    from viz.base.terminal import say
    from viz.mending.of_traces import with_corrections
    from viz.player.page import page
    from viz.script import MAX_PER_LINE, ScriptError, record_script

    place = checked(options, Path(f"{options.file.stem}-steps.html"), options.file)
    began = time.monotonic()
    try:
        recorder = record_script(options.file, options.arguments)
    except ScriptError as error:
        raise CommandError(str(error)) from error
    took = time.monotonic() - began
    traces = with_corrections(recorder.traces, options.file, options.arguments, took)
    films = recorder.loops.films(longer_than=MAX_PER_LINE)
    opening = "".join(film.html for film in films)
    whole = page(traces, f"The tapes of {options.file.name}", opening=opening)
    written(place, whole, len(traces), options)
    # After the page is written: what was recorded is not lost.
    for film in films:
        say(f"{film.title}: {len(film.losses)} steps, shown as a film.")
    left_out = recorder.left_out - sum(len(film.losses) - MAX_PER_LINE for film in films)
    if left_out > 0:
        say(f"{left_out} more calls have no player: a line shows its first few.")
    if recorder.stopped:
        raise CommandError(f"{recorder.stopped}. The page shows what was recorded before that.")
    return 0


def show(options: argparse.Namespace) -> int:
    """Writes a page with the player of a trace, whichever program wrote it, or of two."""
    from viz.pairing.page import beside
    from viz.player.page import page

    place = checked(options, Path(f"{options.file.stem}.html"), options.file)
    trace = loaded(options.file)
    if options.beside is None:
        written(place, page([trace], trace.title or options.file.stem), 1, options)
        return 0
    checked(options, place, options.beside)
    try:
        both = beside(trace, loaded(options.beside))
    except ValueError as error:
        raise CommandError(f"{options.file} beside {options.beside}: {error}") from error
    written(place, both.page, 2, options, both.words)
    return 0


def loaded(file: Path) -> Any:
    """The trace in a file."""
    from viz.errors import TraceError
    from viz.trace.trace import Trace

    try:
        return Trace.load(file)
    except (TraceError, OSError) as error:
        raise CommandError(f"{file}: {getattr(error, 'strerror', None) or error}") from error


def explain(options: argparse.Namespace) -> int:
    """Runs a script, says what is suspicious about its gradients, and tries corrections."""
    from viz.mending.command import explain_script
    from viz.mending.report import NotRunError

    # Three files may be written, and none of them may be the script itself.
    places = [each for each in (options.out, options.json, options.fix) if each is not None]
    ways = [checked(argparse.Namespace(out=place), place, options.file) for place in places]
    if len({way.resolve() for way in ways}) < len(ways):
        raise CommandError("two results would be written to one file; give each its own name")
    try:
        return explain_script(options)
    except (NotRunError, OSError, ValueError) as error:
        raise CommandError(str(error)) from error


def tutorials(options: argparse.Namespace) -> int:
    """Copies the lessons here and opens JupyterLab; or lists them; or writes them as pages."""
    from viz.base.terminal import say
    from viz.course.course import CourseError, chosen, lessons

    try:
        course = lessons()
        wanted = [chosen(options.name, course)] if options.name else course
        if options.list:
            say("\n".join(f"{each.name:<24} {each.title}" for each in wanted))
            return 0
        return pages(wanted, options) if options.html else notebooks(wanted, options)
    except (CourseError, OSError) as error:
        raise CommandError(str(error)) from error


def pages(wanted: list[Any], options: argparse.Namespace) -> int:
    """Writes lessons as static pages with an index."""
    from viz.base.terminal import say
    from viz.course.pages import write_course

    index, *rest = write_course(options.html, wanted)
    say(f"{index}: {len(rest)} lesson{'s'[: len(rest) != 1]}; open it in any browser.")
    return 0


def notebooks(wanted: list[Any], options: argparse.Namespace) -> int:
    """Copies lessons here, says what became of each file, opens the first in JupyterLab."""
    from viz.base.terminal import say
    from viz.course.course import copied, open_lab

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


class CommandError(Exception):
    """What was asked cannot be done; the message is one line."""


def checked(options: argparse.Namespace, default: Path, *inputs: Path) -> Path:
    """Where the page goes, whatever the folder is then; found out before anything runs."""
    from viz.base.files import check_place

    place: Path = options.out or default
    options.out = place
    try:
        check_place(place, inputs)
    except (OSError, ValueError) as error:
        raise CommandError(str(error)) from error
    return place.absolute()


def written(
    place: Path, page: str, count: int, options: argparse.Namespace, first: str = ""
) -> None:
    """Writes the page, says where it is (`first` before that), and opens it if asked to."""
    from viz.base.files import write_whole
    from viz.base.terminal import say

    try:
        # Whole or not at all: half a page would open in a browser, and look finished.
        write_whole(place, page)
    except (OSError, ValueError) as error:
        raise CommandError(str(error)) from error
    if first:  # only now: the page is written even where the terminal fails
        say(first)
    say(f"{options.out}: {count} step player{'s'[: count != 1]}; open it in any browser.")
    if options.open and not webbrowser.open(place.resolve().as_uri()):
        say("No browser could be started from here.")


def parser() -> argparse.ArgumentParser:
    """The command line: one subparser per command."""
    from viz.classroom.command import add_classroom

    main = argparse.ArgumentParser(
        prog="minitape",
        description="Learn automatic differentiation: run examples, step through tapes.",
    )
    version = f"minitape {minitape.version.MINITAPE}"
    main.add_argument("--version", action="version", version=version)
    commands = main.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for add in (add_pages, add_explain, add_tutorials, add_classroom):
        add(commands)
    return main


def add_pages(commands: Commands) -> None:
    """The commands that write a page of step players: `demo`, `step`, `show`."""
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

    add = commands.add_parser("show", help="a page with the step player of a trace (JSON)")
    add.set_defaults(run=show)
    add.add_argument("file", type=Path, metavar="TRACE.json", help="the trace, of any producer")
    add.add_argument(
        "--beside", type=Path, metavar="OTHER.json", help="another trace of the same program"
    )
    add_output(add, "TRACE.html")


def add_explain(commands: Commands) -> None:
    """The command that looks for what is suspicious about a script's gradients."""
    add = commands.add_parser(
        "explain",
        help="what is suspicious about a script's gradients, with corrections that were tried",
        usage="minitape explain [-h] [--json OUT.json] [--fix FIXED.py] [--out PAGE] "
        "[--limit SECONDS] FILE.py [-- ARGUMENT ...]",
        epilog="The script may compute and read; nothing of yours is changed. Exit codes: 0 "
        "nothing is suspicious, 1 something is, 2 the script cannot be run.",
    )
    add.set_defaults(run=explain)
    add.add_argument("file", type=Path, metavar="FILE.py", help="the script to run")
    add.add_argument("--json", type=Path, metavar="OUT.json", help="write the findings there")
    add.add_argument(
        "--fix", type=Path, metavar="FIXED.py", help="write the corrected script there"
    )
    add.add_argument("--out", type=Path, metavar="PAGE", help="write a page with pictures there")
    add.add_argument("--limit", type=float, default=20.0, metavar="SECONDS", help="of one run (20)")


def add_tutorials(commands: Commands) -> None:
    """The command that copies the course."""
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
    from viz.base.terminal import TerminalError, complain, flushed
    from viz.errors import ClassroomError

    try:
        with flushed():
            return run(list(sys.argv[1:] if arguments is None else arguments))
    except (CommandError, ClassroomError, TerminalError) as error:
        complain(f"minitape: {error}")
        return FAILED
    except KeyboardInterrupt:
        complain("minitape: interrupted; no page was written")
        return INTERRUPTED


def run(given: list[str]) -> int:
    """Runs the command that the words of a command line ask for."""
    # Split here: argparse would take a script's own options for ours.
    own = given[: given.index("--")] if "--" in given else given
    options = parser().parse_args(own)
    options.arguments = given[len(own) + 1 :]
    code: int = options.run(options)
    return code


if __name__ == "__main__":
    sys.exit(main())
