"""Runs scripts as `viz.diagnosis.trial.process` does, in copies of one process that has all loaded.

A script of the corpus runs for a few milliseconds, and Python takes half a second to load the
project for it, and with JAX a whole one. The command's own way is tried in
`test_explain_command.py` and `test_jax_kinds.py`.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from minitape.viz.base.processes import environment
from minitape.viz.diagnosis.trial import process

CHILD = "minitape.viz.diagnosis.trial.engine_child"


@contextlib.contextmanager
def warmed(loaded: str = CHILD) -> Iterator[None]:
    """Inside, scripts are run in copies of one process, where the system can copy one.

    It has loaded the module of a child. That of JAX can be copied: JAX starts its threads with the
    first array, which is a copy's.
    """
    if not hasattr(os, "fork"):
        yield
        return
    words = [sys.executable, __file__, loaded]
    pipe = subprocess.PIPE
    with (
        subprocess.Popen(
            words, stdin=pipe, stdout=pipe, text=True, bufsize=1, env=environment()
        ) as server,
        pytest.MonkeyPatch.context() as patch,
    ):

        def finished(request: Path, scratch: Path, seconds: float, child: str) -> bool:
            assert child == loaded  # which the copies are of
            limit = seconds * process.patience()
            server.stdin.write(f"{limit}\t{request}\t{scratch}\n")
            return server.stdout.readline() == "late\n"

        patch.setattr(process, "_finished", finished)
        yield
        server.stdin.close()


def serve(loaded: str) -> None:
    """Answers each line with "ended" or "late"."""
    module = importlib.import_module(loaded)  # what takes the time
    for line in sys.stdin:
        seconds, request, scratch = line.rstrip("\n").split("\t")
        child = os.fork()
        if not child:
            be_the_child(module.main, request, scratch)
        print("ended" if ended(child, float(seconds)) else "late", flush=True)


def be_the_child(main: Callable[[str], None], request: str, scratch: str) -> NoReturn:
    """Runs one script in a session of its own, and ends."""
    os.setsid()
    os.environ |= {"TMPDIR": scratch, "MPLCONFIGDIR": scratch, "MPLBACKEND": "agg"}
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    try:
        main(request)
    finally:
        os._exit(1)


def ended(child: int, seconds: float) -> bool:
    """Waits for the copy, and ends what is left of its session."""
    deadline = time.monotonic() + seconds
    while not (is_over := bool(os.waitpid(child, os.WNOHANG)[0])) and time.monotonic() < deadline:
        time.sleep(0.002)
    with contextlib.suppress(OSError):
        os.killpg(child, signal.SIGKILL)
    if not is_over:
        os.waitpid(child, 0)
    return is_over


if __name__ == "__main__":
    serve(sys.argv[1])
