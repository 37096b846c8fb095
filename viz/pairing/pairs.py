"""Which tensor of one trace is which of another that records the same program.

Programs agree in what they compute before they agree in names, since every framework has names of
its own. So ops are paired in their order, first of all by equal values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from ..trace.trace import Array, Node, Trace

MAX_CELLS = 1_000_000  # of the table in which two lists of ops are aligned
EQUAL, ALIKE, NAMED = 4, 1, 1  # what it speaks for a pair: values, the same op, the same name

# How much two results of one computation may differ, by the coarser dtype of the two.
_TOLERANCES = {"bfloat16": 3e-2, "float16": 5e-3, "float32": 1e-4, "complex64": 1e-4}


def same(first: Array | None, second: Array | None) -> bool | None:
    """Whether two arrays are equal but for rounding; None if one is not known.

    Example:
        >>> same(Array.of([1.0, 2.0]), Array.of([1.0, 2.0 + 1e-12]))
        True
    """
    if first is None or second is None:
        return None
    if first.shape != second.shape or len(first.data) != len(second.data):
        return False
    if "string" in (first.dtype, second.dtype):
        return first.data == second.data
    near = max(_TOLERANCES.get(each.dtype, 1e-8) for each in (first, second))
    if _far_apart(first, second, near):
        return False
    one, other = (np.array([*each.data, *_statistics(each)]) for each in (first, second))
    finite = np.abs(one[np.isfinite(one)])
    size = float(finite.max()) if finite.size else 0.0
    return bool(np.allclose(one, other, near, near * size, equal_nan=True))


def _far_apart(first: Array, second: Array, near: float) -> bool:
    """Whether the first elements alone tell arrays apart: most pairs are asked no more."""
    if not first.data:
        return False
    known: list[Any] = [*first.data, *_statistics(first)]
    other: Any = second.data[0]
    size = max(map(abs, known))
    return math.isfinite(size) and bool(abs(known[0] - other) > near * (size + abs(other)))


def _statistics(array: Array) -> list[float]:
    """What is known of a large array besides its first elements."""
    return [each for each in (array.min, array.max, array.mean) if each is not None]


def pairs(first: Trace, second: Trace) -> list[tuple[int, int]]:
    """The nodes of two traces that stand for the same tensor, in the order of the first.

    Args:
        first: One trace.
        second: Another trace of the same program.

    Returns:
        Pairs of ids, none twice.
    """
    found = _of_leaves(first, second)
    ops, others = ([n for n in trace.nodes if n.kind == "op"] for trace in (first, second))
    found += _aligned(ops, others)
    return sorted(found + _exchanged(ops, others, dict(found)))


def _exchanged(
    left: Sequence[Node], right: Sequence[Node], found: dict[int, int]
) -> list[tuple[int, int]]:
    """What is left, where one op took another's place: the same inputs, the same shape."""
    free = [node for node in right if node.id not in set(found.values())]
    pairs: list[tuple[int, int]] = []
    for node in left:
        if node.id in found:
            continue
        theirs = tuple(found.get(i) for i in node.inputs)
        for other in free:
            if other.inputs == theirs and other.shape == node.shape:
                pairs.append((node.id, other.id))
                free.remove(other)
                break
    return pairs


def _of_leaves(first: Trace, second: Trace) -> list[tuple[int, int]]:
    """Sources, variables and constants: by name and shape, then by equal values."""
    left = [n for n in first.nodes if n.kind != "op"]
    right = [n for n in second.nodes if n.kind != "op"]
    found: list[tuple[int, int]] = []
    for fits in (_same_name, _same_value):
        for node in list(left):
            other = next((each for each in right if fits(node, each)), None)
            if other is not None:
                found.append((node.id, other.id))
                left.remove(node)
                right.remove(other)
    return found


def _same_name(one: Node, other: Node) -> bool:
    return bool(one.name) and one.name == other.name and one.shape == other.shape


def _same_value(one: Node, other: Node) -> bool:
    return one.watched == other.watched and bool(same(one.value, other.value))


def _aligned(left: Sequence[Node], right: Sequence[Node]) -> list[tuple[int, int]]:
    """The pairs of two lists of ops, in the order of both, that speak most for each other."""
    start, stop = _equal_ends(left, right)
    found = list(zip(left[:start], right[:start], strict=True))
    found += zip(left[len(left) - stop :], right[len(right) - stop :], strict=True)
    left, right = left[start : len(left) - stop], right[start : len(right) - stop]
    if len(left) * len(right) <= MAX_CELLS:
        found += _best(left, right)
    return [(one.id, other.id) for one, other in found]


def _equal_ends(left: Sequence[Node], right: Sequence[Node]) -> tuple[int, int]:
    """How many ops at the beginning, and at the end, are paired one by one with equal values."""
    most = min(len(left), len(right))
    start = 0
    while start < most and _weight(left[start], right[start]) >= EQUAL:
        start += 1
    stop = 0
    while stop < most - start and _weight(left[-1 - stop], right[-1 - stop]) >= EQUAL:
        stop += 1
    return start, stop


def _best(left: Sequence[Node], right: Sequence[Node]) -> list[tuple[Node, Node]]:
    """The alignment of greatest weight (Needleman and Wunsch, 1970, without a cost for gaps)."""
    weights = np.zeros((len(left) + 1, len(right) + 1), np.int64)
    for i, j in product(range(len(left)), range(len(right))):
        weights[i, j] = _weight(left[i], right[j])
    best = np.zeros_like(weights)
    for i, j in product(reversed(range(len(left))), reversed(range(len(right)))):
        paired = weights[i, j] + best[i + 1, j + 1] if weights[i, j] else 0
        best[i, j] = max(paired, best[i + 1, j], best[i, j + 1])
    found, i, j = [], 0, 0
    while i < len(left) and j < len(right):
        if weights[i, j] and best[i, j] == weights[i, j] + best[i + 1, j + 1]:
            found.append((left[i], right[j]))
            i, j = i + 1, j + 1
        elif best[i, j] == best[i + 1, j]:
            i += 1
        else:
            j += 1
    return found


def _weight(one: Node, other: Node) -> int:
    """How much speaks for two ops being the same; 0 if they cannot be."""
    if one.shape != other.shape:
        return 0
    weight = EQUAL if same(one.value, other.value) else 0
    weight += ALIKE if one.op == other.op else 0
    return weight + (NAMED if one.name and one.name == other.name else 0)
