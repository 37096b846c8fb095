"""Gradient descent, and steps that are divided by how large the gradients were.

Each class is one formula, `update`; everything else is in `optimizer`.
"""

from __future__ import annotations

from typing import Any

import minitape as tf
from minitape.errors.of_arguments import checked_number, checked_range
from minitape.errors.of_flags import checked_flag
from minitape.keras.optimizers.optimizer import Optimizer


class SGD(Optimizer):
    """Gradient descent, with momentum: v <- m v - rate g, w <- w + v.

    Args:
        momentum: how much of the last step is kept, in [0, 1].
        nesterov: whether the gradient counts once more on top: w <- w + m v - rate g.

    Raises:
        ValueError: if `momentum` is outside of [0, 1].

    Example:
        >>> import minitape as tf
        >>> sgd, v = tf.keras.optimizers.SGD(0.1, momentum=0.9), tf.Variable(1.0)
        >>> for _ in range(2):
        ...     _ = sgd.apply_gradients([(tf.constant(1.0), v)])
        >>> print(f"{float(v):.2f}")
        0.71
    """

    def __init__(
        self,
        learning_rate: Any = 0.01,
        momentum: float = 0.0,
        nesterov: bool = False,
        **options: Any,
    ) -> None:
        if not 0 <= checked_number("SGD", "momentum", momentum, "SGD(0.1, momentum=0.9)") <= 1:
            raise ValueError(f"`momentum` must be a float between [0, 1]; got {momentum!r}.")
        super().__init__(learning_rate, **options)
        self.momentum, self.nesterov = momentum, checked_flag("SGD", "nesterov", nesterov)
        self.slots = ("momentum",) if momentum else ()

    def update(self, w: Any, g: Any, rate: Any, step: Any, *slots: Any) -> None:
        if not slots:
            w.assign_sub(rate * g)
            return
        (velocity,) = slots
        momentum = tf.cast(self.momentum, g.dtype)  # from float32, as in Keras
        new = velocity * momentum - rate * g
        velocity.assign(new)
        w.assign_add(new * momentum - rate * g if self.nesterov else new)


class RMSprop(Optimizer):
    """Gradients divided by a moving average of their size (Hinton 2012).

    Args:
        rho: how slowly the average of g**2 moves.
        momentum: how much of the last step is kept.
        epsilon: keeps the divisor from 0.

    Example:
        >>> import minitape as tf
        >>> v = tf.Variable(1.0)
        >>> _ = tf.keras.optimizers.RMSprop(0.1).apply_gradients([(tf.constant(2.0), v)])
        >>> print(f"{float(v):.3f}")
        0.684
    """

    apart = ("momentum",)
    takes_squares = True

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-7,
        **options: Any,
    ) -> None:
        checked_range("RMSprop", "rho", rho, 0.0, 1.0)
        checked_range("RMSprop", "momentum", momentum, 0.0, 1.0)
        checked_range("RMSprop", "epsilon", epsilon, 0.0)
        super().__init__(learning_rate, **options)
        self.rho, self.momentum, self.epsilon = rho, momentum, epsilon
        self.slots = ("velocity", "momentum") if momentum else ("velocity",)

    def update(self, w: Any, g: Any, squares: Any, rate: Any, step: Any, *slots: Any) -> None:
        velocity, *before = slots
        velocity.assign(velocity * self.rho + squares * (1 - self.rho))
        change = rate * g / tf.sqrt(velocity + self.epsilon)
        for momentum in before:
            change = momentum.assign(momentum * self.momentum + change)
        w.assign_sub(change)


class Adagrad(Optimizer):
    """Gradients divided by the root of the sum of their squares (Duchi et al. 2011).

    Args:
        initial_accumulator_value: what that sum starts from.
        epsilon: keeps the divisor from 0.
    """

    slots = ("accumulator",)
    takes_squares = True

    def __init__(
        self,
        learning_rate: Any = 0.001,
        initial_accumulator_value: float = 0.1,
        epsilon: float = 1e-7,
        **options: Any,
    ) -> None:
        checked_range("Adagrad", "initial_accumulator_value", initial_accumulator_value, 0.0)
        checked_range("Adagrad", "epsilon", epsilon, 0.0)
        super().__init__(learning_rate, **options)
        self.start, self.epsilon = initial_accumulator_value, epsilon

    def update(self, w: Any, g: Any, squares: Any, rate: Any, step: Any, *slots: Any) -> None:
        (accumulator,) = slots
        accumulator.assign_add(squares)
        w.assign_sub(rate * g / tf.sqrt(accumulator + self.epsilon))


class Adadelta(Optimizer):
    """Steps as large as the last ones were, in the gradient's own units (Zeiler 2012).

    Args:
        rho: how slowly the averages of squares move.
        epsilon: keeps the divisor from 0.
    """

    slots = ("accumulated_grad", "accumulated_delta_var")
    takes_squares = True

    def __init__(
        self, learning_rate: Any = 0.001, rho: float = 0.95, epsilon: float = 1e-7, **options: Any
    ) -> None:
        checked_range("Adadelta", "rho", rho, 0.0, 1.0)
        checked_range("Adadelta", "epsilon", epsilon, 0.0)
        super().__init__(learning_rate, **options)
        self.rho, self.epsilon = rho, epsilon

    def update(self, w: Any, g: Any, squares: Any, rate: Any, step: Any, *slots: Any) -> None:
        velocity, changes = slots
        velocity.assign(self.rho * velocity + (1 - self.rho) * squares)
        share = tf.sqrt(changes + self.epsilon) / tf.sqrt(velocity + self.epsilon)
        changes.assign(self.rho * changes + (1 - self.rho) * share * share * squares)
        w.assign_sub(rate * share * g)
