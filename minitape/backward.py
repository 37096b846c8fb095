"""The chain rule, once: every gradient, jacobian and picture comes from the loop below.

A record says which rules to run and holds what they need. The sweep takes the cotangent of the
record's result, runs the rules, and adds each contribution to the cotangent of the input that it
belongs to. `gradient` exhausts the generator, the viewer asks it to explain itself and keeps the
steps, static graphs feed it records in another order.

A second derivative is nothing of its own: where a tape follows the sweep, the rules run on tensors,
so that the ops in them are recorded like any others.

Cotangents here are plain (a rule is the derivative, no conjugates): for complex dtypes TensorFlow's
gradient is the conjugate, so the caller that seeds a sweep conjugates there and at its end.
"""

from __future__ import annotations

import operator
from collections import deque
from typing import TYPE_CHECKING

import numpy as np

from minitape import hooks
from minitape.ops.broadcasting import sum_to
from minitape.plan import ON_ARRAYS, ON_TENSORS
from minitape.record import (
    PLAN,
    RESULT,
    Record,
    argument,
    broadcast_from,
    place_of,
    plan_of,
    slot_of,
)
from minitape.safety.silence import silent
from minitape.steps import Step
from minitape.tensor import eager

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from minitape.interpreter import Mark
    from minitape.plan import Plan, Pull
    from minitape.steps import Call, Cotangent, Cotangents, Slotted
    from minitape.tensor import Spec


def backward(
    records: Iterable[Record],
    cotangents: Cotangents,
    wanted: set[int] | None = None,
    raw: bool = False,
    explain: bool = False,
    mark: Mark = (),
) -> Iterator[Step]:
    """Runs the rules of `records`, consumers first, and fills `cotangents` in place.

    Args:
        records: what a tape or graph recorded, latest first. They are not kept: a caller that pops
            them from its log frees what they hold as the sweep goes.
        cotangents: by tensor id; holds the seeds of the targets at the start.
        wanted: ids of outputs whose cotangents must survive their own record (intermediate
            sources).
        raw: whether rules run on NumPy arrays (no interpreter follows the sweep) or on tensors.
        explain: whether to yield a `Step` per record.
        mark: of the tape that made the records, which may be following the sweep itself.

    Raises:
        LookupError: if an op on the way has no gradient registered.
    """
    # `pop`, not `get`: once its record is done a cotangent is of no use, and its memory is free.
    take = _keeping(cotangents, wanted) if wanted else cotangents.pop
    pulls = ON_ARRAYS if raw else ON_TENSORS
    # A viewer keeps the old sum beside the new one, so that neither may be written to.
    add = hooks.add if raw and not explain else operator.add
    for record in records:
        g = take(record[RESULT], None)
        if g is None:
            g = _of_several(record[RESULT], take, raw)
            if g is None:
                continue  # the targets do not depend on it
        todo: Iterable[Slotted] = pulls[record[PLAN]] or _made(pulls, record, raw)
        if explain:
            step = Step(record, g)
            todo = step.noted(todo, cotangents)
        for slot, pull in todo:
            value = g if pull is None else pull(g, record, mark)
            if value is None:
                continue  # nothing flows to this input
            key = record[slot]
            cotangents[key] = add(cotangents[key], value) if key in cotangents else value
        # So that the dict alone refers to what `take` takes out of it next.
        value = None
        if explain:
            yield step


# Runs through a sweep that nobody looks at, in silence, whatever NumPy is set to.
exhaust = silent(deque[Step](maxlen=0).extend)


def _made(pulls: list[list[Slotted]], record: Record, raw: bool) -> list[Slotted]:
    """What the loop runs for the plan of a record, at the first such record."""
    plan = plan_of(record)
    # Not with the plan: a program that is never differentiated makes none.
    made = pulls[record[PLAN]] = [(slot_of(one), _function(plan, one, raw)) for one in plan.pulls]
    return made


def _function(plan: Plan, one: Pull, raw: bool) -> Call | None:
    """What the loop calls for a `Pull`: cotangent, record and tape's mark give the contribution.

    The fast layer gives None for a rule that only passes the cotangent on, as those of a sum do.
    """
    rule = one.rule
    places = [(need, place_of(plan, need)) for need in one.needs]

    def pull(g: Cotangent, record: Record, mark: Mark) -> Cotangent:
        value = rule(g, *[argument(record, need, place, raw, mark) for need, place in places])
        if one.stretched and value is not None:
            # A rule is written as if shapes were equal; what was repeated gets the sum.
            value = sum_to(value, broadcast_from(record, one))
        return value

    return hooks.pull(plan, one, pull, raw, sum_to)


def _keeping(cotangents: Cotangents, wanted: set[int]) -> Call:
    """How to take a cotangent out of the dict: those of `wanted` ids stay there."""
    take, get = cotangents.pop, cotangents.get
    return lambda key, default: get(key, default) if key in wanted else take(key, default)


def _of_several(specs: int | tuple[Spec, ...], take: Call, raw: bool) -> Cotangent:
    """The cotangents of several results, zeros where nothing came in; None if none did."""
    if type(specs) is not tuple:
        return None  # there is only one
    found = [take(spec.id, None) for spec in specs]
    if all(g is None for g in found):
        return None
    # As in TensorFlow: the rule of an op with several results takes a cotangent for each.
    zeros = [np.zeros(s.shape, s.dtype)[()] for s in specs]
    return tuple(
        (z if raw else eager(z)) if g is None else g for g, z in zip(found, zeros, strict=True)
    )
