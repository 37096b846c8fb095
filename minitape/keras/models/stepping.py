"""`compile`, and one batch: the loss, the gradient, a step of the optimizer, the metrics.

Define `train_step` in a model of your own to train in another way.
"""

from __future__ import annotations

from typing import Any

import minitape as tf
from minitape.keras import metrics as measures, optimizers
from minitape.keras.layers.base import Layer
from minitape.keras.models import batches as feeding
from minitape.keras.models.compiled import CompiledLoss, CompiledMetrics


class Stepping(Layer):
    """`compile`, and what happens with one batch."""

    optimizer: Any = None
    stop_training = False
    history: Any = None
    _compiled_loss: Any = None
    _compiled_metrics: Any = None
    _loss_tracker: Any = None
    _metrics_inside: list[Any] | None = None  # its own ones, once an epoch has seen a batch
    _is_compiled = False

    def compile(
        self,
        optimizer: Any = "rmsprop",
        loss: Any = None,
        loss_weights: Any = None,
        metrics: Any = None,
        weighted_metrics: Any = None,
        run_eagerly: bool = False,
        steps_per_execution: int = 1,
        jit_compile: Any = "auto",
        auto_scale_loss: bool = True,
    ) -> None:
        """Says how the model is trained.

        Args:
            optimizer: a name or an optimizer.
            loss: a name, a function of targets and predictions or a loss object; a list or dict
                of them for several outputs.
            loss_weights: factors of the losses of several outputs.
            metrics: names, functions or metric objects; a list or dict of lists for several
                outputs.
            weighted_metrics: the same, with sample weights.
            run_eagerly: accepted; the steps run eagerly in any case. So are those that follow.
            steps_per_execution: not used.
            jit_compile: not used.
            auto_scale_loss: not used.

        Raises:
            ValueError: for names that there are not.
        """
        found = optimizers.get(optimizer)
        names = list(getattr(self, "output_names", None) or [])
        compiled_loss = None if loss is None else CompiledLoss(loss, loss_weights, names)
        compiled_metrics = CompiledMetrics(metrics, weighted_metrics, [*names], loss)
        self.optimizer, self.loss, self._loss_weights = found, loss, loss_weights
        self._compiled_loss, self._compiled_metrics = compiled_loss, compiled_metrics
        self._loss_tracker = measures.Mean("loss")
        self._is_compiled = True
        self.stop_training = False

    def train_step(self, data: Any) -> Any:
        """One step on a batch: loss, gradients, a step of the optimizer. Returns the metrics."""
        x, y, weights = feeding.unpack(data)
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = self.compute_loss(x=x, y=y, y_pred=y_pred, sample_weight=weights)
        self._follow(loss, x)
        variables = self.trainable_variables
        if variables:
            gradients = tape.gradient(loss, variables)
            self.optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return self.compute_metrics(x, y, y_pred, sample_weight=weights)

    def test_step(self, data: Any) -> Any:
        """Loss and metrics of a batch."""
        x, y, weights = feeding.unpack(data)
        y_pred = self(x, training=False)
        loss = self.compute_loss(x=x, y=y, y_pred=y_pred, sample_weight=weights, training=False)
        self._follow(loss, x)
        return self.compute_metrics(x, y, y_pred, sample_weight=weights)

    def predict_step(self, data: Any) -> Any:
        """The predictions for a batch."""
        return self(feeding.unpack(data)[0], training=False)

    def _follow(self, loss: Any, x: Any) -> None:
        if self._loss_tracker is not None:
            count = tf.nest.flatten(x)[0].shape[0]
            self._loss_tracker.update_state(loss, sample_weight=count)

    def compute_loss(
        self,
        x: Any = None,
        y: Any = None,
        y_pred: Any = None,
        sample_weight: Any = None,
        training: bool = True,
    ) -> Any:
        """The loss that `compile` was given, and what layers added.

        Raises:
            ValueError: if there is neither.
        """
        parts = list(self.losses)
        if self._compiled_loss is not None:
            loss = self._compiled_loss(y, y_pred, sample_weight)
            parts += [] if loss is None else [loss]
        if not parts:
            raise ValueError(
                "No loss to compute. Provide a `loss` argument in `compile()`, or define "
                "`train_step` in the model's class."
            )
        return sum(parts[:-1], start=parts[-1])

    def compute_metrics(self, x: Any, y: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """Adds a batch to the metrics that `compile` was given, and returns all results."""
        if y is not None and self._compiled_metrics is not None:
            self._compiled_metrics.update_state(y, y_pred, sample_weight)
        return self.get_metrics_result()

    def get_metrics_result(self) -> dict[str, Any]:
        """The results of the metrics, by name."""
        own = self._own_metrics() if self._metrics_inside is None else self._metrics_inside
        found = {m.name: m.result() for m in own}
        if self._compiled_metrics is not None:
            found.update(self._compiled_metrics.result())
        return found

    def _own_metrics(self) -> list[Any]:
        first = [] if self._loss_tracker is None else [self._loss_tracker]
        if self._compiled_loss is not None:
            first += self._compiled_loss.trackers
        found = self._flatten(lambda leaf: isinstance(leaf, measures.Metric))
        left_out = list(first)  # and what models inside measure by themselves
        for each in self._layers():
            if isinstance(each, Stepping) and each is not self:
                left_out += [x for x in each._leaves() if isinstance(x, measures.Metric)]
        return first + [metric for metric in found if metric not in left_out]

    @property
    def metrics(self) -> list[Any]:
        """The metric objects: the loss first, those of the model, and those of `compile` as one."""
        compiled = self._compiled_metrics
        is_there = compiled is not None and (compiled.given or compiled.weighted)
        return self._own_metrics() + ([compiled] if is_there else [])

    @property
    def compiled_metrics(self) -> Any:
        """The metrics of `compile` as one, for a `train_step` as it was written before Keras 3."""
        return self._compiled_metrics

    def compiled_loss(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None, regularization_losses: Any = None
    ) -> Any:
        """`compute_loss`, for a `train_step` as it was written before Keras 3."""
        return self.compute_loss(y=y_true, y_pred=y_pred, sample_weight=sample_weight)

    @property
    def metrics_names(self) -> list[str]:
        """Their names."""
        return [m.name for m in self.metrics]

    def reset_metrics(self) -> None:
        """Starts all metrics anew."""
        for metric in self.metrics:
            metric.reset_state()
