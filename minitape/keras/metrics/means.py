"""Sums and means over batches: of numbers, and of a function of targets and predictions.

A class here names its function, and `MeanMetricWrapper` does the rest.
"""

from __future__ import annotations

from typing import Any

import minitape as tf
from minitape.keras import loss_functions
from minitape.keras.metrics import functions
from minitape.keras.metrics.metric import Metric
from minitape.keras.module import snake_case

__all__ = [
    "Accuracy", "BinaryAccuracy", "BinaryCrossentropy", "CategoricalAccuracy",
    "CategoricalCrossentropy", "Mean", "MeanAbsoluteError", "MeanAbsolutePercentageError",
    "MeanMetricWrapper", "MeanSquaredError", "RootMeanSquaredError", "SparseCategoricalAccuracy",
    "SparseCategoricalCrossentropy", "SparseTopKCategoricalAccuracy", "Sum",
]  # fmt: skip


class Mean(Metric):
    """The mean of the numbers given.

    Example:
        >>> import minitape as tf
        >>> mean = tf.keras.metrics.Mean()
        >>> mean.update_state([1.0, 3.0])
        >>> float(mean.result())
        2.0
    """

    def __init__(self, name: str | None = "mean", dtype: Any = None) -> None:
        super().__init__(dtype, name)
        self.total = self.add_weight(name="total")
        self.count = self.add_weight(name="count")

    def update_state(self, values: Any = None, sample_weight: Any = None) -> None:
        """Adds a batch, each number times its weight."""
        if values is None:
            raise TypeError(
                f"update_state of the metric '{self.name}' got no value to count in. "
                "Write `metric.update_state([1.0, 2.0])`."
            )
        values = tf.cast(tf.convert_to_tensor(values), self.dtype)
        if sample_weight is None:
            self.count.assign_add(tf.cast(tf.size(values), self.dtype))
        elif type(sample_weight) is int and values.shape.rank == 0:  # a loss, how many it is of
            self.count.assign_add(float(sample_weight))
            values = values * float(sample_weight)
        else:
            values, weights = _weighted(values, sample_weight, tf.reduce_mean)
            self.count.assign_add(tf.reduce_sum(weights))
        self.total.assign_add(values if values.shape.rank == 0 else tf.reduce_sum(values))

    def result(self) -> Any:
        """The mean of everything since the last reset; 0 of nothing."""
        return tf.math.divide_no_nan(self.total, self.count)


def _weighted(values: Any, sample_weight: Any, reduce: Any) -> tuple[Any, Any]:
    """Values times weights, and the weights; axes that these do not have are reduced before."""
    weights = tf.cast(tf.convert_to_tensor(sample_weight), values.dtype)
    weights, values = loss_functions.of_one_rank(weights, values)
    rank = len(weights.shape)
    extra = tuple(range(max(rank, 1), len(values.shape)))
    values = reduce(values, axis=extra) if extra and rank else values
    weights = tf.broadcast_to(weights, tf.shape(values))
    return values * weights, weights


class Sum(Metric):
    """The sum of the numbers given."""

    def __init__(self, name: str | None = "sum", dtype: Any = None) -> None:
        super().__init__(dtype, name)
        self.total = self.add_weight(name="total")

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        values = tf.cast(tf.convert_to_tensor(values), self.dtype)
        if sample_weight is not None:
            values, _ = _weighted(values, sample_weight, tf.reduce_sum)
        self.total.assign_add(tf.reduce_sum(values))

    def result(self) -> Any:
        return tf.convert_to_tensor(self.total)


class MeanMetricWrapper(Mean):
    """The mean of what a function of targets and predictions gives.

    Args:
        fn: the function.
        name: for people; by default that of the function.
        dtype: of the result.
        **options: keyword arguments of the function.
    """

    def __init__(self, fn: Any, name: str | None = None, dtype: Any = None, **options: Any) -> None:
        super().__init__(name or getattr(fn, "__name__", None), dtype)
        self.fn, self.options = fn, options

    def update_state(  # type: ignore[override]  # two values are compared
        self, y_true: Any = None, y_pred: Any = None, sample_weight: Any = None
    ) -> None:
        """Adds a batch, each number times its weight."""
        if y_true is None or y_pred is None:
            raise TypeError(
                f"update_state of the metric '{self.name}' takes y_true and y_pred, and got "
                f"{int(y_true is not None)} values. It compares targets with predictions. "
                "Write `metric.update_state(y_true, y_pred)`."
            )
        given = tf.convert_to_tensor(y_true), tf.convert_to_tensor(y_pred)
        super().update_state(self.fn(*given, **self.options), sample_weight)


class _Function(MeanMetricWrapper):
    """The mean of the function of its class.

    Raises:
        TypeError: for an option that the function does not take.
    """

    function: Any = None

    def __init__(self, name: str | None = None, dtype: Any = None, **options: Any) -> None:
        function = type(self).function
        loss_functions.check_options(self, function, options)
        super().__init__(function, name or snake_case(type(self).__name__), dtype, **options)


class Accuracy(_Function):
    """The share of predictions that equal their label."""

    function = staticmethod(functions.accuracy)


class BinaryAccuracy(_Function):
    """The share of predictions on the right side of a threshold.

    Args:
        threshold: predictions above it count as 1; by default 0.5.
    """

    function = staticmethod(functions.binary_accuracy)


class CategoricalAccuracy(_Function):
    """The share of examples whose largest prediction is where their label is largest."""

    function = staticmethod(functions.categorical_accuracy)


class SparseCategoricalAccuracy(_Function):
    """The share of examples whose largest prediction is their class number.

    Example:
        >>> import minitape as tf
        >>> accuracy = tf.keras.metrics.SparseCategoricalAccuracy()
        >>> float(accuracy([1, 0], [[0.1, 0.9], [0.2, 0.8]]))
        0.5
    """

    function = staticmethod(functions.sparse_categorical_accuracy)


class SparseTopKCategoricalAccuracy(_Function):
    """The share of examples whose class number is among the k largest predictions."""

    function = staticmethod(functions.sparse_top_k_categorical_accuracy)

    def __init__(self, k: int = 5, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(name, dtype, k=k)


class MeanSquaredError(_Function):
    """The mean of (y_true - y_pred)**2."""

    function = staticmethod(loss_functions.mean_squared_error)


class MeanAbsoluteError(_Function):
    """The mean of |y_true - y_pred|."""

    function = staticmethod(loss_functions.mean_absolute_error)


class MeanAbsolutePercentageError(_Function):
    """100 times the mean of |y_true - y_pred| / |y_true|."""

    function = staticmethod(loss_functions.mean_absolute_percentage_error)


class RootMeanSquaredError(_Function):
    """The root of the mean of (y_true - y_pred)**2; weights may be one for each number."""

    function = staticmethod(functions.squared_error)

    def result(self) -> Any:
        return tf.sqrt(super().result())


class BinaryCrossentropy(_Function):
    """The mean of `tf.keras.losses.binary_crossentropy`, which takes the options."""

    function = staticmethod(loss_functions.binary_crossentropy)


class CategoricalCrossentropy(_Function):
    """The mean of `tf.keras.losses.categorical_crossentropy`, which takes the options."""

    function = staticmethod(loss_functions.categorical_crossentropy)


class SparseCategoricalCrossentropy(_Function):
    """The mean of `tf.keras.losses.sparse_categorical_crossentropy`, which takes the options."""

    function = staticmethod(loss_functions.sparse_categorical_crossentropy)
