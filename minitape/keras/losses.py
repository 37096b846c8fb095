"""`tf.keras.losses`: the functions of `loss_functions`, and classes that average them.

A function gives one number per example (the mean over the last axis); a class takes the mean of
those (`reduction="sum_over_batch_size"`), their sum, or gives them as they are.
"""

from __future__ import annotations

from reprlib import repr as short  # an error must be able to show a nest that is very deep
from typing import TYPE_CHECKING, Any

import minitape as tf
from minitape.errors.of_arguments import checked_range
from minitape.keras import configs, loss_functions as functions
from minitape.keras.absent_arguments import without_absent
from minitape.keras.config import floatx
from minitape.keras.loss_functions import *  # noqa: F403  # its __all__
from minitape.keras.module import snake_case
from minitape.names.absent import closed

if TYPE_CHECKING:
    from collections.abc import Callable

    from minitape.tensor import Tensor
    from minitape.values.public_types import TensorLike

_CLASSES = [
    "BinaryCrossentropy", "CategoricalCrossentropy", "Hinge", "Huber", "KLDivergence",
    "MeanAbsoluteError", "MeanAbsolutePercentageError", "MeanSquaredError",
    "SparseCategoricalCrossentropy",
]  # fmt: skip
_SHORT_NAMES = ["KLD", "MAE", "MAPE", "MSE", "kld", "logcosh", "mae", "mape", "mse"]
__all__ = [  # noqa: PLE0604  # names, in a list made of four
    *functions.__all__, *_CLASSES, *_SHORT_NAMES, "Loss", "Reduction", "get"
]  # fmt: skip

MSE = mse = functions.mean_squared_error
MAE = mae = functions.mean_absolute_error
MAPE = mape = functions.mean_absolute_percentage_error
KLD = kld = functions.kl_divergence
logcosh = functions.log_cosh


class Loss(configs.WithoutConfig):
    """Base of the loss classes: `call` gives one number per example.

    Args:
        name: for people.
        reduction: 'sum_over_batch_size' (the mean), 'sum', or None or 'none' for no reduction.
        dtype: in which targets and predictions are compared; by default that of layers.

    Raises:
        ValueError: for another reduction.
    """

    def __init__(
        self, name: str | None = None, reduction: Any = "sum_over_batch_size", dtype: Any = None
    ) -> None:
        if reduction not in ["sum_over_batch_size", "mean", "sum", "none", None]:
            raise ValueError(
                f"Invalid value for argument `reduction`: {short(reduction)}. Write "
                "'sum_over_batch_size', 'sum' or 'none'."
            )
        self.dtype = tf.as_dtype(dtype or floatx()).name
        self.name, self.reduction = name or snake_case(type(self).__name__), reduction

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """One number per example."""
        raise NotImplementedError

    def __call__(
        self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None
    ) -> Tensor:
        """The loss of a batch, each example times its weight."""
        with tf.name_scope(self.name):  # a group of its own in a picture of a large tape
            given = (tf.cast(tf.convert_to_tensor(x), self.dtype) for x in (y_true, y_pred))
            lost: Tensor = self.call(*given)
            if sample_weight is not None:
                weights = tf.cast(tf.convert_to_tensor(sample_weight), lost.dtype)
                while len(weights.shape) > len(lost.shape) and weights.shape[-1] == 1:
                    weights = tf.squeeze(weights, axis=-1)
                lost = lost * weights
            if self.reduction in {"none", None}:
                return lost
            return tf.reduce_sum(lost) if self.reduction == "sum" else tf.reduce_mean(lost)


class FunctionLoss(Loss):
    """A loss whose function is that of its class, called with the `options`."""

    function: Callable[..., Any]

    def __init__(
        self,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(name, reduction, dtype)
        functions.check_options(self, getattr(type(self), "function", None), options)
        self.options = options

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """What the function gives."""
        return self.function(*functions.of_one_rank(y_true, y_pred), **self.options)


class LossFunctionWrapper(FunctionLoss):
    """A loss made of any function of targets and predictions."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        super().__init__(name=getattr(fn, "__name__", "loss"))
        self.function = fn


class MeanSquaredError(FunctionLoss):
    """The mean of (y_true - y_pred)**2.

    Example:
        >>> import minitape as tf
        >>> print(tf.keras.losses.MeanSquaredError()([[0.0, 1.0]], [[1.0, 3.0]]))
        tf.Tensor(2.5, shape=(), dtype=float32)
    """

    function = staticmethod(functions.mean_squared_error)


class MeanAbsoluteError(FunctionLoss):
    """The mean of |y_true - y_pred|."""

    function = staticmethod(functions.mean_absolute_error)


class MeanAbsolutePercentageError(FunctionLoss):
    """100 times the mean of |y_true - y_pred| / |y_true|."""

    function = staticmethod(functions.mean_absolute_percentage_error)


class Hinge(FunctionLoss):
    """The mean of max(1 - y_true y_pred, 0)."""

    function = staticmethod(functions.hinge)


class KLDivergence(FunctionLoss):
    """The mean over examples of the sum of p log(p / q)."""

    function = staticmethod(functions.kl_divergence)


class Huber(FunctionLoss):
    """Squares up to `delta`, straight lines beyond."""

    function = staticmethod(functions.huber)

    def __init__(
        self,
        delta: float = 1.0,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        checked_range("Huber", "delta", delta, 0.0)
        super().__init__(reduction, name or "huber_loss", dtype, delta=delta)


class BinaryCrossentropy(FunctionLoss):
    """The cross entropy of independent probabilities, or of logits with `from_logits=True`."""

    function = staticmethod(functions.binary_crossentropy)

    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        checked_range(type(self).__name__, "label_smoothing", label_smoothing, 0.0, 1.0)
        options = {"from_logits": from_logits, "label_smoothing": label_smoothing, "axis": axis}
        super().__init__(reduction, name, dtype, **options)


class CategoricalCrossentropy(BinaryCrossentropy):
    """The cross entropy of distributions over classes, or of logits with `from_logits=True`."""

    function = staticmethod(functions.categorical_crossentropy)


class SparseCategoricalCrossentropy(FunctionLoss):
    """The cross entropy of class numbers and distributions, or logits with `from_logits=True`.

    Example:
        >>> import minitape as tf
        >>> loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        >>> print(loss([0, 1], [[0.0, 0.0], [0.0, 0.0]]))
        tf.Tensor(0.6931472, shape=(), dtype=float32)
    """

    function = staticmethod(functions.sparse_categorical_crossentropy)

    def __init__(
        self,
        from_logits: bool = False,
        ignore_class: None = None,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        without_absent(type(self).__name__, {"ignore_class": ignore_class})
        super().__init__(reduction, name, dtype, from_logits=from_logits)


class Reduction:
    """The names of reductions, as they were before Keras 3."""

    AUTO = SUM_OVER_BATCH_SIZE = "sum_over_batch_size"
    SUM, NONE = "sum", "none"


KNOWN = {name: globals()[name] for name in [*functions.__all__, *_CLASSES, *_SHORT_NAMES]}


def get(identifier: Any) -> Any:
    """The function or loss that a name stands for; anything callable comes back itself.

    Raises:
        ValueError: if there is none of that name.

    Example:
        >>> import minitape as tf
        >>> tf.keras.losses.get("mse").__name__
        'mean_squared_error'
    """
    example = "Write for instance 'mse', 'sparse_categorical_crossentropy', or give a function."
    return None if identifier is None else configs.found(identifier, Loss, KNOWN, example)


closed("minitape.keras.losses")
