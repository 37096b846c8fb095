"""What is told on the way through a training: to the callbacks, and in the line that is printed.

With verbose="auto" the line is printed where somebody can watch it, in a terminal or a notebook,
and nothing is printed into files and pipes.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

from minitape.errors.of_arguments import checked_integer, not_fitting
from minitape.keras.callbacks import History

_WIDTH = 20
_BOLD, _GREEN, _WHITE, _END = "\33[1m", "\33[32m", "\33[37m", "\33[0m"


class Watch:
    """The callbacks and the line of one `fit`, `evaluate` or `predict`.

    Args:
        model: what the callbacks find as `self.model`.
        kind: whose batches the line counts: "train", "test" or "predict". Within a training the
            batches of validation are told to the callbacks alone.
        callbacks: one, or a list of them.
        verbose: as for `fit`.
        steps: how many batches there are, None if that is not known yet.
        epochs: how many epochs.
    """

    def __init__(
        self,
        model: Any,
        kind: str,
        callbacks: Any,
        verbose: Any,
        steps: int | None,
        epochs: int = 1,
    ) -> None:
        self.kind, self.epochs = kind, epochs
        self.progress, self.history = Progress(verbose, steps), History()
        given = callbacks if isinstance(callbacks, list | tuple) else [callbacks]
        self.given = [each for each in given if each is not None]
        params = {"verbose": self.progress.verbose, "epochs": epochs, "steps": steps}
        for each in [*self.given, self.history]:
            if not hasattr(each, "set_model"):
                what, example = "a Callback or a list of them", "callbacks=[EarlyStopping()]"
                raise not_fitting("model", "callbacks", each, what, example)
            each.set_model(model)
            each.set_params(params)

    def tell(self, event: str, *args: Any) -> None:
        """Calls `event` of all callbacks."""
        for each in [*self.given, self.history]:
            getattr(each, event)(*args)

    def begin_epoch(self, epoch: int) -> None:
        """An epoch begins, with a line of its own where there are several."""
        self.tell("on_epoch_begin", epoch, {})
        self.progress.begin(f"Epoch {epoch + 1}/{self.epochs}" if self.epochs > 1 else "")

    def end_epoch(self, epoch: int, logs: dict[str, Any]) -> None:
        """An epoch is over, validation as well."""
        self.tell("on_epoch_end", epoch, logs)
        self.progress.finish(logs)

    def begin_batch(self, kind: str, step: int) -> None:
        """A batch begins; a history does not ask for it."""
        for each in self.given:
            getattr(each, f"on_{kind}_batch_begin")(step, {})

    def end_batch(self, kind: str, step: int, logs: Any) -> None:
        """A batch is over; its results are made numbers only where they are looked at."""
        is_shown = kind == self.kind and self.progress.counts(step)
        if is_shown or self.given:
            numbers = as_floats(logs)
            if is_shown:
                self.progress.update(numbers)
            for each in self.given:
                getattr(each, f"on_{kind}_batch_end")(step, numbers)


def as_floats(logs: Any) -> dict[str, float]:
    """Results as numbers; those of metrics that give several by their own names."""
    found: dict[str, float] = {}
    for name, value in (logs or {}).items():
        if isinstance(value, dict):
            found |= as_floats(value)
        else:
            number = np.asarray(value)
            found[name] = float(number) if not number.ndim else number.tolist()
    return found


class Progress:
    """Prints one line per epoch, over and over while it grows."""

    def __init__(self, verbose: Any, target: int | None) -> None:
        if verbose == "auto":
            verbose = int("ipykernel" in sys.modules or sys.stdout.isatty())
        self.verbose = checked_integer("model", "verbose", verbose, "verbose=0")
        self.target = target
        self.begin()

    def begin(self, title: str = "") -> None:
        """A new epoch."""
        self.begun, self.shown, self.width, self.steps = time.time(), 0.0, 0, 0
        if self.verbose and title:
            print(title)

    def counts(self, step: int) -> bool:
        """Counts a batch; whether a line is due for it: 20 times a second are enough."""
        self.steps = step + 1
        return self.verbose == 1 and time.time() - self.shown >= 0.05

    def update(self, logs: dict[str, Any]) -> None:
        """The line after the batches so far, with the time that is left."""
        taken = time.time() - self.begun
        left = taken / self.steps * (self.target - self.steps) if self.target else taken
        self._write(self._line(taken, left, logs))

    def finish(self, logs: dict[str, Any]) -> None:
        """The line of a whole epoch, with the time that it took."""
        self.target = self.target or self.steps
        taken = time.time() - self.begun
        if self.verbose == 1:
            self._write(self._line(taken, taken, logs) + "\n")
        elif self.verbose == 2:
            print(f"{self.steps}/{self.target} - {taken:.0f}s - {self._ending(taken, logs)}")

    def _write(self, text: str) -> None:
        self.shown = time.time()
        sys.stdout.write("\b" * self.width + "\r" + text)
        sys.stdout.flush()
        self.width = len(text)

    def _line(self, taken: float, shown: float, logs: dict[str, Any]) -> str:
        head = f"{self.steps:7d}/Unknown"
        if self.target:
            full = int(_WIDTH * self.steps / self.target)
            bar = f"{_GREEN}{'━' * full}{_END}" if full else ""
            head = f"{_BOLD}{self.steps:{len(str(self.target))}d}/{self.target}{_END} {bar}"
            head += f"{_WHITE}{'━' * (_WIDTH - full)}{_END}"
        return f"{head} {_BOLD}{shown:.0f}s{_END} {self._ending(taken, logs)}"

    def _ending(self, taken: float, logs: dict[str, Any]) -> str:
        """The time of a batch, and the metrics in the order of their names, as in Keras."""
        text = f"{_duration(taken / max(1, self.steps))}/step"
        for name, value in sorted(logs.items()):
            shown = str(value)
            if isinstance(value, float):
                shown = f"{value:.4f}" if abs(value) > 1e-3 else f"{value:.4e}"
            text += f" - {name}: {shown}"
        return text


def _duration(seconds: float) -> str:
    if seconds >= 1 or seconds == 0:
        return f"{seconds:.0f}s"
    return f"{seconds * 1e3:.0f}ms" if seconds >= 1e-3 else f"{seconds * 1e6:.0f}us"
