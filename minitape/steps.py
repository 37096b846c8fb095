"""Steps: what a viewer sees of the backward sweep, one for each record.

The sweep is the same, watched or not. A step stands between it and the pulls of its record, and
notes what each of them gave.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from minitape.record import plan_of, position_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from minitape.interpreter import Mark
    from minitape.record import Record

Call = Callable[..., Any]
Cotangent: TypeAlias = Any  # an array in a sweep over arrays, else a tensor; of several a tuple
Cotangents = dict[int, Cotangent]  # by tensor id
Slotted = tuple[int, Call | None]  # where a record has an input's id, and the pull for it


class Contribution:
    """What one rule gave to one input.

    Attributes:
        position: which argument of the op the input is.
        id: the input's id.
        value: the contribution.
        old: the input's cotangent before it, None if this is the first.
        total: the input's cotangent after it.
    """

    __slots__ = ("id", "old", "position", "total", "value")

    def __init__(
        self, position: int, key: int, value: Cotangent, old: Cotangent, total: Cotangent
    ) -> None:
        self.position = position
        self.id = key
        self.value = value
        self.old = old
        self.total = total


class Step:
    """One record of the sweep.

    Attributes:
        plan: the plan of the record.
        record: the record.
        cotangent: what came in; a tuple for an op with several outputs.
        contributions: what went to each followed input.
    """

    __slots__ = ("contributions", "cotangent", "plan", "record")

    def __init__(self, record: Record, cotangent: Cotangent) -> None:
        self.plan = plan_of(record)
        self.record = record
        self.cotangent = cotangent
        self.contributions: list[Contribution] = []

    def noted(self, pulls: Iterable[Slotted], cotangents: Cotangents) -> Iterator[Slotted]:
        """The pulls for the loop below; what each gave is noted after its turn."""
        for slot, pull in pulls:
            key = self.record[slot]
            old = cotangents.get(key)
            given: list[Cotangent] = []
            yield slot, partial(_given, given, pull)
            if given[0] is not None:
                total = cotangents[key]
                self.contributions.append(
                    Contribution(position_of(slot), key, given[0], old, total)
                )


def _given(
    given: list[Cotangent], pull: Call | None, g: Cotangent, record: Record, mark: Mark
) -> Cotangent:
    """What a pull gives, which `given` has as well then."""
    given.append(g if pull is None else pull(g, record, mark))
    return given[0]
