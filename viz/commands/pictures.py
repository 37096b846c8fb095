"""Pictures of a script's steps, as `minitape step FILE --out steps.pdf` saves them."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..base.files import check_place
from ..base.terminal import say
from ..errors import CommandError, MissingExtraError
from ..export.saving import FORMATS, check_installed, ending_of, format_of

PAGES = (".html", ".htm", "")
OPTIONS = ("step", "steps", "at", "show", "width", "aspect", "theme", "dpi", "seconds", "tape")


def add_pictures(command: argparse.ArgumentParser) -> None:
    """The options of pictures."""
    add = command.add_argument_group("pictures").add_argument
    add("--step", type=int, metavar="N", help="the step's number on the page")
    add("--steps", type=_range, metavar="A:B", help="the first step and the last")
    add("--at", type=_element, metavar="I,J", help="the element whose computation is shown")
    add("--show", metavar="PARTS", help="sentence, graph, proof, or several of them")
    add("--width", metavar="W", help="the real width, such as 154mm (13.33in)")
    add("--aspect", metavar="A", help="aspect ratio, such as 16:9")
    add("--theme", choices=("light", "dark", "grey"), help="the colours (light)")
    add("--dpi", type=float, metavar="D", help="pixels per inch")
    add("--seconds", type=float, metavar="S", help="how long a film shows each step")
    add("--tape", type=int, metavar="N", help="which of the script's tapes (1)")


def _range(said: str) -> tuple[int, int]:
    first, _, last = said.partition(":")
    try:
        return int(first), int(last)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{said!r} is no range of steps; write 8:14") from None


def _element(said: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in said.strip("()[]").split(",") if part.strip())
    except ValueError:
        raise argparse.ArgumentTypeError(f"{said!r} is no element; write 3,0") from None


def wants_pictures(options: argparse.Namespace) -> bool:
    """Whether pictures are asked for, by the ending of the file.

    Raises:
        CommandError: An option of pictures stands beside a page, or nothing writes such a file.
    """
    ending = Path(options.out or "").suffix.lower()
    if ending in FORMATS:
        return True
    if ending not in PAGES:
        try:
            check_place(options.out, (options.file,))
            ending_of(options.out)
        except (OSError, ValueError) as error:
            raise CommandError(str(error)) from error
    given = [name for name in OPTIONS if getattr(options, name) is not None]
    if given:
        raise CommandError(
            f"--{given[0]} is for pictures of steps, and a page shows all of them; write where "
            "the picture goes, such as --out steps.pdf"
        )
    return False


def save_pictures(options: argparse.Namespace, record: Callable[[argparse.Namespace], Any]) -> int:
    """Runs a script and saves steps of one of its tapes.

    Args:
        options: of the command.
        record: runs the script.
    """
    from ..player.notebook import Player

    place = Path(options.out).absolute()
    try:
        format_of(options.out, options.theme or "light")  # before the script runs
        check_installed(ending_of(options.out))
    except (OSError, ValueError, MissingExtraError) as error:
        raise CommandError(str(error)) from error
    recorder = record(options)
    traces, which = recorder.traces, options.tape or 1
    if not 1 <= which <= len(traces):
        raise CommandError(
            f"there is no tape {which}: {options.file.name} has {len(traces)}; write --tape 1"
        )
    given = {name: getattr(options, name) for name in OPTIONS if name not in ("tape", "show")}
    chosen = {name: value for name, value in given.items() if value is not None}
    if options.show is not None:
        chosen["shows"] = options.show
    try:
        Player(traces[which - 1]).save(place, **chosen)
    except (OSError, ValueError, IndexError, MissingExtraError) as error:
        raise CommandError(str(error)) from error
    more = (
        f"; {len(traces) - 1} more tapes: --tape 2" if len(traces) > 1 and not options.tape else ""
    )
    say(f"{options.out}: {traces[which - 1].title or options.file.name}{more}")
    if recorder.stopped:
        raise CommandError(f"{recorder.stopped}. The picture is of what was recorded before that.")
    return 0
