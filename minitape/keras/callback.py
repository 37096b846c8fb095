"""`Callback`: what is called on the way through a training, and the list that `fit` keeps."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from minitape.errors.of_arguments import not_fitting


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

    def __init__(self) -> None:
        self.validation_data = None

    model: Any = None
    params: dict[str, Any] = {}

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


class History(Callback):
    """What `fit` returns: the metrics of each epoch, in lists by their names.

    `epoch` lists the numbers of the epochs, `params` says how `fit` was called.
    """

    def __init__(self) -> None:
        super().__init__()
        self.history: dict[str, list[Any]] = {}
        self.epoch: list[int] = []

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Notes the metrics."""
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)


class CallbackList:
    """Calls several callbacks, and brings the progress line up to date."""

    def __init__(
        self,
        callbacks: Any,
        model: Any,
        progress: Any = None,
        epochs: int = 1,
        steps: int | None = None,
    ) -> None:
        given = callbacks if isinstance(callbacks, list | tuple) else [callbacks]
        self.history = History()
        self.callbacks = [*(each for each in given if each is not None), self.history]
        self.progress, self.epochs, self.model = progress, epochs, model
        self.seen = 0
        if progress is not None:
            progress.target = steps
        params = {"verbose": getattr(progress, "verbose", 0), "epochs": epochs, "steps": steps}
        for each in self.callbacks:
            if not hasattr(each, "set_model"):
                what, example = "a Callback or a list of them", "callbacks=[EarlyStopping()]"
                raise not_fitting("model", "callbacks", each, what, example)
            each.set_model(model)
            each.set_params(params)
        self._with_batches = [each for each in self.callbacks if type(each) is not History]

    def quiet(self) -> CallbackList:
        """The same callbacks without a progress line, for validation while a model is trained."""
        other = copy.copy(self)
        other.progress = None
        return other

    def _call(self, event: str, *args: Any) -> None:
        for each in self.callbacks:
            getattr(each, event)(*args)

    def __getattr__(self, event: str) -> Callable[..., None]:
        if event.endswith("_batch_begin"):
            return partial(self._batch_begin, event)
        if event.endswith("_batch_end"):
            return partial(self._batch_end, event)
        if event in {"on_test_begin", "on_predict_begin"}:
            return partial(self._begin, event)
        if event in {"on_test_end", "on_predict_end"}:
            return partial(self._end, event)
        if not event.startswith("on_"):
            raise AttributeError(event)
        return partial(self._call, event)

    def on_epoch_begin(self, epoch: int) -> None:
        """A new epoch."""
        self._call("on_epoch_begin", epoch, {})
        self.seen = 0
        self.progress.begin(f"Epoch {epoch + 1}/{self.epochs}" if self.epochs > 1 else "")

    def on_epoch_end(self, epoch: int, logs: dict[str, Any]) -> None:
        """The epoch is over, validation as well."""
        self._call("on_epoch_end", epoch, logs)
        self.progress.finish(self.seen, logs)

    def _begin(self, event: str) -> None:
        self._call(event, {})
        if self.progress is not None:
            self.progress.begin()

    def _end(self, event: str, logs: dict[str, Any]) -> None:
        self._call(event, logs)
        if self.progress is not None:
            self.progress.finish(self.seen, logs)

    def _batch_begin(self, event: str, step: int) -> None:
        for each in self._with_batches:
            getattr(each, event)(step, {})

    def _batch_end(self, event: str, step: int, logs: Any) -> None:
        self.seen = step + 1
        is_due = self.progress is not None and self.progress.wants(step)
        if not is_due and not self._with_batches:
            return
        numbers = as_floats(logs)
        if is_due:
            self.progress.update(step + 1, numbers)
        for each in self._with_batches:
            getattr(each, event)(step, numbers)
