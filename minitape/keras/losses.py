"""`tf.keras.losses`: functions of targets and predictions, and classes that average them.

The one fact to know: a function gives one number per example (the mean over the last axis); a class
takes the mean of those (`reduction="sum_over_batch_size"`), their sum, or gives them as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import minitape as tf
from minitape.errors.of_arguments import checked_number
from minitape.keras.module import snake_case

if TYPE_CHECKING:
    from collections.abc import Callable

    from minitape.tensor import Tensor
    from minitape.values.public_types import Result, TensorLike

EPSILON = 1e-7  # probabilities are kept that far from 0 and 1


def _pair(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """Both as tensors of the predictions' dtype."""
    y_pred = tf.convert_to_tensor(y_pred)
    if not y_pred.dtype.is_floating:
        y_pred = tf.cast(y_pred, "float32")
    return tf.cast(tf.convert_to_tensor(y_true), y_pred.dtype), y_pred


def mean_squared_error(y_true: Any, y_pred: Any) -> Result:
    """The mean of (y_true - y_pred)**2 over the last axis.

    Example:
        >>> import minitape as tf
        >>> print(tf.keras.losses.mean_squared_error([[0.0, 1.0]], [[1.0, 3.0]]))
        tf.Tensor([2.5], shape=(1,), dtype=float32)
    """
    y_true, y_pred = _pair(y_true, y_pred)
    return tf.reduce_mean(tf.square(y_pred - y_true), axis=-1)


def mean_absolute_error(y_true: Any, y_pred: Any) -> Result:
    """The mean of |y_true - y_pred| over the last axis."""
    y_true, y_pred = _pair(y_true, y_pred)
    return tf.reduce_mean(abs(y_pred - y_true), axis=-1)


def huber(y_true: Any, y_pred: Any, delta: float = 1.0) -> Result:
    """The mean over the last axis of d**2 / 2 where |d| <= delta, else delta |d| - delta**2 / 2."""
    y_true, y_pred = _pair(y_true, y_pred)
    distance = y_pred - y_true
    size = abs(distance)
    beyond = delta * size - 0.5 * delta**2
    return tf.reduce_mean(tf.where(size <= delta, 0.5 * distance * distance, beyond), axis=-1)


def hinge(y_true: Any, y_pred: Any) -> Result:
    """The mean of max(1 - y_true y_pred, 0) over the last axis; labels 0 stand for -1."""
    y_true, y_pred = _pair(y_true, y_pred)
    is_binary = tf.reduce_all((y_true == 0.0) | (y_true == 1.0))
    y_true = tf.where(is_binary, 2.0 * y_true - 1.0, y_true)
    return tf.reduce_mean(tf.maximum(1.0 - y_true * y_pred, 0.0), axis=-1)


def kl_divergence(y_true: Any, y_pred: Any) -> Result:
    """The sum of p log(p / q) over the last axis, for distributions p = y_true and q = y_pred."""
    y_true, y_pred = (tf.clip_by_value(y, EPSILON, 1.0) for y in _pair(y_true, y_pred))
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
    y_true, y_pred = _pair(y_true, y_pred)
    checked_number("binary_crossentropy", "label_smoothing", label_smoothing, "0.1")
    if label_smoothing:
        y_true = y_true * (1.0 - label_smoothing) + 0.5 * label_smoothing
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
    y_true, y_pred = _pair(y_true, y_pred)
    checked_number("categorical_crossentropy", "label_smoothing", label_smoothing, "0.1")
    if label_smoothing:
        y_true = y_true * (1.0 - label_smoothing) + label_smoothing / y_pred.shape[axis]
    if from_logits:
        return tf.nn.softmax_cross_entropy_with_logits(labels=y_true, logits=y_pred, axis=axis)
    p = y_pred / tf.reduce_sum(y_pred, axis=axis, keepdims=True)
    return -tf.reduce_sum(
        y_true * tf.math.log(tf.clip_by_value(p, EPSILON, 1.0 - EPSILON)), axis=axis
    )


def sparse_categorical_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    ignore_class: Any = None,
    axis: int = -1,
) -> Result:
    """-log(p) of the class number `y_true` of each example.

    Example:
        >>> import minitape as tf
        >>> print(tf.keras.losses.sparse_categorical_crossentropy([1], [[0.5, 0.5]]))
        tf.Tensor([0.6931472], shape=(1,), dtype=float32)
    """
    if ignore_class is not None or axis not in [-1, len(tf.convert_to_tensor(y_pred).shape) - 1]:
        raise NotImplementedError(
            "sparse_categorical_crossentropy: only axis=-1 without ignore_class is implemented."
        )
    logits = tf.convert_to_tensor(y_pred)
    if not from_logits:
        logits = tf.math.log(tf.clip_by_value(logits, EPSILON, 1.0 - EPSILON))
    labels = tf.convert_to_tensor(y_true)
    labels = labels if labels.dtype.is_integer else tf.cast(labels, "int64")
    if len(labels.shape) == len(logits.shape) and labels.shape[-1] == 1:
        labels = tf.squeeze(labels, axis=-1)
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)


class Loss:
    """Base of the loss classes: `call` gives one number per example.

    Args:
        name: for people.
        dtype: in which floating inputs are compared; float32 by default.
        reduction: 'sum_over_batch_size' (the mean), 'sum', 'mean_with_sample_weight', or None or
            'none' for no reduction.

    Raises:
        ValueError: for another reduction.
    """

    def __init__(
        self,
        name: str | None = None,
        reduction: Any = "sum_over_batch_size",
        dtype: Any = None,
    ) -> None:
        allowed = {"sum_over_batch_size", "mean", "sum", "mean_with_sample_weight", "none", None}
        if reduction not in [*allowed]:
            raise ValueError(
                f"Invalid value for argument `reduction`: {reduction!r}. Write "
                "'sum_over_batch_size', 'sum' or 'none'."
            )
        self.dtype = tf.as_dtype(dtype or "float32").name
        self.name, self.reduction = name or snake_case(type(self).__name__), reduction

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """One number per example."""
        raise NotImplementedError

    def __call__(
        self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None
    ) -> Tensor:
        """The loss of a batch, each example times its weight."""
        lost: Tensor = self.call(self._converted(y_true), self._converted(y_pred))
        weights = None
        if sample_weight is not None:
            weights = tf.cast(tf.convert_to_tensor(sample_weight), lost.dtype)
            while len(weights.shape) > len(lost.shape) and weights.shape[-1] == 1:
                weights = tf.squeeze(weights, axis=-1)
            lost = lost * weights
        if self.reduction in {"none", None}:
            return lost
        if self.reduction == "sum":
            return tf.reduce_sum(lost)
        if self.reduction == "mean_with_sample_weight" and weights is not None:
            return tf.reduce_sum(lost) / tf.reduce_sum(weights)
        return tf.reduce_mean(lost)

    def _converted(self, values: Any) -> Any:
        tensor = tf.convert_to_tensor(values)
        return tf.cast(tensor, self.dtype) if tensor.dtype.is_floating else tensor


class _Wrapped(Loss):
    """A loss made of one of the functions above; `options` are its keyword arguments."""

    function: Callable[..., Any]

    def __init__(
        self,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(name, reduction, dtype)
        self.options = options

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """One number per example."""
        return type(self).function(y_true, y_pred, **self.options)


class MeanSquaredError(_Wrapped):
    """The mean of (y_true - y_pred)**2.

    Example:
        >>> import minitape as tf
        >>> print(tf.keras.losses.MeanSquaredError()([[0.0, 1.0]], [[1.0, 3.0]]))
        tf.Tensor(2.5, shape=(), dtype=float32)
    """

    function = staticmethod(mean_squared_error)


class MeanAbsoluteError(_Wrapped):
    """The mean of |y_true - y_pred|."""

    function = staticmethod(mean_absolute_error)


class Hinge(_Wrapped):
    """The mean of max(1 - y_true y_pred, 0)."""

    function = staticmethod(hinge)


class KLDivergence(_Wrapped):
    """The mean over examples of the sum of p log(p / q)."""

    function = staticmethod(kl_divergence)


class Huber(_Wrapped):
    """Squares up to `delta`, straight lines beyond."""

    function = staticmethod(huber)

    def __init__(
        self,
        delta: float = 1.0,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(reduction, name or "huber_loss", dtype, delta=delta)


class BinaryCrossentropy(_Wrapped):
    """The cross entropy of independent probabilities, or of logits with `from_logits=True`."""

    function = staticmethod(binary_crossentropy)

    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            reduction,
            name,
            dtype,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
            axis=axis,
        )


class CategoricalCrossentropy(BinaryCrossentropy):
    """The cross entropy of distributions over classes, or of logits with `from_logits=True`."""

    function = staticmethod(categorical_crossentropy)


class SparseCategoricalCrossentropy(_Wrapped):
    """The cross entropy of class numbers and distributions, or logits with `from_logits=True`.

    Example:
        >>> import minitape as tf
        >>> loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        >>> print(loss([0, 1], [[0.0, 0.0], [0.0, 0.0]]))
        tf.Tensor(0.6931472, shape=(), dtype=float32)
    """

    function = staticmethod(sparse_categorical_crossentropy)

    def __init__(
        self,
        from_logits: bool = False,
        ignore_class: Any = None,
        reduction: Any = "sum_over_batch_size",
        axis: int = -1,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            reduction, name, dtype, from_logits=from_logits, ignore_class=ignore_class, axis=axis
        )


MSE = mse = mean_squared_error
MAE = mae = mean_absolute_error
KLD = kld = kl_divergence
