"""The losses as functions of targets and predictions: one number per example.

It is the mean over the last axis; the classes of `losses` average examples.
"""

from __future__ import annotations

import inspect
from math import log
from typing import TYPE_CHECKING, Any

import minitape as tf
from minitape.errors import InvalidArgumentError
from minitape.errors.of_arguments import checked_number
from minitape.keras.logits import logits_of

if TYPE_CHECKING:
    from minitape.values.results import Result

__all__ = [
    "binary_crossentropy", "categorical_crossentropy", "hinge", "huber", "kl_divergence",
    "log_cosh", "mean_absolute_error", "mean_absolute_percentage_error", "mean_squared_error",
    "sparse_categorical_crossentropy",
]  # fmt: skip
EPSILON = 1e-7  # probabilities are kept that far from 0 and 1


def check_options(owner: Any, function: Any, options: dict[str, Any]) -> None:
    """Raises for an option of a loss or metric that its function does not take.

    Raises:
        TypeError: if there is one.
    """
    if not options or function is None:
        return
    try:
        inspect.signature(function).bind_partial(**options)
    except TypeError as error:
        raise TypeError(f"{type(owner).__name__}.__init__() {error}") from None


def pair(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """Both as tensors of the predictions' dtype and of one rank; see `of_one_rank`."""
    return of_one_rank(*_of_one_dtype(y_true, y_pred))


def _of_one_dtype(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """Both as tensors of the predictions' dtype."""
    y_pred = tf.convert_to_tensor(y_pred)
    if not y_pred.dtype.is_floating:
        y_pred = tf.cast(y_pred, "float32")
    return tf.cast(tf.convert_to_tensor(y_true), y_pred.dtype), y_pred


def _of_same_shape(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """Both as tensors of the predictions' dtype, if their shapes are the same."""
    y_true, y_pred = _of_one_dtype(y_true, y_pred)
    if len(y_true.shape) != len(y_pred.shape):
        raise ValueError(
            f"Targets of shape {tuple(y_true.shape)} and predictions of shape "
            f"{tuple(y_pred.shape)} must have the same rank: a cross entropy compares number with "
            "number. Class numbers belong to sparse_categorical_crossentropy; else reshape one."
        )
    if not y_true.shape.is_compatible_with(y_pred.shape):
        raise ValueError(
            f"Targets of shape {tuple(y_true.shape)} and predictions of shape "
            f"{tuple(y_pred.shape)} must have the same shape: a cross entropy compares number with "
            "number. Give one target for each prediction."
        )
    return y_true, y_pred


def of_one_rank(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """Targets [n] beside predictions [n, 1], or the other way round, both as [n, 1]."""
    one, two = len(y_true.shape), len(y_pred.shape)
    if two > one:
        return of_one_rank(y_pred, y_true)[::-1]
    if one == two + 1 and y_true.shape[-1] == 1:
        if two == 1:
            return y_true, tf.expand_dims(y_pred, -1)
        return tf.squeeze(y_true, -1), y_pred
    return y_true, y_pred


def mean_squared_error(y_true: Any, y_pred: Any) -> Result:
    """The mean of (y_true - y_pred)**2 over the last axis.

    Example:
        >>> import minitape as tf
        >>> print(tf.keras.losses.mean_squared_error([[0.0, 1.0]], [[1.0, 3.0]]))
        tf.Tensor([2.5], shape=(1,), dtype=float32)
    """
    y_true, y_pred = pair(y_true, y_pred)
    return tf.reduce_mean(tf.square(y_pred - y_true), axis=-1)


def mean_absolute_error(y_true: Any, y_pred: Any) -> Result:
    """The mean of |y_true - y_pred| over the last axis."""
    y_true, y_pred = pair(y_true, y_pred)
    return tf.reduce_mean(abs(y_pred - y_true), axis=-1)


def huber(y_true: Any, y_pred: Any, delta: float = 1.0) -> Result:
    """The mean over the last axis of d**2 / 2 where |d| <= delta, else delta |d| - delta**2 / 2."""
    y_true, y_pred = pair(y_true, y_pred)
    distance = y_pred - y_true
    size = abs(distance)
    if not tf.is_tensor(delta):
        checked_number("huber", "delta", delta, "huber(y_true, y_pred, delta=1.0)")
    beyond = delta * size - 0.5 * delta**2
    return tf.reduce_mean(tf.where(size <= delta, 0.5 * distance * distance, beyond), axis=-1)


def hinge(y_true: Any, y_pred: Any) -> Result:
    """The mean of max(1 - y_true y_pred, 0) over the last axis; labels 0 stand for -1."""
    y_true, y_pred = _of_one_dtype(y_true, y_pred)
    is_binary = tf.reduce_all((y_true == 0.0) | (y_true == 1.0))
    y_true = tf.where(is_binary, 2.0 * y_true - 1.0, y_true)
    return tf.reduce_mean(tf.maximum(1.0 - y_true * y_pred, 0.0), axis=-1)


def kl_divergence(y_true: Any, y_pred: Any) -> Result:
    """The sum of p log(p / q) over the last axis, for distributions p = y_true and q = y_pred."""
    y_true, y_pred = (tf.clip_by_value(y, EPSILON, 1.0) for y in _of_one_dtype(y_true, y_pred))
    return tf.reduce_sum(y_true * tf.math.log(y_true / y_pred), axis=-1)


def binary_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Result:
    """The mean over `axis` of -z log(p) - (1 - z) log(1 - p).

    Example:
        >>> import minitape as tf
        >>> print(tf.keras.losses.binary_crossentropy([[1.0]], [[0.0]], from_logits=True))
        tf.Tensor([0.6931472], shape=(1,), dtype=float32)
    """
    y_true, y_pred = _of_same_shape(y_true, y_pred)
    if checked_number("binary_crossentropy", "label_smoothing", label_smoothing, "0.1"):
        y_true = y_true * (1.0 - label_smoothing) + 0.5 * label_smoothing
    y_pred, from_logits = logits_of(y_pred, from_logits, "binary_crossentropy")
    if from_logits:
        lost = tf.nn.sigmoid_cross_entropy_with_logits(labels=y_true, logits=y_pred)
    else:
        p = tf.clip_by_value(y_pred, EPSILON, 1.0 - EPSILON)
        lost = -(y_true * tf.math.log(p) + (1.0 - y_true) * tf.math.log(1.0 - p))
    return tf.reduce_mean(lost, axis=axis)


def categorical_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Result:
    """-sum of z log(p) over `axis`; probabilities are scaled to sum to 1 first.

    Example:
        >>> import minitape as tf
        >>> print(tf.keras.losses.categorical_crossentropy([[0.0, 1.0]], [[0.5, 0.5]]))
        tf.Tensor([0.6931472], shape=(1,), dtype=float32)
    """
    y_true, y_pred = _of_same_shape(y_true, y_pred)
    if checked_number("categorical_crossentropy", "label_smoothing", label_smoothing, "0.1"):
        y_true = y_true * (1.0 - label_smoothing) + label_smoothing / y_pred.shape[axis]
    y_pred, from_logits = logits_of(y_pred, from_logits, "categorical_crossentropy")
    if from_logits:
        return tf.nn.softmax_cross_entropy_with_logits(labels=y_true, logits=y_pred, axis=axis)
    p = y_pred / tf.reduce_sum(y_pred, axis=axis, keepdims=True)
    return -tf.reduce_sum(
        y_true * tf.math.log(tf.clip_by_value(p, EPSILON, 1.0 - EPSILON)), axis=axis
    )


def sparse_categorical_crossentropy(y_true: Any, y_pred: Any, from_logits: bool = False) -> Result:
    """-log(p) of the class number `y_true` of each example; classes are on the last axis.

    Example:
        >>> import minitape as tf
        >>> print(tf.keras.losses.sparse_categorical_crossentropy([1], [[0.5, 0.5]]))
        tf.Tensor([0.6931472], shape=(1,), dtype=float32)
    """
    logits, from_logits = logits_of(
        tf.convert_to_tensor(y_pred), from_logits, "sparse_categorical_crossentropy"
    )
    if not len(logits.shape):
        raise InvalidArgumentError(
            "A cross entropy needs the classes along the last axis of y_pred, which is a single "
            "number. Write for instance `y_pred=[[0.2, 0.8]]`."
        )
    if not from_logits:
        logits = tf.math.log(tf.clip_by_value(logits, EPSILON, 1.0 - EPSILON))
    labels = tf.convert_to_tensor(y_true)
    labels = labels if labels.dtype.is_integer else tf.cast(labels, "int64")
    if len(labels.shape) == len(logits.shape) and labels.shape[-1] == 1:
        labels = tf.squeeze(labels, axis=-1)
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)


def mean_absolute_percentage_error(y_true: Any, y_pred: Any) -> Result:
    """100 times the mean of |y_true - y_pred| / |y_true| over the last axis."""
    y_true, y_pred = pair(y_true, y_pred)
    share = abs(y_true - y_pred) / tf.maximum(abs(y_true), EPSILON)
    return 100.0 * tf.reduce_mean(share, axis=-1)


def log_cosh(y_true: Any, y_pred: Any) -> Result:
    """The mean of log(cosh(y_pred - y_true)) over the last axis."""
    y_true, y_pred = pair(y_true, y_pred)
    d = y_pred - y_true
    return tf.reduce_mean(d + tf.nn.softplus(-2.0 * d) - log(2.0), axis=-1)
