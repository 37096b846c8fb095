"""What is recorded of a script of another framework: one trace for each request for gradients."""

from __future__ import annotations

import os
import types
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ..script import ScriptError, as_main, compiled, reason, where
from ..trace.trace import Trace


class Recorder:
    """What a script asked its framework for.

    Attributes:
        traces: what was asked, in that order.
        stopped: where and why the script ended before its end, "" if it did not.
        left_out: how many requests have no trace.
        calls: by file and line how often there was a request.
    """

    def __init__(self) -> None:
        self.traces: list[Trace] = []
        self.stopped = ""
        self.left_out = 0
        self.calls: Counter[tuple[str, int]] = Counter()
        self.inside = False
        self.cause: BaseException | None = None
        self.file = Path()

    def run(self, path: Path, arguments: Sequence[str]) -> None:
        """Runs a script as `python` would, and remembers how it ended.

        Raises:
            ScriptError: if it cannot be read.
        """
        code = compiled(path)
        file = self.file = Path(os.path.abspath(path))
        module = types.ModuleType("__main__")
        module.__file__ = str(file)
        with as_main(module, file, [os.fspath(path), *arguments]):
            try:
                exec(code, module.__dict__)
            except SystemExit as end:
                if end.code not in (None, 0):
                    self.stopped = f"{file.name} ended with exit code {end.code!r}"
                    self.cause = end
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                self.stopped, self.cause = f"{where(file, error)}: {reason(error)}", error

    def end(self, nothing: str) -> None:
        """Says on the last trace why the script stopped.

        Args:
            nothing: what is said, after the script's name, of one without traces.

        Raises:
            ScriptError: if there is no trace.
        """
        if self.stopped and self.traces:
            notes = (*self.traces[-1].notes, f"Here the script stopped. {self.stopped}")
            self.traces[-1] = replace(self.traces[-1], notes=notes)
        elif self.stopped:
            raise ScriptError(self.stopped) from self.cause
        if not self.traces:
            raise ScriptError(f"{self.file.name} {nothing}")


def said(place: tuple[str, int], count: int) -> str:
    """A file, a line and which call of it, for a title."""
    file, number = place
    times = f", call {count}" if count > 1 else ""
    return f" ({os.path.basename(file)}, line {number}{times})"
