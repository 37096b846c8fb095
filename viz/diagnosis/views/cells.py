"""A notebook's cell with a correction, tried on copies of the values that it reads.

The copies are those of a forked process, in which the cell runs again with changed lines. It may
compute and read, and ends after some seconds; the notebook stays as it is.
"""

from __future__ import annotations

import json
import linecache
import os
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from minitape.leaving import only

from ...base.advice import IN_A_BROWSER
from ..examiner import Examiner
from ..finding import Finding
from ..trial.attempts import NotFixed, not_fixed
from ..trial.engine_child import Answer
from ..trial.engine_trial import Trials
from ..trial.guard import Guard
from ..trial.process import Run, as_run
from ..trial.truth import truth
from .page import Shown

SECONDS = 10.0
is_copy = False  # whether this process is one of those in which a cell runs again


class CellRunner:
    """Runs texts of one cell in the namespace in which it ran, then the code that asks."""

    def __init__(
        self, path: str, namespace: Mapping[str, Any], seconds: float, asks: Any = None
    ) -> None:
        self.path, self.namespace, self.seconds = path, namespace, seconds
        self.asks = asks

    def __call__(self, text: str, picture_of: int = -1) -> Run:
        """What becomes of a text."""
        if IN_A_BROWSER or not hasattr(os, "fork"):  # there the name exists, and always fails
            return Run("failed", "this system cannot run a copy of the kernel")
        with tempfile.TemporaryDirectory(prefix="minitape-") as folder:
            answer = Path(folder) / "answer.json"
            child = _forked()
            if child == 0:
                self._in_child(text, answer, Path(folder) / "files", picture_of)
            is_late = not _ended(child, self.seconds)
            try:
                data = json.loads(answer.read_text(encoding="utf-8"))
            except (OSError, ValueError):
                return Run("killed" if is_late else "failed", "the cell ended without an answer")
        return as_run(data, is_late)

    def _in_child(self, text: str, place: Path, scratch: Path, picture_of: int) -> NoReturn:
        """Runs the cell in the copy of the process, and ends that."""
        global is_copy
        is_copy = True
        try:
            answer, guard = Answer(place), Guard(self.path, scratch)
            sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115 # until the process ends
            linecache.cache[self.path] = (len(text), None, text.splitlines(True), self.path)
            examiner = Examiner(self.path, lambda e: answer.renew(e, guard), picture_of)
            examiner.hears_checks, examiner.truth = True, truth
            answer.ended = "failed"
            guard.start()
            with only(()), examiner:
                names = dict(self.namespace)
                exec(compile(text, self.path, "exec"), names)
                if self.asks is not None:
                    exec(self.asks, names)
                answer.ended = "ok"
        except BaseException as error:
            answer.error = f"{type(error).__name__}: {error}"
        finally:
            answer.write(examiner, guard)
            os._exit(0)


def _forked() -> int:
    """A copy of this process, in which this is 0.

    Only a copy has the notebook's values, most of which cannot be sent to another process. Python
    warns of it where there are threads, since a lock that one of them holds stays closed in the
    copy: it would wait, and be ended after the limit like a cell that never ends.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _ended(child: int, seconds: float) -> bool:
    """Waits for a process; ends it if it takes too long."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if os.waitpid(child, os.WNOHANG)[0]:
            return True
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def try_fix(
    path: str,
    namespace: Mapping[str, Any],
    wanted: Callable[[Finding], bool],
    seconds: float = SECONDS,
    asks: Any = None,
) -> Shown | NotFixed:
    """A correction of the cell at `path` that was run, or why there is none.

    Args:
        path: what Python calls the cell's file.
        namespace: the notebook's names; they are not changed.
        wanted: whether a finding is the one that is asked about; it is tried first.
        seconds: the limit of one run.
        asks: the code that asks for the gradient, where the cell does not.
    """
    if is_copy:  # what runs there may ask for a correction itself
        return NotFixed("No correction is shown: this is a trial of one.")
    text = "".join(linecache.getlines(path))
    runner = CellRunner(path, namespace, seconds, asks)
    first = runner(text)
    if not first.findings:
        return NotFixed(_nothing_found(first, seconds))
    known = list(namespace.items())
    modules = {name: each.__name__ for name, each in known if isinstance(each, ModuleType)}
    trials = Trials(runner, modules=modules)
    chosen = [*filter(wanted, first.findings), *first.findings]
    for finding in chosen[:3]:
        tried = trials.correct(text, first, finding)
        if tried is not None:
            picture = tried.run.picture if tried.run is not None else ""
            shown = (finding, text, text, tried.text, tried.gradient, picture, tried.verdict)
            return Shown(*shown, tried.losses)
    return not_fixed(chosen[0], list(dict.fromkeys(trials.attempts)))


def asking_code(path: str) -> Any:
    """The code of the cell that asks for a gradient; None where there is no other one."""
    lines = "".join(linecache.getlines(path)) if path else ""
    return compile(lines, path, "exec") if lines else None


def _nothing_found(first: Run, seconds: float) -> str:
    """Why a cell that is run again has no mistake to be fixed."""
    start = "No correction is shown: run again on copies of the values, the cell "
    if first.ended == "killed":
        return f"{start}did not end within {seconds:g} seconds. Give `try_fix` more of them."
    if first.ended != "ok" and first.error:
        return f"{start}stops: {first.error}."
    return (
        f"{start}asks for no gradient with this mistake. The values that it reads may have changed "
        "since, or another cell asks: run both again, and ask once more."
    )
