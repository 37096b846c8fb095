"""What can be compared in two traces of one program, and where they part.

A moment is a step of each trace after which both know the same thing: a value on the way forward,
or all of a cotangent on the way back. Between two moments each trace takes the steps of its own.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import Literal, NamedTuple

from ..trace.trace import Array, Node, Trace
from .pairs import pairs, same

Way = Literal["forward", "back"]
Pairs = list[tuple[int, int]]


class Moment(NamedTuple):
    """A step of each of two traces after which both know the same thing.

    Attributes:
        first: The step of the first trace, -1 for what it knows before its first.
        second: The step of the second.
        way: Whether it is a value, or a cotangent (or tangent).
        name: What the tensor is called.
        values: The two arrays, None where a trace has none.
        equal: Whether they are equal but for rounding; None if one of them was not recorded.
    """

    first: int
    second: int
    way: Way
    name: str
    values: tuple[Array | None, Array | None]
    equal: bool | None


class Comparison(NamedTuple):
    """Two traces of one program, compared.

    Attributes:
        moments: All that was compared, in the order of the first trace.
        together: Those of them whose steps go up in both traces: where the players meet.
    """

    moments: tuple[Moment, ...]
    together: tuple[Moment, ...]

    @property
    def difference(self) -> Moment | None:
        """The first moment at which the traces differ."""
        return next((each for each in self.moments if each.equal is False), None)


def compared(first: Trace, second: Trace) -> Comparison:
    """Compares two traces of one program.

    Args:
        first: One trace.
        second: The other; it may come from another framework.

    Raises:
        ValueError: if one passes on cotangents and the other tangents.
    """
    if first.carries != second.carries:
        raise ValueError(
            f"the first trace passes on {first.carries} and the second {second.carries}; "
            "record both with viz.step, or both with viz.push"
        )
    found = pairs(first, second)
    moments = [*_values(first, second, found), *_arrived(first, second, found)]
    moments.sort(key=lambda moment: moment.first)
    return Comparison(tuple(moments), tuple(_rising(moments)))


def _values(first: Trace, second: Trace, found: Pairs) -> Iterable[Moment]:
    """The values on the way forward."""
    steps, others = _forward(first), _forward(second)
    for one, other in found:
        values = first.nodes[one].value, second.nodes[other].value
        name = _name(first.nodes[one], second.nodes[other])
        at = steps.get(one, -1), others.get(other, -1)
        yield Moment(*at, "forward", name, values, same(*values))


def _forward(trace: Trace) -> dict[int, int]:
    return {step.node: at for at, step in enumerate(trace.steps) if step.kind == "forward"}


def _arrived(first: Trace, second: Trace, found: Pairs) -> Iterable[Moment]:
    """What has arrived at a node once its last share is there.

    A source that one trace has a gradient for and the other has none is a difference; within the
    program a framework may keep to itself what it knows.
    """
    sums, others = _sums(first), _sums(second)
    nothing = len(first.steps) - 1, None
    nothing_there = len(second.steps) - 1, None
    for one, other in found:
        at, value = sums.get(one, nothing)
        there, theirs = others.get(other, nothing_there)
        equal = same(value, theirs)
        if equal is None and (one in first.sources) and (value is not None or theirs is not None):
            equal = False
        if equal is not None:
            name = _name(first.nodes[one], second.nodes[other])
            yield Moment(at, there, "back", name, (value, theirs), equal)


def _sums(trace: Trace) -> dict[int, tuple[int, Array | None]]:
    """By node, the step after which nothing more is added to what has arrived there, and that."""
    found: dict[int, tuple[int, Array | None]] = {}
    for at, step in enumerate(trace.steps):
        if step.kind == "seed":
            found[step.node] = at, step.cotangent
        elif step.kind == "pull" and step.to is not None:
            found[step.to] = at, step.total
        elif step.kind in ("push", "accumulate"):
            found[step.node] = at, step.total
    return found


def _name(one: Node, other: Node) -> str:
    """The learner's name, in whichever trace it is; else what made it."""
    return one.name or other.name or one.op or one.kind


def _rising(moments: list[Moment]) -> list[Moment]:
    """The longest list of moments whose steps go up in both traces (patience sorting)."""
    piles: list[Moment] = []  # for each length, the moment that ends the lowest list of it
    before: dict[int, Moment | None] = {}
    for moment in moments:
        if min(moment.first, moment.second) < 0:
            continue  # known before the first step
        place = bisect_left(piles, moment.second, key=lambda each: each.second)
        if place and piles[place - 1].first == moment.first:
            continue
        before[id(moment)] = piles[place - 1] if place else None
        piles[place : place + 1] = [moment]
    found: list[Moment] = []
    last = piles[-1] if piles else None
    while last is not None:
        found.append(last)
        last = before[id(last)]
    return found[::-1]
