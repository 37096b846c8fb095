"""What the commands that write files have in common: where a page goes, and that it was written."""

from __future__ import annotations

import argparse
import webbrowser
from pathlib import Path
from typing import TypeAlias

from ..base.files import check_place, write_whole
from ..base.terminal import say
from ..errors import CommandError

AS_TENSORFLOW = "run minitape where the program imports tensorflow or keras"

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def checked(options: argparse.Namespace, default: Path, *inputs: Path) -> Path:
    """Where the page goes, whatever the folder is then; found out before anything runs."""
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


def add_output(command: argparse.ArgumentParser, default: str) -> None:
    """The options of every command that writes a page."""
    command.add_argument("--out", type=Path, metavar="PAGE", help=f"where to write ({default})")
    command.add_argument("--open", action="store_true", help="open the page in a browser")
