"""`tf.keras.regularizers`: penalties on variables and on what layers give."""

from __future__ import annotations

from typing import Any

import minitape as tf
from minitape.errors.of_arguments import checked_range
from minitape.keras import configs
from minitape.keras.configs import Configured
from minitape.names.absent import closed

__all__ = ["L1", "L1L2", "L2", "Regularizer", "get", "l1", "l1_l2", "l2"]


class Regularizer(Configured):
    """Base of the regularizers: a callable `tensor -> penalty`."""

    def __call__(self, x: Any) -> Any:
        """The penalty on `x`."""
        raise NotImplementedError


class L1L2(Regularizer):
    """l1 times the sum of absolute values plus l2 times the sum of squares.

    Example:
        >>> import minitape as tf
        >>> float(tf.keras.regularizers.L1L2(l1=1.0, l2=0.5)(tf.constant([-2.0])))
        4.0
    """

    def __init__(self, l1: float = 0.0, l2: float = 0.0) -> None:
        checked_range(type(self).__name__, "l1", l1 or 0.0, 0.0)
        checked_range(type(self).__name__, "l2", l2 or 0.0, 0.0)
        self.l1, self.l2 = l1 or 0.0, l2 or 0.0

    def __call__(self, x: Any) -> Any:
        total = tf.zeros([], x.dtype)
        if self.l1:
            total = total + self.l1 * tf.reduce_sum(tf.abs(x))
        if self.l2:
            total = total + self.l2 * tf.reduce_sum(tf.square(x))
        return total


class L1(L1L2):
    """l1 times the sum of absolute values."""

    def __init__(self, l1: float = 0.01) -> None:
        super().__init__(l1=l1)


class L2(L1L2):
    """l2 times the sum of squares."""

    def __init__(self, l2: float = 0.01) -> None:
        super().__init__(l2=l2)


l1, l2, l1_l2 = L1, L2, L1L2
_KNOWN = configs.classes(globals(), Regularizer)


def get(identifier: Any) -> Any:
    """The regularizer that a name, a config, a function or None stands for.

    Raises:
        ValueError: if it stands for none.
    """
    example = "Write 'l1', 'l2' or `tf.keras.regularizers.L2(0.01)`."
    return None if identifier is None else configs.found(identifier, Regularizer, _KNOWN, example)


closed("minitape.keras.regularizers")
