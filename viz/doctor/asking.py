"""Asking about files, each in a process of its own: one engine, or those of a class."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ..base import processes

MEMORY = 2048  # megabytes
OF_THE_GRADER = ("GITHUB_", "ACTIONS_", "RUNNER_")


@dataclass(frozen=True)
class Answered:
    """What was found out about one file.

    Attributes:
        file: which.
        text: the report, or why there is none.
        data: the report as plain data; None where there is none.
    """

    file: Path
    text: str
    data: dict[str, Any] | None


def ask(file: Path, limit: float = 60.0, memory: int = MEMORY) -> Answered:
    """Examines a file in a process of its own, which may do no more than is said here.

    Args:
        file: a Python file, or the folder of a package. Its code runs.
        limit: after how many seconds it is given up.
        memory: how many megabytes it may take; 0 for no bound. Linux alone keeps to it.

    Example:
        >>> import tempfile
        >>> place = Path(tempfile.mkdtemp()) / "engine.py"
        >>> _ = place.write_text("print('no engine')")
        >>> ask(place).data is None
        True
    """
    with tempfile.TemporaryDirectory() as folder:
        place, said = Path(folder) / "answer.json", Path(folder) / "errors.txt"
        command = [sys.executable, "-m", "minitape.viz.doctor.child"]
        command += [str(file), str(place), str(memory)]
        try:
            with said.open("wb") as errors:  # no pipe: a file has a bound, and takes no memory here
                ended = _ended(command, errors, folder, limit)
        except subprocess.TimeoutExpired:
            why = f"{file} was given up after {limit:g} seconds: does a loop in it never end?"
            return Answered(file, why, None)
        answer = _read(place)
        if answer is None:
            last = [*_last_lines(said), f"exit code {ended}"]
            out_of_memory = "MemoryError" in last[0] or "Unable to allocate" in last[0]
            why = _too_large(memory) if memory and out_of_memory else f": {last[0]}"
            return Answered(file, f"{file} ended the examination{why}", None)
    if "error" in answer:
        text = answer["error"]
        if memory and "MemoryError" in text:
            text = f"{file} ended the examination{_too_large(memory)}"
        return Answered(file, text, None)
    return Answered(file, answer["text"], answer["data"])


def _too_large(memory: int) -> str:
    return f": it wanted more than the {memory} MB that an engine may take"


def _ended(command: list[str], errors: Any, folder: str, limit: float) -> int:
    """The exit code of the process; when it is over, none of what it started is left."""
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
        env=_around(folder), start_new_session=True,
    )  # fmt: skip
    try:
        return process.wait(limit)
    finally:
        processes.end(process)


def _around(folder: str) -> dict[str, str]:
    """What the process finds: one thread for products, and nothing of what a grader is told.

    The file that GitHub Actions reads results from is named by its environment.
    """
    found = processes.environment()
    found = {name: each for name, each in found.items() if not name.startswith(OF_THE_GRADER)}
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return found | threads | {"TMPDIR": folder}


def _read(place: Path) -> dict[str, Any] | None:
    try:
        answer = json.loads(place.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return answer if isinstance(answer, dict) and ("error" in answer or "data" in answer) else None


def _last_lines(said: Path) -> list[str]:
    """The last line that was said, if any."""
    with said.open("rb") as file:
        file.seek(max(0, said.stat().st_size - 2000))
        lines = file.read().decode("utf-8", "replace").strip().splitlines()
    return [lines[-1][:500]] if lines else []


def ask_all(files: Sequence[Path], limit: float = 60.0, memory: int = MEMORY) -> Iterator[Answered]:
    """Examines the files of a class, as many at a time as there are processors."""
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        yield from pool.map(partial(ask, limit=limit, memory=memory), files)


def submissions(folder: Path) -> list[Path]:
    """The engines of a class: each Python file of a folder, or each folder in it.

    In the folder of a learner the file is the one that is called `engine.py`, or the only one.
    """
    found = []
    for each in sorted(folder.iterdir()):
        if each.suffix == ".py" and not each.name.startswith("test"):
            found.append(each)
        elif each.is_dir() and not each.name.startswith((".", "__")):
            inside = [p for p in sorted(each.glob("*.py")) if not p.name.startswith("test")]
            named = [p for p in inside if p.stem == "engine"]
            if (each / "__init__.py").exists():
                found.append(each)
            elif named or len(inside) == 1:
                found.append((named or inside)[0])
    return found
