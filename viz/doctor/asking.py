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

import minitape


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


def ask(file: Path, limit: float = 60.0) -> Answered:
    """Examines a file.

    Args:
        file: a Python file, or the folder of a package. Its code runs.
        limit: after how many seconds it is given up.

    Example:
        >>> import tempfile
        >>> place = Path(tempfile.mkdtemp()) / "engine.py"
        >>> _ = place.write_text("print('no engine')")
        >>> ask(place).data is None
        True
    """
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "answer.json"
        command = [sys.executable, "-m", "minitape.viz.doctor.child", str(file), str(place)]
        try:
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=limit,
                env=_environment(), check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            why = f"{file} was given up after {limit:g} seconds: does a loop in it never end?"
            return Answered(file, why, None)
        if not place.exists():
            last = [*done.stderr.strip().splitlines(), f"exit code {done.returncode}"][-1]
            return Answered(file, f"{file} ended the examination: {last}", None)
        answer = json.loads(place.read_text("utf-8"))
    if "error" in answer:
        return Answered(file, answer["error"], None)
    return Answered(file, answer["text"], answer["data"])


def ask_all(files: Sequence[Path], limit: float = 60.0) -> Iterator[Answered]:
    """Examines the files of a class, as many at a time as there are processors."""
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        yield from pool.map(partial(ask, limit=limit), files)


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


def _environment() -> dict[str, str]:
    """This process's environment, in which this minitape is found and no folder is written to."""
    root = str(Path(minitape.__file__).parent.parent)
    paths = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH", "")]))
    return os.environ | {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1", "MPLBACKEND": "agg"}
