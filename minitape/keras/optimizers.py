"""`tf.keras.optimizers`: what to do with gradients, by the formulas of the papers.

The one fact to know: each class is one formula, `update`; everything else is in `optimizer`.
"""

from __future__ import annotations

import sys
from typing import Any

import minitape as tf
from minitape.errors.of_arguments import checked_number
from minitape.keras import schedules
from minitape.keras.optimizer import Optimizer

sys.modules[f"{__name__}.schedules"] = schedules  # `from ...optimizers.schedules import ...`

__all__ = [
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Nadam",
    "Optimizer",
    "RMSprop",
    "get",
    "schedules",
]


class SGD(Optimizer):
    """Gradient descent, with momentum: v <- m v - rate g, w <- w + v.

    Args:
        learning_rate: a number, or a function of the step number.
        momentum: how much of the last step is kept, in [0, 1].
        nesterov: whether the gradient counts once more on top: w <- w + m v - rate g.
        name: for people.
        **options: see `Optimizer`.

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
        name: str | None = None,
        **options: Any,
    ) -> None:
        if not 0 <= checked_number("SGD", "momentum", momentum, "SGD(0.1, momentum=0.9)") <= 1:
            raise ValueError(f"`momentum` must be a float between [0, 1]; got {momentum!r}.")
        super().__init__(learning_rate, name, **options)
        self.momentum, self.nesterov = momentum, nesterov
        self.slots = ("momentum",) if momentum else ()

    def update(self, variable: Any, g: Any, rate: Any, step: Any, *slots: Any) -> None:
        """One step of gradient descent."""
        if not slots:
            variable.assign_sub(rate * g)
            return
        (velocity,) = slots
        momentum = tf.cast(self.momentum, g.dtype)  # from float32, as in Keras
        new = velocity * momentum - rate * g
        velocity.assign(new)
        variable.assign_add(new * momentum - rate * g if self.nesterov else new)


class Adam(Optimizer):
    """Steps of a size that does not depend on the gradient's scale (Kingma and Ba 2015).

    m <- b1 m + (1 - b1) g and v <- b2 v + (1 - b2) g**2;
    w <- w - rate sqrt(1 - b2**t) / (1 - b1**t) m / (sqrt(v) + epsilon).

    Args:
        learning_rate: a number, or a function of the step number.
        beta_1: b1 above.
        beta_2: b2 above.
        epsilon: keeps the divisor from 0.
        amsgrad: whether v is the largest one so far (Reddi et al. 2018).
        name: for people.
        **options: see `Optimizer`.

    Example:
        >>> import minitape as tf
        >>> v = tf.Variable(1.0)
        >>> _ = tf.keras.optimizers.Adam(0.1).apply_gradients([(tf.constant(7.0), v)])
        >>> print(f"{float(v):.3f}")
        0.900
    """

    takes_squares = True

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        amsgrad: bool = False,
        name: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(learning_rate, name, **options)
        self.beta_1, self.beta_2, self.epsilon, self.amsgrad = beta_1, beta_2, epsilon, amsgrad
        self.slots = (
            ("momentum", "velocity", "velocity_hat") if amsgrad else ("momentum", "velocity")
        )

    def update(
        self, variable: Any, g: Any, squares: Any, rate: Any, step: Any, *slots: Any
    ) -> None:
        """One step of Adam."""
        m, v, *largest = slots
        m.assign_add((g - m) * (1 - self.beta_1))
        v.assign_add((squares - v) * (1 - self.beta_2))
        second: Any = v
        if largest:
            second = largest[0].assign(tf.maximum(largest[0], v))
        # Keras holds the two betas in float32, for the powers of float64 variables too.
        first, last = (tf.cast(beta, step.dtype) ** step for beta in (self.beta_1, self.beta_2))
        size = rate * tf.sqrt(1 - last) / (1 - first)
        variable.assign_sub(m * size / (tf.sqrt(second) + self.epsilon))


class RMSprop(Optimizer):
    """Gradients divided by a moving average of their size (Hinton 2012).

    Args:
        learning_rate: a number, or a function of the step number.
        rho: how slowly the average of g**2 moves.
        momentum: how much of the last step is kept.
        epsilon: keeps the divisor from 0.
        centered: whether the mean gradient is taken off (variance instead of mean square).
        name: for people.
        **options: see `Optimizer`.

    Example:
        >>> import minitape as tf
        >>> v = tf.Variable(1.0)
        >>> _ = tf.keras.optimizers.RMSprop(0.1).apply_gradients([(tf.constant(2.0), v)])
        >>> print(f"{float(v):.3f}")
        0.684
    """

    slots = ("velocity", "momentum", "average_gradient")
    takes_squares = True

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-7,
        centered: bool = False,
        name: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(learning_rate, name, **options)
        self.rho, self.momentum, self.epsilon, self.centered = rho, momentum, epsilon, centered

    def update(
        self, variable: Any, g: Any, squares: Any, rate: Any, step: Any, *slots: Any
    ) -> None:
        """One step of RMSprop."""
        velocity, momentum, average = slots
        velocity.assign(velocity * self.rho + squares * (1 - self.rho))
        size = velocity + self.epsilon
        if self.centered:
            average.assign(average * self.rho + g * (1 - self.rho))
            size = size - average * average
        change = rate * g / tf.sqrt(size)
        if self.momentum:
            change = momentum.assign(momentum * self.momentum + change)
        variable.assign_sub(change)


class Adagrad(Optimizer):
    """Gradients divided by the root of the sum of their squares (Duchi et al. 2011).

    Args:
        learning_rate: a number, or a function of the step number.
        initial_accumulator_value: what that sum starts from.
        epsilon: keeps the divisor from 0.
        name: for people.
        **options: see `Optimizer`.
    """

    slots = ("accumulator",)
    takes_squares = True

    def __init__(
        self,
        learning_rate: Any = 0.001,
        initial_accumulator_value: float = 0.1,
        epsilon: float = 1e-7,
        name: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(learning_rate, name, **options)
        self.initial_accumulator_value, self.epsilon = initial_accumulator_value, epsilon

    def _start(self) -> float:
        return self.initial_accumulator_value

    def update(
        self, variable: Any, g: Any, squares: Any, rate: Any, step: Any, *slots: Any
    ) -> None:
        """One step of Adagrad."""
        (accumulator,) = slots
        accumulator.assign_add(squares)
        variable.assign_sub(rate * g / tf.sqrt(accumulator + self.epsilon))


class Adadelta(Optimizer):
    """Steps as large as the last ones were, in the gradient's own units (Zeiler 2012).

    Args:
        learning_rate: a number, or a function of the step number.
        rho: how slowly the averages of squares move.
        epsilon: keeps the divisor from 0.
        name: for people.
        **options: see `Optimizer`.
    """

    slots = ("accumulated_grad", "accumulated_delta_var")

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: float = 0.95,
        epsilon: float = 1e-7,
        name: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(learning_rate, name, **options)
        self.rho, self.epsilon = rho, epsilon

    def update(self, variable: Any, g: Any, rate: Any, step: Any, *slots: Any) -> None:
        """One step of Adadelta."""
        squares, changes = slots
        squares.assign(self.rho * squares + (1 - self.rho) * g * g)
        change = -tf.sqrt(changes + self.epsilon) / tf.sqrt(squares + self.epsilon) * g
        changes.assign(self.rho * changes + (1 - self.rho) * change * change)
        variable.assign_add(rate * change)


class Adamax(Optimizer):
    """Adam with the largest gradient so far in place of the mean square (Kingma and Ba 2015, 7.1).

    Args:
        learning_rate: a number, or a function of the step number.
        beta_1: how slowly the mean moves.
        beta_2: how slowly the largest one is forgotten.
        epsilon: keeps the divisor from 0.
        name: for people.
        **options: see `Optimizer`.
    """

    slots = ("momentum", "norm")

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        name: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(learning_rate, name, **options)
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, epsilon

    def update(self, variable: Any, g: Any, rate: Any, step: Any, *slots: Any) -> None:
        """One step of Adamax."""
        m, largest = slots
        m.assign_add((g - m) * (1 - self.beta_1))
        largest.assign(tf.maximum(self.beta_2 * largest, abs(g)))
        size = rate / (1 - self.beta_1**step)
        variable.assign_sub(size * m / (largest + self.epsilon))


class Nadam(Optimizer):
    """Adam with Nesterov's momentum (Dozat 2016), with Keras' schedule of the momentum.

    Args:
        learning_rate: a number, or a function of the step number.
        beta_1: how slowly the mean moves.
        beta_2: how slowly the mean square moves.
        epsilon: keeps the divisor from 0.
        name: for people.
        **options: see `Optimizer`.
    """

    slots = ("momentum", "velocity", "u_product")

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        name: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(learning_rate, name, **options)
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, epsilon

    def update(self, variable: Any, g: Any, rate: Any, step: Any, *slots: Any) -> None:
        """One step of Nadam."""
        m, v, product = slots
        u, following = (self.beta_1 * (1.0 - 0.5 * 0.96**n) for n in (step, step + 1.0))
        before = tf.where(step == 1.0, tf.ones_like(product), product)
        now = product.assign(before * u)
        m.assign_add((g - m) * (1 - self.beta_1))
        v.assign_add((g * g - v) * (1 - self.beta_2))
        mean = following * m / (1 - now * following) + (1 - u) * g / (1 - now)
        size = tf.sqrt(v / (1 - self.beta_2**step)) + self.epsilon
        variable.assign_sub(mean * rate / size)


class AdamW(Adam):
    """Adam with weight decay beside it, not through the gradient (Loshchilov and Hutter 2019)."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        weight_decay: float = 0.004,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        amsgrad: bool = False,
        name: str | None = None,
        **options: Any,
    ) -> None:
        options["weight_decay"] = weight_decay
        super().__init__(learning_rate, beta_1, beta_2, epsilon, amsgrad, name, **options)


def get(identifier: Any) -> Optimizer:
    """The optimizer that a name stands for; an optimizer comes back itself, a class is called.

    Raises:
        ValueError: if there is none of that name.
    """
    if isinstance(identifier, Optimizer):
        return identifier
    if isinstance(identifier, type) and issubclass(identifier, Optimizer):
        return identifier()  # type: ignore[call-arg]  # every one has a default rate
    known: list[Any] = [SGD, Adam, AdamW, RMSprop, Adagrad, Adadelta, Adamax, Nadam]
    for each in known:
        if str(identifier).lower() == each.__name__.lower():
            return each()  # type: ignore[no-any-return]
    raise ValueError(
        f"Could not interpret optimizer identifier: {identifier!r}. Write "
        f"{', '.join(repr(each.__name__.lower()) for each in known)}."
    )
