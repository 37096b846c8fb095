"""Examines a file in a process of its own: `python -m minitape.viz.doctor.child FILE ANSWER`.

A learner's code may loop, print or end the process; the one that asked goes on.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from minitape.viz.doctor.report import as_data, as_text
from minitape.viz.doctor.subject import NothingToExamineError, examine


def main(file: str, place: str) -> None:
    """Writes the answer: the report as text and as data, or why there is none."""
    try:
        found = examine(Path(file))
    except NothingToExamineError as error:
        answer: dict[str, Any] = {"error": str(error)}
    else:
        answer = {"text": as_text(found), "data": as_data(found, file)}
    Path(place).write_text(json.dumps(answer), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
