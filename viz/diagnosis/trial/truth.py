"""The function that was written, at the point where it was asked: its values and its slopes.

The ops from the sources to the target run again on decimals (`exact`), with the branches that the
program chose. Differences of a hundred digits say which slope there is, or that there is none,
whatever became of it in floats. Corrections are compared with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal, localcontext
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from minitape.ops.linalg.matrix import matmul
from minitape.ops.passing import stop_gradient
from minitape.safety.silence import Silence

from .exact import CONTEXT, INF, NoExactFormError, apply, exactly, is_known

if TYPE_CHECKING:
    from ..sources.case import Case

STEP = Decimal("1e-24")
SAME = Decimal("1e-9")
MAX_ELEMENTS = 40  # of a source and of the targets, as many as an outcome has
MAX_DIRECTIONS = 24
MAX_WORK = 60_000  # elements of results in all


class Slope(NamedTuple):
    """The slope along one element of one source.

    Attributes:
        source: its place among the sources.
        element: its place in the source.
        word: smooth, kink, edge (a value on one side only), pole, undefined.
        left: from below, None if there is none.
        right: from above.
    """

    source: int
    element: int
    word: str
    left: float | None
    right: float | None


class Truth(NamedTuple):
    """What the function is at a point.

    Attributes:
        values: of the first elements of the targets, None where there is none, not even a limit.
        slopes: of their sum, for some elements of the sources.
    """

    values: list[float | None]
    slopes: list[Slope]

    @property
    def is_whole(self) -> bool:
        """Whether the function has a value and a slope everywhere."""
        bad = {"pole", "undefined"}
        return None not in self.values and not any(s.word in bad for s in self.slopes)


def truth(case: Case) -> Truth | None:
    """What was written, None if it cannot be computed without rounding."""
    try:
        with localcontext(CONTEXT), Silence():
            return _truth(case)
    except Exception:  # what is not known here: the findings are told all the same
        return None


def _truth(case: Case) -> Truth | None:
    if case.request.weights is not None or case.journal is None:
        return None
    program = _Program(case)
    size = max(program.work, 1)
    most = min(MAX_DIRECTIONS, MAX_WORK // (6 * size))
    if most < 1:
        return None
    start = program.beside()
    elements = [
        (number, place)
        for number, x in enumerate(program.sources.values())
        for place in range(min(x.size, MAX_ELEMENTS))
    ]
    step = -(-len(elements) // most)
    slopes = [program.slope(start, *each) for each in elements[::step]]
    return Truth(program.limits(), slopes)


class _Program:
    """The ops from the sources to the targets.

    Raises:
        NoExactFormError: if one of them has no exact form.
    """

    def __init__(self, case: Case) -> None:
        request = case.request
        keys = list(request.source_ids)
        self.sources = {}
        for key, each in zip(keys, request.sources, strict=True):
            value = _value(each)
            if value.dtype.kind != "f":
                raise NoExactFormError(str(value.dtype))
            self.sources[key] = exactly(value)
        self.targets = [each.id for each in request.targets]
        self.fixed: dict[int, Any] = {}
        self.steps: list[Any] = list(self._steps(case))
        self.work = sum(_work(entry) for entry in self.steps)
        made = {each.outputs[0].id for each in self.steps} | set(keys)
        if not set(self.targets) <= made:
            raise NoExactFormError("constant")

    def _steps(self, case: Case) -> Iterator[Any]:
        moving = set(self.sources)
        found = []
        for entry in case.journal.entries if case.journal is not None else ():
            carries = any(x.id in moving for x in entry.inputs)
            if carries and _is_smooth(entry) and not moving & {y.id for y in entry.outputs}:
                found.append(entry)
                moving |= {y.id for y in entry.outputs}
        needed = set(self.targets)
        kept = []
        for entry in reversed(found):
            if needed & {y.id for y in entry.outputs}:
                kept.append(entry)
                needed |= {x.id for x in entry.inputs}
                if not is_known(entry.op) or len(entry.outputs) != 1:
                    raise NoExactFormError(str(entry.op.name))
        for entry in kept:
            for x in entry.inputs:
                if x.id not in moving:
                    self.fixed[x.id] = exactly(_value(x))
        return iter(kept[::-1])

    def at(self, sources: dict[int, Any]) -> Any:
        """The elements of all targets."""
        known = {**self.fixed, **sources}
        for each in self.steps:
            inputs = [known[x.id] for x in each.inputs]
            known[each.outputs[0].id] = apply(each.op, each.attributes, inputs)
        return np.concatenate([np.asarray(known[key]).reshape(-1) for key in self.targets])

    def total(self, sources: dict[int, Any]) -> Any:
        """The sum of the targets, which is what a gradient is of."""
        return sum(self.at(sources), Decimal(0))

    def beside(self) -> dict[int, Any]:
        """The point, or one a hair beside it where the function has no value at the point."""
        if self.total(self.sources).is_finite():
            return self.sources
        for hair in (STEP**3, -(STEP**3)):
            moved = self._by(hair)
            if self.total(moved).is_finite():
                return moved
        return self.sources

    def _by(self, hair: Any) -> dict[int, Any]:
        """The sources, all of them moved."""
        return {key: np.asarray(x + hair, dtype=object) for key, x in self.sources.items()}

    def limits(self) -> list[float | None]:
        """The values at the point, or what they tend to from both sides."""
        own = self.at(self.sources)[:MAX_ELEMENTS]
        if all(each.is_finite() for each in own):
            return [float(each) for each in own]
        sides = [self.at(self._by(hair)) for hair in (STEP, -STEP)]
        return [_limit(*each) for each in zip(own, *sides, strict=False)]

    def slope(self, start: dict[int, Any], number: int, place: int) -> Slope:
        """By differences along one element, on both sides."""
        key = list(start)[number]

        def f(by: Any) -> Any:
            moved = start[key].copy()
            moved.reshape(-1)[place] += by
            return self.total({**start, key: moved})

        near = [_one_sided(f, sign * STEP) for sign in (-1, 1)]
        left, right = near
        word = "smooth"
        if left is None and right is None:
            word = "undefined"
        elif any(side is not None and side.is_infinite() for side in near):
            word = "pole"
        elif left is None or right is None:
            word = "edge"
        elif abs(left - right) > SAME * (abs(left) + abs(right)) + Decimal("1e-20"):
            word = "kink"
        return Slope(number, place, word, *(None if s is None else float(s) for s in near))


def _one_sided(f: Any, step: Any) -> Any:
    """The slope from one side, infinite at a pole, None where there is no value."""
    far, near, here = f(2 * step), f(step), f(step * abs(step))
    first, second = (far - near) / step, (near - here) / step
    if not first.is_finite() or not second.is_finite():
        return None if first.is_nan() or second.is_nan() else INF
    grows = abs(first - second) > SAME * (abs(first) + abs(second))
    return INF if grows and abs(second) > Decimal("1e8") else second


def _limit(own: Any, above: Any, below: Any) -> float | None:
    if own.is_finite():
        return float(own)
    close = abs(above - below) < SAME * (1 + abs(above))
    return float(above) if above.is_finite() and below.is_finite() and close else None


def _is_smooth(entry: Any) -> bool:
    """Whether a change of its inputs is passed on; what is not is as the program chose it."""
    return entry.op.differentiable and not entry.op.facts.jumps and entry.op is not stop_gradient.op


def _work(entry: Any) -> int:
    out = entry.outputs[0].value
    if entry.op is matmul.op:
        return int(np.size(out)) * int(np.shape(entry.inputs[0].value)[-1])
    return max(int(np.size(out)), *(int(np.size(_value(x))) for x in entry.inputs))


def _value(tensor: Any) -> Any:
    return np.asarray(getattr(getattr(tensor, "_plain", tensor), "value", None))
