"""What is wrong with one share of a learner's backward pass, in a sentence for a student.

It is compared with minitape's share at the same numbers, and the differences that mistakes make are
tried one by one: a sign, a missing factor, the other input's factor, a missing transpose, a sum
that was left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..base.numbers import short
from .namesakes import Namesake

FEW = 4  # elements that are said one by one


class Share(NamedTuple):
    """One share of a learner's backward pass.

    Attributes:
        op: the op's name.
        to: what the input is called.
        values: the op's inputs.
        position: which of them receives.
        g: what came in.
        found: what the learner's rule passes on.
        right: what minitape's rule passes on.
        rule: minitape's op at the same numbers, with its rules.
        plain: the same with a cotangent of ones.
    """

    op: str
    to: str
    values: Sequence[Any]
    position: int
    g: Any
    found: Any
    right: Any
    rule: Namesake
    plain: Namesake | None


def same(found: Any, right: Any) -> bool:
    """Whether two arrays are equal but for rounding, their shapes too."""
    found, right = np.asarray(found), np.asarray(right)
    if found.shape != right.shape:
        return False
    scale = max(1.0, float(np.abs(right).max(initial=0.0)))
    return bool(np.allclose(found, right, rtol=1e-5, atol=1e-7 * scale, equal_nan=True))


def diagnosis(share: Share) -> str:
    """What is wrong with a share that differs from minitape's."""
    tries = (_shape, _sign, _other_input, _transposed, _without_g, _without_factor, _scaled)
    said = next(filter(None, (each(share) for each in tries)), "") or _else(share)
    formula = share.rule.rules[share.position].said["formula"]
    right = f" Right is {formula.text}{_equals(share.right)}." if formula is not None else ""
    return f"The rule of `{share.op}` for {share.to} {said}{right}"


def _shape(share: Share) -> str:
    found, right = np.shape(share.found), np.shape(share.right)
    if found == right:
        return ""
    said = f"passes an array of shape {list(found)}, but {share.to} has shape {list(right)}: "
    if np.size(share.found) > np.size(share.right):
        return said + (
            "it was repeated (broadcast) on the way, so what comes back must be summed over the "
            "repeated axes. The sum is forgotten."
        )
    return said + "a gradient has the shape of what it belongs to."


def _sign(share: Share) -> str:
    return "has the wrong sign." if same(share.found, -share.right) else ""


def _other_input(share: Share) -> str:
    others = [rule.share for at, rule in share.rule.rules.items() if at != share.position]
    if any(same(share.found, other) for other in others):
        return "passes what belongs to the other input: the two factors are swapped."
    return ""


def _transposed(share: Share) -> str:
    if share.op != "matmul" or np.ndim(share.g) != 2:
        return ""
    other = np.asarray(share.values[1 - share.position])
    pairs = [(share.g, other), (other, share.g), (share.g, other.T), (other.T, share.g)]
    products = [a @ b for a, b in pairs if a.shape[1] == b.shape[0]]
    wrong = [*products, *(each.T for each in products)]
    return "misses a transpose." if any(same(share.found, each) for each in wrong) else ""


def _without_g(share: Share) -> str:
    rule = share.plain.rules.get(share.position) if share.plain is not None else None
    if rule is None or not same(share.found, rule.share):
        return ""
    return (
        "forgets the factor g, the cotangent that came in: it passes the local derivative alone, "
        "but the chain rule multiplies both."
    )


def _without_factor(share: Share) -> str:
    if same(share.found, np.asarray(share.g)):
        return "passes g on as it came: the factor of the op's own derivative is forgotten."
    return ""


def _scaled(share: Share) -> str:
    """One factor is wrong in all elements, as by a mean in place of a sum."""
    found, right = np.asarray(share.found), np.asarray(share.right)
    if found.size < 2 or not np.any(right):
        return ""
    largest = np.unravel_index(np.abs(right).argmax(), right.shape)
    factor = float(found[largest] / right[largest])
    if not factor or not same(found, factor * right):
        return ""
    means = "; is a mean taken where a sum belongs, or the other way round?"
    return f"passes {short(factor)} times what is right, in all elements{means}"


def _else(share: Share) -> str:
    found, right = np.asarray(share.found), np.asarray(share.right)
    if found.size == 1 and np.size(share.g) == 1 and float(np.asarray(share.g)) != 0:
        g = float(np.asarray(share.g))
        local, own = short(float(right) / g), short(float(found) / g)
        return f"has a wrong local derivative: {own} where it is {local}."
    wrong = ~np.isclose(found, right)
    first = tuple(int(i) for i in np.argwhere(wrong)[0])
    place = f" at {list(first)}" if first else ""
    return (
        f"has a wrong local derivative: it passes {short(found[first])}{place}, "
        f"and {short(right[first])} is right."
    )


def _equals(right: Any) -> str:
    right = np.asarray(right)
    if right.size > FEW:
        return ""
    return f" = {', '.join(short(each) for each in right.ravel())}"
