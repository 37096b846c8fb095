"""`tf.keras.callbacks`: functions that `fit`, `evaluate` and `predict` call on their way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitape.errors.notices import warn
from minitape.errors.of_arguments import checked_number, checked_range
from minitape.errors.of_flags import checked_flag
from minitape.names.absent import closed

__all__ = [
    "Callback", "EarlyStopping", "History", "LambdaCallback", "LearningRateScheduler",
    "ReduceLROnPlateau",
]  # fmt: skip


class Callback:
    """Base of the callbacks: override what is needed; `self.model` and `self.params` are set.

    Example:
        >>> import minitape as tf
        >>> class Losses(tf.keras.callbacks.Callback):
        ...     def on_epoch_end(self, epoch, logs=None):
        ...         print(epoch, sorted(logs))
        >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        >>> model.compile("sgd", "mse")
        >>> _ = model.fit([[1.0]], [[1.0]], verbose=0, callbacks=[Losses()])
        0 ['loss']
    """

    model: Any = None
    params: dict[str, Any] = {}
    validation_data: Any = None

    def set_model(self, model: Any) -> None:
        """Sets `self.model`."""
        self.model = model

    def set_params(self, params: dict[str, Any]) -> None:
        """Sets `self.params`: verbose, epochs and steps."""
        self.params = params

    def on_train_begin(self, logs: Any = None) -> None:
        """At the start of `fit`."""

    def on_train_end(self, logs: Any = None) -> None:
        """At the end of `fit`."""

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """At the start of an epoch."""

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """At the end of an epoch; `logs` has its metrics, and those of validation."""

    def on_batch_begin(self, batch: int, logs: Any = None) -> None:
        """The same as `on_train_batch_begin`."""

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        """The same as `on_train_batch_end`."""

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Before a batch of `fit`."""
        self.on_batch_begin(batch, logs)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """After a batch of `fit`; `logs` has the metrics of the epoch so far."""
        self.on_batch_end(batch, logs)

    def on_test_begin(self, logs: Any = None) -> None:
        """At the start of `evaluate`, and of validation."""

    def on_test_end(self, logs: Any = None) -> None:
        """At the end of it."""

    def on_test_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Before a batch of it."""

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        """After a batch of it."""

    def on_predict_begin(self, logs: Any = None) -> None:
        """At the start of `predict`."""

    def on_predict_end(self, logs: Any = None) -> None:
        """At the end of `predict`."""

    def on_predict_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Before a batch of `predict`."""

    def on_predict_batch_end(self, batch: int, logs: Any = None) -> None:
        """After a batch of `predict`."""


class History(Callback):
    """What `fit` returns: the metrics of each epoch, in lists by their names.

    `epoch` lists the numbers of the epochs, `params` says how `fit` was called.
    """

    def __init__(self) -> None:
        self.history: dict[str, list[Any]] = {}
        self.epoch: list[int] = []

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)


class LambdaCallback(Callback):
    """A callback made of functions: `LambdaCallback(on_epoch_end=lambda epoch, logs: ...)`."""

    def __init__(self, **functions: Callable[..., None]) -> None:
        for name, function in functions.items():
            if not hasattr(Callback, name):
                known = [each for each in dir(Callback) if each.startswith("on_")]
                raise TypeError(f"LambdaCallback has no event {name!r}; there are {known}.")
            if function is not None:
                setattr(self, name, function)


class _Monitor(Callback):
    """What callbacks share that wait for a metric to become better."""

    best: float | None = None
    wait = resting = 0  # epochs since then, and those still to come before it counts again

    def __init__(self, monitor: str, mode: str, min_delta: float, patience: int) -> None:
        if mode not in {"auto", "min", "max"}:
            raise ValueError(f"mode must be 'auto', 'min' or 'max'; got {mode!r}.")
        checked_range(type(self).__name__, "patience", patience, 0.0)
        self.monitor, self.patience = monitor, patience
        kind = type(self).__name__
        self.min_delta = abs(checked_number(kind, "min_delta", min_delta, f"{kind}(min_delta=0.1)"))
        grows = any(part in monitor for part in ("acc", "auc", "precision", "recall"))
        self.sign = 1.0 if mode == "max" or (mode == "auto" and grows) else -1.0

    def on_train_begin(self, logs: Any = None) -> None:
        self.wait, self.resting, self.best = 0, 0, None

    def _is_better(self, value: float, than: float | None) -> bool:
        return than is None or self.sign * value - self.min_delta > self.sign * than

    def _value(self, logs: Any) -> float | None:
        """The metric; None with a warning where there is none of that name."""
        if self.monitor in logs:
            return float(logs[self.monitor])
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
        self.verbose, self.baseline, self.start_from_epoch = verbose, baseline, start_from_epoch
        restores = checked_flag("EarlyStopping", "restore_best_weights", restore_best_weights)
        self.restore_best_weights = restores

    def on_train_begin(self, logs: Any = None) -> None:
        super().on_train_begin(logs)
        self.stopped_epoch = self.best_epoch = 0
        self.best_weights: Any = None

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        value = self._value(logs)
        if value is None or epoch < self.start_from_epoch:
            return
        is_better = self._is_better(value, self.best)
        if self.restore_best_weights and (is_better or self.best_weights is None):
            self.best_weights, self.best_epoch = self.model.get_weights(), epoch
        self.wait += 1
        if is_better:
            self.best, self.best_epoch = value, epoch
            self.wait = 0 if self._is_better(value, self.baseline) else self.wait
        elif self.wait >= self.patience and epoch > 0:
            self.stopped_epoch, self.model.stop_training = epoch, True

    def on_train_end(self, logs: Any = None) -> None:
        if self.stopped_epoch and self.verbose:
            print(f"Epoch {self.stopped_epoch + 1}: early stopping")
        if self.best_weights is not None:
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
        if checked_range("ReduceLROnPlateau", "factor", factor, 0.0) >= 1.0:
            raise ValueError(
                f"ReduceLROnPlateau does not support a factor >= 1.0. Got {factor}. The rate is "
                "multiplied by it to become smaller. Write for instance `factor=0.5`."
            )
        super().__init__(monitor, mode, min_delta, patience)
        self.factor, self.verbose, self.min_lr, self.cooldown = factor, verbose, min_lr, cooldown

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        rate = logs["learning_rate"] = float(self.model.optimizer.learning_rate)
        value = self._value(logs)
        if value is None:
            return
        self.resting = max(0, self.resting - 1)
        if self._is_better(value, self.best):
            self.best, self.wait = value, 0
            return
        self.wait = 0 if self.resting else self.wait + 1
        if self.wait >= self.patience and rate > self.min_lr and not self.resting:
            rate = self.model.optimizer.learning_rate = max(rate * self.factor, self.min_lr)
            self.resting, self.wait = self.cooldown, 0
            if self.verbose:
                text = f"ReduceLROnPlateau reducing learning rate to {rate}."
                print(f"\nEpoch {epoch + 1}: {text}")


class LearningRateScheduler(Callback):
    """Sets the learning rate at the start of each epoch: `schedule(epoch, rate)` gives it."""

    def __init__(self, schedule: Callable[..., float], verbose: int = 0) -> None:
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


closed("minitape.keras.callbacks")
