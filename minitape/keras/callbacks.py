"""`tf.keras.callbacks`: functions that `fit`, `evaluate` and `predict` call on their way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minitape.errors.notices import warn
from minitape.errors.of_arguments import checked_number
from minitape.errors.of_flags import checked_flag
from minitape.keras.callback import Callback, CallbackList, History
from minitape.names.absent import closed

__all__ = [
    "Callback", "CallbackList", "EarlyStopping", "History", "LambdaCallback",
    "LearningRateScheduler", "ReduceLROnPlateau", "TerminateOnNaN",
]  # fmt: skip


class LambdaCallback(Callback):
    """A callback made of functions: `LambdaCallback(on_epoch_end=lambda epoch, logs: ...)`."""

    def __init__(self, **functions: Callable[..., None]) -> None:
        super().__init__()
        for name, function in functions.items():
            if not hasattr(Callback, name):
                known = [each for each in dir(Callback) if each.startswith("on_")]
                raise TypeError(f"LambdaCallback has no event {name!r}; there are {known}.")
            if function is not None:
                setattr(self, name, function)


class _Monitor(Callback):
    """What callbacks share that wait for a metric to become better."""

    def __init__(self, monitor: str, mode: str, min_delta: float, patience: int) -> None:
        super().__init__()
        if mode not in {"auto", "min", "max"}:
            raise ValueError(f"mode must be 'auto', 'min' or 'max'; got {mode!r}.")
        self.monitor, self.patience = monitor, patience
        kind = type(self).__name__
        self.min_delta = abs(checked_number(kind, "min_delta", min_delta, f"{kind}(min_delta=0.1)"))
        grows = any(part in monitor for part in ("acc", "auc", "precision", "recall"))
        self.sign = 1.0 if mode == "max" or (mode == "auto" and grows) else -1.0
        self.wait, self.best = 0, -np.inf

    def _value(self, logs: Any) -> float | None:
        """The metric, larger is better; None with a warning where there is none of that name."""
        if self.monitor in logs:
            return self.sign * float(logs[self.monitor])
        warn(
            "%s waits for `%s`, which is not measured. Measured are: %s. Give validation_data, or "
            "another `monitor`.",
            type(self).__name__,
            self.monitor,
            sorted(logs),
        )
        return None


class EarlyStopping(_Monitor):
    """Stops when a metric is no longer getting better.

    Args:
        monitor: the name of the metric.
        min_delta: what counts as better.
        patience: after so many epochs without.
        verbose: 1 says so.
        mode: 'min', 'max', or 'auto' to choose by the name.
        baseline: a value that has to be beaten.
        restore_best_weights: whether the weights of the best epoch come back.
        start_from_epoch: epochs before it do not count.
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        min_delta: float = 0,
        patience: int = 0,
        verbose: int = 0,
        mode: str = "auto",
        baseline: float | None = None,
        restore_best_weights: bool = False,
        start_from_epoch: int = 0,
    ) -> None:
        super().__init__(monitor, mode, min_delta, patience)
        self.verbose, self.baseline = verbose, baseline
        restores = checked_flag("EarlyStopping", "restore_best_weights", restore_best_weights)
        self.restore_best_weights, self.start_from_epoch = restores, start_from_epoch
        self.stopped_epoch = self.best_epoch = 0
        self.best_weights: Any = None

    def on_train_begin(self, logs: Any = None) -> None:
        self.wait, self.stopped_epoch, self.best_epoch = 0, 0, 0
        self.best_weights = None
        self.best = -np.inf if self.baseline is None else self.sign * self.baseline

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        value = self._value(logs)
        if value is None or epoch < self.start_from_epoch:
            return
        if self.restore_best_weights and self.best_weights is None:
            self.best_weights, self.best_epoch = self.model.get_weights(), epoch
        self.wait += 1
        if value - self.min_delta > self.best:
            self.best, self.best_epoch, self.wait = value, epoch, 0
            if self.restore_best_weights:
                self.best_weights = self.model.get_weights()
        elif self.wait >= self.patience and epoch > 0:
            self.stopped_epoch = epoch
            self.model.stop_training = True

    def on_train_end(self, logs: Any = None) -> None:
        if self.stopped_epoch and self.verbose:
            print(f"Epoch {self.stopped_epoch + 1}: early stopping")
        if self.restore_best_weights and self.best_weights is not None:
            self.model.set_weights(self.best_weights)


class ReduceLROnPlateau(_Monitor):
    """Multiplies the learning rate by `factor` when a metric is no longer getting better."""

    def __init__(
        self,
        monitor: str = "val_loss",
        factor: float = 0.1,
        patience: int = 10,
        verbose: int = 0,
        mode: str = "auto",
        min_delta: float = 1e-4,
        cooldown: int = 0,
        min_lr: float = 0.0,
    ) -> None:
        super().__init__(monitor, mode, min_delta, patience)
        self.factor, self.verbose, self.min_lr, self.cooldown = factor, verbose, min_lr, cooldown
        self.resting = 0

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        logs["learning_rate"] = float(self.model.optimizer.learning_rate)
        value = self._value(logs)
        if value is None:
            return
        self.resting = max(0, self.resting - 1)
        self.wait = 0 if self.resting else self.wait
        if value > self.best + self.min_delta:
            self.best, self.wait = value, 0
        elif not self.resting:
            self.wait += 1
            rate = float(self.model.optimizer.learning_rate)
            if self.wait >= self.patience and rate > self.min_lr:
                self.model.optimizer.learning_rate = max(rate * self.factor, self.min_lr)
                self.resting, self.wait = self.cooldown, 0


class LearningRateScheduler(Callback):
    """Sets the learning rate at the start of each epoch: `schedule(epoch, rate)` gives it."""

    def __init__(self, schedule: Callable[..., float], verbose: int = 0) -> None:
        super().__init__()
        self.schedule, self.verbose = schedule, verbose

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        optimizer = self.model.optimizer
        try:
            rate = self.schedule(epoch, float(optimizer.learning_rate))
        except TypeError:  # of the epoch alone
            rate = self.schedule(epoch)
        optimizer.learning_rate = rate
        if self.verbose:
            text = f"LearningRateScheduler setting learning rate to {float(rate)}."
            print(f"\nEpoch {epoch + 1}: {text}")

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        logs["learning_rate"] = float(self.model.optimizer.learning_rate)


class TerminateOnNaN(Callback):
    """Stops when the loss is not a number."""

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        if not np.isfinite(logs.get("loss", 0.0)):
            print(f"Batch {batch}: Invalid loss, terminating training")
            self.model.stop_training = True


closed("minitape.keras.callbacks")
