"""Whether predictions are right: a number for each example, 1 where they are.

The mean of these numbers is the share of predictions that are right; the classes of that name
gather it over batches.
"""

from __future__ import annotations

from typing import Any

import minitape as tf
from minitape.errors import InvalidArgumentError
from minitape.keras.loss_functions import of_one_rank, pair

__all__ = [
    "accuracy", "binary_accuracy", "categorical_accuracy", "sparse_categorical_accuracy",
    "sparse_top_k_categorical_accuracy",
]  # fmt: skip


def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> Any:
    """1 where a prediction is on the right side of a threshold."""
    y_true, y_pred = of_one_rank(*map(tf.convert_to_tensor, (y_true, y_pred)))
    right = tf.cast(y_true, "float32") == tf.cast(y_pred > threshold, "float32")
    return tf.cast(right, "float32")


def categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """1 where targets and predictions are largest at the same class."""
    right = _same(tf.argmax(tf.convert_to_tensor(y_true), axis=-1), tf.argmax(y_pred, axis=-1))
    return tf.cast(right, "float32")


def _same(labels: Any, found: Any) -> Any:
    """Where labels are what was found; `==` alone would say False of shapes that do not fit."""
    try:
        tf.broadcast_static_shape(labels.shape, found.shape)
    except ValueError:
        raise InvalidArgumentError(
            f"There are labels of shape {labels.shape} for predictions of shape {found.shape}: "
            "incompatible shapes. Each prediction has one label: check which data belong together.",
        ) from None
    return labels == found


def sparse_categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """1 where the largest prediction is that of the class number."""
    y_true, y_pred = map(tf.convert_to_tensor, (y_true, y_pred))
    if len(y_true.shape) == len(y_pred.shape) and y_true.shape[-1] == 1:
        y_true = tf.squeeze(y_true, axis=-1)
    right = tf.cast(_same(tf.cast(y_true, "int64"), tf.argmax(y_pred, axis=-1)), "float32")
    return tf.squeeze(right, -1) if len(right.shape) > 1 and right.shape[-1] == 1 else right


def accuracy(y_true: Any, y_pred: Any) -> Any:
    """1 where a prediction equals its label."""
    y_true, y_pred = of_one_rank(*map(tf.convert_to_tensor, (y_true, y_pred)))
    right = tf.cast(y_true, "float32") == tf.cast(y_pred, "float32")
    return tf.cast(right, "float32")


def sparse_top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Any:
    """1 where the class number is among the k largest predictions."""
    y_true, y_pred = map(tf.convert_to_tensor, (y_true, y_pred))
    labels = tf.reshape(tf.cast(y_true, "int32"), [-1])
    rows = tf.reshape(y_pred, [-1, y_pred.shape[-1]]) if len(y_pred.shape) > 2 else y_pred
    right = tf.cast(tf.math.in_top_k(labels, rows, k), "float32")
    return tf.reshape(right, y_true.shape)


def squared_error(y_true: Any, y_pred: Any) -> Any:
    """The square of each difference."""
    y_true, y_pred = pair(y_true, y_pred)
    return tf.square(y_true - y_pred)
