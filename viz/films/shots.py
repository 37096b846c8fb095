"""What a film keeps of a step, and which steps it keeps.

How long a loop will be is not known, so a film keeps every step at first and thins itself out: to
the powers of two (early on, most happens) and eight evenly spaced steps.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from minitape.safety.silence import Silence
from minitape.tensors.composite import dense

from ..base.numbers import short
from ..trace.trace import Trace

EVENLY = 8
MAX_SIDE = 8  # marks in a row or column of a small picture

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Glance:
    """An array as a small picture, and its size.

    Attributes:
        shape: of the array.
        marks: at most 8 x 8 numbers; of each block of a larger array the largest, with its sign.
        size: the root of the mean of the squares of all elements.
        text: the element of an array that has only one.
    """

    shape: tuple[int, ...]
    marks: Numbers
    size: float
    text: str

    @classmethod
    def of(cls, values: Any) -> Glance:
        """Looks at an array.

        Example:
            >>> glance = Glance.of([[3.0, -4.0]])
            >>> glance.shape, glance.marks.tolist(), round(glance.size, 4)
            ((1, 2), [[3.0, -4.0]], 3.5355)
        """
        array = np.asarray(values.numpy() if hasattr(values, "numpy") else values)
        real = (np.abs(array) if array.dtype.kind == "c" else array).astype(np.float64)
        text = short(array.item()) if array.size == 1 else ""
        return cls(array.shape, peaks(real), _size(real), text)


def glance(values: Any) -> Glance | None:
    """The look at a gradient; None where there is none."""
    return None if values is None else Glance.of(dense(values))


def peaks(array: Numbers, side: int = MAX_SIDE) -> Numbers:
    """A table of at most side x side numbers: of each block the one that is largest in size.

    Example:
        >>> peaks(np.array([1.0, -5.0, 2.0, 3.0]), side=2)
        array([[-5.,  3.]])
    """
    if not array.size:
        return np.zeros((0, 0))
    table = array.reshape(-1, array.shape[-1] if array.ndim else 1)
    for axis in (0, 1):
        blocks = np.array_split(table, min(side, table.shape[axis]), axis)
        table = np.stack([_largest(block, axis) for block in blocks], axis)
    return table


def _largest(block: Numbers, axis: int) -> Numbers:
    with Silence():
        places = np.expand_dims(np.argmax(np.abs(block), axis), axis)
    return np.take_along_axis(block, places, axis).squeeze(axis)


def _size(array: Numbers) -> float:
    if not array.size:
        return 0.0
    largest = float(np.abs(array).max())
    if not 0 < largest < np.inf:
        return largest
    return largest * float(np.sqrt(np.mean((array / largest) ** 2)))  # 1e200 squared overflows


@dataclass(frozen=True, slots=True)
class Shot:
    """One kept step: the variables, their gradients, the tape, what the model says about inputs.

    Attributes:
        step: how many updates there were before.
        values: of the variables, before this step's update.
        gradients: of the loss; None where no path leads to it.
        trace: the step's tape with its sweep; None where it was too large to keep.
        says: the model's outputs on the film's grid, then on its inputs; None without a model.
    """

    step: int
    loss: float
    values: tuple[Glance, ...]
    gradients: tuple[Glance | None, ...]
    trace: Trace | None = None
    says: Numbers | None = None


class Choice:
    """Which steps are kept: those that were asked for, else a few that thin themselves out.

    Example:
        >>> choice, kept = Choice(), []
        >>> for step in range(400):
        ...     if choice.wants(step):
        ...         kept = [each for each in [*kept, step] if choice.keeps(each)]
        >>> kept
        [0, 1, 2, 4, 8, 16, 32, 64, 128, 192, 256, 320, 384]
    """

    def __init__(self, steps: Iterable[int] | None = None) -> None:
        self.asked = None if steps is None else frozenset(steps)
        self.stride = 1

    def wants(self, step: int) -> bool:
        """Whether a step is to be kept; may thin out what was kept before, see `keeps`."""
        if self.asked is None and step > EVENLY * self.stride:
            self.stride *= 2
        return self.keeps(step)

    def keeps(self, step: int) -> bool:
        """Whether a step that was kept still is."""
        if self.asked is not None:
            return step in self.asked
        return step % self.stride == 0 or step & (step - 1) == 0
