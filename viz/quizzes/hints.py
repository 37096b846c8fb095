"""Why an answer is wrong: the usual mistakes, each tried in turn until one gives the answer.

A hint says what was probably forgotten, and never the right number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from ..base.numbers import short
from .numbers import Numbers, close, same

MAX_PATHS = 8


@dataclass(frozen=True, slots=True)
class Clues:
    """What is known around a question, for its hints.

    Attributes:
        expected: the right answer.
        incoming: the cotangent that came in at the op.
        local: the local derivative, where the op is elementwise.
        value: the value of the tensor itself.
        paths: the contributions that add up, with the names of the ops that they come from.
        others: what goes to other inputs of the op, by their names.
        count: of a mean, how many elements are averaged.
        op: the op's name.
        to: what the receiving tensor is called.
    """

    expected: Numbers
    incoming: Numbers | None = None
    local: Numbers | None = None
    value: Numbers | None = None
    paths: Sequence[tuple[str, Numbers]] = ()
    others: Sequence[tuple[str, Numbers]] = field(default_factory=list)
    count: int = 0
    op: str = ""
    to: str = ""


def hint(answer: Numbers, clues: Clues) -> str:
    """What is probably wrong with an answer.

    Example:
        >>> hint(np.array(-6.0), Clues(np.array(6.0)))
        'The size is right, the sign is wrong: look for a minus (a difference, cos, 1/x).'
    """
    return next(_hints(answer, clues))


def _hints(answer: Numbers, clues: Clues) -> Iterator[str]:
    if answer.shape != clues.expected.shape:
        yield from _about_shape(answer, clues)
        return
    yield from _about_the_chain(answer, clues)
    if same(-answer, clues.expected):
        yield "The size is right, the sign is wrong: look for a minus (a difference, cos, 1/x)."
    yield from _about_paths(answer, clues)
    expected = clues.expected
    if expected.ndim == 2 and expected.shape[0] == expected.shape[1] and same(answer.T, expected):
        yield "It is transposed: rows and columns have changed places."
    yield from _about_factors(answer, clues)
    if clues.value is not None and same(answer, clues.value):
        yield f"That is the value of {clues.to or 'the tensor'}, not the derivative."
    yield from _about_elements(answer, clues)


def _about_shape(answer: Numbers, clues: Clues) -> Iterator[str]:
    """The shape of a cotangent is the shape of its tensor."""
    to, shape = clues.to or "the tensor", _shape(clues.expected)
    incoming = clues.incoming
    if answer.ndim == 2 and same(answer.T, clues.expected):
        yield f"It is transposed: {to} has shape {shape}, and so has its cotangent."
    if (
        incoming is not None
        and answer.shape == incoming.shape
        and answer.size > clues.expected.size
    ):
        summed = _summed_to(answer, clues.expected.shape)
        if summed is not None and same(summed, clues.expected):
            yield (
                f"All but the last step is right: {to} was stretched from {shape} to "
                f"{_shape(answer)} by broadcasting, so its elements were used several times. "
                "Sum over the axes that were stretched."
            )
        elif summed is not None:
            yield (
                f"{to} has shape {shape}: broadcasting stretched it to {_shape(answer)}. Its "
                "cotangent has its own shape: sum over the axes that were stretched."
            )
    if answer.shape == () and clues.expected.size > 1:
        yield f"One number is not enough: {to} has shape {shape}, so each element has its own."
    yield f"The shape is {_shape(answer)}; the cotangent of {to} has the shape of {to}: {shape}."


def _about_the_chain(answer: Numbers, clues: Clues) -> Iterator[str]:
    """A cotangent is the one that comes in times the local derivative."""
    g, local = clues.incoming, clues.local
    if local is not None and g is not None and _fits(local, answer):
        if same(answer, np.broadcast_to(local, answer.shape)):
            yield (
                f"That is the local derivative of `{clues.op}` alone. The chain rule multiplies it "
                "by the cotangent that comes in."
            )
        if same(answer, np.broadcast_to(local + g, answer.shape)) and _fits(g, answer):
            yield "You added. The chain rule multiplies what comes in by the local derivative."
    if g is not None and same(answer, g):
        yield (
            f"That is the cotangent that comes in at `{clues.op}`. It still has to be multiplied "
            "by the derivative of the op."
        )
    for name, other in clues.others:
        if same(answer, other):
            yield f"That goes to {name}, the other input of `{clues.op}`."


def _about_paths(answer: Numbers, clues: Clues) -> Iterator[str]:
    """Where paths meet, cotangents add up."""
    paths = list(clues.paths)[:MAX_PATHS]
    for count in range(1, len(paths)):
        for some in combinations(range(len(paths)), count):
            if same(answer, np.asarray(sum(paths[i][1] for i in some))):
                lost = [f"`{paths[i][0]}`" for i in range(len(paths)) if i not in some]
                yield (
                    f"A path is missing: {clues.to or 'the tensor'} is used {len(paths)} times, "
                    f"and what comes back through {' and '.join(lost)} has to be added."
                )
                return
    if len(paths) == 2 and same(answer, paths[0][1] - paths[1][1]):
        yield "Where paths meet, cotangents are added, not subtracted."
    if len(paths) >= 2 and same(answer, np.prod([p for _, p in paths], axis=0)):
        yield "Where paths meet, cotangents are added, not multiplied."
    if len(paths) >= 2 and same(answer * len(paths), np.asarray(sum(p for _, p in paths))):
        yield "Where paths meet, cotangents are added, not averaged."


def _about_factors(answer: Numbers, clues: Clues) -> Iterator[str]:
    expected = clues.expected
    usable = np.isfinite(expected) & np.isfinite(answer) & (expected != 0)
    if not usable.any() or not close(answer, expected)[~usable].all():
        return
    ratios = answer[usable] / expected[usable]
    factor = complex(ratios.flat[0])
    if not np.allclose(ratios, factor, 5e-3, 0) or factor.imag or factor.real in (0, 1):
        return
    size, n = factor.real, clues.count
    if n > 1 and np.isclose(size, n, 5e-3):
        yield f"It is {n} times too large: a mean over {n} elements divides by {n}."
    elif n > 1 and np.isclose(size, 1 / n, 5e-3):
        yield f"It is {n} times too small: the {n} of the mean was divided by once too often."
    elif np.isclose(size, 0.5, 5e-3) and clues.op == "multiply":
        yield "`multiply` swaps: each input gets what comes in, times the other input."
    elif np.isclose(size, 0.5, 5e-3):
        yield "It is half of what is right: is a factor 2 missing, as in the derivative of x²?"
    elif np.isclose(size, 2, 5e-3):
        yield "It is twice what is right: a factor 2 is too much, or a path was counted twice."
    elif expected.size > 1:
        yield f"All elements are off by the same factor, {short(size)}. Which constant is that?"


def _about_elements(answer: Numbers, clues: Clues) -> Iterator[str]:
    right = close(answer, clues.expected)
    if right.any() and right.size > 1:
        first = np.argwhere(~right)[0].tolist()
        yield f"{int(right.sum())} of {right.size} elements are right. Look at element {first}."
    elif not np.isfinite(answer).all() and np.isfinite(clues.expected).all():
        yield "The right answer is finite."
    elif (answer == 0).all():
        yield "It is not zero: a path leads there."
    if len(clues.paths) > 1:
        used = f"{clues.to or 'the tensor'} is used {len(clues.paths)} times"
        yield f"That is not it. Here {used}: add what was there and what arrives."
    yield "That is not it. Multiply what comes in by the derivative of the op at its input."


def _shape(array: Numbers) -> str:
    return str(list(array.shape)) if array.shape else "[] (one number)"


def _fits(small: Numbers, large: Numbers) -> bool:
    try:
        return np.broadcast_shapes(small.shape, large.shape) == large.shape
    except ValueError:
        return False


def _summed_to(array: Numbers, shape: tuple[int, ...]) -> Numbers | None:
    """The sum over the axes that broadcasting from `shape` stretched; None if it did not."""
    if not _fits(np.empty(shape), array):
        return None
    extra = array.ndim - len(shape)
    array = np.asarray(array.sum(axis=tuple(range(extra))))
    axes = tuple(i for i, n in enumerate(shape) if n == 1 and array.shape[i] != 1)
    return np.asarray(array.sum(axis=axes, keepdims=True))
