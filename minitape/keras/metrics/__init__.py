"""`tf.keras.metrics`: what `compile` measures beside the loss, as functions and as classes.

`metric` gathers numbers over batches; read it first. `functions` say of each example whether it is
right, `means`, `positives` and `curves` make metrics of them.
"""

from __future__ import annotations

from typing import Any

from minitape.keras import configs, losses
from minitape.keras.losses import (
    binary_crossentropy,
    categorical_crossentropy,
    kl_divergence,
    mean_absolute_error,
    mean_squared_error,
    sparse_categorical_crossentropy,
)
from minitape.keras.metrics.curves import AUC
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
from minitape.keras.module import snake_case
from minitape.names.absent import closed

MSE = mse = mean_squared_error
MAE = mae = mean_absolute_error

_BASES = (Metric, Average, MeanMetricWrapper)  # what no name stands for

__all__ = [
    "AUC", "Accuracy", "Average", "BinaryAccuracy", "BinaryCrossentropy", "CategoricalAccuracy",
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
    """The metric that a name stands for; None and anything callable come back themselves.

    Raises:
        ValueError: if there is none of that name.

    Example:
        >>> import minitape as tf
        >>> tf.keras.metrics.get("mse")
        <MeanSquaredError name=mean_squared_error>
    """
    if configs.is_config(identifier):
        return configs.made_of(identifier, Metric, globals())
    found = _named(identifier) if isinstance(identifier, str) else identifier
    if isinstance(found, type) and issubclass(found, Metric):
        return found()
    if identifier is None or callable(found):
        return found
    raise ValueError(
        f"Could not interpret metric identifier: {identifier!r}. Write for instance 'accuracy', "
        "'mae', `tf.keras.metrics.Precision()`, or give a function of targets and predictions."
    )


def _named(name: str) -> Any:
    """The class of a name in either spelling, or a metric made of the loss function of that name.

    None if there is neither.
    """
    classes = {each: globals()[each] for each in __all__ if each[0].isupper()}
    classes |= {snake_case(each): kind for each, kind in classes.items()}
    if name in classes and isinstance(classes[name], type) and classes[name] not in _BASES:
        return classes[name]
    name = "binary_crossentropy" if name in {"bce", "BCE"} else name
    function = getattr(losses, name) if name in losses.__all__ and name != "get" else None
    if function is None or isinstance(function, type):
        return None
    return classes.get(function.__name__) or MeanMetricWrapper(function)


closed("minitape.keras.metrics")
