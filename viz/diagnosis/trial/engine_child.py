"""Looks at a script in a process of its own: `python -m (this module) FILE.json`.

The request names the script, its text where a correction is tried, and where the answer goes. The
answer is written anew now and then, so a script that never ends leaves one.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
import types
from pathlib import Path
from typing import Any

import numpy

import minitape
import minitape.keras  # noqa: F401
from minitape.names.as_tensorflow import WISH, begin
from minitape.viz.base.scripts import script_text
from minitape.viz.diagnosis.errors import of_error
from minitape.viz.diagnosis.examiner import SECONDS, Examiner
from minitape.viz.diagnosis.finding import in_order
from minitape.viz.diagnosis.trial.guard import Guard
from minitape.viz.diagnosis.trial.running import end_with_parent, executed, limit, show_lines
from minitape.viz.diagnosis.trial.truth import truth

MAX_OUTCOMES = 2_000


def main(place: str) -> None:
    """Runs the script of a request, and writes the answer."""
    asked = json.loads(Path(place).read_text(encoding="utf-8"))
    answer = Answer(Path(asked["answer"]))
    file, source = asked["file"], asked["source"]
    if source is None:
        source = script_text(Path(file))
    code = compile(source, file, "exec", dont_inherit=True)
    show_lines(file, source)
    if os.environ.get(WISH):
        begin()
    guard = Guard(file, Path(asked["scratch"]))
    _seed()
    examiner = Examiner(file, lambda e: answer.renew(e, guard), *_wishes(asked))
    examiner.truth = truth
    examiner.seconds = max(SECONDS, asked["seconds"] / 2)
    answer.ended = "killed"
    answer.write(examiner, guard)
    limit(asked["processor_seconds"])
    guard.start()
    run(code, asked, examiner, answer)
    answer.write(examiner, guard)
    os._exit(0)  # whatever threads the script has left


def _wishes(asked: dict[str, Any]) -> tuple[int, bool]:
    return asked["picture_of"], asked["functions"]


def run(code: Any, asked: dict[str, Any], examiner: Examiner, answer: Answer) -> None:
    """Runs the code as the main module under the examiner."""
    file = asked["file"]
    module = types.ModuleType("__main__")
    module.__file__ = file
    module.__builtins__ = __builtins__  # type: ignore[attr-defined]
    sys.modules["__main__"] = module
    sys.argv = [file, *asked["arguments"]]
    sys.path[0] = str(Path(file).parent)
    examiner.broken.listen()
    with examiner:
        answer.ended, answer.error, error = executed(code, module.__dict__, file)
        if error is not None:
            answer.trouble = of_error(examiner, error)


class Answer:
    """What the process that asked gets to know, as a file."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.ended = "no Python"
        self.error = ""
        self.trouble: Any = None
        self.next = 0.0

    def renew(self, examiner: Examiner, guard: Guard) -> None:
        """Writes it now and then: in all a tenth of the time, however long the script runs."""
        if time.monotonic() >= self.next:
            began = time.monotonic()
            self.write(examiner, guard)
            self.next = time.monotonic() + 9.0 * (time.monotonic() - began)

    def write(self, examiner: Examiner, guard: Guard) -> None:
        """Writes it, whole or not at all."""
        findings = [*examiner.findings.values(), *examiner.suspected.values()]
        if self.trouble is not None:
            findings.append(self.trouble)
        data = {
            "ended": self.ended,
            "error": self.error,
            "refused": guard.refused,
            "refused_line": guard.line,
            "calls": len(examiner.sites),
            "findings": [each.as_dict() for each in in_order(findings)],
            "picture": examiner.picture,
            "cuts": examiner.cuts,
            "outcomes": [each._asdict() for each in examiner.outcomes[:MAX_OUTCOMES]],
        }
        with guard.passing():
            new = self.place.with_suffix(".new")
            new.write_text(json.dumps(data), encoding="utf-8")
            new.replace(self.place)


def _seed() -> None:
    """Random numbers are the same in each run, so that runs can be compared."""
    random.seed(0)
    numpy.random.seed(0)
    minitape.random.set_seed(0)


if __name__ == "__main__":
    end_with_parent()
    main(sys.argv[1])
