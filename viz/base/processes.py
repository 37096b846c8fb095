"""Starts Python in processes of its own: what they find around them, and how all of one is ended.

The code that runs there may be anybody's. It finds this minitape, draws on no screen, and leaves
no bytecode beside itself.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import minitape

PACKAGES = str(Path(minitape.__file__).resolve().parents[1])


def environment(path: str = PACKAGES, backend: str = "agg") -> dict[str, str]:
    """This process's environment for a process of its own.

    Args:
        path: what goes in front of `PYTHONPATH`; "" for nothing.
        backend: how matplotlib draws.
    """
    paths = os.pathsep.join(filter(None, [path, os.environ.get("PYTHONPATH")]))
    found = {"PYTHONPATH": paths} if paths else {}
    return os.environ | found | {"MPLBACKEND": backend, "PYTHONDONTWRITEBYTECODE": "1"}


def end(process: subprocess.Popen[Any]) -> None:
    """Ends a process that has a session of its own, and whatever is left of that session."""
    with contextlib.suppress(OSError, AttributeError):
        os.killpg(process.pid, signal.SIGKILL)
    if process.poll() is None:
        process.kill()
        process.wait()
    if process.stdin is not None:
        process.stdin.close()
