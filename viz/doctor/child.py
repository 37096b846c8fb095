"""Examines a file in a process of its own: `python -m minitape.viz.doctor.child FILE ANSWER MB`.

A learner's code may loop, print, fill the memory or end the process; the one that asked goes on.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from pathlib import Path
from typing import Any

from minitape.viz.doctor.report import as_data, as_text
from minitape.viz.doctor.subject import NothingToExamineError, examine

FILES = 64 << 20  # bytes of the largest file that may be written


def main(file: str, place: str, memory: str = "0") -> None:
    """Writes the answer: the report as text and as data, or why there is none."""
    _bound(int(memory) << 20)
    try:
        found = examine(Path(file))
    except NothingToExamineError as error:
        answer: dict[str, Any] = {"error": str(error)}
    except MemoryError:
        answer = {"error": "MemoryError"}
    else:
        answer = {"text": as_text(found), "data": as_data(found, file)}
    Path(place).write_text(json.dumps(answer), encoding="utf-8")
    os._exit(0)  # threads of the learner's would go on


def _bound(memory: int) -> None:
    """Bounds the memory and the files of this process, where the system can."""
    try:
        import resource
    except ImportError:  # Windows
        return
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_FSIZE, (FILES, FILES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


if __name__ == "__main__":
    main(*sys.argv[1:])
