"""The area under a curve: how well predictions order examples, at all thresholds at once.

The one fact to know: positives and negatives are counted above each of many thresholds; the curve
goes from one threshold to the next.
"""

from __future__ import annotations

from typing import Any

import minitape as tf
from minitape.errors.of_arguments import checked_integer
from minitape.keras.absent_arguments import refuse_unknown
from minitape.keras.loss_functions import of_one_rank
from minitape.keras.metrics.metric import Metric
from minitape.keras.variables import unique_name


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
        y_true, y_pred = of_one_rank(*map(tf.convert_to_tensor, (y_true, y_pred)))
        truth, guess = (tf.reshape(tf.cast(y, self.dtype), [-1]) for y in (y_true, y_pred))
        guess = tf.sigmoid(guess) if self.from_logits else guess
        weight = tf.ones_like(truth)
        if sample_weight is not None:
            each = tf.convert_to_tensor(sample_weight)
            weight *= tf.reshape(tf.cast(each, self.dtype), [-1])
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
