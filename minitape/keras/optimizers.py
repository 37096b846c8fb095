"""`tf.keras.optimizers`: what to do with gradients.

The one fact to know: an optimizer keeps variables of its own beside each variable it updates (slots),
made when it first sees that variable. Sparse gradients are made dense first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import minitape as tf
from minitape.composite import dense
from minitape.keras.variables import Variable
from minitape.tensor import EagerTensor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class Optimizer:
    """Base of the optimizers: subclasses define `update`.

    Args:
        learning_rate: a number, or a function of the step number.
        name: for people.
    """

    slots: tuple[
        str, ...
    ] = ()  # the variables that each updated variable gets, all starting from 0

    def __init__(self, learning_rate: Any, name: str | None = None) -> None:
        self.name = name or type(self).__name__
        self.iterations = Variable(EagerTensor(np.int64(0)), False, "iterations", owner=self.name)
        self._schedule: Callable[[Any], Any] | None = None
        self._learning_rate: Any = None
        self.learning_rate = learning_rate
        self._slots: dict[int, list[Variable]] = {}

    @property
    def learning_rate(self) -> Any:
        """The learning rate, a variable; the schedule's value now where there is a schedule."""
        return self._learning_rate if self._schedule is None else self._schedule(self.iterations)

    @learning_rate.setter
    def learning_rate(self, value: Any) -> None:
        if callable(value):
            self._schedule = value
        elif self._learning_rate is not None and self._schedule is None:
            self._learning_rate.assign(value)
        else:
            rate = EagerTensor(np.float32(value))
            self._schedule = None
            self._learning_rate = Variable(rate, False, "learning_rate", owner=self.name)

    def build(self, variables: Iterable[Any]) -> None:
        """Makes the slots of `variables` that have none yet."""
        for variable in variables:
            if variable.id not in self._slots:
                value = np.full(tuple(variable.shape), self._start(), variable.spec.dtype)[()]
                self._slots[variable.id] = [
                    Variable(EagerTensor(value), False, slot, owner=self.name)
                    for slot in self.slots
                ]

    def _start(self) -> float:
        """What slots start from."""
        return 0.0

    @property
    def variables(self) -> list[Any]:
        """The optimizer's own variables."""
        own = [self.iterations, *([self._learning_rate] if self._schedule is None else [])]
        return own + [slot for slots in self._slots.values() for slot in slots]

    def apply_gradients(self, grads_and_vars: Any, name: str | None = None) -> Any:
        """Updates variables by their gradients.

        Args:
            grads_and_vars: pairs of a gradient (tensor, `IndexedSlices` or None) and its variable.
            name: accepted and not used.

        Returns:
            The step number, a variable.

        Raises:
            ValueError: if there is no gradient at all.

        Example:
            >>> import minitape as tf
            >>> v = tf.Variable(1.0)
            >>> _ = tf.keras.optimizers.SGD(0.5).apply_gradients([(tf.constant(1.0), v)])
            >>> float(v)
            0.5
        """
        pairs = [(g, v) for g, v in grads_and_vars if g is not None]
        if not pairs:
            raise ValueError(
                "No gradients provided for any variable: every one of them is None. Is the loss computed from the "
                "variables, inside of the tape's context, by ops of this package?"
            )
        self.build(v for _, v in pairs)
        rate = tf.convert_to_tensor(self.learning_rate)
        step = tf.cast(self.iterations + 1, "float32")
        for g, variable in pairs:
            dtype = variable.dtype
            g = tf.cast(tf.convert_to_tensor(dense(g)), dtype)
            slots = self._slots[variable.id]
            self.update(variable, g, tf.cast(rate, dtype), tf.cast(step, dtype), *slots)
        self.iterations.assign_add(1)
        return self.iterations

    def apply(self, grads: Iterable[Any], trainable_variables: Iterable[Any]) -> Any:
        """`apply_gradients` with gradients and variables in two lists."""
        return self.apply_gradients(zip(grads, trainable_variables, strict=True))

    def minimize(self, loss: Callable[[], Any], var_list: Any, tape: Any = None) -> Any:
        """One step: the gradients of `loss()`, or of a tensor recorded on `tape`, applied.

        Example:
            >>> import minitape as tf
            >>> v = tf.Variable(3.0)
            >>> _ = tf.keras.optimizers.SGD(0.25).minimize(lambda: v * v, [v])
            >>> float(v)
            1.5
        """
        variables = list(var_list() if callable(var_list) else var_list)
        value: Any = loss
        if callable(loss):
            with tf.GradientTape() as tape:
                value = loss()
        return self.apply_gradients(zip(tape.gradient(value, variables), variables, strict=True))

    def update(self, variable: Any, g: Any, rate: Any, step: Any, *slots: Any) -> None:
        """Changes `variable` for its gradient `g`; `step` counts from 1."""
        raise NotImplementedError


class SGD(Optimizer):
    """Gradient descent, with momentum: v <- m v - rate g, w <- w + v.

    Args:
        learning_rate: a number, or a function of the step number.
        momentum: how much of the last step is kept, in [0, 1].
        nesterov: whether the gradient counts once more on top: w <- w + m v - rate g.
        name: for people.

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
    ) -> None:
        if not 0 <= momentum <= 1:
            raise ValueError(f"`momentum` must be a float between [0, 1]; got {momentum!r}.")
        super().__init__(learning_rate, name)
        self.momentum, self.nesterov = momentum, nesterov
        self.slots = ("momentum",) if momentum else ()

    def update(self, variable: Any, g: Any, rate: Any, step: Any, *slots: Any) -> None:
        """One step of gradient descent."""
        if not slots:
            variable.assign_sub(rate * g)
            return
        (velocity,) = slots
        new = velocity * self.momentum - rate * g
        velocity.assign(new)
        variable.assign_add(new * self.momentum - rate * g if self.nesterov else new)


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

    Example:
        >>> import minitape as tf
        >>> v = tf.Variable(1.0)
        >>> _ = tf.keras.optimizers.Adam(0.1).apply_gradients([(tf.constant(7.0), v)])
        >>> print(f"{float(v):.3f}")
        0.900
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        amsgrad: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__(learning_rate, name)
        self.beta_1, self.beta_2, self.epsilon, self.amsgrad = beta_1, beta_2, epsilon, amsgrad
        self.slots = ("m", "v", "largest_v") if amsgrad else ("m", "v")

    def update(self, variable: Any, g: Any, rate: Any, step: Any, *slots: Any) -> None:
        """One step of Adam."""
        m, v, *largest = slots
        m.assign_add((g - m) * (1 - self.beta_1))
        v.assign_add((g * g - v) * (1 - self.beta_2))
        second: Any = v
        if largest:
            second = largest[0].assign(tf.maximum(largest[0], v))
        size = rate * tf.sqrt(1 - self.beta_2**step) / (1 - self.beta_1**step)
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

    Example:
        >>> import minitape as tf
        >>> v = tf.Variable(1.0)
        >>> _ = tf.keras.optimizers.RMSprop(0.1).apply_gradients([(tf.constant(2.0), v)])
        >>> print(f"{float(v):.3f}")
        0.684
    """

    slots = ("velocity", "momentum", "average")

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-7,
        centered: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__(learning_rate, name)
        self.rho, self.momentum, self.epsilon, self.centered = rho, momentum, epsilon, centered

    def update(self, variable: Any, g: Any, rate: Any, step: Any, *slots: Any) -> None:
        """One step of RMSprop."""
        velocity, momentum, average = slots
        velocity.assign(velocity * self.rho + g * g * (1 - self.rho))
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
    """

    slots = ("accumulator",)

    def __init__(
        self,
        learning_rate: Any = 0.001,
        initial_accumulator_value: float = 0.1,
        epsilon: float = 1e-7,
        name: str | None = None,
    ) -> None:
        super().__init__(learning_rate, name)
        self.initial_accumulator_value, self.epsilon = initial_accumulator_value, epsilon

    def _start(self) -> float:
        return self.initial_accumulator_value

    def update(self, variable: Any, g: Any, rate: Any, step: Any, *slots: Any) -> None:
        """One step of Adagrad."""
        (accumulator,) = slots
        accumulator.assign_add(g * g)
        variable.assign_sub(rate * g / tf.sqrt(accumulator + self.epsilon))


def get(identifier: Any) -> Optimizer:
    """The optimizer that a name stands for; an optimizer comes back itself.

    Raises:
        ValueError: if there is none of that name.
    """
    if isinstance(identifier, Optimizer):
        return identifier
    known: list[Any] = [SGD, Adam, RMSprop, Adagrad]
    for each in known:
        if str(identifier).lower() == each.__name__.lower():
            return each()  # type: ignore[no-any-return]
    raise ValueError(
        f"Could not interpret optimizer identifier: {identifier!r}. Write 'sgd', 'adam', 'rmsprop' or 'adagrad'."
    )
