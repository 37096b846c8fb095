"""Adam and its relatives: a mean of the gradients, divided by the root of a mean of their squares.

Both means start at 0, so each is divided by how far it has come by now.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import minitape as tf
from minitape.errors.of_arguments import checked_range
from minitape.keras.optimizers.optimizer import Optimizer
from minitape.keras.variables import Variable
from minitape.tensor import eager


class Moments(Optimizer):
    """An optimizer with two moving averages, of the gradients and of their sizes."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        **options: Any,
    ) -> None:
        for argument, value in {"beta_1": beta_1, "beta_2": beta_2}.items():
            checked_range(type(self).__name__, argument, value, 0.0, 1.0)
        checked_range(type(self).__name__, "epsilon", epsilon, 0.0)
        super().__init__(learning_rate, **options)
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, epsilon


class Adam(Moments):
    """Steps of a size that does not depend on the gradient's scale (Kingma and Ba 2015).

    m <- b1 m + (1 - b1) g and v <- b2 v + (1 - b2) g**2;
    w <- w - rate sqrt(1 - b2**t) / (1 - b1**t) m / (sqrt(v) + epsilon).

    Args:
        beta_1: b1 above.
        beta_2: b2 above.
        epsilon: keeps the divisor from 0.
        amsgrad: whether v is the largest one so far (Reddi et al. 2018).

    Example:
        >>> import minitape as tf
        >>> v = tf.Variable(1.0)
        >>> _ = tf.keras.optimizers.Adam(0.1).apply_gradients([(tf.constant(7.0), v)])
        >>> print(f"{float(v):.3f}")
        0.900
    """

    apart = ("velocity_hat",)
    takes_squares = True

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        amsgrad: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(learning_rate, beta_1, beta_2, epsilon, **options)
        self.amsgrad = amsgrad
        self.slots = (
            ("momentum", "velocity", "velocity_hat") if amsgrad else ("momentum", "velocity")
        )

    def update(self, w: Any, g: Any, squares: Any, rate: Any, step: Any, *slots: Any) -> None:
        m, v, *largest = slots
        m.assign_add((g - m) * (1 - self.beta_1))
        v.assign_add((squares - v) * (1 - self.beta_2))
        second: Any = v
        if largest:
            second = largest[0].assign(tf.maximum(largest[0], v))
        first, last = (_power(beta, step) for beta in (self.beta_1, self.beta_2))
        size = rate * tf.sqrt(1 - last) / (1 - first)
        w.assign_sub(m * size / (tf.sqrt(second) + self.epsilon))


def _power(beta: float, step: Any) -> Any:
    """`beta` as often as there were steps; Keras holds it in float32, for float64 variables too."""
    return tf.cast(beta, step.dtype) ** step


class AdamW(Adam):
    """Adam with weight decay beside it, not through the gradient (Loshchilov and Hutter 2019)."""

    def __init__(
        self, learning_rate: Any = 0.001, weight_decay: float = 0.004, *args: Any, **options: Any
    ) -> None:
        super().__init__(learning_rate, *args, weight_decay=weight_decay, **options)


class Adamax(Moments):
    """Adam with the largest gradient so far in place of the mean square (Kingma and Ba 2015)."""

    slots = ("momentum", "norm")

    def update(self, w: Any, g: Any, rate: Any, step: Any, *slots: Any) -> None:
        m, largest = slots
        m.assign_add((g - m) * (1 - self.beta_1))
        largest.assign(tf.maximum(self.beta_2 * largest, abs(g)))
        size = rate / (1 - _power(self.beta_1, step))
        w.assign_sub(size * m / (largest + self.epsilon))


class Nadam(Moments):
    """Adam with Nesterov's momentum (Dozat 2016), with Keras' schedule of the momentum."""

    slots = ("momentum", "velocity")
    takes_squares = True
    _product: Any = None  # of the momenta of all steps, made with the first slots

    def build(self, variables: Any) -> None:
        """Makes the slots, and the product that all variables share."""
        found = list(variables)
        super().build(found)
        if self._product is None and found:
            one = np.ones((), found[0].spec.dtype)[()]
            self._product = Variable(eager(one), False)

    @property
    def variables(self) -> list[Any]:
        """The optimizer's own variables, the product last."""
        return super().variables + ([] if self._product is None else [self._product])

    def begin_step(self, step: Any) -> None:
        """Multiplies the momentum of this step on: also for variables without a gradient."""
        step = tf.cast(step, self._product.dtype)
        self._product.assign(self._product * self.beta_1 * (1.0 - 0.5 * 0.96**step))

    def update(self, w: Any, g: Any, squares: Any, rate: Any, step: Any, *slots: Any) -> None:
        m, v = slots
        decay, first, last = (tf.cast(x, g.dtype) for x in (0.96, self.beta_1, self.beta_2))
        u, following = (first * (1.0 - 0.5 * decay**n) for n in (step, step + 1.0))
        now = tf.cast(self._product, g.dtype)
        m.assign_add((g - m) * (1 - first))
        v.assign_add((squares - v) * (1 - last))
        mean = following * m / (1 - now * following) + (1 - u) * g / (1 - now)
        w.assign_sub(mean * rate / (tf.sqrt(v / (1 - last**step)) + self.epsilon))
