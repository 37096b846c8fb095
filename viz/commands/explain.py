"""The command `minitape explain`: finds what is suspicious about a script's gradients."""

from __future__ import annotations

import argparse
import math
from functools import partial
from pathlib import Path

from minitape.names.as_tensorflow import as_tensorflow

from ..errors import CommandError
from .frameworks import check_installed, framework_of
from .output import AS_TENSORFLOW, Commands, checked

MOST_SECONDS = 86_400.0


def add_explain(commands: Commands) -> None:
    """The command that looks for what is suspicious about a script's gradients."""
    add = commands.add_parser(
        "explain",
        help="find out why a gradient is None, zero, NaN or wrong, and try corrections",
        usage="minitape explain [-h] [--json OUT.json] [--fix FIXED.py] [--out PAGE] "
        "[--limit SECONDS] [--as-tensorflow] FILE [-- ARGUMENT ...]",
        epilog="The script runs in a separate process, and may not write files, start programs "
        "or use the network. This prevents accidents, but it is not a sandbox: do not "
        "explain a script that you would not run. Exit codes: 0 nothing is suspicious, "
        "1 something is suspicious, 2 the script cannot be run.",
    )
    add.set_defaults(run=explain)
    add.add_argument("file", type=Path, metavar="FILE", help="the script or notebook to run")
    add.add_argument("--as-tensorflow", action="store_true", help=AS_TENSORFLOW)
    add.add_argument(
        "--json", type=Path, metavar="OUT.json", help="write the findings to this file"
    )
    add.add_argument(
        "--fix", type=Path, metavar="FIXED.py", help="write the corrected script to this file"
    )
    add.add_argument(
        "--out", type=Path, metavar="PAGE", help="write a page with pictures to this file"
    )
    add.add_argument(
        "--limit", type=seconds, default=20.0, metavar="SECONDS", help="time limit for one run (20)"
    )


def seconds(text: str) -> float:
    """A time to wait: a finite number above 0."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0.0 < seconds <= MOST_SECONDS:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no time to wait: write seconds above 0, such as 20, at most a day"
        )
    return seconds


def explain(options: argparse.Namespace) -> int:
    """Runs a script, says what is suspicious about its gradients, and tries corrections."""
    from ..diagnosis.trial.frameworks import report as report_of
    from ..diagnosis.trial.report import NotRunError, report
    from ..diagnosis.views.command import explain_script

    # Three files may be written, and none of them may be the script itself.
    places = [each for each in (options.out, options.json, options.fix) if each is not None]
    ways = [checked(argparse.Namespace(out=place), place, options.file) for place in places]
    if len({way.resolve() for way in ways}) < len(ways):
        raise CommandError("two results would be written to one file; give each its own name")
    look = report
    if framework := framework_of(options.file):
        check_installed(options.file, framework)
        look = partial(report_of, dialect=framework)
    try:
        with as_tensorflow(options.as_tensorflow):
            return explain_script(options, look)
    except (NotRunError, OSError, ValueError) as error:
        raise CommandError(str(error)) from error
