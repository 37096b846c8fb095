"""What kind of mistake a rule has, from the numbers that it gives and those that are right.

Each kind is tried in turn; the first whose consequence is what was found names it. Two questions
are put to a rule: one where 1 comes in everywhere, and one where other numbers do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.numbers import short
from .numbers import Numbers, same


@dataclass(frozen=True)
class Answer:
    """What one rule gave for one input, with ones coming in, beside what is right.

    Attributes:
        found: what it gave; None for nothing.
        right: what is right.
        others: what is right for the other inputs.
        given: what was found for the others.
        value: the input.
        out: the op's result.
        tolerance: of the comparison.
        matrices: what comes in and the other matrix, where the op is a product of two.
    """

    found: Any
    right: Numbers
    others: tuple[Numbers, ...]
    given: tuple[Any, ...]
    value: Numbers
    out: Numbers
    tolerance: float
    matrices: tuple[Numbers, Numbers] | None = None

    def is_(self, other: Any) -> bool:
        """Whether that is what was found."""
        return self.found is not None and same(self.found, other, self.tolerance)


Kind = tuple[str, Callable[[Answer], str]]


def named(answer: Answer) -> tuple[str, str]:
    """The kind of a mistake, and the rest of a sentence that begins "The rule of ... for x"."""
    for kind, tries in KINDS:
        said = tries(answer)
        if said:
            return kind, said
    return "wrong slope", _wrong_slope(answer)


def _nothing(a: Answer) -> str:
    if a.found is not None and np.any(np.asarray(a.found)):
        return ""
    return "passes nothing on: the gradient stays 0, as if the result did not depend on it."


def _shape(a: Answer) -> str:
    found = np.shape(a.found)
    if found == a.right.shape:
        return ""
    said = f"has the shape {_shown(found)} where the input has {_shown(a.right.shape)}"
    if _stretches(a.right.shape, found):
        return (
            f"{said}: the input was repeated (broadcast), so what comes back has to be summed over "
            "the repeated axes."
        )
    return f"{said}: a gradient has the shape of what it belongs to."


def _stretches(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    """Whether an array of that shape is repeated to the other by broadcasting."""
    try:
        return shape != to and np.broadcast_shapes(shape, to) == to
    except ValueError:
        return False


def _transposed(a: Answer) -> str:
    """A product of what comes in with the other matrix, but with a transpose too few or many."""
    turned = np.ndim(a.found) == 2 and a.right.shape != (1, 1)
    if turned and same(np.transpose(a.found), a.right, a.tolerance):
        return "is transposed: a gradient has the shape of what it belongs to."
    if a.matrices is None or a.found is None:
        return ""
    g, other = a.matrices
    pairs = [(x, y) for x in (g, g.T) for y in (other, other.T)]
    products = [q @ r for x, y in pairs for q, r in ((x, y), (y, x)) if q.shape[1] == r.shape[0]]
    if not any(a.is_(each) or a.is_(each.T) for each in products if each.shape == a.right.shape):
        return ""
    return "multiplies the right matrices, but in another order or with another transpose."


def _sign(a: Answer) -> str:
    return "has the wrong sign." if a.is_(-a.right) else ""


def _swapped(a: Answer) -> str:
    if len(a.others) != 1 or not a.is_(a.others[0]) or a.given[0] is None:
        return ""
    if not same(a.given[0], a.right, a.tolerance):
        return "passes what belongs to the other input."
    return "passes what belongs to the other input: the two are swapped."


def _no_factor(a: Answer) -> str:
    if a.out.shape != a.value.shape or not a.is_(np.ones(a.right.shape)):
        return ""
    return "passes on what comes in as it is: the slope of the op itself is forgotten."


def _value(a: Answer) -> str:
    for what, name in ((a.value, "the input itself"), (a.out, "the result")):
        if a.is_(what):
            return f"passes {name} where the slope belongs."
    return ""


def _factor(a: Answer) -> str:
    found, right = np.asarray(a.found, np.float64), a.right
    if not np.any(right):
        return ""
    at = np.unravel_index(np.abs(right).argmax(), right.shape)
    factor = float(found[at] / right[at])
    if not np.isfinite(factor) or abs(factor) < 1e-3 or not a.is_(factor * right):
        return ""
    if right.size == 1 and not _is_round(factor):
        return ""
    ratio = max(abs(factor), 1 / abs(factor))
    elements = {np.size(a.value), *np.shape(a.value), *np.shape(a.out)} - {1}
    reduces = np.shape(a.out) != np.shape(a.value)  # or repeats: there is something to count
    if reduces and any(abs(ratio - n) < 1e-2 for n in elements) and ratio > 1.5:
        return (
            f"is {short(factor)} times what is right: a mean divides by how many it takes, a sum "
            "does not."
        )
    return f"is {short(factor)} times what is right, in all elements: a factor is wrong."


def _is_round(factor: float) -> bool:
    return any(abs(abs(factor) * n - round(abs(factor) * n)) < 1e-4 for n in (1, 2, 3))


def _some(a: Answer) -> str:
    """Right in some elements and wrong in others, as by a mask at the wrong place."""
    found, right = np.asarray(a.found, np.float64), a.right
    size = max(1e-2, float(np.abs(right).max()))
    wrong = np.abs(found - right) > a.tolerance * size
    if wrong.all() or found.size < 3:
        return ""
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    pair = f"{short(found[at])} where {short(right[at])} is right"
    if a.value.shape == right.shape and np.all((a.value < 0) == wrong):
        return f"is wrong where the input is negative: {pair} (at {short(a.value[at])})."
    if a.value.shape == right.shape and np.all((a.value > 0) == wrong):
        return f"is wrong where the input is positive: {pair} (at {short(a.value[at])})."
    return f"is wrong in {int(wrong.sum())} of {wrong.size} elements: {pair}, at {_shown(at)}."


def _wrong_slope(a: Answer) -> str:
    found, right = np.asarray(a.found, np.float64), a.right
    wrong = np.abs(found - right)
    at = np.unravel_index(wrong.argmax(), right.shape)
    place = f" at {short(a.value[at])}" if a.value.shape == right.shape else ""
    return f"has a wrong slope{place}: {short(found[at])} where {short(right[at])} is right."


def _shown(shape: Sequence[Any]) -> str:
    return str([int(each) for each in shape])


KINDS: tuple[Kind, ...] = (
    ("passes nothing", _nothing),
    ("transpose", _transposed),
    ("shape", _shape),
    ("sign", _sign),
    ("swapped", _swapped),
    ("forgotten factor", _no_factor),
    ("value for slope", _value),
    ("wrong factor", _factor),
    ("wrong elements", _some),
)
