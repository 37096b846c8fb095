"""`tf.keras.optimizers.schedules`: learning rates that depend on the step.

The one fact to know: a schedule is a function of the step number; an optimizer asks it each time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import minitape as tf

if TYPE_CHECKING:
    from minitape.tensor import Tensor


class LearningRateSchedule:
    """Base of the schedules: a callable `step -> learning rate`."""

    def __call__(self, step: Any) -> Tensor:
        """The learning rate at `step`."""
        raise NotImplementedError


class ExponentialDecay(LearningRateSchedule):
    """The rate initial * decay_rate ** (step / decay_steps).

    Args:
        initial_learning_rate: the rate at step 0.
        decay_steps: after so many steps it is multiplied by `decay_rate`.
        decay_rate: see above.
        staircase: whether it changes only every `decay_steps`.

    Example:
        >>> import minitape as tf
        >>> rate = tf.keras.optimizers.schedules.ExponentialDecay(0.5, 10, 0.25)
        >>> float(rate(5)), float(rate(10))
        (0.25, 0.125)
    """

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: int,
        decay_rate: float,
        staircase: bool = False,
        name: str | None = None,
    ) -> None:
        self.initial_learning_rate, self.decay_rate = initial_learning_rate, decay_rate
        self.decay_steps, self.staircase = decay_steps, staircase

    def __call__(self, step: Any) -> Tensor:
        """The learning rate at `step`."""
        power = tf.cast(step, "float32") / self.decay_steps
        power = tf.floor(power) if self.staircase else power
        rate: Tensor = self.initial_learning_rate * tf.pow(tf.constant(self.decay_rate), power)
        return rate
