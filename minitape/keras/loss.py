"""`Loss`: what the classes of `losses` share, and how a function becomes one.

The one fact to know: `call` gives one number per example; calling the loss averages them, or adds
them up, each times its weight.
"""

from __future__ import annotations

from reprlib import repr as short  # an error must be able to show a nest that is very deep
from typing import TYPE_CHECKING, Any

import minitape as tf
from minitape.keras.config import floatx
from minitape.keras.configs import Configured
from minitape.keras.loss_functions import of_one_rank
from minitape.keras.module import snake_case

if TYPE_CHECKING:
    from collections.abc import Callable

    from minitape.tensor import Tensor
    from minitape.values.public_types import TensorLike


class Loss(Configured):
    """Base of the loss classes: `call` gives one number per example.

    Args:
        name: for people.
        dtype: in which targets and predictions are compared; by default that of layers.
        reduction: 'sum_over_batch_size' (the mean), 'sum', 'mean_with_sample_weight', or None or
            'none' for no reduction.

    Raises:
        ValueError: for another reduction.
    """

    config_names: tuple[str, ...] = ("name", "reduction")

    def __init__(
        self,
        name: str | None = None,
        reduction: Any = "sum_over_batch_size",
        dtype: Any = None,
    ) -> None:
        allowed = {"sum_over_batch_size", "mean", "sum", "mean_with_sample_weight", "none", None}
        if reduction not in [*allowed]:
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
            if sample_weight is None:
                return self._reduced(lost, None)
            weights = tf.cast(tf.convert_to_tensor(sample_weight), lost.dtype)
            while len(weights.shape) > len(lost.shape) and weights.shape[-1] == 1:
                weights = tf.squeeze(weights, axis=-1)
            return self._reduced(lost * weights, weights)

    def _reduced(self, lost: Tensor, weights: Tensor | None) -> Tensor:
        if self.reduction in {"none", None}:
            return lost
        if self.reduction == "sum":
            return tf.reduce_sum(lost)
        if self.reduction == "mean_with_sample_weight" and weights is not None:
            return tf.reduce_sum(lost) / tf.reduce_sum(weights)
        return tf.reduce_mean(lost)


class LossFunctionWrapper(Loss):
    """A loss made of any function of targets and predictions, which takes the `options` too."""

    def __init__(
        self,
        fn: Callable[..., Any],
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(name or getattr(fn, "__name__", "loss"), reduction, dtype)
        self.fn, self.options = fn, options

    def get_config(self) -> dict[str, Any]:
        """The arguments that make another one like it, by their names."""
        return super().get_config() | self.options

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """What the function gives."""
        y_true, y_pred = of_one_rank(y_true, y_pred)
        return self.fn(y_true, y_pred, **self.options)


class FunctionLoss(LossFunctionWrapper):
    """A loss whose function is that of its class."""

    function: Callable[..., Any]

    def __init__(
        self,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        **options: Any,
    ) -> None:
        name = name or snake_case(type(self).__name__)
        super().__init__(type(self).function, reduction, name, dtype, **options)
