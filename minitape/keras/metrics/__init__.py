"""`tf.keras.metrics`: what `compile` measures beside the loss, as functions and as classes.

`metric` gathers numbers over batches; read it first. `functions` say of each example whether it is
right, `means` and `positives` make metrics of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minitape.keras import configs, losses
from minitape.keras.losses import (
    binary_crossentropy,
    categorical_crossentropy,
    kl_divergence,
    mean_absolute_error,
    mean_squared_error,
    sparse_categorical_crossentropy,
)
from minitape.keras.metrics.functions import (
    accuracy,
    binary_accuracy,
    categorical_accuracy,
    sparse_categorical_accuracy,
    sparse_top_k_categorical_accuracy,
)
from minitape.keras.metrics.means import (
    Accuracy,
    BinaryAccuracy,
    BinaryCrossentropy,
    CategoricalAccuracy,
    CategoricalCrossentropy,
    CosineSimilarity,
    KLDivergence,
    Mean,
    MeanAbsoluteError,
    MeanAbsolutePercentageError,
    MeanSquaredError,
    RootMeanSquaredError,
    SparseCategoricalAccuracy,
    SparseCategoricalCrossentropy,
    SparseTopKCategoricalAccuracy,
    Sum,
)
from minitape.keras.metrics.metric import Average, MeanMetricWrapper, Metric
from minitape.keras.metrics.positives import Precision, Recall
from minitape.names.absent import missing

MSE = mse = mean_squared_error
MAE = mae = mean_absolute_error

__all__ = [
    "Accuracy", "Average", "BinaryAccuracy", "BinaryCrossentropy", "CategoricalAccuracy",
    "CategoricalCrossentropy", "CosineSimilarity", "KLDivergence", "MAE", "MSE", "Mean",
    "MeanAbsoluteError", "MeanAbsolutePercentageError", "MeanMetricWrapper", "MeanSquaredError",
    "Metric", "Precision", "Recall", "RootMeanSquaredError", "SparseCategoricalAccuracy",
    "SparseCategoricalCrossentropy", "SparseTopKCategoricalAccuracy", "Sum", "accuracy",
    "binary_accuracy", "binary_crossentropy", "categorical_accuracy", "categorical_crossentropy",
    "get", "kl_divergence", "mae", "mean_absolute_error", "mean_squared_error", "mse",
    "sparse_categorical_accuracy", "sparse_categorical_crossentropy",
    "sparse_top_k_categorical_accuracy",
]  # fmt: skip


def get(identifier: Any) -> Any:
    """The metric or function that a name stands for; anything callable comes back itself.

    Raises:
        ValueError: if there is none of that name.
    """
    if configs.is_config(identifier):
        return configs.made_of(identifier, Metric, globals())
    found = _named(identifier) if isinstance(identifier, str) else identifier
    if isinstance(found, type) and issubclass(found, Metric):
        return found()
    if callable(found):
        return found
    raise ValueError(
        f"Could not interpret metric identifier: {identifier!r}. Write for instance 'accuracy', "
        "'mae', `tf.keras.metrics.Precision()`, or give a function of targets and predictions."
    )


def _named(name: str) -> Any:
    """What a name of a metric, or of a loss's function, stands for; None if there is none."""
    if name in ("get", "Metric"):
        return None
    if name in __all__:
        return globals()[name]
    return getattr(losses, name) if name in losses.__all__ and name.islower() else None


if not TYPE_CHECKING:  # a checker finds the names that there are, and no others

    def __getattr__(name: str) -> Any:
        raise missing("minitape.keras.metrics", name)


def __dir__() -> list[str]:
    return sorted(__all__)
