"""`tf.keras.metrics`: numbers that are gathered over many batches.

The one fact to know: a metric is a total and a count; `update_state` adds to both, `result`
divides.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Self

import numpy as np

import minitape as tf
from minitape.errors.of_arguments import not_fitting
from minitape.keras.module import snake_case
from minitape.keras.variables import Variable
from minitape.tensor import eager

if TYPE_CHECKING:
    from minitape.tensor import Tensor


class Metric:
    """Base of the metrics: a weighted mean of what `values` gives.

    Args:
        name: for people.
        dtype: of the result.
    """

    def __init__(self, name: str | None = None, dtype: Any = None) -> None:
        if not isinstance(name, str | None):
            raise not_fitting(type(self).__name__, "name", name, "a text", "name='accuracy'")
        self.name = name or snake_case(type(self).__name__)
        kind = tf.as_dtype(dtype or "float32")
        if not kind.is_differentiable:
            raise not_fitting(type(self).__name__, "dtype", dtype, "a floating one", "'float32'")
        self.dtype = kind.name
        zero = kind.as_numpy_dtype(0)
        self.total, self.count = (
            Variable(eager(zero), False, part, owner=self.name) for part in ("total", "count")
        )

    @property
    def variables(self) -> list[Any]:
        """Total and count."""
        return [self.total, self.count]

    def values(self, *args: Any) -> Any:
        """The numbers whose mean is the metric."""
        raise NotImplementedError

    def update_state(self, *args: Any, sample_weight: Any = None) -> None:
        """Adds a batch."""
        values = tf.cast(tf.convert_to_tensor(self.values(*args)), self.dtype)
        if sample_weight is None:
            self.count.assign_add(tf.cast(tf.size(values), self.dtype))
        else:
            weights = tf.cast(tf.convert_to_tensor(sample_weight), self.dtype)
            values = _per_sample(values, len(weights.shape))
            weights = tf.broadcast_to(weights, tf.shape(values))
            values = values * weights
            self.count.assign_add(tf.reduce_sum(weights))
        self.total.assign_add(tf.reduce_sum(values))

    def result(self) -> Tensor:
        """The mean of everything since the last reset; 0 of nothing."""
        return tf.math.divide_no_nan(self.total, self.count)

    def reset_state(self) -> None:
        """Forgets everything."""
        for variable in self.variables:
            variable.assign(np.zeros((), self.dtype))

    def __copy__(self) -> Self:
        """A metric with a total and count of its own, which go on from here."""
        return copy.deepcopy(self)

    def __call__(self, *args: Any, **kwargs: Any) -> Tensor:
        """Adds a batch and gives the result so far."""
        self.update_state(*args, **kwargs)
        return self.result()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}>"


def _per_sample(values: Any, rank: int) -> Any:
    """The mean over the axes that weights of a smaller `rank` do not have."""
    extra = tuple(range(max(rank, 1), len(values.shape)))
    return tf.reduce_mean(values, axis=extra) if extra and rank else values


class Mean(Metric):
    """The mean of the numbers given.

    Example:
        >>> import minitape as tf
        >>> mean = tf.keras.metrics.Mean()
        >>> mean.update_state([1.0, 3.0])
        >>> float(mean.result())
        2.0
    """

    def values(self, *args: Any) -> Any:
        """The numbers themselves."""
        return args[0]


class Accuracy(Metric):
    """The share of predictions that equal their label."""

    def values(self, *args: Any) -> Any:
        """1 where label and prediction are equal."""
        y_true, y_pred = map(tf.convert_to_tensor, args)
        return tf.cast(y_true, "float32") == tf.cast(y_pred, "float32")


class SparseCategoricalAccuracy(Metric):
    """The share of examples whose largest prediction is their class number.

    Example:
        >>> import minitape as tf
        >>> accuracy = tf.keras.metrics.SparseCategoricalAccuracy()
        >>> float(accuracy([1, 0], [[0.1, 0.9], [0.2, 0.8]]))
        0.5
    """

    def values(self, *args: Any) -> Any:
        """1 where the largest prediction is the class."""
        y_true, y_pred = map(tf.convert_to_tensor, args)
        if len(y_true.shape) == len(y_pred.shape):
            y_true = tf.squeeze(y_true, axis=-1)
        return tf.cast(y_true, "int64") == tf.argmax(y_pred, axis=-1)


class CategoricalAccuracy(Metric):
    """The share of examples whose largest prediction is where their label is largest."""

    def values(self, *args: Any) -> Any:
        """1 where both are largest at the same class."""
        y_true, y_pred = map(tf.convert_to_tensor, args)
        return tf.argmax(y_true, axis=-1) == tf.argmax(y_pred, axis=-1)


class BinaryAccuracy(Metric):
    """The share of predictions on the right side of a threshold.

    Args:
        name: for people.
        dtype: of the result.
        threshold: predictions above it count as 1.
    """

    def __init__(self, name: str | None = None, dtype: Any = None, threshold: float = 0.5) -> None:
        super().__init__(name, dtype)
        self.threshold = threshold

    def values(self, *args: Any) -> Any:
        """1 where label and rounded prediction are equal."""
        y_true, y_pred = map(tf.convert_to_tensor, args)
        return tf.cast(y_true, "float32") == tf.cast(y_pred > self.threshold, "float32")


class MeanSquaredError(Metric):
    """The mean of (y_true - y_pred)**2."""

    def values(self, *args: Any) -> Any:
        """The squared distances."""
        return tf.keras.losses.mean_squared_error(*args)


class MeanAbsoluteError(Metric):
    """The mean of |y_true - y_pred|."""

    def values(self, *args: Any) -> Any:
        """The distances."""
        return tf.keras.losses.mean_absolute_error(*args)
