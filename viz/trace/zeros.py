"""Why some of what a step passes on is exactly zero: a shut gate, a row that was not picked.

A cause is said only where the numbers of the step show it (its slopes, the operand, what came in),
and of whole rows and columns before single elements.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from minitape.ops.elementwise.arithmetic import multiply
from minitape.ops.linalg.matrix import matmul

from .arrays import Array
from .facts import facts_of, is_one_of
from .parts import Node, Step

FLAT = 0.01  # a slope below which hardly anything passes
MOST_NAMED = 4  # rows or columns that are named one by one
MOST_READ = 1024  # elements


def why_zero(step: Step, node: Node, nodes: Sequence[Node]) -> str:
    """Give the reason in words, or nothing where no row, column or gate is zero.

    Example:
        >>> x = Node(0, "source", (), "float32", (2, 3), name="x")
        >>> y = Node(1, "op", (0,), "float32", (2, 3), op="relu", name="y")
        >>> slope = Array.of([[1.0, 0.0, 1.0], [0.0, 0.0, 1.0]])
        >>> step = Step("pull", 1, 0, 0, slope, slope, slope, local=slope)
        >>> why_zero(step, y, [x, y])
        'column 1 was off in both rows'
    """
    passed = step.contribution
    if passed is None or not passed.is_whole or not 1 < passed.size <= MOST_READ:
        return ""
    if step.local is not None and step.local.shape == passed.shape and step.local.is_whole:
        return _of_slopes(step.local, node) or _came(step.cotangent, passed)
    if 0 not in passed.data:
        return ""
    unpicked = facts_of(node).unpicked
    if unpicked and step.slopes is not None:
        return _never(step.slopes.rows, passed, unpicked)
    return _of_product(step, node, nodes) or _came(step.cotangent, passed)


def _of_slopes(local: Array, node: Node) -> str:
    """The slopes that are zero; those of a flat function that are nearly zero."""
    shut = [value == 0 for value in local.data]
    facts = facts_of(node)
    if facts.gate and any(shut):
        lines = _lines(shut, local.shape)
        if lines:
            return f"{lines[0]} {_were(lines[2])} {facts.gate} {lines[1]}"
        some = f"{sum(shut)} of {len(shut)} {_were(sum(shut) > 1)} {facts.gate}"
        return "" if all(shut) else some
    if is_one_of(node, multiply) and (lines := _lines(shut, local.shape)):
        return f"{lines[0]} {_were(lines[2])} multiplied by 0.0 {lines[1]}"
    if facts.fault == "saturated":
        return _saturation(local)
    if lines := _lines(shut, local.shape):
        return f"{lines[0]} {'have' if lines[2] else 'has'} slope 0.0 {lines[1]}"
    return ""


def _saturation(local: Array) -> str:
    flat = [isinstance(value, float) and abs(value) <= FLAT for value in local.data]
    if all(flat):
        return f"it is saturated, no slope is above {FLAT}"
    lines = _lines(flat, local.shape)
    if lines is None:
        return ""
    return f"{lines[0]} {_were(lines[2])} saturated {lines[1]}, with no slope above {FLAT}"


def _never(counted: Sequence[int], passed: Array, said: str) -> str:
    """Rows, columns or elements that no element of what came in leads to."""
    found = set(counted)
    missing = [flat not in found for flat in range(passed.size)]
    if len(passed.shape) == 1 and any(missing) and not all(missing):
        places = [i for i, gone in enumerate(missing) if gone]
        return f"{_some(places, 'element', len(missing))} {_were(len(places) > 1)} {said}"
    lines = _lines(missing, passed.shape)
    return f"{lines[0]} {_were(lines[2])} {said}" if lines else ""


def _of_product(step: Step, node: Node, nodes: Sequence[Node]) -> str:
    """A matrix product: a zero column of the left factor leaves a row of the right one at zero."""
    passed = step.contribution
    if not is_one_of(node, matmul) or step.position != 1:
        return ""
    if passed is None or len(passed.shape) != 2:
        return ""
    left = next((o for o in step.operands if o.kind == "value"), None)
    if left is None or not left.value.is_whole or left.value.shape[1:] != passed.shape[:1]:
        return ""
    zero = [value == 0 for value in left.value.data]
    columns = [at for axis, at in _whole(zero, left.value.shape) if axis == 1]
    if not columns or len(columns) == passed.shape[0]:
        return ""
    name = nodes[left.node].name
    whose = f"`{name}`" if name else "the left factor"
    is_, of = ("are", "these columns") if len(columns) > 1 else ("is", "that column")
    rows, everywhere = _some(columns, "row", passed.shape[0]), _in_all(left.value.shape[0], "row")
    return f"{rows} {is_} 0.0, for {of} of {whose} {is_} 0.0 {everywhere}"


def _came(came: Array | None, passed: Array) -> str:
    """What came in as zeros goes on as zeros."""
    if came is None or came.shape != passed.shape or not came.is_whole:
        return ""
    lines = _lines([value == 0 for value in came.data], came.shape)
    return f"nothing came in at {lines[0]}" if lines else ""


def _lines(zero: Sequence[bool], shape: tuple[int, ...]) -> tuple[str, str, bool] | None:
    """Rows or columns that are zero as a whole: which, in how many others, whether several."""
    if all(zero):
        return None
    found = list(_whole(zero, shape))
    axis = 1 if any(axis == 1 for axis, _ in found) else 0
    places = [at for which, at in found if which == axis]
    if not places:
        return None
    word, other = (("row", "column"), ("column", "row"))[axis]
    if len(shape) > 2:
        word, other = ("channel", "place") if axis else ("example", "place")
    length = shape[-1] if axis else shape[0]
    return _some(places, word, length), _in_all(len(zero) // length, other), len(places) > 1


def _whole(zero: Sequence[bool], shape: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Rows (0) and columns (1: the last axis) of at least two elements that are all zero."""
    if len(shape) not in (2, 4) or not zero:
        return
    for axis, length in ((1, shape[-1]), (0, shape[0])):
        if len(zero) // length < 2:
            continue
        step = len(zero) // length
        for at in range(length):
            line = zero[at::length] if axis else zero[at * step : (at + 1) * step]
            if all(line):
                yield axis, at


def _some(places: Sequence[int], word: str, of: int) -> str:
    """Column 2; columns 0 and 3; 6 of 8 columns."""
    if len(places) == 1:
        return f"{word} {places[0]}"
    if len(places) > MOST_NAMED:
        return f"{len(places)} of {of} {word}s"
    *first, last = map(str, places)
    return f"{word}s {', '.join(first)} and {last}"


def _in_all(count: int, word: str) -> str:
    return f"in both {word}s" if count == 2 else f"in all {count} {word}s"


def _were(several: bool) -> str:
    return "were" if several else "was"
