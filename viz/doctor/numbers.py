"""The right slopes, by differences of the learner's own forward pass, and arrays to ask with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitape.safety.silence import Silence

Numbers = np.ndarray[Any, np.dtype[Any]]
Forward = Callable[[Sequence[Numbers]], Numbers]

# Far from 0, from each other and from 1 and -1, where functions have their corners and edges.
MIXED = np.array([-1.31, 0.47, 1.72, -0.58, 0.83, -2.17, 1.19, 0.26, -0.91, 2.43, -1.67, 0.71])
INSIDE = np.array([0.31, 0.47, 0.72, 0.58, 0.83, 0.17, 0.39, 0.26, 0.91, 0.43, 0.67, 0.77])
ABOVE = np.array([1.31, 2.47, 1.72, 3.58, 1.83, 2.17, 1.19, 2.26, 1.91, 2.83, 1.47, 3.11])
WEIGHTS = np.array([0.7, -1.4, 2.1, 0.4, -0.6, 1.7, -2.3, 1.1, 0.9, -0.8, 1.3, -1.9])
DOMAINS = (MIXED, INSIDE, ABOVE)


def sample(shape: tuple[int, ...], domain: Numbers, turn: int = 0) -> Numbers:
    """Distinct numbers of a domain in an array of that shape; another `turn` gives others.

    Example:
        >>> sample((2,), INSIDE).tolist()
        [0.31, 0.47]
    """
    size = int(np.prod(shape))
    at = (np.arange(size) + 5 * turn) % len(domain)
    rounds = (np.arange(size) + 5 * turn) // len(domain)
    found = domain[at] * (1.0 - 0.07 * rounds - 0.013 * turn)
    return np.asarray(found.reshape(shape), np.float64)


def weights(shape: tuple[int, ...]) -> Numbers:
    """What a result is multiplied with, so that a rule that forgets what comes in is seen."""
    return sample(shape, WEIGHTS)


def slopes(
    forward: Forward, inputs: Sequence[Numbers], weight: Any, step: float
) -> list[Numbers] | None:
    """The slopes of `sum(weight * forward(inputs))`, a central difference of fourth order for each.

    Args:
        forward: the learner's forward pass.
        inputs: where.
        weight: of each element of the result.
        step: how far to go to either side; 1e-3 in float64.

    Returns:
        An array like each input; None where a difference is not finite, or depends on how far it
        goes: there is a corner or a jump nearby, or the numbers are too coarse.
    """
    found = []
    for position, x in enumerate(inputs):
        slope, doubt = np.empty(x.shape), np.empty(x.shape)
        for at in np.ndindex(x.shape):
            slope[at], doubt[at] = _slope(forward, inputs, position, at, weight, step)
        size = max(1e-2, float(np.abs(slope).max(initial=0.0)))
        if not np.isfinite(slope).all() or np.any(doubt > 2e-2 * size):
            return None
        found.append(slope)
    return found


def _slope(
    forward: Forward, inputs: Sequence[Numbers], position: int, at: tuple[int, ...], weight: Any,
    step: float,
) -> tuple[float, float]:  # fmt: skip
    """One slope, and how far that of a shorter way is from that of a longer one."""

    def moved(by: float) -> Any:
        shifted = [each.copy() for each in inputs]
        shifted[position][at] += by
        return (np.asarray(weight) * forward(shifted)).astype(np.float64)

    with Silence():
        near = np.sum(moved(step) - moved(-step)) / (2.0 * step)
        far = np.sum(moved(2 * step) - moved(-2 * step)) / (4.0 * step)
        return float((4.0 * near - far) / 3.0), float(abs(near - far))


def same(found: Any, right: Any, tolerance: float) -> bool:
    """Whether two arrays agree in shape and, but for rounding, in all elements."""
    found, right = np.asarray(found, np.float64), np.asarray(right, np.float64)
    if found.shape != right.shape:
        return False
    size = max(1e-2, float(np.abs(right).max(initial=0.0)))
    return bool(np.all(np.abs(found - right) <= tolerance * size))
