"""The commands that write a page of step players: `demo`, `step`, `show`."""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minitape.names.as_tensorflow import as_tensorflow

from ..base.terminal import say
from ..errors import CommandError, TraceError
from .frameworks import check_installed, framework_of
from .output import AS_TENSORFLOW, Commands, add_output, checked, written
from .pictures import add_pictures, save_pictures, wants_pictures

if TYPE_CHECKING:
    from ..trace.trace import Trace

DIFFERS = 1


def add_pages(commands: Commands) -> None:
    """The commands that write a page of step players: `demo`, `step`, `show`."""
    add = commands.add_parser(
        "demo", help="run the examples of the autodiff guide, and show them on a page"
    )
    add.set_defaults(run=demo)
    add_output(add, "minitape-demo.html")

    add = commands.add_parser(
        "step",
        help="write a page or pictures that step through each tape of a script or notebook",
        usage="minitape step [-h] [--out PAGE] [--open] [--text] [--summary] [--as-tensorflow] "
        "FILE [-- ARGUMENT ...]\n"
        "       minitape step FILE --out PICTURE [--step N | --steps A:B] [--at I,J] "
        "[--show PARTS] [--width W] [--theme T] [--tape N]",
        epilog="Arguments after -- go to the script (sys.argv). PICTURE ends in .svg, .png or "
        ".tex, which show one step, or in .pdf, .pptx, .gif or .mp4, which show all "
        "steps unless you choose some.",
    )
    add.set_defaults(run=step)
    add.add_argument("file", type=Path, metavar="FILE", help="the script or notebook to run")
    add.add_argument(
        "--text", action="store_true", help="print each step as a sentence and an equation"
    )
    add.add_argument(
        "--summary", action="store_true", help="print the gradients and what explains their sizes"
    )
    add.add_argument("--as-tensorflow", action="store_true", help=AS_TENSORFLOW)
    add_pictures(add)
    add_output(add, "FILE-steps.html")

    add = commands.add_parser("show", help="write a page that steps through a saved trace (JSON)")
    add.set_defaults(run=show)
    add.add_argument("file", type=Path, metavar="TRACE.json", help="the trace, from any framework")
    add.add_argument(
        "--beside", type=Path, metavar="OTHER.json", help="another trace of the same program"
    )
    add_output(add, "TRACE.html")


def demo(options: argparse.Namespace) -> int:
    """Runs the examples of the autodiff guide, prints the comparison, writes the page."""
    from ..course.demo import page_of, run_all, table

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
    from ..diagnosis.views.traces import with_corrections
    from ..player.page import page
    from ..script import MAX_PER_LINE, ScriptError, record_script

    if options.text or options.summary:
        return _printed(options)
    if wants_pictures(options):
        return save_pictures(options, _recorded)
    place = checked(options, Path(f"{options.file.stem}-steps.html"), options.file)
    if framework_of(options.file):
        return _of_framework(options, place)
    began = time.monotonic()
    try:
        with as_tensorflow(options.as_tensorflow):
            recorder = record_script(options.file, options.arguments)
            took = time.monotonic() - began
            traces = with_corrections(recorder.traces, options.file, options.arguments, took)
    except ScriptError as error:
        raise CommandError(str(error)) from error
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


def _recorded(options: argparse.Namespace) -> Any:
    """Runs a script, of minitape, PyTorch or JAX; what its tapes were asked."""
    from ..script import ScriptError, record_script

    try:
        if framework := framework_of(options.file):
            check_installed(options.file, framework)
            return RECORDED[framework](options)
        with as_tensorflow(options.as_tensorflow):
            return record_script(options.file, options.arguments)
    except ScriptError as error:
        raise CommandError(str(error)) from error


def _of_torch(options: argparse.Namespace) -> Any:
    from ..adapters.torch_script import record_torch_script

    return record_torch_script(options.file, options.arguments)


def _of_jax(options: argparse.Namespace) -> Any:
    from ..adapters.jax_script import record_jax_script

    return record_jax_script(options.file, options.arguments)


RECORDED = {"pytorch": _of_torch, "jax": _of_jax}


def _printed(options: argparse.Namespace) -> int:
    """Runs a script and prints what its players say; no page is written."""
    from ..player.scene.text import summary_text, text

    recorder = _recorded(options)
    for count, trace in enumerate(recorder.traces):
        head, trace = trace.title or f"Tape {count + 1}", replace(trace, title="")
        parts = [text(trace)] if options.text else []
        parts += [summary_text(trace)] if options.summary else []
        say("\n\n".join([f"{head}\n{'=' * len(head)}", *parts]) + "\n")
    if recorder.stopped:
        raise CommandError(f"{recorder.stopped}. The text is of what was recorded before that.")
    return 0


def _of_framework(options: argparse.Namespace, place: Path) -> int:
    """Runs a script of PyTorch or JAX, writes a page with a player for each gradient."""
    from ..player.page import page

    recorder = _recorded(options)
    whole = page(recorder.traces, f"The gradients of {options.file.name}")
    written(place, whole, len(recorder.traces), options)
    if recorder.left_out:
        say(f"{recorder.left_out} more calls have no player: a line shows its first few.")
    if recorder.stopped:
        raise CommandError(f"{recorder.stopped}. The page shows what was recorded before that.")
    return 0


def show(options: argparse.Namespace) -> int:
    """Writes a page with the player of a trace, whichever program wrote it, or of two."""
    from ..pairing.page import beside
    from ..player.page import page

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


def loaded(file: Path) -> Trace:
    """The trace in a file."""
    from ..trace.trace import Trace

    try:
        return Trace.load(file)
    except (TraceError, OSError) as error:
        raise CommandError(f"{file}: {getattr(error, 'strerror', None) or error}") from error
