"""Runs a script, or a changed text of it, in a process of its own with a time limit.

The process gets an empty standard input, a scratch folder for temporary files, and a session of its
own, so that all of it can be ended. It may read what stands beside the script, and change nothing
(`guard`). Its time is counted from the script's first line on, and where other programs compute too
it gets more of it: a slow machine must not look like an endless loop. Whatever ends this process
ends the script's too: the child reads a line (a pipe) that ends with it.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from time import monotonic, sleep
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn

from ...base.processes import end, environment
from ..finding import Finding

START_SECONDS = 60.0  # for Python and its imports
MAX_PATIENCE = 4.0
NO_ANSWER = "the process ended without an answer"


class Run(NamedTuple):
    """What became of a run.

    Attributes:
        ended: ok, failed, killed (it took too long), "no Python".
        error: in words, "" if it ended well.
        refused: what it wanted to do and may not, "" for nothing.
        refused_line: where.
        calls: places in the script at which tapes were asked.
        findings: first things first.
        outcomes: what each call of a tape gave.
        picture: the trace of the call that was asked for, as JSON.
        cuts: by line, what is said of a part of the way that left a tape.
    """

    ended: str
    error: str = ""
    refused: str = ""
    refused_line: int = 0
    calls: int = 0
    findings: tuple[Finding, ...] = ()
    outcomes: tuple[dict[str, Any], ...] = ()
    picture: str = ""
    cuts: Mapping[str, str] = MappingProxyType({})


def run(
    file: Path,
    arguments: Sequence[str],
    seconds: float,
    source: str | None = None,
    picture_of: int = -1,
    functions: bool = True,
) -> Run:
    """Runs a script and looks at all of its tapes.

    Args:
        file: the script.
        arguments: what it finds in `sys.argv[1:]`.
        seconds: after which it is ended.
        source: a text to run in place of the script's own.
        picture_of: the call of which a trace is wanted.
        functions: whether every `tf.function` runs its Python, so that what is in there is seen.
    """
    asked = {
        "file": str(file), "source": source, "arguments": list(arguments),
        "picture_of": picture_of, "functions": functions,
    }  # fmt: skip
    data, is_late = answer(asked, seconds)
    if data is None:
        return Run("killed" if is_late else "failed", NO_ANSWER)
    return as_run(data, is_late)


def answer(
    asked: dict[str, Any], seconds: float, child: str = "minitape.viz.diagnosis.trial.engine_child"
) -> tuple[dict[str, Any] | None, bool]:
    """What a process answers to a request, None for nothing, and whether it had to be ended.

    Args:
        asked: what the child is to know; where it answers and may write is added here.
        seconds: after which it is ended.
        child: the module that runs as the process.
    """
    with _signals_unwind(), tempfile.TemporaryDirectory(prefix="minitape-") as folder:
        scratch = Path(folder)
        place = scratch / "answer.json"
        more = {
            "answer": str(place), "scratch": str(scratch / "files"),
            "seconds": seconds, "processor_seconds": _processor_seconds(seconds),
        }  # fmt: skip
        (scratch / "files").mkdir()
        request = scratch / "request.json"
        request.write_text(json.dumps({**asked, **more}), encoding="utf-8")
        is_late = _finished(request, scratch / "files", seconds, child)
        try:
            data: dict[str, Any] = json.loads(place.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None, is_late
    return data, is_late


def as_run(data: dict[str, Any], is_late: bool) -> Run:
    """The answer of a process."""
    data["findings"] = tuple(map(Finding.of, data["findings"]))
    data["outcomes"] = tuple(data["outcomes"])
    found = Run(**data)
    return found if found.ended != "killed" or is_late else found._replace(ended="left")


def _processor_seconds(seconds: float) -> int:
    """More than a process can use in its time: the system ends it then, whoever else is gone."""
    return math.ceil((START_SECONDS + seconds * MAX_PATIENCE) * (os.cpu_count() or 1))


@contextlib.contextmanager
def _signals_unwind() -> Iterator[None]:
    """Lets SIGTERM and SIGHUP end this process as Ctrl-C does: what is open here is closed.

    A program that has set a handler of its own, or ignores the signal (`nohup`), keeps that.
    """
    before: dict[int, Any] = {}
    try:
        if threading.current_thread() is threading.main_thread():
            for name in "SIGTERM", "SIGHUP":
                number = getattr(signal, name, None)  # Windows has no SIGHUP
                if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                    before[number] = signal.SIG_DFL
                    signal.signal(number, _leave)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _leave(number: int, _: object) -> NoReturn:
    raise SystemExit(128 + number)


def patience() -> float:
    """By how much more time than on an idle machine is given: the programs to a processor."""
    try:
        waiting = os.getloadavg()[0] / (os.cpu_count() or 1)
    except (AttributeError, OSError):
        return 1.0  # Windows does not say
    return min(max(waiting, 1.0), MAX_PATIENCE)


def _finished(request: Path, scratch: Path, seconds: float, child: str) -> bool:
    """Waits for the process; whether it had to be ended."""
    around = environment() | {"TMPDIR": str(scratch), "MPLCONFIGDIR": str(scratch)}
    words = [sys.executable, "-m", child, str(request)]
    quiet, line = subprocess.DEVNULL, subprocess.PIPE  # at the line's end the process ends too
    process = subprocess.Popen(
        words, stdin=line, stdout=quiet, stderr=quiet, env=around, start_new_session=True
    )
    try:
        _wait_for(process, request.parent / "answer.json")
        process.wait(seconds * patience())
    except subprocess.TimeoutExpired:
        return True
    finally:
        end(process)
    return False


def _wait_for(process: subprocess.Popen[bytes], answer: Path) -> None:
    """Waits until the script begins: then there is a first answer."""
    latest = monotonic() + START_SECONDS
    while process.poll() is None and not answer.exists() and monotonic() < latest:
        sleep(0.01)
