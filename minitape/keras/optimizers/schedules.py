"""`tf.keras.optimizers.schedules`: learning rates that depend on the step.

A schedule is a function of the step number; an optimizer asks it each time.
"""

from __future__ import annotations

from math import pi
from typing import TYPE_CHECKING, Any

import minitape as tf
from minitape.errors.of_arguments import checked_items, checked_number
from minitape.keras.configs import WithoutConfig
from minitape.names.absent import closed

if TYPE_CHECKING:
    from minitape.tensor import Tensor

__all__ = [
    "CosineDecay", "ExponentialDecay", "InverseTimeDecay", "LearningRateSchedule",
    "PiecewiseConstantDecay", "PolynomialDecay",
]  # fmt: skip


class LearningRateSchedule(WithoutConfig):
    """Base of the schedules: a callable `step -> learning rate`."""

    name: str | None

    def __call__(self, step: Any) -> Tensor:
        """The learning rate at `step`."""
        raise NotImplementedError


def _positive(schedule: LearningRateSchedule, decay_steps: Any) -> Any:
    """The number of steps of a decay, if it is above 0."""
    name = type(schedule).__name__
    if not checked_number(name, "decay_steps", decay_steps, "decay_steps=100") > 0:
        raise ValueError(
            f"{name}: Argument `decay_steps` must be > 0. Received: decay_steps={decay_steps}. A "
            "decay takes some steps: write for instance `decay_steps=100`."
        )
    return decay_steps


class _Turning(LearningRateSchedule):
    """A schedule that decays by the number of times that `decay_steps` are over, parts included."""

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: int,
        decay_rate: float,
        staircase: bool = False,
        name: str | None = None,
    ) -> None:
        self.name = name
        self.initial_learning_rate, self.decay_rate = initial_learning_rate, decay_rate
        self.decay_steps, self.staircase = _positive(self, decay_steps), staircase

    def turns(self, step: Any) -> Tensor:
        """That number; a whole one if `staircase`."""
        found: Tensor = tf.cast(step, "float32") / self.decay_steps
        return tf.floor(found) if self.staircase else found


class ExponentialDecay(_Turning):
    """The rate initial * decay_rate ** (step / decay_steps).

    Args:
        initial_learning_rate: the rate at step 0.
        decay_steps: after so many steps it is multiplied by `decay_rate`.
        decay_rate: see above.
        staircase: whether it changes only every `decay_steps`.
        name: for people, as that of every schedule.

    Example:
        >>> import minitape as tf
        >>> rate = tf.keras.optimizers.schedules.ExponentialDecay(0.5, 10, 0.25)
        >>> float(rate(5)), float(rate(10))
        (0.25, 0.125)
    """

    def __call__(self, step: Any) -> Tensor:
        return self.initial_learning_rate * tf.pow(tf.constant(self.decay_rate), self.turns(step))


class PiecewiseConstantDecay(LearningRateSchedule):
    """One rate after the other.

    Args:
        boundaries: the steps up to which each rate but the last is used.
        values: the rates, one more than boundaries.

    Raises:
        ValueError: if the lengths do not fit.

    Example:
        >>> import minitape as tf
        >>> rate = tf.keras.optimizers.schedules.PiecewiseConstantDecay([10], [1.0, 0.5])
        >>> float(rate(10)), float(rate(11))
        (1.0, 0.5)
    """

    def __init__(self, boundaries: Any, values: Any, name: str | None = None) -> None:
        example = "PiecewiseConstantDecay([10], [1.0, 0.5])"
        boundaries = checked_items("PiecewiseConstantDecay", "boundaries", boundaries, example)
        values = checked_items("PiecewiseConstantDecay", "values", values, example)
        if len(boundaries) != len(values) - 1:
            raise ValueError(
                "The length of boundaries should be 1 less than the length of values. Received: "
                f"boundaries={boundaries} of length {len(boundaries)}, values={values} of length "
                f"{len(values)}."
            )
        self.boundaries, self.values, self.name = boundaries, values, name

    def __call__(self, step: Any) -> Tensor:
        at = tf.cast(step, "float32")
        rate: Tensor = tf.constant(self.values[0])
        for boundary, value in zip(self.boundaries, self.values[1:], strict=True):
            rate = tf.where(at > float(boundary), value, rate)
        return rate


class PolynomialDecay(LearningRateSchedule):
    """From the initial rate to the last one, (1 - step / decay_steps) ** power of the way left.

    With `cycle` it goes up again at the end, over twice as many steps, three times, and so on.
    """

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: int,
        end_learning_rate: float = 0.0001,
        power: float = 1.0,
        cycle: bool = False,
        name: str | None = None,
    ) -> None:
        self.name = name
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = _positive(self, decay_steps)
        self.end_learning_rate, self.power, self.cycle = end_learning_rate, power, cycle

    def __call__(self, step: Any) -> Tensor:
        at, steps = tf.cast(step, "float32"), tf.constant(float(self.decay_steps))
        if self.cycle:
            steps = steps * tf.maximum(1.0, tf.math.ceil(at / steps))
        left: Tensor = 1.0 - tf.minimum(at, steps) / steps
        way = self.initial_learning_rate - self.end_learning_rate
        return way * left**self.power + self.end_learning_rate


class InverseTimeDecay(_Turning):
    """The rate initial / (1 + decay_rate * step / decay_steps)."""

    def __call__(self, step: Any) -> Tensor:
        return self.initial_learning_rate / (1.0 + self.decay_rate * self.turns(step))


class CosineDecay(LearningRateSchedule):
    """Down half a cosine to `alpha` times the initial rate (Loshchilov and Hutter 2017).

    Args:
        initial_learning_rate: the rate at step 0.
        decay_steps: after so many steps, counted from the end of the warm-up, it is down.
        alpha: what is left at the end.
        warmup_target: the rate up to which it grows first, over `warmup_steps`.
        warmup_steps: see above.
    """

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: int,
        alpha: float = 0.0,
        warmup_target: float | None = None,
        warmup_steps: int = 0,
        name: str | None = None,
    ) -> None:
        self.name = name
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = _positive(self, decay_steps)
        self.alpha, self.warmup_target, self.warmup_steps = alpha, warmup_target, warmup_steps

    def __call__(self, step: Any) -> Tensor:
        at: Tensor = tf.cast(step, "float32")
        top = self.initial_learning_rate
        if self.warmup_target is None:
            return self._down(at, top)
        share = at / max(1, self.warmup_steps)
        return tf.where(
            at < self.warmup_steps,
            top + (self.warmup_target - top) * share,
            self._down(at - self.warmup_steps, self.warmup_target),
        )

    def _down(self, at: Tensor, top: float) -> Tensor:
        share: Tensor = tf.minimum(at, float(self.decay_steps)) / self.decay_steps
        return top * ((1.0 - self.alpha) * 0.5 * (1.0 + tf.cos(pi * share)) + self.alpha)


closed("minitape.keras.optimizers.schedules")
