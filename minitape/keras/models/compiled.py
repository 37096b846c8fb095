"""What `compile` was given, as losses and metrics per output.

The one fact to know: names such as "accuracy" are settled by the first batch, whose shapes tell
binary from categorical targets.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import minitape as tf
from minitape.keras import losses, metrics
from minitape.tensor import Tensor

_LISTS = (list, tuple)


def per_output(given: Any, y_pred: Any, names: list[str]) -> list[Any]:
    """What belongs to each output: of a dict by its name, of a list by its place, else the same.

    Raises:
        ValueError: if names or numbers do not fit the outputs.
    """
    outputs = _outputs(y_pred)
    if isinstance(given, dict):
        if isinstance(y_pred, dict):
            names = sorted(y_pred)
        unknown = set(given) - set(names)
        if unknown:
            raise ValueError(
                f"There is no output {sorted(unknown)}; the outputs are {names}. Name the last "
                "layers, `Dense(1, name='price')`, and use these names."
            )
        return [given.get(name) for name in names]
    if isinstance(given, _LISTS) and len(outputs) > 1:
        if len(given) != len(outputs):
            raise ValueError(
                f"{len(given)} entries for {len(outputs)} outputs: {given!r:.100}. Each output has "
                f"its own. Give a list of {len(outputs)}, or a dict whose keys are {names}."
            )
        return list(given)
    return [given] * len(outputs)


def _outputs(given: Any) -> list[Any]:
    """The outputs of a model, or their targets; nearly always there is one."""
    return [given] if isinstance(given, Tensor) else tf.nest.flatten(given)


def _shapes_say(y_true: Any, y_pred: Any) -> str:
    if y_pred.shape[-1] == 1:
        return "binary"
    is_sparse = len(y_true.shape) < len(y_pred.shape) or y_true.shape[-1] == 1
    return "sparse_categorical" if is_sparse else "categorical"


def loss_for(identifier: Any, y_true: Any, y_pred: Any) -> Any:
    """The loss object for an identifier of `compile`."""
    if str(identifier).lower() in {"crossentropy", "ce"}:
        identifier = _shapes_say(y_true, y_pred) + "_crossentropy"
    found = losses.get(identifier)
    if found is None or isinstance(found, losses.Loss):
        return found
    return losses.LossFunctionWrapper(found)


def metric_for(identifier: Any, y_true: Any, y_pred: Any) -> Any:
    """The metric object for an identifier of `compile`, with the name that logs show."""
    name = identifier if isinstance(identifier, str) else None
    if str(identifier).lower() in {"accuracy", "acc"}:
        identifier = _shapes_say(y_true, y_pred) + "_accuracy"
    elif str(identifier).lower() in {"crossentropy", "ce"}:
        identifier = _shapes_say(y_true, y_pred) + "_crossentropy"
    found = metrics.get(identifier)
    if isinstance(found, metrics.Metric):
        found.name = name or found.name
        return found
    return metrics.MeanMetricWrapper(found, name=name)


class CompiledLoss:
    """The weighted sum of the losses of all outputs; of several ones each is followed as well."""

    def __init__(self, loss: Any, weights: Any, names: list[str]) -> None:
        self.given, self.weights, self.names = loss, weights, names
        self.losses: list[Any] = []
        self.trackers: list[Any] = []

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """The loss of a batch."""
        outputs = _outputs(y_pred)
        targets = [y for y in matched(y_true, y_pred, self.names) if y is not None]
        if not self.losses:
            self._settle(targets, y_pred)
        shares = per_output(self.weights, y_pred, self.names)
        weights = per_output(sample_weight, y_pred, self.names)
        total: Any = None
        followed = self.trackers or [None] * len(outputs)
        parts = zip(self.losses, targets, outputs, shares, weights, followed, strict=True)
        for loss, target, output, share, weight, tracker in parts:
            if loss is None:
                continue
            value = loss(target, output, sample_weight=weight)
            if tracker is not None:
                tracker.update_state(value)  # each batch counts the same, as in Keras
            value = value if share is None else value * share
            total = value if total is None else total + value
        return total

    def _settle(self, targets: list[Any], y_pred: Any) -> None:
        outputs = tf.nest.flatten(y_pred)
        if len(targets) != len(outputs):
            raise ValueError(
                f"The model has {len(outputs)} outputs to compare and got {len(targets)} targets "
                "beside None. A loss compares each output with its target. Write `fit(x, y)`."
            )
        given = per_output(self.given, y_pred, self.names)
        self.losses = [
            None if g is None else loss_for(g, t, o)
            for g, t, o in zip(given, targets, outputs, strict=True)
        ]
        if len(outputs) > 1:
            self.trackers = [metrics.Mean(f"{name}_loss") for name in self.names]


class CompiledMetrics:
    """The metrics of all outputs, under the names that logs show; together as if they were one."""

    name = "compile_metrics"

    def __init__(self, given: Any, weighted: Any, names: list[str]) -> None:
        for what, metrics_given in (("metrics", given), ("weighted_metrics", weighted)):
            if not isinstance(metrics_given, (*_LISTS, dict, type(None))):
                raise ValueError(
                    f"Expected `{what}` argument to be a list, tuple, or dict. Received instead: "
                    f"{what}={metrics_given!r:.100}. There can be several. Write "
                    f"`compile(..., {what}=[{metrics_given!r:.100}])`."
                )
        self.given, self.weighted, self.names = given, weighted, names
        self.found: list[list[tuple[str, Any, bool]]] = []

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Adds a batch."""
        outputs = _outputs(y_pred)
        targets = matched(y_true, y_pred, self.names)
        if not self.found:
            self._settle(targets, y_pred)
        weights = per_output(sample_weight, y_pred, self.names)
        for row, target, output, weight in zip(self.found, targets, outputs, weights, strict=True):
            for _, metric, is_weighted in row:
                metric.update_state(target, output, sample_weight=weight if is_weighted else None)

    def _settle(self, targets: list[Any], y_pred: Any) -> None:
        outputs = tf.nest.flatten(y_pred)
        plain, weighted = (
            self._rows(given, y_pred, is_weighted)
            for given, is_weighted in ((self.given, False), (self.weighted, True))
        )
        prefixes = [f"{name}_" for name in self.names] if len(outputs) > 1 else [""]
        for prefix, row, target, output in zip(
            prefixes, map(list.__add__, plain, weighted), targets, outputs, strict=True
        ):
            made = [(metric_for(each, target, output), w) for each, w in row]
            taken: Counter[str] = Counter()
            self.found.append([(_free(prefix, m.name, w, taken), m, w) for m, w in made])

    def _rows(self, given: Any, y_pred: Any, is_weighted: bool) -> list[list[Any]]:
        outputs = tf.nest.flatten(y_pred)
        if given is None:
            return [[] for _ in outputs]
        is_flat = not isinstance(given, dict) and not any(isinstance(g, _LISTS) for g in given)
        rows = [given] if is_flat and len(outputs) == 1 else per_output(given, y_pred, self.names)
        listed = [row if isinstance(row, _LISTS) else [row] for row in rows]
        return [[(each, is_weighted) for each in row if each is not None] for row in listed]

    def result(self) -> dict[str, Any]:
        """The results by name."""
        return {name: metric.result() for row in self.found for name, metric, _ in row}

    def reset_state(self) -> None:
        """Starts all of them anew."""
        for row in self.found:
            for _, metric, _ in row:
                metric.reset_state()


def _free(prefix: str, name: str, is_weighted: bool, taken: Counter[str]) -> str:
    """The name in logs: where it is taken, "weighted_" comes before it, or a number behind."""
    found = prefix + name
    if is_weighted and found in taken:
        found = f"{prefix}weighted_{name}"
    taken[found] += 1
    return found if taken[found] == 1 else f"{found}_{taken[found] - 1}"


def matched(y_true: Any, y_pred: Any, names: list[str]) -> list[Any]:
    """The targets in the order of the outputs.

    Raises:
        ValueError: if there are more or fewer.
    """
    if isinstance(y_true, dict) and not isinstance(y_pred, dict):
        return [y_true[name] for name in names]
    targets, outputs = _outputs(y_true), _outputs(y_pred)
    if len(targets) != len(outputs):
        raise ValueError(
            f"The model gives {len(outputs)} outputs and got {len(targets)} targets. Give `y` the "
            "structure of the outputs."
        )
    return targets
