"""`tf.keras.metrics`: what `compile` measures beside the loss, as functions and as classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import minitape as tf
from minitape.keras import losses
from minitape.keras.loss_functions import of_one_rank
from minitape.keras.losses import (
    binary_crossentropy,
    categorical_crossentropy,
    kl_divergence,
    mean_absolute_error,
    mean_squared_error,
    sparse_categorical_crossentropy,
)
from minitape.keras.metric import Average, MeanMetricWrapper, Metric
from minitape.keras.module import snake_case
from minitape.keras.variables import unique_name
from minitape.names.absent import missing

MSE = mse = mean_squared_error
MAE = mae = mean_absolute_error

__all__ = [
    "Accuracy",
    "Average",
    "BinaryAccuracy",
    "BinaryCrossentropy",
    "CategoricalAccuracy",
    "CategoricalCrossentropy",
    "CosineSimilarity",
    "KLDivergence",
    "MAE",
    "MSE",
    "Mean",
    "MeanAbsoluteError",
    "MeanAbsolutePercentageError",
    "MeanMetricWrapper",
    "MeanSquaredError",
    "Metric",
    "Precision",
    "Recall",
    "RootMeanSquaredError",
    "SparseCategoricalAccuracy",
    "SparseCategoricalCrossentropy",
    "SparseTopKCategoricalAccuracy",
    "Sum",
    "accuracy",
    "binary_accuracy",
    "binary_crossentropy",
    "categorical_accuracy",
    "categorical_crossentropy",
    "get",
    "kl_divergence",
    "mae",
    "mean_absolute_error",
    "mean_squared_error",
    "mse",
    "sparse_categorical_accuracy",
    "sparse_categorical_crossentropy",
    "sparse_top_k_categorical_accuracy",
]


def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> Any:
    """1 where a prediction is on the right side of a threshold."""
    y_true, y_pred = of_one_rank(*map(tf.convert_to_tensor, (y_true, y_pred)))
    right = tf.cast(y_true, "float32") == tf.cast(y_pred > threshold, "float32")
    return tf.cast(right, "float32")


def categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """1 where targets and predictions are largest at the same class."""
    right = tf.argmax(tf.convert_to_tensor(y_true), axis=-1) == tf.argmax(y_pred, axis=-1)
    return tf.cast(right, "float32")


def sparse_categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """1 where the largest prediction is that of the class number."""
    y_true, y_pred = map(tf.convert_to_tensor, (y_true, y_pred))
    if len(y_true.shape) == len(y_pred.shape) and y_true.shape[-1] == 1:
        y_true = tf.squeeze(y_true, axis=-1)
    return tf.cast(tf.cast(y_true, "int64") == tf.argmax(y_pred, axis=-1), "float32")


def accuracy(y_true: Any, y_pred: Any) -> Any:
    """1 where a prediction equals its label."""
    y_true, y_pred = of_one_rank(*map(tf.convert_to_tensor, (y_true, y_pred)))
    right = tf.cast(y_true, "float32") == tf.cast(y_pred, "float32")
    return tf.cast(right, "float32")


def sparse_top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Any:
    """1 where the class number is among the k largest predictions."""
    labels = tf.reshape(tf.cast(tf.convert_to_tensor(y_true), "int32"), [-1])
    return tf.cast(tf.math.in_top_k(labels, y_pred, k), "float32")


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

    def update_state(self, *values: Any, sample_weight: Any = None) -> None:
        """Adds numbers, each times its weight."""
        numbers, *weights = values
        super().update_state(numbers, sample_weight=weights[0] if weights else sample_weight)

    def values(self, *args: Any) -> Any:
        """The numbers themselves."""
        return args[0]


class Sum(Metric):
    """The sum of the numbers given."""

    def __init__(self, name: str | None = "sum", dtype: Any = None) -> None:
        super().__init__(dtype, name)
        self.total = self.add_weight(name="total")

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        """Adds numbers, each times its weight."""
        values = tf.cast(tf.convert_to_tensor(values), self.dtype)
        if sample_weight is not None:
            values = values * tf.cast(tf.convert_to_tensor(sample_weight), self.dtype)
        self.total.assign_add(tf.reduce_sum(values))

    def result(self) -> Any:
        """The sum."""
        return tf.convert_to_tensor(self.total)


class _Function(MeanMetricWrapper):
    """The mean of one of the functions above."""

    function: Any = None

    def __init__(self, name: str | None = None, dtype: Any = None, **options: Any) -> None:
        super().__init__(type(self).function, name or snake_case(type(self).__name__), dtype)
        self.options = options


class Accuracy(_Function):
    """The share of predictions that equal their label."""

    function = staticmethod(accuracy)


class BinaryAccuracy(_Function):
    """The share of predictions on the right side of a threshold.

    Args:
        name: for people.
        dtype: of the result.
        threshold: predictions above it count as 1.
    """

    function = staticmethod(binary_accuracy)

    def __init__(self, name: str | None = None, dtype: Any = None, threshold: float = 0.5) -> None:
        super().__init__(name, dtype, threshold=threshold)


class CategoricalAccuracy(_Function):
    """The share of examples whose largest prediction is where their label is largest."""

    function = staticmethod(categorical_accuracy)


class SparseCategoricalAccuracy(_Function):
    """The share of examples whose largest prediction is their class number.

    Example:
        >>> import minitape as tf
        >>> accuracy = tf.keras.metrics.SparseCategoricalAccuracy()
        >>> float(accuracy([1, 0], [[0.1, 0.9], [0.2, 0.8]]))
        0.5
    """

    function = staticmethod(sparse_categorical_accuracy)


class SparseTopKCategoricalAccuracy(_Function):
    """The share of examples whose class number is among the k largest predictions."""

    function = staticmethod(sparse_top_k_categorical_accuracy)

    def __init__(self, k: int = 5, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(name, dtype, k=k)


class MeanSquaredError(_Function):
    """The mean of (y_true - y_pred)**2."""

    function = staticmethod(mean_squared_error)


class MeanAbsoluteError(_Function):
    """The mean of |y_true - y_pred|."""

    function = staticmethod(mean_absolute_error)


class MeanAbsolutePercentageError(_Function):
    """100 times the mean of |y_true - y_pred| / |y_true|."""

    function = staticmethod(losses.mean_absolute_percentage_error)


class RootMeanSquaredError(MeanSquaredError):
    """The root of the mean of (y_true - y_pred)**2."""

    def result(self) -> Any:
        """The root of the mean so far."""
        return tf.sqrt(super().result())


class BinaryCrossentropy(_Function):
    """The mean of `tf.keras.losses.binary_crossentropy`."""

    function = staticmethod(binary_crossentropy)


class CategoricalCrossentropy(_Function):
    """The mean of `tf.keras.losses.categorical_crossentropy`."""

    function = staticmethod(categorical_crossentropy)


class SparseCategoricalCrossentropy(_Function):
    """The mean of `tf.keras.losses.sparse_categorical_crossentropy`."""

    function = staticmethod(sparse_categorical_crossentropy)


class KLDivergence(_Function):
    """The mean of `tf.keras.losses.kl_divergence`."""

    function = staticmethod(kl_divergence)


class CosineSimilarity(_Function):
    """The mean cosine of the angles between targets and predictions."""

    function = staticmethod(lambda y_true, y_pred: -losses.cosine_similarity(y_true, y_pred))


class _Positives(Metric):
    """How many of those counted by `share_of` are positive both in truth and in prediction.

    Args:
        thresholds: predictions above it count as positive; 0.5 by default.
        name: for people.
        dtype: of the result.
    """

    def __init__(
        self, thresholds: float | None = None, name: str | None = None, dtype: Any = None
    ) -> None:
        super().__init__(dtype, name or unique_name(type(self).__name__))
        if isinstance(thresholds, list | tuple):
            raise NotImplementedError(
                f"{type(self).__name__}: several thresholds are no part of minitape; give one, or "
                "make a metric for each."
            )
        self.thresholds = 0.5 if thresholds is None else thresholds
        self.true_positives = self.add_weight(name="true_positives")
        self.others = self.add_weight(name="others")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Adds a batch."""
        y_true, y_pred = of_one_rank(*map(tf.convert_to_tensor, (y_true, y_pred)))
        truth = tf.cast(tf.cast(y_true, "bool"), self.dtype)
        guess = tf.cast(y_pred > self.thresholds, self.dtype)
        weight: Any = 1.0
        if sample_weight is not None:
            weight, truth = of_one_rank(tf.cast(sample_weight, self.dtype), truth)
            while len(weight.shape) < len(truth.shape):
                weight = tf.expand_dims(weight, -1)
        self.true_positives.assign_add(tf.reduce_sum(truth * guess * weight))
        self.others.assign_add(tf.reduce_sum(self.wrong(truth, guess) * weight))

    def wrong(self, truth: Any, guess: Any) -> Any:
        """1 for each example that counts without being a true positive."""
        raise NotImplementedError

    def result(self) -> Any:
        """The share so far; 0 of nothing."""
        return tf.math.divide_no_nan(self.true_positives, self.true_positives + self.others)


class Precision(_Positives):
    """The share of true positives among those predicted to be positive.

    Example:
        >>> import minitape as tf
        >>> float(tf.keras.metrics.Precision()([1, 0, 1], [0.9, 0.8, 0.2]))
        0.5
    """

    def wrong(self, truth: Any, guess: Any) -> Any:
        """False positives."""
        return (1.0 - truth) * guess


class Recall(_Positives):
    """The share of true positives among those that are positive."""

    def wrong(self, truth: Any, guess: Any) -> Any:
        """False negatives."""
        return truth * (1.0 - guess)


def get(identifier: Any) -> Any:
    """The metric or function that a name stands for; anything callable comes back itself.

    Raises:
        ValueError: if there is none of that name.
    """
    found = identifier
    if isinstance(identifier, str):
        found = globals().get(identifier) or getattr(losses, identifier, None)
    if isinstance(found, type) and issubclass(found, Metric):
        return found()
    if callable(found) and not (isinstance(identifier, str) and identifier.startswith("_")):
        return found
    raise ValueError(
        f"Could not interpret metric identifier: {identifier!r}. Write for instance 'accuracy', "
        "'mae', `tf.keras.metrics.Precision()`, or give a function of targets and predictions."
    )


if not TYPE_CHECKING:  # a checker finds the names that there are, and no others

    def __getattr__(name: str) -> Any:
        raise missing("minitape.keras.metrics", name)


def __dir__() -> list[str]:
    return sorted(__all__)
