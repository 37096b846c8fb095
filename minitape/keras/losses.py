"""`tf.keras.losses`: the functions of `loss_functions`, and classes that average them.

The one fact to know: a function gives one number per example (the mean over the last axis); a class
takes the mean of those (`reduction="sum_over_batch_size"`), their sum, or gives them as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import minitape as tf
from minitape.keras import configs
from minitape.keras.loss import FunctionLoss, Loss, LossFunctionWrapper
from minitape.keras.loss_functions import (
    EPSILON,
    binary_crossentropy,
    categorical_crossentropy,
    class_numbers,
    cosine_similarity,
    hinge,
    huber,
    kl_divergence,
    log_cosh,
    mean_absolute_error,
    mean_absolute_percentage_error,
    mean_squared_error,
    mean_squared_logarithmic_error,
    of_one_rank,
    poisson,
    sparse_categorical_crossentropy,
    squared_hinge,
)
from minitape.names.absent import closed

if TYPE_CHECKING:
    from minitape.tensor import Tensor
    from minitape.values.public_types import TensorLike

__all__ = [
    "BinaryCrossentropy", "CategoricalCrossentropy", "CosineSimilarity", "Hinge", "Huber", "KLD",
    "KLDivergence", "LogCosh", "Loss", "LossFunctionWrapper", "MAE", "MAPE", "MSE", "MSLE",
    "MeanAbsoluteError", "MeanAbsolutePercentageError", "MeanSquaredError",
    "MeanSquaredLogarithmicError", "Poisson", "Reduction", "SparseCategoricalCrossentropy",
    "SquaredHinge", "binary_crossentropy", "categorical_crossentropy", "cosine_similarity", "get",
    "hinge", "huber", "kl_divergence", "kld", "log_cosh", "logcosh", "mae", "mape",
    "mean_absolute_error", "mean_absolute_percentage_error", "mean_squared_error",
    "mean_squared_logarithmic_error", "mse", "msle", "poisson", "sparse_categorical_crossentropy",
    "squared_hinge",
]  # fmt: skip


class MeanSquaredError(FunctionLoss):
    """The mean of (y_true - y_pred)**2.

    Example:
        >>> import minitape as tf
        >>> print(tf.keras.losses.MeanSquaredError()([[0.0, 1.0]], [[1.0, 3.0]]))
        tf.Tensor(2.5, shape=(), dtype=float32)
    """

    function = staticmethod(mean_squared_error)


class MeanAbsoluteError(FunctionLoss):
    """The mean of |y_true - y_pred|."""

    function = staticmethod(mean_absolute_error)


class Hinge(FunctionLoss):
    """The mean of max(1 - y_true y_pred, 0)."""

    function = staticmethod(hinge)


class KLDivergence(FunctionLoss):
    """The mean over examples of the sum of p log(p / q)."""

    function = staticmethod(kl_divergence)


class Huber(FunctionLoss):
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


class BinaryCrossentropy(FunctionLoss):
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


class SparseCategoricalCrossentropy(FunctionLoss):
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

    def __call__(
        self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None
    ) -> Tensor:
        """The loss of a batch; examples of `ignore_class` do not count, in a mean neither."""
        ignored, y_pred = self.options["ignore_class"], tf.convert_to_tensor(y_pred)
        if ignored is None:
            return super().__call__(y_true, y_pred, sample_weight)
        labels = class_numbers(y_true, y_pred)
        counts = tf.cast(labels != tf.cast(ignored, labels.dtype), y_pred.dtype)
        if self.reduction in {"sum_over_batch_size", "mean"}:
            counts *= tf.cast(tf.size(counts), counts.dtype) / (tf.reduce_sum(counts) + EPSILON)
        if sample_weight is not None:
            weights = tf.cast(tf.convert_to_tensor(sample_weight), counts.dtype)
            counts, weights = of_one_rank(counts, weights)
            counts *= weights
        return super().__call__(y_true, y_pred, counts)


class MeanAbsolutePercentageError(FunctionLoss):
    """100 times the mean of |y_true - y_pred| / |y_true|."""

    function = staticmethod(mean_absolute_percentage_error)


class MeanSquaredLogarithmicError(FunctionLoss):
    """The mean of (log(1 + y_true) - log(1 + y_pred))**2."""

    function = staticmethod(mean_squared_logarithmic_error)


class CosineSimilarity(FunctionLoss):
    """Minus the mean cosine of the angles between targets and predictions."""

    function = staticmethod(cosine_similarity)

    def __init__(
        self,
        axis: int = -1,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(reduction, name, dtype, axis=axis)


class LogCosh(FunctionLoss):
    """The mean of log(cosh(y_pred - y_true))."""

    function = staticmethod(log_cosh)


class Poisson(FunctionLoss):
    """The mean of y_pred - y_true log(y_pred)."""

    function = staticmethod(poisson)


class SquaredHinge(FunctionLoss):
    """The mean of max(1 - y_true y_pred, 0)**2."""

    function = staticmethod(squared_hinge)


class Reduction:
    """The names of reductions, as they were before Keras 3."""

    AUTO = SUM_OVER_BATCH_SIZE = "sum_over_batch_size"
    SUM, NONE = "sum", "none"


MSE = mse = mean_squared_error
MAE = mae = mean_absolute_error
MAPE = mape = mean_absolute_percentage_error
MSLE = msle = mean_squared_logarithmic_error
KLD = kld = kl_divergence
logcosh = log_cosh
_NO_LOSSES = {"Loss", "LossFunctionWrapper", "Reduction", "get"}


def get(identifier: Any) -> Any:
    """The function or loss that a name stands for; anything callable comes back itself.

    Raises:
        ValueError: if there is none of that name.

    Example:
        >>> import minitape as tf
        >>> tf.keras.losses.get("mse").__name__
        'mean_squared_error'
    """
    known = {name: globals()[name] for name in __all__ if name not in _NO_LOSSES}
    example = "Write for instance 'mse', 'sparse_categorical_crossentropy', or give a function."
    return None if identifier is None else configs.found(identifier, Loss, known, example)


closed("minitape.keras.losses")
