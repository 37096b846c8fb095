"""Gives records other pulls: of what was watched after they were made, or of one path alone.

A record holds what the rules of all inputs need that a tape may be told to watch. So the same
record serves another plan, in which other rules of the same op run.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

from minitape.plan import numbered
from minitape.record import INPUTS, RESULT, plan_of

if TYPE_CHECKING:
    from minitape.plan import Plan, Pull
    from minitape.record import Record

_plans: dict[tuple[int, tuple[int, ...]], Plan] = {}  # by the number of the first, and positions


def with_pull(record: Record, pull: Pull) -> Record:
    """The same record with a single pull: a sweep along one path, for explanations."""
    return _with_pulls(record, (pull.position,))


def with_watched(record: Record, late: set[int]) -> Record:
    """The record with pulls for the inputs in `late`, too: ids of what was watched afterwards."""
    plan = plan_of(record)
    ids = record[INPUTS : INPUTS + len(plan.keep)]
    if late.isdisjoint(ids):
        return record
    pulled = {pull.position for pull in plan.pulls}
    return _with_pulls(record, tuple(i for i, key in enumerate(ids) if i in pulled or key in late))


def _with_pulls(record: Record, positions: tuple[int, ...]) -> Record:
    """The record with the pulls of the inputs at `positions`."""
    plan = plan_of(record)
    other = _plans.get((plan.number, positions))
    if other is None:
        other = _plans[plan.number, positions] = copy(plan)
        other.pulls = [pull for pull in plan.possible if pull.position in positions]
        other.number = numbered(other)
    return (other.number, *record[RESULT:])
