"""The command `minitape`: the guide's examples and a script's tapes as pages, and the course.

This is the only door from the engine to the viewer, and it is opened only when a command is given,
so that `import minitape` never goes through it. Exit codes: 0 as asked, 1 an example of the demo
differs or a gradient is suspicious, 2 the command could not be done, 130 it was interrupted.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import minitape

FAILED, INTERRUPTED = 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; what cannot be done is one line on stderr.

    Args:
        arguments: the command line without the program's name; by default that of this process.

    Returns:
        The exit code.
    """
    from minitape.viz.base.terminal import TerminalError, complain, flushed
    from minitape.viz.errors import CommandError

    try:
        with flushed():
            return run(list(sys.argv[1:] if arguments is None else arguments))
    except (CommandError, TerminalError) as error:
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


def parser() -> argparse.ArgumentParser:
    """The command line: one subparser per command."""
    from minitape.viz.commands.classroom import add_classroom
    from minitape.viz.commands.course import add_course
    from minitape.viz.commands.doctor import add_doctor
    from minitape.viz.commands.explain import add_explain
    from minitape.viz.commands.pages import add_pages
    from minitape.viz.commands.quiz import add_quiz
    from minitape.viz.commands.tutorials import add_tutorials

    main = argparse.ArgumentParser(
        prog="minitape",
        description="Learn automatic differentiation: run examples, step through tapes.",
        epilog="Start with `minitape demo --open` for examples, `minitape step script.py --open` "
        "to step through your own script, or `minitape explain script.py` if a gradient is None or "
        "wrong. `minitape COMMAND --help` describes a command.",
    )
    version = f"minitape {minitape.version.MINITAPE}"
    main.add_argument("--version", action="version", version=version)
    commands = main.add_subparsers(title="commands", required=True, metavar="COMMAND")
    own = (add_pages, add_explain, add_doctor, add_quiz)
    for add in (*own, add_tutorials, add_course, add_classroom):
        add(commands)
    return main


if __name__ == "__main__":
    sys.exit(main())
