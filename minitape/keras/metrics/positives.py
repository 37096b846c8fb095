"""Precision and recall: shares of true positives, which are no means over examples.

The one fact to know: what is counted are the true positives and those beside them; the two classes
differ in who these others are.
"""

from __future__ import annotations

from typing import Any

import minitape as tf
from minitape.keras.absent_arguments import without_absent
from minitape.keras.loss_functions import of_one_rank
from minitape.keras.metrics.metric import Metric
from minitape.keras.variables import unique_name


class _Positives(Metric):
    """How many of those counted by `share_of` are positive both in truth and in prediction.

    Args:
        thresholds: predictions above it count as positive; 0.5 by default.
        top_k: not part of minitape.
        class_id: not part of minitape.
    """

    def __init__(
        self,
        thresholds: float | None = None,
        top_k: None = None,
        class_id: None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        without_absent(type(self).__name__, {"top_k": top_k, "class_id": class_id})
        super().__init__(dtype, name or unique_name(type(self).__name__))
        if isinstance(thresholds, list | tuple):
            raise NotImplementedError(
                f"{type(self).__name__}: several thresholds are no part of minitape; give one, or "
                "make a metric for each."
            )
        self.thresholds, self._limit = thresholds, 0.5 if thresholds is None else thresholds
        self.true_positives = self.add_weight(name="true_positives")
        self.others = self.add_weight(name="others")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        y_true, y_pred = of_one_rank(*map(tf.convert_to_tensor, (y_true, y_pred)))
        truth = tf.cast(tf.cast(y_true, "bool"), self.dtype)
        guess = tf.cast(tf.cast(y_pred, self.dtype) > self._limit, self.dtype)
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
