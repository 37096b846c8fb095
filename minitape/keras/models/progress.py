"""The line that `fit` prints: how far it is, how long it takes, and the metrics so far.

The one fact to know: with verbose="auto" it is printed where somebody can watch it, in a terminal
or a notebook, and nothing is printed into files and pipes.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from minitape.errors.of_arguments import checked_integer

_WIDTH = 20
_BOLD, _GREEN, _WHITE, _END = "\33[1m", "\33[32m", "\33[37m", "\33[0m"


def _verbosity(verbose: Any) -> int:
    """0, 1 or 2 of what a user gave."""
    if verbose == "auto":
        return int("ipykernel" in sys.modules or sys.stdout.isatty())
    return checked_integer("model", "verbose", verbose, "verbose=0")


class Progress:
    """Prints one line per epoch, over and over while it grows."""

    def __init__(self, verbose: Any) -> None:
        self.verbose = _verbosity(verbose)
        self.target: int | None = None
        self.begun = self.shown = 0.0
        self.width = 0

    def begin(self, title: str = "") -> None:
        """A new epoch."""
        self.begun, self.shown, self.width = time.time(), 0.0, 0
        if self.verbose and title:
            print(title)

    def wants(self, step: int) -> bool:
        """Whether a line for `step` is due: 20 times a second are enough."""
        return self.verbose == 1 and time.time() - self.shown >= 0.05

    def update(self, step: int, logs: dict[str, Any]) -> None:
        """The line after `step` batches."""
        self._write(self._line(step, logs, is_last=False))

    def finish(self, steps: int, logs: dict[str, Any]) -> None:
        """The line of a whole epoch."""
        if self.verbose == 1:
            self._write(self._line(steps, logs, is_last=True) + "\n")
        elif self.verbose == 2:
            taken = time.time() - self.begun
            each = _duration(taken / max(1, steps))
            print(f"{steps}/{self.target or steps} - {taken:.0f}s - {each}/step{_shown(logs)}")

    def _write(self, text: str) -> None:
        self.shown = time.time()
        sys.stdout.write("\b" * self.width + "\r" + text)
        sys.stdout.flush()
        self.width = len(text)

    def _line(self, step: int, logs: dict[str, Any], is_last: bool) -> str:
        taken = time.time() - self.begun
        each = taken / max(1, step)
        target = step if is_last and self.target is None else self.target
        if target:
            full = int(_WIDTH * step / target)
            bar = f"{_GREEN}{'━' * full}{_END}" if full else ""
            head = f"{_BOLD}{step:{len(str(target))}d}/{target}{_END} {bar}"
            head += f"{_WHITE}{'━' * (_WIDTH - full)}{_END}"
        else:
            head = f"{step:7d}/Unknown"
        left = taken if is_last or not target else each * (target - step)
        return f"{head} {_BOLD}{left:.0f}s{_END} {_duration(each)}/step{_shown(logs)}"


def _duration(seconds: float) -> str:
    if seconds >= 1 or seconds == 0:
        return f"{seconds:.0f}s"
    return f"{seconds * 1e3:.0f}ms" if seconds >= 1e-3 else f"{seconds * 1e6:.0f}us"


def _shown(logs: dict[str, Any]) -> str:
    """The metrics in the order of their names, as Keras shows them."""
    text = ""
    for name in sorted(logs):
        value = logs[name]
        if isinstance(value, float):
            text += f" - {name}: {value:.4f}" if abs(value) > 1e-3 else f" - {name}: {value:.4e}"
        else:
            text += f" - {name}: {value}"
    return text
