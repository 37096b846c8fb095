"""`fit`, `evaluate` and `predict`: the training loop written out.

`fit` calls `train_step` for each batch; see `stepping`. Callbacks are called on the way, and what
was measured is returned.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minitape as tf
from minitape.errors.of_arguments import checked_integer, not_fitting
from minitape.keras.callbacks import History
from minitape.keras.models import batches as feeding
from minitape.keras.models.progress import Watch, as_floats
from minitape.keras.models.stepping import Stepping


class Trainer(Stepping):
    """The training methods of models."""

    def fit(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        epochs: int = 1,
        verbose: Any = "auto",
        callbacks: Any = None,
        validation_split: float = 0.0,
        validation_data: Any = None,
        shuffle: bool = True,
        class_weight: dict[int, float] | None = None,
        sample_weight: Any = None,
        initial_epoch: int = 0,
        steps_per_epoch: int | None = None,
        validation_steps: int | None = None,
        validation_batch_size: int | None = None,
        validation_freq: int = 1,
    ) -> History:
        """Trains the model.

        Args:
            x: arrays, or a `tf.data.Dataset`, a generator or a sequence of batches.
            y: the targets, where `x` are arrays.
            batch_size: of arrays; by default 32.
            epochs: how often the data are gone through.
            verbose: 0 for silence, 1 for a bar, 2 for a line per epoch; "auto" is 1 where somebody
                can see it, in a terminal or notebook, else 0.
            callbacks: a list of `tf.keras.callbacks.Callback`.
            validation_split: the share of the arrays, at their end, to validate with.
            validation_data: (x, y), (x, y, weights) or a dataset to validate with.
            shuffle: whether arrays are taken in another order each epoch.
            class_weight: a factor of the loss for each class number.
            sample_weight: a factor for each example.
            initial_epoch: the number of the first epoch.
            steps_per_epoch: how many batches are an epoch.
            validation_steps: how many batches are validated with.
            validation_batch_size: of the arrays to validate with.
            validation_freq: validates each so many epochs.

        Returns:
            What was measured, `history.history["loss"]`.

        Raises:
            ValueError: before `compile`, or if the data do not fit together.

        Example:
            >>> import minitape as tf
            >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="zeros")])
            >>> model.compile("sgd", "mse")
            >>> history = model.fit([[1.0], [2.0]], [[1.0], [2.0]], epochs=2, verbose=0)
            >>> history.history["loss"][0]
            2.5
        """
        self._require_compiled()
        checked_integer("fit", "epochs", epochs, "fit(x, y, epochs=5)")
        checked_integer("fit", "initial_epoch", initial_epoch, "fit(x, y, initial_epoch=5)")
        if validation_split and validation_data is None:
            given = (x, y, sample_weight)
            (x, y, sample_weight), validation_data = feeding.split(given, validation_split)
        data = feeding.make_batches(x, y, sample_weight, batch_size, shuffle, steps_per_epoch)
        extra = _validation(validation_data, validation_batch_size or batch_size, validation_steps)
        watch = Watch(self, "train", callbacks, verbose, data.steps, epochs)
        self.history, self.stop_training = watch.history, False
        watch.tell("on_train_begin", {})
        logs: dict[str, float] = {}
        for epoch in range(initial_epoch, epochs):
            logs = self._epoch(epoch, data, watch, class_weight)
            if extra is not None and (epoch + 1) % validation_freq == 0:
                logs |= self._validated(extra, watch)
            watch.end_epoch(epoch, logs)
            if self.stop_training:
                break
        watch.tell("on_train_end", logs)
        return self.history  # type: ignore[no-any-return]

    def _epoch(self, epoch: int, data: Any, watch: Watch, class_weight: Any) -> dict[str, float]:
        """Goes through the data once; the loss and the metrics."""
        self.reset_metrics()
        watch.begin_epoch(epoch)

        def step(batch: Any) -> Any:
            logs = self.train_step(_weighted(batch, class_weight))
            if self._metrics_inside is None:
                self._metrics_inside = self._own_metrics()
                self._layers_inside = self._layers()
            return logs

        try:
            logs = self._each_batch("train", step, data, watch)
        finally:
            self._metrics_inside = self._layers_inside = None
        return dict(sorted(as_floats(logs).items()))

    def _validated(self, data: Any, watch: Watch) -> dict[str, float]:
        """The loss and the metrics of the data to validate with, by their names in a history."""
        data.begin_anew()
        found = self._evaluated(data, watch)
        return {f"val_{name}": value for name, value in sorted(found.items())}

    def _each_batch(self, kind: str, step: Callable[[Any], Any], data: Any, watch: Watch) -> Any:
        """Gives `step` all batches; what it returned for the last one."""
        logs: Any = {}
        for number, batch in enumerate(data):
            watch.begin_batch(kind, number)
            logs = step(batch)
            watch.end_batch(kind, number, logs)
            if self.stop_training and kind == "train":
                break
        return logs

    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        verbose: Any = "auto",
        sample_weight: Any = None,
        steps: int | None = None,
        callbacks: Any = None,
        return_dict: bool = False,
    ) -> Any:
        """The loss and the metrics of data.

        Args:
            x: arrays, or something to iterate, as for `fit`.
            y: the targets.
            batch_size: of arrays; by default 32.
            verbose: as for `fit`.
            sample_weight: a factor for each example.
            steps: how many batches.
            callbacks: a list of callbacks.
            return_dict: whether the results come by name.

        Returns:
            The loss; a list with the metrics behind it where there are some.
        """
        self._require_compiled()
        data = feeding.make_batches(x, y, sample_weight, batch_size, steps=steps)
        watch = Watch(self, "test", callbacks, verbose, data.steps)
        found = self._evaluated(data, watch)
        watch.progress.finish(found)
        if return_dict:
            return dict(sorted(found.items()))
        values = list(found.values())
        return values[0] if len(values) == 1 else values

    def _evaluated(self, data: Any, watch: Watch) -> dict[str, float]:
        self.reset_metrics()
        watch.tell("on_test_begin", {})
        found = as_floats(self._each_batch("test", self.test_step, data, watch))
        watch.tell("on_test_end", found)
        return found

    def predict(
        self,
        x: Any,
        batch_size: int | None = None,
        verbose: Any = "auto",
        steps: int | None = None,
        callbacks: Any = None,
    ) -> Any:
        """The predictions for data, as NumPy arrays.

        Args:
            x: arrays, or something to iterate, as for `fit`.
            batch_size: of arrays; by default 32.
            verbose: as for `fit`.
            steps: how many batches.
            callbacks: a list of callbacks.
        """
        data = feeding.make_batches(x, batch_size=batch_size, steps=steps)
        watch = Watch(self, "predict", callbacks, verbose, data.steps)
        found: list[Any] = []

        def step(batch: Any) -> None:
            found.append(_as_numpy(self.predict_step(batch)))

        watch.tell("on_predict_begin", {})
        self._each_batch("predict", step, data, watch)
        watch.tell("on_predict_end", {})
        watch.progress.finish({})
        if not found:
            raise ValueError("predict: there is no example to predict for.")
        return tf.nest.map_structure(lambda *parts: np.concatenate(parts), *found)

    def train_on_batch(
        self,
        x: Any,
        y: Any = None,
        sample_weight: Any = None,
        class_weight: Any = None,
        return_dict: bool = False,
    ) -> Any:
        """One `train_step`; returns the loss of this batch, with its metrics behind it."""
        self._require_compiled()
        return self._on_batch(self.train_step, (x, y, sample_weight), class_weight, return_dict)

    def test_on_batch(
        self, x: Any, y: Any = None, sample_weight: Any = None, return_dict: bool = False
    ) -> Any:
        """One `test_step`; returns the loss of this batch, with its metrics behind it."""
        self._require_compiled()
        return self._on_batch(self.test_step, (x, y, sample_weight), None, return_dict)

    def _on_batch(
        self, step: Callable[[Any], Any], given: Any, class_weight: Any, return_dict: bool
    ) -> Any:
        batch = feeding.as_tensors(tuple(map(feeding.arrays_of, given)))
        self.reset_metrics()
        logs = as_floats(step(_weighted(batch, class_weight)))
        values = list(logs.values())
        return logs if return_dict else values[0] if len(values) == 1 else values

    def predict_on_batch(self, x: Any) -> Any:
        """The predictions for one batch, as NumPy arrays."""
        return _as_numpy(self.predict_step(feeding.as_tensors((feeding.arrays_of(x),))))

    def _require_compiled(self) -> None:
        if not self._is_compiled:
            raise ValueError(
                "You must call `compile()` before using the model: it says with which loss and "
                "optimizer. Write `model.compile('adam', 'mse')`."
            )


def _as_numpy(found: Any) -> Any:
    return tf.nest.map_structure(lambda x: x.numpy(), found)


def _validation(given: Any, batch_size: int | None, steps: int | None) -> Any:
    if given is None:
        return None
    x, y, weights = feeding.unpack(tuple(given) if isinstance(given, list) else given)
    return feeding.make_batches(x, y, weights, batch_size, steps=steps)


def _weighted(batch: Any, class_weight: Any) -> Any:
    """A batch with the weights of its classes."""
    if not isinstance(class_weight, dict | None):
        kind = "a dict from class numbers to factors"
        raise not_fitting(
            "fit", "class_weight", class_weight, kind, "class_weight={0: 1.0, 1: 2.0}"
        )
    if not class_weight:
        return batch
    x, y, weights = feeding.unpack(batch)
    if weights is not None:
        raise ValueError("Give `class_weight` or `sample_weight`, not both.")
    classes = y.numpy()
    if classes.ndim > 1:
        classes = classes.argmax(-1) if classes.shape[-1] > 1 else classes[..., 0]
    found = [class_weight.get(int(each), 1.0) for each in classes.ravel()]
    return x, y, tf.constant(np.reshape(found, classes.shape), tf.float32)
