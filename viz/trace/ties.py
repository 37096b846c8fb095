"""Says at a tie which convention holds: where two are equally large, the derivative is a choice.

What is said is read off the step's own slopes, so it is what the engine did.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..base.numbers import short
from .arrays import Array
from .facts import facts_of
from .parts import Node, Step

SHARES = {1.0: "all of g", 0.0: "nothing", 0.5: "half of g"}
MOST = 1024  # elements that are looked at


def at_a_tie(step: Step, node: Node, nodes: Sequence[Node]) -> str:
    """The convention in a sentence, or nothing where there is no tie or it is not known.

    Example:
        >>> x, c = (Node(i, "source", (), "float32", (), value=Array.of(2.0)) for i in (0, 1))
        >>> y = Node(2, "op", (0, 1), "float32", (), op="maximum", value=Array.of(2.0))
        >>> one = Array.of(1.0)
        >>> at_a_tie(Step("pull", 2, 0, 0, one, one, one, local=one), y, [x, c, y])
        ' Both are 2.0, a tie: by convention the first gets all of g.'
    """
    facts = facts_of(node)
    if facts.extreme and facts.reduces:
        return _of_many(step)
    if facts.extreme and len(node.inputs) == 2:
        return _of_two(step, [nodes[i].value for i in node.inputs])
    if facts.fault == "clipped":
        return _of_ends(step, [nodes[i].value for i in node.inputs])
    return ""


def _of_two(step: Step, values: list[Array | None]) -> str:
    slopes = _elements(step.local)
    found = [_elements(each) for each in values]
    if slopes is None or found[0] is None or found[1] is None:
        return ""
    try:
        a, b, slopes = np.broadcast_arrays(found[0], found[1], slopes)
    except ValueError:
        return ""
    share, shown = _share(slopes, a == b), a[a == b]
    if not share:
        return ""
    which = ("first", "second")[step.position or 0]
    if a.size == 1:
        return f" Both are {short(shown[0])}, a tie: by convention the {which} gets {share}."
    return f" Where both are equal, a tie, by convention the {which} gets {share}."


def _of_ends(step: Step, values: list[Array | None]) -> str:
    slopes, found = _elements(step.local), [_elements(each) for each in values]
    if slopes is None or len(found) != 3 or found[0] is None or step.position:
        return ""
    x = found[0]
    try:
        at = np.any([np.broadcast_to(x == end, x.shape) for end in found[1:] if end is not None], 0)
    except ValueError:
        return ""
    if x.shape != slopes.shape or at.shape != x.shape:
        return ""
    share = _share(slopes, at)
    return f" At an end of the range, by convention, it gets {share}." if share else ""


def _of_many(step: Step) -> str:
    """Ties of a largest element: several slopes in one column of the rule's matrix."""
    if step.slopes is None or not step.slopes.values:
        return ""
    columns: dict[int, list[float]] = {}
    for column, value in zip(step.slopes.columns, step.slopes.values, strict=True):
        columns.setdefault(column, []).append(value)
    shared = [each for each in columns.values() if len(each) > 1]
    if not shared or any(max(each) - min(each) > 1e-6 for each in shared):
        return ""
    if all(abs(each[0] - 1) < 1e-6 for each in shared):
        return " Several are equal, a tie: by convention each gets all of g."
    even = all(abs(each[0] * len(each) - 1) < 1e-5 for each in shared)
    return " Several are equal, a tie: by convention they share g evenly." if even else ""


def _share(slopes: np.ndarray, ties: np.ndarray) -> str:
    """What the elements at ties get, where that is one and the same."""
    found = set(slopes[ties].tolist())
    return SHARES.get(found.pop(), "") if len(found) == 1 else ""


def _elements(array: Array | None) -> np.ndarray | None:
    if array is None or not array.is_whole or not 0 < array.size <= MOST:
        return None
    if array.dtype == "string":
        return None
    return np.array(array.data).reshape(array.shape)
