"""Precision, recall and the area under a curve: what is made of counts of positives.

What is counted are true positives and those beside them: predictions above one threshold, or above
each of many, where the curve goes from one to the next.
"""

from __future__ import annotations

from typing import Any

import minitape as tf
from minitape.errors.of_arguments import checked_integer, checked_range
from minitape.keras.absent_arguments import refuse_unknown, without_absent
from minitape.keras.loss_functions import of_one_rank
from minitape.keras.metrics.metric import Metric
from minitape.keras.variables import unique_name


def _compared(y_true: Any, y_pred: Any, sample_weight: Any, dtype: str) -> tuple[Any, Any, Any]:
    """Targets, predictions and weights of one dtype; a weight stands for all of its example."""
    y_true, y_pred = of_one_rank(*map(tf.convert_to_tensor, (y_true, y_pred)))
    truth, guess = tf.cast(y_true, dtype), tf.cast(y_pred, dtype)
    weight: Any = 1.0
    if sample_weight is not None:
        weight = tf.cast(sample_weight, dtype)
        if len(weight.shape) > len(truth.shape):
            weight = tf.squeeze(weight, -1)
        while len(weight.shape) < len(truth.shape):
            weight = tf.expand_dims(weight, -1)
        weight = tf.broadcast_to(weight, tf.shape(truth))
    return truth, guess, weight


class _Positives(Metric):
    """The share of true positives among them and what `wrong` counts.

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
        limit = 0.5 if thresholds is None else thresholds
        self.thresholds = float(checked_range(type(self).__name__, "thresholds", limit, 0.0, 1.0))
        self.true_positives = self.add_weight(name="true_positives")
        self.others = self.add_weight(name="others")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        truth, guess, weight = _compared(y_true, y_pred, sample_weight, self.dtype)
        if not truth.shape.is_compatible_with(guess.shape):
            raise ValueError(
                f"{type(self).__name__}: Shapes {truth.shape} and {guess.shape} of y_true and "
                "y_pred are incompatible. Each target belongs to one prediction. Give as many "
                "targets as predictions."
            )
        truth = tf.cast(tf.cast(truth, "bool"), self.dtype)
        guess = tf.cast(guess > self.thresholds, self.dtype)
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


class AUC(Metric):
    """The area under the curve of the shares of positives that are found.

    Args:
        num_thresholds: how many points the curve has.
        curve: 'ROC', beside the share of negatives taken for positive, or 'PR', precision beside
            recall (Davis and Goadrich 2006).
        from_logits: whether predictions are logits.
        **options: not part of minitape.

    Raises:
        ValueError: for another curve, or fewer than 2 thresholds.

    Example:
        >>> import minitape as tf
        >>> round(float(tf.keras.metrics.AUC()([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9])), 3)
        0.75
    """

    def __init__(
        self,
        num_thresholds: int = 200,
        curve: str = "ROC",
        name: str | None = None,
        dtype: Any = None,
        from_logits: bool = False,
        **options: Any,
    ) -> None:
        refuse_unknown("AUC", options, "There are num_thresholds, curve and from_logits.")
        super().__init__(dtype, name or unique_name("auc"))
        example = "tf.keras.metrics.AUC(num_thresholds=200)"
        if checked_integer("AUC", "num_thresholds", num_thresholds, example) < 2:
            raise ValueError(
                f"Argument `num_thresholds` must be an integer > 1; got {num_thresholds}. A curve "
                "has two ends. Write 200."
            )
        if curve not in ["ROC", "PR"]:
            raise ValueError(f"AUC: curve={curve!r:.80} must be 'ROC' or 'PR'.")
        self.num_thresholds, self.curve, self.from_logits = num_thresholds, curve, from_logits
        inner = [i / (num_thresholds - 1) for i in range(1, num_thresholds - 1)]
        self._limits = [-1e-7, *inner, 1.0 + 1e-7]
        self.positives = self.add_weight((num_thresholds,), name="true_positives")
        self.wrong = self.add_weight((num_thresholds,), name="false_positives")
        self.totals = self.add_weight((2,), name="negatives_and_positives")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        truth, guess, weight = _compared(y_true, y_pred, sample_weight, self.dtype)
        if sample_weight is not None:
            weight = tf.reshape(tf.broadcast_to(weight, tf.shape(truth)), [-1])
        truth, guess = tf.reshape(truth, [-1]), tf.reshape(guess, [-1])
        guess = tf.sigmoid(guess) if self.from_logits else guess
        is_above = guess > tf.constant(self._limits, self.dtype)[:, tf.newaxis]
        above = tf.cast(is_above, self.dtype) * weight
        self.positives.assign_add(tf.reduce_sum(above * truth, axis=1))
        self.wrong.assign_add(tf.reduce_sum(above * (1.0 - truth), axis=1))
        sides = tf.stack([1.0 - truth, truth])
        self.totals.assign_add(tf.reduce_sum(sides * weight, axis=1))

    def result(self) -> Any:
        """The area so far; 0 of nothing."""
        negatives, positives = tf.unstack(self.totals)
        found, wrong = tf.convert_to_tensor(self.positives), tf.convert_to_tensor(self.wrong)
        if self.curve == "PR":
            return _under_precision(found, found + wrong, positives)
        x, y = tf.math.divide_no_nan(wrong, negatives), tf.math.divide_no_nan(found, positives)
        return tf.reduce_sum((x[:-1] - x[1:]) * (y[:-1] + y[1:]) / 2.0)


def _under_precision(found: Any, taken: Any, positives: Any) -> Any:
    """The area under precision, with true positives that grow evenly between two thresholds."""
    steps = taken[:-1] - taken[1:]
    slope = tf.math.divide_no_nan(found[:-1] - found[1:], tf.maximum(steps, 0.0))
    start = found[1:] - slope * taken[1:]
    is_inside = (taken[:-1] > 0.0) & (taken[1:] > 0.0)
    ratio = tf.math.divide_no_nan(taken[:-1], taken[1:])
    ratio = tf.where(is_inside, ratio, tf.ones_like(ratio))
    areas = slope * (found[:-1] - found[1:] + start * tf.math.log(ratio))
    return tf.reduce_sum(tf.math.divide_no_nan(areas, positives))
