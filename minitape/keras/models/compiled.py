"""What `compile` was given, as losses and metrics per output.

Names such as "accuracy" are settled by the first batch, whose shapes tell binary from categorical
targets.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import minitape as tf
from minitape.keras import losses, metrics
from minitape.tensor import Tensor

_LISTS = (list, tuple)
_SETTLED_BY_SHAPES = {"acc", "accuracy", "ce", "crossentropy"}


def name_outputs(names: list[str], y_pred: Any) -> list[Any]:
    """The outputs; in a dict they are called by its keys, and those without a name by numbers."""
    if isinstance(y_pred, dict):
        names[:] = y_pred
        return list(y_pred.values())
    outputs = _listed(y_pred)
    if not names:
        names += [f"output_{i + 1}" for i in range(len(outputs))]
    return outputs


def per_output(given: Any, names: list[str]) -> list[Any]:
    """What belongs to each output: of a dict by its name, of a list by its place, else the same.

    Raises:
        ValueError: if names or numbers do not fit the outputs.
    """
    count = len(names)
    if isinstance(given, dict):
        unknown = set(given) - set(names)
        if unknown:
            raise ValueError(
                f"There is no output {sorted(unknown)}; the outputs are {names}. Name the last "
                "layers, `Dense(1, name='price')`, and use these names."
            )
        return [given.get(name) for name in names]
    if not isinstance(given, _LISTS) or count == 1:
        return [given] * count
    if len(given) != count:
        raise ValueError(
            f"{len(given)} entries for {count} outputs: {given!r:.100}. Each output has its own. "
            f"Give a list of {count}, or a dict whose keys are {names}."
        )
    return list(given)


def _listed(given: Any) -> list[Any]:
    """The outputs of a model, or their targets; nearly always there is one."""
    return [given] if isinstance(given, Tensor) else tf.nest.flatten(given)


def matched(y_true: Any, names: list[str], loss: Any, compared: list[Any]) -> list[Any]:
    """The targets in the order of the outputs, None where nothing is `compared` with the output.

    Raises:
        ValueError: if there are more or fewer; those of outputs without a loss may be left out.
    """
    is_named = isinstance(y_true, dict)
    targets = [y_true.get(name) for name in names] if is_named else _listed(y_true)
    with_loss = [each is not None for each in per_output(loss, names)]
    if len(targets) == sum(with_loss):
        given = iter(targets)
        targets = [next(given) if each else None for each in with_loss]
    if len(targets) == len(names):
        missing = [c for c, target in zip(compared, targets, strict=True) if c and target is None]
        if not missing:
            return targets
    there = sum(each is not None for each in targets)
    raise ValueError(
        f"The model has {len(names)} outputs to compare and got {there} targets beside None. A "
        "loss compares each output with its target. Write `fit(x, y)`, with `y` of the structure "
        "of the outputs, and None for an output without loss and metrics."
    )


def _by_shapes(name: Any, y_true: Any, y_pred: Any) -> Any:
    """What "accuracy" and "crossentropy" stand for, which is told by the shapes of a batch."""
    short = str(name).lower()
    found = {"acc": "accuracy", "ce": "crossentropy"}.get(short, short)
    if found not in {"accuracy", "crossentropy"}:
        return name
    if y_pred.shape[-1] == 1:
        return f"binary_{found}"
    is_sparse = len(y_true.shape) < len(y_pred.shape) or y_true.shape[-1] == 1
    return f"sparse_categorical_{found}" if is_sparse else f"categorical_{found}"


def loss_for(identifier: Any, y_true: Any, y_pred: Any) -> Any:
    """The loss object for an identifier of `compile`."""
    found = losses.get(_by_shapes(identifier, y_true, y_pred))
    if found is None or isinstance(found, losses.Loss):
        return found
    return losses.LossFunctionWrapper(found)


def metric_for(identifier: Any, y_true: Any, y_pred: Any) -> Any:
    """The metric object for an identifier of `compile`, with the name that logs show."""
    found = metrics.get(_by_shapes(identifier, y_true, y_pred))
    name = identifier if isinstance(identifier, str) else None
    if not isinstance(found, metrics.Metric):
        return metrics.MeanMetricWrapper(found, name=name)
    found.name = name or found.name
    return found


def _check(what: str, given: Any, get: Any) -> None:
    """Raises for a name that there is not, or what is no function; the shapes settle the rest."""
    level = [given]
    while level:
        each = level.pop()
        if isinstance(each, dict):
            level.extend(each.values())
        elif isinstance(each, _LISTS):
            level.extend(each)
        elif isinstance(each, str) and each.lower() not in _SETTLED_BY_SHAPES:
            get(each)
        elif each is not None and not isinstance(each, str) and not callable(each):
            raise ValueError(
                f"The `{what}` argument should be either a callable, string, list, tuple or dict "
                f"of these. Received: {each!r:.100}. Write for instance `{what}='mse'`."
            )


class CompiledLoss:
    """The weighted sum of the losses of all outputs; of several ones each is followed as well."""

    def __init__(self, loss: Any, weights: Any, names: list[str]) -> None:
        _check("loss", loss, losses.get)
        self.given, self.weights, self.names = loss, weights, names
        self.losses: list[Any] = []
        self.trackers: list[Any] = []

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """The loss of a batch."""
        outputs = name_outputs(self.names, y_pred)
        given = per_output(self.given, self.names)
        targets = matched(y_true, self.names, self.given, given)
        if not self.losses:
            self.losses = list(map(loss_for, given, targets, outputs))
            used = [n for n, loss in zip(self.names, self.losses, strict=True) if loss is not None]
            self.trackers = [metrics.Mean(f"{name}_loss") for name in used if len(used) > 1]
        shares = per_output(self.weights, self.names)
        weights = per_output(sample_weight, self.names)
        total: Any = None
        trackers = iter(self.trackers)
        parts = zip(self.losses, targets, outputs, shares, weights, strict=True)
        for loss, target, output, share, weight in parts:
            if loss is None:
                continue
            value = loss(target, output, sample_weight=weight)
            if self.trackers:
                next(trackers).update_state(value)  # each batch counts the same, as in Keras
            value = value if share is None else value * share
            total = value if total is None else total + value
        return total


class CompiledMetrics:
    """The metrics of all outputs, under the names that logs show; together as if they were one."""

    name = "compile_metrics"

    def __init__(self, given: Any, weighted: Any, names: list[str], loss: Any) -> None:
        for what, metrics_given in (("metrics", given), ("weighted_metrics", weighted)):
            if not isinstance(metrics_given, (*_LISTS, dict, type(None))):
                raise ValueError(
                    f"Expected `{what}` argument to be a list, tuple, or dict. Received instead: "
                    f"{what}={metrics_given!r:.100}. There can be several. Write "
                    f"`compile(..., {what}=[{metrics_given!r:.100}])`."
                )
            _check(what, metrics_given, metrics.get)
        self.given, self.weighted, self.names, self.loss = given, weighted, names, loss
        self.found: list[list[tuple[str, Any, bool]]] = []

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Adds a batch."""
        if not (self.given or self.weighted):
            return
        if isinstance(y_pred, dict):  # as in Keras, unlike the losses
            y_pred = dict(sorted(y_pred.items()))
        outputs = name_outputs(self.names, y_pred)
        rows = self.found or self._rows()
        targets = matched(y_true, self.names, self.loss, rows)
        if not self.found:
            self._settle(rows, targets, outputs)
        weights = per_output(sample_weight, self.names)
        for row, target, output, weight in zip(self.found, targets, outputs, weights, strict=True):
            for _, metric, is_weighted in row:
                metric.update_state(target, output, sample_weight=weight if is_weighted else None)

    def _settle(self, rows: list[Any], targets: list[Any], outputs: list[Any]) -> None:
        """Makes the metrics of each output, and finds their names in logs."""
        prefixes = [f"{name}_" for name in self.names] if len(outputs) > 1 else [""]
        for prefix, row, target, output in zip(prefixes, rows, targets, outputs, strict=True):
            taken: Counter[str] = Counter()
            self.found.append([])
            for each, is_weighted in row:
                metric = metric_for(each, target, output)
                name = _free(prefix, metric.name, is_weighted, taken)
                self.found[-1].append((name, metric, is_weighted))

    def _rows(self) -> list[Any]:
        """For each output its metrics, with whether they are weighted."""
        rows: list[Any] = [[] for _ in self.names]
        for given, is_weighted in ((self.given, False), (self.weighted, True)):
            for row, each in zip(rows, per_output(given, self.names), strict=True):
                listed = each if isinstance(each, _LISTS) else [each]
                row += [(metric, is_weighted) for metric in listed if metric is not None]
        return rows

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
