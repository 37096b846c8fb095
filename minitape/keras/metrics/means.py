"""Sums and means over batches: of numbers, and of a function of targets and predictions.

The one fact to know: a class here names its function, and `metric.MeanMetricWrapper` does the rest.
"""

from __future__ import annotations

from typing import Any

import minitape as tf
from minitape.keras import losses
from minitape.keras.metrics import functions
from minitape.keras.metrics.metric import Average, MeanMetricWrapper, Metric
from minitape.keras.module import snake_case


class Mean(Average):
    """The mean of the numbers given.

    Example:
        >>> import minitape as tf
        >>> mean = tf.keras.metrics.Mean()
        >>> mean.update_state([1.0, 3.0])
        >>> float(mean.result())
        2.0
    """

    def __init__(self, name: str | None = "mean", dtype: Any = None) -> None:
        super().__init__(name, dtype)

    def update_state(  # type: ignore[override]  # a name for what any metric may be given
        self, values: Any = None, sample_weight: Any = None
    ) -> None:
        if values is None:
            raise TypeError(
                f"update_state of the metric '{self.name}' got no value to count in. "
                "Write `metric.update_state([1.0, 2.0])`."
            )
        super().update_state(values, sample_weight=sample_weight)

    def values(self, *args: Any) -> Any:
        return args[0]


class Sum(Metric):
    """The sum of the numbers given."""

    def __init__(self, name: str | None = "sum", dtype: Any = None) -> None:
        super().__init__(dtype, name)
        self.total = self.add_weight(name="total")

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        values = tf.cast(tf.convert_to_tensor(values), self.dtype)
        if sample_weight is not None:
            values = values * tf.cast(tf.convert_to_tensor(sample_weight), self.dtype)
        self.total.assign_add(tf.reduce_sum(values))

    def result(self) -> Any:
        return tf.convert_to_tensor(self.total)


class _Function(MeanMetricWrapper):
    """The mean of one of the functions above."""

    function: Any = None

    def __init__(self, name: str | None = None, dtype: Any = None, **options: Any) -> None:
        super().__init__(type(self).function, name or snake_case(type(self).__name__), dtype)
        self.options = options

    def get_config(self) -> dict[str, Any]:
        """The arguments that make another one like it, by their names."""
        return super().get_config() | self.options


class Accuracy(_Function):
    """The share of predictions that equal their label."""

    function = staticmethod(functions.accuracy)


class BinaryAccuracy(_Function):
    """The share of predictions on the right side of a threshold.

    Args:
        threshold: predictions above it count as 1.
    """

    function = staticmethod(functions.binary_accuracy)

    def __init__(self, name: str | None = None, dtype: Any = None, threshold: float = 0.5) -> None:
        super().__init__(name, dtype, threshold=threshold)


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

    function = staticmethod(losses.mean_squared_error)


class MeanAbsoluteError(_Function):
    """The mean of |y_true - y_pred|."""

    function = staticmethod(losses.mean_absolute_error)


class MeanAbsolutePercentageError(_Function):
    """100 times the mean of |y_true - y_pred| / |y_true|."""

    function = staticmethod(losses.mean_absolute_percentage_error)


class RootMeanSquaredError(_Function):
    """The root of the mean of (y_true - y_pred)**2; weights may be one for each number."""

    function = staticmethod(functions.squared_error)

    def result(self) -> Any:
        return tf.sqrt(super().result())


class _Crossentropy(_Function):
    """The mean of a crossentropy whose labels may be smoothed."""

    def __init__(
        self,
        name: str | None = None,
        dtype: Any = None,
        from_logits: bool = False,
        label_smoothing: float = 0,
        axis: int = -1,
    ) -> None:
        options = {"from_logits": from_logits, "label_smoothing": label_smoothing, "axis": axis}
        super().__init__(name, dtype, **options)


class BinaryCrossentropy(_Crossentropy):
    """The mean of `tf.keras.losses.binary_crossentropy`."""

    function = staticmethod(losses.binary_crossentropy)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make another one like it; Keras' metric always takes the last axis."""
        return {key: value for key, value in super().get_config().items() if key != "axis"}


class CategoricalCrossentropy(_Crossentropy):
    """The mean of `tf.keras.losses.categorical_crossentropy`."""

    function = staticmethod(losses.categorical_crossentropy)


class SparseCategoricalCrossentropy(_Function):
    """The mean of `tf.keras.losses.sparse_categorical_crossentropy`."""

    function = staticmethod(losses.sparse_categorical_crossentropy)

    def __init__(
        self,
        name: str | None = None,
        dtype: Any = None,
        from_logits: bool = False,
        ignore_class: int | None = None,
        axis: int = -1,
    ) -> None:
        options = {"from_logits": from_logits, "ignore_class": ignore_class, "axis": axis}
        super().__init__(name, dtype, **options)


class KLDivergence(_Function):
    """The mean of `tf.keras.losses.kl_divergence`."""

    function = staticmethod(losses.kl_divergence)


class CosineSimilarity(_Function):
    """The mean cosine of the angles between targets and predictions."""

    function = staticmethod(
        lambda y_true, y_pred, axis: -losses.cosine_similarity(y_true, y_pred, axis)
    )

    def __init__(self, name: str | None = None, dtype: Any = None, axis: int = -1) -> None:
        super().__init__(name, dtype, axis=axis)
