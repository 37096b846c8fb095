"""`tf.keras.constraints`: functions that optimizers apply to variables after each step."""

from __future__ import annotations

from typing import Any

import minitape as tf
from minitape.keras import configs
from minitape.keras.configs import Configured
from minitape.names.absent import closed

__all__ = ["Constraint", "MaxNorm", "NonNeg", "get", "max_norm", "non_neg"]


class Constraint(Configured):
    """Base of the constraints: a callable `variable -> its new value`."""

    def __call__(self, w: Any) -> Any:
        """The new value of a variable."""
        raise NotImplementedError


class NonNeg(Constraint):
    """Negative values become 0."""

    def __call__(self, w: Any) -> Any:
        return tf.maximum(w, 0.0)


class MaxNorm(Constraint):
    """Columns of a larger norm are scaled down to it.

    Args:
        max_value: the largest norm.
        axis: along which norms are taken.
    """

    def __init__(self, max_value: float = 2, axis: Any = 0) -> None:
        self.max_value, self.axis = max_value, axis

    def __call__(self, w: Any) -> Any:
        norms = tf.sqrt(tf.reduce_sum(tf.square(w), axis=self.axis, keepdims=True))
        return w * (tf.clip_by_value(norms, 0.0, float(self.max_value)) / (1e-7 + norms))


non_neg, max_norm = NonNeg, MaxNorm
_KNOWN = configs.classes(globals(), Constraint)


def get(identifier: Any) -> Any:
    """The constraint that a name, a class, a config, a function or None stands for.

    Raises:
        ValueError: if it stands for none.

    Example:
        >>> import minitape as tf
        >>> tf.keras.constraints.get("non_neg")(tf.constant([-1.0, 2.0])).numpy().tolist()
        [0.0, 2.0]
    """
    example = "Write 'non_neg', a function of the variable, or `tf.keras.constraints.MaxNorm(2.0)`."
    return None if identifier is None else configs.found(identifier, Constraint, _KNOWN, example)


closed("minitape.keras.constraints")
